#!/bin/sh
# Runs every fuzz target on its seeds, which include the inputs of earlier failures.
. "$(dirname "$0")/common.inc"

targets=$(dirname "$(readlink -f "$tide")")/tests
for source in tests/fuzz_*.c; do
    name=$(basename "${source#tests/fuzz_}" .c)
    "$targets/fuzz_$name" "tests/seeds/$name"/* >"$scratch/log" 2>&1 || die "$name: $(tail -n 40 "$scratch/log")"
done
