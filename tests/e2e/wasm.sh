#!/bin/sh
# WebAssembly gives the same bits: runs the tests of the kernels, and trainings, in node.
. "$(dirname "$0")/../lib/common.inc"
. "$(dirname "$0")/../lib/elsewhere.inc"

skip() {
    echo "no $1 (make browser installs it)"
    exit 77
}
command -v emcc >/dev/null || skip emcc
command -v node >/dev/null || skip node

same_bits_on wasm simd128 node
