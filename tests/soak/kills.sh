#!/bin/sh
# Trainings that are killed at fifty random moments and continued have the same result as a training without a stop.
. "$(dirname "$0")/../lib/common.inc"
seed=${SEED:-$(date +%s)}
echo "SEED=$seed"
train() {
    "$tide" train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --config "$scratch/smallest.conf" \
        --model "$1" --after-batches 400 --threads 2 2>"$scratch/killed.log"
}
train "$scratch/whole" || die "$(tail -n 1 "$scratch/killed.log")"

kills=0 rounds=0
while [ $kills -lt 50 ]; do
    rounds=$((rounds + 1))
    run=$scratch/killed$rounds
    # shellcheck disable=SC2013 # one number per line
    for delay in $(awk -v seed="$((seed + rounds))" 'BEGIN { srand(seed); for (i = 0; i < 400; i++) print 0.7 * rand() ^ 2 }'); do
        train "$run" &
        process=$!
        sleep "$delay"
        if kill -0 $process 2>/dev/null && pkill -KILL -P $process; then kills=$((kills + 1)); fi
        wait $process && break
        grep -q '^tide:' "$scratch/killed.log" && die "round $rounds: $(tail -n 1 "$scratch/killed.log")"
    done
    train "$run" || die "round $rounds: $(tail -n 1 "$scratch/killed.log")"
    same "$scratch/whole" "$run" "round $rounds"
    rm -r "$run"
done
echo "killed $kills times in $rounds trainings"
