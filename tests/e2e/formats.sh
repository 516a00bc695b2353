#!/bin/sh
# Models and checkpoints of format 1, which an older tide wrote, are loaded, their checksum is verified, and the training
# continues. A file with a newer format is refused. A file that another program rewrote is loaded: its checksum is verified
# if there is one, else there is a warning.
. "$(dirname "$0")/../lib/common.inc"
old=tests/fixtures/format-1
cut -f2 $old/pairs.tsv >"$scratch/zh"
cut -f1 $old/pairs.tsv >"$scratch/en"
# scores MODEL: checks that the scores are those of the older program, and that stderr is empty
scores() {
    tide_ok score "$1" --src "$scratch/zh" --tgt "$scratch/en" >"$scratch/scores"
    cmp "$scratch/scores" $old/scores || die "$1: $(cat "$scratch/scores")"
}
train() { # DIR UPDATES
    "$tide" train --tsv $old/pairs.tsv --valid-tsv $old/pairs.tsv --config $old/options.conf --model "$1" \
        --after-batches "$2" 2>"$scratch/stderr"
}
fails() { # REASON COMMAND...
    reason=$1
    shift
    "$@" >/dev/null && die "$* did not fail"
    [ "$(grep -c '^tide: ' "$scratch/stderr")" = 1 ] && grep -q "$reason" "$scratch/stderr" || die "$*: $(cat "$scratch/stderr")"
}
silent() { [ ! -s "$scratch/stderr" ] || die "$1: $(cat "$scratch/stderr")"; }

scores $old/model.safetensors
silent 'format 1'
mkdir "$scratch/run"
cp $old/*.safetensors $old/train.jsonl "$scratch/run"
train "$scratch/run" 8 || die "$(cat "$scratch/stderr")"
grep -q '^update 8/8' "$scratch/stderr" || die "the old checkpoint was not continued: $(cat "$scratch/stderr")"
for file in model checkpoint; do
    cp $old/$file.safetensors "$scratch/damaged.safetensors"
    printf '\001' | dd of="$scratch/damaged.safetensors" bs=1 seek=$(($(wc -c <$old/$file.safetensors) - 5)) conv=notrunc 2>/dev/null
    rm -rf "$scratch/again"
    mkdir "$scratch/again"
    cp "$scratch/damaged.safetensors" "$scratch/again/$file.safetensors"
    [ $file = model ] || { fails 'checkpoint.safetensors: the checksum does not match' train "$scratch/again" 8; continue; }
    refused 1 'damaged.safetensors: the checksum does not match' info "$scratch/damaged.safetensors"
done

needs python3
rewrite() { python3 tests/e2e/weights.py rewrite "$1" "$2" "$3" || exit 1; } # IN OUT HOW
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
