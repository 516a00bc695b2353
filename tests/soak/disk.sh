#!/bin/sh
# If any operation of the disk fails, tide prints one line, loses no data, and the continued training has the same result.
. "$(dirname "$0")/../lib/common.inc"
smallest_run "$scratch/whole" --after-batches 40
train() {
    "$tide" train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --config "$scratch/smallest.conf" \
        --model "$1" --after-batches 40 2>"$scratch/stderr"
}
one_line() { [ "$(grep -c '^tide: ' "$scratch/stderr")" = 1 ] || die "$1: $(cat "$scratch/stderr")"; }

# fails each call that uses the disk, one after the other
cc -shared -fPIC tests/lib/failing_calls.c -o "$scratch/failing.so" -ldl || die "cannot compile tests/lib/failing_calls.c"
failures=0 after=0 at=0
while :; do
    at=$((at + 1))
    rm -rf "$scratch/failed"
    FAIL_AT=$at LD_PRELOAD=$scratch/failing.so train "$scratch/failed"
    status=$?
    [ $status -le 1 ] || die "call $at: exit $status: $(cat "$scratch/stderr")"
    if [ $status = 1 ]; then
        one_line "call $at"
        failures=$((failures + 1)) after=0
        train "$scratch/failed" || die "going on after call $at failed: $(cat "$scratch/stderr")"
    else
        after=$((after + 1)) # tide ignored the failure, or there was no such call
        [ $after -gt 40 ] && break
    fi
    same "$scratch/whole" "$scratch/failed" "call $at"
done
[ $failures -gt 50 ] || die "only $failures calls failed the training"
echo "$failures calls failed the training"

# a full disk
disk=$scratch/disk
mkdir "$disk"
mount -t tmpfs -o size=4k tide-test "$disk" 2>/dev/null || { echo "skipped: a full disk: needs root"; exit 0; }
trap 'umount "$disk"; rm -rf "$scratch"' EXIT
stops=0
for kilobytes in $(seq 8 40 2000); do
    mount -o "remount,size=${kilobytes}k" "$disk"
    train "$disk/run" && break
    one_line "$kilobytes kB"
    grep -q 'No space left' "$scratch/stderr" || die "$kilobytes kB: $(cat "$scratch/stderr")"
    stops=$((stops + 1))
done
same "$scratch/whole" "$disk/run" "a full disk"
[ $stops -gt 5 ] || die "the disk was full only $stops times"
echo "the disk was full $stops times"
