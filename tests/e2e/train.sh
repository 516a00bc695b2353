#!/bin/sh
# tide train: the files of a run, its log and its report; early stopping; presets; the options that change the model.
. "$(dirname "$0")/../lib/common.inc"

sed -i "s|valid-freq = 12|valid-freq = 300|; s|dropout.*||" "$scratch/smallest.conf"
smallest_run "$scratch/run" --after-batches 300 --probe '潮水退了。' '大家好。'
for file in model.safetensors checkpoint.safetensors checkpoint.prev.safetensors train.jsonl align/00000300.json; do
    [ -s "$scratch/run/$file" ] || die "no $file"
done
grep -q '"update": 300, "epoch": [0-9.]*, "valid_loss": [0-9.]*, "valid_ppl": [0-9.]*, "bleu": [0-9.]*' \
    "$scratch/run/train.jsonl" || die "no validation in train.jsonl"
grep -q '"source": \["潮", "水", "退", "了", "。", "</s>"\]' "$scratch/run/align/00000300.json" || die "probe missing"

# report: writes the same bytes as the training, which prints the path; a training continues if it cannot write the report
[ "$(tail -n 1 "$scratch/stderr")" = "report: $scratch/run/report.html" ] || die "report: $(cat "$scratch/stderr")"
grep -q '"frames":\[{"update":300,' "$scratch/run/report.html" || die "no alignments in report.html"
cp "$scratch/run/report.html" "$scratch/report.html"
tide_ok report "$scratch/run/"
cmp "$scratch/run/report.html" "$scratch/report.html" || die "tide report writes another page"
mkdir -p "$scratch/unreported/report.html"
smallest_run "$scratch/unreported" --after-batches 12 --valid-freq 6
[ "$(grep -c 'the report could not be written' "$scratch/stderr")" = 3 ] || die "no warning: $(cat "$scratch/stderr")"
[ -s "$scratch/unreported/model.safetensors" ] || die "a report that cannot be written ended the training"

# early stopping is reported; validations before the first BLEU above 0 do not count as stalled
cp -r "$scratch/run" "$scratch/stalled"
smallest_run "$scratch/stalled" --after-batches 400 --valid-freq 1 --early-stopping 3 --learn-rate 1e-9 --allow-change learn-rate
grep -q '^3 validations without a better BLEU end the training (--early-stopping)$' "$scratch/stderr" ||
    die "early stopping: $(tail -n 3 "$scratch/stderr")"
grep -q '^the model is that of update [0-9]*, which had the best BLEU$' "$scratch/stderr" || die "$(tail -n 3 "$scratch/stderr")"

# the end says what a corpus of this size reaches; not from English, for which this was not measured, and not after a stop
compared='^for comparison: [1-9][0-9]* pairs of everyday sentences (Tatoeba) reach a BLEU of less than [0-9]*, 3000 about [0-9]*; '
grep -q "$compared" "$scratch/stderr" || die "no comparison: $(tail -n 3 "$scratch/stderr")"
smallest_run "$scratch/reverse" --after-batches 2 --langs en zh
grep -q '^the model is that of update' "$scratch/stderr" && ! grep -q '^for comparison' "$scratch/stderr" ||
    die "from English: $(tail -n 3 "$scratch/stderr")"
: >"$scratch/stderr" # the wait below must not find a line of the command before
"$tide" train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --config "$scratch/smallest.conf" --valid-freq 5 \
    --after-batches 100000 --early-stopping 0 --model "$scratch/stopped" 2>"$scratch/stderr" &
process=$!
comes_to_hold grep -q 'best so far' "$scratch/stderr" || die "no validation: $(cat "$scratch/stderr")"
kill -INT $process
wait $process
grep -q '^the model is that of update' "$scratch/stderr" && ! grep -q '^for comparison' "$scratch/stderr" ||
    die "after a stop: $(tail -n 3 "$scratch/stderr")"
sed 's/^[^	]*/QXQX/' "$scratch/dev.tsv" >"$scratch/nothing.tsv"
tide_ok train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/nothing.tsv" --config "$scratch/smallest.conf" --model "$scratch/zero" \
    --after-batches 10 --valid-freq 1 --early-stopping 2
