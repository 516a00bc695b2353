#!/bin/sh
# axe-core finds nothing on any page. `make pages` fetches it from npm.
. "$(dirname "$0")/../lib/common.inc"
needs_chromium
axe=build/axe/node_modules/axe-core/axe.min.js
[ -e $axe ] || { echo 'axe-core comes with: make pages'; exit 77; }
"$tide" serve none 2>&1 | grep -q libmicrohttpd && { echo 'tide serve needs libmicrohttpd'; exit 77; }
. tests/lib/serve.inc

make_models
printf '潮水 退 了\n我 累\n' >"$scratch/linked.zh"
printf 'The tide goes out\nI am\n' >"$scratch/linked.en"
printf '0-1 1-2\n\n' >"$scratch/links"
printf '0-0-P 0-1 1-2\n0-0\n' >"$scratch/gold"
tide_ok align "$scratch/run" --src "$scratch/linked.zh" --tgt "$scratch/linked.en" --level word --format html \
    --links "$scratch/links" --gold "$scratch/gold" >"$scratch/linked.html"
echo $sentence | tide_ok translate "$scratch/run" --n-best 3 --beam-size 3 --html "$scratch/nbest.html" >"$scratch/out"
make_dictionary
tide_ok report "$scratch/run" "$scratch/other"
start "$scratch/run" "$scratch/other" --pinyin "$scratch/dictionary.u8" --corrections "$scratch/kept"
check_pages() { # LANGUAGE NAME=URL...
    python3 tests/e2e/axe.py $axe "$@" || die 'axe-core'
}
check_all() {
    check_pages "$1" "live=$url/#text=$sentence" "example=$url/" "training=$url/training?model=run" \
        "two models=$url/#text=$sentence&model=run&beside=other&level=word" \
        "projector=$url/#text=$sentence&mode=projector&probabilities=shown" "question=$url/#text=$sentence&ask=why" \
        "opened=$url/#text=$sentence&step=3&tree=open&curves=shown&pinyin=shown" \
        "corrections=$url/#text=${sentence}他走了。" \
        "alignments=file://$models/linked.html" "hypotheses=file://$models/nbest.html" \
        "report=file://$models/run/report.html" "comparison=file://$models/run/comparison.html"
}
models=$scratch
chinese() { check_all zh-CN; }
beside chinese
check_all en
joined
# the test can fail
sed 's/<h1/<h4/; s/#5c5c5c/#aaaaaa/' "$scratch/nbest.html" >"$scratch/pale.html"
dies check_pages en "pale=file://$scratch/pale.html" >"$scratch/out" && grep -q 'color-contrast (serious)' "$scratch/out" ||
    die "a pale text was not found: $(cat "$scratch/out")"
stop
