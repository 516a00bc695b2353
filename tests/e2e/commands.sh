#!/bin/sh
# Tests every subcommand on a small model: the output, and that one command reads what another writes.
. "$(dirname "$0")/../lib/common.inc"

sed -i "s|valid-freq = 12|valid-freq = 300|; s|dropout.*||" "$scratch/smallest.conf"
smallest_run "$scratch/run" --after-batches 600 --probe '潮水退了。' '大家好。'
for file in model.safetensors checkpoint.safetensors checkpoint.prev.safetensors train.jsonl align/00000300.json; do
    [ -s "$scratch/run/$file" ] || die "no $file"
done
grep -q '"update": 300, "epoch": [0-9.]*, "valid_loss": [0-9.]*, "valid_ppl": [0-9.]*, "bleu": [0-9.]*' \
    "$scratch/run/train.jsonl" || die "no validation in train.jsonl"
grep -q '"source": \["潮", "水", "退", "了", "。", "</s>"\]' "$scratch/run/align/00000300.json" || die "probe missing"

# report: writes the same bytes as the training, which prints the path; a training continues if it cannot write the report
[ "$(tail -n 1 "$scratch/stderr")" = "report: $scratch/run/report.html" ] || die "report: $(cat "$scratch/stderr")"
grep -q '"frames":\[{"update":300,' "$scratch/run/report.html" || die "no alignments in report.html"
cp "$scratch/run/report.html" "$scratch/report.html"
tide_ok report "$scratch/run/"
cmp "$scratch/run/report.html" "$scratch/report.html" || die "tide report writes another page"
mkdir -p "$scratch/unreported/report.html"
smallest_run "$scratch/unreported" --after-batches 12 --valid-freq 6
[ "$(grep -c 'the report could not be written' "$scratch/stderr")" = 3 ] || die "no warning: $(cat "$scratch/stderr")"
[ -s "$scratch/unreported/model.safetensors" ] || die "a report that cannot be written ended the training"

# translate: one line of output for each line of input, also for empty lines; the batch does not change the output
cut -f2 "$scratch/dev.tsv" >"$scratch/dev.zh"
cut -f1 "$scratch/dev.tsv" >"$scratch/dev.en"
printf '我在海边。\n\n海\n' >"$scratch/in"
tide_ok translate "$scratch/run" <"$scratch/in" >"$scratch/out"
[ "$(wc -l <"$scratch/out")" = 3 ] || die "3 lines in, $(wc -l <"$scratch/out") out"
[ -z "$(sed -n 2p "$scratch/out")" ] || die "an empty line became '$(sed -n 2p "$scratch/out")'"
tide_ok translate "$scratch/run" <"$scratch/dev.zh" >"$scratch/a"
tide_ok translate "$scratch/run" --mini-batch 1 --threads 1 <"$scratch/dev.zh" >"$scratch/b"
cmp "$scratch/a" "$scratch/b" || die "translations depend on the batch"

# --timing: one more line on stderr; the parts do not add up to more than the total
tide_ok translate "$scratch/run" --timing <"$scratch/dev.zh" >"$scratch/b"
cmp "$scratch/a" "$scratch/b" || die "--timing changes the translation"
sed 's/[^0-9. ]//g' "$scratch/stderr" | awk '
    { bad = NF != 8 || $3 > $2; for (i = 1; i <= NF; i++) { bad = bad || $i == ""; if (i != 3 && i != 8) sum += $i } }
    END { exit bad || NR != 1 || sum > $8 + 0.5 }' || die "--timing: $(cat "$scratch/stderr")"

# a coverage penalty lowers the score; in such a small beam the hypotheses stay the same
tide_ok translate "$scratch/run" --beam-size 3 --n-best 3 <"$scratch/dev.zh" | sort >"$scratch/a"
tide_ok translate "$scratch/run" --beam-size 3 --n-best 3 --coverage-penalty 0.5 <"$scratch/dev.zh" | sort >"$scratch/b"
paste -d'|' "$scratch/a" "$scratch/b" | awk -F' *[|]+ *' '$2 != $6 || $3 != $7 || $8 > $4 { bad = 1 } $8 < $4 { less++ }
    END { exit bad || !less }' || die "--coverage-penalty: $(cat "$scratch/b")"

