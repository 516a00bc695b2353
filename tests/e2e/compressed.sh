#!/bin/sh
# Compressed text gives the results of plain text: gzip, zip, xz and zstd, in files and on standard input, in one part or several.
# A file that is cut off, damaged, or continues with other bytes is refused in one line.
. "$(dirname "$0")/../lib/common.inc"
formats="gzip xz zstd"
for program in $formats unzip; do needs "$program" scripts/setup; done
native 'xz and zstd' || formats=gzip # the only one of these programs that tests/soak/windows.sh compiles

for side in 1.en 2.zh; do cut -f${side%.*} "$scratch/train.tsv" >"$scratch/train.${side#*.}"; done
train() { smallest_run "$@" --after-batches 4; }
train "$scratch/plain" --train-sets "$scratch/train.zh" "$scratch/train.en"
cut -f2 "$scratch/dev.tsv" >"$scratch/dev.zh"
tide_ok translate "$scratch/plain" <"$scratch/dev.zh" >"$scratch/plain.out"
printf '1\n00:00:01,000 --> 00:00:02,500\n潮水退了。\n' >"$scratch/film"
tide_ok translate "$scratch/plain" --format srt <"$scratch/film" >"$scratch/film.out"
for format in $formats; do
    # the source in two parts; names say nothing: the content does
    { head -n 100 "$scratch/train.zh" | "$format" -c; tail -n +101 "$scratch/train.zh" | "$format" -c; } >"$scratch/packed.zh"
    "$format" -c <"$scratch/train.en" >"$scratch/packed.en"
    train "$scratch/$format" --train-sets "$scratch/packed.zh" "$scratch/packed.en"
    alike "$scratch/plain" "$scratch/$format" "$format"
    "$format" -c <"$scratch/dev.zh" | tide_ok translate "$scratch/plain" | cmp - "$scratch/plain.out" || die "$format: standard input"
    "$format" -c <"$scratch/film" | tide_ok translate "$scratch/plain" --format srt | cmp - "$scratch/film.out" || die "$format: subtitles"
    "$format" -c <"$scratch/smallest.conf" >"$scratch/packed.conf"
    tide_ok train --tsv "$scratch/train.tsv" --config "$scratch/packed.conf" --after-batches 1 --model "$scratch/config-$format"
    : | "$format" -c | tide_ok translate "$scratch/plain" >"$scratch/out" && [ ! -s "$scratch/out" ] || die "$format: an empty text"

    size=$(wc -c <"$scratch/packed.en")
    head -c $((size / 2)) "$scratch/packed.zh" >"$scratch/cut" # within a character: this is not what is wrong
    refused 1 "/cut:[0-9]*: $format cannot unpack it: .*nexpected end\|$format cannot unpack it: .*premature end" score "$scratch/plain" --src "$scratch/cut" --tgt "$scratch/cut"
    head -c $((size - 5)) "$scratch/packed.en" >"$scratch/cut"
    refused 1 "/cut:[0-9]*: $format cannot unpack it: .*nexpected end\|$format cannot unpack it: .*premature end" score "$scratch/plain" --src "$scratch/cut" --tgt "$scratch/cut"
    { head -c $((size / 2)) "$scratch/packed.en"; echo damage; tail -c +$((size / 2 + 8)) "$scratch/packed.en"; } >"$scratch/bad"
    # what is unpacked before the checksum may be no text
    refused 1 "/bad:[0-9]*: \($format cannot unpack it: \|line \)" score "$scratch/plain" --src "$scratch/bad" --tgt "$scratch/bad"
    { cat "$scratch/packed.en"; echo 'more text'; } >"$scratch/bad"
    refused 1 "/bad:[0-9]*: $format cannot unpack it: " score "$scratch/plain" --src "$scratch/bad" --tgt "$scratch/bad"
done

# a first line that begins like a format is text, also if it is short and no more follows for a while
printf '(\n((\n' | tide_ok translate "$scratch/plain" >"$scratch/out"
[ "$(wc -l <"$scratch/out")" = 2 ] || die "lines that begin with a parenthesis"

# a gzip file may be padded with zeros, as on a tape
{ gzip -c <"$scratch/dev.zh"; head -c 1000 /dev/zero; } >"$scratch/padded"
tide_ok translate "$scratch/plain" <"$scratch/padded" | cmp - "$scratch/plain.out" || die 'gzip with zeros at its end'

native 'zip, and programs that are missing or ended' || exit 0
# an archive of manythings.org has the corpus and notes; it is a file, because its directory is at its end
archives=tests/fuzz/seeds/compressed
printf '潮水退了。\n大家都在海边。\n' >"$scratch/expected"
for kind in zip zip-stored zip-stream; do
    tide_ok corpus --output "$scratch/$kind" --tsv - --dev 0 --test 0 <"$archives/$kind" >/dev/null
    cmp "$scratch/$kind/train.zh" "$scratch/expected" || die "$kind: $(cat "$scratch/$kind/train.zh")"
done
cp "$archives/zip" "$scratch/-d[1]*"
(cd "$scratch" && tide_ok corpus --output named --tsv='-d[1]*' --dev 0 --test 0 >/dev/null) || exit 1
cmp "$scratch/named/train.zh" "$scratch/expected" || die "an archive whose name looks like a flag: $(cat "$scratch/named/train.zh")"
head -c 9999 "$archives/zip" | "$tide" corpus --output "$scratch/x" --tsv - 2>"$scratch/stderr" && die 'a zip archive in a pipe'
grep -q 'standard input: is compressed by zip: unzip needs a file, not a stream$' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
refused 1 'zip-cut: unzip cannot unpack it: it has no directory at its end$' corpus --output "$scratch/x" --tsv "$archives/zip-cut"
refused 1 'zip-two: unzip cannot unpack it: it has several texts$' corpus --output "$scratch/x" --tsv "$archives/zip-two"
sed 's/notes/votes/' "$archives/zip-stored" | sed 's/tide/time/' >"$scratch/other"
refused 1 'other:[0-9]*: unzip cannot unpack it: .*bad CRC' corpus --output "$scratch/x" --tsv "$scratch/other"

# without the program of a format, its package is named
for names in gzip:gzip zip:unzip xz:xz-utils zstd:zstd; do
    env PATH=/nowhere "$tide" corpus --output "$scratch/x" --tsv "$archives/${names%:*}" 2>"$scratch/stderr" && die "no $names"
    grep -q "/${names%:*}: is compressed by ${names%:*}: install Debian's package ${names#*:}$" "$scratch/stderr" || die "$(cat "$scratch/stderr")"
done

# a text that is not read to its end is no error, and no program outlives tide, also if a signal ends it
{ printf '\377\n'; seq 1000000; } | gzip -1c >"$scratch/long"
refused 1 '/long:1: line is not valid UTF-8' score "$scratch/plain" --src "$scratch/long" --tgt "$scratch/long"
mkfifo "$scratch/fifo"
"$tide" translate "$scratch/plain" <"$scratch/fifo" >/dev/null 2>&1 & pid=$!
exec 9>"$scratch/fifo"
seq 1000 | gzip -1c | head -c 1000 >&9
unpacks() { child=$(cat "/proc/$pid/task/$pid/children") && child=${child% } && [ "$child" ]; }
comes_to_hold unpacks || die 'no program unpacks the text'
kill -TERM "$pid"
wait "$pid" 2>/dev/null
gone() { ! kill -0 "$child"; }
comes_to_hold gone || die "a program outlived tide: $(cat "/proc/$child/comm")"
exec 9>&-
