#!/bin/sh
# --shards: the same bits for any number of threads, instruction set and --workspace, with and without a stop.
. "$(dirname "$0")/../lib/common.inc"

run() { # DIR [flag ...]
    dir=$1
    shift
    smallest_run "$dir" --mini-batch 100 --after-batches "${updates:-14}" "$@"
}

# The values of all tensors; the header before them holds the configuration.
values_of() { tail -c +$((9 + $(od -An -tu8 -N8 "$1/checkpoint.safetensors"))) "$1/checkpoint.safetensors"; }

run "$scratch/one" --shards 8 --threads 1
run "$scratch/t3" --shards 8 --threads 3
same "$scratch/one" "$scratch/t3" "3 threads"
for isa in avx2 neon portable; do
    has_isa "$scratch/one" $isa || continue
    run "$scratch/$isa" --shards 8 --threads 2 --isa $isa
    same "$scratch/one" "$scratch/$isa" "$isa"
done
updates=6 run "$scratch/parts" --shards 8 --threads 2
run "$scratch/parts" --shards 8 --threads 1
same "$scratch/one" "$scratch/parts" "stopped and resumed"

# With little memory, a batch goes through the network in parts of several shards, with the same bits.
check_workspace() { # NAME MiB ... -- [flag ...]
    name=$1 sizes=''
    shift
    while [ "$1" != -- ]; do sizes="$sizes $1" && shift; done
    shift
    updates=5 run "$scratch/$name" --shards 8 "$@"
    values_of "$scratch/$name" >"$scratch/values"
    for size in $sizes; do
        updates=5 run "$scratch/$name-$size" --shards 8 --workspace "$size" "$@"
        grep -q ", $size MiB for a batch" "$scratch/stderr" || die "$name: --workspace $size divides no batch"
        values_of "$scratch/$name-$size" | cmp - "$scratch/values" || die "$name: --workspace $size changes the weights"
    done
}
check_workspace paper 2 4 8 -- --optimizer adadelta --learn-rate 1
check_workspace deep 5 -- --encoder deep-bigru --attention multi-head --heads 2
check_workspace transformer 20 40 -- --arch transformer --heads 2 --tied-embeddings on --optimizer sgd

# Another number of shards rounds differently, but hardly changes the loss.
run "$scratch/whole" --threads 2
same_numbers "$scratch/one/model.safetensors" "$scratch/whole/model.safetensors" && die "--shards 8 has no effect"
loss_of() { sed -n '1s/.*"loss": \([0-9.]*\).*/\1/p' "$1/train.jsonl"; }
awk "BEGIN { d = $(loss_of "$scratch/one") - $(loss_of "$scratch/whole"); exit !(d < 0.001 && d > -0.001) }" ||
    die "--shards changes the loss"

refused 2 'shards' train --tsv "$scratch/train.tsv" --model "$scratch/none" --shards 65
refused 1 'shards 6 is not a power of two' train --tsv "$scratch/train.tsv" --model "$scratch/none" --shards 6
refused 1 'holds a training with shards = 8' train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" \
    --config "$scratch/smallest.conf" --mini-batch 100 --model "$scratch/one" --shards 4
