#!/bin/sh
# Tables (TSV, CSV) and lines of JSON: all commands that read pairs find the two columns by their scripts, or take those of
# --columns, from files and from pipes, say so once if there was a choice, and refuse files without text in both languages.
. "$(dirname "$0")/../lib/common.inc"

head -n 300 corpus/train.tsv >"$scratch/usual.tsv"
usual=$scratch/usual.tsv
columns() { awk -F'\t' "{ print $1 }" "$usual" >"$scratch/$2"; } # PROGRAM FILE
columns 'NR "\t" $2 "\t" NR + 9000 "\t" $1' four.tsv             # the export of Tatoeba
columns 'NR "\t" $1 "\t" $2' three.tsv
columns '$2 "\t" $1' two.tsv
columns '$1 "\t" $2 "\tCC-BY 2.0 (France) #" NR' licence.tsv
columns '"https://a.b/" NR "\tanna\t" $2 "\teng\tanna\t" $1' many.tsv
columns '"\"" $1 "\",\"" $2 "\n\"," NR' plain.csv
{ echo 'id,zh,en'; columns 'NR ",\"" $2 "\",\"" $1 "\"\r"' rows && cat "$scratch/rows"; } >"$scratch/named.csv"
{ echo '编号,原文,译文'; cat "$scratch/rows"; } >"$scratch/header.csv"
columns '"{\"id\": " NR ", \"zh\": \"" $2 "\", \"en\": \"" $1 "\"}"' flat.jsonl
columns '"{\"translation\": {\"en\": \"" $1 "\", \"zh\": \"" $2 "\"}}"' nested.jsonl
cut -f 1,3 "$scratch/four.tsv" >"$scratch/numbers.tsv"
cut -f 1,2,3 "$scratch/four.tsv" >"$scratch/chinese.tsv"

