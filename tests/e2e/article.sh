#!/bin/sh
# The article of `make article`, from disk: each link leads to something, and each state of the demo's model shows what the text
# of its link says, in both languages. A wrong link fails.
. "$(dirname "$0")/../lib/common.inc"
page=build/browser/page.html
[ -e $page ] || { echo "no $page (make browser makes it)"; exit 77; }
[ -e models/demo/model.safetensors ] || { echo 'no models/demo (make demo trains it)'; exit 77; }
needs_chromium
needs cmark-gfm 'make article'

folder=$scratch/article
tide_ok quantize models/demo "$scratch/demo"
tide_ok export --html "$scratch/demo" "$scratch/tide.html"
scripts/dev/article "$scratch/tide.html" "$folder" || die 'scripts/dev/article'
article() { python3 tests/e2e/article.py "$folder"; }
article || die 'article.py'
axe=build/axe/node_modules/axe-core/axe.min.js
if [ -e $axe ]; then
    python3 tests/e2e/axe.py $axe en "article=file://$folder/attention.html" || die 'axe-core'
    python3 tests/e2e/axe.py $axe zh-CN "article=file://$folder/attention.zh.html" || die 'axe-core, Chinese'
else
    echo 'skipped: accessibility of the article: needs axe-core (make pages)'
fi

# wrong PATTERN REPLACEMENT REASON: an article with a wrong link fails for this reason
wrong() {
    cp "$folder/attention.html" "$scratch/right.html"
    sed -i "0,\\|$1|s||$2|" "$folder/attention.html"
    ! cmp -s "$folder/attention.html" "$scratch/right.html" || die "no $1 in the article"
    dies article >"$scratch/out" && grep -q "$3" "$scratch/out" || die "$1 became $2: $(cat "$scratch/out")"
    mv "$scratch/right.html" "$folder/attention.html"
}
wrong 'piece=13' 'piece=99' 'the piece'
wrong 'piece=13' 'piece=12' 'points at wearing'
wrong 'step=9' 'step=99' 'an open step\|does not hold'
wrong '92 %' '29 %' '29 % is not shown'
wrong 'pictures/tide.svg' 'pictures/none.svg' 'there is no pictures/none.svg'