# --prefix: each translation begins with its text; an empty line changes nothing
tide_ok translate "$scratch/run" <"$scratch/dev.zh" >"$scratch/free"
awk '{ print NR % 3 == 0 ? "" : NR % 3 == 1 ? "The ti" : "He " }' "$scratch/free" >"$scratch/prefix"
# Samples are the same for any number of threads and lines in a batch, and others with another seed.
sample() { tide_ok translate "$scratch/run" --output-sampling topk 20 0.9 --n-best 2 "$@" <"$scratch/dev.zh"; }
sample --threads 1 >"$scratch/a"
sample --threads 2 --mini-batch 3 >"$scratch/b"
sample --seed 2 >"$scratch/found"
cmp "$scratch/a" "$scratch/b" || die "samples depend on the batch"
cmp -s "$scratch/a" "$scratch/found" && die "samples do not depend on the seed"

tide_ok translate "$scratch/run" --prefix "$scratch/prefix" --n-best 2 <"$scratch/dev.zh" >"$scratch/found"
awk -F ' [|][|][|] ' 'FNR == NR { prefix[FNR - 1] = $0; next } index($2, prefix[$1]) != 1 { exit 1 }' "$scratch/prefix" \
    "$scratch/found" || die "a translation does not begin with its prefix"
tide_ok translate "$scratch/run" --prefix "$scratch/prefix" --mini-batch 1 --n-best 2 <"$scratch/dev.zh" | cmp - "$scratch/found" ||
    die "a prefix depends on the batch"
tide_ok translate "$scratch/run" --prefix "$scratch/prefix" <"$scratch/dev.zh" | sed -n 'n;n;p' >"$scratch/found"
sed -n 'n;n;p' "$scratch/free" | cmp - "$scratch/found" || die "an empty prefix changes a translation"

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

# n-best: sorted by score; the first is the 1-best
tide_ok translate "$scratch/run" --beam-size 4 --n-best 3 <"$scratch/dev.zh" >"$scratch/nbest"
awk -F' [|][|][|] ' '{ if (NR > 1 && $1 == last && $4 > score) exit 1; last = $1; score = $4; n[$1]++ }
    END { for (i in n) if (n[i] > 3) exit 1 }' "$scratch/nbest" || die "n-best is not in order"
tide_ok translate "$scratch/run" --beam-size 4 <"$scratch/dev.zh" >"$scratch/a"
awk -F' [|][|][|] ' 'NR == 1 || $1 != last { print $2; last = $1 }' "$scratch/nbest" | cmp - "$scratch/a" || die "1-best differs"

# PNG and PDF: a program gets the pictures. A stand-in for it shows that it gets all of them, whether it is installed or not.
mkdir "$scratch/bin"
cat >"$scratch/bin/rsvg-convert" <<'PROGRAM'
#!/bin/sh
[ "$1" = --version ] && exit 0
[ "$RSVG" = fails ] && exit 3
echo "$1"
[ "$1" = --format=pdf ] || shift # --zoom
shift
/bin/cat "$@"
PROGRAM
printf '#!/bin/sh\n' >"$scratch/bin/fc-list" # no font
chmod +x "$scratch/bin/rsvg-convert" "$scratch/bin/fc-list"
pictures() { # FILE [FLAG ...]
    head -n 2 "$scratch/dev.zh" >"$scratch/two.zh"
    head -n 2 "$scratch/dev.en" >"$scratch/two.en"
    RSVG=${RSVG:-} PATH="$scratch/bin" "$tide" align "$scratch/run" --src "$scratch/two.zh" --tgt "$scratch/two.en" --output "$@" 2>"$scratch/stderr"
}
pictures "$scratch/a.pdf" || die "PDF: $(cat "$scratch/stderr")"
[ "$(grep -c '<svg ' "$scratch/a.pdf")" = 2 ] && head -n 1 "$scratch/a.pdf" | grep -qx -- --format=pdf || die 'a PDF without its pages'
[ "$(cat "$scratch/stderr")" = "$scratch/a.pdf: no font has Chinese characters: install the package fonts-noto-cjk" ] ||
    die "fonts: $(cat "$scratch/stderr")"
pictures "$scratch/a.png" || die "PNG: $(cat "$scratch/stderr")"
for picture in a.png a-2.png; do
    [ "$(grep -c '<svg ' "$scratch/$picture")" = 1 ] && grep -qx -- --format=png "$scratch/$picture" || die "$picture"
