#!/bin/sh
# Tests tide corpus: it counts every line that it reads, its split does not depend on the order of the input, bad input does
# not destroy files, and tide can train on its output.
. "$(dirname "$0")/../lib/common.inc"
head -n 300 corpus/train.tsv >"$scratch/a.tsv"
cat >>"$scratch/a.tsv" <<'TSV'
Hello %s!	你好，%s！
no tab here
	空
same	same
Only Latin.	Nur Latein.
Once. Twice!	一次。两次！
Once. Twice!	一次。两次！
TSV
printf 'broken \377\t坏\n' >>"$scratch/a.tsv"

corpus() { tide_ok corpus --output "$@"; }
corpus "$scratch/out" --tsv "$scratch/a.tsv" --dropped "$scratch/dropped" --dev 20 --test 20 >"$scratch/report"
says() { grep -q "^ *$1\$" "$scratch/report" || die "the report does not say '$1': $(cat "$scratch/report")"; }
says '308 read: .*'
says '1 broken .*'
says '1 no-tab .*'
says '1 empty .*'
says '1 identical .*'
says '1 markup .*'
says '1 not-chinese .*'
says '2 duplicate .*'
says '[1-9][0-9]* more by splitting paragraphs'
says '[0-9]* kept: [0-9]* train, 20 dev, 20 test'
head -n 12 corpus/train.tsv >"$scratch/twelve.tsv"
printf 'The tide goes out and the sea is calm.\t潮水退了。大海很安静。\n' | cat "$scratch/twelve.tsv" - >"$scratch/uneven.tsv"
corpus "$scratch/uneven" --tsv "$scratch/uneven.tsv" --dev 0 --test 0 | grep 'splitting' && die "a paragraph of two sentences and one was split"
corpus "$scratch/twelve" --tsv "$scratch/twelve.tsv" >/dev/null
grep -q '^there are too few pairs for a development set; --dev 2' "$scratch/stderr" || die "12 pairs: $(cat "$scratch/stderr")"
corpus "$scratch/twelve" --tsv "$scratch/twelve.tsv" --dev 0 --test 0 >/dev/null
[ ! -s "$scratch/stderr" ] || die "--dev 0: $(cat "$scratch/stderr")"
# the counts agree: read + added = dropped + kept, and kept = lines written
sum=$(awk '/ read:| more/ { n += $1 } / dropped$| kept:/ { n -= $1 } END { print n }' "$scratch/report")
[ "$sum" = 0 ] || die "$sum pairs are not accounted for: $(cat "$scratch/report")"
kept=$(awk '/ kept:/ { print $1 }' "$scratch/report")
for lang in zh en; do
    [ "$(cat "$scratch"/out/*.$lang | wc -l)" = "$kept" ] || die "$kept were kept, but not in the .$lang files"
