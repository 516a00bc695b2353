#!/bin/sh
# Tests on the command line: alignments by word, shifted and symmetrised alignments, the alignment error rate, guided and
# hard attention, and the page of alignments.
# shellcheck disable=SC2086 # $pair is several flags
. "$(dirname "$0")/../lib/common.inc"
smallest_run "$scratch/run" --after-batches 24
smallest_run "$scratch/back" --after-batches 24 --langs en zh --tokenizer bpe char

# words are separated by spaces; with pieces, the characters of a word are separate, too
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

# symmetrisation: the intersection holds the links of both directions, the union those of either direction
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
[ -z "$(comm -13 "$scratch/grown.set" "$scratch/intersection.set")" ] || die "grow-diag-final-and lost links of the intersection"
[ -z "$(comm -23 "$scratch/grown.set" "$scratch/union.set")" ] || die "grow-diag-final-and added links outside the union"

# soft and mean: links of both matrices; a larger threshold gives fewer; a mean is at least the harmonic mean
for threshold in 0.05 0.1; do
    for method in soft mean; do
        both --symmetrize $method --threshold $threshold | awk '{ for (i = 1; i <= NF; i++) print NR, $i }' |
            LC_ALL=C sort >"$scratch/$method.$threshold"
    done
    [ -z "$(LC_ALL=C comm -23 "$scratch/soft.$threshold" "$scratch/mean.$threshold")" ] || die "soft has links that mean lacks"
done
[ -s "$scratch/soft.0.1" ] && [ -z "$(LC_ALL=C comm -13 "$scratch/soft.0.05" "$scratch/soft.0.1")" ] || die "soft: $(cat "$scratch/soft.0.1")"
both --symmetrize mean --threshold 0.25 >"$scratch/quarter"
both --symmetrize mean | cmp - "$scratch/quarter" || die "the threshold of mean is not 0.25"
# a word of each side whose weights are known: every link has the harmonic mean of the two matrices
matrices() { # MODEL SRC TGT: prints line, row, column, weight
    tide_ok align "$1" --src "$2" --tgt "$3" --level word --format matrix |
        awk '/ [|][|][|] / { k++; i = 0; next } NF { for (j = 1; j <= NF; j++) print k, i, j - 1, $j; i++ }'
}
matrices "$scratch/run" "$scratch/zh" "$scratch/en" >"$scratch/forward.weights"
matrices "$scratch/back" "$scratch/en" "$scratch/zh" >"$scratch/reverse.weights"
both --symmetrize soft --threshold 0.1 --end-of-sentence | awk '{ for (i = 1; i <= NF; i++) print NR, $i }' | LC_ALL=C sort >"$scratch/ends.0.1"
awk 'NR == FNR { a[$1, $2, $3] = $4; next }
    { x = a[$1, $3, $2]; if (x + $4 > 0 && 2 * x * $4 / (x + $4) >= 0.1) print $1, $2 "-" $3 }' \
    "$scratch/forward.weights" "$scratch/reverse.weights" | LC_ALL=C sort | cmp - "$scratch/ends.0.1" || die "soft is not the harmonic mean"
# the matrix of both directions is this mean
both --symmetrize soft --format matrix | awk '/ [|][|][|] / { k++; i = 0; next } NF { for (j = 1; j <= NF; j++) print k, i, j - 1, $j; i++ }' |
    awk 'FILENAME != "-" { if (FILENAME ~ /forward/) a[$1, $2, $3] = $4; else b[$1, $3, $2] = $4; next }
        { x = a[$1, $2, $3]; y = b[$1, $2, $3]; d = $4 - (x + y > 0 ? 2 * x * y / (x + y) : 0); n++ }
        d > 1e-6 || d < -1e-6 { exit 1 }
        END { if (n < 100) exit 1 }' "$scratch/forward.weights" "$scratch/reverse.weights" - || die "the matrix is not the harmonic mean"
