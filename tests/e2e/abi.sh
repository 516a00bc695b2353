#!/bin/sh
# usage: tests/e2e/abi.sh [BUILD]
# Checks that libtide.so and libtide.a in the directory BUILD have exactly the public names that tests/fixtures/libtide.abi
# lists, and that the header declares the same names. A name may be added to the list; removing one needs a new soname. The
# libraries use models; they must not contain anything of training.
set -u
build=${1:-$(dirname "$(readlink -f "$TIDE")")}
here=$(dirname "$0")/../..
names=$(mktemp) train=$(mktemp)
trap 'rm -f "$names" "$train"' EXIT

# compare WHAT: compares the names on standard input with the list
compare() {
    sort -u >"$names"
    diff "$here/tests/fixtures/libtide.abi" "$names" >&2 ||
        { echo "the names of $1 (>) are not those of tests/fixtures/libtide.abi (<)" >&2; exit 1; }
}
defined() { awk 'NF >= 3 { print $3 }'; }
nm -D --defined-only "$build/libtide.so" | defined | compare libtide.so || exit 1
nm -g --defined-only "$build/libtide.a" | defined | compare libtide.a || exit 1
grep -o '\<tide_[a-z_]*(' "$here/src/tide.h" | tr -d '(' | compare tide.h || exit 1
sed -n 's/^ \(tide_[a-z_]*\)@.*/\1/p' "$here/debian/libtide0.symbols" | compare debian/libtide0.symbols || exit 1

# The libraries keep the names of their own functions, too, until they are stripped.
nm -g --defined-only "$build"/train/*.o | defined | sort -u >"$train"
grep -qx checkpoint_save "$train" || { echo "train/ has no checkpoint_save" >&2; exit 1; }
for library in libtide.so libtide.a; do
    nm --defined-only "$build/$library" | defined | sort -u >"$names"
    grep -qx translator_beam_options "$names" || { echo "$library is stripped" >&2; exit 1; }
    comm -12 "$train" "$names" | grep . >&2 && { echo "$library contains these names of train/" >&2; exit 1; }
done
exit 0
