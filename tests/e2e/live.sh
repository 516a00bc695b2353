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
    export KEY SERVER
    live errors "$url" "$models/expected" # ends the server
    ended
}
beside failures
make_dictionary
start "$scratch/run" "$scratch/other" "$scratch/back" --pinyin "$scratch/dictionary.u8"
live page "$url" "$scratch/expected"
live chinese "$url" "$scratch/expected"
stop
joined
