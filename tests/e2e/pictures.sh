#!/bin/sh
# Pictures of alignments as PNG and PDF: a program gets the pictures. A stand-in for it shows that it gets all of them,
# whether it is installed or not.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/translator.inc

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
if native 'programs that draw'; then
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
        [ "$(grep -c '<svg ' "$scratch/$page")$(grep -c '^<g role="img"' "$scratch/$page")" = 12 ] || die "$page"
    done
    [ -e "$scratch/c-2.png" ] && die 'a second page'
    pictures "$scratch/large.PDF" && [ -f "$scratch/large.PDF" ] || die "an ending of large letters: $(cat "$scratch/stderr")"
    PATH="$scratch/bin" "$tide" translate "$scratch/run" --heatmap "$scratch/nowhere/a.pdf" <"$scratch/two.zh" >"$scratch/found" \
        2>"$scratch/stderr" && die "a PDF in a folder that is not there"
    grep -q 'nowhere/a.pdf: cannot be written' "$scratch/stderr" && [ ! -s "$scratch/found" ] || die "translates before it finds a wrong path"
    RSVG=fails pictures "$scratch/b.pdf" && die 'a failing rsvg-convert'
    grep -q 'b.pdf: rsvg-convert failed with exit status 3' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
    [ -e "$scratch/b.pdf" ] && die 'a PDF of a failing rsvg-convert'
    rm "$scratch/bin/rsvg-convert"
    pictures "$scratch/b.png" && die 'no rsvg-convert'
    grep -q "install Debian's package librsvg2-bin" "$scratch/stderr" || die "$(cat "$scratch/stderr")"
fi

# What the pictures show: handouts, blank ones, colours by row, and several matrices in one picture. pictures.py reads them.
draw() { # FOLDER [FLAG ...]: pictures of the 12 pairs
    folder=$scratch/$1
    shift
    tide_ok align "$scratch/run" --src "$scratch/dev.zh" --tgt "$scratch/dev.en" --format svg --output "$folder" "$@"
}
weights() { tide_ok align "$@" --src "$scratch/dev.zh" --tgt "$scratch/dev.en" --format json; } # MODEL [FLAG ...]
smallest_run "$scratch/layers" --after-batches 12 --arch transformer --dim-emb 8 --dim-ffn 12 --heads 2 --dec-depth 2
smallest_run "$scratch/other" --after-batches 12
smallest_run "$scratch/merges" --after-batches 2 --bpe-merges 50 50
smallest_run "$scratch/bpe" --after-batches 2 --tokenizer bpe bpe
draw alone
draw sheets --per-page 12 --title 'A handout'
draw two --per-page 2
draw blank --per-page 12 --blank --picture-language zh
draw rows --row-scale
draw minus --minus "$scratch/other"
weights "$scratch/run" >"$scratch/json"
weights "$scratch/other" >"$scratch/other.json"
weights "$scratch/run" --minus "$scratch/other" >"$scratch/minus.json"
weights "$scratch/run" --minus "$scratch/merges" >"$scratch/words.json"
for layer in 1 2; do
    for head in 1 2; do
        weights "$scratch/layers" --alignment-layer $layer --alignment-head $head >"$scratch/head.$layer.$head"
    done
done
each() { tide_ok align "$scratch/layers" --src "$scratch/dev.zh" --tgt "$scratch/dev.en" --each head --format svg --output "$@"; }
each "$scratch/heads"
each "$scratch/layer" --alignment-layer 2 --picture-language zh
tide_ok translate "$scratch/run" --n-best 3 --alignment soft --each hypothesis --heatmap "$scratch/hypotheses" \
    <"$scratch/dev.zh" >"$scratch/nbest"
for words in '潮水。' "$(printf '潮水%.0s' $(seq 150))" '大海。'; do echo "$words"; done >"$scratch/long.zh"
tide_ok align "$scratch/run" --src "$scratch/long.zh" --tgt "$scratch/long.zh" --format svg --output "$scratch/long" --per-page 3
if has python3 'what pictures show'; then python3 tests/e2e/pictures.py "$scratch" || die 'what pictures show'; fi

align_refused() { # STATUS REASON [FLAG ...]
    status=$1 reason=$2
    shift 2
    refused "$status" "$reason" align "$scratch/run" --src "$scratch/dev.zh" --tgt "$scratch/dev.en" "$@"
}
align_refused 1 'pair 1: MODEL and the --minus model divide it into different words' --format json --minus "$scratch/bpe"
align_refused 2 'minus is for the formats svg' --minus "$scratch/other"
align_refused 2 'each head needs --format svg' --each head
align_refused 2 'each must be one of head' --each layer --format svg --output "$scratch/x"
align_refused 2 'per-page is for pictures; name their folder or file' --per-page 2
align_refused 2 'blank is for pictures' --blank
align_refused 2 'row-scale is for pictures' --row-scale
align_refused 2 'picture-language is for pictures' --picture-language zh
refused 2 'each hypothesis needs --heatmap and --n-best' translate "$scratch/run" --each hypothesis --heatmap "$scratch/x"
refused 2 'picture-language must be one of en|zh' translate "$scratch/run" --heatmap "$scratch/x" --picture-language de
refused 2 'picture-language needs --heatmap' attend --picture-language zh
refused 2 'title is for sheets, with --per-page 2 or more' translate "$scratch/run" --heatmap "$scratch/x" --title x
refused 2 'title must be one line' translate "$scratch/run" --heatmap "$scratch/x" --per-page 2 --title ''
refused 2 'per-page' translate "$scratch/run" --heatmap "$scratch/x" --per-page 13

if has rsvg-convert 'true PNG and PDF' librsvg2-bin; then
    tide_ok translate "$scratch/run" --heatmap "$scratch/true.png" <"$scratch/two.zh" >"$scratch/found"
    tide_ok translate "$scratch/run" --heatmap "$scratch/true.pdf" <"$scratch/two.zh" | cmp - "$scratch/found" || die 'PDF and PNG'
    [ "$(head -c 4 "$scratch/true-2.png" | tail -c 3)$(head -c 4 "$scratch/true.pdf")" = PNG%PDF ] || die 'no PNG or no PDF'
fi