both --symmetrize mean --output "$scratch/means" --format svg && [ -s "$scratch/means/0002.svg" ] || die "no picture of both directions"
refused 2 'needs --symmetrize soft or mean' align "$scratch/run" $pair --level word --reverse "$scratch/back" --format json
refused 2 'has no format html' align "$scratch/run" $pair --level word --reverse "$scratch/back" --format html --symmetrize soft

# every command scores Chinese by character
tide_ok evaluate "$scratch/back" --src "$scratch/en" --ref "$scratch/zh" --output "$scratch/back.zh" >"$scratch/both"
tide_ok bleu "$scratch/zh" --tokenize zh <"$scratch/back.zh" >"$scratch/bleu"
head -n 2 "$scratch/both" | cmp - "$scratch/bleu" || die "evaluate: $(cat "$scratch/both")"
grep -q 'tok:zh' "$scratch/bleu" || die "bleu --tokenize zh: $(cat "$scratch/bleu")"

# translate has the same options for alignments
cut -f2 "$scratch/dev.tsv" | tide_ok translate "$scratch/run" --alignment hard --level word >"$scratch/translated"
grep -Eq '[|][|][|] ([0-9]+-[0-9]+ ?)*$' "$scratch/translated" || die "translate --level word"

tide_ok align "$scratch/run" $pair --level word --end-of-sentence >"$scratch/ends"
awk 'NR == FNR { words[FNR] = split($0, word, " "); next }
    { split($NF, link, "-"); if (link[2] != words[FNR]) exit 1 }' "$scratch/en" "$scratch/ends" ||
    die "--end-of-sentence: $(head -n 2 "$scratch/ends")"

# error rate
[ "$(tide_ok aer "$scratch/union" <"$scratch/union" | cut -c1-12)" = 'AER = 0.0000' ] || die "aer of the gold itself"
printf '1-1 2p2\n3-3-P\n' >"$scratch/gold"
printf '0-0 1-1\n5-5\n' | tide_ok aer "$scratch/gold" --one-ref >"$scratch/aer"
grep -q '^AER = 0.2500 precision = 0.6667 recall = 1.0000 (links = 3 sure = 1 possible = 3)$' "$scratch/aer" ||
    die "aer printed $(cat "$scratch/aer")"
refused 1 'standard input: fewer lines than' aer "$scratch/gold"
printf '0-0\nx\n' >"$scratch/broken"
"$tide" aer "$scratch/broken" <"$scratch/gold" >/dev/null 2>"$scratch/stderr" && die "a broken gold was taken"
grep -q "broken:2: 'x' is not a link" "$scratch/stderr" || die "$(cat "$scratch/stderr")"
refused 2 'needs --level word' align "$scratch/run" $pair --reverse "$scratch/back"
refused 1 'run: translates from zh to en, as MODEL does; --reverse needs a model from en to zh$' align "$scratch/run" $pair --level word \
    --reverse "$scratch/run"
refused 2 'needs --reverse' align "$scratch/run" $pair --symmetrize union

# guided attention follows the links earlier than attention without a guide; threads and a stop do not change the bits
cut -f1 "$scratch/train.tsv" >"$scratch/train.en"
cut -f2 "$scratch/train.tsv" >"$scratch/train.zh"
awk '{ n = split($0, word, " "); for (i = 0; i < n; i++) printf "0-%d ", i; print "" }' "$scratch/train.en" >"$scratch/first"
guided() { # saves the model of the last update
    dir=$scratch/$1
    shift
    smallest_run "$dir" --guided-alignment "$scratch/first" --guided-alignment-weight 1 --valid-freq 24 "$@"
}
heads() { # prints the attention weight of the first character in rows of text
    tide_ok align "$scratch/$1" $pair --format matrix | awk '/ [|][|][|] / { n = $NF; i = 0; next }
        NF && ++i < n { sum += $1; rows++ } END { printf "%.4f", sum / rows }'
}
guided follows --after-batches 24
guided threads --after-batches 24 --threads 3
guided stopped --after-batches 13
guided stopped --after-batches 24
for other in threads stopped; do
    cmp "$scratch/follows/checkpoint.safetensors" "$scratch/$other/checkpoint.safetensors" || die "guided: $other differs"
