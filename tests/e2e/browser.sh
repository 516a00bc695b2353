#!/bin/sh
# The edition without a server: the page of `tide export --html` translates from disk in a browser, with the numbers of the
# program; typing, pointing, choosing words, languages, narrow, dark, print; damaged models, too much text, old browsers.
. "$(dirname "$0")/../lib/common.inc"
page=build/browser/page.html
[ -e $page ] || { echo "no $page (make browser makes it)"; exit 77; }
needs_chromium

sed -i "s|valid-freq = 12|valid-freq = 300|; s|dropout.*||" "$scratch/smallest.conf"
smallest_run "$scratch/run" --after-batches 150 --title Tides --corpora '<b>corpus/</b>' --licence MIT
echo 潮水退了，才知道谁没穿裤子。 >"$scratch/zh"
tide_ok translate "$scratch/run" --alignment hard --heatmap "$scratch/heatmap" <"$scratch/zh" >"$scratch/expected"
export HEATMAP="$scratch/heatmap"
sed 's/ |||.*//' "$scratch/expected" >"$scratch/en"
tide_ok align "$scratch/run" --src "$scratch/zh" --tgt "$scratch/en" --format json >"$scratch/alignment"
tide_ok export --html "$scratch/run" "$scratch/tide.html"

refused 2 'export needs --html, MODEL and OUT' export "$scratch/run" "$scratch/out"
refused 1 'none: No such file' export --html "$scratch/none" "$scratch/out"
refused 1 'cannot be' export --html "$scratch/run" "$scratch/no/such/place"
[ ! -e "$scratch/out" ] || die "a page without a model"
# an installed program has the page in share/tide; a program without it says so
mkdir -p "$scratch/usr/bin" "$scratch/usr/share/tide"
cp "$(readlink -f "$tide")" "$scratch/usr/bin/tide"
"$scratch/usr/bin/tide" export --html "$scratch/run" "$scratch/out" 2>"$scratch/stderr" && die "a page from nothing"
grep -q 'built without the browser edition: there is no .*/share/tide/page.html' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
echo '<p>' >"$scratch/usr/share/tide/page.html"
"$scratch/usr/bin/tide" export --html "$scratch/run" "$scratch/out" 2>"$scratch/stderr" && die "a page from another page"
grep -q 'page.html: is not the page' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
cp $page "$scratch/usr/share/tide"
"$scratch/usr/bin/tide" export --html "$scratch/run/" "$scratch/out" || die "export of an installed program"
cmp "$scratch/out" "$scratch/tide.html" || die "another page"

# the module for node
npm=$(pwd)/build/browser/npm
mkdir -p "$scratch/project/node_modules"
if has npm 'the packed module for node' npm; then
    (cd "$scratch/project" && npm pack --offline --silent "$npm" >"$scratch/stdout" && tar xzf tide-*.tgz) || die "npm pack"
    mv "$scratch/project/package" "$scratch/project/node_modules/tide"
else
    cp -r "$npm" "$scratch/project/node_modules/tide"
fi
cp tests/e2e/module.mjs "$scratch/project"
node "$scratch/project/module.mjs" "$scratch/run" "$scratch/expected" "$scratch/alignment" || die "the module"

python3 tests/e2e/edition.py "$scratch/tide.html" "$scratch/expected" "$scratch/alignment" || die "edition.py"
