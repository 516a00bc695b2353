#!/bin/sh
# Bad input: one line that names the file, the line and the reason, and exit status 1 or 2; existing files are not lost.
# shellcheck disable=SC2086 # the flags of train() are cut at spaces
. "$(dirname "$0")/../lib/common.inc"

# refuses STATUS PATTERN command...: checks the exit status, exactly one line on stderr that matches, and nothing on stdout
refuses() {
    status=$1 pattern=$2
    shift 2
    "$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    got=$?
    [ $got = "$status" ] || die "$*: exit $got, not $status: $(cat "$scratch/stderr")"
    [ "$(wc -l <"$scratch/stderr")" = 1 ] || die "$*: $(wc -l <"$scratch/stderr") lines: $(cat "$scratch/stderr")"
    grep -Eq "$pattern" "$scratch/stderr" || die "$*: printed '$(cat "$scratch/stderr")', not /$pattern/"
}
train() { refuses "$1" "$2" "$tide" train --model "$scratch/out" --after-batches 1 $3; }

printf '一\n二\n三\n' >"$scratch/three"
printf 'one\ntwo\n' >"$scratch/two"
printf 'one\ntw\377o\nthree\n' >"$scratch/broken"
printf 'one\ntw\0o\nthree\n' >"$scratch/zeros"
printf 'no tab here\n' >"$scratch/notab.tsv"
: >"$scratch/empty"

train 1 'three:3: .*two has 2' "--train-sets $scratch/three $scratch/two"
train 1 'broken:2: .*UTF-8' "--train-sets $scratch/three $scratch/broken"
train 1 'zeros:2: ' "--train-sets $scratch/three $scratch/zeros"
train 1 'empty: ' "--train-sets $scratch/empty $scratch/empty"
train 1 'missing: No such file' "--train-sets $scratch/missing $scratch/three"
train 1 'notab.tsv:1: ' "--tsv $scratch/notab.tsv"
train 2 'did you mean --beam-size' "--tsv $scratch/train.tsv --beam-sise 5"
train 2 'unknown flag --zzzzzzzz' "--tsv $scratch/train.tsv --zzzzzzzz"
train 2 'unknown flag -z;' "--tsv $scratch/train.tsv -z 5"
train 2 'unknown flag -beam-sise; did you mean --beam-size' "--tsv $scratch/train.tsv -beam-sise=5"
train 2 'beam-size must be between' "--tsv $scratch/train.tsv -b 0"
train 2 'beam-size is given twice' "--tsv $scratch/train.tsv -b 2 --beam-size=3"
train 2 'no-reload takes no value' "--tsv $scratch/train.tsv --no-reload=1"
train 2 'dim-rnn must be between' "--tsv $scratch/train.tsv --dim-rnn 0"
train 2 'dim-rnn needs a whole number' "--tsv $scratch/train.tsv --dim-rnn 1.5"
train 2 'dim-vocabs must be 0 or at least 5' "--tsv $scratch/train.tsv --dim-vocabs 2 2"
train 2 'attention must be one of' "--tsv $scratch/train.tsv --attention magic"
train 2 "no preset 'nonsense'; .tide help --presets. lists them" "--tsv $scratch/train.tsv --preset nonsense"
train 2 "no preset 'smal'; did you mean small?" "--tsv $scratch/train.tsv --preset smal"
train 2 '[-]-config reads a file' "--tsv $scratch/train.tsv --preset models/small.conf"
train 2 'train-sets, --tsv, --csv, --jsonl, --tmx, --mo or --po is needed' ""
printf 'dim-emb = 12\ndim_emb = 12\n' >"$scratch/bad.conf"
train 1 "bad.conf:2: unknown key 'dim_emb'; did you mean dim-emb[?]" "--tsv $scratch/train.tsv --config $scratch/bad.conf"
printf 'dim-emb = 12\n\0dim_emb = 12\n' >"$scratch/zeros.conf"
train 1 'zeros.conf: .* NUL' "--tsv $scratch/train.tsv --config $scratch/zeros.conf"
refuses 2 'report needs one MODEL' "$tide" report
refuses 1 'no/such/train.jsonl: No such file' "$tide" report no/such
refuses 2 'report needs one MODEL, or two' "$tide" report one two three
mkdir "$scratch/broken-log"
printf '{"update": 1}\n{"update": \n{"update": 2}\n' >"$scratch/broken-log/train.jsonl"
refuses 1 'broken-log/train.jsonl:2: is not a line of' "$tide" report "$scratch/broken-log"
[ ! -e "$scratch/broken-log/report.html" ] || die "a report of a broken log"
# two trainings in one directory: the second is refused, the first continues
"$tide" train --tsv "$scratch/train.tsv" --config "$scratch/smallest.conf" --model "$scratch/shared" \
    2>"$scratch/stderr-first" &