done
for cost in mult mse; do guided $cost --after-batches 24 --guided-alignment-cost $cost; done
guided null --after-batches 24 --guided-alignment-null on
for kind in dot multi-head; do guided $kind --after-batches 24 --attention $kind --heads 3; done
for run in follows mult mse null dot multi-head; do
    awk -v by="$(heads run)" -v guided="$(heads $run)" 'BEGIN { exit !(guided > by + 0.05) }' ||
        die "guided by $run: $(heads $run) of the weight where it should be, $(heads run) without"
done
refused 1 'is not the data that .* was trained on' train --tsv "$scratch/train.tsv" --config "$scratch/smallest.conf" \
    --model "$scratch/follows" --guided-alignment-weight 1 --after-batches 30
sed 3d "$scratch/first" >"$scratch/short"
refused 1 'short: has 299 lines, but the training set has 300' train --tsv "$scratch/train.tsv" \
    --config "$scratch/smallest.conf" --model "$scratch/other" --guided-alignment "$scratch/short"
refused 1 'guided-alignment needs an attention' train --tsv "$scratch/train.tsv" --config "$scratch/smallest.conf" \
    --model "$scratch/other" --attention none --guided-alignment "$scratch/first"

# hard attention: each row puts all its weight on one piece; the translations differ from those with soft attention
cut -f2 "$scratch/dev.tsv" >"$scratch/text"
for mode in soft hard; do
    tide_ok translate "$scratch/mult" --attention-mode $mode --alignment soft <"$scratch/text" >"$scratch/$mode"
    tide_ok align "$scratch/mult" $pair --attention-mode $mode --format soft >"$scratch/$mode.aligned"
    tide_ok score "$scratch/mult" $pair --attention-mode $mode >"$scratch/$mode.score"
    tide_ok evaluate "$scratch/mult" --src "$scratch/text" --ref "$scratch/en" --attention-mode $mode >"$scratch/$mode.bleu"
done
sed 's/.*[|] //' "$scratch/hard" | cat - "$scratch/hard.aligned" | tr ' ,' '\n' | grep -vE '^([01](\.0*)?)?$' && die "a weight is neither 0 nor 1"
sed 's/.*[|] //' "$scratch/soft" | tr ' ,' '\n' | grep -qE '^0\.[0-9]*[1-9]' || die "soft attention is hard"
cmp -s "$scratch/soft.score" "$scratch/hard.score" && die "score --attention-mode does nothing"
tide_ok translate "$scratch/mult" --alignment soft <"$scratch/text" | cmp - "$scratch/soft" || die "soft attention is not the default"
refused 2 'attention-mode must be one of soft|hard' translate "$scratch/run" --attention-mode medium

# a Transformer: soft and hard alignments as numbers, pictures and a page; of one head and of one layer
smallest_run "$scratch/transformer" --after-batches 24 --arch transformer --dim-emb 8 --dim-ffn 12 --heads 2 --dec-depth 2
transformer() { tide_ok translate "$scratch/transformer" --alignment soft "$@" <"$scratch/text"; }
transformer --heatmap "$scratch/pictures" --html "$scratch/transformer.html" >"$scratch/mean"
[ "$(find "$scratch/pictures" -name '*.svg' | wc -l)" = 12 ] && grep -q '<text' "$scratch/pictures/0012.svg" || die "no heatmaps"
[ "$(grep -c '"matrix":' "$scratch/transformer.html")" = 12 ] || die "no page"
for head in 1 2; do
    for layer in 1 2; do transformer --alignment-head $head --alignment-layer $layer >"$scratch/$layer.$head"; done
    tide_ok align "$scratch/transformer" $pair --alignment-head $head --format soft >"$scratch/aligned.$head"
