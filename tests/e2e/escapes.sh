#!/bin/sh
# Control characters in a stranger's model reach neither a terminal nor a log as they are; what is piped keeps its bytes.
. "$(dirname "$0")/../lib/common.inc"
smallest_run "$scratch/model" --after-batches 1 --title 'XXXXXX[2J潮YYYYYYZZZZZZ' # an escaped character has six bytes in JSON
esc=$(printf '\033') model=$scratch/model/model.safetensors
# A copy without the checksum, which is read with a warning: stranger SED-COMMANDS
stranger() { mkdir -p "$scratch/stranger" && LC_ALL=C sed "s/\"checksum\"/\"checksun\"/; $1" "$model" >"$scratch/stranger/model.safetensors"; }
clean() { ! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$1" || die "$2 has control characters: $(cat -v "$1")"; }

stranger 's/XXXXXX/\\u001b/; s/YYYYYY/\\u202e/; s/ZZZZZZ/\\u009b/'
tide_ok info "$scratch/stranger" >"$scratch/piped"
grep -q "^title: $esc\[2J潮$(printf '\342\200\256\302\233')$" "$scratch/piped" || die "a pipe changed the title: $(head -n 1 "$scratch/piped")"
if has script 'what a terminal shows' bsdutils; then
    script -qec "'$tide' info '$scratch/stranger'" /dev/null </dev/null | tr -d '\r' >"$scratch/shown"
    grep -qxF 'title: \x1b[2J潮\u202e\u009b' "$scratch/shown" || die "a terminal shows $(cat -v "$scratch/shown")"
    clean "$scratch/shown" "the terminal"
    printf '潮水\t退了。\n' | tide_ok tokenize "$scratch/model" >"$scratch/piped"
    script -qec "printf '潮水\\t退了。\\n' | '$tide' tokenize '$scratch/model'" /dev/null </dev/null | tr -d '\r' |
        cmp - "$scratch/piped" || die "a terminal shows other text"
    # a piece of the vocabulary, in a translation and in the words that come before it
    del=$(printf '\177')
    stranger "s/\\\\nM\\\\n/\\\\n$del\\\\n/"
    echo 潮水退了。 >"$scratch/line"
    tide_ok translate "$scratch/stranger" --settled <"$scratch/line" >"$scratch/piped"
    grep -q "Settled=.*$del" "$scratch/piped" || die "no translation has the character: $(cat -v "$scratch/piped")"
    script -qec "'$tide' translate '$scratch/stranger' --settled <'$scratch/line' 2>/dev/null" /dev/null </dev/null |
        tr -d '\r' >"$scratch/shown"
    sed "s/$del/\\\\x7f/g" "$scratch/piped" | cmp - "$scratch/shown" || die "a terminal shows $(cat -v "$scratch/shown")"
fi

# names of options and paths, on standard error and in the log
stranger 's/= additive/= \\u001bve/'
name=$(printf 'a\nb\033')
mv "$scratch/stranger" "$scratch/$name"
for command in info translate; do
    log=
    [ $command = info ] || log="--log=$scratch/log"
    # shellcheck disable=SC2086 # a flag or none
    "$tide" $command "$scratch/$name" $log </dev/null >/dev/null 2>"$scratch/stderr" && die "$command reads a wrong option"
    [ "$(wc -l <"$scratch/stderr")" = 1 ] || die "$command: $(cat -v "$scratch/stderr")"
    grep -qF 'a\nb\x1b/model.safetensors:' "$scratch/stderr" || die "$command: $(cat -v "$scratch/stderr")"
    grep -qF '\x1bve' "$scratch/stderr" || die "$command does not name the option: $(cat -v "$scratch/stderr")"
    clean "$scratch/stderr" "$command"
done
[ "$(wc -l <"$scratch/log")" = 1 ] || die "the log: $(cat -v "$scratch/log")"
clean "$scratch/log" "the log"
