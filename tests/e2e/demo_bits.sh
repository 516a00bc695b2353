#!/bin/sh
# The first 50 updates of the demo have the bits that scripts/demo and README.md name: whoever changes bits changes the number of
# the arithmetic. neon.sh and wasm.sh compare other machines.
. "$(dirname "$0")/../lib/common.inc"

named() { sed -n "s/^$1=//p" scripts/demo; }
for isa in auto avx2; do # portable code takes more than a minute
    [ $isa = auto ] || has_isa "$scratch/demo" $isa || continue
    rm -rf "$scratch/demo"
    tide_ok train --preset tiny --tsv corpus/train.tsv --model "$scratch/demo" --after-batches 50 --quiet --isa $isa
    tide_ok info --recipe "$scratch/demo" >"$scratch/recipe"
    grep -q "^update 50: $(named after_50)\$" "$scratch/recipe" ||
        die "$isa: other bits than those of arithmetic $(named arithmetic). If this is meant: change ARITHMETIC in \
src/translate/recipe.h, its number and hashes in scripts/demo and README.md, and say why in docs/changelog.md: $(cat "$scratch/recipe")"
done
grep -q "^made by: tide train, version [^ ]*, arithmetic $(named arithmetic)\$" "$scratch/recipe" || die "$(cat "$scratch/recipe")"
for sum in "$(named after_50)" "$(named at_end)"; do grep -q "$sum" README.md || die "README.md does not name $sum"; done
