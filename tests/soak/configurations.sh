#!/bin/sh
# Random trainings over all flags (SEED): each is run on one thread of the portable kernels without a stop, and again with
# another number of threads and instruction set while it is killed and stopped at random moments. Both end with the same
# checkpoint, model, log and folder. TRAININGS: their number; LIMIT: seconds after which no other one begins.
. "$(dirname "$0")/../lib/common.inc"
needs python3
smallest_run "$scratch/any" --after-batches 1
sets=
for isa in amx avx512vnni avx512 avxvnni avx2 neondot neon portable; do
    if has_isa "$scratch/any" $isa; then sets="$sets $isa"; fi
done
# shellcheck disable=SC2086 # a list of words
python3 tests/soak/configurations.py "$tide" "$scratch" "${SEED:-$(date +%s)}" "${TRAININGS:-400}" "${LIMIT:-100000}" $sets
