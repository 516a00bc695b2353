#!/bin/sh
# The options of a search mean the same in requests as on the command line.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/serve.inc

"$tide" serve none 2>"$scratch/stderr" && die "a model that does not exist is served"
grep -q 'libmicrohttpd-dev' "$scratch/stderr" && { echo 'tide was built without libmicrohttpd'; exit 77; }
needs python3

smallest_run "$scratch/run" --after-batches 40 --train-set-tags news
head -n 4 "$scratch/dev.tsv" | cut -f 2 >"$scratch/zh"
tide_ok info "$scratch/run" | grep -qx 'tags: news' || die "info: $(cat "$scratch/stderr")"

options() { # KIND URL [MODEL]
    TIDE=$tide python3 tests/e2e/serve_options.py "$1" "$2" "${3:-$scratch/run}" "$scratch/zh" ||
        { cat "$scratch/log" >&2; die "serve_options.py $*"; }
}
start "$scratch/run"
options options "$url"
stop

printf '海\tThe sea\t0.5\n' >"$scratch/zh.words"
start "$scratch/run" --shortlist "$scratch/zh.words" --shortlist-first 0
options shortlist "$url"
stop

tide_ok tune "$scratch/run" --tsv "$scratch/dev.tsv" --output "$scratch/tuned" --beam-sizes 2 >/dev/null
start "$scratch/tuned"
options confidence "$url" "$scratch/tuned"
stop
