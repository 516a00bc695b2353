#!/bin/sh
# An output is written completely or not at all: a command that is killed at any moment leaves the old file or the new one,
# and the next run removes the temporary files. An output that is also an input is refused.
. "$(dirname "$0")/../lib/common.inc"

# --quiet prints errors only; --log has all messages, with their times, and errors; it is never another file of the command
smallest_run "$scratch/quiet" --after-batches 3 --quiet --log "$scratch/log"
[ ! -s "$scratch/stderr" ] || die "--quiet: $(cat "$scratch/stderr")"
smallest_run "$scratch/loud" --after-batches 3
[ "$(sed -E 's/^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} //; s/ +[0-9]+ tok.s//; s/quiet/loud/' "$scratch/log")" = "$(sed -E 's/ +[0-9]+ tok.s//' "$scratch/stderr")" ] ||
    die "the log differs from what is printed: $(cat "$scratch/log" "$scratch/stderr")"
refused 1 'dev.tsv: No such file' train --model "$scratch/none" --tsv "$scratch/none/dev.tsv" --quiet --log "$scratch/log"
tail -n 1 "$scratch/log" | grep -q ' tide: .*dev.tsv: No such file' || die "an error is not in the log"
cp "$scratch/dev.tsv" "$scratch/copy.tsv"
refused 1 'copy.tsv: is already the file of --tsv' corpus --output "$scratch/c" --tsv "$scratch/copy.tsv" --log "$scratch/copy.tsv"
cmp "$scratch/dev.tsv" "$scratch/copy.tsv" || die "the log was added to an input"
kills=${KILLS:-2} every=${EVERY:-4} pairs=${PAIRS:-60} seed=${SEED:-1} # tests/soak/outputs.sh sets larger numbers
smallest_run "$scratch/run" --after-batches 12
cp -r "$scratch/run" "$scratch/trained"
shim=$scratch/failing.so
cc -shared -fPIC tests/lib/failing_calls.c -o "$shim" -ldl || die "cannot compile tests/lib/failing_calls.c"
# AddressSanitizer must be the first library.
# shellcheck disable=SC2317 # called by runs
preloaded() { env LD_PRELOAD="$shim" ASAN_OPTIONS=verify_asan_link_order=0 "$@"; }

# Makes the inputs of all commands: N pairs, and a training with a file of alignments for every 20 pairs.
inputs() { # N
    head -n "$1" corpus/train.tsv >"$scratch/tsv"
    cut -f2 "$scratch/tsv" >"$scratch/zh"
    cut -f1 "$scratch/tsv" >"$scratch/en"
    cp "$scratch/trained/train.jsonl" "$scratch/run/train.jsonl"
    for i in $(seq $(($1 / 20))); do
        cp "$scratch/trained/align/00000012.json" "$scratch/run/align/$(printf %08d "$i").json"
        sed "s/\"update\": 12/\"update\": $i/" "$scratch/trained/train.jsonl" | sed -n '/valid_loss/p' >>"$scratch/run/log"
    done
    [ ! -e "$scratch/run/log" ] || mv "$scratch/run/log" "$scratch/run/train.jsonl"
}

nothing_left() {
    for file in "$1"/*tmp; do
        [ ! -e "$file" ] || die "$file is left"
    done
}
# Checks that each output is the old file or the complete new one. `corpus` completes all files before it renames the first.
check_outputs() { # WHEN
    old='' new=''
    for output in $outputs; do
        read -r first <"$output"
        if [ "$first" = old ]; then old="$old $output"
        elif cmp -s "$output" "$scratch/new/${output##*/}"; then new="$new $output"
        else die "$what, killed $1: $output is an incomplete file"
        fi
    done
    [ -z "$new" ] || changed=$((changed + 1))
    [ "$what" = corpus ] && [ -n "$new" ] || return 0
    for output in $old; do
        cmp "$output.0.tmp" "$scratch/new/${output##*/}" || die "$what, killed $1: $output is not complete beside $new"
    done
}
put_old() { for output in $outputs; do echo old >"$output"; done; }
runs() { "$@" <"$scratch/zh" >/dev/null 2>"$scratch/stderr"; }
# Runs the command to its end, keeps its outputs for comparison, and checks that no temporary file is left.
completes() { # COMMAND ...
    runs "$tide" "$@" || die "$what: $(cat "$scratch/stderr")"
    for output in $outputs; do nothing_left "${output%/*}"; done
}

