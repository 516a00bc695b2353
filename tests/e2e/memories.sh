#!/bin/sh
# Translation memories (TMX) and catalogues as text (PO): tide corpus and tide train read their pairs, count what they leave
# out, and refuse hostile or damaged files in one line.
. "$(dirname "$0")/../lib/common.inc"

corpus() { tide_ok corpus --output "$scratch/out" --dev 0 --test 0 --dropped "$scratch/dropped" "$@" >"$scratch/report"; }
says() { grep -q "^ *$1\$" "$scratch/report" || die "the report does not say '$1': $(cat "$scratch/report")"; }
refuses() { # FILE REASON: both commands refuse it
    flag=--${1##*.}
    refused 1 "${1##*/}$2\$" corpus --output "$scratch/out" "$flag" "$1"
    refused 1 "${1##*/}$2\$" train --preset tiny --model "$scratch/refused" "$flag" "$1"
}
trains() { # MODEL FLAG...
    to=$1
    shift
    tide_ok train --preset tiny --model "$to" --after-batches 1 "$@"
}
expect() { # the pairs of out/train.*
    paste "$scratch/out/train.en" "$scratch/out/train.zh" | cmp - "$scratch/expected" || die "$(cat "$scratch/out"/train.*)"
}

# ---- TMX ----
cat >"$scratch/a.tmx" <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd" [<!ENTITY sea "the sea">]>
<tmx version="1.4">
 <header srclang="en" segtype="sentence"><note>潮水</note></header>
 <body>
  <tu tuid="1"><prop type="x">p</prop>
   <tuv xml:lang="en-US"><seg>The <bpt i="1">&lt;b></bpt>tide<ept i="1">&lt;/b></ept> of<ph x="1">{br<sub>a note</sub>}</ph>&sea; &amp; more.</seg></tuv>
   <tuv xml:lang="ZH_CN"><prop type="x">p</prop><seg><![CDATA[<潮水>、]]>大海。</seg></tuv>
   <tuv xml:lang="zh-TW"><seg>潮<hi>水</hi>與大海&#x3002;</seg></tuv>
   <tuv xml:lang="de"><seg>Ebbe.</seg></tuv>
  </tu>
  <tu><tuv lang="eng"><seg>Only English.</seg></tuv></tu>
  <tu/>
  <tu><tuv lang="cmn-Hans"><seg>大家都在
海边。</seg></tuv><tuv lang="EN"><seg>Everyone is at the beach.</seg></tuv></tu>
 </body>
</tmx>
XML
if ! tide_ok --version | grep -q '^without: .*TMX'; then
    corpus --tmx "$scratch/a.tmx"
    says '4 read: .*'
    says '1 more from plural forms and variants'
    says '2 empty .*'
    says '1 markup .*'
    printf 'The tide of the sea & more.\t潮水與大海。\nEveryone is at the beach.\t大家都在 海边。\n' >"$scratch/expected"
    expect
    grep -q "^empty	$scratch/a.tmx:12	Only English\.	\$" "$scratch/dropped" || die "$(cat "$scratch/dropped")"

    # the encoding that the file declares; compressed; from standard input; in one piece and in many
    sed 's/UTF-8/UTF-16/' "$scratch/a.tmx" | iconv -f UTF-8 -t UTF-16 >"$scratch/wide"
    for packed in wide.gz wide.xz; do
        case $packed in *.gz) packer=gzip ;; *) packer=xz ;; esac
        has $packer "a translation memory compressed by $packer" || continue
        $packer -c <"$scratch/wide" >"$scratch/$packed"
        corpus --tmx - <"$scratch/$packed"
        expect
    done

    # tide train: the codes of --langs choose the languages, also one variant
    trains "$scratch/run" --tmx "$scratch/a.tmx"
    grep -q '^3 pairs to train on (5 lines read, 2 empty' "$scratch/stderr" || die "train: $(cat "$scratch/stderr")"
    trains "$scratch/run2" --tmx "$scratch/a.tmx" --langs zh-TW en
    grep -q '^1 pairs to train on (4 lines read, 3 empty' "$scratch/stderr" || die "train: $(cat "$scratch/stderr")"

    sed 's/ZH_CN/fr/; s/zh-TW/fr/; s/cmn-Hans/fr/' "$scratch/a.tmx" >"$scratch/b.tmx"
    refuses "$scratch/b.tmx" ': no translation unit has both zh and en; the languages are: en-US fr de eng EN'
    sed -E 's/"(en-US|eng|EN|en)"/"fr"/' "$scratch/a.tmx" >"$scratch/b.tmx"
    refuses "$scratch/b.tmx" ': no translation unit has both zh and en; the languages are: fr ZH_CN zh-TW de cmn-Hans'
    echo '<html><body/></html>' >"$scratch/c.tmx"
    refuses "$scratch/c.tmx" ':1: is not a TMX file: its first element is html'
    head -n 10 "$scratch/a.tmx" >"$scratch/d.tmx"
    refuses "$scratch/d.tmx" ':11: is not valid XML: no element found'
    sed '9s/潮/\xff/' "$scratch/a.tmx" >"$scratch/e.tmx"
    refuses "$scratch/e.tmx" ':9: is not valid XML: not well-formed (invalid token)'
    sed 's/&sea;/\&lake;/' "$scratch/a.tmx" >"$scratch/f.tmx"
    refuses "$scratch/f.tmx" ':7: the entity lake is not defined'
    # billion laughs; a long entity, often
    sed 's/<!ENTITY sea "the sea">/&<!ENTITY seas "\&sea;\&sea;">/' "$scratch/a.tmx" >"$scratch/g.tmx"
    refuses "$scratch/g.tmx" ':2: the entity seas is defined by another entity'
    sed 's/<!ENTITY sea /&SYSTEM /' "$scratch/a.tmx" >"$scratch/s.tmx"
    refuses "$scratch/s.tmx" ':2: the entity sea is another file'
    # what expat would keep in memory: elements in each other, a tag, declarations
    { echo '<tmx>'; yes '<a>' | head -n 300; } >"$scratch/i.tmx"
    refuses "$scratch/i.tmx" ':257: elements are nested more than 256 deep'
    { printf '<tmx>\n<tu x="'; head -c 1200000 /dev/zero | tr '\0' a; } >"$scratch/j.tmx"
    refuses "$scratch/j.tmx" ':2: more than 1 MiB of text in a tag or a comment'
    { echo '<!DOCTYPE tmx ['; yes '<!ENTITY a "tide">' | head -n 80000; } >"$scratch/k.tmx"
    refuses "$scratch/k.tmx" ':[0-9]*: more than 1 MiB of text before the first element'
    {
        printf '<!DOCTYPE tmx [<!ENTITY a "'
        head -c 10000 /dev/zero | tr '\0' a
        printf '">]>\n<tmx><tu><tuv lang="en"><seg>'
        yes '&a;' | head -n 200 | tr -d '\n'
        echo '</seg></tuv></tu></tmx>'
    } >"$scratch/h.tmx"
    refuses "$scratch/h.tmx" ':2: a translation unit has more than 1 MiB of text'