first=$!
comes_to_hold [ -e "$scratch/shared/train.jsonl" ] || die "the first training does not begin"
refuses 1 'shared: another tide process uses this directory' "$tide" train --tsv "$scratch/train.tsv" --model "$scratch/shared"
kill $first
ended=0
wait $first || ended=$?
grep -q '^this training has no end; Ctrl-C stops' "$scratch/stderr-first" || die "no end: $(cat "$scratch/stderr-first")"
[ $ended -eq 143 ] || die "the first training exited $ended"

[ ! -e "$scratch/out" ] || die "a training that could not start left $scratch/out"

touch "$scratch/file"
refuses 1 'file: ' "$tide" train --tsv "$scratch/train.tsv" --after-batches 1 --model "$scratch/file"
refuses 1 'cannot be created: Not a directory' "$tide" train --tsv "$scratch/train.tsv" --after-batches 1 --model "$scratch/file/a/b"
if [ "$(id -u)" != 0 ]; then
    mkdir "$scratch/readonly" && chmod a-w "$scratch/readonly"
    refuses 1 'cannot be' "$tide" train --tsv "$scratch/train.tsv" --after-batches 1 --model "$scratch/readonly/run"
fi

refuses 1 'missing/?.*: No such file.*; a model is a folder that .tide train. wrote' "$tide" translate "$scratch/missing"
refuses 1 'small.conf: No such file.*; did you mean models/small.conf' "$tide" info small.conf
refuses 1 'models.demo: No such file.*; write / in the place of' "$tide" info 'models\demo'
mkdir "$scratch/folder"
refuses 1 'folder: is a folder without a model: it has no model.safetensors' "$tide" translate "$scratch/folder"
refuses 2 'MODEL' "$tide" translate
refuses 1 'missing/?.*: No such file' "$tide" tokenize "$scratch/missing"
refuses 2 'tokenize needs one MODEL' "$tide" tokenize
refuses 2 'side must be one of src[|]tgt' "$tide" tokenize "$scratch/missing" --side zh
mistakes() { # PATTERN WORD...: usage errors that say what to write instead
    pattern=$1
    shift
    refuses 2 "$pattern" "$tide" "$@"
}
mistakes "unknown command 'transalte'; did you mean .tide translate" transalte
mistakes "unknown command 'eval'; did you mean .tide evaluate" help eval
mistakes "unknown command 'zzzzzz'; see" zzzzzz
mistakes 'did you mean .tide --version' version
mistakes 'a command stands before flags such as --beam-size' --beam-size 5 translate
mistakes 'reads standard input, or a file: tide translate model --input in.zh$' translate model in.zh
mistakes 'reads standard input, or a file: tide tokenize model --input in.zh$' tokenize model in.zh
mistakes 'reads standard input, or a file: tide aer gold --input links$' aer gold links
mistakes 'unknown flag --file: the text comes from standard input, or from --input FILE' translate model --file in.zh
mistakes 'unknown flag --src;' bleu reference --src in.zh
mistakes 'unknown flag -v;' bleu reference -v
mistakes 'unknown flag -i;' info model -i in
mistakes 'unknown flag --tmx;' lexicon --tmx a.tmx
mistakes 'translate takes one MODEL; several: tide translate --models /tmp ' translate /tmp "$scratch"
mistakes 'quantize needs MODEL and OUT' quantize model
mistakes 'begins with a long dash: write --beam-size' translate model —beam-size 5
mistakes 'begins with a long dash: write --html' translate model –html x
mistakes 'begins with a long dash: write --html' translate model −html x
for pair in lr:learn-rate epochs:after-epochs batch-size:mini-batch valid:valid-sets patience:early-stopping; do
    mistakes "unknown flag --${pair%:*}; did you mean --${pair#*:}" train "--${pair%:*}" 3
