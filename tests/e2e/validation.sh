#!/bin/sh
# --valid-metrics: the first metric chooses the best model and stops the training, and the best value survives a stop. The
# translations of each validation are kept, and belong to the log.
. "$(dirname "$0")/../lib/common.inc"
run() { # DIR UPDATES [flag ...]
    dir=$scratch/$1 updates=$2
    shift 2
    smallest_run "$dir" --after-batches "$updates" --valid-freq 6 --early-stopping 0 "$@"
}
outputs() { find "$scratch/$1/valid" -name '*.out' | sed 's/.*\/0*//' | sort -n | tr '\n' ' '; }

# Prints the updates at which a member of the log is better than at all validations before: bests DIR MEMBER SIGN
bests() {
    grep valid_loss "$scratch/$1/train.jsonl" | sed "s/.*\"update\": \([0-9]*\),.*\"$2\": \([0-9.]*\),.*/\1 \2/" |
        awk -v sign="$3" 'NR == 1 || sign * $2 > sign * best { best = $2; print $1 }'
}
marked() { sed -n 's/^{"update": \([0-9]*\),.*"best": true.*/\1/p' "$scratch/$1/train.jsonl"; }

# ---- each metric chooses its own best model ----
chooses() { # DIR MEMBER SIGN TITLE
    [ "$(marked "$1")" = "$(bests "$1" "$2" "$3")" ] || die "$1: best at $(marked "$1"), not $(bests "$1" "$2" "$3")"
    last=$(marked "$1" | tail -n 1)
    grep -q "^the model is that of update $last, which had the best $4$" "$scratch/stderr" || die "$1: $(tail -n 2 "$scratch/stderr")"
    tide_ok translate "$scratch/$1" <"$scratch/$1/valid/source.txt" | cmp - "$scratch/$1/valid/$(printf %08d "$last").out" ||
        die "$1: the model is not that of update $last"
}
run bleu 48
chooses bleu bleu 1 BLEU
[ "$(marked bleu | tail -n 1)" = 42 ] || die "BLEU chooses update $(marked bleu)"
grep -q 'chrf\|metric' "$scratch/bleu/train.jsonl" && die "the log has metrics that were not asked for"
run named 48 --valid-metrics bleu
same "$scratch/bleu" "$scratch/named" "BLEU by name"
run chrf 48 --valid-metrics chrf perplexity
grep -q 'update 48, .* BLEU [0-9.]*, chrF [0-9.]*, perplexity [0-9.]* (best chrF so far)$' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
chooses chrf chrf 1 chrF
[ "$(marked chrf | tail -n 1)" = 48 ] || die "chrF chooses update $(marked chrf)"
tide_ok chrf "$scratch/chrf/valid/reference.txt" --score-only <"$scratch/chrf/valid/00000048.out" >"$scratch/score"
grep -q "\"update\": 48, .*\"chrf\": $(cat "$scratch/score")" "$scratch/chrf/train.jsonl" || die "chrF is not $(cat "$scratch/score")"
run loss 24 --valid-metrics ce-mean-words
chooses loss valid_loss -1 cross-entropy
[ "$(marked loss | tail -n 1)" = 24 ] || die "cross-entropy chooses update $(marked loss)"
run perplexity 24 --valid-metrics perplexity bleu
chooses perplexity valid_ppl -1 perplexity
sed 's/perplexity/ce-mean-words/' "$scratch/perplexity/train.jsonl" >"$scratch/log"
[ "$(log_of "$scratch/loss")" = "$(sed 's/"tokens_per_s": [0-9]*, //; s/"seconds": [0-9.]*//' "$scratch/log")" ] ||
    die "perplexity and cross-entropy choose differently"

# ---- early stopping ----
stops() { # TITLE UPDATES METRIC [flag ...]
    title=$1 updates=$2 metric=$3
    shift 3
    rm -rf "$scratch/stops"
    smallest_run "$scratch/stops" --after-batches 40 --early-stopping 2 --valid-metrics "$metric" "$@"
    grep -q "^2 validations without a better $title end the training (--early-stopping)$" "$scratch/stderr" ||
        die "$metric does not stop: $(grep ^update "$scratch/stderr")"
    [ "$(outputs stops | wc -w)" = "$updates" ] || die "$metric stops after $(outputs stops)"
}
stops chrF 3 chrf --valid-freq 6
worse='--valid-freq 1 --learn-rate 1 --lr-warmup 0 --exponential-smoothing 0'
# shellcheck disable=SC2086 # words
stops cross-entropy 3 ce-mean-words $worse
# shellcheck disable=SC2086
stops perplexity 3 perplexity $worse

# ---- a stop changes nothing ----
run stopped 20 --valid-metrics chrf perplexity
run stopped 45 --valid-metrics chrf perplexity
cp "$scratch/stopped/checkpoint.safetensors" "$scratch/early.safetensors"
grep -q 'chooses the best model' "$scratch/stderr" && die "the same metric counts as another"
run stopped 48 --valid-metrics chrf perplexity
same "$scratch/chrf" "$scratch/stopped" "a stop"
diff -r "$scratch/chrf/valid" "$scratch/stopped/valid" || die "a stop changed the translations"