# WHAT OUTPUTS COMMAND ...: kills the command before every $every-th call that opens, writes or renames a file; then at
# random moments. Outputs are paths or patterns.
killed() {
    what=$1 outputs=$2 at=0 changed=0 hits=0
    shift 2
    rm -rf "$scratch/new"
    mkdir "$scratch/new"
    inputs 8
    completes "$@"
    for output in $outputs; do cp "$output" "$scratch/new"; done
    while put_old; { KILL_AT=$((at + every)) runs preloaded "$tide" "$@"; } 2>/dev/null; [ $? = 137 ]; do
        at=$((at + every)) hits=$((hits + 1))
        check_outputs "before call $at"
    done
    cmp "$output" "$scratch/new/${output##*/}" || die "$what: not killed, and not complete"
    [ $hits -ge 2 ] && { [ "$every" != 1 ] || [ $changed -ge 1 ]; } || die "$what: $hits kills, $changed with a new file"
    completes "$@"
    echo "$what: killed before $hits calls up to $at; a new file was there $changed times"

    inputs "$pairs"
    began=$(date +%s.%N)
    completes "$@"
    ended=$(date +%s.%N)
    for output in $outputs; do cp "$output" "$scratch/new"; done
    changed=0 tries=0 hits=0
    time=$(echo "$began $ended" | awk '{ print $2 - $1 }')
    share=1 # of the measured time in which kills may happen; reduced after each kill that came too late
    while [ $hits -lt "$kills" ]; do
        tries=$((tries + 1)) seed=$((seed + 1))
        delay=$(awk -v seed=$seed -v limit="$time" -v share="$share" 'BEGIN { srand(seed); print rand() * limit * share }')
        put_old
        "$tide" "$@" <"$scratch/zh" >/dev/null 2>&1 &
        process=$!
        sleep "$delay"
        kill -KILL $process 2>/dev/null
        wait $process 2>/dev/null
        if [ $? = 137 ]; then hits=$((hits + 1)); else share=$(echo "$share" | awk '{ print 0.9 * $1 }'); fi
        check_outputs "after $delay s"
    done
    completes "$@"
    for output in $outputs; do
        cmp "$output" "$scratch/new/${output##*/}" || die "$what: another file after it was killed"
    done
    echo "$what: killed at $hits random moments of $time s; a new file was there $changed of $tries times"
}
mkdir "$scratch/out" "$scratch/pictures" "$scratch/corpus"
echo "SEED=$seed"
killed 'translate --html' "$scratch/out/page.html" translate "$scratch/run" --html "$scratch/out/page.html"
killed 'evaluate --output' "$scratch/out/translated" \
    evaluate "$scratch/run" --src "$scratch/zh" --ref "$scratch/en" --output "$scratch/out/translated"
killed 'align --format svg' "$scratch/pictures/*.svg" \
    align "$scratch/run" --src "$scratch/zh" --tgt "$scratch/en" --format svg --output "$scratch/pictures"
parts=''
for part in train dev test; do parts="$parts $scratch/corpus/$part.zh $scratch/corpus/$part.en"; done
killed corpus "$parts $scratch/corpus/dropped" \
    corpus --tsv "$scratch/tsv" --output "$scratch/corpus" --dropped "$scratch/corpus/dropped" --dev 2 --test 2
killed report "$scratch/run/report.html" report "$scratch/run"
inputs 12

# Temporary files of killed processes are removed, under any number in their names; a file of a running process is kept.
echo half >"$scratch/out/page.html.0.tmp"
echo half >"$scratch/out/page.html.1.tmp"
tide_ok translate "$scratch/run" --html "$scratch/out/page.html" <"$scratch/zh" >/dev/null
nothing_left "$scratch/out"
mkfifo "$scratch/asked"
"$tide" translate "$scratch/run" --mini-batch 1 --html "$scratch/out/page.html" <"$scratch/asked" >/dev/null 2>"$scratch/stderr" &
exec 3>"$scratch/asked"
comes_to_hold test -e "$scratch/out/page.html.0.tmp" || die "no temporary file"
tide_ok translate "$scratch/run" --html "$scratch/out/page.html" <"$scratch/zh" >/dev/null
[ -e "$scratch/out/page.html.0.tmp" ] || die "a living process's file was removed"
exec 3>&-
wait $! || die "$(cat "$scratch/stderr")"
nothing_left "$scratch/out"

