#!/bin/sh
# tide learn: a new model only if it is better; the same bits with any threads, after a stop, and by tide verify.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/translator.inc

# what is corrected: each sentence begins in the same way
sed -n "301,400s/^/And so we all know now that /p" corpus/train.tsv >"$scratch/new.tsv"
head -n 100 corpus/train.tsv >"$scratch/old.tsv"
learn() { # CORRECTIONS DIR [flag ...]
    from=$1 to=$2
    shift 2
    ${exec:-} "$tide" learn "$scratch/run" "$scratch/$from" --output "$scratch/$to" --keep-tsv "$scratch/${keep:-old.tsv}" \
        --valid-tsv "$scratch/dev.tsv" --updates "${updates:-300}" --learn-rate 0.01 --most-loss "${loss:-100}" "$@" >"$scratch/out" 2>"$scratch/stderr"
}
learned() { python3 -c "import json, sys; d = json.load(open('$scratch/$1/learned.json')); sys.exit(not ($2))" || die "$1: not $2: $(cat "$scratch/$1/learned.json")"; }

# ---- accepted ----

learn new.tsv one --threads 1 || die "$(cat "$scratch/stderr")"
grep -q '^held-out corrections (.*): BLEU .* perplexity' "$scratch/out" && grep -q 'one/model.safetensors: accepted$' "$scratch/out" ||
    die "$(cat "$scratch/out")"
learned one "d['accepted'] and not d['reason'] and d['corrections']['learned'] + d['corrections']['held_out'] == 100"
learned one "d['held_out']['after']['perplexity'] < d['held_out']['before']['perplexity'] and len(d['examples']) == 5"
cat "$scratch/one/corrections.tsv" "$scratch/one/held-out.tsv" | wc -l | grep -qx 100 || die "the division"
[ "$(wc -l <"$scratch/one/held-out.tsv")" -lt 40 ] && [ ! -e "$scratch/one/training" ] || die "$(ls "$scratch/one")"
# what it measured is what others measure
bleu=$(tide_ok evaluate "$scratch/one" --tsv "$scratch/one/held-out.tsv" --score-only | head -n 1)
learned one "abs(d['held_out']['after']['bleu'] - $bleu) < 0.1"
perplexity=$(tide_ok score "$scratch/one" --tsv "$scratch/one/held-out.tsv" --summary | sed 's/.* //')
learned one "abs(d['held_out']['after']['perplexity'] - $perplexity) < 0.001"
# the options of the search stay, and the training can be repeated
[ "$(tide_ok info "$scratch/one" | grep -c 'beam\|normalize')" = "$(tide_ok info "$scratch/run" | grep -c 'beam\|normalize')" ] || die "the search"
tide_ok verify "$scratch/one" --parent "$scratch/run" --tsv "$scratch/one/corrections.tsv" --tsv "$scratch/one/keep.tsv" >"$scratch/verified"
grep -q ': verified: 300 updates give the same bits' "$scratch/verified" || die "$(cat "$scratch/verified")"

# the text to keep, without the sentences that are corrected, with given targets or with the model's own
sort "$scratch/one/keep.tsv" >"$scratch/kept"
awk -F '\t' '{ print $2 "\t" $1 }' "$scratch/old.tsv" | python3 -c "import sys, unicodedata as u; print(u.normalize('NFKC', sys.stdin.read()), end='')" |
    sort | cmp - "$scratch/kept" || die "the text to keep"
