#!/bin/sh
# Tests `tide serve` over sockets: the API and its description, hostile clients, keys, overload, replaced models, the end.
. "$(dirname "$0")/common.inc"

"$tide" serve none 2>"$scratch/stderr" && die "a model that does not exist is served"
grep -q 'libmicrohttpd-dev' "$scratch/stderr" && { echo 'tide was built without libmicrohttpd'; exit 77; }
grep -q 'none' "$scratch/stderr" || die "no model: $(cat "$scratch/stderr")"
command -v python3 >/dev/null || { echo 'python3 is not installed'; exit 77; }
refused 2 'needs at least one MODEL' serve
refused 2 'max-queue 5 is less than --max-sentences 256' serve none --max-queue 5

pid=''
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null; [ -n "${KEEP:-}" ] || rm -rf "$scratch"' EXIT
listens() { grep -q '^tide: serving ' "$scratch/log"; }

# start FLAG...: starts a server and sets $url
start() {
    : >"$scratch/log"
    "$tide" serve "$@" --listen 127.0.0.1:0 2>>"$scratch/log" &
    pid=$!
    comes_to_hold listens || die "the server does not start: $(cat "$scratch/log")"
    url=$(sed -n 's/^tide: serving //p' "$scratch/log")
}
# stop: ends the server, which must exit with status 0
stop() {
    kill "$pid"
    wait "$pid" || die "the server exited $?: $(cat "$scratch/log")"
    pid=''
}
client() { python3 tests/serve.py "$@" || { cat "$scratch/log" >&2; die "serve.py $*"; }; }

sed -i "s|valid-freq = 12|valid-freq = 300|; s|dropout.*||" "$scratch/smallest.conf"
smallest_run "$scratch/run" --after-batches 150
smallest_run "$scratch/other" --after-batches 150 --seed 2
cut -f2 "$scratch/dev.tsv" | sed 's/[。？！]\(.\)/，\1/g' >"$scratch/dev.zh"
tide_ok translate "$scratch/run" <"$scratch/dev.zh" >"$scratch/dev.out"

start "$scratch/run" --threads 1
client api "$url" "$scratch/dev.zh" "$scratch/dev.out"
client drain "$url" "$pid"
wait "$pid" || die "the server exited $?: $(cat "$scratch/log")"
grep -q 'stopping' "$scratch/log" || die "$(cat "$scratch/log")"

start "$scratch/run" --timeout 2 --max-connections 200
client hostile "$url"
stop

key=0123456789abcdef-key
printf '# keys\n\n%s\n' "$key" >"$scratch/keys"
echo short >"$scratch/short"
refused 1 'short:1: a key of 5 bytes' serve "$scratch/run" --api-key-file "$scratch/short"
refused 1 'none: ' serve "$scratch/run" --api-key-file "$scratch/none"
refused 1 'not an address' serve "$scratch/run" --listen 127.0.0.1:
start "$scratch/run" --api-key-file "$scratch/keys" --host tide.example --cors https://page.example
refused 1 'in use' serve "$scratch/run" --listen "${url#http://}"
client keys "$url" "$key"
stop

start "$scratch/run" --max-queue 4 --max-sentences 4 --threads 1
client overload "$url" 潮水退了
stop

# two models of one direction; and a model that is replaced while clients use it
sentence=潮水退了，才知道谁没穿裤子。
for run in run other; do echo $sentence | tide_ok translate "$scratch/$run" >"$scratch/$run.out"; done
cmp -s "$scratch/run.out" "$scratch/other.out" && die "the two models translate alike"
start "$scratch/run" "$scratch/other"
for run in run other; do
    python3 -c "import json, urllib.parse, urllib.request as r, sys
print(json.load(r.urlopen('$url/translate', urllib.parse.urlencode({'q': '$sentence', 'source': 'zh', 'target': 'en',
    'model': '$run'}).encode()))['translatedText'])" >"$scratch/answer"
    cmp "$scratch/answer" "$scratch/$run.out" || die "the field model"
done
stop
mkdir "$scratch/watched"
cp "$scratch/run/model.safetensors" "$scratch/watched"
start "$scratch/watched" --watch
client replace "$url" 6 "$scratch/run.out" "$scratch/other.out" &
clients=$!
for run in other run other; do
    sleep 1.3
    cp "$scratch/$run/model.safetensors" "$scratch/watched/new"
    mv "$scratch/watched/new" "$scratch/watched/model.safetensors"
done
sleep 1.2
echo broken >"$scratch/watched/new" && mv "$scratch/watched/new" "$scratch/watched/model.safetensors"
wait "$clients" || die "replaced models"
[ "$(grep -c ': replaced$' "$scratch/log")" = 3 ] || die "replaced: $(cat "$scratch/log")"
grep -q 'not replaced' "$scratch/log" || die "a broken model: $(cat "$scratch/log")"
stop
