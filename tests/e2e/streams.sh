#!/bin/sh
# --input and --output: the same as `<` and `>`, for shells that have no `<` or change the encoding at `>`. Errors name the file;
# a file that is read is not overwritten, and a command that fails before it prints leaves the old output.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/translator.inc

run=$scratch/run zh=$scratch/dev.zh out=$scratch/out.put
printf '0-0 1-1\n2-1\n' >"$scratch/links"

same() { # COMMAND ...: prints the same into --output
    tide_ok "$@" >"$scratch/expected" </dev/null
    [ -s "$scratch/expected" ] || die "$* prints nothing"
    tide_ok "$@" --output "$out" >"$scratch/stdout" </dev/null
    [ ! -s "$scratch/stdout" ] || die "$* --output: something goes to standard output"
    cmp "$scratch/expected" "$out" || die "$* --output: other bytes"
}
both() { # FILE COMMAND ...: the same, and reads --input
    file=$1
    shift
    tide_ok "$@" <"$file" >"$scratch/expected"
    [ -s "$scratch/expected" ] || die "$* prints nothing"
    tide_ok "$@" -i "$file" -o "$out" >"$scratch/stdout" </dev/null
    [ ! -s "$scratch/stdout" ] || die "$* --output: something goes to standard output"
    cmp "$scratch/expected" "$out" || die "$* --input --output: other bytes"
}
both "$zh" translate "$run"
both "$zh" translate "$run" --n-best 2 --alignment soft
both "$zh" translate "$run" --format text
both "$zh" tokenize "$run"
both "$scratch/dev.en" bleu "$scratch/dev.en" --json
both "$scratch/dev.en" chrf "$scratch/dev.en"
both "$scratch/links" aer "$scratch/links"
same score "$run" --src "$zh" --tgt "$scratch/dev.en"
same align "$run" --src "$zh" --tgt "$scratch/dev.en"
same align "$run" --src "$zh" --tgt "$scratch/dev.en" --format html
same info "$run"
same attend
same help --completion bash
gzip -c "$zh" >"$scratch/zh.gz"
tide_ok translate "$run" <"$zh" >"$scratch/expected"
tide_ok translate "$run" --input "$scratch/zh.gz" | cmp - "$scratch/expected" || die "a compressed --input gives another translation"

# errors name the file; UTF-16, which PowerShell writes, is named
refused 1 "no/such: No such file" translate "$run" --input no/such
{ head -n 1 "$zh"; printf 'a\377b\n'; } >"$scratch/bad"
refused 1 "^tide: $scratch/bad:2: .*not valid UTF-8" translate "$run" --input "$scratch/bad"
refused 1 "^tide: $scratch/bad:2: .*not valid UTF-8" tokenize "$run" --input "$scratch/bad"
iconv -t UTF-16 "$zh" >"$scratch/utf16"
for format in '' '--format text'; do
    # shellcheck disable=SC2086 # words
    refused 1 "^tide: $scratch/utf16:.*UTF-16" translate "$run" --input "$scratch/utf16" $format
done
refused 1 "^tide: $scratch/dev.en: .*lines" bleu "$scratch/links" --input "$scratch/dev.en"

# what is read is not overwritten
cp "$zh" "$scratch/copy"
refused 1 'copy: is already the file of --input' translate "$run" --input "$scratch/copy" --output "$scratch/copy"
refused 1 'copy: is read, and would be overwritten' bleu "$scratch/copy" --input "$zh" --output "$scratch/copy"
refused 1 'new: is already the file of --html' translate "$run" --input "$zh" --output "$scratch/new" --html "$scratch/new"
refused 2 'cannot be read by its name' bleu /dev/stdin --input "$zh"
if native 'an output that is also standard input'; then # wine does not tell which file that is
    "$tide" translate "$run" --output "$scratch/copy" <"$scratch/copy" 2>"$scratch/stderr" && die "standard input was overwritten"
    grep -q 'copy: is read, and would be overwritten' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
fi
cmp "$zh" "$scratch/copy" || die "an input was overwritten"
refused 1 'model.safetensors: is read, and would be overwritten' info "$run" --output "$run/model.safetensors"
(cd "$scratch" && for _ in 1 2; do tide_ok help --completion bash --output bash; done) || die "a choice is not a file"

# a command that prints nothing leaves the old file; one that fails later writes what it has, as with `>`
echo old >"$out"
refused 1 'No such file' translate "$scratch/none" --input "$zh" --output "$out"
refused 2 'unknown flag' info "$run" --output "$out" --zzzzzzzz
[ "$(cat "$out")" = old ] || die "a command that failed changed --output"
refused 1 'not valid UTF-8' translate "$run" --input "$scratch/bad" --output "$out"
"$tide" translate "$run" <"$scratch/bad" >"$scratch/begun" 2>"$scratch/stderr"
[ -s "$out" ] && cmp "$scratch/begun" "$out" || die "what was translated is lost: $(cat "$out")"
for file in "$scratch"/out.put.*; do [ ! -e "$file" ] || die "$file is left"; done

refused 1 "$scratch: cannot be written: Is a directory" info "$run" --output "$scratch"
refused 1 "$scratch/none/out: cannot be written: No such file" info "$run" --output "$scratch/none/out"
refused 1 'a file to write has an empty name' info "$run" --output ''
for command in "info $run" "translate $run --input $zh"; do
    # shellcheck disable=SC2086 # words
    if native '/dev/full'; then refused 1 '^tide: /dev/full: cannot be written: No space' $command --output /dev/full; fi
    [ "$(grep -c . "$scratch/stderr")" = 1 ] || die "$command: several lines: $(cat "$scratch/stderr")"
done

# the streams themselves
echo before >"$scratch/all"
"$tide" info "$run" --output /dev/stdout >>"$scratch/all" || die "--output /dev/stdout"
[ "$(sed -n 1p "$scratch/all")" = before ] && grep -q '^total' "$scratch/all" || die "--output /dev/stdout: $(cat "$scratch/all")"
tide_ok translate "$run" --input - --output - <"$zh" | cmp - "$scratch/expected" || die "--input - --output -"
tide_ok translate "$run" --input "$zh" <&- | cmp - "$scratch/expected" || die "--input with a closed standard input"
