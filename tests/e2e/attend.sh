#!/bin/sh
# Tests tide attend: the numbers of the textbook, the other kinds of attention, and errors for bad input.
. "$(dirname "$0")/../lib/common.inc"

attend() { tide_ok attend "$@" >"$scratch/out"; }
# says LINE: checks that the line was printed; the number of spaces may differ
says() { tr -s ' ' <"$scratch/out" | grep -qF -- "$1" || die "no '$1' in: $(cat "$scratch/out")"; }

attend --heatmap "$scratch/self.svg"
says 'journey 0.9544 1.4950 1.4754 0.8434 0.7070 1.0865'
says 'journey 0.1385 0.2379 0.2333 0.1240 0.1082 0.1581 ░░████····▒▒'
says 'journey 0.1455 0.2278 0.2249 0.1285 0.1077 0.1656'
for row in 'Your 0.4421 0.5931 0.5790' 'journey 0.4419 0.6515 0.5683' 'starts 0.4431 0.6496 0.5671' \
    'with 0.4304 0.6298 0.5510' 'one 0.4671 0.5910 0.5266' 'step 0.4177 0.6503 0.5645'; do says "$row"; done
grep -q 'starts → journey: 23%' "$scratch/self.svg" && grep -q '</svg>' "$scratch/self.svg" || die "the heatmap"
cp "$scratch/out" "$scratch/example"

# The same numbers from a file, with and without words. Identity matrices as W_Q, W_K and W_V change nothing; √d_k does.
grep -m 6 '^  [A-Za-z]' "$scratch/example" >"$scratch/words"
printf '1 0 0\n0 1 0\n0 0 1\n' >"$scratch/identity"
i=$scratch/identity
attend "$scratch/words"
says 'step 0.4177 0.6503 0.5645'
attend --weights "$i" "$i" "$i" - <"$scratch/words"
says 'step 0.4177 0.6503 0.5645'
says 'Scores Q Kᵀ,'
attend --scale
says 'journey 0.5510 0.8631 0.8518 0.4869 0.4082 0.6273'
says 'Scores X Xᵀ / √3,'
printf '１ -1\n\n2 ４\n-1 -3\n' | tide_ok attend - >"$scratch/out"
says '2 -2.0000 20.0000 -14.0000'
says '(standard input)'
says 'would not be weights here'
printf '1 0\n1 1\n-1 1\n' | tide_ok attend - >"$scratch/out"
says '1 - - -'
says '2 0.3333 0.6667 0.0000'
printf '潮水 1 -1\n退 2 2\n' >"$scratch/zh"
attend "$scratch/zh"
grep -qF '  潮水   1.0000  -1.0000' "$scratch/out" && grep -qF '  退     2.0000   2.0000' "$scratch/out" || die "columns of Chinese"