done
[ "$(wc -l <"$scratch/dropped")" = "$(awk '/ dropped$/ { print $1 }' "$scratch/report")" ] || die "--dropped is not all"
grep -q "^markup	$scratch/a.tsv:301	Hello %s!	你好,%s!\$" "$scratch/dropped" || die "dropped: $(cat "$scratch/dropped")"
[ -z "$(find "$scratch/out" -name '*tmp*')" ] || die "a temporary file is left"
cat "$scratch"/out/*.en | grep -qx 'Twice!' || die "the paragraph was not split"

# the lines in another order, in two files
head -n 100 "$scratch/a.tsv" | cut -f1 >"$scratch/b.en"
head -n 100 "$scratch/a.tsv" | cut -f2 >"$scratch/b.zh"
tail -n +101 "$scratch/a.tsv" | LC_ALL=C sort -r >"$scratch/c.tsv"
corpus "$scratch/out2" --lines "$scratch/b.zh" "$scratch/b.en" --tsv "$scratch/c.tsv" --dev 20 --test 20 >/dev/null
for part in dev test; do
    for lang in zh en; do
        cmp -s "$scratch/out/$part.$lang" "$scratch/out2/$part.$lang" || die "another order, another $part.$lang"
    done
done
corpus "$scratch/out3" --tsv - <"$scratch/a.tsv" --keep-paragraphs >"$scratch/report"
says '[0-9]* kept: [0-9]* train, 15 dev, 15 test'
grep -q 'splitting' "$scratch/report" && die "--keep-paragraphs split some"

# repeated pairs do not make dev and test larger
corpus "$scratch/once" --tsv corpus/train.tsv >/dev/null
cat corpus/train.tsv corpus/train.tsv corpus/train.tsv >"$scratch/thrice.tsv"
corpus "$scratch/thrice" --tsv "$scratch/thrice.tsv" >/dev/null
for part in train dev test; do
    cmp -s "$scratch/once/$part.zh" "$scratch/thrice/$part.zh" || die "given three times, a corpus has another $part.zh"
done

# a failure keeps the existing files
before=$(cat "$scratch"/out/* | cksum)
printf '一\n二\n' >"$scratch/two"
printf 'one\n' >"$scratch/one"
keeps_all() {
    "$tide" corpus --output "$scratch/out" "$@" >/dev/null 2>"$scratch/stderr" && die "corpus $* did not fail"
    [ "$(cat "$scratch"/out/* | cksum)" = "$before" ] || die "corpus $* changed what was there"
}
keeps_all --lines "$scratch/two" "$scratch/one"
grep -q "two:2: $scratch/two has 2 lines but $scratch/one has 1" "$scratch/stderr" || die "$(cat "$scratch/stderr")"
keeps_all --mo "$scratch/one"
grep -q 'one: is not a gettext catalogue' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
keeps_all --tsv "$scratch/one"
grep -q 'no sentence pairs' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
keeps_all --tsv "$scratch/a.tsv" --dev 1000
grep -q 'no pairs are left for training' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
keeps_all --lines "$scratch/two"
keeps_all

keeps_all --lines "$scratch/out/train.zh" "$scratch/out/train.en"
grep -q 'out/train.zh: is read, and would be overwritten' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
before=$(cksum "$scratch"/a.tsv "$scratch"/out/* | cksum)
"$tide" corpus --output "$scratch/out" --tsv "$scratch/a.tsv" --dropped "$scratch/a.tsv" 2>"$scratch/stderr" && die "overwrites its input"
[ "$(cksum "$scratch"/a.tsv "$scratch"/out/* | cksum)" = "$before" ] || die "corpus overwrote what it read"

# the longest path of a folder, and one that is too long
long=$(printf '%0251d/%0250d' 0 0)
(cd "$scratch" && tide_ok corpus --tsv a.tsv --output "$long" && [ -s "$long/train.en" ]) || die "a path of 502 bytes"
(cd "$scratch" && refused 1 'the path is too long' corpus --tsv a.tsv --output "${long}0") || exit 1

# if no pair can be used, tide prints the most frequent reason, and --dropped lists the pairs
cut -f 1 "$scratch/a.tsv" >"$scratch/swapped.zh"
cut -f 2 "$scratch/a.tsv" >"$scratch/swapped.en"
refused 1 'swapped.zh: no sentence pairs that can be used: [0-9]* of [0-9]* are not-chinese (.*); are the two sides swapped?$' \
    corpus --output "$scratch/out6" --lines "$scratch/swapped.zh" "$scratch/swapped.en" --dropped "$scratch/dropped"
grep -q "^not-chinese	$scratch/swapped.en:1	" "$scratch/dropped" || die "dropped: $(head -n 3 "$scratch/dropped")"

# opencc from the PATH rewrites the Chinese side before pairs are compared
if native 'opencc'; then
    mkdir "$scratch/bin"
    printf '#!/bin/sh\nsed "s/後/后/g; s/After/Before/; $EXTRA" "$4" >"$6"\n' >"$scratch/bin/opencc"
    chmod +x "$scratch/bin/opencc"
    mkdir "$scratch/後"
    printf 'After that.\t之後。\nAfter that.\t之后。\n' >"$scratch/後/traditional.tsv"
    simplify() { PATH=$scratch/bin:$PATH EXTRA=$1 "$tide" corpus --output "$scratch/out4" --tsv "$scratch/後/traditional.tsv" --simplify --dropped "$scratch/dropped"; }
    simplify '' >"$scratch/report" 2>"$scratch/stderr" || die "--simplify: $(cat "$scratch/stderr")"
    says '1 duplicate .*'
    [ "$(cat "$scratch/out4/train.zh")" = 之后。 ] || die "simplified to $(cat "$scratch/out4/train.zh")"
    # and changes nothing else
    [ "$(cat "$scratch/out4/train.en")" = 'After that.' ] || die "opencc rewrote English: $(cat "$scratch/out4/train.en")"
    [ "$(cat "$scratch/dropped")" = "$(printf 'duplicate\t%s/後/traditional.tsv:2\tAfter that.\t之后。' "$scratch")" ] ||
        die "opencc rewrote a path or English: $(cat "$scratch/dropped")"
    for change in 'fewer 1d' 'more p'; do
        simplify "${change#* }" >/dev/null 2>"$scratch/stderr" && die "opencc wrote ${change% *} lines, and --simplify did not fail"
        grep -qx "tide: opencc wrote ${change% *} lines than it read" "$scratch/stderr" || die "$change: $(cat "$scratch/stderr")"
    done
    PATH=$scratch "$tide" corpus --output "$scratch/out5" --tsv "$scratch/a.tsv" --simplify 2>"$scratch/stderr" &&
        die "--simplify without opencc did not fail"
    grep -q 'opencc cannot be run' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
fi

# traditional characters are counted, also after opencc
printf 'The tide is out.\t潮水退了。\nWe go.\t我們走。\nI know this one.\t這個我認識。\n' >"$scratch/mixed.tsv"
corpus "$scratch/mixed" --tsv "$scratch/mixed.tsv" --dev 0 --test 0 >"$scratch/report"
says '2 of them with traditional characters; --simplify converts these'
corpus "$scratch/mixed" --tsv "$scratch/train.tsv" >"$scratch/report"
grep traditional "$scratch/report" && die "simplified text is traditional"
mkdir -p "$scratch/bin"
cat >"$scratch/bin/opencc" <<'SH2'
#!/bin/sh
sed 's/們/们/; s/這個/这个/; s/認識/认识/' "$4" >"$6"
SH2
if native 'opencc'; then
    PATH=$scratch/bin:$PATH tide_ok corpus --output "$scratch/mixed" --tsv "$scratch/mixed.tsv" --dev 0 --test 0 --simplify >"$scratch/report"
    grep traditional "$scratch/report" && die "after opencc, text is traditional"
    [ "$(tail -n 1 "$scratch/mixed/train.zh")" = 这个我认识。 ] || die "opencc: $(cat "$scratch/mixed/train.zh")"
fi

# the output can be trained on without another step
tide_ok train --train-sets "$scratch/out/train.zh" "$scratch/out/train.en" --valid-sets "$scratch/out/dev.zh" \
    "$scratch/out/dev.en" --config "$scratch/smallest.conf" --model "$scratch/run" --after-batches 2
