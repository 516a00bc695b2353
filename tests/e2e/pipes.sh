#!/bin/sh
# tide translate in a pipe: each translation comes at once, lines that cannot be translated are reported, a full disk ends it.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/translator.inc

# a pipe gets each translation at once; the translations are the same as for the whole file
mkfifo "$scratch/asked"
"$tide" translate "$scratch/run" --mini-batch 1 --n-best 2 <"$scratch/asked" >"$scratch/answers" 2>"$scratch/stderr" &
exec 3>"$scratch/asked"
for i in 1 2 3; do
    sed -n "${i}p" "$scratch/dev.zh" >&3
    comes_to_hold grep -q "^$((i - 1)) " "$scratch/answers" || die "line $i of a pipe is not answered"
done
# a line that cannot be translated is reported and gives an empty line; the lines after it are translated
awk 'BEGIN { for (i = 0; i < 1001; i++) printf "海"; print "" }' >&3
comes_to_hold grep -q '^3 |||  ||| ' "$scratch/answers" || die "a line that is too long is not answered"
printf 'a\377b\n' >&3
comes_to_hold grep -q '^4 |||  ||| ' "$scratch/answers" || die "a line that is not UTF-8 is not answered"
sed -n 3p "$scratch/dev.zh" >&3
comes_to_hold grep -q '^5 ' "$scratch/answers" || die "a line behind an invalid one is not answered"
exec 3>&-
wait $!
[ $? = 1 ] || die "lines that could not be translated leave no status"
grep -q '^tide: standard input:4: a sentence of [0-9]* pieces, where 1000 are the limit; --split-sentences translates' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
grep -q '^tide: standard input:5: .* not valid UTF-8' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
tail -n 1 "$scratch/stderr" | grep -q '^tide: standard input: 2 lines could not be translated$' || die "$(cat "$scratch/stderr")"
{ head -n 3 "$scratch/dev.zh"; echo; echo; sed -n 3p "$scratch/dev.zh"; } >"$scratch/lines.zh"
tide_ok translate "$scratch/run" --n-best 2 <"$scratch/lines.zh" | cmp - "$scratch/answers" || die "line by line it is another translation"

# a pipe that pauses gets its translations, also without --mini-batch 1; the same bits and order as for a file
rm "$scratch/asked"
mkfifo "$scratch/asked"
"$tide" translate "$scratch/run" --n-best 2 <"$scratch/asked" >"$scratch/answers" 2>"$scratch/stderr" &
exec 3>"$scratch/asked"
head -n 2 "$scratch/dev.zh" >&3
comes_to_hold grep -q '^1 ' "$scratch/answers" || die "a pipe that pauses is not answered"
sed -n 3p "$scratch/dev.zh" | tr -d '\n' >&3 # not a whole line
tail -n +4 "$scratch/dev.zh" | sed '1s/^/\n/' >&3
exec 3>&-
wait $! || die "a pipe: $(cat "$scratch/stderr")"
tide_ok translate "$scratch/run" --n-best 2 <"$scratch/dev.zh" | cmp - "$scratch/answers" || die "a pipe has another translation"

# more lines than are read ahead: all before a line that is not text are translated
{ yes 海 | head -n 4998; printf '\377\n'; yes 海; } | head -n 9000 >"$scratch/many"
"$tide" translate "$scratch/run" --beam-size 1 <"$scratch/many" >"$scratch/answers" 2>"$scratch/stderr"
[ "$(cat "$scratch/stderr")" = 'tide: standard input:4999: line is not valid UTF-8 (byte 1)' ] || die "$(cat "$scratch/stderr")"
[ "$(wc -l <"$scratch/answers")" = 4998 ] || die "$(wc -l <"$scratch/answers") lines before one that is not text"

# a line that is too long is left out, in a file, too, for every batch size; what follows is translated as without it
{ sed -n 1p "$scratch/dev.zh"; yes 海 | head -n 1001 | tr -d '\n'; echo; sed -n 2,5p "$scratch/dev.zh"; } >"$scratch/in"
{ sed -n 1p "$scratch/dev.zh"; echo; sed -n 2,5p "$scratch/dev.zh"; } >"$scratch/short"
tide_ok translate "$scratch/run" <"$scratch/short" >"$scratch/expected"
reason='tide: standard input:2: a sentence of 1001 pieces, where 1000 are the limit'
leaves_out() { # EXPECTED LAST FLAG...
    expected=$1 last=$2
    shift 2
    "$tide" translate "$scratch/run" "$@" <"$scratch/in" >"$scratch/answers" 2>"$scratch/stderr"
    [ $? = 1 ] || die "$*: a line that is too long leaves no status"
    cmp "$expected" "$scratch/answers" || die "$*: other translations: $(cat "$scratch/answers")"
    grep '^tide: ' "$scratch/stderr" | tail -n 1 | grep -qx "$last" || die "$*: $(cat "$scratch/stderr")"
}
hint='; --split-sentences translates each sentence of a line for itself'
for batch in 1 2 64; do leaves_out "$scratch/expected" "$reason$hint" --mini-batch $batch; done
leaves_out "$scratch/expected" "$reason$hint" --html "$scratch/page.html"
grep -q '</html>' "$scratch/page.html" || die "no page after a line that is too long"
sed 's/.*/The/' "$scratch/in" >"$scratch/prefix"
tide_ok translate "$scratch/run" --prefix "$scratch/prefix" <"$scratch/short" | sed '2s/.*//' >"$scratch/begun"
leaves_out "$scratch/begun" "$reason$hint" --prefix "$scratch/prefix"
tide_ok translate "$scratch/run" --split-sentences <"$scratch/short" >"$scratch/split"
leaves_out "$scratch/split" "$reason" --split-sentences
sed -n 2p "$scratch/in" >>"$scratch/in"
echo >>"$scratch/expected"
leaves_out "$scratch/expected" 'tide: standard input: 2 lines could not be translated'

# translate stops at once when the disk is full
yes 海 | timeout 20 "$tide" translate "$scratch/run" --mini-batch 1 >/dev/full 2>"$scratch/stderr"
[ $? = 1 ] || die "translate goes on where its output cannot be written"
[ "$(cat "$scratch/stderr")" = 'tide: standard output cannot be written' ] || die "$(cat "$scratch/stderr")"
