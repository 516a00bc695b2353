#!/bin/sh
# docs/attention.md: `tide attend` prints what the page shows, the Chinese page has the same commands and outputs, and the
# pictures that both name are there.
. "$(dirname "$0")/../lib/common.inc"
needs python3

scripts/dev/attention-pictures --quick >"$scratch/said" 2>&1 || die "$(cat "$scratch/said")"
grep -oh 'pictures/[a-z0-9-]*\.svg' docs/attention*.md | sort -u >"$scratch/named"
while read -r picture; do
    [ -s "docs/$picture" ] || die "docs/$picture is missing"
done <"$scratch/named"
[ -s "$scratch/named" ] || die "the page names no picture"
