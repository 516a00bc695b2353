#!/bin/sh
# tide evaluate translates, and computes BLEU and chrF of what tide translate prints.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/translator.inc

tide_ok evaluate "$scratch/run" --src "$scratch/dev.zh" --ref "$scratch/dev.en" --output "$scratch/out.en" >"$scratch/both"
tide_ok translate "$scratch/run" <"$scratch/dev.zh" | cmp - "$scratch/out.en" || die "evaluate gives other translations than translate"
{ tide_ok bleu "$scratch/dev.en" <"$scratch/out.en"; tide_ok chrf "$scratch/dev.en" <"$scratch/out.en"; } |
    cmp - "$scratch/both" || die "evaluate: $(cat "$scratch/both")"

cp "$scratch/dev.en" "$scratch/mine.en"
refused 1 'mine.en: is read, and would be overwritten' evaluate "$scratch/run" --src "$scratch/dev.zh" --ref "$scratch/mine.en" \
    --output "$scratch/mine.en"
cmp "$scratch/dev.en" "$scratch/mine.en" || die "evaluate wrote over its references"
"$tide" evaluate "$scratch/run" --src "$scratch/dev.zh" --ref "$scratch/dev.en" --output "$scratch/nowhere/out" >"$scratch/both" \
    2>"$scratch/stderr" && die "evaluate wrote to a folder that is not there"
grep -q 'nowhere/out: ' "$scratch/stderr" && [ ! -s "$scratch/both" ] || die "translates what it cannot write: $(cat "$scratch/both")"
