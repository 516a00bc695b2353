#!/bin/sh
# shellcheck disable=SC2086 # words of arguments are kept in one variable
# If an allocation fails, every command ends with one line of error. This test makes some allocations fail;
# tests/soak/memory.sh tests all call stacks that allocate.
. "$(dirname "$0")/../lib/common.inc"
. "$PWD/tests/lib/memory.inc"
: >"$scratch/in"
export ALLOCATIONS_ALL=0

ALLOCATIONS_SHARE=12
export ALLOCATIONS_SHARE
train run --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --guided-alignment "$scratch/links" --after-batches 4
export ALLOCATIONS_SHARE=3
refuse info run
cp "$scratch/zh" "$scratch/in"
refuse_in_copy translate run --threads 1 --n-best 2 --alignment soft --html page.html --heatmap pictures
refuse align run --threads 1 --src "$scratch/zh" --tgt "$scratch/en" --format json
refuse chrf "$scratch/zh"
[ $failures -gt 300 ] || die "only $failures failures"
echo "$failures failures at some of $places places, $allocations allocations"

# if the system refuses to start threads, tide runs without them
"$tide" translate run --threads 1 <"$scratch/in" >"$scratch/one" || die "one thread"
NO_THREADS=1 LD_PRELOAD=$scratch/refusing.so "$tide" translate run --threads 4 <"$scratch/in" >"$scratch/none" || die "no threads"
cmp "$scratch/one" "$scratch/none" || die "without threads the translations differ"