done
tide_ok align "$scratch/transformer" $pair --format soft >"$scratch/aligned"
for file in 1.1 1.2 2.1 2.2; do # another alignment of the same translation
    sed 's/ [|].*//' "$scratch/$file" >"$scratch/words.only"
    sed 's/ [|].*//' "$scratch/mean" | cmp - "$scratch/words.only" || die "$file: a head changes the translation"
    cmp -s "$scratch/$file" "$scratch/mean" && die "$file: the head makes no difference"
done
paste -d '\n' "$scratch/aligned" "$scratch/aligned.1" "$scratch/aligned.2" | tr ' ,' '  ' | awk '
    NR % 3 == 1 { n = split($0, mean, " "); next }
    NR % 3 == 2 { split($0, one, " "); next }
    { split($0, two, " "); for (i = 1; i <= n; i++) if ((one[i] + two[i]) / 2 - mean[i] > 2e-4 || mean[i] - (one[i] + two[i]) / 2 > 2e-4) apart = 1 }
    END { exit apart || NR != 36 }' || die "not the mean of both heads"
transformer --attention-mode hard --alignment-head 1 | sed 's/.*[|] //' | tr ' ,' '\n' | grep -vE '^([01](\.0*)?)?$' && die "a weight is neither 0 nor 1"
cmp -s "$scratch/2.1" "$scratch/1.1" && die "the layer makes no difference"
refused 1 'transformer: --alignment-head 3: this model.s attention has 2 heads' translate "$scratch/transformer" --alignment-head 3
refused 1 'transformer: --alignment-layer 3: this model.s attention has 2 layers' align "$scratch/transformer" $pair --alignment-layer 3
refused 1 'run: --alignment-head 2: this model.s attention has 1 head$' translate "$scratch/run" --alignment-head 2
smallest_run "$scratch/encdec" --after-batches 2 --attention none
refused 1 'encdec: --alignment-layer needs a model with attention' translate "$scratch/encdec" --alignment-layer 1
refused 1 'run: --alignment-head 2' translate --models "$scratch/transformer" "$scratch/run" --alignment-head 2
refused 1 'back: --alignment-layer 2' align "$scratch/transformer" $pair --level word --reverse "$scratch/back" --alignment-layer 2
ranked="--beam-size 12 --coverage-penalty 5" # the alignment affects the ranking: with another head, another translation is best
tide_ok evaluate "$scratch/transformer" --src "$scratch/text" --ref "$scratch/en" $ranked --alignment-head 2 --output "$scratch/by.head" >"$scratch/bleu"
tide_ok translate "$scratch/transformer" $ranked --alignment-head 2 <"$scratch/text" | cmp - "$scratch/by.head" || die "evaluate by a head"
tide_ok translate "$scratch/transformer" $ranked <"$scratch/text" | cmp -s - "$scratch/by.head" && die "the head does not rank"
refused 2 'alignment-head must be between 1 and 256' align "$scratch/run" $pair --alignment-head 0

# tide warns about stuck attention, and the log has its statistics
smallest_run "$scratch/stuck" --learn-rate 0.00000001 --mini-batch 1 --after-batches 1000 --valid-freq 1000 --save-freq 0
grep -q 'the attention is stuck' "$scratch/stderr" || die "no warning: $(cat "$scratch/stderr")"
grep -q '"attention_entropy": [0-9.]*, "attention_diversity": [0-9.]*, "attention_stuck": true, "bleu_by_length": \[{"to": [0-9]*, "sentences": [0-9]*, "bleu": [0-9.]*}' \
    "$scratch/stuck/train.jsonl" || die "$(grep valid "$scratch/stuck/train.jsonl")"

