#!/bin/sh
# --shortlist: the same bits for any batch, number of threads and instruction set; prefixes and glossaries still work.
. "$(dirname "$0")/../lib/common.inc"
smallest_run "$scratch/one" --after-batches 60 --threads 2
smallest_run "$scratch/two" --after-batches 60 --threads 2 --seed 2
tide_ok lexicon --tsv "$scratch/train.tsv" --output "$scratch/lexicon" --sweeps 4 --samplers 2
lexicon=$scratch/lexicon/lexicon.tsv
cut -f 2 "$scratch/dev.tsv" >"$scratch/dev.zh"
cut -f 1 "$scratch/dev.tsv" >"$scratch/dev.en"
short() { tide_ok translate "$@" --shortlist "$lexicon" --shortlist-first 20 <"$scratch/dev.zh"; }

tide_ok translate "$scratch/one" <"$scratch/dev.zh" >"$scratch/free"
tide_ok translate "$scratch/one" --shortlist "$lexicon" --shortlist-first 100000 <"$scratch/dev.zh" >"$scratch/all"
cmp "$scratch/free" "$scratch/all" || die "a shortlist of all words changes translations"
short "$scratch/one" >"$scratch/short"
cmp -s "$scratch/free" "$scratch/short" && die "a shortlist of few words changes nothing"
printf 'zzz\tYes\t1\n' >"$scratch/other"
tide_ok translate "$scratch/one" --shortlist "$scratch/other" --shortlist-first 20 <"$scratch/dev.zh" |
    cmp -s - "$scratch/short" && die "the words of the lexicon change nothing"
short "$scratch/one" --mini-batch 1 --threads 1 | cmp - "$scratch/short" || die "the batch changes the translations"
for isa in avx512 avx2 neon portable; do
    has_isa "$scratch/one" $isa || continue
    short "$scratch/one" --isa $isa --threads 3 | cmp - "$scratch/short" || die "$isa changes the translations"
done
short --models "$scratch/one" "$scratch/two" >"$scratch/both"
short --models "$scratch/one" "$scratch/two" --mini-batch 1 | cmp - "$scratch/both" || die "an ensemble depends on the batch"
tide_ok quantize "$scratch/one" "$scratch/int8" >/dev/null
short "$scratch/int8" >"$scratch/int8.out"
short "$scratch/int8" --isa portable --mini-batch 1 | cmp - "$scratch/int8.out" || die "8 bits: other translations"

# A prefix and a term that the shortlist lacks.
sed 's/.*/Yes,/' "$scratch/dev.en" >"$scratch/prefix"
short "$scratch/one" --prefix "$scratch/prefix" >"$scratch/prefixed"
[ "$(grep -c '^Yes,' "$scratch/prefixed")" = "$(grep -c . "$scratch/dev.zh")" ] || die "a prefix is lost"
printf '%s\tYes\n' "$(sed -n '1s/^\(.\).*/\1/p' "$scratch/dev.zh")" >"$scratch/terms"
short "$scratch/one" --glossary "$scratch/terms" | head -n 1 | grep -q Yes || die "a term is lost"

tide_ok evaluate "$scratch/one" --src "$scratch/dev.zh" --ref "$scratch/dev.en" --shortlist "$lexicon" >/dev/null
printf 'a\n' >"$scratch/bad"
refused 1 'bad:1: a line must be' translate "$scratch/one" --shortlist "$scratch/bad"
refused 2 'need --shortlist' translate "$scratch/one" --shortlist-best 3
refused 2 'leave out --shortlist' translate "$scratch/one" --shortlist "$lexicon" --output-sampling full
