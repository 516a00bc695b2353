#!/bin/sh
# Tests `tide serve` under load, in about twenty-five minutes: twenty replacements of a model without a failed request, and
# memory that stays flat for fifteen minutes (MINUTES); under two sanitizers the same for a minute, and tests/e2e/serve.sh.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/serve.inc
minutes=${MINUTES:-15}

make_models
cut -f2 "$scratch/dev.tsv" | sed 's/[。？！]\(.\)/，\1/g' >"$scratch/dev.zh"
tide_ok translate "$scratch/run" <"$scratch/dev.zh" >"$scratch/dev.out"

under_load() { # MINUTES
    echo "$tide"
    replace 20
    stop
    start "$scratch/run" --timeout 600 # also on a machine that is busy otherwise
    limits load "$url" $(($1 * 60)) "$scratch/dev.zh" "$scratch/dev.out"
    stop
}

under_load "$minutes"
for config in asan tsan; do
    make -s -j"$(nproc)" config=$config build/$config/tide || die "config=$config is not built"
    tide=$PWD/build/$config/tide
    under_load 1
    TIDE=$tide tests/e2e/serve.sh || die "e2e/serve.sh with $config"
done
