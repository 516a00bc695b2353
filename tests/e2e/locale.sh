#!/bin/sh
# In a locale that writes numbers with a comma, the program and the library read and write the same numbers as in other
# locales. The program sets no locale for numbers; the test protects against a change of this.
. "$(dirname "$0")/../lib/common.inc"
localedef -i de_DE -f UTF-8 --no-archive "$scratch/de_DE.UTF-8" >/dev/null 2>&1 ||
    { echo "needs a locale with a comma (package locales)"; exit 77; }
[ "$(LOCPATH=$scratch LC_ALL=de_DE.UTF-8 locale decimal_point)" = , ] || die "the locale has no comma"
cut -f2 "$scratch/dev.tsv" >"$scratch/zh"
cut -f1 "$scratch/dev.tsv" >"$scratch/en"

# Runs the commands that use a model: everything NAME
everything() {
    smallest_run "$scratch/$1" --after-batches 8
    smallest_run "$scratch/$1" --after-batches 12 # a second run reads the numbers of the checkpoint
    "$tide" translate "$scratch/$1" --n-best 3 --alignment soft <"$scratch/zh" || die "$1: translate"
    "$tide" translate "$scratch/$1" --heatmap "$scratch/$1/maps" --html "$scratch/$1/page.html" <"$scratch/zh" ||
        die "$1: translate with pictures"
    "$tide" evaluate "$scratch/$1" --src "$scratch/zh" --ref "$scratch/en" || die "$1: evaluate"
    "$tide" score "$scratch/$1" --src "$scratch/zh" --tgt "$scratch/en" || die "$1: score"
    "$tide" align "$scratch/$1" --src "$scratch/zh" --tgt "$scratch/en" --format json || die "$1: align"
}
everything point >"$scratch/point.out"
printf '#!/bin/sh\nLOCPATH=%s LC_ALL=de_DE.UTF-8 exec "%s" "$@"\n' "$scratch" "$tide" >"$scratch/tide"
chmod +x "$scratch/tide"
library=$(dirname "$(readlink -f "$tide")")/tests/unit/test_api under_test=$tide tide=$scratch/tide
everything comma >"$scratch/comma.out"
same "$scratch/point" "$scratch/comma" "the training"
cmp "$scratch/point.out" "$scratch/comma.out" || die "the outputs differ"
diff -r "$scratch/point/maps" "$scratch/comma/maps" || die "the pictures differ"
sed -i 's,/point,/comma,g' "$scratch/point/page.html" # the page contains the name of the model
cmp "$scratch/point/page.html" "$scratch/comma/page.html" || die "the pages differ"

# If LOCPATH is set, every newlocale of glibc leaks some bytes, even for "C". test_api runs with leak checks elsewhere.
if tide=$under_test native 'the library'; then
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 LOCPATH=$scratch "$library" >"$scratch/log" 2>&1 || die "the library: $(cat "$scratch/log")"
    grep -q 'OK.*works_in_any_locale' "$scratch/log" || die "the library was not loaded with a comma"
fi
