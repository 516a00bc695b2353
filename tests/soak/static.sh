#!/bin/sh
# Programs of `make static` and `make static-arm` need nothing but a kernel: in an empty root they train, translate, read a
# translation memory and serve, and the bits are those of the program under test.
. "$(dirname "$0")/../lib/common.inc"
[ "$(id -u)" = 0 ] || { echo 'needs root, for chroot'; exit 77; }
needs python3

make static static-arm >"$scratch/log" 2>&1 || die "make static static-arm: $(tail "$scratch/log")"
for program in static/tide static/tide-serve static-arm/tide static-arm/tide-serve; do
    readelf -d "build/$program" | grep -q 'no dynamic section' || die "$program: $(readelf -d "build/$program" | grep NEEDED)"
done

root=$scratch/root
mkdir -p "$root/text" "$root/opt/tide" "$scratch/here"
cp build/static/tide build/static/tide-serve "$root/opt/tide"
cp corpus/train.tsv corpus/dev.tsv "$root/text"
cat >"$root/text/memory.tmx" <<'XML'
<tmx version="1.4"><header/><body><tu><tuv xml:lang="en"><seg>The sea.</seg></tuv><tuv xml:lang="zh"><seg>海。</seg></tuv></tu></body></tmx>
XML
empty() { chroot "$root" /opt/tide/tide "$@" 2>"$scratch/stderr" || die "in the empty root: tide $*: $(cat "$scratch/stderr")"; }
empty --version | grep -q '^without: several machines (no tide-mpi), PO (no msgfmt), gzip files' || die "$(empty --version)"

# the demo's first 50 updates
trained() { # FOLDER PREFIX MODEL UPDATES: trains with the words of PREFIX
    # shellcheck disable=SC2086 # words
    (cd "$1" && $2 train --preset tiny --tsv text/train.tsv --valid-tsv text/dev.tsv --model "$3" --after-batches "$4" \
        2>"$scratch/stderr") || die "$2 train: $(cat "$scratch/stderr")"
}
ln -s "$root/text" "$scratch/here/text"
trained "$scratch/here" "$tide" model 50
empty train --preset tiny --tsv text/train.tsv --valid-tsv text/dev.tsv --model model --after-batches 50
for file in model checkpoint; do
    same_numbers "$scratch/here/model/$file.safetensors" "$root/model/$file.safetensors" || die "another $file of musl"
done
cut -f2 corpus/dev.tsv | head -n 20 >"$root/text/zh"
tide_ok translate "$scratch/here/model" --n-best 2 --word-scores --alignment soft --input "$root/text/zh" >"$scratch/expected"
for isa in portable avx2 avx512 auto; do
    has_isa "$scratch/here/model" $isa || continue
    empty translate model --isa $isa --n-best 2 --word-scores --alignment soft --input text/zh | cmp - "$scratch/expected" ||
        die "another translation of musl with $isa"
done
empty corpus --output corpus --dev 0 --test 0 --tmx text/memory.tmx >"$scratch/report"
[ "$(cat "$root/corpus/train.zh")" = 海。 ] || die "a translation memory: $(cat "$scratch/report")"

# the server
chroot "$root" /opt/tide/tide serve model --listen 127.0.0.1:0 2>"$scratch/served" &
pid=$!
cleanup() { [ -z "$pid" ] || kill -9 "$pid" 2>/dev/null; }
comes_to_hold grep -q '^tide: serving ' "$scratch/served" || die "the server: $(cat "$scratch/served")"
python3 - "$(sed -n 's/^tide: serving //p' "$scratch/served")" "$(tail -n 1 "$root/text/zh")" >"$scratch/answer" <<'PY' || die "the server does not answer"
import json, sys, urllib.request
body = json.dumps({"q": sys.argv[2], "source": "zh", "target": "en"}).encode()
url = sys.argv[1].rstrip("/") + "/translate"
with urllib.request.urlopen(urllib.request.Request(url, body, {"Content-Type": "application/json"})) as answer:
    print(json.load(answer)["translatedText"])
PY
tail -n 1 "$root/text/zh" | tide_ok translate "$scratch/here/model" | cmp - "$scratch/answer" || die "the server answers: $(cat "$scratch/answer")"
kill "$pid"
wait "$pid" || die "the server exited $?: $(cat "$scratch/served")"
pid=''

# aarch64, in an emulator
if has qemu-aarch64 'the program for aarch64' qemu-user; then
    arm="qemu-aarch64 $PWD/build/static-arm/tide"
    trained "$scratch/here" "$tide" short 3
    trained "$scratch/here" "$arm" arm 3
    same_numbers "$scratch/here/short/checkpoint.safetensors" "$scratch/here/arm/checkpoint.safetensors" || die "another checkpoint of aarch64"
    head -n 3 "$root/text/zh" | $arm translate "$scratch/here/model" --n-best 2 --word-scores --alignment soft >"$scratch/found" || die "aarch64 does not translate"
    head -n 6 "$scratch/expected" | cmp - "$scratch/found" || die "another translation of aarch64"
fi
