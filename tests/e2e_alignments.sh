#!/bin/sh
# Alignments by word, shifted, of both directions together, and their error rate, from the command line.
. "$(dirname "$0")/common.inc"
smallest_run "$scratch/run" --after-batches 24
smallest_run "$scratch/back" --after-batches 24 --langs en zh --tokenizer bpe char

# words are given by spaces: characters of a word stand apart only in pieces
cut -f1 "$scratch/dev.tsv" >"$scratch/en"
cut -f2 "$scratch/dev.tsv" | sed 's/\([^，。！？]\)\([^，。！？]\)/\1\2 /g' >"$scratch/zh"
pair="--src $scratch/zh --tgt $scratch/en"
tide_ok align "$scratch/run" $pair --level word --format matrix >"$scratch/matrix"
awk -v words="$(head -n 1 "$scratch/zh" | wc -w)" 'NR == 1 {
        n = split($0, part, / [|][|][|] /); split(part[5], size, " ")
        if (n != 5 || size[1] != words + 1 || split(part[4], word, " ") != words || /unk/) exit 1
        rows = size[2]; cols = size[1]; next
    }
    NR <= rows + 1 { for (i = sum = 0; i++ < NF;) sum += $i; if (NF != cols || sum < 0.999 || sum > 1.001) exit 1 }
    NR == rows + 2 { exit NF > 0 }' "$scratch/matrix" || die "align --format matrix: $(head -n 3 "$scratch/matrix")"
[ "$(grep -c ' ||| ' "$scratch/matrix")" = 12 ] || die "not 12 matrices"

tide_ok align "$scratch/run" $pair >"$scratch/pieces"
tide_ok align "$scratch/run" $pair --level word >"$scratch/words"
tide_ok align "$scratch/run" $pair --level word --shift >"$scratch/shifted"
tide_ok align "$scratch/run" $pair --level word --threshold 0.0001 >"$scratch/all"
cmp -s "$scratch/pieces" "$scratch/words" && die "--level word does nothing"
[ "$(wc -w <"$scratch/all")" -gt "$(wc -w <"$scratch/words")" ] || die "--threshold does nothing"

# both directions: what is in the intersection is in both, and the other way round for the union
tide_ok align "$scratch/back" --src "$scratch/en" --tgt "$scratch/zh" --level word |
    sed 's/\([0-9]*\)-\([0-9]*\)/\2-\1/g' >"$scratch/reverse"
both() { tide_ok align "$scratch/run" $pair --level word --reverse "$scratch/back" "$@"; }
both --symmetrize intersection >"$scratch/intersection"
both --symmetrize union >"$scratch/union"
both >"$scratch/grown"
sets() { awk '{ for (i = 1; i <= NF; i++) print NR, $i }' "$1" | sort -u; }
for set in words reverse intersection union grown; do sets "$scratch/$set" >"$scratch/$set.set"; done
comm -12 "$scratch/words.set" "$scratch/reverse.set" | cmp -s - "$scratch/intersection.set" || die "intersection"
sort -u "$scratch/words.set" "$scratch/reverse.set" | cmp -s - "$scratch/union.set" || die "union"
[ -z "$(comm -13 "$scratch/grown.set" "$scratch/intersection.set")" ] || die "grow-diag-final-and lost some"
[ -z "$(comm -23 "$scratch/grown.set" "$scratch/union.set")" ] || die "grow-diag-final-and made some up"

# translate shows its alignments the same ways
cut -f2 "$scratch/dev.tsv" | tide_ok translate "$scratch/run" --alignment hard --level word >"$scratch/translated"
grep -Eq '[|][|][|] ([0-9]+-[0-9]+ ?)*$' "$scratch/translated" || die "translate --level word"

# error rate
[ "$(tide_ok aer "$scratch/union" <"$scratch/union" | cut -c1-12)" = 'AER = 0.0000' ] || die "aer of the gold itself"
printf '1-1 2p2\n3-3-P\n' >"$scratch/gold"
printf '0-0 1-1\n5-5\n' | tide_ok aer "$scratch/gold" --one-ref >"$scratch/aer"
grep -q '^AER = 0.2500 precision = 0.6667 recall = 1.0000 (links = 3 sure = 1 possible = 3)$' "$scratch/aer" ||
    die "aer said $(cat "$scratch/aer")"
refused() {
    status=$1 reason=$2
    shift 2
    "$tide" "$@" >/dev/null 2>"$scratch/stderr" </dev/null
    [ $? = "$status" ] && grep -q "$reason" "$scratch/stderr" || die "$*: $(cat "$scratch/stderr")"
}
refused 1 'standard input: fewer lines than' aer "$scratch/gold"
printf '0-0\nx\n' >"$scratch/broken"
"$tide" aer "$scratch/broken" <"$scratch/gold" >/dev/null 2>"$scratch/stderr" && die "a broken gold was taken"
grep -q "broken:2: 'x' is no link" "$scratch/stderr" || die "$(cat "$scratch/stderr")"
refused 2 'needs --level word' align "$scratch/run" $pair --reverse "$scratch/back"
refused 2 'needs --reverse' align "$scratch/run" $pair --symmetrize union