# the page of alignments has every printed hypothesis; a page that cannot be written gives one line of error
tide_ok translate "$scratch/run" --n-best 2 --html "$scratch/page.html" <"$scratch/zh" >"$scratch/nbest"
[ "$(grep -c '^{"text":.*"matrix":' "$scratch/page.html")" = "$(wc -l <"$scratch/nbest")" ] || die "not every hypothesis is on the page"
tide_ok align "$scratch/run" $pair --format html >"$scratch/aligned.html"
[ "$(grep -c '"matrix":' "$scratch/aligned.html")" = 12 ] && grep -q '"byWord":false' "$scratch/aligned.html" || die "align --format html"
tide_ok align "$scratch/run" $pair --format html --level word | grep '"byWord":true' >/dev/null || die "--level word"
# links on the page: their error rates are those of tide aer
tide_ok align "$scratch/run" $pair --level word >"$scratch/own"
sed 's/\([0-9]*-[0-9]*\)$/\1-P/; s/^[^ ]* //' "$scratch/own" >"$scratch/people"
tide_ok align "$scratch/run" $pair --format html --links "$scratch/own" --gold "$scratch/people" >"$scratch/marked.html"
paste -d '\n' "$scratch/own" "$scratch/people" | while read -r found && read -r right; do
    echo "$right" >"$scratch/one"
    echo "$found" | tide_ok aer "$scratch/one" | cut -d' ' -f3
done >"$scratch/expected"
for name in aligner attention; do
    sed -n "s/.*\"$name\":{\"links\":[^}]*\"aer\":\([0-9.]*\)}.*/\1/p" "$scratch/marked.html" | diff - "$scratch/expected" ||
        die "the error rates of $name"
done
grep -q '"links":{' "$scratch/aligned.html" && die "links that nobody gave"
head -n 11 "$scratch/own" >"$scratch/short"
refused 1 "^tide: $scratch/short: has 11 lines, but there are 12 pairs" align "$scratch/run" $pair --format html --links "$scratch/short"
sed '3s/.*/0-0 99-0/' "$scratch/own" >"$scratch/beyond"
refused 1 "^tide: $scratch/beyond:3: the link 99-0, but the pair has" align "$scratch/run" $pair --format html --gold "$scratch/beyond"
sed '3s/.*/0-0 x/' "$scratch/own" >"$scratch/broken"
refused 1 "^tide: $scratch/broken:3: " align "$scratch/run" $pair --format html --gold "$scratch/broken"
refused 2 'need the format html' align "$scratch/run" $pair --gold "$scratch/own"

refused 1 '^tide: /dev/full: cannot be written: No space left' translate "$scratch/run" --html /dev/full
"$tide" translate "$scratch/run" --html "$scratch/none/page.html" <"$scratch/zh" >"$scratch/early" 2>"$scratch/stderr" && die "a page in no directory"
grep -q "^tide: $scratch/none/page.html: cannot be written: No such" "$scratch/stderr" && [ ! -s "$scratch/early" ] ||
    die "the page was only opened after the translation: $(cat "$scratch/stderr")"
mkfifo "$scratch/pipe"
cat "$scratch/pipe" >"$scratch/piped.html" &
tide_ok translate "$scratch/run" --n-best 2 --html "$scratch/pipe" <"$scratch/zh" >/dev/null
wait
cmp "$scratch/page.html" "$scratch/piped.html" || die "the page differs through a pipe"
tide_ok translate "$scratch/run" --n-best 2 --html "$scratch/piped.html" <"$scratch/zh" >/dev/null
cmp "$scratch/page.html" "$scratch/piped.html" || die "a page does not replace the old one"
"$tide" align "$scratch/run" $pair --format html >/dev/full 2>"$scratch/stderr" && die "a page on a full disk"
[ "$(cat "$scratch/stderr")" = 'tide: standard output cannot be written' ] || die "$(cat "$scratch/stderr")"
