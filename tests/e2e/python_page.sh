#!/bin/sh
# The examples of docs/python.md run with small models; those that do not depend on the model print what the page shows.
# tests/soak/python_page.sh compares all of them, with the model of scripts/demo.
. "$(dirname "$0")/../lib/common.inc"
needs python3
build=$(dirname "$(readlink -f "$tide")")
case $build in *asan | *tsan) echo "tests/e2e/python.sh and host.sh run libtide with this sanitizer"; exit 77 ;; esac

mkdir -p "$scratch/here/models"
smallest_run "$scratch/here/models/demo" --after-batches 100 --valid-freq 50
smallest_run "$scratch/here/models/run1" --after-batches 4
smallest_run "$scratch/here/models/run2" --after-batches 4 --seed 2
TIDE_LIBRARY=$build/libtide.so.0 PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1
export TIDE_LIBRARY PYTHONPATH PYTHONDONTWRITEBYTECODE
scripts/dev/python-page "$scratch/here" >"$scratch/said" 2>&1 || die "$(cat "$scratch/said")"
grep -q '<svg' "$scratch/here/alignment.svg" || die "the example writes no picture"

# the program of README.md prints the translation of tide, and numbers
sed -n '/^```python$/,/^```$/p' README.md | sed '1d;$d' >"$scratch/readme.py"
(cd "$scratch/here" && python3 "$scratch/readme.py") >"$scratch/said" 2>&1 ||
    die "the program of README.md: $(cat "$scratch/said")"
echo 潮水退了，才知道谁没穿裤子。 | "$tide" translate "$scratch/here/models/demo" >"$scratch/right" || die "tide translate"
[ -s "$scratch/right" ] && head -n 1 "$scratch/said" | grep -qF "$(cat "$scratch/right")" ||
    die "the program of README.md: $(cat "$scratch/said")"

# another output, an example that prints nothing, and one whose output the page does not show are found
mkdir -p "$scratch/tree/scripts/dev" "$scratch/tree/docs"
cp scripts/dev/python-page "$scratch/tree/scripts/dev"
finds() { # EXPRESSION REASON
    sed "$1" docs/python.md >"$scratch/tree/docs/python.md"
    "$scratch/tree/scripts/dev/python-page" "$scratch/here" >"$scratch/said" 2>&1 && die "python-page does not find $1"
    grep -q "^docs/python.md:[0-9]*: .*$2" "$scratch/said" || die "$1: $(cat "$scratch/said")"
}
finds 's/# prints 0.25/# prints 0.5/' "prints \['0.25'\], not \['0.5'\]"
finds 's/return done > 50 /return done > 1000 /' "prints \[\], but the page shows \['cancelled'\]"
finds '/# prints We\|→ We/!s/ *# prints -0.170….*//' 'but the page shows \[\]'