keep=train.tsv updates=1 learn old.tsv own --keep-targets own
[ "$(wc -l <"$scratch/own/keep.tsv")" = 10 ] || die "more text than the updates read: $(wc -l <"$scratch/own/keep.tsv")"
cut -f 1 "$scratch/own/keep.tsv" | tide_ok translate "$scratch/run" >"$scratch/own.en"
cut -f 1 "$scratch/own/corrections.tsv" "$scratch/own/held-out.tsv" >"$scratch/corrected"
cut -f 2 "$scratch/own/keep.tsv" | cmp - "$scratch/own.en" || die "its own translations"
cut -f 1 "$scratch/own/keep.tsv" | grep -qxFf "$scratch/corrected" && die "keeps what is corrected"
tide_ok info --recipe "$scratch/one" | grep -q 'keep.tsv.*, distillation 1$' || die "no distillation"
learn new.tsv given --keep-targets given || die "$(cat "$scratch/stderr")"
cmp "$scratch/one/keep.tsv" "$scratch/given/keep.tsv" || die "other text with given targets"
tide_ok info --recipe "$scratch/given" | grep -q 'distillation' && die "distillation of given targets"
# other corrections have another sample, so that many small learnings do not learn one by heart
keep=train.tsv updates=1 learn new.tsv resampled || [ -e "$scratch/resampled/learned.json" ] || die "$(cat "$scratch/stderr")"
cut -f 1 "$scratch/own/keep.tsv" >"$scratch/own.zh"
[ "$(cut -f 1 "$scratch/resampled/keep.tsv" | grep -cxFf "$scratch/own.zh")" -lt 5 ] || die "the same sample"

# ---- the same bits ----

# a stop in the training, then a kill; other threads; the corrections in a file of the server
python3 - "$scratch/new.tsv" >"$scratch/new.jsonl" <<'PY'
import json, sys
for number, line in enumerate(open(sys.argv[1]), 1):
    english, chinese = line.rstrip("\n").split("\t")
    print(json.dumps({"id": number, "time": "2026-11-29T12:00:00Z", "model": "run", "langs": ["zh", "en"],
                      "source": chinese, "translation": "?", "correction": english}))
PY
for signal in INT KILL; do
    exec="exec" learn new.jsonl two --threads 2 &
    comes_to_hold has_lines "$scratch/two/training" 1 || die "no training to stop"
    kill -"$signal" $!
    wait $! 2>"$scratch/killed"
    [ -e "$scratch/two/model.safetensors" ] && die "a model before the end"
    [ $signal = KILL ] || grep -q 'the same command continues' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
done
cp -r "$scratch/two" "$scratch/other"
learn new.jsonl other --seed 2 || die "$(cat "$scratch/stderr")"
grep -q 'an interrupted training with .* other options is dropped' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
same_numbers "$scratch/one/model.safetensors" "$scratch/other/model.safetensors" && die "goes on with another seed"
tide_ok info "$scratch/other" | grep -q '^seed = 2$' || die "the seed of the training: $(tide_ok info "$scratch/other")"
learn new.jsonl two --threads 2 || die "$(cat "$scratch/stderr")"
same_numbers "$scratch/one/model.safetensors" "$scratch/two/model.safetensors" || die "other bits after a stop, with other threads"
cmp "$scratch/one/learned.json" "$scratch/two/learned.json" || die "another result"

# ---- more corrections: the model learns all of them, and the result must better what is served; it can be verified ----

sed -n "101,140s/^/And so we all know now that /p" corpus/train.tsv >"$scratch/newer.tsv"
tide_ok learn "$scratch/run" "$scratch/new.tsv" "$scratch/newer.tsv" --output "$scratch/again" --served "$scratch/one" \
    --keep-tsv "$scratch/old.tsv" --valid-tsv "$scratch/dev.tsv" --updates 400 --learn-rate 0.01 --most-loss 100 >"$scratch/out"
sort "$scratch/one/corrections.tsv" >"$scratch/known"
sort "$scratch/again/corrections.tsv" | comm -13 - "$scratch/known" | grep -q . && die "what was learned before is left out"
grep -q 'And so we all know now' "$scratch/again/corrections.tsv" || die "nothing new"
served=$(tide_ok evaluate "$scratch/one" --tsv "$scratch/again/held-out.tsv" --score-only | head -n 1)
learned again "abs(d['held_out']['before']['bleu'] - $served) < 0.1"
itself=$(tide_ok evaluate "$scratch/run" --tsv "$scratch/dev.tsv" --score-only | head -n 1)
learned again "abs(d['against'] - $itself) < 0.1 and d['against'] != d['dev']['before']['bleu']"
tide_ok verify "$scratch/again" --parent "$scratch/run" --tsv "$scratch/again/corrections.tsv" --tsv "$scratch/again/keep.tsv" \
    >"$scratch/verified"
grep -q ': verified: 400 updates give the same bits' "$scratch/verified" || die "$(cat "$scratch/verified")"

# ---- refused ----