done
pictures "$scratch/c.pdf" --per-page 2 && pictures "$scratch/c.png" --per-page 2 || die "pages: $(cat "$scratch/stderr")"
for page in c.pdf c.png; do # a page with two pictures in it
    [ "$(grep -c '<svg ' "$scratch/$page")$(grep -c '^<svg .* x="38" y="[0-9]*" ' "$scratch/$page")" = 32 ] || die "$page"
done
[ -e "$scratch/c-2.png" ] && die 'a second page'
pictures "$scratch/svg" --format svg --per-page 2 && die 'pages of SVG files'
grep -q 'per-page is for a file whose name ends in .pdf or .png' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
pictures "$scratch/large.PDF" && [ -f "$scratch/large.PDF" ] || die "an ending of large letters: $(cat "$scratch/stderr")"
PATH="$scratch/bin" "$tide" translate "$scratch/run" --heatmap "$scratch/nowhere/a.pdf" <"$scratch/two.zh" >"$scratch/found" \
    2>"$scratch/stderr" && die "a PDF in a folder that is not there"
grep -q 'nowhere/a.pdf: cannot be written' "$scratch/stderr" && [ ! -s "$scratch/found" ] || die "translates before it finds a wrong path"
RSVG=fails pictures "$scratch/b.pdf" && die 'a failing rsvg-convert'
grep -q 'b.pdf: rsvg-convert failed with exit status 3' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
[ -e "$scratch/b.pdf" ] && die 'a PDF of a failing rsvg-convert'
rm "$scratch/bin/rsvg-convert"
pictures "$scratch/b.png" && die 'no rsvg-convert'
grep -q 'install the package librsvg2-bin' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
if has rsvg-convert 'true PNG and PDF' librsvg2-bin; then
    tide_ok translate "$scratch/run" --heatmap "$scratch/true.png" <"$scratch/two.zh" >"$scratch/found"
    tide_ok translate "$scratch/run" --heatmap "$scratch/true.pdf" <"$scratch/two.zh" | cmp - "$scratch/found" || die 'PDF and PNG'
    [ "$(head -c 4 "$scratch/true-2.png" | tail -c 3)$(head -c 4 "$scratch/true.pdf")" = PNG%PDF ] || die 'no PNG or no PDF'
fi

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

# text in another language is translated, with a warning that most of its pieces are unknown
unread() { # FILE LANGUAGE COMMAND ...
    file=$1 lang=$2
    shift 2
    tide_ok "$@" >/dev/null
    grep -q "^$file: [0-9]* % of the pieces are unknown to the model; it expects language '$lang' here\$" "$scratch/stderr" ||
        die "$*: $(cat "$scratch/stderr")"
}
unread 'standard input' zh translate "$scratch/run" <"$scratch/dev.en"
unread "$scratch/dev.en" zh evaluate "$scratch/run" --src "$scratch/dev.en" --ref "$scratch/dev.en"
unread "$scratch/dev.en" zh score "$scratch/run" --src "$scratch/dev.en" --tgt "$scratch/dev.zh"
unread "$scratch/dev.zh" en align "$scratch/run" --src "$scratch/dev.en" --tgt "$scratch/dev.zh"
tide_ok align "$scratch/run" --src "$scratch/dev.zh" --tgt "$scratch/dev.en" >/dev/null
grep -q 'unknown' "$scratch/stderr" && die "$(cat "$scratch/stderr")"

# early stopping is reported; validations before the first BLEU above 0 do not count as stalled
cp -r "$scratch/run" "$scratch/stalled"
smallest_run "$scratch/stalled" --after-batches 700 --valid-freq 1 --early-stopping 3 --learn-rate 1e-9 --allow-change learn-rate
grep -q '^3 validations without a better BLEU end the training (--early-stopping)$' "$scratch/stderr" ||
    die "early stopping: $(tail -n 3 "$scratch/stderr")"
grep -q '^the model is that of update [0-9]*, which had the best BLEU$' "$scratch/stderr" || die "$(tail -n 3 "$scratch/stderr")"
sed 's/^[^	]*/QXQX/' "$scratch/dev.tsv" >"$scratch/nothing.tsv"
tide_ok train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/nothing.tsv" --config "$scratch/smallest.conf" --model "$scratch/zero" \
    --after-batches 10 --valid-freq 1 --early-stopping 2
