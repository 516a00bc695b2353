#!/bin/sh
# scripts/train-aligner makes guided models of both directions from a corpus; they align together; a second call repeats
# nothing, and the guide is not lost.
. "$(dirname "$0")/../lib/common.inc"
for set in train dev; do
    cut -f1 "$scratch/$set.tsv" >"$scratch/$set.en"
    cut -f2 "$scratch/$set.tsv" >"$scratch/$set.zh"
done
aligner() { # FLAG ...
    TIDE=$tide scripts/train-aligner "$scratch/out" "$scratch/train.zh" "$scratch/train.en" "$scratch/dev.zh" "$scratch/dev.en" \
        --config "$scratch/smallest.conf" --threads 1 "$@" >"$scratch/stdout" 2>"$scratch/log" || die "$(tail -n 3 "$scratch/log")"
}
aligner --after-batches 4
grep -q 'pairs aligned' "$scratch/log" || die "the first call aligns nothing: $(cat "$scratch/log")"
aligner --after-batches 8
grep -q 'pairs aligned' "$scratch/log" && die "the second call aligns the corpus again"
for model in zh-en en-zh; do
    [ "$(tail -n 1 "$scratch/out/$model/train.jsonl" | sed 's/^{"update": \([0-9]*\),.*/\1/')" = 8 ] || die "$model did not continue"
    tide_ok info "$scratch/out/$model" | grep -q 'guided-alignment-null = on' || die "$model: a word without a link has no place to look at"
done
paste "$scratch/out/links.zh-en" "$scratch/out/links.en-zh" | awk -F'\t' '{ n = split($1, a, " "); split($2, b, " ")
    for (i = 1; i <= n; i++) { split(a[i], x, "-"); if (b[i] != x[2] "-" x[1]) exit 1; links++ } }
    END { if (links < 500) exit 1 }' || die "the links of the other direction are not exchanged"
# tables give the same models: columns by their scripts, and columns that are given, which the other direction exchanges
for set in train dev; do awk -F'\t' '{ print NR "\t" $2 "\t" $1 }' "$scratch/$set.tsv" >"$scratch/$set.table"; done
of_table() { # OUT [--columns ZH EN]
    to=$scratch/$1
    shift
    TIDE=$tide scripts/train-aligner "$to" --tsv "$scratch/train.table" "$@" --valid-tsv "$scratch/dev.table" --threads 1 \
        --config "$scratch/smallest.conf" --after-batches 8 >/dev/null 2>"$scratch/log" || die "$(tail -n 3 "$scratch/log")"
    cmp "$scratch/out/words/links" "$to/words/links" || die "a table gives other links"
    for model in zh-en en-zh; do
        alike "$scratch/out/$model" "$to/$model" "a table, $model"
    done
}
of_table found
of_table chosen --columns 2 3
for words in '--tsv -' "--tsv $scratch/dev.table --valid-tsv $scratch/dev.table --columns 2 3" '--preset tiny'; do
    # shellcheck disable=SC2086 # words of a command
    TIDE=$tide scripts/train-aligner "$scratch/none" $words >/dev/null 2>&1
    [ $? = 2 ] && [ ! -e "$scratch/none" ] || die "train-aligner $words"
done
# the printed command aligns with both
words=$(sed -n 's/^align: *tide //p' "$scratch/stdout" | sed "s|a\.zh|$scratch/dev.zh|; s|a\.en|$scratch/dev.en|")
# shellcheck disable=SC2086 # words of a command
tide_ok $words >"$scratch/links"
[ "$(wc -l <"$scratch/links")" = "$(wc -l <"$scratch/dev.zh")" ] || die "a pair is missing"
