#!/bin/sh
# Tests `tide serve` over sockets: the API and its description, hostile clients, keys, overload, replaced models, the end.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/serve.inc

"$tide" serve none 2>"$scratch/stderr" && die "a model that does not exist is served"
grep -q 'libmicrohttpd-dev' "$scratch/stderr" && { echo 'tide was built without libmicrohttpd'; exit 77; }
grep -q 'none' "$scratch/stderr" || die "no model: $(cat "$scratch/stderr")"
needs python3
refused 2 'needs at least one MODEL' serve
refused 2 'max-queue 5 is less than --max-sentences 256' serve none --max-queue 5

# the server is another program, beside tide
mkdir "$scratch/alone" && cp "$tide" "$scratch/alone"
"$scratch/alone/tide" serve none 2>"$scratch/stderr" && die 'a server without its program'
grep -q "^tide: there is no $scratch/alone/tide-serve: .make. builds .* libmicrohttpd-dev .*; copy both programs\$" \
    "$scratch/stderr" || die "no program: $(cat "$scratch/stderr")"
"$scratch/alone/tide" serve --help >"$scratch/out" && "$(dirname "$(readlink -f "$tide")")/tide-serve" --help >"$scratch/help" &&
    cmp "$scratch/help" "$scratch/out" || die 'two helps'

make_models
cut -f2 "$scratch/dev.tsv" | sed 's/[。？！]\(.\)/，\1/g' >"$scratch/dev.zh"
tide_ok translate "$scratch/run" <"$scratch/dev.zh" >"$scratch/dev.out"
tide_ok translate "$scratch/run" --n-best 4 --beam-size 4 <"$scratch/dev.zh" >"$scratch/dev.nbest"

# without a model, the installed ones are served
mkdir -p "$scratch/usr/bin" "$scratch/usr/share/tide/models"
cp "$(readlink -f "$tide")" "$(dirname "$(readlink -f "$tide")")/tide-serve" "$scratch/usr/bin"
cp -r "$scratch/run" "$scratch/usr/share/tide/models/zh-en"
all=$tide tide=$scratch/usr/bin/tide
start
python3 -c 'import sys, urllib.request as asked; print(asked.urlopen(sys.argv[1]).read())' "$url/v1/models" >"$scratch/out"
grep -q '"name": *"zh-en"' "$scratch/out" || die "an installed model: $(cat "$scratch/out")"
stop
tide=$all

# a sanitizer makes tide slower, and reserves all addresses
case $(ldd "$tide") in *libasan* | *libtsan*) sanitized=1 timeout=5 ;; *) sanitized='' timeout=2 ;; esac
hostile() {
    start "$models/slow" --timeout $timeout --max-connections 200
    limits hostile "$url"
    limits deadline "$url"
    stream late "$url"
    stop
}
beside hostile

# few descriptors; and a limit for each address, which this machine's loopback addresses do not have
printf '#!/bin/sh\nulimit -n 64\nexec "%s" "$@"\n' "$tide" >"$scratch/few" && chmod +x "$scratch/few"
all=$tide tide=$scratch/few
start "$scratch/run" --batch-wait 1000 --timeout 600
tide=$all
grep -q 'only 24 connections, because the system allows 64 open files' "$scratch/log" || die "$(cat "$scratch/log")"
limits crowd "$url" "$pid"
ended
start "$scratch/run"
limits large "$url"
stop
own=$(hostname -I 2>/dev/null | tr ' ' '\n' | grep -m 1 '^[0-9.]*$')
if [ "$own" ]; then
    start "$scratch/run" --listen "$own:0" --connections-per-address 3
    limits address "$url" 3
    stop
else
    echo 'skipped: --connections-per-address: needs an address besides loopback'
fi

make_dictionary
printf '潮水 潮水 [chao2 shui3] /tide/\n潮水\ttide\n' >"$scratch/broken.u8"
refused 1 'broken.u8:2: a line must be a word in traditional and in simplified characters' serve "$scratch/run" \
    --pinyin "$scratch/broken.u8"
gzip "$scratch/dictionary.u8"
start "$scratch/run" --threads 1 --pinyin "$scratch/dictionary.u8.gz"
api "$url" "$scratch/dev.zh" "$scratch/dev.out" "$scratch/dev.nbest"
stream api "$url" "$scratch/dev.zh" "$scratch/dev.out"
stream training "$url" "$scratch/run"
limits drain "$url" "$pid"
ended
grep -q 'stopping' "$scratch/log" || die "$(cat "$scratch/log")"

smallest_run "$scratch/back" --after-batches 12 --langs en zh --tokenizer bpe char
start "$scratch/back"
stream chinese "$url"
stop

printf 'Tides & seas\t潮水\n%.0s' 1 2 3 4 5 6 >>"$scratch/train.tsv"
smallest_run "$scratch/unaligned" --after-batches 1 --attention none
start "$scratch/unaligned"
limits unaligned "$url"
stop

