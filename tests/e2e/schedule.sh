#!/bin/sh
# The learning rate: warm-up, decay by epoch and by the square root of the updates; a stop does not change it.
. "$(dirname "$0")/../lib/common.inc"

# 300 pairs in batches of 16: 19 updates per epoch
flags='--disp-freq 1 --valid-freq 100 --learn-rate 0.02 --lr-warmup 8 --lr-decay 0.5 --lr-decay-start 2 --lr-decay-inv-sqrt 30'
rates() { sed -n 's/^{"update": \([0-9]*\),.*"learn_rate": \([0-9.e-]*\).*/\1 \2/p' "$1/train.jsonl"; }
# shellcheck disable=SC2086 # words of flags
smallest_run "$scratch/whole" $flags --after-batches 60
rates "$scratch/whole" >"$scratch/rates"
[ "$(wc -l <"$scratch/rates")" = 60 ] || die "$(wc -l <"$scratch/rates") reports of 60"
awk '{
    right = 0.02
    for (epoch = 2; epoch <= int(($1 - 1) / 19); epoch++) right *= 0.5
    if ($1 < 8) right *= $1 / 8
    if ($1 > 30) right *= sqrt(30 / $1)
    off = $2 / right - 1
    if (off > 1e-6 || off < -1e-6) { print "update " $1 ": " $2 ", not " right; exit 1 }
}' "$scratch/rates" || die "wrong learning rate"
for updates in 5 33 60; do
    # shellcheck disable=SC2086
    smallest_run "$scratch/parts" $flags --after-batches $updates
done
rates "$scratch/parts" | cmp - "$scratch/rates" || die "other rates after a stop"
