#!/bin/sh
# The C tests make files only in TMPDIR, and remove them.
. "$(dirname "$0")/../lib/common.inc"

build=$(dirname "$(readlink -f "$tide")")
mkdir "$scratch/files"
# run TMPDIR: runs program $name; a fuzz target gets its seeds as arguments, other tests ignore arguments
run() { TMPDIR=$1 "$build/$program" "tests/fuzz/seeds/${name#fuzz_}"/* >"$scratch/log" 2>&1; }
checked=0
for source in tests/unit/*.c tests/fuzz/*.c; do
    grep -q 'scratch_\(file\|text\|directory\)(' "$source" || continue
    program=${source%.c} name=$(basename "$source" .c) checked=$((checked + 1))
    run "$scratch/files" || die "$name: $(tail -n 40 "$scratch/log")"
    [ -z "$(ls "$scratch/files")" ] || die "$name leaves $(ls "$scratch/files")"
    run "$scratch/none" && die "$name does not use TMPDIR"
    grep -q "in $scratch/none: No such file" "$scratch/log" || die "$name without TMPDIR: $(tail -n 40 "$scratch/log")"
done
[ $checked -gt 0 ] || die "no test makes files"

elsewhere=$(grep -n '/tmp\|/dev/shm\|mkstemp\|mkdtemp\|tmpfile' tests/*/*.c tests/*/*.h | grep -v '^tests/lib/scratch.h:')
[ -z "$elsewhere" ] || die "not by tests/lib/scratch.h: $elsewhere"
