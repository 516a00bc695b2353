#!/bin/sh
# The examples in examples/libtide, and a program with names of its own that tide uses inside, compile and run against an
# installation, with the shared and the static library. Installed scripts find the installed program. `make install` copies
# what is built, and builds nothing.
. "$(dirname "$0")/../lib/common.inc"
here=$(cd "$(dirname "$0")/../.." && pwd)
build=$(dirname "$(readlink -f "$tide")")
config=$(basename "$build")
touch "$scratch/begin"
make -s -C "$here" config="$config" PREFIX=/opt/tide DESTDIR="$scratch/root" install-library install-program >"$scratch/log" 2>&1 ||
    die "make install: $(cat "$scratch/log")"
find "$here/build" -newer "$scratch/begin" >"$scratch/newer" || die "no $here/build"
[ ! -s "$scratch/newer" ] || die "make install writes $(cat "$scratch/newer")"

# After `make demo`, which builds only the program, root installs: what is missing is named, and nothing is made.
mkdir -p "$scratch/demo/build/$config"
cp -r "$here/Makefile" "$here/mk" "$here/src" "$here/models" "$here/scripts" "$scratch/demo"
cp "$build/tide" "$scratch/demo/build/$config"
[ ! -e "$build/tide-serve" ] || cp "$build/tide-serve" "$scratch/demo/build/$config"
timeout 20 make -s -C "$scratch/demo" config="$config" DESTDIR="$scratch/none" install >"$scratch/log" 2>&1 && die "install without libraries"
grep -q "^make install: build/$config/libtide.a is not built; first run \`make .*all\`$" "$scratch/log" || die "make install: $(cat "$scratch/log")"
[ ! -e "$scratch/none" ] || die "make install has begun without libraries"
find "$scratch/demo/build" -type f ! -name tide-serve | sed 's,.*/,,' >"$scratch/found"
[ "$(cat "$scratch/found")" = tide ] || die "make install has built something: $(cat "$scratch/found")"
export PKG_CONFIG_PATH="$scratch/root/opt/tide/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$scratch/root"
export LD_LIBRARY_PATH="$scratch/root/opt/tide/lib"
flags=$(pkg-config --cflags --libs tide) || die "pkg-config does not find tide"
libraries=$(PKG_CONFIG_SYSROOT_DIR='' pkg-config --static --libs-only-l tide) || die "pkg-config --static"
static="-I$scratch/root/opt/tide/include $scratch/root/opt/tide/lib/libtide.a $(echo "$libraries" | sed 's/-ltide//') -pthread"
version=$(pkg-config --modversion tide) || die "pkg-config --modversion"
grep -qxF "#define TIDE_VERSION \"$version\"" "$here/src/tide.h" || die "tide.pc has version $version"
case $build in *asan) sanitizer='-fsanitize=address,undefined' ;; *tsan) sanitizer=-fsanitize=thread ;; *coverage) sanitizer=--coverage ;; *) sanitizer='' ;; esac

smallest_run "$scratch/run" --after-batches 8
sentence=潮水退了，才知道谁没穿裤子。
echo $sentence | "$tide" translate "$scratch/run" >"$scratch/right" || die "tide translate"

# built NAME COMPILER FLAGS...: compiles examples/libtide/NAME
built() {
    name=$1 compiler=$2
    shift 2
    # shellcheck disable=SC2086 # the flags are words
    "$compiler" -Wall -Wextra -Werror $sanitizer "$here/examples/libtide/$name" -o "$scratch/example" "$@" 2>"$scratch/log" ||
        die "$name: $(cat "$scratch/log")"
}
for kind in "$flags" "$static"; do
    # shellcheck disable=SC2086
    built translate.c cc $kind
    "$scratch/example" "$scratch/run" $sentence >"$scratch/out" || die "translate.c: $(cat "$scratch/out")"
    cmp "$scratch/right" "$scratch/out" || die "translate.c prints another translation than tide"
done

# The lines of docs/library.md that load a model and translate, with `return 1;` in place of each `...`
{
    echo '#include <stdio.h>'
    echo '#include <tide.h>'
    echo 'int main(void) {'
    awk '/^```/ { inside = $0 == "```c"; next } inside { sub(/ \.\.\.( |$)/, " return 1; "); print }' "$here/docs/library.md"
    echo 'return 0; }'
} >"$scratch/library.c"
[ "$(grep -c 'return 1;' "$scratch/library.c")" = 3 ] || die "docs/library.md has other examples: $(cat "$scratch/library.c")"
# shellcheck disable=SC2086
cc -Wall -Wextra -Werror $sanitizer "$scratch/library.c" -o "$scratch/library" $flags 2>"$scratch/log" ||
    die "docs/library.md: $(cat "$scratch/log")"
