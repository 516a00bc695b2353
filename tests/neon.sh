#!/bin/sh
# Another processor gives the same bits: runs the tests of the kernels, and trainings, on an emulated aarch64.
. "$(dirname "$0")/common.inc"

skip() {
    echo "no $1 (make neon installs it)"
    exit 77
}
command -v aarch64-linux-gnu-gcc >/dev/null || skip aarch64-linux-gnu-gcc
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) || skip qemu-aarch64
echo 'int main(void) { return 0; }' >"$scratch/nothing.c"
aarch64-linux-gnu-gcc -static "$scratch/nothing.c" -o "$scratch/nothing" 2>/dev/null || skip "static libc for aarch64"

make config=neon plain >"$scratch/make" 2>&1 || die "make config=neon plain: $(cat "$scratch/make")"
there=build/neon/tests
for program in plain_kernels plain_gemm; do
    "$emulator" $there/$program >"$scratch/$program" || die "$program on aarch64: $(cat "$scratch/$program")"
done

"$(dirname "$(readlink -f "$tide")")/tests/bits" >"$scratch/here" || die "bits: $(cat "$scratch/here")"
"$emulator" $there/bits >"$scratch/there" || die "bits on aarch64: $(cat "$scratch/there")"
cat "$scratch/here" "$scratch/there"
grep -q '^neon ' "$scratch/there" || die "no neon kernels there"
differ=$(cut -d' ' -f2- "$scratch/here" "$scratch/there" | sort -u | cut -d' ' -f1 | uniq -d)
[ -z "$differ" ] || die "other bits there: $differ"
