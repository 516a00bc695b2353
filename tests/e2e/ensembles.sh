#!/bin/sh
# Several models translate together.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/translator.inc

smallest_run "$scratch/encdec" --after-batches 12 --attention none
smallest_run "$scratch/prev" --after-batches 12 --readout-state prev --optimizer adadelta --learn-rate 1
tide_ok translate "$scratch/run" --beam-size 4 --n-best 3 <"$scratch/dev.zh" >"$scratch/nbest"
tide_ok translate "$scratch/run" --alignment soft <"$scratch/dev.zh" >"$scratch/soft"

# ensembles: a model twice gives the results of the model; the order of two models does not matter; scores and alignments
# are those of the mean
tide_ok translate --models "$scratch/run" "$scratch/run" --beam-size 4 --n-best 3 <"$scratch/dev.zh" | cmp - "$scratch/nbest" ||
    die "an ensemble of a model with itself gives other translations"
tide_ok translate --models "$scratch/run" "$scratch/prev" --alignment soft --html "$scratch/page" <"$scratch/dev.zh" >"$scratch/a"
tide_ok translate --models "$scratch/prev" "$scratch/run" --alignment soft <"$scratch/dev.zh" | cmp - "$scratch/a" ||
    die "the order of two models matters"
cmp -s "$scratch/a" "$scratch/soft" && die "the second model does nothing"
grep -qF "Translations by $scratch/run, $scratch/prev" "$scratch/page" || die "the page does not name both models"
sed 's/.* ||| //' "$scratch/a" | tr ' ' '\n' | awk -F, '{ sum = 0; for (i = 1; i <= NF; i++) sum += $i
    if (sum < 0.999 || sum > 1.001) bad = 1 } END { exit bad || NR < 24 }' || die "rows of a mean alignment do not sum to 1"

# score: an ensemble gives its translations the probabilities of its search; a model twice has its own
both="--models $scratch/run $scratch/prev"
# shellcheck disable=SC2086 # a list
{
    tide_ok translate $both --n-best 1 <"$scratch/dev.zh" >"$scratch/best"
    awk -F' [|][|][|] ' '{ print $2 > "'"$scratch"'/best.en"; print substr($3, 5) }' "$scratch/best" >"$scratch/said"
    tide_ok score $both --src "$scratch/dev.zh" --tgt "$scratch/best.en" | head -n 12 >"$scratch/scores"
}
same=$(paste "$scratch/scores" "$scratch/said" | awk '($1 - $2) ^ 2 < 1e-6' | wc -l)
[ "$same" -ge 8 ] || die "an ensemble's score and search agree on $same of 12: $(paste "$scratch/scores" "$scratch/said")"
score() { tide_ok score "$@" --src "$scratch/dev.zh" --tgt "$scratch/best.en" --summary; }
one=$(score "$scratch/run")
[ "$(score --models "$scratch/run" "$scratch/run")" = "$one" ] || die "a model twice has another score: $one"

tide_ok evaluate --models "$scratch/run" "$scratch/encdec" "$scratch/prev" --src "$scratch/dev.zh" --ref "$scratch/dev.en" \
    --output "$scratch/out.en" >/dev/null
tide_ok translate --models "$scratch/run" "$scratch/encdec" "$scratch/prev" --mini-batch 1 <"$scratch/dev.zh" |
    cmp - "$scratch/out.en" || die "evaluate gives other translations of an ensemble"
tide_ok translate --models "$scratch/run" "$scratch/encdec" --alignment hard --coverage-penalty 0.1 <"$scratch/dev.zh" >"$scratch/a"
tide_ok translate --models "$scratch/encdec" "$scratch/run" --alignment hard --coverage-penalty 0.1 <"$scratch/dev.zh" |
    cmp - "$scratch/a" || die "a model without attention may not come first"
