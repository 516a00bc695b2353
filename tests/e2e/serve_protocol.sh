#!/bin/sh
# Tests what `tide serve` does with HTTP itself: heads that two readers may understand in two ways, pages of other sites,
# a model given twice.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/serve.inc
needs python3
"$tide" serve none 2>&1 | grep -q 'libmicrohttpd-dev' && { echo 'tide was built without libmicrohttpd'; exit 77; }
model=tests/fixtures/tiny-model
protocol() { python3 tests/e2e/serve_protocol.py "$@" || { cat "$scratch/log" >&2; die "serve_protocol.py $*"; }; }

# a model given twice has one name; a link with another name is another model, which may have another glossary
ln -s "$PWD/$model" "$scratch/linked"
for twice in $model ./$model/ "$PWD/$model/model.safetensors"; do
    refused 1 'tiny-model.*: the same model is given twice' serve $model "$twice" --listen 127.0.0.1:99999
done
start $model "$scratch/linked"
python3 -c "import json, urllib.request as r
assert [m['name'] for m in json.load(r.urlopen('$url/v1/models'))] == ['tiny-model', 'linked']" || die 'two names of a model'
stop

start $model
protocol heads "$url"
protocol origins "$url"
stop
for origin in https://page.example '*'; do
    start $model --cors "$origin"
    protocol origins "$url" "$origin"
    stop
done
