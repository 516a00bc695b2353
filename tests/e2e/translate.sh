#!/bin/sh
# tide translate: lines, n-best lists, samples, prefixes, glossaries, documents, alignments, and how flags are written.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/translator.inc

# one line of output for each line of input, also for empty lines; the batch does not change the output
printf '我在海边。\n\n海\n' >"$scratch/in"
tide_ok translate "$scratch/run" <"$scratch/in" >"$scratch/out"
[ "$(wc -l <"$scratch/out")" = 3 ] || die "3 lines in, $(wc -l <"$scratch/out") out"
[ -z "$(sed -n 2p "$scratch/out")" ] || die "an empty line became '$(sed -n 2p "$scratch/out")'"
tide_ok translate "$scratch/run" <"$scratch/dev.zh" >"$scratch/a"
tide_ok translate "$scratch/run" --mini-batch 1 --threads 1 <"$scratch/dev.zh" >"$scratch/b"
cmp "$scratch/a" "$scratch/b" || die "translations depend on the batch"

# --timing: a line on stderr; no long part is empty, and the parts do not add up to more than the total
tide_ok translate "$scratch/run" --timing <"$scratch/dev.zh" >"$scratch/b"
cmp "$scratch/a" "$scratch/b" || die "--timing changes the translation"
grep '^start ' "$scratch/stderr" | sed 's/[^0-9. ]//g' | awk '
    { bad = NF != 8 || $3 > $2; for (i = 1; i <= NF; i++) { bad = bad || $i == ""; if (i != 3 && i != 8) sum += $i } }
    { bad = bad || !$1 || !$2 || !$5 || !$6 }
    END { exit bad || NR != 1 || sum > $8 + 0.5 || $8 > 600 }' || die "--timing: $(cat "$scratch/stderr")"

# what the model does not know is said once, after the last line
unfamiliar() { # INPUT FLAG...: the messages
    printf '%b' "$1" >"$scratch/text"
    shift
    "$tide" translate "$scratch/run" "$@" <"$scratch/text" 2>"$scratch/stderr" >"$scratch/out" || die "unknown text"
    cat "$scratch/stderr"
}
[ -z "$(unfamiliar '我在海边。\n。\n\n')" ] || die "known text: $(unfamiliar '我在海边。\n。\n\n')"
unfamiliar '海。\nHello, how!\n龘龘\n\n海𠀀龘\n' >"$scratch/said"
sed -n 2,3p "$scratch/out" >"$scratch/copied"
diff - "$scratch/said" <<'SAID' || die "unknown text"
standard input: in 3 of 5 lines there is text that the model does not know: 龘 Hello how 𠀀
standard input: in 2 of 5 lines there is nothing that the model knows, except punctuation, first in line 2: they are copied
SAID
printf 'Hello, how!\n龘龘\n' | cmp - "$scratch/copied" || die "unknown text is not copied: $(cat "$scratch/copied")"
printf 'Hello, how!\n' | tide_ok translate "$scratch/run" --html "$scratch/page.html" >/dev/null
[ "$(grep -o 'Hello, how!' "$scratch/page.html" | wc -l)" = 2 ] || die 'a copied sentence is not in the page'
for flags in '--mini-batch 1' '--mini-batch 2'; do
    # shellcheck disable=SC2086 # words
    unfamiliar '海。\nHello, how!\n龘龘\n\n海𠀀龘\n' $flags | cmp - "$scratch/said" || die "$flags: other unknown text"
done
unfamiliar '海。龘。\n' --split-sentences | grep -q '^standard input: in 1 of 2 sentences .* first in sentence 2' || die "unknown sentences"
# a beginning or a lexicon asks for more than the text itself
echo 'The' >"$scratch/begin"
unfamiliar '龘\n' --prefix "$scratch/begin" >"$scratch/said"
grep -q '^The' "$scratch/out" || die "a prefix of unknown text: $(cat "$scratch/out")"
grep -q 'are copied' "$scratch/said" && die "a prefix: $(cat "$scratch/said")"
printf '龘\ttide\n' >"$scratch/lexicon"
unfamiliar '龘\n' --replace-unk --lexicon "$scratch/lexicon" >"$scratch/said"
grep -q '^standard input: in 1 of 1 lines there are no words .*, .zh., first in line 1: such .* inventions$' "$scratch/said" || die "--replace-unk: $(cat "$scratch/said")"

