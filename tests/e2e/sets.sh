#!/bin/sh
# Several training sets: weights and tags. The same bits after a stop, with shards, and for any number of threads.
. "$(dirname "$0")/../lib/common.inc"
head -n 100 "$scratch/train.tsv" >"$scratch/a.tsv"
tail -n 200 "$scratch/train.tsv" >"$scratch/b.tsv"
for side in 1en 2zh; do
    cut -f"${side%??}" "$scratch/b.tsv" >"$scratch/b.${side#?}"
    cut -f"${side%??}" "$scratch/dev.tsv" >"$scratch/dev.${side#?}"
done
sets() { # DIR [flag ...]
    dir=$1
    shift
    tide_ok train --valid-tsv "$scratch/dev.tsv" --config "$scratch/smallest.conf" --model "$dir" "$@"
}

# Two sets without weights and tags are the set of both.
sets "$scratch/one" --tsv "$scratch/train.tsv" --after-batches 24
sets "$scratch/two" --tsv "$scratch/a.tsv" --train-sets "$scratch/b.zh" "$scratch/b.en" --after-batches 24
same_numbers "$scratch/one/model.safetensors" "$scratch/two/model.safetensors" || die "two sets are not the set of both"
grep -q 'a.tsv: 100 pairs, weight 1$' "$scratch/stderr" || die "the sets are not listed: $(cat "$scratch/stderr")"

# Weights: an epoch has 2 x 100 + 0.25 x 200 pairs, in 16 batches; a stop changes nothing.
two="--tsv $scratch/a.tsv --train-sets $scratch/b.zh $scratch/b.en --train-set-weights 2 0.25 --train-set-tags - news"
# shellcheck disable=SC2086 # $two is a list
{
    sets "$scratch/weights" $two --after-batches 40 --threads 2
    sets "$scratch/halted" $two --after-batches 19
    sets "$scratch/halted" $two --after-batches 40
    sets "$scratch/epoch" $two --after-epochs 1
    same "$scratch/weights" "$scratch/halted" "a stop"
}
grep -q '"training_set": 2, "pairs": 200, "weight": 0.25, "distillation": 0}' "$scratch/weights/train.jsonl" || die "the sets are not in the log"
[ -s "$scratch/weights/report.html" ] || die "no report"
grep -q 'b.zh: 200 pairs, weight 0.25, tag news$' "$scratch/stderr" || die "no tag: $(cat "$scratch/stderr")"
sed -n 's/.*"update": \([0-9]*\),.*/\1/p' "$scratch/epoch/train.jsonl" | tail -n 1 | grep -qx 16 || die "an epoch of another size"
same_numbers "$scratch/one/model.safetensors" "$scratch/weights/model.safetensors" && die "weights change nothing"
refused 1 'is not the data that .* was trained on' train --config "$scratch/smallest.conf" --model "$scratch/weights" \
    --tsv "$scratch/a.tsv" --train-sets "$scratch/b.zh" "$scratch/b.en" --train-set-weights 2 0.5 --train-set-tags - news

# A tag changes probabilities; no text can give it.
score() { tide_ok score "$scratch/weights" --src "$scratch/dev.zh" --tgt "$scratch/dev.en" "$@"; }
score >"$scratch/plain"
score --tag news >"$scratch/tagged"
cmp -s "$scratch/plain" "$scratch/tagged" && die "a tag changes nothing"
tide_ok translate "$scratch/weights" --tag news <"$scratch/dev.zh" >"$scratch/found"
tide_ok evaluate "$scratch/weights" --tag news --src "$scratch/dev.zh" --ref "$scratch/dev.en" --output "$scratch/evaluated" >/dev/null
cmp "$scratch/found" "$scratch/evaluated" || die "evaluate does not know the tag"
# with a tag, too, the difference of a model and itself is nothing
tide_ok align "$scratch/weights" --minus "$scratch/weights" --tag news --src "$scratch/dev.zh" --tgt "$scratch/dev.en" --format json |
    sed 's/.*"matrix"://' >"$scratch/nothing"
grep -q 0 "$scratch/nothing" && grep -q '[1-9]' "$scratch/nothing" && die "--minus with a tag: $(head -n 1 "$scratch/nothing")"
refused 1 "has no tag 'sport'" translate "$scratch/weights" --tag sport
refused 1 "has no tag ' news'" translate "$scratch/weights" --tag ' news'
refused 1 "has no tag '</s>'" translate "$scratch/weights" --tag '</s>'

