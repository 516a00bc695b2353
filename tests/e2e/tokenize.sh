#!/bin/sh
# tokenize prints the pieces that a model is trained on, and --join restores every text.
# shellcheck disable=SC2059,SC2086 # texts are formats of printf; a variable holds one flag or none
. "$(dirname "$0")/../lib/common.inc"

smallest_run "$scratch/run" --after-batches 24
smallest_run "$scratch/swapped" --after-batches 1 --tokenizer bpe char
smallest_run "$scratch/none" --after-batches 1 --tokenizer none none
tokenize() {
    model=$1
    shift
    tide_ok tokenize "$scratch/$model" "$@"
}

# gives OUT IN MODEL [flag ...]: checks that the output for IN is exactly OUT; both are formats of printf
gives() {
    printf "$1" >"$scratch/expected"
    printf "$2" >"$scratch/in"
    shift 2
    tokenize "$@" <"$scratch/in" >"$scratch/out"
    cmp "$scratch/expected" "$scratch/out" || die "tokenize $*: $(cat "$scratch/out")"
}
gives '潮 水 退 了 , 才\n\n3 个 ▁ iPhone ▁ 15\n' '\357\273\277潮水退了，才\r\n\n３个 iPhone　 15 ' run
gives '\\_ \\\\ \\\\\n' '▁\\\\' run --side src
gives '▁the ▁t\n' '  the\tt\n' run --side tgt
gives '潮水 the\n' '潮水 the' none
gives '' '' run
gives '潮水\n\nthe t\n' '潮 水\r\n\n the ▁  t' run --join
gives 'the t\n' '▁th e ▁t\n' run --join --side tgt

# Another toolkit can train on the printed pieces: tide makes the same updates on the pieces as on the text. (Without
# merges, because the vocabulary of a model with merges also has the pieces that are merged everywhere.)
smallest_run "$scratch/letters" --after-batches 24 --bpe-merges 0 0
for set in train dev; do
    cut -f2 "$scratch/$set.tsv" | tokenize letters >"$scratch/$set.src"
    cut -f1 "$scratch/$set.tsv" | tokenize letters --side tgt >"$scratch/$set.tgt"
done
tide_ok train --model "$scratch/pieces" --config "$scratch/smallest.conf" --after-batches 24 --tokenizer none none \
    --train-sets "$scratch/train.src" "$scratch/train.tgt" --valid-sets "$scratch/dev.src" "$scratch/dev.tgt"
for run in letters pieces; do
    grep -o '"[a-z_]*loss": [0-9.]*\|"update": [0-9]*' "$scratch/$run/train.jsonl" >"$scratch/$run.losses"
done
grep -q valid_loss "$scratch/letters.losses" && cmp "$scratch/letters.losses" "$scratch/pieces.losses" ||
    die "training on the pieces gives other losses: $(diff "$scratch/letters.losses" "$scratch/pieces.losses")"

# With merges, they are the pieces of the alignments.
cut -f2 "$scratch/dev.tsv" >"$scratch/dev.zh"
cut -f1 "$scratch/dev.tsv" >"$scratch/dev.en"
tide_ok align "$scratch/run" --src "$scratch/dev.zh" --tgt "$scratch/dev.en" --format json |
    sed 's/.*"target": \["\([^]]*\)", "<\/s>"\].*/\1/; s/", "/ /g' >"$scratch/expected"
tokenize run --side tgt <"$scratch/dev.en" >"$scratch/out"
grep -q '[a-z][a-z]' "$scratch/out" && cmp "$scratch/expected" "$scratch/out" ||
    die "the pieces of alignments: $(diff "$scratch/expected" "$scratch/out")"

# comes_back FILE: checks that the joined pieces of every tokeniser are NFKC(text) with single spaces, which the tokeniser
# `none` prints. A piece that contained a space would lose it.
comes_back() {
    tokenize none <"$1" >"$scratch/text"
    for way in 'run src' 'run tgt' 'swapped src' 'swapped tgt' 'none tgt'; do
        model=${way% *} side=${way#* }
        tokenize $model --side $side <"$1" >"$scratch/out"
        [ "$(wc -l <"$scratch/out")" = "$(wc -l <"$1")" ] || die "$way: not a line for each line of $1"
        grep -q '^ \|  \| $' "$scratch/out" && die "$way: an empty piece in $1"
        tokenize $model --side $side --join <"$scratch/out" >"$scratch/joined"
        cmp "$scratch/text" "$scratch/joined" || die "$way: $1 does not come back"
    done
}
snippets='潮 水 退 了 々 𠮷 a b it Didn é é ß ﬁ Ω か ｶﾞ 한 ᄒ ᅡ ﷺ नि 1 42 ½ ² Ａ ７ ！ ， 。 “ ’ ’s '\''re " ▁ _ \ \_ \\ <s> </s> - … ¨ ́ ̣ ⃝ ️ 👍🏽 👩‍🚀 🇨🇳'
LC_ALL=C awk -v snippets="$(echo "$snippets" | sed 's/\\/\\\\/g')" 'BEGIN {
    n = split(snippets, snippet, " ")
    snippet[++n] = "\357\273\277" # a byte order mark
    m = split(" |  |\302\240|\343\200\200|\342\200\250|\t|\r|\001|\302\205", blank, "|")
    srand(7)
    print snippet[n] snippet[n] "at the start"
    for (line = 0; line < 3000; line++) {
        for (k = int(rand() * 30); k > 0; k--) printf "%s", rand() < 0.8 ? snippet[1 + int(rand() * n)] : blank[1 + int(rand() * m)]
        print ""
    }
}' >"$scratch/generated"
comes_back "$scratch/generated"
cat corpus/*.tsv tests/fixtures/scores/*.hyp >"$scratch/real"
comes_back "$scratch/real"

# A line that is not valid UTF-8 is reported with its number; the lines before it are printed.
for bad in 'tw\377o:line is not valid UTF-8 (byte 3)' 'a\0b:line holds a NUL (byte 2), as text in UTF-16 does' 'cut \346\275:line is not valid UTF-8 (byte 5)'; do
    printf "海\n${bad%%:*}\n海\n" >"$scratch/in"
    for join in '' --join; do
        "$tide" tokenize "$scratch/run" $join <"$scratch/in" >"$scratch/out" 2>"$scratch/stderr"
        [ $? = 1 ] && [ "$(cat "$scratch/stderr")" = "tide: standard input:2: ${bad#*:}" ] && [ "$(cat "$scratch/out")" = 海 ] ||
            die "tokenize $join of '$bad': $(cat "$scratch/out" "$scratch/stderr")"
    done
done
"$tide" tokenize "$scratch/run" <"$scratch" >"$scratch/out" 2>"$scratch/stderr" && die "a directory is tokenised"
grep -q '^tide: standard input: ' "$scratch/stderr" || die "a directory: $(cat "$scratch/stderr")"

# 30 megabytes are tokenised in less than half as much memory. (Sanitizers need more memory.)
# shellcheck disable=SC3045 # the test ends here if the shell has no ulimit -v
(ulimit -v 12000 && "$tide" --version) >"$scratch/out" 2>&1 ||
    { echo "skipped: tokenising in little memory: needs a limit of memory, which this machine refuses"; exit 0; }
yes "$(printf '%10000s' 海)" | head -n 3000 >"$scratch/in"
# shellcheck disable=SC3045
(ulimit -v 12000 && tokenize run <"$scratch/in" >"$scratch/out") || exit 1
[ "$(sort "$scratch/out" | uniq -c | tr -s ' ')" = ' 3000 海' ] || die "3000 lines became $(wc -l <"$scratch/out")"
