#!/bin/sh
# The same seed and data give the same bits: for any number of threads and instruction set, with and without stops.
. "$(dirname "$0")/../lib/common.inc"

smallest_run "$scratch/one" --after-batches 40 --threads 1
for threads in 2 3 8; do
    smallest_run "$scratch/t$threads" --after-batches 40 --threads $threads
    same "$scratch/one" "$scratch/t$threads" "$threads threads"
done
# Without --threads, tide uses the processors that it may use; of these, POSIX knows nothing (make posix).
cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
taskset -c "$cpu" "$tide" train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --config "$scratch/smallest.conf" \
    --model "$scratch/bound" --after-batches 40 2>"$scratch/stderr" || die "bound to one processor: $(cat "$scratch/stderr")"
case $(readlink -f "$tide") in
*/posix/tide) ;;
*) grep -q ', 1 thread, ' "$scratch/stderr" || die "bound to one processor: $(grep thread "$scratch/stderr")" ;;
esac
same "$scratch/one" "$scratch/bound" "bound to one processor"
for isa in avx512 avx2 neon portable; do
    has_isa "$scratch/one" $isa || continue
    smallest_run "$scratch/$isa" --after-batches 40 --threads 2 --isa $isa
    same "$scratch/one" "$scratch/$isa" "$isa"
done

# Stops at a limit and continues, twice.
smallest_run "$scratch/parts" --after-batches 7 --threads 2
smallest_run "$scratch/parts" --after-batches 26 --threads 1
smallest_run "$scratch/parts" --after-batches 40 --threads 2
same "$scratch/one" "$scratch/parts" "stopped and resumed"

# Stops at a random update, by a signal or by a kill, and continues: three times.
smallest_run "$scratch/whole" --after-batches 300 --threads 2
updates_of() { grep -c . "$1/train.jsonl" 2>/dev/null || true; }
for signal in INT TERM KILL; do
    "$tide" train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --config "$scratch/smallest.conf" \
        --model "$scratch/$signal" --after-batches 300 --threads 2 2>/dev/null &
    process=$!
    comes_to_hold has_lines "$scratch/$signal" 8 || die "the training does not proceed"
    kill -$signal $process || die "the training ended before it could be stopped"
    ended=0
    wait $process || ended=$?
    case $signal-$ended in INT-130 | TERM-143 | KILL-137) ;; *) die "after $signal, the training exits $ended" ;; esac
    [ "$(updates_of "$scratch/$signal")" -lt "$(updates_of "$scratch/whole")" ] || die "$signal did not stop the training"
    smallest_run "$scratch/$signal" --after-batches 300 --threads 2
    same "$scratch/whole" "$scratch/$signal" "$signal"
done

# A training that is stopped before its first validation still writes a model.
sed 's|valid-freq = 12|valid-freq = 0|' "$scratch/smallest.conf" >"$scratch/endless.conf"
"$tide" train --tsv "$scratch/train.tsv" --config "$scratch/endless.conf" --model "$scratch/endless" 2>/dev/null &
process=$!
comes_to_hold has_lines "$scratch/endless" 2 || die "the training does not proceed"
kill -INT $process || die "the training without an end ended"
ended=0
wait $process || ended=$?
[ $ended -eq 130 ] || die "the stopped training exits $ended"
refused 1 'checkpoint.safetensors: is a checkpoint, not a model: ' info "$scratch/endless/checkpoint.safetensors"
mkdir "$scratch/killed"
cp "$scratch/endless/checkpoint.safetensors" "$scratch/killed"
refused 1 'killed: has a checkpoint, but no model: the same .tide train. command continues' info "$scratch/killed"
tide_ok translate "$scratch/endless" <"$scratch/dev.tsv" >/dev/null

# If the newest checkpoint is damaged, the training continues from the one before it and reports this.
smallest_run "$scratch/damaged" --after-batches 22 --threads 2
printf 'x' | dd of="$scratch/damaged/checkpoint.safetensors" bs=1 seek=3000 conv=notrunc 2>/dev/null
smallest_run "$scratch/damaged" --after-batches 40 --threads 2
grep -q 'resuming from the previous checkpoint' "$scratch/stderr" || die "a damaged checkpoint was not mentioned"
same "$scratch/one" "$scratch/damaged" "damaged checkpoint"
[ -s "$scratch/damaged/checkpoint.damaged.safetensors" ] || die "the damaged checkpoint was not kept"
