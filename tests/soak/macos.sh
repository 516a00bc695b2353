#!/bin/sh
# Programs for macOS are made without a warning, and need nothing that macOS 12 does not have. They are not run: no Mac is here.
. "$(dirname "$0")/../lib/common.inc"
needs python3
needs npm 'scripts/setup macos'

for folder in build/macos-arm build/macos-x86; do # what is compiled already says no warnings
    [ ! -d $folder ] || find $folder -name '*.o' ! -path '*/source/*' ! -path '*/lib/*' -delete
done
make macos WERROR=1 >"$scratch/log" 2>&1 || die "make macos: $(tail "$scratch/log")"
grep 'warning:' "$scratch/log" && die "warnings"
tbd=build/zig/package/lib/libc/darwin/libSystem.12.tbd
for folder in macos-arm macos-x86; do
    for file in tide tide-serve libtide.dylib; do
        python3 tests/soak/macos.py $tbd "build/$folder/$file" || die "$folder/$file"
    done
done
# the check can fail
sed 's/_pthread_create,//' $tbd >"$scratch/tbd"
python3 tests/soak/macos.py "$scratch/tbd" build/macos-arm/tide 2>"$scratch/stderr" && die "a missing name is not found"
grep -q 'not in macOS 12: _pthread_create$' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
