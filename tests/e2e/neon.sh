#!/bin/sh
# Another processor gives the same bits: runs the tests of the kernels, and trainings, on an emulated aarch64.
. "$(dirname "$0")/../lib/common.inc"
. "$(dirname "$0")/../lib/elsewhere.inc"

needs aarch64-linux-gnu-gcc 'make neon'
emulator=$(command -v qemu-aarch64-static) || { needs qemu-aarch64 'make neon' && emulator=qemu-aarch64; }
echo 'int main(void) { return 0; }' >"$scratch/nothing.c"
aarch64-linux-gnu-gcc -static "$scratch/nothing.c" -o "$scratch/nothing" 2>/dev/null ||
    { echo "needs a static libc for aarch64 (make neon installs it)"; exit 77; }

same_bits_on neon neon "$emulator"