# On a file system without locks no temporary file is removed, and all commands work; those that lock a directory warn.
locked='cannot be locked (.*): make sure that no other tide process uses it'
for errno in 37 95 22 38; do # ENOLCK, EOPNOTSUPP, EINVAL, ENOSYS
    echo half >"$scratch/out/page.html.0.tmp"
    NO_LOCKS=$errno runs preloaded "$tide" translate "$scratch/run" --html "$scratch/out/page.html" || die "$(cat "$scratch/stderr")"
    [ ! -s "$scratch/stderr" ] || die "without locks: $(cat "$scratch/stderr")"
    [ "$(ls "$scratch/out")" = "$(printf 'page.html\npage.html.0.tmp\ntranslated')" ] || die "without locks: $(ls "$scratch/out")"
    [ "$(cat "$scratch/out/page.html.0.tmp")" = half ] || die "without locks: the file of another process was written"
    NO_LOCKS=$errno runs preloaded "$tide" corpus --tsv "$scratch/tsv" --dev 0 --test 0 --output "$scratch/corpus" || die "$(cat "$scratch/stderr")"
    [ "$(wc -l <"$scratch/stderr")" = 1 ] && grep -q "^$scratch/corpus: $locked\$" "$scratch/stderr" || die "$(cat "$scratch/stderr")"
done
NO_LOCKS=37 runs preloaded "$tide" train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --model "$scratch/trained" \
    --config "$scratch/smallest.conf" --after-batches 13 || die "$(cat "$scratch/stderr")"
[ "$(grep -c "^$scratch/trained: $locked\$" "$scratch/stderr")" = 1 ] || die "$(cat "$scratch/stderr")"
completes translate "$scratch/run" --html "$scratch/out/page.html"

# An output that is also an input, under any name, is refused and not changed.
cp "$scratch/zh" "$scratch/in.zh"
ln -s in.zh "$scratch/link.zh"
ln "$scratch/run/model.safetensors" "$scratch/model"
for output in in.zh link.zh run/model.safetensors model; do
    "$tide" translate "$scratch/run" --html "$scratch/$output" <"$scratch/in.zh" >/dev/null 2>"$scratch/stderr"
    [ $? = 1 ] && grep -q "$output: is read, and would be overwritten" "$scratch/stderr" || die "$output: $(cat "$scratch/stderr")"
done
refused 1 'model: is read, and would be overwritten' evaluate "$scratch/run" --src "$scratch/zh" --ref "$scratch/en" --output "$scratch/model"
for output in train.en dev.zh dropped; do
    rm -f "$scratch/corpus/$output"
    ln -s ../tsv "$scratch/corpus/$output"
    for input in "$scratch/tsv" -; do
        "$tide" corpus --tsv "$input" --output "$scratch/corpus" --dropped "$scratch/corpus/dropped" <"$scratch/tsv" >/dev/null 2>"$scratch/stderr"
        [ $? = 1 ] && grep -q "corpus/$output: is read, and would be overwritten" "$scratch/stderr" || die "$output: $(cat "$scratch/stderr")"
    done
    rm "$scratch/corpus/$output"
done
refused 1 'corpus/test.en: is already an output: give --dropped another file' \
    corpus --tsv "$scratch/tsv" --output "$scratch/corpus" --dropped "$scratch/corpus/test.en"
nothing_left "$scratch/corpus"
cmp "$scratch/zh" "$scratch/in.zh" || die "an input was overwritten"
tide_ok info "$scratch/run" >/dev/null

# A symbolic link stays a link, and the mode of a file is kept; a pipe is written directly.
tide_ok translate "$scratch/run" --html "$scratch/out/page.html" <"$scratch/zh" >/dev/null
echo old >"$scratch/out/target.html"
chmod 640 "$scratch/out/target.html"
ln -s target.html "$scratch/out/link.html"
tide_ok translate "$scratch/run" --html "$scratch/out/link.html" <"$scratch/zh" >/dev/null
[ -L "$scratch/out/link.html" ] && cmp "$scratch/out/target.html" "$scratch/out/page.html" || die "a link was replaced"
[ "$(stat -c %a "$scratch/out/target.html")" = 640 ] || die "the mode is $(stat -c %a "$scratch/out/target.html")"
mkfifo "$scratch/page"
cat "$scratch/page" >"$scratch/read" &
tide_ok translate "$scratch/run" --html "$scratch/page" <"$scratch/zh" >/dev/null
wait $!
cmp "$scratch/read" "$scratch/out/page.html" || die "a page written to a pipe is another"
exit 0
