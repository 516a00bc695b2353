#!/bin/sh
# usage: tests/soak/windows.sh [short]
# tide.exe and libtide.dll of `make windows`, under wine: the bits of a training, translations, scores, alignments, pictures and
# pages are those of the program under test; kills, names, replaced files; the end-to-end scripts. short: without kills and
# without the scripts.
. "$(dirname "$0")/../lib/common.inc"
wine=/usr/lib/wine/wine64
needs x86_64-w64-mingw32-gcc-posix 'scripts/setup windows'
[ -x $wine ] || { echo 'needs wine64 (scripts/setup windows installs it)'; exit 77; }
make windows WERROR=1 >"$scratch/log" 2>&1 || die "make windows: $(tail "$scratch/log")"

WINEPREFIX=$scratch/wine WINEDEBUG=-all WINEPATH="Z:$(echo "$scratch/bin" | tr / '\\')"
export WINEPREFIX WINEDEBUG WINEPATH
cleanup() { wineserver -k 2>/dev/null; }
mkdir "$scratch/bin" "$scratch/files"
windows=$scratch/tide-under-wine # tests/lib/common.inc knows this name
printf '#!/bin/sh\nexec %s %s/build/windows/tide.exe "$@"\n' $wine "$PWD" >"$windows"
chmod +x "$windows"
compile() { # TO SOURCE WORD...
    to=$1
    shift
    x86_64-w64-mingw32-gcc-posix -std=gnu11 -Wall -Wextra -Werror -Wno-format -Isrc -static -pthread "$@" -o "$scratch/bin/$to" || die "$to does not compile"
}
compile gzip.exe tests/windows/gzip.c -lz
compile host.exe tests/windows/host.c build/windows/libtide.dll
make config=windows WERROR=1 build/windows/tests/windows/system.exe >"$scratch/log" 2>&1 || die "$(tail "$scratch/log")"
cp build/windows/libtide.dll "$scratch/bin"
system=$PWD/build/windows/tests/windows/system.exe
(cd "$scratch/files" && $wine "$system") || die "the system's part"

# the demo's first 50 updates, in folders with Chinese names and spaces
ln -s "$PWD/corpus" "$scratch/corpus"
trained() { # PROGRAM MODEL UPDATES
    (cd "$scratch" && "$1" train --preset tiny --tsv corpus/train.tsv --valid-tsv corpus/dev.tsv --model "$2" --after-batches "$3" \
        2>"$scratch/stderr") || die "$1 train: $(cat "$scratch/stderr")"
}
trained "$tide" 'here/模型 一' 50
trained "$windows" 'there/模型 一' 50
same "$scratch/here/模型 一" "$scratch/there/模型 一" 'of Windows'
model=$scratch/here/模型\ 一

# one command, the bytes of both programs
agree() { # COMMAND WORD...
    tide_ok "$@" >"$scratch/expected"
    "$windows" "$@" >"$scratch/found" 2>"$scratch/stderr" || die "$*: $(cat "$scratch/stderr")"
    cmp "$scratch/found" "$scratch/expected" || die "another output of Windows: $*"
}
cut -f2 corpus/dev.tsv | head -n 20 >"$scratch/zh"
cut -f1 corpus/dev.tsv | head -n 20 >"$scratch/en"
for isa in portable avx2 avx512 avx512vnni auto; do
    has_isa "$model" $isa || continue
    agree translate "$model" --isa $isa --n-best 2 --word-scores --alignment soft --input "$scratch/zh"
done
agree score "$model" --src "$scratch/zh" --tgt "$scratch/en"
agree info "$model"
for format in pharaoh html; do agree align "$model" --src "$scratch/zh" --tgt "$scratch/en" --format $format; done
agree evaluate "$model" --tsv corpus/dev.tsv
agree tokenize "$model" --input "$scratch/zh"
for program in "$tide" "$windows"; do
    folder=$scratch/$(basename "$program")-pictures
    "$program" align "$model" --src "$scratch/zh" --tgt "$scratch/en" --format svg --output "$folder" 2>"$scratch/stderr" ||
        die "align --format svg: $(cat "$scratch/stderr")"
    "$program" report "$model" >/dev/null 2>"$scratch/stderr" || die "report: $(cat "$scratch/stderr")"
    cp "$model/report.html" "$folder"
done
diff -r "$scratch/$(basename "$tide")-pictures" "$scratch/tide-under-wine-pictures" || die "other pictures of Windows"
cp -r "$model" "$scratch/model"
$wine "$scratch/bin/host.exe" "$scratch/model" <"$scratch/zh" | tr -d '\r' >"$scratch/found"
tide_ok translate "$model" --input "$scratch/zh" | cmp - "$scratch/found" || die "libtide.dll translates otherwise"
iconv -f UTF-8 -t UTF-16 "$scratch/zh" >"$scratch/zh16"
"$windows" translate "$model" --input "$scratch/zh16" 2>&1 | grep -q 'zh16:1: line is not valid UTF-8 .*it is UTF-16' || die "UTF-16"
[ "${1:-}" != short ] || exit 0

# a training that is killed twenty times and continued
train() {
    "$windows" train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --config "$scratch/smallest.conf" \
        --model "$1" --after-batches "$2" 2>"$scratch/stderr"
}
smallest_run "$scratch/whole" --after-batches 4000
kills=0
while [ $kills -lt 20 ]; do
    rm -rf "$scratch/killed"
    while [ $kills -lt 20 ]; do
        train "$scratch/killed" 4000 &
        process=$!
        sleep "$(awk -v seed=$kills 'BEGIN { srand(seed); print 1 + 1.5 * rand() }')"
        pkill -KILL -P $process || break # it has ended
        wait $process 2>/dev/null
        kills=$((kills + 1))
    done
    train "$scratch/killed" 4000 || die "after $kills kills: $(cat "$scratch/stderr")"
    same "$scratch/whole" "$scratch/killed" "killed $kills times"
done
echo "killed $kills times"

# the scripts; the others test something else than tide.exe, or what Windows or wine does not have
without='
    abi article axe browser classroom help host install install_core memcheck musl neon python python_page release sbom seeds tmpdir wasm weights: not of tide.exe
    live serve: a server that is told to end
    ranks: MPI
    memory outputs: LD_PRELOAD
    docs: build/tide as a path
    escapes: a terminal'
scripts='' count=0
for script in tests/e2e/*.sh; do
    name=$(basename "$script" .sh)
    count=$((count + 1))
    echo "$without" | grep -qE "(^| )${name}[ :]" || scripts="$scripts $script"
done
# shellcheck disable=SC2086 # names
set -- $scripts
echo "$# of $count scripts:$without"
TIDE=$windows AT_ONCE=${AT_ONCE:-2} scripts/dev/run-tests "$@" || die "scripts"