else
    refused 1 'TMX needs expat: .*' corpus --output "$scratch/out" --tmx "$scratch/a.tmx"
fi

# ---- PO ----
cat >"$scratch/a.po" <<'PO'
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\n"

msgid "Open the door."
msgstr "打开门。"

#, fuzzy
msgid "Close the door."
msgstr "关窗。"

msgid "Nothing here."
msgstr ""

msgctxt "menu"
msgid "one apple"
msgid_plural "many apples"
msgstr[0] "一些苹果"
PO
if has msgfmt 'catalogues as text' gettext; then
    corpus --po "$scratch/a.po"
    says '1 fuzzy .*'
    printf 'Open the door.\t打开门。\nmany apples\t一些苹果\none apple\t一些苹果\n' >"$scratch/expected"
    paste "$scratch/out/train.en" "$scratch/out/train.zh" | LC_ALL=C sort | cmp - "$scratch/expected" || die "$(cat "$scratch/out"/train.*)"
    {
        cat "$scratch/a.po"
        seq 11 | sed 's/.*/\n#, fuzzy\nmsgid "number &"\nmsgstr "数 &"/'
    } >"$scratch/fuzzy.po"
    corpus --po "$scratch/fuzzy.po"
    says '12 fuzzy .*'
    trains "$scratch/run3" --po "$scratch/a.po"
    grep -q '^3 pairs to train on (5 lines read, 1 empty, 1 fuzzy' "$scratch/stderr" || die "train: $(cat "$scratch/stderr")"

    # placeholders of catalogues are kept, if both sides have the same ones; those of other forms if it is said
    cat >"$scratch/p.po" <<'PO'
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\n"

msgid "Open %s in {app}."
msgstr "在 {app} 中打开 %s。"

msgid "Delete %s."
msgstr "删除文件。"
PO
    kept='Open %s in {app}.'
    corpus --po "$scratch/p.po"
    says '1 kept: .*'
    [ "$(cat "$scratch/out/train.en")" = "$kept" ] || die "$(cat "$scratch/out/train.en")"
    msgfmt -o "$scratch/p.mo" "$scratch/p.po"
    corpus --mo "$scratch/p.mo"
    [ "$(cat "$scratch/out/train.en")" = "$kept" ] || die "$(cat "$scratch/out/train.en")"
    refused 1 'no sentence pairs that can be used' corpus --output "$scratch/out" --po "$scratch/p.po" --drop-placeholders
    printf '%s\t在{app}中打开%%s。\n' "$kept" >"$scratch/p.tsv"
    refused 1 'p.tsv: no sentence pairs that can be used: 1 of 1 are markup' corpus --output "$scratch/out" --tsv "$scratch/p.tsv"
    corpus --tsv "$scratch/p.tsv" --keep-placeholders
    [ "$(cat "$scratch/out/train.en")" = "$kept" ] || die "$(cat "$scratch/out/train.en")"
    refused 2 'cannot be given together' corpus --output "$scratch/out" --tsv "$scratch/p.tsv" --keep-placeholders \
        --drop-placeholders
    sed '4s/msgid/messageid/' "$scratch/a.po" >"$scratch/b.po"
    refuses "$scratch/b.po" ':4: msgfmt refuses it: .*'
    sed '5s/打/\xff/' "$scratch/a.po" >"$scratch/c.po"
    refuses "$scratch/c.po" ':5: msgfmt refuses it: invalid multibyte sequence'
fi
if native 'the name of a package'; then
    PATH=$scratch "$tide" corpus --output "$scratch/out" --po "$scratch/a.po" 2>"$scratch/stderr" && die 'PO without msgfmt'
    grep -q "a.po: PO needs the program msgfmt: install Debian's package gettext\$" "$scratch/stderr" || die "$(cat "$scratch/stderr")"
fi
