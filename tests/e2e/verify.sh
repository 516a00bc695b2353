#!/bin/sh
# tide verify: the same bits with any instruction set and number of threads, after a kill and a change of options; what differs
# is named. tide info --recipe prints commands that give the same bits.
# shellcheck disable=SC2086 # $texts is several words
. "$(dirname "$0")/../lib/common.inc"

run=$scratch/run
cut -f1 "$scratch/train.tsv" >"$scratch/train.en"
cut -f2 "$scratch/train.tsv" >"$scratch/train.zh"
texts="--train-sets $scratch/train.zh $scratch/train.en"
smallest_run "$run" --shards 4 --precision bfloat16 --after-batches 40 --save-freq 0
smallest_run "$run" --shards 4 --precision bfloat16 --after-batches 70 --save-freq 0 --learn-rate 0.004 --allow-change learn-rate
cp "$run/model.safetensors" "$scratch/before"
verified() { # MODEL FLAG...: the links of the chain
    tide_ok verify "$@" --quiet >"$scratch/out"
    grep -q ': verified: 70 updates give the same bits; SHA-256 of its weights: ' "$scratch/out" || die "$*: $(cat "$scratch/out")"
    [ ! -e "$1.verify" ] || die "$*: the working folder stays"
}

for isa in avx512 avx2 neon portable; do
    has_isa "$run" $isa || continue
    verified "$run" $texts --isa $isa --threads 3
done
verified "$run/" --tsv "$scratch/train.tsv" --threads 1 # the texts count, not their files
[ "$(grep -c 'the same bits$' "$scratch/out")" = 4 ] || die "$(cat "$scratch/out")"
cmp "$run/model.safetensors" "$scratch/before" || die "the model has changed"
tide_ok verify "$run" --tsv "$scratch/train.tsv" --updates 19 --quiet >"$scratch/out"
grep -q 'run: 19 of 70 updates have the same bits' "$scratch/out" || die "$(cat "$scratch/out")"

# A kill; the same command continues. A folder of something else is not used.
smallest_run "$scratch/long" --after-batches 600 --valid-freq 1000 --save-freq 0
"$tide" verify "$scratch/long" --tsv "$scratch/train.tsv" --work "$scratch/second" >"$scratch/out" 2>&1 &
process=$!
reached() { grep -q "update $1: the same bits" "$scratch/out"; }
comes_to_hold reached 513 || die "no progress: $(cat "$scratch/out")"
kill -KILL $process && wait $process
[ -e "$scratch/second/checkpoint.safetensors" ] || die "a kill leaves no checkpoint"
refused 1 'second: holds the verification of another model' verify "$run" --tsv "$scratch/train.tsv" --work "$scratch/second"
"$tide" verify "$scratch/long" --tsv "$scratch/train.tsv" --work "$scratch/second" >"$scratch/out" 2>"$scratch/stderr" ||
    die "after a kill: $(cat "$scratch/stderr")"
grep -q 'resuming from update' "$scratch/stderr" || die "after a kill, it begins again: $(cat "$scratch/stderr")"
grep -q ': verified: 600 updates' "$scratch/out" || die "after a kill: $(cat "$scratch/out")"
refused 1 'run: holds a training; give another --work' verify "$scratch/long" --tsv "$scratch/train.tsv" --work "$run"

# Ctrl-C
if native 'a signal'; then
    : >"$scratch/out" # the wait below must not find a line of the command before
    "$tide" verify "$scratch/long" --tsv "$scratch/train.tsv" >"$scratch/out" 2>"$scratch/stderr" &
    process=$!
    comes_to_hold reached 57 || die "no progress: $(cat "$scratch/out")"
    kill -TERM $process
    wait $process
    [ $? = 143 ] || die "a signal: $(cat "$scratch/stderr")"
    [ -e "$scratch/long.verify/checkpoint.safetensors" ] || die "a signal leaves no checkpoint"
    grep -q 'verified' "$scratch/out" && die "a signal: $(cat "$scratch/out")"
fi

# Other texts are refused before anything is trained.
sed '7s/.$/!/' "$scratch/train.en" >"$scratch/changed.en"
sed '7{h;d};8{G}' "$scratch/train.zh" >"$scratch/exchanged.zh"
refused 1 "changed.en: the target text is not that of train.tsv, on which the model was trained: 300 pairs with SHA-256 \
$(sha256sum <"$scratch/changed.en" | cut -c1-64), not 300 with $(sha256sum <"$scratch/train.en" | cut -c1-64)" \
    verify "$run" --train-sets "$scratch/train.zh" "$scratch/changed.en"
refused 1 'exchanged.zh: the source text is not' verify "$run" --train-sets "$scratch/exchanged.zh" "$scratch/train.en"
refused 1 'run: was trained on 1 corpora, not 2' verify "$run" --tsv "$scratch/train.tsv" --tsv "$scratch/train.tsv"
refused 1 'run: was trained on 1 corpora, not 0' verify "$run"
refused 1 'run: was not made from another model; --parent is wrong' verify "$run" --tsv "$scratch/train.tsv" --parent "$run"
refused 1 'run: was trained without --guided-alignment' verify "$run" --tsv "$scratch/train.tsv" --guided-alignment "$scratch/dev.tsv"
refused 2 'verify needs one MODEL' verify
refused 1 'none: ' verify "$scratch/none"

