#!/bin/sh
# The examples of docs/python.md print what the page shows, with the model of scripts/demo.
. "$(dirname "$0")/../lib/common.inc"
needs python3
mkdir -p "$scratch/here/build" "$scratch/here/scripts" "$scratch/here/corpus" "$scratch/here/models"
cp scripts/demo "$scratch/here/scripts"
cp corpus/train.tsv corpus/dev.tsv "$scratch/here/corpus"
cp models/tiny.conf "$scratch/here/models"
ln -s "$(readlink -f "$tide")" "$scratch/here/build/tide"
"$scratch/here/scripts/demo" >"$scratch/stdout" 2>"$scratch/stderr" || die "the demo: $(tail -n 3 "$scratch/stderr")"
smallest_run "$scratch/here/models/run1" --after-batches 4
smallest_run "$scratch/here/models/run2" --after-batches 4 --seed 2
TIDE_LIBRARY=$(dirname "$(readlink -f "$tide")")/libtide.so.0 PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1
export TIDE_LIBRARY PYTHONPATH PYTHONDONTWRITEBYTECODE
scripts/dev/python-page --demo "$scratch/here" || die "docs/python.md differs"
