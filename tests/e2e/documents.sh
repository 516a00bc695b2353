#!/bin/sh
# tide align --document: finds the pairs of the starter corpus again, which were joined to a document and its translation.
. "$(dirname "$0")/../lib/common.inc"
head -n 300 corpus/train.tsv >"$scratch/pairs"
# A document has lines of three sentences, and an empty line after every fifth line. A side of each tenth pair is missing.
document() { # SIDE COLUMN SPACE
    awk -F'\t' -v column="$2" -v space="$3" 'NR % 20 == 10 * column - 10 { next }
        { line = line (line == "" ? "" : space) $column }
        ++n % 3 == 0 { print line; line = "" }
        n % 15 == 0 { print "" }
        END { print line }' "$scratch/pairs" >"$scratch/book.$1"
}
document en 1 ' '
document zh 2 ''
aligned() { tide_ok align --document --src "$scratch/book.zh" --tgt "$scratch/book.en" "$@"; }
enough() { # FILE: columns Chinese, English
    awk -F'\t' 'NR == FNR { if (FNR % 10) all[$2 "\t" $1] = ++pairs; next }
        { found++; right += ($1 "\t" $2) in all }
        END { print right " of " found " pairs right, of " pairs; exit !(right >= .95 * pairs && right >= .95 * found) }' \
        "$scratch/pairs" "$1" || die "too many pairs are wrong"
}
aligned --output "$scratch/book.tsv" --threads 1
enough "$scratch/book.tsv"
grep -q '^[0-9]* pairs; without a partner: [0-9]* of [0-9]* source and [0-9]* of [0-9]* target sentences$' "$scratch/stderr" ||
    die "no counts: $(cat "$scratch/stderr")"
# the same bits with other threads, from pipes, with another instruction set
aligned --threads 2 | cmp - "$scratch/book.tsv" || die "two threads give other pairs"
tide_ok align --document --src - --tgt "$scratch/book.en" --isa portable --langs zh en --quiet <"$scratch/book.zh" |
    cmp - "$scratch/book.tsv" || die "standard input gives other pairs"
[ ! -s "$scratch/stderr" ] || die "--quiet is not quiet: $(cat "$scratch/stderr")"
# the other direction finds most of the same pairs
tide_ok align --document --src "$scratch/book.en" --tgt "$scratch/book.zh" --langs en zh >"$scratch/other"
awk -F'\t' -v OFS='\t' '{ print $2, $1 }' "$scratch/other" >"$scratch/turned"
enough "$scratch/turned"
# tide corpus and tide lexicon read what was written
aligned --format tmx --output "$scratch/book.tmx"
tide_ok corpus --tmx "$scratch/book.tmx" --output "$scratch/of_tmx" --dev 0 --test 0 >/dev/null
tide_ok corpus --tsv "$scratch/book.tsv" --output "$scratch/of_tsv" --dev 0 --test 0 >/dev/null
for side in zh en; do
    cmp "$scratch/of_tmx/train.$side" "$scratch/of_tsv/train.$side" || die "the TMX has other pairs"
done
[ "$(wc -l <"$scratch/of_tmx/train.en")" -gt 250 ] || die "the TMX has few pairs"
# what was learned from other text helps where a document is small: 30 pairs, of which every sixth has no Chinese sentence, and
# every sixth no English one
tail -n +301 corpus/train.tsv >"$scratch/others"
tide_ok lexicon --tsv "$scratch/others" --output "$scratch/words" --samplers 1 --sweeps 5
awk -F'\t' 'NR <= 30 && NR % 6 != 3 { print $1 }' "$scratch/pairs" >"$scratch/small.en"
awk -F'\t' 'NR <= 30 && NR % 6 != 0 { print $2 }' "$scratch/pairs" >"$scratch/small.zh"
right() { # [flag ...]: prints how many of the 20 pairs are found
    tide_ok align --document --keep-lines --src "$scratch/small.zh" --tgt "$scratch/small.en" "$@" |
        awk -F'\t' 'NR == FNR { all[$2 "\t" $1]; next } ($1 "\t" $2) in all { n++ } END { print n + 0 }' "$scratch/pairs" -
}
helped=$(right --priors "$scratch/words/priors.tsv") alone=$(right)
[ "$helped" -ge 18 ] && [ "$helped" -gt $((alone + 5)) ] || die "with priors $helped of 20 pairs, without $alone"
# a threshold leaves out pairs
aligned --threshold 0.99 >"$scratch/sure"
awk -F'\t' '$3 < .99 { exit 1 }' "$scratch/sure" || die "a pair is below the threshold"
[ "$(wc -l <"$scratch/sure")" -lt "$(wc -l <"$scratch/book.tsv")" ] || die "the threshold leaves out no pair"
# lines that stay whole: one with two sentences is one
printf '你好。再见。\n\n潮水退了。\n' >"$scratch/short.zh"
printf 'Hello. Goodbye.\nThe tide went out.\n' >"$scratch/short.en"
[ "$(tide_ok align --document --keep-lines --src "$scratch/short.zh" --tgt "$scratch/short.en" | cut -f1,2)" = \
    "$(printf '你好。再见。\tHello. Goodbye.\n潮水退了。\tThe tide went out.')" ] || die "the lines are not kept"
# bad input
printf 'good\nb\377d\n' >"$scratch/broken"
printf '\n \n' >"$scratch/blank"
document="align --document --src $scratch/book.zh --tgt"
# shellcheck disable=SC2086 # words of a command
{
    refused 1 'broken:2: .*UTF-8' $document "$scratch/broken"
    refused 1 'blank: the file has no sentence' $document "$scratch/blank"
    refused 1 'No such file' $document "$scratch/none"
    refused 1 'others:1: not a file of priors' $document "$scratch/book.en" --priors "$scratch/others"
    refused 2 'needs no MODEL' $document "$scratch/book.en" zh-en
    refused 2 'document needs --src FILE and --tgt FILE' align --document --src "$scratch/book.zh"
    refused 2 'symmetrize and --document' $document "$scratch/book.en" --symmetrize soft
    refused 2 'formats tsv and tmx, not' $document "$scratch/book.en" --format svg
    refused 1 'is read, and would be overwritten' $document "$scratch/book.en" --output "$scratch/book.en"
    refused 2 'tsv and tmx need --document' align zh-en --src "$scratch/book.zh" --tgt "$scratch/book.en" --format tmx
    refused 2 'langs needs --document' align zh-en --src "$scratch/book.zh" --tgt "$scratch/book.en" --langs zh en
}
[ "$(head -n 1 "$scratch/book.en" | cut -c 1-4)" = 'When' ] || die "a refused output was written"
