#!/bin/sh
# Another processor gives the same bits: runs the tests of the kernels, and trainings, on an emulated aarch64.
. "$(dirname "$0")/../lib/common.inc"
. "$(dirname "$0")/../lib/elsewhere.inc"

skip() {
    echo "no $1 (make neon installs it)"
    exit 77
}
command -v aarch64-linux-gnu-gcc >/dev/null || skip aarch64-linux-gnu-gcc
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) || skip qemu-aarch64
echo 'int main(void) { return 0; }' >"$scratch/nothing.c"
aarch64-linux-gnu-gcc -static "$scratch/nothing.c" -o "$scratch/nothing" 2>/dev/null || skip "static libc for aarch64"

same_bits_on neon neon "$emulator"
