#!/bin/sh
# README.md and docs/README.zh.md have the same commands, documents and picture of an alignment, and the same blocks of tide's
# commands; docs/attention.md and docs/attention.zh.md have the same states of the page, apart from questions. The pages that
# say which presets have the conditional GRU name all of them.
. "$(dirname "$0")/../lib/common.inc"
english=README.md chinese=docs/README.zh.md

# in_step WHAT FUNCTION: FUNCTION PAGE prints the same lines for both pages, and at least three
in_step() {
    "$2" $english | sort -u >"$scratch/english"
    "$2" $chinese | sort -u >"$scratch/chinese"
    [ "$(wc -l <"$scratch/english")" -ge "${3:-3}" ] || die "$english has few $1: $(cat "$scratch/english")"
    diff "$scratch/english" "$scratch/chinese" >"$scratch/diff" || die "$english (<) and $chinese (>) have other $1: $(cat "$scratch/diff")"
}
commands() { grep '^| `tide ' "$1" | cut -d'|' -f2 | grep -o '`tide [a-z]*' | sed 's/`tide //'; }
# the paths of links, as seen from the top of the tree; without the two pages
documents() {
    case $1 in docs/*) up='s,^,docs/,; s,^docs/\.\./,,' ;; *) up='' ;; esac
    grep -o '](\([^)]*\)' "$1" | sed 's/](//; s/#.*//; /:/d; /^$/d' | sed "$up" | sed 's/\.zh\.svg$/.svg/' | grep -v '^README.md$\|README.zh.md$\|\.png$'
}
sentence_picture() { documents "$1" | grep 'tide-sentence'; }
blocks() { awk '/^```/ { inside = $0 == "```" && !fence; fence = !fence; next } inside && /^(\$ |build\/tide|make (demo|test)|mkdir| |潮水|When)/ { sub(/ +# .*/, ""); print }' "$1" | grep -v '大家都在海边'; }
flags() { sed -n '/^## .*命令\|^## Commands/,/^## /p' "$1" | grep -o -- '--help[a-z-]*\|man tide-train'; }

in_step commands commands 15
tide_ok help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | sort | diff - "$scratch/english" || die "$english has other commands than tide"
commands docs/guide.md | sort -u | diff - "$scratch/english" || die "docs/guide.md has other commands than tide"
in_step documents documents 10
in_step pictures sentence_picture 1
in_step blocks blocks 8
in_step flags flags
english=docs/attention.md chinese=docs/attention.zh.md
states() { grep -o '`#text=[^`]*`' "$1" | sed 's/&ask=.*//'; }
in_step states states 10

# the presets with the conditional GRU
grep -l '^dec-cell-base-depth = 2' models/*.conf | sed 's,.*/,,; s,\.conf,,' >"$scratch/presets"
[ "$(wc -l <"$scratch/presets")" -ge 2 ] || die "the presets: $(cat "$scratch/presets")"
for page in docs/model.md docs/attention.md docs/attention.zh.md; do
    awk 'BEGIN { RS = "" } /conditional GRU|条件 GRU/ && /`(tiny|small)`/' "$page" >"$scratch/paragraph"
    [ -s "$scratch/paragraph" ] || die "$page has no sentence about presets with the conditional GRU"
    while read -r preset; do
        grep -qF "\`$preset\`" "$scratch/paragraph" || die "$page does not say that $preset has the conditional GRU"
    done <"$scratch/presets"
done
