#!/bin/sh
# Checks the starter corpus: its size, its splits, and that no part of the demo's sentence is in it.
. "$(dirname "$0")/../lib/common.inc"

all=$scratch/all
cat corpus/train.tsv corpus/dev.tsv >"$all"
[ "$(wc -l <"$all")" -ge 2200 ] || die "only $(wc -l <"$all") pairs"
[ "$(wc -l <corpus/dev.tsv)" = 200 ] || die "$(wc -l <corpus/dev.tsv) dev pairs"
awk -F'\t' 'NF != 2 || $1 == "" || $2 == "" { print FILENAME ":" FNR; bad = 1 } END { exit bad }' "$all" || die "not two fields"
for side in 1 2; do
    twice=$(cut -f$side "$all" | sort | uniq -d)
    [ -z "$twice" ] || die "twice: $twice"
done

# No six consecutive characters of 潮水退了，才知道谁没穿裤子。 are in the corpus: unchanged, normalised, without punctuation.
cut -f2 "$all" >"$scratch/zh"
sed 's/[，。？！：；、“”‘’（）《》—…,.?!]//g' "$scratch/zh" >"$scratch/bare"
spans() {
    while read -r span; do
        found=$(grep -F "$span" "$scratch/zh" "$scratch/bare")
        [ -z "$found" ] || die "'$span' stands in: $found"
    done
}
spans <<SPANS
潮水退了，才
水退了，才知
退了，才知道
了，才知道谁
，才知道谁没
才知道谁没穿
知道谁没穿裤
道谁没穿裤子
谁没穿裤子。
潮水退了,才
水退了,才知
退了,才知道
了,才知道谁
,才知道谁没
潮水退了才知
水退了才知道
退了才知道谁
了才知道谁没
SPANS
both=$(grep -i 'tide' "$all" | grep -iE 'pants|trousers')
[ -z "$both" ] || die "both clauses in one pair: $both"

# The sentences of docs/results.md are not in the corpus, with or without their final punctuation.
[ "$(sort -u corpus/held-out.zh | wc -l)" = 32 ] || die "corpus/held-out.zh has not 32 sentences"
sed 's/[。？！]$//' corpus/held-out.zh >"$scratch/held-out"
found=$(grep -Ff "$scratch/held-out" "$scratch/zh")
[ -z "$found" ] || die "held out, but the corpus has: $found"
