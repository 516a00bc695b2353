#!/bin/sh
# tide score finds the probabilities of the search, for a sentence and for each word.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/translator.inc

# score: gives a translation the probability that the search reported (unless its text is split into other pieces)
tide_ok translate "$scratch/run" --n-best 1 <"$scratch/dev.zh" >"$scratch/best"
awk -F' [|][|][|] ' '{ print $2 > "'"$scratch"'/best.en"; print substr($3, 5) }' "$scratch/best" >"$scratch/said"
tide_ok score "$scratch/run" --src "$scratch/dev.zh" --tgt "$scratch/best.en" >"$scratch/scores"
[ "$(wc -l <"$scratch/scores")" = 13 ] || die "score: $(wc -l <"$scratch/scores") lines"
same=$(head -n 12 "$scratch/scores" | paste - "$scratch/said" | awk '($1 - $2) ^ 2 < 1e-6' | wc -l)
[ "$same" -ge 9 ] || die "score and search agree on $same of 12: $(paste "$scratch/scores" "$scratch/said")"
awk 'NR <= 12 { sum += $1 } NR == 13 { bad = (sum - $3) ^ 2 > 1e-4 || ($12 - exp(-$3 / $6)) ^ 2 > 1e-4 * $12 ^ 2 }
    END { exit bad }' "$scratch/scores" || die "score sums up to $(tail -n 1 "$scratch/scores")"
[ "$(tide_ok score "$scratch/run" --src "$scratch/dev.zh" --tgt "$scratch/best.en" --summary)" = \
    "$(tail -n 1 "$scratch/scores")" ] || die "score --summary"

# --word-scores: their sum is the score; `score` finds the same for the printed translation, in batches of any size
tide_ok translate "$scratch/run" --word-scores --n-best 2 <"$scratch/dev.zh" >"$scratch/found"
awk -F' \\|\\|\\| ' '{ n = split($3, x, " "); sum = 0; for (i = 2; i <= n; i++) sum += x[i]; split($4, f, " ")
    if (x[1] != "WordScores=" || (sum - f[2]) ^ 2 > 1e-6) { print; exit 1 } }' "$scratch/found" >"$scratch/wrong" ||
    die "--word-scores: $(cat "$scratch/wrong")"
tide_ok score "$scratch/run" --src "$scratch/dev.zh" --tgt "$scratch/dev.en" --word-scores >"$scratch/batched"
i=0
while read -r zh; do
    i=$((i + 1))
    echo "$zh" >"$scratch/one.zh"
    sed -n "${i}p" "$scratch/dev.en" >"$scratch/one.en"
    tide_ok score "$scratch/run" --src "$scratch/one.zh" --tgt "$scratch/one.en" --word-scores --threads 1 | head -n 1
done <"$scratch/dev.zh" >"$scratch/single"
sed '$d' "$scratch/batched" | cmp - "$scratch/single" || die "a pair has another score in a batch"
grep -qE '^-[0-9.]+ \|\|\| WordScores=( -[0-9.]+)+$' "$scratch/single" || die "score --word-scores: $(head -n 1 "$scratch/single")"
