#!/bin/sh
# Compressed text gives the results of plain text: gzip, zip, xz and zstd, in files and on standard input, in one part or several.
# A file that is cut off, damaged, or continues with other bytes is refused in one line.
. "$(dirname "$0")/../lib/common.inc"
strings -a "$tide" 2>/dev/null | grep -q inflateInit2_ || grep -q inflateInit2_ "$tide" || { echo 'built without zlib'; exit 77; }
formats=''
for format in gzip xz zstd; do if has $format "text compressed by $format"; then formats="$formats $format"; fi; done

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
    cmp "$scratch/plain/model.safetensors" "$scratch/$format/model.safetensors" || die "$format: another model"
    "$format" -c <"$scratch/dev.zh" | tide_ok translate "$scratch/plain" | cmp - "$scratch/plain.out" || die "$format: standard input"
    "$format" -c <"$scratch/film" | tide_ok translate "$scratch/plain" --format srt | cmp - "$scratch/film.out" || die "$format: subtitles"
    "$format" -c <"$scratch/smallest.conf" >"$scratch/packed.conf"
    tide_ok train --tsv "$scratch/train.tsv" --config "$scratch/packed.conf" --after-batches 1 --model "$scratch/config-$format"
    : | "$format" -c | tide_ok translate "$scratch/plain" >"$scratch/out" && [ ! -s "$scratch/out" ] || die "$format: an empty text"

    size=$(wc -c <"$scratch/packed.en")
    head -c $((size / 2)) "$scratch/packed.zh" >"$scratch/cut" # within a character: this is not what is wrong
    refused 1 "/cut:[0-9]*: the $format data are damaged: they end too early$" score "$scratch/plain" --src "$scratch/cut" --tgt "$scratch/cut"
    head -c $((size - 5)) "$scratch/packed.en" >"$scratch/cut"
    refused 1 "/cut:[0-9]*: the $format data are damaged: they end too early$" score "$scratch/plain" --src "$scratch/cut" --tgt "$scratch/cut"
    { head -c $((size / 2)) "$scratch/packed.en"; echo damage; tail -c +$((size / 2 + 8)) "$scratch/packed.en"; } >"$scratch/bad"
    refused 1 "/bad:[0-9]*: the $format data are damaged: " score "$scratch/plain" --src "$scratch/bad" --tgt "$scratch/bad"
    { cat "$scratch/packed.en"; echo 'more text'; } >"$scratch/bad"
    refused 1 "/bad:[0-9]*: the $format data are damaged: " score "$scratch/plain" --src "$scratch/bad" --tgt "$scratch/bad"
done

# a first line that begins like a format is text, also if it is short and no more follows for a while
printf '(\n((\n' | tide_ok translate "$scratch/plain" >"$scratch/out"
[ "$(wc -l <"$scratch/out")" = 2 ] || die "lines that begin with a parenthesis"

# an archive of manythings.org has the corpus and notes
for kind in zip zip-stored zip-stream; do
    printf '潮水退了。\n大家都在海边。\n' >"$scratch/expected"
    tide_ok corpus --output "$scratch/$kind" --tsv - --dev 0 --test 0 <"tests/fuzz/seeds/compressed/$kind" >/dev/null
    cmp "$scratch/$kind/train.zh" "$scratch/expected" || die "$kind: $(cat "$scratch/$kind/train.zh")"
done
refused 1 'zip-cut:[0-9]*: the zip data are damaged: they end too early$' \
    corpus --output "$scratch/x" --tsv tests/fuzz/seeds/compressed/zip-cut
refused 1 'zip-two:[0-9]*: is compressed by zip: the archive has several texts; unpack it$' \
    corpus --output "$scratch/x" --tsv tests/fuzz/seeds/compressed/zip-two
sed 's/notes/votes/' tests/fuzz/seeds/compressed/zip-stored | sed 's/tide/time/' >"$scratch/other"
refused 1 'other:[0-9]*: the zip data are damaged: incorrect data check$' corpus --output "$scratch/x" --tsv "$scratch/other"
