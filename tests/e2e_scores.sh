#!/bin/sh
# bleu and chrf print the same as sacreBLEU, also for unusual text, with the same signatures; they accept sacreBLEU's -lc.
. "$(dirname "$0")/common.inc"

# prints LINE SETTINGS command...: checks that the command prints exactly this line and signature for the hypotheses in $hyp
prints() {
    printf '%s\nnrefs:1|%s|version:%s\n' "$1" "$2" "$version" >"$scratch/expected"
    shift 2
    tide_ok "$@" <"$hyp" >"$scratch/printed"
    cmp "$scratch/expected" "$scratch/printed" || die "$* of $hyp: $(cat "$scratch/printed")"
}
version=$(tide_ok --version | tr ' ' -)
bleu='eff:no|tok:13a|smooth:exp' chrf='eff:yes|nc:6|nw:0|space:no'

# expected KEY: prints sacreBLEU's value for the case $name
expected() { sed -n "/^ \"$name\":/,/^ }/s/^  \"$1\": \"*\([^\"]*[^\",]\).*/\1/p" tests/fixtures/scores/expected.json; }
for hyp in tests/fixtures/scores/*.hyp; do
    name=$(basename "$hyp" .hyp) ref=${hyp%.hyp}.ref
    prints "$(expected line)" "case:mixed|$bleu" bleu "$ref"
    prints "$(printf 'chrF2 = %.2f' "$(expected chrf2)")" "case:mixed|$chrf" chrf "$ref"
    for lc in -lc --lc; do
        tide_ok bleu "$ref" $lc <"$hyp" >"$scratch/printed"
        grep -q "^$(printf 'BLEU = %.2f ' "$(expected bleu_lc)")" "$scratch/printed" &&
            grep -qF "nrefs:1|case:lc|$bleu|" "$scratch/printed" || die "bleu $lc of $hyp: $(cat "$scratch/printed")"
    done
done

hyp=$scratch/dev.en ref=$scratch/dev.upper
cut -f1 "$scratch/dev.tsv" >"$hyp"
tr '[:lower:]' '[:upper:]' <"$hyp" >"$ref"
for lc in -lc --lc; do
    prints 'chrF2 = 100.00' "case:lc|$chrf" chrf $lc "$ref"
    prints "$(tide_ok bleu "$hyp" <"$hyp" | head -n 1)" "case:lc|$bleu" bleu $lc "$ref"
done
grep -q '^BLEU = 100.00 ' "$scratch/printed" || die "BLEU of itself: $(cat "$scratch/printed")"
tide_ok chrf "$ref" <"$hyp" >"$scratch/printed"
grep -q '^chrF2 = 100' "$scratch/printed" && die "chrf compares without case unasked"

for metric in bleu chrf; do
    printf 'one\ntw\377o\nthree\n' | "$tide" $metric "$ref" >"$scratch/printed" 2>"$scratch/stderr" && die "$metric of broken UTF-8"
    grep -q '^tide: standard input:2: .*UTF-8' "$scratch/stderr" && [ ! -s "$scratch/printed" ] || die "$metric: $(cat "$scratch/stderr")"
    tide_ok $metric --help | grep '^  --lc .*-lc' >/dev/null || die "$metric --help says nothing of -lc"
done