# an installed model is found by its name; what the current folder has comes first
if native 'a copy of the program'; then
    mkdir -p "$scratch/usr/bin" "$scratch/usr/share/tide/models/zh-en" "$scratch/here"
    cp "$(readlink -f "$tide")" "$scratch/usr/bin/tide"
    cp "$scratch/run/model.safetensors" "$scratch/usr/share/tide/models/zh-en"
    (cd "$scratch/here" && "$scratch/usr/bin/tide" translate zh-en --mini-batch 1) <"$scratch/dev.zh" | cmp - "$scratch/a" ||
        die "an installed model"
    mkdir "$scratch/here/zh-en"
    (cd "$scratch/here" && "$scratch/usr/bin/tide" translate zh-en </dev/null 2>"$scratch/stderr") && die "another folder"
    grep -q '^tide: zh-en: is a folder without a model' "$scratch/stderr" || die "another folder: $(cat "$scratch/stderr")"
fi

# a coverage penalty lowers the score; in such a small beam the hypotheses stay the same
tide_ok translate "$scratch/run" --beam-size 3 --n-best 3 <"$scratch/dev.zh" | sort >"$scratch/a"
tide_ok translate "$scratch/run" --beam-size 3 --n-best 3 --coverage-penalty 0.5 <"$scratch/dev.zh" | sort >"$scratch/b"
paste -d'|' "$scratch/a" "$scratch/b" | awk -F' *[|]+ *' '$2 != $6 || $3 != $7 || $8 > $4 { bad = 1 } $8 < $4 { less++ }
    END { exit bad || !less }' || die "--coverage-penalty: $(cat "$scratch/b")"

# --prefix: each translation begins with its text; an empty line changes nothing
tide_ok translate "$scratch/run" <"$scratch/dev.zh" >"$scratch/free"
awk '{ print NR % 3 == 0 ? "" : NR % 3 == 1 ? "The ti" : "He " }' "$scratch/free" >"$scratch/prefix"
tide_ok translate "$scratch/run" --prefix "$scratch/prefix" --n-best 2 <"$scratch/dev.zh" >"$scratch/found"
awk -F ' [|][|][|] ' 'FNR == NR { prefix[FNR - 1] = $0; next } index($2, prefix[$1]) != 1 { bad = 1 }
    END { exit bad || FNR < 12 }' "$scratch/prefix" "$scratch/found" || die "a translation does not begin with its prefix"
tide_ok translate "$scratch/run" --prefix "$scratch/prefix" --mini-batch 1 --n-best 2 <"$scratch/dev.zh" | cmp - "$scratch/found" ||
    die "a prefix depends on the batch"
tide_ok translate "$scratch/run" --prefix "$scratch/prefix" <"$scratch/dev.zh" | sed -n 'n;n;p' >"$scratch/found"
sed -n 'n;n;p' "$scratch/free" | cmp - "$scratch/found" || die "an empty prefix changes a translation"
printf 'The  tide \n\n' >"$scratch/prefix"
printf '\n\n' | tide_ok translate "$scratch/run" --prefix "$scratch/prefix" >"$scratch/found"
printf 'The tide\n\n' | cmp - "$scratch/found" || die "the prefix of an empty line: $(cat "$scratch/found")"

# settled words come before the translation, which begins with them
tide_ok translate "$scratch/run" --settled <"$scratch/dev.zh" >"$scratch/settled"
grep -v '^[0-9]* ||| Settled= ' "$scratch/settled" | cmp - "$scratch/free" || die "--settled changes translations"
awk -F ' [|][|][|] Settled= ' 'NR == FNR { line[NR - 1] = $0; next }
    NF == 2 { bad = bad || index(line[$1], $2) != 1 || length($2) < n[$1]; n[$1] = length($2); seen++ }
    END { exit bad || seen < FNR / 2 }' "$scratch/free" "$scratch/settled" || die "settled: $(cat "$scratch/settled")"

# Samples are the same for any number of threads and lines in a batch, and others with another seed.
sample() { tide_ok translate "$scratch/run" --output-sampling topk 20 0.9 --n-best 2 "$@" <"$scratch/dev.zh"; }
sample --threads 1 >"$scratch/a"
sample --threads 2 --mini-batch 3 >"$scratch/b"
sample --seed 2 >"$scratch/found"
cmp "$scratch/a" "$scratch/b" || die "samples depend on the batch"
cmp -s "$scratch/a" "$scratch/found" && die "samples do not depend on the seed"

