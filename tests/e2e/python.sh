#!/bin/sh
# The Python module: tests/e2e/python with Debian's pytest, on small models. Arguments are those of pytest.
. "$(dirname "$0")/../lib/common.inc"

for python in python3 /usr/bin/python3; do
    "$python" -c 'import pytest' 2>/dev/null && break
    python=""
done
[ -n "$python" ] || { echo "needs pytest (package python3-pytest)"; exit 77; }
build=$(dirname "$(readlink -f "$tide")")
case $build in *tsan) echo "tests/e2e/host.sh runs libtide with this sanitizer"; exit 77 ;; esac

smallest_run "$scratch/first" --after-batches 100 --valid-freq 50
smallest_run "$scratch/second" --after-batches 50 --seed 2
smallest_run "$scratch/tagged" --after-batches 20 --train-set-tags news
smallest_run "$scratch/none" --after-batches 4 --attention none
cut -f 2 "$scratch/dev.tsv" >"$scratch/zh"
cut -f 1 "$scratch/dev.tsv" >"$scratch/en"
tide_ok tune "$scratch/first" --tsv "$scratch/dev.tsv" --output "$scratch/tuned" --beam-sizes 2 >/dev/null

# tests/e2e/install.sh tests an installed library
with_module TIDE="$tide" MODELS="$scratch" "$python" -m pytest -q -p no:cacheprovider -W error tests/e2e/python "$@"