# the header of word2vec and fastText; words that look like numbers; words of GloVe that contain spaces
printf '4 2\nthe 1 0\n2008 0 1\nnan 1 1\n1e3 -1 1\n' >"$scratch/word2vec"
printf 'the 1 0\n2008 0 1\n. . . 1 1\ninf -1 1\n' >"$scratch/glove"
attend "$scratch/word2vec"
says 'the 1.0000 0.0000'
says '2008 0.0000 1.0000'
says 'nan 1.0000 1.0000'
says '1e3 -1.0000 1.0000'
attend "$scratch/glove" --neighbours 2008
says '0.7071 . . .'
printf 'east 2 0\nnorth 0 3\nnone 0 0\nwest -1 0\nnear 4 3\n' | tide_ok attend - --neighbours east --most 9 >"$scratch/out"
[ "$(sed '1,/^$/d' "$scratch/out" | tr -s ' ')" = ' 0.8000 near
 0.0000 north
 0.0000 none
 -1.0000 west' ] || die "all neighbours: $(cat "$scratch/out")"
attend "$scratch/glove" --neighbours '. . .'
says '0.7071 2008'
attend "$scratch/glove" --neighbours inf
says '0.7071 2008'
printf 'the 1 0\n\302\205 3 4\n\343\200\200 5 6\n' | tide_ok attend - >"$scratch/out" # words that are white space
says '␣ 3.0000 4.0000'
says '␣ 5.0000 6.0000'
printf '1 1\n2008 0.5\n' | tide_ok attend - >"$scratch/out" # two vectors of two numbers, not a header
says '2 2008.0000 0.5000'
printf '1 1\nthe 0.5\n' | tide_ok attend - >"$scratch/out"
says 'the 0.5000'
printf '3 2\n' | tide_ok attend - >"$scratch/out"
says '1 3.0000 2.0000'
attend --random-weights 4 --heads 2 --seed 5 --scale
says 'head 2 of 2'
says 'Scores Q Kᵀ / √2,'

# The explanations
attend --show equivariance --seed 3
sed -n 's/.* is \([0-9.e+-]*\)[,:] .*/\1/p' "$scratch/out" | tr '\n' ' ' |
    awk '{ exit !($1 < 1e-6 && $2 > 0.1) }' || die "equivariance: $(cat "$scratch/out")"
attend --show scaling
awk '$1 == 1 || $1 == 1024 { bad += $2 < 0.8 * $1 || $2 > 1.2 * $1 || $5 < 0.8 || $5 > 1.2; slope[$1] = $4; n++ }
    $1 == 1024 { bad += $7 < 0.15 } END { exit bad || n != 2 || slope[1024] > slope[1] / 3 }' "$scratch/out" ||
    die "scaling: $(cat "$scratch/out")"
attend --query 0 1 0 --most 2
says '0.8700 0.2134 journey'
says '0.8500 0.2092 starts'
[ "$(grep -c '^ *[0-9]' "$scratch/out")" = 2 ] || die "--most 2: $(cat "$scratch/out")"
attend --neighbours starts
says '0.9997 journey'

# The embeddings of a model: the pieces of each word; the nearest neighbours among all pieces
smallest_run "$scratch/run" --after-batches 4
attend --model "$scratch/run" --words 我 你们
says '我 你 们'
attend --model "$scratch/run" --neighbours 我 --most 3
[ "$(grep -c '^ *-*[01][.]' "$scratch/out")" = 3 ] || die "three neighbours: $(cat "$scratch/out")"
attend --model "$scratch/run" --side tgt --query ▁I
sed 1d "$scratch/out" >"$scratch/piece"
attend --model "$scratch/run" --side tgt --query I
sed 1d "$scratch/out" | cmp - "$scratch/piece" || die "the word I is not the piece ▁I: $(cat "$scratch/out")"

# refuses STATUS PATTERN flag...: checks the exit status, one line on stderr that matches, and nothing on stdout
refuses() {
    status=$1 pattern=$2
    shift 2
    "$tide" attend "$@" >"$scratch/out" 2>"$scratch/stderr" </dev/null
    got=$?
    [ $got = "$status" ] || die "$*: exit $got: $(cat "$scratch/stderr")"
    [ "$(wc -l <"$scratch/stderr")" = 1 ] && [ ! -s "$scratch/out" ] || die "$*: $(cat "$scratch/out" "$scratch/stderr")"
    grep -Eq "$pattern" "$scratch/stderr" || die "$*: printed '$(cat "$scratch/stderr")', not /$pattern/"
}
printf 'a 1 2\n\nb 1\n' >"$scratch/ragged"
printf 'a 1 2\nb 1 nan\n' >"$scratch/nan"
printf 'a 1 2\nb 1 x2\n' >"$scratch/letters"
printf 'a 1 2\nb 1 2x\n' >"$scratch/suffix"
printf 'a 1\n\377 1\n' >"$scratch/broken"
printf 'a\n' >"$scratch/word"
printf 'a 1e30\nb 1e30\n' >"$scratch/large"
printf '\n' >"$scratch/empty"
seq 101 >"$scratch/many"
refuses 1 'ragged:3: 1 numbers, but line 1 has 2' "$scratch/ragged"
printf '3 2\nthe 1 0\n2008 0 1\n' >"$scratch/cut"
printf 'the 1 0\nof 1 2 3\n' >"$scratch/long"
printf '1 2\n3 4\nthe 2\n' >"$scratch/late"
printf '1 2\ninf 4\n' >"$scratch/inf"
refuses 1 'cut:1: the header says 3 vectors, but there are 2' "$scratch/cut"
refuses 1 'long:2: 3 numbers, but line 1 has 2' "$scratch/long"
refuses 1 "late:3: 'the' is not a number, and line 1 does not start with a word" "$scratch/late"
refuses 1 "inf:2: 'inf' is not a finite number" "$scratch/inf"
refuses 1 "nan:2: 'nan' is not a finite number" "$scratch/nan"
refuses 1 "letters:2: 'x2' is not a number" "$scratch/letters"
refuses 1 "suffix:2: '2x' is not a number" "$scratch/suffix"
refuses 1 'broken:2: .*UTF-8' "$scratch/broken"
refuses 1 'word:1: a word without numbers' "$scratch/word"
refuses 1 'large: numbers so large' "$scratch/large"
refuses 1 'empty: holds no vectors' "$scratch/empty"
refuses 1 'standard input: holds no vectors' -
refuses 1 'missing: No such file' "$scratch/missing"
refuses 1 'many: 101 words' "$scratch/many"
refuses 1 'identity: W_Q has 3 rows, but' "$scratch/many" --weights "$i" "$i" "$i" --query 1
refuses 1 'identity: W_Q has 3 columns, not a multiple of 2 heads' --weights "$i" "$i" "$i" --heads 2
if native 'an argument that is not UTF-8'; then refuses 1 'a word is not valid UTF-8' --query "$(printf '\377')"; fi
refuses 1 "no word 'foot'" --query foot
refuses 1 "no word 'foot'" --neighbours foot
refuses 1 'query: 2 numbers, but the vectors have 3' --query 1 2
refuses 1 "query: 'inf' is not a finite number" --query 1 2 inf
refuses 1 "run: '龘' is not in the vocabulary" --model "$scratch/run" --words 我 龘
refuses 1 "run: '龘' is not in the vocabulary" --model "$scratch/run" --neighbours 龘
refuses 1 "run: '我们' has 2 pieces; give one of them" --model "$scratch/run" --query 我们
refuses 1 'run: [0-9]* words, but a table has at most 100;' --model "$scratch/run"
refuses 1 'no/such.svg: ' --heatmap "$scratch/no/such.svg"
refuses 2 'show must be one of' --show nothing
refuses 2 'reads one FILE' "$scratch/nan" "$scratch/nan"
refuses 2 'words and --side need --model' --words 我
refuses 2 'cannot be given together' --query 1 --neighbours x
refuses 2 'heads needs' --heads 2
refuses 2 'draws attention only' --show scaling --heatmap x.svg
