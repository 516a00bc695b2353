#!/bin/sh
# If any operation of the disk fails, tide prints one line, loses no data, and the continued training has the same result.
# The frequencies of checkpoints and validations are the defaults. SEED: the order of the calls that fail; LIMIT: seconds
# after which no other call fails (default: all calls).
. "$(dirname "$0")/../lib/common.inc"
sed -i '/-freq/d' "$scratch/smallest.conf"
smallest_run "$scratch/whole" --after-batches 40
train() {
    "$tide" train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --config "$scratch/smallest.conf" \
        --model "$1" --after-batches 40 2>"$scratch/stderr"
}
one_line() { [ "$(grep -c '^tide: ' "$scratch/stderr")" = 1 ] || die "$1: $(cat "$scratch/stderr")"; }
files() { (cd "$1" && find . -type f ! -name checkpoint.prev.safetensors | sort); } # a stop writes another one
# Checks that the training is that of $scratch/whole, and that nothing is left over: is_complete DIR WHAT
is_complete() {
    same "$scratch/whole" "$1" "$2"
    [ "$(files "$1")" = "$(files "$scratch/whole")" ] || die "$2: other files: $(files "$1")"
    for folder in align valid; do
        diff -r "$scratch/whole/$folder" "$1/$folder" || die "$2: $folder/ differs"
    done
}

# fails each call that uses the disk, one after the other, for want of space or by an error
cc -shared -fPIC tests/lib/failing_calls.c -o "$scratch/failing.so" -ldl || die "cannot compile tests/lib/failing_calls.c"
CALLS=$scratch/calls LD_PRELOAD=$scratch/failing.so train "$scratch/counted" || die "$(cat "$scratch/stderr")"
seed=${SEED:-1} failures=0 tried=0 end=$(($(date +%s) + ${LIMIT:-100000}))
# shellcheck disable=SC2013 # one number per line
for at in $(seq "$(cat "$scratch/calls")" |
    awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand(), $1 }' | sort | cut -d ' ' -f 2); do
    [ "$(date +%s)" -lt "$end" ] || break
    tried=$((tried + 1)) why=$((at % 2 ? 28 : 5)) # ENOSPC, EIO
    what="SEED=$seed: call $at, errno $why"
    rm -rf "$scratch/failed"
    FAIL_AT=$at FAIL_WITH=$why LD_PRELOAD=$scratch/failing.so train "$scratch/failed"
    status=$?
    [ $status -le 1 ] || die "$what: exit $status: $(cat "$scratch/stderr")"
    if [ $status = 1 ]; then
        one_line "$what"
        failures=$((failures + 1))
        [ ! -e "$scratch/failed/model.safetensors" ] || tide_ok info "$scratch/failed" >/dev/null
        train "$scratch/failed" || die "$what: going on failed: $(cat "$scratch/stderr")"
    fi
    is_complete "$scratch/failed" "$what"
done
[ $((4 * failures)) -gt $tried ] || die "only $failures of $tried calls failed the training"
echo "SEED=$seed: $failures of $tried calls failed the training"

# a full disk
disk=$scratch/disk
mkdir "$disk"
mount -t tmpfs -o size=4k tide-test "$disk" 2>/dev/null || { echo "skipped: a full disk: needs root"; exit 0; }
cleanup() { umount "$disk"; }
stops=0
for kilobytes in $(seq 8 40 2000); do
    mount -o "remount,size=${kilobytes}k" "$disk"
    train "$disk/run" && break
    one_line "$kilobytes kB"
    grep -q 'No space left' "$scratch/stderr" || die "$kilobytes kB: $(cat "$scratch/stderr")"
    stops=$((stops + 1))
done
is_complete "$disk/run" "a full disk"
[ $stops -gt 5 ] || die "the disk was full only $stops times"
echo "the disk was full $stops times"
