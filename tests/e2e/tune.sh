#!/bin/sh
# tide tune writes a model with the best search options.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/translator.inc

# tune: writes a model whose search has the options that it printed
tide_ok tune "$scratch/run" --src "$scratch/dev.zh" --ref "$scratch/dev.en" --output "$scratch/tuned" --beam-sizes 2 3 >"$scratch/choice"
chosen=$(sed -n 's/^.*tuned.model.safetensors: \(--beam-size [^,]*\), BLEU .*/\1/p' "$scratch/choice")
# shellcheck disable=SC2086 # flags and values
tide_ok translate "$scratch/run" $chosen <"$scratch/dev.zh" >"$scratch/a"
tide_ok translate "$scratch/tuned" <"$scratch/dev.zh" | cmp - "$scratch/a" || die "tune: $(cat "$scratch/choice")"
tide_ok info "$scratch/tuned" >/dev/null
[ "$(grep -c '^ *[235] ' "$scratch/choice")" = 3 ] || die "tune does not try the beam of the model: $(cat "$scratch/choice")"
# its translations have a confidence, 1 / (1 + exp(-(a + b m))) of the mean log-probability m; a copy of 8 bits has it, too
mapping=$(tide_ok info "$scratch/tuned" | sed -n 's/^confidence = //p')
grep -q '^confidence: .* correlation with chrF 0\.[0-9]*$' "$scratch/choice" || die "no confidence: $(cat "$scratch/choice")"
tide_ok translate "$scratch/tuned" --n-best 2 --word-scores <"$scratch/dev.zh" >"$scratch/nbest"
awk -v mapping="$mapping" -F ' [|][|][|] ' 'BEGIN { split(mapping, of, " ") }
    { split($4, features, " "); n = split($3, pieces, " ") - 1; x = of[1] + of[2] * features[2] / n
      off = features[4] - 1 / (1 + exp(-x)); if (features[3] != "Confidence=" || off > 1e-4 || off < -1e-4) bad = $0 }
    END { if (bad || NR < 20) { print bad; exit 1 } }' "$scratch/nbest" || die "confidences by $mapping: $(head -n 2 "$scratch/nbest")"
tide_ok translate "$scratch/run" --n-best 1 <"$scratch/dev.zh" | grep -q 'Confidence' && die 'a model that was not tuned has a confidence'
tide_ok quantize "$scratch/tuned" "$scratch/tuned-int8" >/dev/null
[ "$(tide_ok info "$scratch/tuned-int8" | sed -n 's/^confidence = //p')" = "$mapping" ] || die "the confidence of a copy"
tide_ok verify "$scratch/tuned" --parent "$scratch/run" >"$scratch/verified"
tide_ok verify "$scratch/tuned-int8" --parent "$scratch/tuned" >>"$scratch/verified"
[ "$(grep -c 'verified' "$scratch/verified")" = 2 ] || die "verify: $(cat "$scratch/verified")"
tide_ok evaluate "$scratch/tuned" --src "$scratch/dev.zh" --ref "$scratch/dev.en" >"$scratch/evaluated"
grep -q "^confidence = 0\.[0-9]*, $(sed -n 's/.*\(correlation.*\)/\1/p' "$scratch/choice")\$" "$scratch/evaluated" ||
    die "evaluate: $(cat "$scratch/evaluated"), tune: $(cat "$scratch/choice")"
# the model's own options stay if none of those that tune tries is as good; the references are what the model writes
dropout="--dropout-emb 0.1 --dropout-annotation 0.1 --dropout-readout 0.1 --valid-freq 12"
# shellcheck disable=SC2086 # flags and values
smallest_run "$scratch/brief" --after-batches 40 $dropout
smallest_run "$scratch/untuned" --pretrained-model "$scratch/brief" --learn-rate 1e-9 --after-batches 1 --beam-size 12 \
    --normalize 0 --word-penalty=-3
tide_ok translate "$scratch/untuned" <"$scratch/dev.zh" >"$scratch/own"
tide_ok tune "$scratch/untuned" --src "$scratch/dev.zh" --ref "$scratch/own" --output "$scratch/still" --beam-sizes 2 >"$scratch/choice"
grep -q ' --beam-size 12 --normalize 0 --word-penalty -3, BLEU 100.00; before: 12, 0, -3, BLEU 100.00$' "$scratch/choice" ||
    die "tune made a model worse: $(cat "$scratch/choice")"
# all these translations are the references: there is nothing to predict
grep -q '^confidence: none, ' "$scratch/choice" || die "a confidence: $(cat "$scratch/choice")"
# a model loses the confidence that does not fit another text
tide_ok translate "$scratch/tuned" <"$scratch/dev.zh" >"$scratch/own"
tide_ok tune "$scratch/tuned" --src "$scratch/dev.zh" --ref "$scratch/own" --output "$scratch/again" --beam-sizes 2 >"$scratch/choice"
grep -q '^confidence: none, ' "$scratch/choice" || die "a confidence: $(cat "$scratch/choice")"
tide_ok info "$scratch/again" | grep '^confidence' && die "the confidence of the model before stays"
# the configuration of a tuned model is one for a training
tide_ok info "$scratch/tuned" | sed '/^$/,$d' >"$scratch/tuned.conf"
tide_ok train --config "$scratch/tuned.conf" --tsv "$scratch/train.tsv" --model "$scratch/configured" --after-batches 1 --quiet
# a model that is there already is replaced only with --force
cksum <"$scratch/tuned/model.safetensors" >"$scratch/sum"
for command in "tune $scratch/untuned --src $scratch/dev.zh --ref $scratch/own --beam-sizes 2 --output" "quantize $scratch/untuned"; do
    # shellcheck disable=SC2086 # words
    refused 1 'tuned/model.safetensors: is there already; --force replaces it$' $command "$scratch/tuned"
    [ "$(cksum <"$scratch/tuned/model.safetensors")" = "$(cat "$scratch/sum")" ] || die "$command changed a model"
    # shellcheck disable=SC2086
    tide_ok $command "$scratch/tuned" --force >/dev/null
    [ "$(cksum <"$scratch/tuned/model.safetensors")" = "$(cat "$scratch/sum")" ] && die "$command --force changed nothing"
    cksum <"$scratch/tuned/model.safetensors" >"$scratch/sum"
    # shellcheck disable=SC2086
    refused 1 'run: holds a training' $command "$scratch/run" --force
done
refused 1 'is the model itself' tune "$scratch/run" --src "$scratch/dev.zh" --ref "$scratch/dev.en" --output "$scratch/run"
refused 1 'own/a/out: cannot be created: Not a directory' tune "$scratch/run" --src "$scratch/dev.zh" --ref "$scratch/dev.en" \
    --output "$scratch/own/a/out"
# folders above the output are made
tide_ok quantize "$scratch/run" "$scratch/new/b/c/" >/dev/null
tide_ok info "$scratch/new/b/c" >/dev/null
tide_ok corpus --tsv "$scratch/train.tsv" --output "$scratch/d/e/../f" >/dev/null
[ -s "$scratch/d/f/train.zh" ] || die "corpus --output of a folder in a new folder"
refused 2 'tune needs MODEL' tune "$scratch/run" --src "$scratch/dev.zh" --ref "$scratch/dev.en"
