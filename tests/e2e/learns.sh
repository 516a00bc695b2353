#!/bin/sh
# A model learns to reverse a sequence, so its attention must run backwards through the source.
. "$(dirname "$0")/../lib/common.inc"

awk 'BEGIN { srand(3); for (n = 0; n < 2000; n++) { x = y = ""; for (k = 3 + int(rand() * 5); k > 0; k--) {
    c = substr("abcdefgh", 1 + int(rand() * 8), 1); x = x " " c; y = c " " y } print substr(x, 2) "\t" y } }' >"$scratch/pairs"
head -n 1900 "$scratch/pairs" | cut -f1 >"$scratch/train.x"
head -n 1900 "$scratch/pairs" | cut -f2 >"$scratch/train.y"
tail -n 100 "$scratch/pairs" | cut -f1 >"$scratch/dev.x"
tail -n 100 "$scratch/pairs" | cut -f2 >"$scratch/dev.y"
printf 'tokenizer = none none\ndim-emb = 24\ndim-rnn = 48\ndim-att = 32\ndim-maxout = 24\nlearn-rate = 0.005\nmini-batch = 32\n' \
    >"$scratch/reverse.conf"

tide_ok train --train-sets "$scratch/train.x" "$scratch/train.y" --valid-sets "$scratch/dev.x" "$scratch/dev.y" \
    --config "$scratch/reverse.conf" --model "$scratch/reverse" --after-batches 1200 --valid-freq 400
tide_ok translate "$scratch/reverse" <"$scratch/dev.x" >"$scratch/out"
right=$(sed 's/ *$//' "$scratch/dev.y" | paste -d'|' - "$scratch/out" | awk -F'|' '$1 == $2' | wc -l)
[ "$right" -ge 90 ] || die "only $right of 100 sequences were reversed: $(cat "$scratch/stderr")"
right=$(tide_ok translate "$scratch/reverse" --alignment hard <"$scratch/dev.x" | sed 's/.* ||| //' |
    awk '{ n = NF; good = 0; for (i = 1; i <= n; i++) { split($i, a, "-"); good += (a[1] + a[2] == n - 1) } if (good > n / 2) right++ }
        END { print right + 0 }')
[ "$right" -ge 90 ] || die "the alignment runs backwards in only $right of 100 sequences"