# who learns one answer to everything forgets the rest
head -n 80 "$scratch/old.tsv" | sed 's/^[^\t]*/We do not know what to say about this./' >"$scratch/wrong.tsv"
loss=0.5 learn wrong.tsv three && die "a model that forgot"
grep -q '^tide: .*/three: the new model is refused: the development set loses more than 0.5 BLEU' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
learned three "not d['accepted'] and d['dev']['after']['bleu'] < d['dev']['before']['bleu'] - 0.5"
[ ! -e "$scratch/three/model.safetensors" ] && [ ! -e "$scratch/three/training" ] || die "a refused model stays"
# corrections that are none are left out; later ones of the same source count; another language is not learned
{
    printf 'A first try of line one.\t%s\n' "$(head -n 1 "$scratch/new.tsv" | cut -f 2)"
    cat "$scratch/new.tsv"
    printf '这是中文。\t又是中文。\n'
} >"$scratch/mixed.tsv"
learn mixed.tsv four || die "$(cat "$scratch/stderr")"
learned four "(d['corrections']['read'], d['corrections']['replaced'], d['corrections']['refused']) == (102, 1, 1)"
same_numbers "$scratch/one/model.safetensors" "$scratch/four/model.safetensors" || die "learns what is no correction"
sed 's/"zh", "en"/"ja", "en"/' "$scratch/new.jsonl" >"$scratch/japanese.jsonl"
learn japanese.jsonl five && die "another language"
grep -q 'too few corrections: 0 to learn' "$scratch/stderr" || die "$(cat "$scratch/stderr")"

set -- --keep-tsv "$scratch/old.tsv" --valid-tsv "$scratch/dev.tsv"
refused 1 'one: holds a model already' learn "$scratch/run" "$scratch/new.tsv" --output "$scratch/one" "$@"
refused 1 'run: holds a model already' learn "$scratch/run" "$scratch/new.tsv" --output "$scratch/run" "$@"

# ---- weights of 8 bits: what has learned has them, too, and can be verified in two steps ----

tide_ok quantize "$scratch/run" "$scratch/small" >"$scratch/out"
tide_ok learn "$scratch/small" "$scratch/new.tsv" --output "$scratch/seven" "$@" --updates 300 --learn-rate 0.01 --most-loss 100 \
    >"$scratch/out"
tide_ok info "$scratch/seven" | grep -q int8 || die "a model of 8 bits became another one"
tide_ok verify "$scratch/seven" --parent "$scratch/seven/float.safetensors" >"$scratch/verified"
tide_ok verify "$scratch/seven/float.safetensors" --parent "$scratch/small" --tsv "$scratch/seven/corrections.tsv" \
    --tsv "$scratch/seven/keep.tsv" >>"$scratch/verified"
[ "$(grep -c ': verified: ' "$scratch/verified")" = 2 ] || die "$(cat "$scratch/verified")"
bleu=$(tide_ok evaluate "$scratch/seven" --tsv "$scratch/seven/held-out.tsv" --score-only | head -n 1)
learned seven "abs(d['held_out']['after']['bleu'] - $bleu) < 0.1"
"$tide" learn "$scratch/small" "$scratch/wrong.tsv" --output "$scratch/eight" "$@" --updates 300 --learn-rate 0.01 --most-loss 0.5 \
    >"$scratch/out" 2>"$scratch/stderr" && die "a model of 8 bits that forgot"
[ ! -e "$scratch/eight/training" ] || die "a refused model of 8 bits stays: $(ls "$scratch/eight/training")"
refused 2 'ends in .jsonl, .tsv or .tmx' learn "$scratch/run" "$scratch/dev.zh" --output "$scratch/six" "$@"
smallest_run "$scratch/japanese" --after-batches 1 --langs ja en
refused 1 'japanese: translates other languages than the starter corpus has' learn "$scratch/japanese" "$scratch/new.tsv" \
    --output "$scratch/six"
refused 2 'learn needs MODEL' learn "$scratch/run" --output "$scratch/six"
refused 2 'cannot be given together' learn "$scratch/run" "$scratch/new.tsv" --output "$scratch/six" --keep-sets a b "$@"
[ ! -e "$scratch/six" ] || die "an error leaves a folder"
