#!/bin/sh
# bleu and chrf print the same as sacreBLEU, also for unusual text, with the same signatures; they accept sacreBLEU's -lc.
. "$(dirname "$0")/../lib/common.inc"

# prints LINE SETTINGS command...: checks that the command prints exactly this line and signature for the hypotheses in $hyp
prints() {
    printf '%s\nnrefs:1|%s|version:%s\n' "$1" "$2" "$version" >"$scratch/expected"
    shift 2
    tide_ok "$@" <"$hyp" >"$scratch/printed"
    cmp "$scratch/expected" "$scratch/printed" || die "$* of $hyp: $(cat "$scratch/printed")"
}
version=$(tide_ok --version | head -n 1 | tr ' ' -)
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

# several references, scores alone, and JSON: the scores are the same in all forms
head -n 12 "$hyp" >"$scratch/first"
sed 's/the /a /' "$scratch/first" >"$scratch/second"
paste -d '\n' "$scratch/first" "$scratch/second" | awk 'NR % 4 < 2' >"$scratch/other" # each line is that of one of them
tide_ok bleu "$scratch/first" "$scratch/second" <"$scratch/other" >"$scratch/printed"
grep -q '^nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|' "$scratch/printed" || die "two references: $(cat "$scratch/printed")"
both=$(sed -n 's/^BLEU = \([0-9.]*\) .*/\1/p' "$scratch/printed")
[ "$(tide_ok bleu "$scratch/second" "$scratch/first" --score-only <"$scratch/other")" = "$both" ] || die "another order, another BLEU"
one=$(tide_ok bleu "$scratch/first" --score-only <"$scratch/other")
[ "$both" = 100.00 ] && [ "$one" != 100.00 ] || die "two references give $both, one gives $one"
for metric in bleu chrf; do
    tide_ok $metric "$scratch/first" "$scratch/second" --json <"$scratch/other" >"$scratch/json"
    python3 - "$scratch/json" "$(tide_ok $metric "$scratch/first" "$scratch/second" --score-only <"$scratch/other")" <<'PY' ||
import json, sys
found = json.load(open(sys.argv[1]))
assert f"{found['score']:.2f}" == sys.argv[2] and found["nrefs"] == "2" and found["case"] == "mixed", found
assert found["signature"].startswith("nrefs:2|case:mixed|"), found
PY
        die "$metric --json: $(cat "$scratch/json")"
done
refused 1 'standard input: 0 lines, but .*/first has 12' bleu "$scratch/first" "$hyp"
refused 2 'cannot be given' bleu "$scratch/first" --json --compare "$scratch/other"
printf '0-0 1-1\n' >"$scratch/gold"
[ "$(printf '0-0\n' | "$tide" aer "$scratch/gold" --score-only)" = 0.3333 ] || die "aer --score-only"
[ "$(printf '0-0\n' | "$tide" aer "$scratch/gold" --json)" = '{"name": "AER", "score": 0.3333, "precision": 1.0000, "recall": 0.5000, "links": 1, "sure": 2, "possible": 2}' ] ||
    die "aer --json"
