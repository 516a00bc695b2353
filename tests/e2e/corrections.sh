#!/bin/sh
# Tests `tide serve --corrections`: what is kept, remembered and learned; other keys, a full disk, kills, two servers.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/serve.inc
"$tide" serve none 2>&1 | grep -q 'libmicrohttpd-dev' && { echo 'tide was built without libmicrohttpd'; exit 77; }
needs python3
corrections() { python3 tests/e2e/corrections.py "$@" || { cat "$scratch/log" >&2; die "corrections.py $*"; }; }

refused 2 'learn-after needs --corrections' serve none --learn-after 5
sed -i 's|valid-freq = 12|valid-freq = 300|; s|dropout.*||' "$scratch/smallest.conf"
smallest_run "$scratch/run" --after-batches 60
own=$(hostname -I 2>/dev/null | tr ' ' '\n' | grep -m 1 '^[0-9.]*$')
native "Unix sockets" && local_socket=unix:$scratch/socket
for address in ${own:+"$own:0"} ${local_socket:-}; do
    refused 1 'corrections needs --api-key-file here' serve "$scratch/run" --corrections "$scratch/c" --listen "$address"
done

start "$scratch/run" --corrections "$scratch/c" --learn-after 0
grep -q 'starter corpus keeps what it knows; .*--learn-text' "$scratch/log" || die "$(cat "$scratch/log")"
corrections api "$url"
refused 1 'another .*process uses' serve "$scratch/run" --corrections "$scratch/c" --listen 127.0.0.1:0
stop
if native 'the modes of files'; then
    [ "$(stat -c %a "$scratch/c/everyone/corrections.jsonl" "$scratch/c/everyone" "$scratch/c" | tr '\n' ' ')" = '600 700 700 ' ] ||
        die "others can read: $(ls -lR "$scratch/c")"
fi

# without --corrections, and with translation memories in files only
start "$scratch/run"
corrections without "$url"
stop

# a file that somebody wrote: what has no source is not remembered
mkdir -p "$scratch/h/everyone"
printf '{"id":%d,"time":"2026-11-29T12:00:00Z","model":"m","langs":["zh","en"],"source":"%s","correction":"The tide is low."}\n' \
    1 ' ' 2 '潮水退了。' >"$scratch/h/everyone/corrections.jsonl"
start "$scratch/run" --corrections "$scratch/h" --learn-after 0
corrections written "$url"
stop

if "$tide" corpus --tmx none --output "$scratch/none" 2>&1 | grep -q 'libexpat1-dev'; then
    echo 'skipped: --memory: tide was built without expat'
else
    printf '<tmx version="1.4"><header srclang="zh"/><body><tu><tuv xml:lang="zh"><seg>%s</seg></tuv><tuv xml:lang="en"><seg>%s</seg></tuv></tu></body></tmx>' \
        '潮水退了。' 'The tide is low.' >"$scratch/memory.tmx"
    sed 's/"en"/"de"/' "$scratch/memory.tmx" >"$scratch/german.tmx"
    refused 1 'german.tmx: .*has both' serve "$scratch/run" --memory "$scratch/german.tmx" --listen 127.0.0.1:0
    start "$scratch/run" --memory "$scratch/memory.tmx"
    grep -q 'memory.tmx: 1 pairs from zh to en are remembered; 0 cannot be used' "$scratch/log" || die "$(cat "$scratch/log")"
    corrections memory "$url"
    stop
fi

printf '%s\n' 0123456789abcdef-one 0123456789abcdef-two >"$scratch/keys"
start "$scratch/run" --corrections "$scratch/k" --api-key-file "$scratch/keys" ${own:+--listen "$own:0"}
corrections keys "$url" 0123456789abcdef-one 0123456789abcdef-two
stop
find "$scratch/k" | grep -q 0123456789 && die 'a folder has the name of a key'

# several keys that learn together see no examples of each other's texts
mkdir -p "$scratch/k/shared/run/1"
printf '{"accepted": false, "reason": "worse", "examples": [{"source": "%s"}]}' '潮水退了。' >"$scratch/k/shared/run/1/learned.json"
start "$scratch/run" --corrections "$scratch/k" --api-key-file "$scratch/keys" --learn-shared --learn-after 0
corrections shared "$url" "$(head -n 1 "$scratch/keys")"
stop

# an interrupted learning does not learn from what was deleted since; the folder of a model lies in that of its account
mkdir -p "$scratch/run/inside" "$scratch/d/everyone/_./1"
for i in $(seq 30); do
    printf '{"id":%d,"time":"2026-11-29T12:00:00Z","model":"..","langs":["zh","en"],"source":"%s","correction":"%s"}\n' \
        "$i" "潮水退了$i次。" "The tide went out $i times."
done >"$scratch/d/everyone/_./1/corrections.jsonl"
start "$scratch/run/inside/.." --corrections "$scratch/d" --learn-after 0
corrections deleted "$url"
stop
[ ! -e "$scratch/d/1" ] || die "a generation outside of its account"

# a limit of file sizes, in blocks of 512 bytes, in the place of a full disk
if native 'a limit of file sizes'; then
    all=$tide tide=$scratch/limited
    printf '#!/bin/sh\nulimit -f 4\nexec "%s" "$@"\n' "$all" >"$tide" && chmod +x "$tide"
    start "$scratch/run" --corrections "$scratch/full" --learn-after 0
    corrections full "$url"
    stop
    tide=$all
fi

# a model learns; the same without a server gives the same model
sed -n "101,300p" corpus/train.tsv >"$scratch/text.tsv"
head -n 130 corpus/train.tsv | cut -f 1 | head -n 40 >"$scratch/corrections.en"
head -n 130 corpus/train.tsv | cut -f 2 | head -n 40 >"$scratch/corrections.zh"
sed -n '131,230p' corpus/train.tsv >"$scratch/known.tsv" # the model has been trained on it, but not to the end
set -- --learn-text "$scratch/text.tsv" --learn-dev "$scratch/known.tsv"
start "$scratch/run" --corrections "$scratch/l" --learn-after 1000 "$@"
corrections learn "$url" "$scratch/corrections.zh" "$scratch/corrections.en" >"$scratch/after"
stop
first=$scratch/l/everyone/run/1
tide_ok learn "$scratch/run" "$first/corrections.jsonl" --output "$scratch/learned" --keep-tsv "$scratch/text.tsv" \
    --valid-tsv "$scratch/known.tsv" --threads 1 >"$scratch/out"
same_numbers "$scratch/learned/model.safetensors" "$first/model.safetensors" || die 'another model than that of tide learn'
start "$scratch/run" --corrections "$scratch/l" "$@"
corrections served "$url" "$(cat "$scratch/after")"
stop
printf '潮水\tthe boat\n' >"$scratch/terms"
start "$scratch/run" --corrections "$scratch/l" "$@" --glossary "$scratch/terms" --watch
corrections terms "$url" "$scratch/terms"
stop

python3 tests/e2e/corrections.py kills "${KILLS:-3}" "$scratch/killed" "$tide" "$scratch/run" "$@" || die 'kills'
