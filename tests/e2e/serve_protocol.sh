#!/bin/sh
# Tests what `tide serve` does with HTTP itself: heads that readers may understand in two ways, pages of other sites,
# a model given twice, Unix sockets, sockets of systemd, the access log, the quotas of keys, files.
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
protocol files "$url" "$tide" $model
stop
for origin in https://page.example '*'; do
    start $model --cors "$origin"
    protocol origins "$url" "$origin"
    stop
done

# a Unix socket; one that a killed server left is replaced
if native 'Unix sockets'; then
    start $model --listen "unix:$scratch/socket"
    [ "$url" = "unix:$scratch/socket" ] || die "serving $url"
    protocol asks "$url"
    protocol heads "$url"
    refused 1 'socket: Address .*in use' serve $model --listen "unix:$scratch/socket"
    kill -9 "$pid" && wait "$pid" 2>"$scratch/stderr"
    [ -S "$scratch/socket" ] || die 'no socket is left'
    start $model --listen "unix:$scratch/socket" --access-log "$scratch/access"
    protocol log "$url" "$scratch/access"
    stop
    [ -e "$scratch/socket" ] && die 'the socket stays'
    echo text >"$scratch/file"
    refused 1 'file: Address .*in use' serve $model --listen "unix:$scratch/file"
    refused 1 'the path of a socket must have 1 to 107 bytes' serve $model --listen unix:
fi

# a socket that systemd passes
if native 'a socket of systemd'; then
    protocol passed "$scratch/systemd" "$tide" serve $model --listen 127.0.0.1:99999
    [ -S "$scratch/systemd" ] || die "the socket of systemd is removed"
    for count in 1 2; do
        # shellcheck disable=SC2016 # the shell of the test of systemd knows its own number
        sh -c 'LISTEN_PID=$$ LISTEN_FDS='$count' exec "$@" 3</dev/null' sh "$tide" serve $model 2>"$scratch/stderr" && die "$count passed"
        grep -q "^tide: .*systemd has passed" "$scratch/stderr" || die "$count passed: $(cat "$scratch/stderr")"
    done
fi

if native 'a log that nobody reads'; then protocol unread "$tide" serve $model --listen 127.0.0.1:0 --access-log -; fi
refused 1 'none/log: No such file' serve $model --access-log none/log

key=0123456789abcdef
printf '%s\tminute=10 day=25\n%s \n' $key $key-free >"$scratch/keys"
start $model --api-key-file "$scratch/keys"
protocol quotas "$url" $key $key-free
stop
while IFS='|' read -r line reason; do
    echo "$line" >"$scratch/bad"
    refused 1 "bad:1: $reason" serve $model --api-key-file "$scratch/bad"
done <<END
$key day=0|'day=0' is no quota, such as minute=5000 or day=100000
$key day=1x|'day=1x' is no quota
$key hour=1|'hour=1' is no quota
$key day=9999999999999999|'day=9999999999999999' is no quota
 $key|a key of 0 bytes
END
printf '%s\n%s day=1\n' $key $key >"$scratch/bad"
refused 1 'bad:2: this key occurs twice' serve $model --api-key-file "$scratch/bad"
