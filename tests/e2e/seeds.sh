#!/bin/sh
# Runs every fuzz target on its seeds, which include the inputs of earlier failures.
. "$(dirname "$0")/../lib/common.inc"

targets=$(dirname "$(readlink -f "$tide")")/tests/fuzz
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "${source#tests/fuzz/fuzz_}" .c)
    "$targets/fuzz_$name" "tests/fuzz/seeds/$name"/* >"$scratch/log" 2>&1 || die "$name: $(tail -n 40 "$scratch/log")"
done
