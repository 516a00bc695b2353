#!/bin/sh
# tide align finds the attention weights of the search. Commands say if a text is not in the model's language; translate.sh
# tests what tide translate says.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/translator.inc

tide_ok translate "$scratch/run" --alignment hard <"$scratch/dev.zh" >"$scratch/hard"
# align: forced decoding of the same sentences gives the attention weights of the search
tide_ok align "$scratch/run" --src "$scratch/dev.zh" --tgt "$scratch/dev.en" --format json >"$scratch/json"
[ "$(grep -c '"matrix"' "$scratch/json")" = 12 ] || die "align --format json"
sed 's/ ||| .*//' "$scratch/hard" >"$scratch/hyp"
sed 's/.* ||| //' "$scratch/hard" >"$scratch/searched"
tide_ok align "$scratch/run" --src "$scratch/dev.zh" --tgt "$scratch/hyp" >"$scratch/forced"
same=$(paste -d'|' "$scratch/forced" "$scratch/searched" | awk -F'|' '$1 == $2' | wc -l)
[ "$same" -ge 9 ] || die "forced and searched alignments agree on $same of 12 (a text may be split into other pieces)"
tide_ok align "$scratch/run" --src "$scratch/dev.zh" --tgt "$scratch/dev.en" --format svg --output "$scratch/svg2"
[ -s "$scratch/svg2/0001.svg" ] || die "align --format svg"

# text in another language is translated, with a warning that most of its pieces are unknown
unread() { # FILE LANGUAGE COMMAND ...
    file=$1 lang=$2
    shift 2
    tide_ok "$@" >/dev/null
    grep -q "^$file: [0-9]* % of the pieces are unknown to the model; it expects language '$lang' here\$" "$scratch/stderr" ||
        die "$*: $(cat "$scratch/stderr")"
}
unread "$scratch/dev.en" zh evaluate "$scratch/run" --src "$scratch/dev.en" --ref "$scratch/dev.en"
unread "$scratch/dev.en" zh score "$scratch/run" --src "$scratch/dev.en" --tgt "$scratch/dev.zh"
unread "$scratch/dev.zh" en align "$scratch/run" --src "$scratch/dev.en" --tgt "$scratch/dev.zh"
tide_ok align "$scratch/run" --src "$scratch/dev.zh" --tgt "$scratch/dev.en" >/dev/null
! grep -q 'unknown' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
