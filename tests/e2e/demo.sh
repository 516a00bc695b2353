#!/bin/sh
# scripts/demo after an interruption, and after its end: it continues, and keeps what others wrote beside the model. The
# commands of the READMEs write only where git ignores files.
. "$(dirname "$0")/../lib/common.inc"

# a tree of its own, with a small corpus, a small preset and fewer updates
mkdir -p "$scratch/tree/build" "$scratch/tree/scripts" "$scratch/tree/models" "$scratch/tree/corpus"
sed 's/--after-batches 2400 --valid-freq 200/--after-batches 120 --valid-freq 20/' scripts/demo >"$scratch/tree/scripts/demo"
grep -q 'after-batches 120' "$scratch/tree/scripts/demo" || die "scripts/demo has other numbers"
cp "$scratch/train.tsv" "$scratch/dev.tsv" "$scratch/tree/corpus"
sed -E 's/^(dim-(emb|rnn|att|maxout)) *=[^#]*/\1 = 12 /; s/^(bpe-merges) *=[^#]*/\1 = 50 50 /' models/tiny.conf >"$scratch/tree/models/tiny.conf"
printf '#!/bin/sh\necho $$ >"%s/pid"\nexec "%s" "$@"\n' "$scratch" "$tide" >"$scratch/tree/build/tide"
chmod +x "$scratch/tree/build/tide" "$scratch/tree/scripts/demo"
demo() { "$scratch/tree/scripts/demo" >"$scratch/stdout" 2>"$scratch/stderr"; }

demo &
patience=600 comes_to_hold test -e "$scratch/tree/models/demo/checkpoint.safetensors" || die "no checkpoint: $(cat "$scratch/stderr")"
kill -INT "$(cat "$scratch/pid")"
wait $!
status=$?
[ $status = 130 ] || die "an interrupted demo ends with $status: $(cat "$scratch/stderr")"
echo 'a page of the guide' >"$scratch/tree/models/demo/page.html"
demo || die "a demo after an interruption: $(tail -n 3 "$scratch/stderr")"
grep -q '^resuming from update [0-9]*$' "$scratch/stderr" || die "the demo does not continue: $(head -n 9 "$scratch/stderr")"
grep -q '^dev: BLEU' "$scratch/stdout" || die "the demo prints $(cat "$scratch/stdout")"
[ -e "$scratch/tree/models/demo/page.html" ] || die "the demo removes the files of others"
cp "$scratch/stdout" "$scratch/before"
demo && cmp "$scratch/before" "$scratch/stdout" && grep -q '^resuming from update 120$' "$scratch/stderr" || die "the demo again: $(cat "$scratch/stderr")"
head -n 200 corpus/train.tsv >"$scratch/tree/corpus/train.tsv"
demo && die "the demo continues on another corpus"
tail -n 1 "$scratch/stderr" | grep -q 'to train from the beginning: rm -r models/demo$' || die "another corpus: $(cat "$scratch/stderr")"

# every file that a block of commands writes: after >, -o, --output, --html, --model
for page in README.md docs/README.zh.md; do
    awk '/^```$/ { inside = !inside; next } inside { sub(/ # .*/, ""); print }' "$page" |
        grep -oE '(> *|-o |--output |--html |--model )[A-Za-z][^ ]*' | sed 's/.*[ >]//' >"$scratch/written"
    [ "$(wc -l <"$scratch/written")" -ge 3 ] || die "$page: found only $(cat "$scratch/written")"
    grep -vE '^(models/[a-z0-9]+|corpus/fetched|build)(/|$)' "$scratch/written" && die "$page: git does not ignore these files"
done
exit 0
