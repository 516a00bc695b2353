#!/bin/sh
# WebAssembly gives the same bits: runs the tests of the kernels, and trainings, in node.
. "$(dirname "$0")/../lib/common.inc"
. "$(dirname "$0")/../lib/elsewhere.inc"

needs emcc 'make browser'
needs node 'make browser'

same_bits_on wasm simd128 node
