#!/bin/sh
# shellcheck disable=SC2086 # words of arguments are kept in one variable
# Without memory every command ends in one line; here at some of the places that allocate, in tests/soak_memory.sh at all.
. "$(dirname "$0")/common.inc"
. "$PWD/tests/memory.inc"
: >"$scratch/in"
export ALLOCATIONS_ALL=0

ALLOCATIONS_SHARE=1
export ALLOCATIONS_SHARE
train run --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --guided-alignment "$scratch/links" --after-batches 4
export ALLOCATIONS_SHARE=1
refuse info run
cp "$scratch/zh" "$scratch/in"
refuse_in_copy translate run --threads 1 --n-best 2 --alignment soft --html page.html --heatmap pictures
refuse align run --threads 1 --src "$scratch/zh" --tgt "$scratch/en" --format json
refuse chrf "$scratch/zh"
[ $failures -gt 300 ] || die "only $failures failures"
echo "$failures failures at some of $places places, $allocations allocations"

# threads that the system does not grant are done without
"$tide" translate run --threads 1 <"$scratch/in" >"$scratch/one" || die "one thread"
NO_THREADS=1 LD_PRELOAD=$scratch/refusing.so "$tide" translate run --threads 4 <"$scratch/in" >"$scratch/none" || die "no threads"
cmp "$scratch/one" "$scratch/none" || die "without threads the translations differ"
