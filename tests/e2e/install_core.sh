#!/bin/sh
# The core library as another program uses it: installed in DESTDIR, found by pkg-config, with the examples, the program of
# docs/tape.md, and a program that has its own functions with names of the library.
. "$(dirname "$0")/../lib/common.inc"
here=$PWD config=$(basename "$(dirname "$(readlink -f "$tide")")") root=$scratch/root
case $config in
asan) flags=-fsanitize=address,undefined ;;
tsan) flags=-fsanitize=thread ;;
coverage) flags=--coverage ;;
*) flags="" ;;
esac

build() { make config="$config" DESTDIR="$root" PREFIX=/opt "$@" >"$scratch/make" 2>&1; }
build install-core || die "make install-core: $(cat "$scratch/make")"
cp examples/*.c "$scratch"
cd "$scratch" || exit 1
export PKG_CONFIG_PATH="$root/opt/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"

# compile LIBRARY FLAG...: with the flags of pkg-config; no warning
compile() {
    library=$1
    shift
    # shellcheck disable=SC2046,SC2086
    cc -Wall -Wextra -Werror $flags "$@" $(pkg-config --cflags --libs "$library") 2>"$scratch/stderr"
}
compiled() { compile "$@" || die "cc $*: $(cat "$scratch/stderr")"; }

# the examples; `make check` runs them, so the long one does not run again
compiled tide-core recommender.c -o recommender
compiled tide-core charlm.c -o charlm
./recommender >out || die "recommender: $(cat out)"
echo 'too short' >short
./charlm short >out
[ $? = 2 ] || die "charlm on a short text: $(cat out)"

# the op of docs/tape.md: its gradients are right in both precisions, and wrong without a term
awk '/^```/ { if (text ~ /int main/) printf "%s", text; inside = $0 == "```c"; text = ""; next }
    inside { text = text $0 "\n" }' "$here/docs/tape.md" >op.c
grep -v 'c->s->g\[i\] +=' op.c >wrong.c
cmp -s op.c wrong.c && die "docs/tape.md: the line of the gradient of s is not there"
for library in tide-core tide-core-double; do
    compiled "$library" op.c -o op
    ./op >out || die "the op of docs/tape.md with $library: $(cat out)"
    compiled "$library" wrong.c -o wrong -Wno-unused
    ./wrong >out && die "a wrong gradient passes with $library: $(cat out)"
done
compile tide-core -DTIDE_DOUBLE op.c -o mixed && die "a program in double precision links with the library in single precision"

# a program with its own slice, stack and norm, and its own names for parts of the library that are not public
cat >own.c <<'END'
double slice = 1.5;
int stack(void) { return 2; }
int norm(void) { return 3; }
int attention_check_spans(void) { return 4; }
int kernels(void) { return 5; }
int tape_reset(void) { return 6; }
END
cat >main.c <<'END'
#include <tide/core/ops.h>
#include <tide/core/scope.h>
#include <stdio.h>
static void misuse(void *context) {
    Tape tape;
    (void)context;
    tape_init(&tape, threads_new(2), rng_seed(1, 1));
    linear(&tape, zeros(&tape, 2, 3), zeros(&tape, 2, 3), NULL);
}
extern double own_slice __asm__("slice");
int stack(void), norm(void), attention_check_spans(void), kernels(void), own_reset(void) __asm__("tape_reset");
int main(void) {
    const real values[] = {1, 2, 3};
    Tape tape;
    tape_init(&tape, threads_new(2), rng_seed(1, 1));
    const Var *tail = slice(&tape, tanh_of(&tape, var_constant(&tape, 3, 1, values)), 1, 2);
    printf("%.1f %d %d %d %d %d %d %.3f\n", own_slice, stack(), norm(), attention_check_spans(), kernels(), own_reset(), tail->rows,
           (double)tail->v[1]);
    char reason[256];
    if (scope_run(&(Scope){0}, misuse, NULL, reason, sizeof reason) == SCOPE_FAILED) puts(reason);
    tape_reset(&tape);
    threads_free(tape.threads);
    tape_free(&tape);
    return 0;
}
END
compiled tide-core main.c own.c -o own
./own >out || die "own: $(cat out)"
[ "$(head -n 1 out)" = '1.5 2 3 4 5 6 2 0.995' ] || die "own names: $(cat out)"
sed 1d out | grep -q 'ops_linear.*\[2, 3\] by \[2, 3\]' || die "an error in a scope: $(cat out)"

# the symbols: only those of the list, all with the prefix; nothing of the library leaves a shared library that contains it
globals() { nm -gP --defined-only "$1" | sed -n 's/ [A-Z] .*//p'; }
lib=$root/opt/lib
[ "$(globals "$lib/libtidecore.a" | wc -l)" -gt 50 ] || die "no symbols: $(globals "$lib/libtidecore.a")"
globals "$lib/libtidecore.a" | grep -v '^tide_core_' && die "symbols without the prefix"
globals "$lib/libtidecore-double.a" | grep -v '^tide_core_double_' && die "symbols without the prefix in double"
compiled tide-core -fPIC -shared main.c own.c -o libown.so
nm -D --defined-only libown.so | grep tide_core && die "a shared library exports the symbols of the tape"
cd "$here" || exit 1
build abi-core || die "the exported symbols changed (make abi-core update=1): $(cat "$scratch/make")"
sed 1d tests/fixtures/libtidecore.abi >"$scratch/abi"
build abi-core CORE_ABI="$scratch/abi" && die "abi-core does not see a new symbol"

# each header alone in C, and all in C++
mkdir "$scratch/headers"
for header in "$root"/opt/include/tide/core/*.h; do
    name=$(basename "$header" .h)
    echo "#include <tide/core/$name.h>" | tee -a "$scratch/all.cc" >"$scratch/headers/$name.c"
done
compiled tide-core -std=c11 -pedantic -fsyntax-only "$scratch"/headers/*.c
if has c++ 'the headers in C++' g++; then compiled tide-core -fsyntax-only -x c++ "$scratch/all.cc"; fi

build uninstall-core || die "make uninstall-core: $(cat "$scratch/make")"
[ -z "$(find "$root" -type f)" ] || die "after uninstall-core: $(find "$root" -type f)"