# --glossary: the terms are in each hypothesis, for any batch; other lines keep their translations
printf '我在海边。\n\n海\n大家好。\n谁\n潮水\n谁知道潮水退了,潮。\n' >"$scratch/in"
printf '\n潮水\tThe tide\n潮\tthe sea\n退\t海' >"$scratch/terms"
tide_ok translate "$scratch/run" --glossary "$scratch/terms" --n-best 3 <"$scratch/in" >"$scratch/found"
[ "$(cat "$scratch/stderr")" = "$scratch/terms: the model cannot write 1 of the translations, such as '海'" ] ||
    die "glossary: $(cat "$scratch/stderr")"
awk -F ' [|][|][|] ' '$1 >= 5 { n++; bad = bad || $2 !~ /The tide/ || ($1 == 6 && $2 !~ /the sea/) } END { exit bad || n < 4 }' \
    "$scratch/found" || die "a term is missing: $(tail -n 6 "$scratch/found")"
tide_ok translate "$scratch/run" --glossary "$scratch/terms" --n-best 3 --mini-batch 1 --threads 1 <"$scratch/in" |
    cmp - "$scratch/found" || die "a glossary depends on the batch"
for glossary in "--glossary $scratch/terms" ''; do
    # shellcheck disable=SC2086 # no flag or a flag and its value
    tide_ok translate "$scratch/run" $glossary <"$scratch/in" | head -n 5 >"$scratch/${glossary:+with-}terms.out"
done
cmp "$scratch/terms.out" "$scratch/with-terms.out" || die "a glossary changes a sentence without terms"

# documents: the sentences have the translations that they have as lines; the rest is kept
printf '我在海边。\n海。\n大家好。\n' >"$scratch/in"
tide_ok translate "$scratch/run" <"$scratch/in" >"$scratch/a"
{ IFS= read -r first && IFS= read -r second && IFS= read -r third; } <"$scratch/a"
printf '我在海边。海。\n\n  大家好。' | tide_ok translate "$scratch/run" --split-sentences >"$scratch/found"
printf '%s %s\n\n  %s' "$first" "$second" "$third" | cmp - "$scratch/found" || die "--split-sentences: $(cat "$scratch/found")"
subtitles() { printf '1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>%s</i>\r\n- %s\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n%s\r\n' "$@"; }
subtitles '我在海边。' '海。' '大家好。' | tide_ok translate "$scratch/run" --format srt >"$scratch/found"
subtitles "$first" "$second" "$third" | cmp - "$scratch/found" || die "--format srt: $(cat "$scratch/found")"
page() { printf '<p title="海">%s</p><!-- 海 -->\n<pre>海</pre><b>%s</b>%s' "$@"; }
page '我在海边。' '海。' '大家好。' | tide_ok translate "$scratch/run" --format html >"$scratch/found"
page "$first" "$second" " $third" | cmp - "$scratch/found" || die "--format html: $(cat "$scratch/found")"
printf '<p>我在<a href="海">海边</a>。<b>海</b>。大<i>家好。</i></p>' | tide_ok translate "$scratch/run" --format html >"$scratch/found"
sed 's/<[^>]*>//g' "$scratch/found" >"$scratch/plain"
printf '%s %s %s' "$first" "$second" "$third" | cmp - "$scratch/plain" || die "inline tags cut a sentence: $(cat "$scratch/found")"
for tag in '<a href="海">[^<]' '[^>]</a>' '<b>[^<]' '[^>]</b>' '<i>[^<]' '[^>]</i>'; do
    grep -q "$tag" "$scratch/found" || die "no tag $tag: $(cat "$scratch/found")"
done

# a byte order mark, which Windows writes, stays at the beginning of a document and is not a sentence
printf '<p>海</p>\r\n' | tide_ok translate "$scratch/run" --format html >"$scratch/plain"
printf '\357\273\277<p>海</p>\r\n' | tide_ok translate "$scratch/run" --format html >"$scratch/marked"
{ printf '\357\273\277'; cat "$scratch/plain"; } | cmp - "$scratch/marked" || die "a byte order mark: $(cat "$scratch/marked")"

# n-best: sorted by score; the first is the 1-best
tide_ok translate "$scratch/run" --beam-size 4 --n-best 3 <"$scratch/dev.zh" >"$scratch/nbest"
awk -F' [|][|][|] ' '{ if (NR > 1 && $1 == last && $4 > score) exit 1; last = $1; score = $4; n[$1]++ }
    END { for (i in n) if (n[i] > 3) exit 1 }' "$scratch/nbest" || die "n-best is not in order"
