#!/bin/sh
# tide detects a checkpoint that was cut or changed anywhere, and uses the one before it. A model file with one changed bit
# is refused or translates as before.
. "$(dirname "$0")/../lib/common.inc"
seed=${SEED:-$(date +%s)}
echo "SEED=$seed"
randoms() { # N BELOW SALT
    awk -v n="$1" -v below="$2" -v seed="$((seed + $3))" 'BEGIN { srand(seed); for (i = 0; i < n; i++) print int(below * rand()) }'
}
flip() { # FILE BIT
    byte=$(od -An -tu1 -j $(($2 / 8)) -N 1 "$1" | tr -d ' ')
    # shellcheck disable=SC2059
    printf "\\$(printf %03o $((byte ^ (1 << $2 % 8))))" | dd of="$1" bs=1 seek=$(($2 / 8)) conv=notrunc 2>/dev/null
}

smallest_run "$scratch/whole" --after-batches 40
smallest_run "$scratch/before" --after-batches 22
size=$(wc -c <"$scratch/before/checkpoint.safetensors")
damaged() { # HOW
    smallest_run "$scratch/damaged" --after-batches 40
    grep -q 'resuming from the previous checkpoint' "$scratch/stderr" || die "$1 was not mentioned"
    same "$scratch/whole" "$scratch/damaged" "$1"
    rm -r "$scratch/damaged"
}
for at in 0 7 8 $(randoms 25 "$size" 1) $((size - 1)); do
    cp -r "$scratch/before" "$scratch/damaged"
    truncate -s "$at" "$scratch/damaged/checkpoint.safetensors"
    damaged "the checkpoint cut to $at bytes"
done
for bit in 0 63 $(randoms 25 $((8 * size)) 2) $((8 * size - 1)); do
    cp -r "$scratch/before" "$scratch/damaged"
    flip "$scratch/damaged/checkpoint.safetensors" "$bit"
    damaged "the checkpoint with bit $bit changed"
done

cut -f2 "$scratch/dev.tsv" >"$scratch/zh"
model=$scratch/model.safetensors
cp "$scratch/whole/model.safetensors" "$model"
tide_ok translate "$model" --alignment soft <"$scratch/zh" >"$scratch/right"
refused=0 same=0
for bit in $(seq 0 127) $(randoms 2000 $((8 * $(wc -c <"$model"))) 3); do
    flip "$model" "$bit"
    "$tide" translate "$model" --alignment soft <"$scratch/zh" >"$scratch/out" 2>"$scratch/stderr"
    status=$?
    if [ $status = 0 ]; then
        cmp -s "$scratch/right" "$scratch/out" || die "bit $bit: another translation, and not a word"
        same=$((same + 1))
    else
        [ $status = 1 ] && [ "$(wc -l <"$scratch/stderr")" = 1 ] || die "bit $bit: exit $status: $(cat "$scratch/stderr")"
        refused=$((refused + 1))
    fi
    flip "$model" "$bit"
done
cmp -s "$model" "$scratch/whole/model.safetensors" || die "the test did not mend what it broke"
echo "of $((refused + same)) bits of a model changed, $refused were refused and $same changed nothing"