[ "$(grep -c '"bleu": 0.0000' "$scratch/zero/train.jsonl")" = 10 ] || die "a training without a BLEU has stalled"

# without a dev set there are still probes, and the log is complete
tide_ok train --tsv "$scratch/train.tsv" --config "$scratch/smallest.conf" --model "$scratch/probed" --after-batches 10 --probe 海。
tail -n 1 "$scratch/probed/train.jsonl" | grep -q '^{"update": 10, .*"loss"' || die "the log ends at $(tail -n 1 "$scratch/probed/train.jsonl")"
grep -q '"source":\["海"' "$scratch/probed/report.html" || die "a probe is not in the report"

# a preset is read from the program's installation, or from its source tree; in the current folder, a preset of the same
# name is ignored and one with another name is found
mkdir -p "$scratch/here/models" "$scratch/usr/bin" "$scratch/usr/share/tide"
cp "$tide" "$scratch/usr/bin/tide"
echo 'dim-emb = 7' >"$scratch/here/models/tiny.conf"
echo 'dim-emb = 9' >"$scratch/usr/share/tide/tiny.conf"
cp "$scratch/here/models/tiny.conf" "$scratch/here/models/own.conf"
# size_of PROGRAM PRESET: trains with the preset in the folder "here" and prints dim-emb of the model
size_of() {
    (cd "$scratch/here" && rm -rf run && "$1" train --preset "$2" --tsv "$scratch/train.tsv" --model run --after-batches 1) \
        2>"$scratch/stderr" || die "$2: $(cat "$scratch/stderr")"
    tide_ok info "$scratch/here/run" | sed -n 's/^dim-emb = //p'
}
sizes="$(size_of "$tide" tiny) $(size_of "$tide" own) $(size_of "$scratch/usr/bin/tide" tiny)"
[ "$sizes" = "$(sed -n 's/^dim-emb = *\([0-9]*\).*/\1/p' models/tiny.conf) 7 9" ] || die "presets: $sizes"
for preset in tiny small base; do # no preset has an option that a Transformer refuses
    tide_ok train --preset $preset --arch transformer --dim-emb 8 --dim-maxout 8 --dim-ffn 8 --heads 2 --quiet \
        --tsv "$scratch/train.tsv" --model "$scratch/$preset" --after-batches 1
done

# a pipe gets each translation at once; the translations are the same as for the whole file
mkfifo "$scratch/asked"
"$tide" translate "$scratch/run" --mini-batch 1 --n-best 2 <"$scratch/asked" >"$scratch/answers" 2>"$scratch/stderr" &
exec 3>"$scratch/asked"
for i in 1 2 3; do
    sed -n "${i}p" "$scratch/dev.zh" >&3
    comes_to_hold grep -q "^$((i - 1)) " "$scratch/answers" || die "line $i of a pipe is not answered"
done
# a line that cannot be translated is reported and gives an empty line; the lines after it are translated
awk 'BEGIN { for (i = 0; i < 1001; i++) printf "海"; print "" }' >&3
comes_to_hold grep -q '^3 |||  ||| ' "$scratch/answers" || die "a line that is too long is not answered"
printf 'a\377b\n' >&3
comes_to_hold grep -q '^4 |||  ||| ' "$scratch/answers" || die "a line that is not UTF-8 is not answered"
sed -n 3p "$scratch/dev.zh" >&3
comes_to_hold grep -q '^5 ' "$scratch/answers" || die "a line behind an invalid one is not answered"
exec 3>&-
wait $!
[ $? = 1 ] || die "lines that could not be translated leave no status"
grep -q '^tide: standard input:4: a sentence of [0-9]* pieces, where 1000 are the limit$' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
grep -q '^tide: standard input:5: .* not valid UTF-8' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
tail -n 1 "$scratch/stderr" | grep -q '^tide: standard input: 2 lines could not be translated$' || die "$(cat "$scratch/stderr")"
{ head -n 3 "$scratch/dev.zh"; echo; echo; sed -n 3p "$scratch/dev.zh"; } >"$scratch/lines.zh"
tide_ok translate "$scratch/run" --n-best 2 <"$scratch/lines.zh" | cmp - "$scratch/answers" || die "line by line it is another translation"