# ---- tide corpus: the same pairs from every file; what it says ----
corpus() { tide_ok corpus --dev 20 --test 20 --output "$@" >"$scratch/report"; }
corpus "$scratch/usual" --tsv "$usual"
[ ! -s "$scratch/stderr" ] || die "two columns in the usual order: $(cat "$scratch/stderr")"
says() { [ "$(cat "$scratch/stderr")" = "$1" ] || die "'$(cat "$scratch/stderr")', not '$1'"; }
gives() { # FILE MESSAGE: the same sets, and this message; from a pipe, too
    flag=${1##*.}
    corpus "$scratch/out" "--$flag" "$scratch/$1"
    says "${2:+$scratch/$1: $2}"
    diff -r "$scratch/usual" "$scratch/out" || die "$1 gives other pairs"
    # shellcheck disable=SC2002 # a pipe, not a file
    cat "$scratch/$1" | "$tide" corpus --dev 20 --test 20 --output "$scratch/piped" "--$flag" - >/dev/null 2>"$scratch/stderr" ||
        die "$1 from a pipe: $(cat "$scratch/stderr")"
    says "${2:+standard input: $2}"
    diff -r "$scratch/usual" "$scratch/piped" || die "$1 gives other pairs from a pipe"
}
gives four.tsv 'columns 2 and 4: Chinese, English'
gives three.tsv 'columns 3 and 2: Chinese, English'
gives two.tsv 'columns 1 and 2: Chinese, English'
gives licence.tsv 'columns 2 and 1: Chinese, English'
gives many.tsv 'columns 3 and 6: Chinese, English'
gives plain.csv ''
gives named.csv ''
gives header.csv 'columns 2 and 3: Chinese, English; line 1 is a header'
gives flat.jsonl ''
gives nested.jsonl ''
corpus "$scratch/out" --tsv "$scratch/four.tsv" --columns 2 4
says ''
diff -r "$scratch/usual" "$scratch/out" || die "--columns gives other pairs"
corpus "$scratch/out" --tsv "$scratch/four.tsv" --quiet
says ''
if has gzip 'a table compressed by gzip'; then
    gzip -c "$scratch/four.tsv" >"$scratch/packed.tsv"
    gives packed.tsv 'columns 2 and 4: Chinese, English'
fi

# a row with too few columns is counted, and listed as it is
{ cat "$scratch/four.tsv"; printf '7\t海\t8\n'; } >"$scratch/short.tsv"
corpus "$scratch/out" --tsv "$scratch/short.tsv" --dropped "$scratch/dropped"
grep -q '^ *1 no-tab ' "$scratch/report" || die "a short row: $(cat "$scratch/report")"
grep -qx "no-tab	$scratch/short.tsv:301		7 海 8" "$scratch/dropped" || die "a short row: $(cat "$scratch/dropped")"

# ---- tide train: the direction decides which column is the source; guides count rows ----
trains() { # MODEL FLAG...
    to=$scratch/$1
    shift
    tide_ok train --config "$scratch/smallest.conf" --after-batches 2 --model "$to" "$@"
}
reversed='--langs en zh --tokenizer bpe char'
trains zh-en --tsv "$usual"
# shellcheck disable=SC2086 # several flags
trains en-zh --tsv "$usual" $reversed
for file in four.tsv plain.csv named.csv header.csv nested.jsonl; do
    flag=${file##*.}
    trains "from-$file" "--$flag" "$scratch/$file"
    alike "$scratch/zh-en" "$scratch/from-$file" "$file"
    # shellcheck disable=SC2086
    trains "back-$file" "--$flag" - $reversed <"$scratch/$file"
    alike "$scratch/en-zh" "$scratch/back-$file" "$file, English to Chinese"
done
trains found --tsv "$scratch/four.tsv"
grep -qx "$scratch/four.tsv: columns 2 and 4: Chinese, English" "$scratch/stderr" || die "$(cat "$scratch/stderr")"
# shellcheck disable=SC2086
trains found2 --tsv "$scratch/four.tsv" $reversed
grep -qx "$scratch/four.tsv: columns 4 and 2: English, Chinese" "$scratch/stderr" || die "$(cat "$scratch/stderr")"
# neither language is Chinese: as ever, English is the first column, whatever else there is
awk -F'\t' '{ print $1 "\tx" NR "\ty" }' "$usual" >"$scratch/german.tsv"
trains german --tsv "$scratch/german.tsv" --langs de en --tokenizer bpe bpe
grep -q columns "$scratch/stderr" && die "$(cat "$scratch/stderr")"
# shellcheck disable=SC2086
trains german2 --tsv "$scratch/german.tsv" --langs de fr --tokenizer bpe bpe --columns 2 1
[ "$(log_of "$scratch/german")" = "$(log_of "$scratch/german2")" ] || die '--columns 2 1 is another training'
for form in tsv csv jsonl; do
    case $form in tsv) dev=four.tsv ;; csv) dev=header.csv ;; *) dev=flat.jsonl ;; esac
    trains "valid-$form" --tsv "$usual" "--valid-$form" "$scratch/$dev"
    grep -q '300 to validate' "$scratch/stderr" || die "--valid-$form: $(cat "$scratch/stderr")"
done

# ---- tide lexicon ----
lexicon() { tide_ok lexicon --samplers 1 --sweeps 3 --output "$@"; }
lexicon "$scratch/words" --tsv "$usual"
for file in four.tsv plain.csv header.csv flat.jsonl; do
    lexicon "$scratch/words2" "--${file##*.}" - <"$scratch/$file"
    diff -r "$scratch/words" "$scratch/words2" || die "$file: another lexicon"
done
lexicon "$scratch/words2" --tsv "$scratch/four.tsv"
grep -qx "$scratch/four.tsv: columns 2 and 4: Chinese, English" "$scratch/stderr" || die "$(cat "$scratch/stderr")"
links() { tide_ok lexicon --samplers 1 --sweeps 3 --priors "$scratch/words/priors.tsv" "$@"; }
cut -f 1 "$usual" >"$scratch/usual.en"
cut -f 2 "$usual" >"$scratch/usual.zh"
links --src "$scratch/usual.zh" --tgt "$scratch/usual.en" >"$scratch/expected"
for file in usual.tsv four.tsv header.csv flat.jsonl; do
    links "--${file##*.}" "$scratch/$file" | cmp - "$scratch/expected" || die "the links of $file, with priors"
done
trains guided --tsv "$usual" --guided-alignment "$scratch/words/links"
trains guided2 --csv "$scratch/header.csv" --guided-alignment "$scratch/words/links"
alike "$scratch/guided" "$scratch/guided2" 'guides of a CSV with two lines for each pair'

