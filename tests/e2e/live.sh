#!/bin/sh
# Tests the live page of `tide serve` in a browser: typing, input methods, streaming, pointing, choosing words, two models,
# copying, languages, a narrow window, dark mode, printing, failures.
. "$(dirname "$0")/../lib/common.inc"
needs_chromium
"$tide" serve none 2>&1 | grep -q libmicrohttpd && { echo 'tide serve needs libmicrohttpd'; exit 77; }
. tests/lib/serve.inc
live() { python3 tests/e2e/live.py "$@" || { cat "$scratch/log" >&2; die "live.py $*"; }; }

make_models
smallest_run "$scratch/back" --after-batches 12 --langs en zh --tokenizer bpe char --arch transformer --heads 2 --dim-ffn 24
echo $sentence | tide_ok translate "$scratch/run" --alignment hard --heatmap "$scratch/heatmap" >"$scratch/expected"
export HEATMAP="$scratch/heatmap"
echo $sentence | tide_ok translate "$scratch/run" --heatmap "$HEATMAP-rows" --row-scale >"$scratch/scaled"

failures() {
    KEY=0123456789abcdef-key
    echo "$KEY" >"$scratch/keys"
    start "$models/run" --max-length 40 --api-key-file "$scratch/keys"
    SERVER=$pid
    native 'a server that is gone' || SERVER=''
    export KEY SERVER
    live errors "$url" "$models/expected" # ends the server
    ended
}
beside failures
# a server that keeps corrections, with two generations that have learned: the second was refused
corrections() {
    kept=$scratch/kept/everyone/run
    mkdir -p "$kept/1" "$kept/2"
    cp "$models/run/model.safetensors" "$kept/1"
    accepted='"accepted": true, "reason": "", "corrections": {"learned": 48, "held_out": 12}'
    held_out='"held_out": {"before": {"bleu": 31.2, "perplexity": 8.11}, "after": {"bleu": 35.1, "perplexity": 6.5}}'
    dev='"dev": {"before": {"bleu": 33, "perplexity": 8}, "after": {"bleu": 32.8, "perplexity": 8.1}}, "examples": []'
    echo "{$accepted, $held_out, $dev}" >"$kept/1/learned.json"
    echo "{$accepted, $held_out, $dev}" | sed 's/true, "reason": ""/false, "reason": "it loses too much"/' >"$kept/2/learned.json"
    echo '{"generation": 1, "newest": 2}' >"$kept/served.json"
    start "$models/run" --corrections "$scratch/kept"
    live corrections "$url" "$models/expected"
    stop
}
make_dictionary
start "$scratch/run" "$scratch/other" "$scratch/back" --pinyin "$scratch/dictionary.u8"
live page "$url" "$scratch/expected"
live chinese "$url" "$scratch/expected"
stop
joined
models=$scratch
corrections