done
mistakes 'did you mean --tgt' score model --ref x
mistakes 'did you mean --ref' evaluate model --tgt x
if native 'tide serve'; then mistakes 'did you mean --listen' serve model --port 5000; fi
for command in train corpus lexicon; do mistakes "takes flags only, not 'x'; see .tide $command --help" $command x; done
mistakes 'kernels[|]gemm[|]step[|]decode' bench speed
for metric in bleu chrf; do
    refuses 1 'missing: No such file' "$tide" $metric "$scratch/missing"
    refuses 1 'broken:2: .*UTF-8' "$tide" $metric "$scratch/broken"
    refuses 1 'standard input: 0 lines, but .*two has 2' "$tide" $metric "$scratch/two"
    refuses 1 'empty: file is empty' "$tide" $metric "$scratch/empty"
    refuses 2 "$metric needs one or more REFERENCE" "$tide" $metric
    refuses 2 'did you mean --lc' "$tide" $metric -lx "$scratch/two"
    refuses 2 'did you mean --lc' "$tide" $metric --lx "$scratch/two"
    refuses 2 'lc is given twice' "$tide" $metric -lc "$scratch/two" --lc
done
refuses 1 'missing: No such file' sh -c '"$@" <"$0"' "$scratch/two" "$tide" bleu "$scratch/two" --compare "$scratch/missing"
refuses 1 'missing: No such file' "$tide" bleu "$scratch/two" --compare "$scratch/missing" # before too few lines of input
printf 'one\n' >"$scratch/one"
refuses 1 'one: 1 lines, but .*two has 2' sh -c '"$@" <"$0"' "$scratch/two" "$tide" bleu "$scratch/two" --compare "$scratch/one"

# other encodings and forms, with what to do about them
head -n 20 "$scratch/train.tsv" >"$scratch/few.tsv"
cut -f 2 "$scratch/few.tsv" >"$scratch/few.zh"
cut -f 1 "$scratch/few.tsv" >"$scratch/few.en"
for encoding in UTF-16 GB18030; do
    for name in few.tsv few.zh few.en; do iconv -f UTF-8 -t $encoding "$scratch/$name" >"$scratch/$encoding.$name"; done
    train 1 "$encoding.few.tsv:1: .*iconv -f $encoding -t UTF-8" "--tsv $scratch/$encoding.few.tsv"
    train 1 "$encoding.few.zh:1: .*iconv -f $encoding -t UTF-8" "--train-sets $scratch/$encoding.few.zh $scratch/few.en"
    refuses 1 "iconv -f $encoding -t UTF-8" "$tide" corpus --output "$scratch/out" --tsv "$scratch/$encoding.few.tsv"
done
refuses 1 'UTF-16.few.zh:1: .*iconv -f UTF-16' "$tide" corpus --output "$scratch/out" --lines "$scratch/UTF-16.few.zh" \
    "$scratch/UTF-16.few.en"
train 1 'zeros:2: line holds a NUL .byte 3., as text in UTF-16 does' "--train-sets $scratch/three $scratch/zeros"
printf '<?xml version="1.0"?>\n<tmx/>\n' >"$scratch/memory.tmx"
train 1 'memory.tmx:1: is XML, not lines with tabs; --tmx' "--tsv $scratch/memory.tmx"
train 1 'few.en: 20 of 20 source sentences|few.zh: 20 of 20 target sentences of the dev set hold Han .* swapped' \
    "--tsv $scratch/few.tsv --valid-sets $scratch/few.en $scratch/few.zh"

