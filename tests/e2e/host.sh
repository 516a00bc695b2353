#!/bin/sh
# usage: tests/e2e/host.sh [all]
# A host program of libtide survives refused memory: see tests/e2e/host.c. With `all`, each allocation is refused, not only
# the first one of each call stack.
. "$(dirname "$0")/../lib/common.inc"
smallest_run "$scratch/run" --after-batches 4
localedef -i de_DE -f UTF-8 --no-archive "$scratch/de_DE.UTF-8" >/dev/null 2>&1 && export LOCPATH="$scratch"
"$(dirname "$(readlink -f "$tide")")/tests/e2e/host" "$scratch/run" "$@" || die "the host program failed"