# a pipe that pauses gets its translations, also without --mini-batch 1; the same bits and order as for a file
rm "$scratch/asked"
mkfifo "$scratch/asked"
"$tide" translate "$scratch/run" --n-best 2 <"$scratch/asked" >"$scratch/answers" 2>"$scratch/stderr" &
exec 3>"$scratch/asked"
head -n 2 "$scratch/dev.zh" >&3
comes_to_hold grep -q '^1 ' "$scratch/answers" || die "a pipe that pauses is not answered"
sed -n 3p "$scratch/dev.zh" | tr -d '\n' >&3 # not a whole line
tail -n +4 "$scratch/dev.zh" | sed '1s/^/\n/' >&3
exec 3>&-
wait $! || die "a pipe: $(cat "$scratch/stderr")"
tide_ok translate "$scratch/run" --n-best 2 <"$scratch/dev.zh" | cmp - "$scratch/answers" || die "a pipe has another translation"

# more lines than are read ahead: all before a line that is not text are translated
{ yes 海 | head -n 4998; printf '\377\n'; yes 海; } | head -n 9000 >"$scratch/many"
"$tide" translate "$scratch/run" --beam-size 1 <"$scratch/many" >"$scratch/answers" 2>"$scratch/stderr"
[ "$(cat "$scratch/stderr")" = 'tide: standard input:4999: line is not valid UTF-8 (byte 1)' ] || die "$(cat "$scratch/stderr")"
[ "$(wc -l <"$scratch/answers")" = 4998 ] || die "$(wc -l <"$scratch/answers") lines before one that is not text"

# translate stops at once when the disk is full
yes 海 | timeout 20 "$tide" translate "$scratch/run" --mini-batch 1 >/dev/full 2>"$scratch/stderr"
[ $? = 1 ] || die "translate goes on where its output cannot be written"
[ "$(cat "$scratch/stderr")" = 'tide: standard output cannot be written' ] || die "$(cat "$scratch/stderr")"

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

# a byte order mark, which Windows writes, stays at the beginning of a document and is not a sentence
printf '<p>海</p>\r\n' | tide_ok translate "$scratch/run" --format html >"$scratch/plain"
printf '\357\273\277<p>海</p>\r\n' | tide_ok translate "$scratch/run" --format html >"$scratch/marked"
{ printf '\357\273\277'; cat "$scratch/plain"; } | cmp - "$scratch/marked" || die "a byte order mark: $(cat "$scratch/marked")"

# evaluate: translates and computes both metrics
tide_ok evaluate "$scratch/run" --src "$scratch/dev.zh" --ref "$scratch/dev.en" --output "$scratch/out.en" >"$scratch/both"
tide_ok translate "$scratch/run" <"$scratch/dev.zh" | cmp - "$scratch/out.en" || die "evaluate gives other translations than translate"
{ tide_ok bleu "$scratch/dev.en" <"$scratch/out.en"; tide_ok chrf "$scratch/dev.en" <"$scratch/out.en"; } |
    cmp - "$scratch/both" || die "evaluate: $(cat "$scratch/both")"

cp "$scratch/dev.en" "$scratch/mine.en"
refused 1 'mine.en: is read, and would be overwritten' evaluate "$scratch/run" --src "$scratch/dev.zh" --ref "$scratch/mine.en" \
    --output "$scratch/mine.en"
cmp "$scratch/dev.en" "$scratch/mine.en" || die "evaluate wrote over its references"
"$tide" evaluate "$scratch/run" --src "$scratch/dev.zh" --ref "$scratch/dev.en" --output "$scratch/nowhere/out" >"$scratch/both" \
    2>"$scratch/stderr" && die "evaluate wrote to a folder that is not there"
grep -q 'nowhere/out: ' "$scratch/stderr" && [ ! -s "$scratch/both" ] || die "translates what it cannot write: $(cat "$scratch/both")"

# what a model says about itself is kept: by a training that continues, by tune, by a training that starts from it
smallest_run "$scratch/about" --after-batches 2 --title 'A title' --licence 'CC BY 2.0 FR'
smallest_run "$scratch/about" --after-batches 4 --corpora 'Tatoeba' --title 'Another "title"'
tide_ok tune "$scratch/about" --src "$scratch/dev.zh" --ref "$scratch/dev.en" --output "$scratch/about-tuned" --beam-sizes 1
smallest_run "$scratch/about-more" --after-batches 2 --pretrained-model "$scratch/about-tuned"
for run in about about-tuned about-more; do
    tide_ok info "$scratch/$run" | head -n 3 >"$scratch/said"
    printf 'title: Another "title"\ncorpora: Tatoeba\nlicence: CC BY 2.0 FR\n' | cmp - "$scratch/said" || die "$run: $(cat "$scratch/said")"
