#!/bin/sh
# Tests what `tide serve` does with HTTP itself: heads that two readers may understand in two ways, pages of other sites.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/serve.inc
needs python3
"$tide" serve none 2>&1 | grep -q 'libmicrohttpd-dev' && { echo 'tide was built without libmicrohttpd'; exit 77; }
model=tests/fixtures/tiny-model
protocol() { python3 tests/e2e/serve_protocol.py "$@" || { cat "$scratch/log" >&2; die "serve_protocol.py $*"; }; }

start $model
protocol heads "$url"
protocol origins "$url"
stop
for origin in https://page.example '*'; do
    start $model --cors "$origin"
    protocol origins "$url" "$origin"
    stop
done
