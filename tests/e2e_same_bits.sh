#!/bin/sh
# The same seed and data give the same bits: for any number of threads, any instruction set, and stopped or not.
. "$(dirname "$0")/common.inc"

# The log without what a clock wrote.
log_of() { sed 's/"tokens_per_s": [0-9]*, //; s/"seconds": [0-9.]*//' "$1/train.jsonl"; }

same() {
    cmp "$1/checkpoint.safetensors" "$2/checkpoint.safetensors" || die "$3: the checkpoints differ"
    cmp "$1/model.safetensors" "$2/model.safetensors" || die "$3: the models differ"
    [ "$(log_of "$1")" = "$(log_of "$2")" ] || die "$3: the logs differ"
}

smallest_run "$scratch/one" --after-batches 40 --threads 1
for threads in 2 3 8; do
    smallest_run "$scratch/t$threads" --after-batches 40 --threads $threads
    same "$scratch/one" "$scratch/t$threads" "$threads threads"
done
for isa in avx512 avx2 portable; do
    "$tide" info --isa $isa nothing 2>&1 | grep -q 'no .* kernels' && continue
    smallest_run "$scratch/$isa" --after-batches 40 --threads 2 --isa $isa 2>/dev/null || continue
    same "$scratch/one" "$scratch/$isa" "$isa"
done

# Stopped at a limit, and gone on twice.
smallest_run "$scratch/parts" --after-batches 7 --threads 2
smallest_run "$scratch/parts" --after-batches 26 --threads 1
smallest_run "$scratch/parts" --after-batches 40 --threads 2
same "$scratch/one" "$scratch/parts" "stopped and resumed"

# Stopped by a signal at whatever update that hits, then killed without warning, and gone on.
for signal in INT TERM KILL; do
    (smallest_run "$scratch/$signal" --after-batches 40 --threads 2 2>/dev/null) &
    sleep 0.3
    pkill -$signal -f "$scratch/$signal" || true
    wait
    smallest_run "$scratch/$signal" --after-batches 40 --threads 2
    same "$scratch/one" "$scratch/$signal" "$signal"
done

# A damaged newest checkpoint: the one before is taken, and said so.
smallest_run "$scratch/damaged" --after-batches 22 --threads 2
printf 'x' | dd of="$scratch/damaged/checkpoint.safetensors" bs=1 seek=3000 conv=notrunc 2>/dev/null
smallest_run "$scratch/damaged" --after-batches 40 --threads 2
grep -q 'going on from the checkpoint before' "$scratch/stderr" || die "a damaged checkpoint was not mentioned"
same "$scratch/one" "$scratch/damaged" "damaged checkpoint"