# In shards, with another number of threads
# shellcheck disable=SC2086
for threads in 1 3; do sets "$scratch/shards$threads" $two --shards 4 --after-batches 20 --threads $threads; done
same "$scratch/shards1" "$scratch/shards3" "threads"

# Noise: the same bits after a stop, with shards, and for any number of threads; none in a set that is off.
noise="--noise-drop 0.1 --noise-blank 0.1 --noise-swap 3"
# shellcheck disable=SC2086
{
    sets "$scratch/noise" $two $noise --after-batches 24 --threads 2
    sets "$scratch/noise2" $two $noise --after-batches 7 --threads 1
    sets "$scratch/noise2" $two $noise --after-batches 24
    same "$scratch/noise" "$scratch/noise2" "a stop, with noise"
    sets "$scratch/off" $two $noise --train-set-noise off off --after-batches 24
    sets "$scratch/half" $two $noise --train-set-noise off on --after-batches 24
    sets "$scratch/none" $two --after-batches 24
    for threads in 1 3; do sets "$scratch/loud$threads" $two $noise --shards 4 --after-batches 20 --threads $threads; done
}
same "$scratch/loud1" "$scratch/loud3" "threads, with noise"
refused 1 'is not the data that .* was trained on' train --config "$scratch/smallest.conf" --model "$scratch/half" \
    --tsv "$scratch/a.tsv" --train-sets "$scratch/b.zh" "$scratch/b.en" --train-set-weights 2 0.25 --train-set-tags - news \
    --noise-drop 0.1 --noise-blank 0.1 --noise-swap 3
weights() { tail -c 2000 "$scratch/$1/model.safetensors"; }
weights off >"$scratch/weights.off"
weights none | cmp - "$scratch/weights.off" || die "noise in sets that are off"
for run in noise half; do weights $run | cmp -s - "$scratch/weights.off" && die "no noise: $run"; done
weights noise >"$scratch/weights.noise"
weights half | cmp -s - "$scratch/weights.noise" && die "noise in a set that is off"
same_numbers "$scratch/loud1/model.safetensors" "$scratch/shards1/model.safetensors" && die "no noise in shards"

