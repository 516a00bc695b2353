#!/bin/sh
# The classroom's training: the program of its worker has the bits of `tide train`, and says what is wrong with pairs; the
# network translates at least what docs/classroom.md says. `make classroom` builds the program and the page.
. "$(dirname "$0")/../lib/common.inc"
needs node 'make classroom'
engine=build/wasm/classroom room=build/browser/classroom
[ -e $engine.js ] && [ -e build/browser/classroom.html ] || { echo 'no classroom (make classroom makes it)'; exit 77; }
[ "$(wc -l <$room/pairs.tsv) $(wc -l <$room/dev.tsv) $(wc -l <$room/links)" = '560 40 560' ] || die 'pairs of the classroom'

# ---- the same bits ----
cp $room/pairs.tsv $room/dev.tsv $room/links "$scratch"
sed 's/^after-epochs.*/after-epochs = 2/' src/browser/classroom.conf >"$scratch/options"
node tests/e2e/classroom.mjs $engine "$scratch" >"$scratch/said" || die "node: $(cat "$scratch/said")"
learn() { # DIR [OPTION...]
    model=$1
    shift
    tide_ok train --config src/browser/classroom.conf --tsv $room/pairs.tsv --valid-tsv $room/dev.tsv --model "$model" \
        --guided-alignment $room/links "$@" >"$scratch/log"
}
learn "$scratch/two" --after-epochs 2
hash=$("$tide" info --recipe "$scratch/two" | sed -n 's/^ *update 70: //p')
[ -n "$hash" ] || die "no hash after 70 updates: $("$tide" info --recipe "$scratch/two")"
cat >"$scratch/expected" <<END
wrong pairs: /wrong.tsv:2: line has no tab between the two texts
no pairs: /nothing.tsv: No such file or directory
wrong option: options:1: dim-emb needs a whole number, not 'many'
no training: 0 ""
first: 70 updates, 70 losses, falling: true
first: measured at 70, 40 sentences
first: true, true, true
first: hash $hash
second: 70 updates, 70 losses, falling: true
second: measured at 70, 40 sentences
second: true, true, true
second: hash $hash
opened: ""
END
diff "$scratch/expected" "$scratch/said" || die 'the training in WebAssembly'
# the model that it saved translates as the program's
cut -f2 $room/dev.tsv >"$scratch/zh"
for model in two saved.safetensors; do tide_ok translate "$scratch/$model" <"$scratch/zh" >"$scratch/out.$model"; done
cmp "$scratch/out.two" "$scratch/out.saved.safetensors" || die 'the saved model translates in another way'

# ---- what it learns ----
learn "$scratch/all"
right() { # FILE: how many of its sentences are translated as they stand there
    cut -f2 "$1" | tide_ok translate "$scratch/all" | paste - "$1" | awk -F'\t' '$1 == $2 { n++ } END { print n + 0 }'
}
head -n 100 $room/pairs.tsv >"$scratch/own"
own=$(right "$scratch/own") new=$(right corpus/classroom-new.tsv)
echo "of its own sentences $own of 100; of new combinations $new of 10"
[ "$own" -ge 80 ] && [ "$new" -ge 5 ] || die 'the classroom learns too little'
for side in 1 2; do
    cut -f$side corpus/classroom-new.tsv >"$scratch/new"
    cut -f$side corpus/train.tsv corpus/dev.tsv | grep -Fxf "$scratch/new" && die 'a new combination is in the corpus'
done

# ---- the page ----
page=build/browser/classroom.html
[ "$(wc -c <$page)" -le 3000000 ] || die "the page has $(wc -c <$page) bytes"
command -v chromium-headless-shell >/dev/null || has chromium 'the page in a browser' || exit 0
sed 's/^after-epochs.*/after-epochs = 3/' $page >"$scratch/short.html"
sed '/id="room-engine"/{n;s/^\(.\{1000\}\).*/\1/}' $page >"$scratch/broken.html"
sed 's/wasmMemory\.grow(/refuse(/; s/^var makeTide/const refuse = () => { throw new Error("no memory"); };\n&/' $page >"$scratch/refused.html"
grep -q 'refuse = ' "$scratch/refused.html" || die 'a page without memory'
last() { "$tide" info --recipe "$1" | sed -n 's/^ *update [0-9]*: //p' | tail -n 1; }
learn "$scratch/three" --after-epochs 3
tide_ok train --config src/browser/classroom.conf --tsv $room/pairs.tsv --valid-tsv $room/dev.tsv --model "$scratch/without" \
    --attention none --after-epochs 3 >"$scratch/log"
python3 tests/e2e/classroom.py $page "$scratch/short.html" "$scratch/broken.html" "$scratch/refused.html" \
    "$(last "$scratch/all")" "$(last "$scratch/three")" "$(last "$scratch/without")" || die 'the page'
axe=build/axe/node_modules/axe-core/axe.min.js
if [ -e $axe ]; then
    for language in en zh-CN; do
        python3 tests/e2e/axe.py $axe $language "classroom=file://$scratch/short.html" || die 'axe-core'
    done
fi
exit 0
