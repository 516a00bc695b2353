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
grep -q 'install the package librsvg2-bin' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
if has rsvg-convert 'true PNG and PDF' librsvg2-bin; then
    tide_ok translate "$scratch/run" --heatmap "$scratch/true.png" <"$scratch/two.zh" >"$scratch/found"
    tide_ok translate "$scratch/run" --heatmap "$scratch/true.pdf" <"$scratch/two.zh" | cmp - "$scratch/found" || die 'PDF and PNG'
    [ "$(head -c 4 "$scratch/true-2.png" | tail -c 3)$(head -c 4 "$scratch/true.pdf")" = PNG%PDF ] || die 'no PNG or no PDF'
fi