mkdir -p "$scratch/page/models"
cp -r "$scratch/run" "$scratch/page/models/demo"
(cd "$scratch/page" && "$scratch/library") >"$scratch/out" || die "the program of docs/library.md"
printf '潮水退了。\n谁没穿裤子？\n' | "$tide" translate "$scratch/run" --n-best 3 >"$scratch/nbest"
awk -F ' [|][|][|] ' '$1 != line { print $2; line = $1 }' line=-1 "$scratch/nbest" | cmp - "$scratch/out" ||
    die "the program of docs/library.md prints another translation than tide"

"$scratch/example" /nowhere x >"$scratch/out" && die "translate.c: a missing model"
grep -q '^/nowhere: No such file' "$scratch/out" || die "translate.c: $(cat "$scratch/out")"

# shellcheck disable=SC2086
built batch.c cc $flags -pthread
cut -f2 "$scratch/dev.tsv" | "$scratch/example" "$scratch/run" "$scratch/picture.svg" >"$scratch/out" 2>/dev/null || die "batch.c"
[ "$(wc -l <"$scratch/out")" = $((3 * $(wc -l <"$scratch/dev.tsv"))) ] || die "batch.c: $(wc -l <"$scratch/out") lines"
grep -q '^<svg ' "$scratch/picture.svg" || die "batch.c: the picture"

# The names are those of functions and variables of tide.
cat >"$scratch/own.c" <<'END'
#include <stdio.h>
#include <tide.h>
int slice(void), stack(void), norm(void), kernels = 3, err_set = 4;
int slice(void) { return 1; }
int stack(void) { return 2; }
int norm(void) { return 3; }
int main(void) { return printf("%s %d\n", tide_version(), slice() + stack() + norm() + kernels + err_set) < 0; }
END
for kind in "$flags" "$static"; do
    # shellcheck disable=SC2086
    cc $sanitizer "$scratch/own.c" -o "$scratch/own" $kind 2>"$scratch/log" || die "own names: $(cat "$scratch/log")"
    "$scratch/own" >"$scratch/out" || die "a program with names of its own exited $?"
    [ "$(cat "$scratch/out")" = "$version 13" ] || die "a program with names of its own prints $(cat "$scratch/out")"
done

scripts=$scratch/root/opt/tide/share/tide/scripts
for side in 1.en 2.zh; do cut -f${side%.*} "$scratch/train.tsv" >"$scratch/train.${side#*.}"; done
env -u TIDE "$scripts/train-aligner" "$scratch/aligner" "$scratch/train.zh" "$scratch/train.en" \
    --config "$scratch/smallest.conf" --after-batches 1 >"$scratch/log" 2>&1 || die "train-aligner: $(cat "$scratch/log")"
[ -s "$scratch/aligner/en-zh/model.safetensors" ] || die "train-aligner: no model"
for script in cedict-pairs corpus-games diversify libreoffice-pairs tatoeba; do [ -x "$scripts/$script" ] || die "scripts/$script is not installed"; done
if has python3 'the installed script diversify'; then
    python3 -B - "$scripts/diversify" "$scratch/root/opt/tide/bin/tide" <<'END' || die 'diversify does not find the installed program'
import runpy, sys
sys.exit(runpy.run_path(sys.argv[1])["TIDE"] != sys.argv[2])
END
    "$scripts/tatoeba" "$scratch/tatoeba" "$scratch/train.tsv" >"$scratch/log" 2>&1
    grep -q '^mono.en: [0-9]* of 101,995 lines$' "$scratch/log" || die "tatoeba does not find the installed index: $(cat "$scratch/log")"
fi

has c++ 'the C++ example' g++ || exit 0
# shellcheck disable=SC2086
built links.cpp c++ $flags
"$scratch/example" "$scratch/run" $sentence "" >"$scratch/out" || die "links.cpp"
sed -n 1p "$scratch/out" | grep -q "^$(cat "$scratch/right") ||| [0-9 -]*$" || die "links.cpp: $(cat "$scratch/out")"