# ---- another metric: the next validation replaces the best model; versions that only know BLEU see no best value ----
cp -r "$scratch/stopped" "$scratch/other"
grep -aq 'best_bleu -0x1p+0\\n.*metric chrf\\nbest 0x' "$scratch/other/checkpoint.safetensors" || die "a best chrF is not in the checkpoint"
grep -aq 'metric' "$scratch/bleu/checkpoint.safetensors" && die "a checkpoint with a best BLEU has another format"
run other 50 --valid-metrics ce-mean-words chrf
grep -q '^cross-entropy now chooses the best model, not chrF: .*, of update 48$' "$scratch/stderr" || die "another metric: $(cat "$scratch/stderr")"
grep -qx '{"update": 48, "changed": "valid-metrics", "from": "chrf", "to": "ce-mean-words"}' "$scratch/other/train.jsonl" ||
    die "another metric is not in the log"
run other 52 --valid-metrics ce-mean-words
grep -q 'chooses the best model' "$scratch/stderr" && die "the metric changed once"
run other 54 --valid-metrics ce-mean-words
grep -q '"update": 54, .*"best": true, "metric": "ce-mean-words"' "$scratch/other/train.jsonl" || die "compared with another metric's value"

# ---- translations without a validation in the log are removed ----
[ "$(outputs chrf)" = '6.out 12.out 18.out 24.out 30.out 36.out 42.out 48.out ' ] || die "the outputs of 8 validations: $(outputs chrf)"
[ "$(wc -l <"$scratch/chrf/valid/source.txt")" = 12 ] && [ "$(wc -l <"$scratch/chrf/valid/00000006.out")" = 12 ] ||
    die "not a line for each pair of the dev set"
cut -f1 "$scratch/dev.tsv" | cmp - "$scratch/chrf/valid/reference.txt" || die "other references than those of the dev set"
echo note >"$scratch/chrf/valid/note"
cp "$scratch/early.safetensors" "$scratch/chrf/checkpoint.safetensors" # as after a kill between updates 48 and 50
run chrf 46 --valid-metrics chrf perplexity
[ "$(outputs chrf)" = '6.out 12.out 18.out 24.out 30.out 36.out 42.out 46.out ' ] || die "outputs later than the checkpoint: $(outputs chrf)"
run chrf 5 --valid-metrics chrf --no-reload # validates at the end, after its checkpoint
[ "$(outputs chrf)" = '5.out ' ] || die "outputs of another training: $(outputs chrf)"
run chrf 6 --valid-metrics chrf
[ "$(outputs chrf)" = '6.out ' ] || die "outputs of a validation that is not in the log: $(outputs chrf)"
[ -e "$scratch/chrf/valid/note" ] || die "a file of somebody else was removed"

# ---- inputs in the folder of the outputs, also by a link, and a folder that cannot be used: nothing is lost ----
keeps() { # PATTERN FLAG ...
    pattern=$1
    shift
    find "$scratch/bleu" -type f -exec cksum {} + | sort >"$scratch/before"
    refused 1 "$pattern" train --model "$scratch/bleu" --config "$scratch/smallest.conf" --after-batches 50 "$@"
    find "$scratch/bleu" -type f -exec cksum {} + | sort | cmp - "$scratch/before" || die "changed by $*"
}
own='the training writes and removes files in this folder'
keeps "$own" --train-sets "$scratch/bleu/valid/source.txt" "$scratch/bleu/valid/reference.txt"
keeps "$own" --tsv "$scratch/train.tsv" --valid-sets "$scratch/bleu/valid/source.txt" "$scratch/dev.tsv"
if native 'an input that is a symbolic link'; then
    ln -s bleu/valid/reference.txt "$scratch/link"
    keeps "$own" --tsv "$scratch/train.tsv" --valid-sets "$scratch/dev.tsv" "$scratch/link"
fi
keeps "$own" --tsv "$scratch/train.tsv" --guided-alignment "$scratch/bleu/valid/00000042.out"
rm -r "$scratch/bleu/valid" && echo note >"$scratch/bleu/valid"
keeps 'bleu/valid: .*ot a directory' --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --no-reload

# ---- a training that breaks off in its first validation, with the default --save-freq: the same command continues ----
sed -i '/save-freq/d' "$scratch/smallest.conf"
run whole 15
if native 'a folder that is a symbolic link'; then
    mkdir "$scratch/broken"
    ln -s nowhere "$scratch/broken/align" # the model is written, the alignments of the probes are not
    refused 1 'broken/align: ' train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --config "$scratch/smallest.conf" \
        --model "$scratch/broken" --after-batches 15 --valid-freq 6 --early-stopping 0
    [ -e "$scratch/broken/model.safetensors" ] || die "the first validation wrote no model: $(ls "$scratch/broken")"
    rm "$scratch/broken/align"
    run broken 15
    same "$scratch/whole" "$scratch/broken" "broken off in the first validation"
fi

# ---- what is refused ----
for wrong in '' blue 'bleu bleu' 'bleu chrf ce-mean-words perplexity bleu'; do
    # shellcheck disable=SC2086 # words
    refused 2 'valid-metrics' train --tsv "$scratch/train.tsv" --model "$scratch/none" --valid-metrics $wrong
done
exit 0
