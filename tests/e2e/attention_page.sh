#!/bin/sh
# docs/attention.zh.md has the commands and the outputs of docs/attention.md, which scripts/dev/docs-check compares with what
# the commands print; its pictures and captions are in Chinese.
. "$(dirname "$0")/../lib/common.inc"

blocks() { awk '/^```/ { inside = $0 == "```console"; next } inside' "$1"; }
blocks docs/attention.md >"$scratch/english"
blocks docs/attention.zh.md | sed 's/ --picture-language zh//' >"$scratch/chinese"
[ "$(grep -c '^\$ ' "$scratch/english")" -gt 20 ] || die "docs/attention.md has few commands: $(cat "$scratch/english")"
diff "$scratch/english" "$scratch/chinese" || die "docs/attention.md (<) and docs/attention.zh.md (>) differ"
# the captions are Chinese
grep -o '!\[[^]]*\](pictures' docs/attention.zh.md >"$scratch/captions"
[ "$(wc -l <"$scratch/captions")" -gt 10 ] || die "few captions: $(cat "$scratch/captions")"
grep -Pv '\p{Han}' "$scratch/captions" && die 'English captions'
exit 0