# ---- tide align and tide score: a line for each row, also for an empty one ----
head -n 20 "$usual" >"$scratch/some.tsv"
cut -f 1 "$scratch/some.tsv" >"$scratch/some.en"
cut -f 2 "$scratch/some.tsv" >"$scratch/some.zh"
head -n 20 "$scratch/four.tsv" >"$scratch/some4.tsv"
head -n 21 "$scratch/header.csv" >"$scratch/some.csv"
head -n 20 "$scratch/nested.jsonl" >"$scratch/some.jsonl"
model=$scratch/zh-en
for command in align score; do
    tide_ok $command "$scratch/zh-en" --src "$scratch/some.zh" --tgt "$scratch/some.en" >"$scratch/expected"
    tide_ok $command "$scratch/en-zh" --src "$scratch/some.en" --tgt "$scratch/some.zh" >"$scratch/expected2"
    for file in some.tsv some4.tsv some.csv some.jsonl; do
        tide_ok $command "$scratch/zh-en" "--${file##*.}" "$scratch/$file" | cmp - "$scratch/expected" || die "$command $file"
        tide_ok $command "$scratch/en-zh" "--${file##*.}" - <"$scratch/$file" | cmp - "$scratch/expected2" || die "$command $file"
    done
    tide_ok $command "$scratch/zh-en" --tsv "$scratch/some4.tsv" --columns 2 4 | cmp - "$scratch/expected" || die "$command --columns"
    refused 1 'numbers.tsv: most of the first 300 lines have no column with Chinese' $command "$scratch/zh-en" \
        --tsv "$scratch/numbers.tsv"
    refused 1 'some.csv:2: a sentence of [0-9]* pieces, where 2 are the limit' $command "$scratch/zh-en" --csv "$scratch/some.csv" \
        --max-length 2 --columns 2 3
    refused 2 '^tide: --src and --tsv cannot be given together$' $command "$model" --tsv "$usual" --src "$scratch/some.zh"
    refused 2 '^tide: --tsv and --csv cannot be given together$' $command "$model" --tsv "$usual" --csv "$scratch/some.csv"
    refused 2 'src with --tgt, --tsv, --csv or --jsonl' $command "$scratch/zh-en" --tgt "$scratch/some.en"
    refused 2 'columns needs' $command "$scratch/zh-en" --src "$scratch/some.zh" --tgt "$scratch/some.en" --columns 1 2
done

# ---- tide evaluate and tide tune: the same scores; a table has one reference for each source, which stays as it is ----
sed -i '7s/$/ … ①/' "$scratch/some.en" # its NFKC has other characters
paste "$scratch/some.en" "$scratch/some.zh" >"$scratch/some.tsv"
awk -F'\t' '{ print NR "\t" $2 "\t" NR + 9000 "\t" $1 }' "$scratch/some.tsv" >"$scratch/some4.tsv"
{ echo '编号,原文,译文'; awk -F'\t' '{ print NR ",\"" $2 "\",\"" $1 "\"" }' "$scratch/some.tsv"; } >"$scratch/some.csv"
awk -F'\t' '{ print "{\"translation\": {\"en\": \"" $1 "\", \"zh\": \"" $2 "\"}}" }' "$scratch/some.tsv" >"$scratch/some.jsonl"
scores() { tide_ok evaluate "$@" --beam-size 2 --output "$scratch/translated" && cat "$scratch/translated"; } # MODEL FLAG...
tunes() { tide_ok tune "$@" --beam-sizes 2 --force --output "$scratch/tuned"; }
for command in scores tunes; do
    $command "$scratch/zh-en" --src "$scratch/some.zh" --ref "$scratch/some.en" >"$scratch/expected"
    $command "$scratch/en-zh" --src "$scratch/some.en" --ref "$scratch/some.zh" >"$scratch/expected2"
    for file in some.tsv some4.tsv some.csv some.jsonl; do
        $command "$scratch/zh-en" "--${file##*.}" "$scratch/$file" | cmp - "$scratch/expected" || die "$command $file"
        $command "$scratch/en-zh" "--${file##*.}" - <"$scratch/$file" | cmp - "$scratch/expected2" || die "$command $file"
    done
    $command "$scratch/zh-en" --tsv "$scratch/some4.tsv" --columns 2 4 | cmp - "$scratch/expected" || die "$command --columns"
    $command "$scratch/en-zh" --tsv "$scratch/some4.tsv" >/dev/null
    grep -qx "$scratch/some4.tsv: columns 4 and 2: English, Chinese" "$scratch/stderr" ||
        die "$command: $(cat "$scratch/stderr")"