[ "$(grep -c '"bleu": 0.0000' "$scratch/zero/train.jsonl")" = 10 ] || die "a training without a BLEU has stalled"

# without a dev set there are still probes, and the log is complete
tide_ok train --tsv "$scratch/train.tsv" --config "$scratch/smallest.conf" --model "$scratch/probed" --after-batches 10 --probe 海。
tail -n 1 "$scratch/probed/train.jsonl" | grep -q '^{"update": 10, .*"loss"' || die "the log ends at $(tail -n 1 "$scratch/probed/train.jsonl")"
grep -q '"source":\["海"' "$scratch/probed/report.html" || die "a probe is not in the report"

# a preset is read from the program's installation, or from its source tree; in the current folder, a preset of the same
# name is ignored and one with another name is found
mkdir -p "$scratch/here/models" "$scratch/usr/bin" "$scratch/usr/share/tide"
cp "$tide" "$scratch/usr/bin/tide"
echo 'dim-emb = 7' >"$scratch/here/models/tiny.conf"
echo 'dim-emb = 9' >"$scratch/usr/share/tide/tiny.conf"
cp "$scratch/here/models/tiny.conf" "$scratch/here/models/own.conf"
# size_of PROGRAM PRESET: trains with the preset in the folder "here" and prints dim-emb of the model
size_of() {
    (cd "$scratch/here" && rm -rf run && "$1" train --preset "$2" --tsv "$scratch/train.tsv" --model run --after-batches 1) \
        2>"$scratch/stderr" || die "$2: $(cat "$scratch/stderr")"
    tide_ok info "$scratch/here/run" | sed -n 's/^dim-emb = //p'
}
if native 'a copy of the program'; then
    sizes="$(size_of "$tide" tiny) $(size_of "$tide" own) $(size_of "$scratch/usr/bin/tide" tiny)"
    [ "$sizes" = "$(sed -n 's/^dim-emb = *\([0-9]*\).*/\1/p' models/tiny.conf) 7 9" ] || die "presets: $sizes"
fi
for preset in tiny small base; do # no preset has an option that a Transformer refuses
    tide_ok train --preset $preset --arch transformer --dim-emb 8 --dim-maxout 8 --dim-ffn 8 --heads 2 --quiet \
        --tsv "$scratch/train.tsv" --model "$scratch/$preset" --after-batches 1
done

# the tokenizers are those of the languages, unless a flag, a preset, the configuration or the pretrained model names them
has_tokenizers() { # NAMES DIR
    tide_ok info "$2" >"$scratch/info"
    grep -qx "tokenizer = $1" "$scratch/info" || die "not $1: $(grep '^tokenizer' "$scratch/info") in $2"
}
tokenizers() { # NAMES DIR [flag ...]: trains one update
    names=$1 dir=$scratch/$2
    shift 2
    smallest_run "$dir" --after-batches 1 "$@"
    has_tokenizers "$names" "$dir"
}
tokenizers 'char bpe' usual
tokenizers 'bpe char' back --langs en zh
for langs in 'en ZH_tw' 'eng cmn-Hans'; do
    # shellcheck disable=SC2086
    tokenizers 'bpe char' "back-${langs#* }" --langs $langs
done
tokenizers 'bpe bpe' german --langs de en
tokenizers 'bpe bpe' korean --langs ko en
tokenizers 'bpe bpe' japanese --langs en ja
tokenizers 'char char' given --langs en zh --tokenizer char char
configured() { # NAMES LINE...: of a model with these lines in its configuration
    names=$1
    shift
    printf '%s\n' "$@" | cat "$scratch/smallest.conf" - >"$scratch/own.conf"
    rm -rf "$scratch/configured"
    tide_ok train --tsv "$scratch/train.tsv" --config "$scratch/own.conf" --model "$scratch/configured" --after-batches 1
    has_tokenizers "$names" "$scratch/configured"
}
configured 'bpe char' 'langs = en zh'
configured 'char bpe' 'langs = en zh' 'tokenizer = char bpe'
configured 'none none' 'tokenizer = none none' 'langs = en zh'
echo 'tokenizer = none bpe' >>"$scratch/here/models/own.conf"
(cd "$scratch/here" && tide_ok train --preset own --langs en zh --tsv "$scratch/train.tsv" --model named --after-batches 1) ||
    exit 1
