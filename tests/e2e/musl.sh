#!/bin/sh
# The sources need nothing of glibc: compiles them, without making objects, against musl, with the files for Linux and for POSIX.
. "$(dirname "$0")/../lib/common.inc"
needs musl-gcc 'scripts/setup tests'

# musl's compiler does not look into /usr/include, where the headers of glibc are.
mkdir "$scratch/include"
for header in utf8proc.h cjson/cJSON.h xxhash.h sha2.h expat.h expat_external.h microhttpd.h stb linux asm-generic; do
    [ ! -e "/usr/include/$header" ] || ln -s "/usr/include/$header" "$scratch/include"
done
ln -s "/usr/include/$(gcc -print-multiarch)/asm" "$scratch/include"
case $(uname -m) in x86_64) processor=TIDE_X86 ;; aarch64) processor=TIDE_ARM ;; *) processor=TIDE_OTHER ;; esac
generated=$(dirname "$(readlink -f "$tide")")
# compile FILE...: prints what the compiler says
compile() {
    for file in "$@"; do
        case $file in */http.c) [ -e "$scratch/include/microhttpd.h" ] || continue ;; esac
        musl-gcc -std=gnu11 -fsyntax-only -Wall -Wextra -Werror -D_GNU_SOURCE -DTABLE=musl -DTIDE_COMMIT='""' \
            "-D$processor" -Isrc -I"$generated" -isystem "$scratch/include" -isystem "$scratch/include/stb" "$file" 2>&1
    done
}
# shellcheck disable=SC2046 # names without spaces
said=$(compile $(find src -name '*.c' ! -path 'src/browser/*' ! -name 'windows*.c'))
[ -z "$said" ] || die "$said"
echo '#include <execinfo.h>' >"$scratch/glibc.c"
[ -n "$(compile "$scratch/glibc.c")" ] || die "a header of glibc is found"
