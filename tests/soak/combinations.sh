#!/bin/sh
# All combinations of threads and instruction sets, with and without a stop, give the same checkpoint.
. "$(dirname "$0")/../lib/common.inc"
count=0
smallest_run "$scratch/any" --after-batches 1
for threads in 1 2 3 8; do
    for isa in avx512 avx2 neon portable; do
        has_isa "$scratch/any" $isa || continue
        for stops in "" 13; do
            run=$scratch/$threads-$isa-$stops
            for updates in $stops 60; do
                smallest_run "$run" --after-batches "$updates" --threads $threads --isa $isa
            done
            [ -d "$scratch/first" ] || cp -r "$run" "$scratch/first"
            same "$scratch/first" "$run" "$threads threads, $isa, stopped after: ${stops:-never}"
            count=$((count + 1))
        done
    done
done
echo "$count combinations: $(sha256sum <"$scratch/first/checkpoint.safetensors")"