smallest_run "$scratch/run" --after-batches 12
model=$scratch/run/model.safetensors
refuses 1 'is not a name for pictures' sh -c 'echo 海 | "$@"' sh "$tide" translate "$scratch/run" --heatmap "$scratch/x.jpg"
smallest_run "$scratch/another" --after-batches 12
for command in 'tune --src few.zh --ref few.en --beam-sizes 1 --output' quantize; do
    for reason in 'few.zh: is not a directory' 'another: holds a training'; do
        # shellcheck disable=SC2086 # a command and its flags
        (cd "$scratch" && refuses 1 "$reason" "$tide" ${command%% *} run ${command#"${command%% *}"} "${reason%%:*}") || exit 1
    done
done
"$tide" evaluate "$scratch/run" --src "$scratch/few.zh" --ref "$scratch/few.zh" >/dev/null 2>"$scratch/stderr"
grep -q "few.zh: .*unknown to the model; it expects language 'en' here" "$scratch/stderr" || die "$(cat "$scratch/stderr")"
if has script 'a command that waits at a terminal' bsdutils; then
    script -qec "'$tide' bleu '$scratch/two'" /dev/null </dev/null | grep -q '^type translations to be scored.*Ctrl-D ends' ||
        die "at a terminal, nothing says what a command waits for"
fi
refuses 2 'did you mean --normalize' "$tide" translate "$scratch/run" --normalise 1
refuses 2 'output DIR needs --format svg' "$tide" align "$scratch/run" --src "$scratch/few.zh" --tgt "$scratch/few.en" --output "$scratch"
refuses 2 'did you mean --output' "$tide" tune "$scratch/run" --out "$scratch/tuned"
# flags of Marian: what tide has instead
refuses 2 'unknown flag --vocabs: a model contains its vocabularies' "$tide" translate "$scratch/run" --vocabs a b
for flag in --gpu --gpus --use-gpu --cuda --device=cuda; do
    refuses 2 "unknown flag ${flag%=*}: tide computes on the processor, not on a GPU" "$tide" train $flag
    refuses 2 "unknown flag ${flag%=*}: tide computes on the processor, not on a GPU" "$tide" serve "$scratch/run" $flag
done
refuses 2 'coverage-penalty must be between' "$tide" translate "$scratch/run" --coverage-penalty -1
refuses 2 'needs --beam-size' "$tide" translate "$scratch/run" --n-best 50
for wrong in 'best' 'topk' 'topk 0' 'topk 1.5' 'nucleus' 'nucleus 0' 'nucleus 2' 'full 0' 'full 1 2' 'topk 3 1 1'; do
    # shellcheck disable=SC2086 # several values
    refuses 2 'output-sampling' "$tide" translate "$scratch/run" --output-sampling $wrong
done
refuses 2 'without a beam' "$tide" translate "$scratch/run" --output-sampling full --beam-size 2
refuses 2 'needs --output-sampling' "$tide" translate "$scratch/run" --seed 2
refuses_prefix() { # REASON TEXT
    printf '%b' "$2" >"$scratch/prefix"
    refuses 1 "$1" sh -c 'printf "潮。\n水。\n" | "$@"' sh "$tide" translate "$scratch/run" --prefix "$scratch/prefix"
}
refuses_prefix 'prefix: has 1 lines, but standard input has 2' 'The\n'
refuses_prefix 'prefix:2: the vocabulary has no piece' 'The\n海 The\n'
refuses_prefix 'prefix:1: the vocabulary cannot spell' '海\n\n'
refuses_prefix 'prefix:2: line is not valid UTF-8' 'The\n\0377\n'
refuses_document() { # REASON TEXT FLAG...
    reason=$1 text=$2
    shift 2
    printf '%b' "$text" >"$scratch/document"
    refuses 1 "standard input:?$reason" sh -c '"$@" <"$0"' "$scratch/document" "$tide" translate "$scratch/run" "$@"
}
refuses_document '2: a subtitle must have times' '1\n海\n' --format srt
refuses_document '5: a subtitle must have times' '00:01,000 --> 00:02,000\n海\n\n2\n00:01,000 -> 00:02,000\n' --format srt
refuses_document ' not valid UTF-8' '\0377' --format html
refuses_document ' not valid UTF-8' 'a\0000' --split-sentences
refuses_document '3: a sentence of 4 pieces, where 3 are the limit' '海。\n\n海。海海海海' --split-sentences --max-length 3
refuses 2 'n-best is for lines' "$tide" translate "$scratch/run" --format srt --n-best 2
refuses_glossary() { # REASON TEXT
    printf '%b' "$2" >"$scratch/glossary"
    refuses 1 "$1" "$tide" translate "$scratch/run" --glossary "$scratch/glossary"
}
refuses_glossary 'glossary:3: a line must be a source text, one tab and its translation' '潮\ttide\n\n水'
refuses_glossary 'glossary:2: "潮" has an entry already' '潮\ttide\n潮\tsea\n'
refuses_glossary 'glossary:1: the translation is empty' '潮\t\n'
refuses_glossary 'glossary:1: line is not valid UTF-8' '\0377\ttide\n'
refuses 2 'cannot follow a --glossary' "$tide" translate "$scratch/run" --glossary "$scratch/glossary" --output-sampling full
refuses 1 'three:|two:' "$tide" align "$scratch/run" --src "$scratch/three" --tgt "$scratch/two"
for size in 0 7 8 100 5000 20000; do
    head -c $size "$model" >"$scratch/cut.safetensors"
    refuses 1 'cut.safetensors: ' "$tide" translate "$scratch/cut.safetensors"
done
for at in 0 9 40 300 3000 15000 30000; do
    cp "$model" "$scratch/flip.safetensors"
    printf '\377' | dd of="$scratch/flip.safetensors" bs=1 seek=$at conv=notrunc 2>/dev/null
    refuses 1 'flip.safetensors: ' "$tide" translate "$scratch/flip.safetensors"
done

# models that cannot form an ensemble
smallest_run "$scratch/merges" --after-batches 1 --bpe-merges 0 60
smallest_run "$scratch/vocab" --after-batches 1 --dim-vocabs 50 0
both() { refuses "$1" "$2" "$tide" translate --models "$scratch/run" "$3"; }
both 1 '/merges: its target pieces are not those of the first model' "$scratch/merges"
both 1 '/vocab: its source pieces are not those of the first model' "$scratch/vocab"
both 1 'missing/?.*: No such file' "$scratch/missing"
both 1 'flip.safetensors: ' "$scratch/flip.safetensors"
refuses 2 'one MODEL, or --models' "$tide" translate "$scratch/run" --models "$scratch/run"
refuses 2 'models needs MODEL' "$tide" translate --models
refuses 2 'MODEL or --models' "$tide" evaluate "$scratch/run" --models "$scratch/run" --src "$scratch/three" --ref "$scratch/three"

# If both checkpoints are damaged, the training is refused and the files are not changed.
for file in checkpoint checkpoint.prev; do head -c 4000 "$scratch/run/$file.safetensors" >"$scratch/x" && cp "$scratch/x" "$scratch/run/$file.safetensors"; done
"$tide" train --tsv "$scratch/train.tsv" --model "$scratch/run" --after-batches 20 2>"$scratch/stderr" && die "trained on damaged checkpoints"
grep -q 'checkpoint.*safetensors: ' "$scratch/stderr" || die "damaged checkpoints: $(cat "$scratch/stderr")"
cmp "$scratch/x" "$scratch/run/checkpoint.prev.safetensors" || die "a damaged checkpoint was overwritten"

# A training that diverges ends, and its last good checkpoint is kept.
dir=$scratch/wilder
for wild in '12 1e6' '1 1e3 --valid-metrics ce-mean-words' '1 1e6 --encoder self-attention --attention dot --heads 2'; do
    rm -rf "$dir"
    # shellcheck disable=SC2086
    set -- $wild
    freq=$1 rate=$2
    shift 2
    "$tide" train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --config "$scratch/smallest.conf" --model "$dir" \
        --optimizer sgd --clip-norm 0 --learn-rate "$rate" --after-batches 400 --valid-freq "$freq" --save-freq 1 "$@" \
        2>"$scratch/stderr" &&
        die "a diverged training ended without an error"
    grep -q 'the training diverged at update' "$scratch/stderr" || die "diverged: $(tail -n 1 "$scratch/stderr")"
    grep -aq 'skipped 0' "$dir/checkpoint.safetensors" || die "a checkpoint of a skipped update"
    grep -q 'nan\|inf' "$dir/train.jsonl" && die "train.jsonl: $(grep 'nan\|inf' "$dir/train.jsonl")"
    tide_ok report "$dir" >/dev/null
    [ "$freq" = 1 ] || continue
    grep -q '"valid_loss": null' "$dir/train.jsonl" || die "the dev loss of diverged weights is a number"
    grep -q 'nan\|inf' "$dir"/align/*.json && die "an alignment holds a nan"
done

# --langs decides which column is English, in every spelling of the languages.
refuses 1 'train.tsv: holds English and another language, but --langs de fr does not name English exactly once; --columns' "$tide" train \
    --tsv "$scratch/train.tsv" --langs de fr --model "$scratch/german"
for langs in 'en zh' 'eng zho' 'en-US zh-Hant' 'EN ZH'; do
    # shellcheck disable=SC2086
    smallest_run "$scratch/${langs% *}" --langs $langs --tokenizer bpe char --after-batches 1
    [ "$(log_of "$scratch/en")" = "$(log_of "$scratch/${langs% *}")" ] || die "--langs $langs reads other columns"
done

refuses 1 'train.tsv: [0-9]* of [0-9]* target pieces hold Han characters, .*: are the two sides swapped' "$tide" train \
    --tsv "$scratch/train.tsv" --columns 1 2 --after-batches 1 --model "$scratch/swapped"
long=$scratch/$(printf '%0200d/%0200d/%0100d' 0 0 0)
refuses 1 'the path is longer than 450 bytes' "$tide" train --tsv "$scratch/train.tsv" --model "$long"
refuses 1 'the path is too long' "$tide" info "$long$long"
for option in 'encoder cnn' 'attention none' 'readout-state prev'; do
    # shellcheck disable=SC2086
    refuses 1 "$option needs --arch rnnsearch" "$tide" train --tsv "$scratch/train.tsv" --arch transformer --dim-emb 8 \
        --heads 2 --after-batches 1 --$option --model "$scratch/transformer"
done
refuses 1 'merges joint needs tokenizer bpe bpe, not char bpe' "$tide" train --tsv "$scratch/train.tsv" \
    --tokenizer char bpe --merges joint --model "$scratch/joint"

# A limit of file sizes (ulimit -f, in blocks of 512 bytes) ends a training with one line, and a larger limit continues it.
limited=0
(ulimit -f 300 && exec "$tide" train --tsv "$scratch/train.tsv" --config "$scratch/smallest.conf" --model "$scratch/limited" \
    --after-batches 3 --quiet) 2>"$scratch/stderr" || limited=$?
[ $limited = 1 ] && [ "$(cat "$scratch/stderr")" = \
    "tide: $scratch/limited/checkpoint.next.safetensors: cannot be written: File too large" ] ||
    die "a limit of file sizes: exit $limited: $(cat "$scratch/stderr")"
smallest_run "$scratch/limited" --after-batches 3

# A directory with another configuration or other data.
smallest_run "$scratch/again" --after-batches 12
refuses 1 'holds a training with bpe-merges = 100 100, not' "$tide" train --tsv "$scratch/train.tsv" --model "$scratch/again"
if [ -e /dev/full ]; then
    echo 海 | "$tide" translate "$scratch/again" >/dev/full 2>"$scratch/stderr" && die "a full disk was not detected"
    grep -q 'cannot be written' "$scratch/stderr" || die "full disk: $(cat "$scratch/stderr")"
    for flag in --help --version; do
        if "$tide" $flag >/dev/full 2>"$scratch/stderr"; then die "$flag: a full disk was not detected"; fi
    done
fi