done
refused 2 'licence must be one line' train --tsv "$scratch/train.tsv" --model "$scratch/none" --licence "$(printf 'a\nb')"

# tune: writes a model whose search has the options that it printed
tide_ok tune "$scratch/run" --src "$scratch/dev.zh" --ref "$scratch/dev.en" --output "$scratch/tuned" --beam-sizes 2 3 >"$scratch/choice"
chosen=$(sed -n 's/^.*tuned.model.safetensors: \(--beam-size [^,]*\), BLEU .*/\1/p' "$scratch/choice")
# shellcheck disable=SC2086 # flags and values
tide_ok translate "$scratch/run" $chosen <"$scratch/dev.zh" >"$scratch/a"
tide_ok translate "$scratch/tuned" <"$scratch/dev.zh" | cmp - "$scratch/a" || die "tune: $(cat "$scratch/choice")"
tide_ok info "$scratch/tuned" >/dev/null
[ "$(grep -c '^ *[235] ' "$scratch/choice")" = 3 ] || die "tune does not try the beam of the model: $(cat "$scratch/choice")"
# the model's own options stay if none of those that tune tries is as good; the references are what the model writes
dropout="--dropout-emb 0.1 --dropout-annotation 0.1 --dropout-readout 0.1 --valid-freq 12"
# shellcheck disable=SC2086 # flags and values
smallest_run "$scratch/brief" --after-batches 40 $dropout
smallest_run "$scratch/untuned" --pretrained-model "$scratch/brief" --learn-rate 1e-9 --after-batches 1 --beam-size 12 \
    --normalize 0 --word-penalty=-3
tide_ok translate "$scratch/untuned" <"$scratch/dev.zh" >"$scratch/own"
tide_ok tune "$scratch/untuned" --src "$scratch/dev.zh" --ref "$scratch/own" --output "$scratch/still" --beam-sizes 2 >"$scratch/choice"
grep -q ' --beam-size 12 --normalize 0 --word-penalty -3, BLEU 100.00; before: 12, 0, -3, BLEU 100.00$' "$scratch/choice" ||
    die "tune made a model worse: $(cat "$scratch/choice")"
refused 1 'is the model itself' tune "$scratch/run" --src "$scratch/dev.zh" --ref "$scratch/dev.en" --output "$scratch/run"
refused 1 'nowhere/out: cannot be created' tune "$scratch/run" --src "$scratch/dev.zh" --ref "$scratch/dev.en" --output "$scratch/nowhere/out"
refused 2 'tune needs MODEL' tune "$scratch/run" --src "$scratch/dev.zh" --ref "$scratch/dev.en"

# info, help
tide_ok info "$scratch/run" | grep '^encoder.fwd.W *\[12, 60\]' >/dev/null || die "info"
tide_ok score --help >"$scratch/help"
for command in train translate align aer bleu chrf corpus tokenize score evaluate tune info attend report serve bench lexicon quantize export help; do
    tide_ok "$command" --help | grep "usage: tide $command" >/dev/null || die "$command --help"
done
tide_ok help score | cmp - "$scratch/help" || die "help score"
tide_ok train --help-all | grep -q -- '--learn-rate R .* (default: 0.001)$' || die "train --help without defaults"
tide_ok --version | grep '^tide ' >/dev/null || die "--version"

# RNNencdec, and the other options that change the model
smallest_run "$scratch/encdec" --after-batches 12 --attention none
tide_ok translate "$scratch/encdec" <"$scratch/dev.zh" >/dev/null
grep -q '"frames":\[{"update":12,"alignments":\[\]}\]' "$scratch/encdec/report.html" || die "alignments without attention"
"$tide" translate "$scratch/encdec" --alignment hard </dev/null 2>"$scratch/stderr" && die "an alignment without attention"
"$tide" translate "$scratch/encdec" --html "$scratch/page" </dev/null 2>"$scratch/stderr" && die "a page without attention"
smallest_run "$scratch/prev" --after-batches 12 --readout-state prev --optimizer adadelta --learn-rate 1
"$tide" evaluate "$scratch/encdec" --coverage-penalty 0.1 --src "$scratch/dev.zh" --ref "$scratch/dev.en" 2>"$scratch/stderr" &&
    die "coverage without attention"