tide_ok translate "$scratch/run" --beam-size 4 <"$scratch/dev.zh" >"$scratch/a"
awk -F' [|][|][|] ' 'NR == 1 || $1 != last { print $2; last = $1 }' "$scratch/nbest" | cmp - "$scratch/a" || die "1-best differs"

# alignments: Pharaoh links are in range; soft rows sum to one; one heatmap for each sentence
tide_ok translate "$scratch/run" --alignment soft <"$scratch/dev.zh" >"$scratch/soft"
sed 's/.* ||| //' "$scratch/soft" | tr ' ' '\n' |
    awk -F, '{ sum = 0; for (i = 1; i <= NF; i++) sum += $i; if (sum < 0.999 || sum > 1.001) bad = 1 }
        END { exit bad || NR < 24 }' || die "soft alignment rows do not sum to 1"
tide_ok translate "$scratch/run" --alignment hard --heatmap "$scratch/svg" <"$scratch/dev.zh" >"$scratch/hard"
grep -Eq ' [|][|][|] ([0-9]+-[0-9]+ )*[0-9]+-[0-9]+$' "$scratch/hard" || die "no hard alignment: $(head -1 "$scratch/hard")"
set -- "$scratch"/svg/*
[ $# = 12 ] || die "$# heatmaps of 12 sentences"
grep -q '</svg>' "$scratch/svg/0012.svg" || die "0012.svg is not whole"

smallest_run "$scratch/reverse" --after-batches 12 --langs en zh --tokenizer bpe char

# Chinese translations have full-width punctuation, also with --replace-unk and in n-best lists; those of a model of
# tokenized text have not
echo '潮水?' >"$scratch/prefix"
for option in --beam-size=2 --replace-unk --n-best=2; do
    echo 'The tide.' | tide_ok translate "$scratch/reverse" --prefix "$scratch/prefix" "$option" >"$scratch/found"
    grep -q '潮水？' "$scratch/found" || die "no full-width question mark, $option: $(cat "$scratch/found")"
done
smallest_run "$scratch/tokenized" --after-batches 12 --langs en zh --tokenizer bpe none
cut -f 2 "$scratch/train.tsv" | grep -m 1 '？' >"$scratch/prefix"
echo 'The tide.' | tide_ok translate "$scratch/tokenized" --prefix "$scratch/prefix" >"$scratch/found"
grep -q '?' "$scratch/found" || die "the pieces of a model change: $(cat "$scratch/found")"

# flags: --name=value, a letter, a name after one dash; after `--` there are only words
tide_ok translate "$scratch/run" --beam-size 2 --normalize 0.5 --n-best 2 <"$scratch/in" >"$scratch/long"
tide_ok translate -b 2 -n 0.5 --n-best=2 "$scratch/run" <"$scratch/in" >"$scratch/short"
cmp "$scratch/long" "$scratch/short" || die "-b, -n, --n-best=2: $(cat "$scratch/short")"
(cd "$scratch" && cp dev.en ./-lc && tide_ok bleu -lc -- -lc <dev.en) | grep -q '^BLEU = 100.00' || die 'bleu -lc -- -lc'
(cd "$scratch" && rm ./-lc)

# traditional characters that the model does not know are said once; a model that has learned them says nothing
echo '這個我們認識。
潮水退了。
他們也說過。' >"$scratch/traditional"
tide_ok translate "$scratch/run" <"$scratch/traditional" >/dev/null
[ "$(grep -c '^standard input: 2 of 3 lines have traditional characters that the model does not know: convert them' "$scratch/stderr")" = 1 ] ||
    die "traditional text: $(cat "$scratch/stderr")"
tide_ok translate "$scratch/run" <"$scratch/dev.zh" >/dev/null
grep traditional "$scratch/stderr" && die "simplified text is traditional"
awk -F'\t' '{ print $1 "\t們" $2 }' "$scratch/train.tsv" >"$scratch/old.tsv"
tide_ok train --tsv "$scratch/old.tsv" --config "$scratch/smallest.conf" --model "$scratch/old" --after-batches 1
echo 他們 | tide_ok translate "$scratch/old" >/dev/null
grep traditional "$scratch/stderr" && die "the model knows these characters"
true