# Models that were made of others.
rm -r "$run.verify"
tide_ok quantize "$run" "$scratch/int8" >/dev/null
tide_ok tune "$run" --output "$scratch/tuned" --tsv "$scratch/dev.tsv" --beam-sizes 2 >/dev/null
for copy in int8 tuned; do
    tide_ok verify "$scratch/$copy" --parent "$run" | grep -q ": verified: the same bits as a copy of $run" || die $copy
    refused 1 'was made from another model; give it with --parent' verify "$scratch/$copy"
    refused 1 'long/model.safetensors: is not the model from which it was made: its SHA-256 is' verify "$scratch/$copy" \
        --parent "$scratch/long"
    refused 1 'was trained on 0 corpora: it is a copy of another model, not 1' verify "$scratch/$copy" --parent "$run" \
        --tsv "$scratch/train.tsv"
done

# Fine-tuning, guided attention, several corpora with weights, tags and teachers.
sed 's/.*/0-0/' "$scratch/train.tsv" >"$scratch/links"
tide_ok train --pretrained-model "$run" $texts --guided-alignment "$scratch/links" --model "$scratch/tuned-on" --after-batches 25 \
    --train-set-teachers "$scratch/long" --quiet
tide_ok verify "$scratch/tuned-on" $texts --parent "$run" --guided-alignment "$scratch/links" --quiet |
    grep -q 'verified: 25 updates' || die "fine-tuning"
refused 1 'dev.tsv: is not the file of --guided-alignment' verify "$scratch/tuned-on" $texts --parent "$run" \
    --guided-alignment "$scratch/dev.tsv"
tide_ok train --pretrained-model "$run" $texts --guided-alignment "$scratch/links" --model "$scratch/taught" --after-batches 25 \
    --train-set-distillation 0.5 --pretrained-share 0.2 --quiet
tide_ok verify "$scratch/taught" $texts --parent "$run" --guided-alignment "$scratch/links" --quiet | grep -q 'verified: 25 updates' || die "distillation"
tide_ok info --recipe "$scratch/taught" >"$scratch/recipe"
grep -q '300 pairs, distillation 0.5$' "$scratch/recipe" && grep -q ' --train-set-distillation 0.5 ' "$scratch/recipe" ||
    die "distillation: $(cat "$scratch/recipe")"
smallest_run "$scratch/two" --tsv "$scratch/dev.tsv" --train-set-weights 0.5 3 --train-set-tags - "it's" --train-set-noise off on \
    --noise-drop 0.1 --after-batches 30 --save-freq 0
tide_ok verify "$scratch/two" --tsv "$scratch/train.tsv" --tsv "$scratch/dev.tsv" --quiet | grep -q 'verified: 30 updates' ||
    die "two corpora"

# The commands that a recipe prints, with the missing paths; the tokenizers of "back" are not those of its languages.
smallest_run "$scratch/back" --langs en zh --tokenizer char bpe --after-batches 3
smallest_run "$scratch/usual" --langs en zh --after-batches 3
for model in run two back usual; do
    tide_ok info --recipe "$scratch/$model" >"$scratch/recipe"
    sed -n 's/^  tide train //p' "$scratch/recipe" | sed "s|PATH|$scratch|g; s|DIR|$scratch/again|" >"$scratch/commands"
    [ -s "$scratch/commands" ] || die "no command: $(cat "$scratch/recipe")"
    while read -r words; do eval "tide_ok train $words --quiet"; done <"$scratch/commands"
    weights() { sed -n 's/^weights: SHA-256 \([0-9a-f]*\), after .*/\1/p'; }
    sum=$(weights <"$scratch/recipe")
    [ ${#sum} = 64 ] && [ "$(tide_ok info --recipe "$scratch/again" | weights)" = "$sum" ] || die "$model: other weights"
    rm -r "$scratch/again"
    eval "$(sed -n 's/^  tide verify/tide_ok verify/p' "$scratch/recipe" | sed "s|PATH|$scratch|g") --quiet" >"$scratch/out"
    grep -q ': verified:' "$scratch/out" || die "$model: $(cat "$scratch/out")"
done
tide_ok info --recipe "$scratch/tuned-on" | grep -q "^  translated by: a model with SHA-256 \
$(sha256sum <"$scratch/long/model.safetensors" | cut -c1-64)" || die "no teacher"
tide_ok info --recipe "$scratch/int8" >"$scratch/recipe"
[ "$(grep -c '^made by: tide ' "$scratch/recipe")" = 2 ] && grep -q '^update 57: ' "$scratch/recipe" || die "no recipe of a parent"
tide_ok info --recipe --format json "$run" | grep -q '^{"recipe": 1, "made": "train", "tide": "' || die "no JSON"
refused 2 'format json needs --recipe' info "$run" --format json
