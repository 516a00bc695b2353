#!/bin/sh
# A training that stops and continues leaves the files of one that never stopped; a log that is lost ends no training.
. "$(dirname "$0")/../lib/common.inc"
run() { # DIR UPDATES [flag ...]
    dir=$scratch/$1 updates=$2
    shift 2
    smallest_run "$dir" --after-batches "$updates" --early-stopping 0 "$@"
}
files() { (cd "$scratch/$1" && find . -type f | sort); }
run whole 30

# ---- a stop before the first validation: it writes a model, and alignments that belong to no validation ----
run stopped 7
[ -s "$scratch/stopped/align/00000007.json" ] || die "no alignments at the end"
run stopped 30
[ "$(files whole)" = "$(files stopped)" ] || die "a stop leaves other files: $(files stopped)"
same "$scratch/whole" "$scratch/stopped" "a stop"
for folder in align valid; do
    diff -r "$scratch/whole/$folder" "$scratch/stopped/$folder" || die "a stop changed $folder/"
done

# two ends before the first validation: the model of the first end is not the best one of any validation
run early 10
run split 7
run split 10
[ "$(files early)" = "$(files split)" ] || die "two ends before the first validation leave other files: $(files split)"
same "$scratch/early" "$scratch/split" "two ends before the first validation"

# ---- the end is validated, once; a longer training has no trace of it ----
validations() { sed -n 's/^{"update": \([0-9]*\),.*valid_loss.*/\1/p' "$scratch/$1/train.jsonl" | tr '\n' ' '; }
ended() { run ended "$@" --valid-metrics ce-mean-words; }
ended 12
[ "$(validations ended)" = '12 ' ] || die "an end at a validation is validated twice: $(validations ended)"
cp "$scratch/ended/model.safetensors" "$scratch/12"
for _ in first again; do
    ended 20
    [ "$(validations ended)" = '12 20 ' ] || die "the end is not validated: $(validations ended)"
    grep -q '^the model is that of update 20, which had the best cross-entropy$' "$scratch/stderr" || die "the end: $(cat "$scratch/stderr")"
    [ -s "$scratch/ended/valid/00000020.out" ] && [ -s "$scratch/ended/align/00000020.json" ] || die "no translations of the end"
    tide_ok translate "$scratch/ended" <"$scratch/ended/valid/source.txt" | cmp - "$scratch/ended/valid/00000020.out" ||
        die "the model is not that of the end"
done
cp -r "$scratch/ended" "$scratch/worse"
run unbroken 36 --valid-metrics ce-mean-words
ended 36
same "$scratch/unbroken" "$scratch/ended" "a validation at an end"
[ "$(files unbroken)" = "$(files ended)" ] || die "a validation at an end leaves files: $(files ended)"
# killed after the model was set aside, before another one was written: both names are one file
run linked 12 --valid-metrics ce-mean-words
ln "$scratch/linked/model.safetensors" "$scratch/linked/model.resume.safetensors"
run linked 36 --valid-metrics ce-mean-words
same "$scratch/unbroken" "$scratch/linked" "a kill at an end"
[ "$(files unbroken)" = "$(files linked)" ] || die "a kill at an end leaves files: $(files linked)"
# the model of the end was better than all that follow
run worse 24 --valid-metrics ce-mean-words --learn-rate 5 --allow-change learn-rate
grep -q '^the model is that of update 12,' "$scratch/stderr" && cmp "$scratch/12" "$scratch/worse/model.safetensors" ||
    die "the best model of an unbroken training is lost: $(cat "$scratch/stderr")"
run worse 20 --valid-metrics ce-mean-words --no-reload
[ ! -e "$scratch/worse/model.prev.safetensors" ] && die "--no-reload"
run worse 12 --valid-metrics ce-mean-words --no-reload
[ -e "$scratch/worse/model.resume.safetensors" ] && die "--no-reload leaves the model of a training that it removes"

# ---- a run that makes no update repeats the last report; 19 updates are an epoch ----
reported() { grep gnorm "$scratch/$1/train.jsonl" | tail -n 1 | sed 's/"tokens_per_s.*"gnorm"/"gnorm"/'; }
for updates in 19 25; do
    rm -rf "$scratch/rate"
    run rate "$updates" --lr-decay 0.5 --valid-freq 6
    before=$(reported rate)
    case $before in *'"learn_rate": 0.0'*) ;; *) die "no report: $before" ;; esac
    run rate "$updates" --lr-decay 0.5 --valid-freq 6
    [ "$(reported rate)" = "$before" ] || die "a run without an update reports $(reported rate), not $before"
done

# ---- a log that is lost or cut: one line says so, and the training continues ----
run lost 15
cp -r "$scratch/lost" "$scratch/cut"
rm "$scratch/lost/train.jsonl"
head -n 4 "$scratch/cut/train.jsonl" | head -c -20 >"$scratch/log" && cp "$scratch/log" "$scratch/cut/train.jsonl"
continues() { # DIR LINES
    run "$1" 20
    grep -qx "$scratch/$1/train.jsonl: has only $2 of the 4 lines that it had at the checkpoint; the others are lost" "$scratch/stderr" ||
        die "$1: $(cat "$scratch/stderr")"
    run "$1" 30
    grep -q 'lost$' "$scratch/stderr" && die "$1 is told twice"
    cmp "$scratch/whole/model.safetensors" "$scratch/$1/model.safetensors" || die "$1: the models differ"
    diff -r "$scratch/whole/valid" "$scratch/$1/valid" || die "$1: the translations differ"
    grep -qv '^{.*}$' "$scratch/$1/train.jsonl" && die "$1: a line of the log is not whole: $(cat "$scratch/$1/train.jsonl")"
    grep -q '"frames":\[{"update":12,' "$scratch/$1/report.html" || die "$1: no alignments in the report"
}
continues lost 0
continues cut 3

# ---- another corpus: the message says how to train further ----
cp -r "$scratch/lost" "$scratch/other"
tail -n 300 corpus/train.tsv >"$scratch/train.tsv"
refused 1 "train.tsv: is not the data that $scratch/other was trained on; .* give --pretrained-model $scratch/other and another --model" \
    train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --config "$scratch/smallest.conf" --model "$scratch/other"