grep -q 'coverage-penalty needs a model with attention' "$scratch/stderr" || die "$(cat "$scratch/stderr")"

# ensembles: a model twice gives the results of the model; the order of two models does not matter; scores and alignments
# are those of the mean
tide_ok translate --models "$scratch/run" "$scratch/run" --beam-size 4 --n-best 3 <"$scratch/dev.zh" | cmp - "$scratch/nbest" ||
    die "an ensemble of a model with itself gives other translations"
tide_ok translate --models "$scratch/run" "$scratch/prev" --alignment soft --html "$scratch/page" <"$scratch/dev.zh" >"$scratch/a"
tide_ok translate --models "$scratch/prev" "$scratch/run" --alignment soft <"$scratch/dev.zh" | cmp - "$scratch/a" ||
    die "the order of two models matters"
cmp -s "$scratch/a" "$scratch/soft" && die "the second model does nothing"
grep -qF "Translations by $scratch/run, $scratch/prev" "$scratch/page" || die "the page does not name both models"
sed 's/.* ||| //' "$scratch/a" | tr ' ' '\n' | awk -F, '{ sum = 0; for (i = 1; i <= NF; i++) sum += $i
    if (sum < 0.999 || sum > 1.001) bad = 1 } END { exit bad || NR < 24 }' || die "rows of a mean alignment do not sum to 1"
tide_ok evaluate --models "$scratch/run" "$scratch/encdec" "$scratch/prev" --src "$scratch/dev.zh" --ref "$scratch/dev.en" \
    --output "$scratch/out.en" >/dev/null
tide_ok translate --models "$scratch/run" "$scratch/encdec" "$scratch/prev" --mini-batch 1 <"$scratch/dev.zh" |
    cmp - "$scratch/out.en" || die "evaluate gives other translations of an ensemble"
tide_ok translate --models "$scratch/run" "$scratch/encdec" --alignment hard --coverage-penalty 0.1 <"$scratch/dev.zh" >"$scratch/a"
tide_ok translate --models "$scratch/encdec" "$scratch/run" --alignment hard --coverage-penalty 0.1 <"$scratch/dev.zh" |
    cmp - "$scratch/a" || die "a model without attention may not come first"

smallest_run "$scratch/sgd" --after-batches 12 --optimizer sgd --learn-rate 0.5
smallest_run "$scratch/joint" --after-batches 12 --tokenizer bpe bpe --merges joint --bpe-merges 60 7
tide_ok translate "$scratch/joint" <"$scratch/dev.zh" >/dev/null
smallest_run "$scratch/joint" --after-batches 14 --tokenizer bpe bpe --merges joint --bpe-merges 60 7
for side in source target; do # a list in the metadata ends at the next quote
    LC_ALL=C sed 's/.*"'$side'\.merges":"//; s/".*//; q' "$scratch/joint/model.safetensors" | tr -d '\0' >"$scratch/$side.merges"
done
cmp "$scratch/source.merges" "$scratch/target.merges" || die "joint merges differ"
[ "$(grep -o '\\n' "$scratch/source.merges" | wc -l)" = 60 ] || die "joint merges: $(head -c 300 "$scratch/source.merges")"
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

# bench: every kernel set agrees with plain loops (else the program aborts); every part prints its measurements
for isa in avx512 avx2 neon portable; do
    "$tide" bench kernels --isa $isa >"$scratch/bench" 2>"$scratch/stderr" && { grep -q '^  adam .* numbers' "$scratch/bench" ||
        die "bench kernels --isa $isa: $(cat "$scratch/bench")"; }
    case $? in 0 | 2) ;; *) die "bench kernels --isa $isa: $(cat "$scratch/stderr")" ;; esac
done
tide_ok bench step decode --size small --batch 2 --updates 1 >"$scratch/bench"
grep -q '^train small .* target tokens/s' "$scratch/bench" && grep -q '^decode small .*beam 5,  1 at once' "$scratch/bench" ||
    die "bench prints $(cat "$scratch/bench")"
"$tide" bench speed 2>"$scratch/stderr" && die "an unknown part of the benchmark is accepted"
[ "$(cat "$scratch/stderr")" = "tide: 'speed' is not a part of the benchmark: kernels|gemm|step|decode" ] || die "$(cat "$scratch/stderr")"