done
for command in evaluate "tune --output $scratch/tuned --force"; do
    # shellcheck disable=SC2086
    {
        refused 1 'numbers.tsv: most of the first 300 lines have no column with Chinese' $command "$scratch/zh-en" \
            --tsv "$scratch/numbers.tsv"
        refused 1 'chinese.tsv: most of the first 300 lines have no column with English' $command "$scratch/zh-en" \
            --tsv "$scratch/chinese.tsv"
        refused 1 'some.csv:2: a sentence of [0-9]* pieces, where 2 are the limit' $command "$scratch/zh-en" \
            --csv "$scratch/some.csv" --max-length 2
        refused 1 'short.tsv:301: row has 3 columns, and no column 4' $command "$scratch/zh-en" --tsv "$scratch/short.tsv"
        refused 1 'standard input: no sentence pairs' $command "$scratch/zh-en" --jsonl -
        refused 2 '^tide: --src and --tsv cannot be given together$' $command "$model" --src "$scratch/some.zh" --tsv "$usual"
        refused 2 '^tide: --ref and --csv cannot be given together$' $command "$scratch/zh-en" --ref "$scratch/some.en" \
            --csv "$scratch/some.csv"
        refused 2 '^tide: --tsv and --jsonl cannot be given together$' $command "$scratch/zh-en" --tsv "$usual" \
            --jsonl "$scratch/some.jsonl"
        refused 2 'columns needs --tsv or --csv' $command "$scratch/zh-en" --jsonl "$scratch/some.jsonl" --columns 1 2
        refused 2 'src with --ref, --tsv, --csv or --jsonl' $command "$scratch/zh-en" --src "$scratch/some.zh"
    }
done
printf '\377\t海\n' >"$scratch/broken.tsv"
refused 1 'broken.tsv:1: line is not valid UTF-8 (byte 1)' evaluate "$scratch/zh-en" --tsv "$scratch/broken.tsv" --columns 2 1
refused 1 'some.tsv: is read, and would be overwritten' evaluate "$model" --tsv "$scratch/some.tsv" --output "$scratch/some.tsv"

# ---- refusals ----
for command in "corpus --output $scratch/no" "train --config $scratch/smallest.conf --model $scratch/no" "lexicon --output $scratch/no"; do
    # shellcheck disable=SC2086
    {
        refused 1 'numbers.tsv: most of the first 300 lines have no column with Chinese; --columns SOURCE TARGET' $command \
            --tsv "$scratch/numbers.tsv"
        refused 1 'chinese.tsv: most of the first 300 lines have no column with English; --columns SOURCE TARGET' $command \
            --tsv "$scratch/chinese.tsv"
        refused 1 'four.tsv:1: line is not an object of JSON' $command --jsonl "$scratch/four.tsv"
        refused 2 'columns needs --tsv or --csv' $command --jsonl "$scratch/flat.jsonl" --columns 1 2
        refused 2 'columns must be between 1 and' $command --tsv "$scratch/four.tsv" --columns 0 2
        refused 2 'columns needs two columns, not column 2 twice' $command --tsv "$scratch/four.tsv" --columns 2 2
    }
done
refused 1 'four.tsv:1: row has 4 columns, and no column 5' train --config "$scratch/smallest.conf" --model "$scratch/no" \
    --tsv "$scratch/four.tsv" --columns 2 5
refused 1 'numbers.tsv:1: row has 1 column, and no column 2' train --config "$scratch/smallest.conf" --model "$scratch/no" \
    --csv "$scratch/numbers.tsv"
refused 1 'short.tsv:301: row has 3 columns, and no column 4' train --config "$scratch/smallest.conf" --model "$scratch/no" \
    --tsv "$scratch/short.tsv"
refused 2 'valid-tsv and --valid-csv cannot be given together' train --tsv "$usual" --model "$scratch/no" --valid-tsv "$usual" \
    --valid-csv "$scratch/plain.csv"
