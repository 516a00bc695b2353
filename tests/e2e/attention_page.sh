#!/bin/sh
# docs/attention.zh.md has the commands and the outputs of docs/attention.md, which scripts/dev/docs-check compares with what
# the commands print; only its pictures are in Chinese.
. "$(dirname "$0")/../lib/common.inc"

blocks() { awk '/^```/ { inside = $0 == "```console"; next } inside' "$1"; }
blocks docs/attention.md >"$scratch/english"
blocks docs/attention.zh.md | sed 's/ --picture-language zh//' >"$scratch/chinese"
[ "$(grep -c '^\$ ' "$scratch/english")" -gt 20 ] || die "docs/attention.md has few commands: $(cat "$scratch/english")"
diff "$scratch/english" "$scratch/chinese" || die "docs/attention.md (<) and docs/attention.zh.md (>) differ"
