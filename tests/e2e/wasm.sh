#!/bin/sh
# WebAssembly gives the same bits: runs the tests of the kernels, and trainings, in node.
. "$(dirname "$0")/common.inc"
. "$(dirname "$0")/elsewhere.inc"

skip() {
    echo "no $1 (make browser installs it)"
    exit 77
}
command -v emcc >/dev/null || skip emcc
command -v node >/dev/null || skip node

same_bits_on wasm simd128 node