# Distillation: the same bits after a stop, with shards, and for any number of threads. The gradient of a model whose targets are
# its own probabilities is zero; if they are those of one set only, the other one has a gradient.
# shellcheck disable=SC2086 # lists
{
    taught() { # DIR DISTILLATION DISTILLATION [flag ...]
        dir=$1 first=$2 second=$3
        shift 3
        sets "$dir" $two --pretrained-model "$scratch/${teacher:-weights}" --train-set-distillation "$first" "$second" "$@"
    }
    taught "$scratch/taught" 0 0.75 $noise --after-batches 24 --threads 2
    grep -q 'b.zh: 200 pairs, weight 0.25, tag news, distillation 0.75$' "$scratch/stderr" || die "no distillation: $(cat "$scratch/stderr")"
    taught "$scratch/taught2" 0 0.75 $noise --after-batches 7 --threads 1
    taught "$scratch/taught2" 0 0.75 $noise --after-batches 24
    same "$scratch/taught" "$scratch/taught2" "a stop, with distillation"
    for threads in 1 3; do
        taught "$scratch/lesson$threads" 0.5 1 $noise --shards 4 --precision bfloat16 --after-batches 20 --threads $threads
    done
    same "$scratch/lesson1" "$scratch/lesson3" "threads, with distillation"
    # a share of the pretrained model changes only what is written
    for average in 0.1 0; do
        end="$noise --exponential-smoothing $average --valid-freq 100"
        taught "$scratch/unmixed" 0 0.75 $end --after-batches 24
        taught "$scratch/mixed" 0 0.75 $end --pretrained-share 0.25 --after-batches 7
        taught "$scratch/mixed" 0 0.75 $end --pretrained-share 0.25 --after-batches 24
        python3 tests/e2e/weights.py mean "$scratch/mixed/model.safetensors" "$scratch/unmixed/model.safetensors" \
            "$scratch/weights/model.safetensors" 0.25 || die "average $average: not the mean with a quarter of the pretrained model"
        [ "$average" = 0 ] || rm -r "$scratch/unmixed" "$scratch/mixed"
    done
    taught "$scratch/untaught" 0 0 --pretrained-share 0.25 --after-batches 2
    refused 1 'one: is not the model with which this training began$' train --config "$scratch/smallest.conf" \
        --model "$scratch/untaught" $two --pretrained-model "$scratch/one" --train-set-distillation 0 0 --pretrained-share 0.25
    refused 2 'pretrained-share needs --pretrained-model' train --config "$scratch/smallest.conf" --model "$scratch/alone" $two \
        --pretrained-share 0.25
    norms() { # DISTILLATION DISTILLATION [flag ...]: the largest norm of the gradient
        rm -rf "$scratch/gradients"
        taught "$scratch/gradients" "$@" --after-batches 16 --disp-freq 1 --learn-rate 1e-9 --exponential-smoothing 0 \
            --dropout-emb 0 --dropout-annotation 0 --dropout-readout 0
        sed -n 's/.*"gnorm": \([0-9.]*\),.*/\1/p' "$scratch/gradients/train.jsonl" | sort -g | tail -n 1
    }
    # with tied embeddings, the gradient of the output layer waits for that of the words
    tied='--tied-embeddings on --dim-maxout 12'
    sets "$scratch/tied" $two $tied --after-batches 20
    for parts in '--shards 1' '--shards 4' '--shards 1 --workspace 1' "--shards 4 $tied"; do
        case $parts in *$tied) teacher=tied ;; esac
        norm=$(norms 1 1 $parts)
        awk "BEGIN { exit !($norm < 1e-4) }" || die "$parts: the gradient of what the model knows has the norm $norm"
        norm=$(norms 1 0 $parts)
        awk "BEGIN { exit !($norm > 0.1) }" || die "$parts: the gradient of the other set has the norm $norm"
    done
    refused 1 'one: is not the model with which this training began, its teacher' train --config "$scratch/smallest.conf" \
        --model "$scratch/taught" $two $noise --pretrained-model "$scratch/one" --train-set-distillation 0 0.75
    refused 1 'is not the data that .* was trained on' train --config "$scratch/smallest.conf" --model "$scratch/taught" $two $noise \
        --pretrained-model "$scratch/weights" --train-set-distillation 0 0.5
}

train() { # STATUS REASON [flag ...]
    status=$1 reason=$2
    shift 2
    refused "$status" "$reason" train --config "$scratch/smallest.conf" --model "$scratch/none" --tsv "$scratch/a.tsv" --tsv "$scratch/b.tsv" "$@"
}
train 2 'train-set-weights needs one value for each of 2' --train-set-weights 1
train 2 'train-set-tags needs one value for each of 2' --train-set-tags a b c
train 2 'train-set-weights must be between' --train-set-weights 1 0
refused 1 'train-set-weights leave no sentence pair in an epoch' train --config "$scratch/smallest.conf" --model "$scratch/new" \
    --tsv "$scratch/a.tsv" --train-set-weights 0.001
{ head -n 1 "$scratch/b.tsv"; for side in sea 海; do printf " $side%.0s" $(seq 300); done | sed 's/ 海/\t海/'; echo; } >"$scratch/long.tsv"
refused 1 'long.tsv:2: the pair of 600 and 301 pieces needs a --workspace of at least' train --config "$scratch/smallest.conf" \
    --model "$scratch/new" --tsv "$scratch/a.tsv" --tsv "$scratch/long.tsv" --max-length 0 --workspace 1
train 2 "cannot be a tag" --train-set-tags - 'a b'
train 2 'train-set-noise needs one value for each of 2' --train-set-noise on
train 2 "train-set-noise is on or off, not 'yes'" --train-set-noise on yes
train 2 'train-set-distillation needs one value for each of 2' --train-set-distillation 1
train 2 'train-set-distillation must be between 0 and 1' --train-set-distillation 0 2
train 2 'train-set-distillation needs --pretrained-model, the teacher' --train-set-distillation 0 1
refused 1 'has the places of pieces' train --config "$scratch/smallest.conf" --model "$scratch/new" --tsv "$scratch/a.tsv" \
    --noise-drop 0.1 --guided-alignment "$scratch/links"
train 1 'guided-alignment needs a single training set' --guided-alignment "$scratch/links"
