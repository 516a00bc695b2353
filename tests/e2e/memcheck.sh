#!/bin/sh
# Runs tide under valgrind: a training that continues once, translations and alignments. Only for make valgrind.
. "$(dirname "$0")/../lib/common.inc"
needs valgrind 'make valgrind'

printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$PWD/scripts/dev/memcheck" "$tide" >"$scratch/tide"
chmod +x "$scratch/tide"
tide=$scratch/tide

head -n 5 corpus/dev.tsv >"$scratch/dev.tsv"
cut -f1 "$scratch/dev.tsv" >"$scratch/en"
cut -f2 "$scratch/dev.tsv" >"$scratch/zh"
for updates in 4 8; do
    smallest_run "$scratch/run" --after-batches $updates --save-freq 3 --valid-freq 4 --threads 2
done
for isa in auto portable; do
    tide_ok translate "$scratch/run" --isa $isa --beam-size 3 --n-best 2 --replace-unk --alignment soft \
        --heatmap "$scratch/svg" --html "$scratch/page.html" <"$scratch/zh" >"$scratch/$isa"
    for format in pharaoh json html; do
        tide_ok align "$scratch/run" --isa $isa --src "$scratch/zh" --tgt "$scratch/en" --format $format >>"$scratch/$isa"
    done
done
cmp "$scratch/auto" "$scratch/portable" || die "auto and portable differ"
grep -q . "$scratch/auto" || die "nothing was translated"
tide_ok report "$scratch/run"
