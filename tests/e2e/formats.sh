#!/bin/sh
# A file with a newer format, or with one from before the first release, is refused. A file that another program rewrote is
# loaded: its checksum is verified if there is one, else there is a warning.
. "$(dirname "$0")/../lib/common.inc"
silent() { [ ! -s "$scratch/stderr" ] || die "$1: $(cat "$scratch/stderr")"; }

needs python3
rewrite() { python3 tests/e2e/weights.py rewrite "$1" "$2" "$3" || exit 1; } # IN OUT HOW
printf '我在这里。\n我们在这里。\n' >"$scratch/zh"
printf 'I am here.\nWe are here.\n' >"$scratch/en"
smallest_run "$scratch/new" --after-batches 12
tide_ok score "$scratch/new" --src "$scratch/zh" --tgt "$scratch/en" >"$scratch/right"
file=$scratch/model.safetensors
rewritten() { # HOW
    rewrite "$scratch/new/model.safetensors" "$file" "$1"
    tide_ok score "$file" --src "$scratch/zh" --tgt "$scratch/en" >"$scratch/scores"
    cmp "$scratch/scores" "$scratch/right" || die "$1: other scores"
}
rewritten same
silent same
no_checksum='the file has no checksum, so that damage to it would not be noticed'
rewritten unsigned
[ "$(cat "$scratch/stderr")" = "$file: $no_checksum" ] || die "unsigned: $(cat "$scratch/stderr")"
rewrite "$scratch/new/model.safetensors" "$file" altered
refused 1 'model.safetensors: the checksum does not match' info "$file"
newer='has format 5, but this program reads formats up to 4: a newer version of tide wrote it'
rewrite "$scratch/new/model.safetensors" "$file" newer
refused 1 "model.safetensors: $newer" info "$file"
[ "$(wc -l <"$scratch/stderr")" = 1 ] || die "$(cat "$scratch/stderr")"
rewrite "$scratch/new/model.safetensors" "$file" older
refused 1 'model.safetensors: has format 2, but this program reads formats from 3 on' info "$file"
rewrite "$scratch/new/model.safetensors" "$file" first
refused 1 'model.safetensors: has format 1, but this program reads formats from 3 on' info "$file"

# the same for a checkpoint; a checkpoint with a newer format is kept, although there is an older checkpoint
smallest_run "$scratch/whole" --after-batches 20
for how in unsigned newer; do
    rewrite "$scratch/new/checkpoint.safetensors" "$scratch/checkpoint" $how
    rm -rf "$scratch/again"
    cp -r "$scratch/new" "$scratch/again"
    cp "$scratch/checkpoint" "$scratch/again/checkpoint.safetensors"
    if [ $how = unsigned ]; then
        smallest_run "$scratch/again" --after-batches 20
        grep -q "^$scratch/again/checkpoint.safetensors: $no_checksum\$" "$scratch/stderr" || die "$(cat "$scratch/stderr")"
        same "$scratch/whole" "$scratch/again" "a checkpoint without checksum"
        continue
    fi
    refused 1 "checkpoint.safetensors: $newer" train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" \
        --config "$scratch/smallest.conf" --model "$scratch/again" --after-batches 20
    cmp "$scratch/checkpoint" "$scratch/again/checkpoint.safetensors" || die "a newer checkpoint was put aside"
done
