#!/bin/sh
# shellcheck disable=SC2046,SC2086 # words of arguments are kept in one variable, and no name here has a space
# Other programs can read the weights: weights.py, which shares no code with tide, finds every tensor and computes the
# log-probabilities of `tide score` with the paper's equations. Errors name a tensor that is missing, repeated, unknown or
# has a wrong shape; data that belong to no tensor or to two are refused. The numbers of a step that libtide explains are the
# same, too: the script asks for them with the module `tide`.
. "$(dirname "$0")/../lib/common.inc"
needs python3
texts="$scratch/zh $scratch/en"
case $(readlink -f "$tide") in *tsan/*) texts="" ;; esac # the sanitizer must be the first library of a process
weights() { with_module python3 tests/e2e/weights.py "$@"; }

head -n 5 "$scratch/dev.tsv" | cut -f 2 >"$scratch/zh"
head -n 5 "$scratch/dev.tsv" | cut -f 1 >"$scratch/en"
echo 'zzz 龘 ' >>"$scratch/zh"
echo 'Unknown 龘!' >>"$scratch/en"
agrees() { # NAME FLAG...
    name=$1
    shift
    smallest_run "$scratch/$name" "$@"
    compares "$name"
}
compares() {
    run=$scratch/$1
    tide_ok tokenize "$run" <"$scratch/zh" >"$scratch/x"
    tide_ok tokenize "$run" --side tgt <"$scratch/en" >"$scratch/y"
    tide_ok score "$run" --src "$scratch/zh" --tgt "$scratch/en" | head -n -1 >"$scratch/ours"
    tide_ok info "$run" | grep '^[a-z]*\.[.A-Za-z0-9]* *\[' >"$scratch/names"
    weights check "$run/model.safetensors" "$scratch/x" "$scratch/y" $texts <"$scratch/names" >"$scratch/theirs" || die "$run: the reader failed"
    paste "$scratch/ours" "$scratch/theirs" >"$scratch/both"
    awk 'function abs(x) { return x < 0 ? -x : x }
         abs($1 - $2) > 1e-4 * (1 + abs($1)) { bad = 1 } END { exit bad || NR != 6 }' "$scratch/both" || die "$run: $(cat "$scratch/both")"
}
quantized() { # NAME: compares a copy with 8 bits for each weight
    tide_ok quantize "$scratch/$1" "$scratch/$1-int8" >"$scratch/sizes"
    compares "$1-int8"
    [ "$(wc -c <"$scratch/$1-int8/model.safetensors")" -lt "$(wc -c <"$scratch/$1/model.safetensors")" ] || die "$(cat "$scratch/sizes")"
    # a second quantization, and one of a file that another program has rewritten, change nothing
    tide_ok quantize --force "$scratch/$1-int8" "$scratch/again" >"$scratch/sizes"
    same_numbers "$scratch/$1-int8/model.safetensors" "$scratch/again/model.safetensors" || die "$1: quantized twice"
    for how in same reversed; do
        weights rewrite "$scratch/$1-int8/model.safetensors" "$scratch/rewritten.safetensors" $how || die "$1: not rewritten, $how"
        tide_ok quantize --force "$scratch/rewritten.safetensors" "$scratch/again" >"$scratch/sizes"
        same_numbers "$scratch/$1-int8/model.safetensors" "$scratch/again/model.safetensors" || die "$1: rewritten, $how"
    done
}
agrees searched --after-batches 24
quantized searched
agrees before --after-batches 24 --readout-state prev --tokenizer bpe bpe
agrees conditional --after-batches 24 --dec-cell-base-depth 2
quantized conditional
agrees covering --after-batches 12 --dec-cell-base-depth 2 --attention coverage --readout-state prev
agrees encdec --after-batches 24 --attention none
agrees tied --after-batches 24 --tied-embeddings on --dim-maxout 12
quantized tied
for kind in coverage dot general scaled-dot; do agrees $kind --after-batches 12 --attention $kind; done
agrees heads --after-batches 12 --attention multi-head --heads 6
agrees deep --after-batches 12 --encoder deep-bigru --enc-depth 3 --attention none
agrees gru --after-batches 12 --encoder gru --attention none
agrees cnn --after-batches 12 --encoder cnn --window 5 --attention dot
agrees looks --after-batches 12 --encoder self-attention --heads 4 --dim-ffn 15 --attention none
agrees transformer --after-batches 12 --arch transformer --heads 3 --dim-ffn 15
quantized transformer
agrees tied-transformer --after-batches 12 --arch transformer --heads 2 --dim-ffn 9 --enc-depth 1 --dec-depth 3 --tied-embeddings on

# refuses PATTERN COMMAND...: checks for one line of error that names the file and the tensor
refuses() {
    pattern=$1
    shift
    "$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null && die "$* did not fail"
    [ "$(wc -l <"$scratch/stderr")" = 1 ] && grep -q "$pattern" "$scratch/stderr" || die "$*: '$(cat "$scratch/stderr")' is not /$pattern/"
}
run=$scratch/searched
faults='missing:attention.Wa:tensor attention.Wa is missing
shape:state.Ws:ok
shape:attention.Wa:tensor attention.Wa has shape .18, 20., but .20, 18. is needed
extra:attention.Wb:tensor attention.Wb is not part of the model
twice:readout.bo:tensor readout.bo is not part of the model
hole:readout.bo:byte [0-9]* of the data belongs to no tensor
overlap:readout.bo:tensor .readout.bo2*. overlaps another one'
echo "$faults" | while IFS=: read -r fault tensor said; do
    weights change "$run/model.safetensors" "$scratch/changed.safetensors" $fault $tensor || exit 1
    if [ "$said" = ok ]; then # a square matrix keeps its shape
        tide_ok info "$scratch/changed.safetensors" >/dev/null
        continue
    fi
    for command in "translate" "info" "score --src $scratch/zh --tgt $scratch/en"; do
        refuses "changed.safetensors: $said" "$tide" ${command%% *} "$scratch/changed.safetensors" $(echo "$command" | cut -s -d ' ' -f 2-)
    done
    for file in checkpoint checkpoint.prev; do
        rm -rf "$scratch/again"
        cp -r "$run" "$scratch/again"
        rm "$scratch"/again/checkpoint*
        weights change "$run/$file.safetensors" "$scratch/again/$file.safetensors" $fault $tensor || exit 1
        refuses "$file.safetensors: $said" "$tide" train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" \
            --config "$scratch/smallest.conf" --model "$scratch/again" --after-batches 36
    done
done || exit 1
run=$scratch/searched-int8
faults='missing:attention.Wa.scale:tensor .attention.Wa. of int8 has no scale for its rows or columns
shape:attention.Wa.scale:tensor .attention.Wa. of int8 has no scale for its rows or columns
missing:attention.Wa:tensor attention.Wa is missing'
echo "$faults" | while IFS=: read -r fault tensor said; do
    weights change "$run/model.safetensors" "$scratch/changed.safetensors" $fault $tensor || exit 1
    refuses "changed.safetensors: $said" "$tide" info "$scratch/changed.safetensors"
done || exit 1
# a training that starts from them has the floats that they stand for
"$tide" train --tsv "$scratch/train.tsv" --config "$scratch/smallest.conf" --model "$scratch/from-int8" --pretrained-model "$run" \
    --learn-rate 0 --after-batches 1 2>"$scratch/stderr" || die "$(cat "$scratch/stderr")"
grep -q 'the training starts from the floats' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
tide_ok info "$scratch/from-int8" | grep -q int8 && die 'a training with weights of 8 bits'
tide_ok quantize "$scratch/from-int8" "$scratch/int8-again" >/dev/null
same_numbers "$run/model.safetensors" "$scratch/int8-again/model.safetensors" || die 'other weights than those of 8 bits'
refuses 'is the model itself' "$tide" quantize "$run" "$run"
run=$scratch/searched
for fault in missing:optimizer.moment1 shape:optimizer.moment2 extra:optimizer.moment3; do
    weights change "$run/checkpoint.safetensors" "$scratch/again/checkpoint.safetensors" ${fault%%:*} ${fault#*:} || exit 1
    rm -f "$scratch/again/checkpoint.prev.safetensors"
    refuses "checkpoint.safetensors: tensor ${fault#*:} " "$tide" train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" \
        --config "$scratch/smallest.conf" --model "$scratch/again" --after-batches 36
done