start "$scratch/slow" --threads 1 --max-length 5000
[ "$sanitized" ] || limits memory "$url" "$pid"
limits leave "$url"
limits stop "$url" "$pid"
ended

key=0123456789abcdef-key
printf '# keys\n\n%s\n' "$key" >"$scratch/keys"
echo short >"$scratch/short"
refused 1 'short:1: a key of 5 bytes' serve "$scratch/run" --api-key-file "$scratch/short"
refused 1 'none: ' serve "$scratch/run" --api-key-file "$scratch/none"
refused 1 'not an address' serve "$scratch/run" --listen 127.0.0.1:
refused 1 'not an address HOST:PORT, such as' serve "$scratch/run" --listen 127.0.0.1:99999
refused 1 'not an address HOST:PORT, such as' serve "$scratch/run" --listen 127.0.0.1:-1
start "$scratch/run" --api-key-file "$scratch/keys" --host tide.example --cors https://page.example
refused 1 'in use' serve "$scratch/run" --listen "${url#http://}"
limits keys "$url" "$key"
stream keys "$url" "$key"
stream drain "$url" "$pid" "$key"
ended

start "$scratch/run" --max-queue 4 --max-sentences 4 --threads 1
limits overload "$url" 潮水退了
stream overload "$url" 潮水退了
stop

# two models of one direction; and a model that is replaced while clients use it
answer_of() { # MODEL: its translation of $sentence
    python3 -c "import json, urllib.parse, urllib.request as r, sys
print(json.load(r.urlopen('$url/translate', urllib.parse.urlencode({'q': '$sentence', 'source': 'zh', 'target': 'en',
    'model': '$1'}).encode()))['translatedText'])"
}
start "$scratch/run" "$scratch/other"
for run in run other; do
    answer_of $run | cmp - "$scratch/$run.out" || die "the field model"
done
stop

# --glossary: the terms of each model, and of requests
printf '潮水\the left\n海\t海\n' >"$scratch/terms"
echo '潮水' >"$scratch/no-terms"
refused 2 'has 1 FILE for 2 MODELs: give one for each, - for none' serve none none --glossary "$scratch/terms"
refused 1 'no-terms:1: a line must be a source text' serve "$scratch/run" --glossary "$scratch/no-terms"
start "$scratch/other" "$scratch/run" --glossary - "$scratch/terms" --watch
grep -q "terms: $scratch/run cannot write 1 of the translations, such as '海'" "$scratch/log" || die "$(cat "$scratch/log")"
answer_of other | cmp - "$scratch/other.out" || die "the terms of another model"
echo $sentence | tide_ok translate "$scratch/run" --glossary "$scratch/terms" --quiet >"$scratch/terms.out"
answer_of run | cmp - "$scratch/terms.out" || die "other terms than tide translate"
grep -q 'he left' "$scratch/terms.out" || die "no terms"
stop
start "$scratch/run" --glossary "$scratch/terms" --watch
limits glossary "$url" "$scratch/terms"
grep -q "run: not replaced: $scratch/terms:1: a line must be" "$scratch/log" || die "$(cat "$scratch/log")"
stop

# --shortlist: the words of each model, as of tide translate; a list that changes
printf '潮水\tHe left\t0.5\n' >"$scratch/words"
echo $sentence | tide_ok translate "$scratch/run" --shortlist "$scratch/words" --shortlist-first 0 >"$scratch/words.out"
cmp -s "$scratch/words.out" "$scratch/run.out" && die "a shortlist of few words changes nothing"
refused 2 'shortlist has 1 FILE for 2 MODELs' serve none none --shortlist "$scratch/words"
refused 2 'need --shortlist' serve none --shortlist-first 3
refused 1 'no-terms:1: a line must be' serve "$scratch/run" --shortlist "$scratch/no-terms"
start "$scratch/other" "$scratch/run" --shortlist - "$scratch/words" --shortlist-first 0 --watch
answer_of other | cmp - "$scratch/other.out" || die "the shortlist of another model"
answer_of run | cmp - "$scratch/words.out" || die "another shortlist than tide translate"
printf '潮水\tthe tide\t0.5\n' >"$scratch/words.new" && mv "$scratch/words.new" "$scratch/words"
echo $sentence | tide_ok translate "$scratch/run" --shortlist "$scratch/words" --shortlist-first 0 >"$scratch/words.out"
new_words() { answer_of run | cmp -s - "$scratch/words.out"; }
comes_to_hold new_words || die "an old shortlist"
stop
replace 2
echo broken >"$scratch/watched/model.safetensors"
reported() { grep -q 'not replaced' "$scratch/log"; }
comes_to_hold reported || die "a broken model: $(cat "$scratch/log")"
python3 -c "import urllib.request as r; r.urlopen('$url/health')" || die 'after a broken model'
stop
joined