has_tokenizers 'none bpe' "$scratch/here/named"
for preset in tiny small base; do # these name none
    tide_ok train --preset $preset --langs en zh --dim-emb 8 --dim-rnn 8 --dim-att 8 --dim-maxout 8 --quiet \
        --tsv "$scratch/train.tsv" --model "$scratch/$preset-back" --after-batches 1
    has_tokenizers 'bpe char' "$scratch/$preset-back"
done
tokenizers 'char char' further --langs en zh --pretrained-model "$scratch/given"

# a training that continues keeps its tokenizers, also one of a version whose default was char bpe; a new one does not
smallest_run "$scratch/given" --after-batches 2 --langs en zh
grep -q 'resuming from update 1$' "$scratch/stderr" || die "not continued: $(cat "$scratch/stderr")"
has_tokenizers 'char char' "$scratch/given"
rm "$scratch/given/checkpoint.safetensors" # the checkpoint before it is left
smallest_run "$scratch/given" --after-batches 2 --langs en zh
grep -q 'resuming from update 1$' "$scratch/stderr" || die "not continued: $(cat "$scratch/stderr")"
refused 1 'holds a training with tokenizer = char char, not bpe char' train --tsv "$scratch/train.tsv" --langs en zh \
    --tokenizer bpe char --config "$scratch/smallest.conf" --model "$scratch/given"
smallest_run "$scratch/given" --after-batches 2 --langs en zh --no-reload
has_tokenizers 'bpe char' "$scratch/given"

# RNNencdec, and the other options that change the model
cut -f2 "$scratch/dev.tsv" >"$scratch/dev.zh"
cut -f1 "$scratch/dev.tsv" >"$scratch/dev.en"
smallest_run "$scratch/encdec" --after-batches 12 --attention none
tide_ok translate "$scratch/encdec" <"$scratch/dev.zh" >/dev/null
grep -q '"frames":\[{"update":12,"alignments":\[\]}\]' "$scratch/encdec/report.html" || die "alignments without attention"
"$tide" translate "$scratch/encdec" --alignment hard </dev/null 2>"$scratch/stderr" && die "an alignment without attention"
"$tide" translate "$scratch/encdec" --html "$scratch/page" </dev/null 2>"$scratch/stderr" && die "a page without attention"
smallest_run "$scratch/prev" --after-batches 12 --readout-state prev --optimizer adadelta --learn-rate 1
"$tide" evaluate "$scratch/encdec" --coverage-penalty 0.1 --src "$scratch/dev.zh" --ref "$scratch/dev.en" 2>"$scratch/stderr" &&
    die "coverage without attention"
grep -q 'coverage-penalty needs a model with attention' "$scratch/stderr" || die "$(cat "$scratch/stderr")"

smallest_run "$scratch/sgd" --after-batches 12 --optimizer sgd --learn-rate 0.5
smallest_run "$scratch/joint" --after-batches 12 --tokenizer bpe bpe --merges joint --bpe-merges 60 7
tide_ok translate "$scratch/joint" <"$scratch/dev.zh" >/dev/null
smallest_run "$scratch/joint" --after-batches 14 --tokenizer bpe bpe --merges joint --bpe-merges 60 7
for side in source target; do # a list in the metadata ends at the next quote
    LC_ALL=C sed 's/.*"'$side'\.merges":"//; s/".*//; q' "$scratch/joint/model.safetensors" | tr -d '\0' >"$scratch/$side.merges"
done
cmp "$scratch/source.merges" "$scratch/target.merges" || die "joint merges differ"
[ "$(grep -o '\\n' "$scratch/source.merges" | wc -l)" = 60 ] || die "joint merges: $(head -c 300 "$scratch/source.merges")"
