#!/bin/sh
# A training continues with a changed option only if --allow-change names the option, and reports the change.
. "$(dirname "$0")/../lib/common.inc"
refuses() {
    status=$1 reason=$2
    shift 2
    "$tide" train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --config "$scratch/smallest.conf" "$@" 2>"$scratch/stderr"
    got=$?
    [ $got = "$status" ] || die "$*: exit $got"
    grep -q "^tide: $reason" "$scratch/stderr" || die "$*: printed $(cat "$scratch/stderr")"
}
smallest_run "$scratch/first" --after-batches 12
goes_on() {
    dir=$1 updates=$2
    shift 2
    [ -e "$dir" ] || cp -r "$scratch/first" "$dir"
    smallest_run "$dir" --after-batches "$updates" "$@"
}

goes_on "$scratch/same" 24
refuses 1 "$scratch/first: holds a training with learn-rate = 0.01, not 0.003; .* or --allow-change learn-rate$" \
    --model "$scratch/first" --learn-rate 0.003 --after-batches 24
refuses 1 ".*dropout-emb" --model "$scratch/first" --learn-rate 0.003 --dropout-emb 0.5 --allow-change learn-rate

for change in 'learn-rate 0.003' 'dropout-emb 0.5' 'label-smoothing 0' 'clip-norm 0.1'; do
    option=${change% *} to=${change#* }
    goes_on "$scratch/$option" 24 "--$option" "$to" --allow-change "$option"
    grep -q "^$option is now $to; before, it was " "$scratch/stderr" || die "$change: $(cat "$scratch/stderr")"
    grep -q "^{\"update\": 12, \"changed\": \"$option\", \"from\": \".*\", \"to\": \"$to\"}$" "$scratch/$option/train.jsonl" ||
        die "$change is not in the log"
    same_numbers "$scratch/$option/checkpoint.safetensors" "$scratch/same/checkpoint.safetensors" && die "$change changed nothing"
    grep -q "\"changed\": *\"$option\"" "$scratch/$option/report.html" || die "$change is not in the report"
done

# a stop does not change the result, and a changed option stays changed afterwards
goes_on "$scratch/stopped" 17 --learn-rate 0.003 --allow-change learn-rate
goes_on "$scratch/stopped" 24 --learn-rate 0.003
same "$scratch/learn-rate" "$scratch/stopped" "a stop"
refuses 1 "$scratch/stopped: holds a training with learn-rate = 0.003, not 0.01" --model "$scratch/stopped"

# memory is reserved for the new dropout rate, not for that of the checkpoint
wide() { # DIR UPDATES RATE FLAGS: prints the line about memory
    dir=$1 updates=$2 rate=$3
    shift 3
    smallest_run "$dir" --dim-emb 200 --mini-batch 64 --after-batches "$updates" --dropout-emb "$rate" "$@"
    grep '^memory: ' "$scratch/stderr"
}
without=$(wide "$scratch/wide" 1 0)
with=$(wide "$scratch/new" 1 0.3)
[ "$with" != "$without" ] || die "dropout takes no memory: $with"
now=$(wide "$scratch/wide" 2 0.3 --allow-change dropout-emb)
[ "$now" = "$with" ] || die "memory for dropout that was changed: $now, not $with"

# with another dev set, its first validation counts as the best; without a dev set, the best model is kept
on_dev() { # DIR UPDATES FLAGS
    dir=$1 updates=$2
    shift 2
    cp -r "$scratch/first" "$dir"
    tide_ok train --tsv "$scratch/train.tsv" --config "$scratch/smallest.conf" --model "$dir" --after-batches "$updates" "$@"
}
tail -n 12 corpus/dev.tsv >"$scratch/other.tsv"
on_dev "$scratch/other" 24 --valid-tsv "$scratch/other.tsv"
grep -q "^the dev set has changed: .*, of update 12$" "$scratch/stderr" || die "another dev set: $(cat "$scratch/stderr")"
grep -qx '{"update": 12, "changed": "dev set"}' "$scratch/other/train.jsonl" || die "another dev set is not in the log"
grep -q '"update": 24, .*"best": true' "$scratch/other/train.jsonl" || die "compared with another dev set's BLEU"
tide_ok train --tsv "$scratch/train.tsv" --config "$scratch/smallest.conf" --model "$scratch/other" --after-batches 36 \
    --valid-tsv "$scratch/other.tsv"
grep -q 'the dev set has changed' "$scratch/stderr" && die "the same dev set counts as another"
on_dev "$scratch/between" 13 --valid-tsv "$scratch/other.tsv" # validates at the end
same_numbers "$scratch/between/model.safetensors" "$scratch/first/model.safetensors" && die "another dev set chose no other model"
cp -r "$scratch/first" "$scratch/early" # this training stops before a validation
"$tide" train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/other.tsv" --config "$scratch/smallest.conf" --valid-freq 1000000 \
    --model "$scratch/early" 2>/dev/null &
process=$!
comes_to_hold has_lines "$scratch/early" 8 || die "it does not train: $(cat "$scratch/early/train.jsonl")"
kill -INT $process || die "the training without an end ended"
ended=0
wait $process || ended=$?
[ $ended -eq 130 ] || die "the stopped training exits $ended"
cmp "$scratch/early/model.safetensors" "$scratch/first/model.safetensors" || die "the best model was replaced before another was chosen"
on_dev "$scratch/no-dev" 24
cmp -s "$scratch/no-dev/model.safetensors" "$scratch/first/model.safetensors" || die "without a dev set the best model was replaced"
grep -q "^the model is that of update 12, which had the best BLEU$" "$scratch/stderr" || die "without a dev set: $(cat "$scratch/stderr")"

refuses 2 "--allow-change: dim-rnn can never change when a training is continued" --model "$scratch/first" --allow-change dim-rnn
refuses 2 "--allow-change: there is no option 'learning-rate'" --model "$scratch/first" --allow-change learning-rate

# A model without checkpoints is not overwritten; --no-reload starts a new training and keeps the old model.
cp -r "$scratch/first" "$scratch/alone"
rm "$scratch/alone"/checkpoint*.safetensors
cp "$scratch/alone/model.safetensors" "$scratch/old.safetensors"
cp "$scratch/alone/train.jsonl" "$scratch/old.jsonl"
refuses 1 "$scratch/alone: holds a model, but no checkpoint to continue from; .*--no-reload" \
    --model "$scratch/alone" --after-batches 24
cmp "$scratch/alone/model.safetensors" "$scratch/old.safetensors" || die "a model without checkpoints was overwritten"
cmp "$scratch/alone/train.jsonl" "$scratch/old.jsonl" || die "the log of a model without checkpoints was cut"
smallest_run "$scratch/alone" --after-batches 24 --no-reload
cmp "$scratch/alone/model.prev.safetensors" "$scratch/old.safetensors" || die "--no-reload lost the old model"
same "$scratch/alone" "$scratch/same" "trained anew"
smallest_run "$scratch/same" --after-batches 12 --no-reload
same "$scratch/same" "$scratch/first" "trained anew in spite of a checkpoint"

# Stopped and started anew: the oldest model is kept; without --no-reload, the training continues from the stop.
cp -r "$scratch/first" "$scratch/anew"
for round in 1 2; do
    : >"$scratch/stderr" # the wait below must not find the line of the round before
    "$tide" train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --config "$scratch/smallest.conf" --after-batches 1000000 \
        --valid-freq 1000000 --no-reload --model "$scratch/anew" 2>"$scratch/stderr" &
    process=$!
    comes_to_hold grep -q 'pairs to train on' "$scratch/stderr" || die "it does not train: $(cat "$scratch/stderr")"
    kill -INT $process
    ended=0
    wait $process || ended=$?
    [ $ended -eq 130 ] || die "the stopped training exits $ended"
    grep -q '^stopped after update [0-9]*; the same command without --no-reload continues from there$' "$scratch/stderr" ||
        die "a stop after --no-reload: $(cat "$scratch/stderr")"
    cmp "$scratch/anew/model.prev.safetensors" "$scratch/first/model.safetensors" || die "round $round lost the oldest model"
done
grep -q 'model.prev.safetensors stays; the newer model.safetensors was removed' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
updates=$(sed -n 's/^stopped after update \([0-9]*\);.*/\1/p' "$scratch/stderr")
smallest_run "$scratch/anew" --after-batches $((updates + 1))
grep -qx "resuming from update $updates" "$scratch/stderr" || die "the stopped training does not continue: $(cat "$scratch/stderr")"
rm "$scratch/anew"/checkpoint*.safetensors
refuses 1 "$scratch/anew: holds a model, but no checkpoint to continue from; use another --model, or --no-reload, which trains anew$" \
    --model "$scratch/anew" --after-batches 24

# If the new training cannot start, the old one is not changed.
cp -r "$scratch/first" "$scratch/kept"
refuses 1 '.*missing' --model "$scratch/kept" --no-reload --guided-alignment "$scratch/missing"
same "$scratch/first" "$scratch/kept" "a training that could not begin"

# A training that starts from another model: with a tiny learning rate it still gives the translations of that model, although
# the text is another one; it continues with the same bits; another architecture is refused.
tail -n 200 corpus/train.tsv >"$scratch/other.tsv"
further() { # DIR [flag ...]
    dir=$1
    shift
    tide_ok train --pretrained-model "$scratch/base" --tsv "$scratch/other.tsv" --valid-tsv "$scratch/dev.tsv" --model "$dir" "$@"
}
smallest_run "$scratch/base" --after-batches 60
cut -f2 "$scratch/dev.tsv" >"$scratch/dev.zh"
printf 'bpe-merges = 7 7\ninit = bahdanau\n' >"$scratch/other.conf"
tide_ok translate "$scratch/base" <"$scratch/dev.zh" >"$scratch/a"
further "$scratch/still" --after-batches 3 --learn-rate 1e-9
tide_ok translate "$scratch/still" <"$scratch/dev.zh" | cmp - "$scratch/a" || die "the weights are not those of the model"
further "$scratch/straight" --after-batches 9
further "$scratch/halted" --after-batches 4
further "$scratch/halted" --after-batches 9
same "$scratch/straight" "$scratch/halted" "a training from another model"
same_numbers "$scratch/straight/model.safetensors" "$scratch/base/model.safetensors" && die "nothing was learned"
refused 1 'has dim-emb = 12, not 10: ' train --pretrained-model "$scratch/base" --dim-emb 10 --tsv "$scratch/other.tsv" --model "$scratch/none"
# the pieces and weights of the model stay, whatever a preset says; flags that say something else are refused
further "$scratch/preset" --config "$scratch/other.conf" --after-batches 1
tide_ok info "$scratch/preset" | grep '^bpe-merges\|^init' >"$scratch/a" || die "no options of the pieces"
tide_ok info "$scratch/base" | grep '^bpe-merges\|^init' | cmp - "$scratch/a" || die "options of the pieces: $(cat "$scratch/a")"
refused 2 '^tide: --bpe-merges 1 1: the pretrained model has [0-9]* [0-9]*, and its pieces' train --pretrained-model "$scratch/base" \
    --bpe-merges 1 1 --tsv "$scratch/other.tsv" --model "$scratch/none"
refused 1 'none/model.safetensors\|none: ' train --pretrained-model "$scratch/none" --tsv "$scratch/other.tsv" --model "$scratch/new"
exit 0
