#!/bin/sh
# An output is written whole or not at all: killed at any moment, a command leaves the old file or the new one, and the
# next run leaves no temporary file. An output that is also an input is refused.
. "$(dirname "$0")/common.inc"
smallest_run "$scratch/run" --after-batches 12
cut -f2 "$scratch/dev.tsv" >"$scratch/zh"
cut -f1 "$scratch/dev.tsv" >"$scratch/en"

# WHAT OUTPUT COMMAND ...: killed a few times, whenever that hits; then once to the end
killed() {
    what=$1 output=$2
    shift 2
    "$tide" "$@" <"$scratch/zh" >/dev/null 2>"$scratch/stderr" || die "$what: $(cat "$scratch/stderr")"
    cp "$output" "$scratch/new"
    for delay in 0.005 0.01 0.02 0.03 0.04 0.06; do
        echo old >"$output"
        "$tide" "$@" <"$scratch/zh" >/dev/null 2>&1 &
        process=$!
        sleep $delay
        kill -KILL $process 2>/dev/null
        wait $process 2>/dev/null
        [ "$(cat "$output")" = old ] || cmp -s "$output" "$scratch/new" || die "$what, killed after $delay s: half a file"
    done
    "$tide" "$@" <"$scratch/zh" >/dev/null 2>&1 || die "$what: fails after it was killed"
    cmp "$output" "$scratch/new" || die "$what: another file after it was killed"
    nothing_left "$(dirname "$output")"
}
nothing_left() {
    for file in "$1"/*tmp; do
        [ ! -e "$file" ] || die "$file is left"
    done
}
mkdir "$scratch/out" "$scratch/pictures"
killed 'translate --html' "$scratch/out/page.html" translate "$scratch/run" --html "$scratch/out/page.html"
killed 'evaluate --output' "$scratch/out/translated" \
    evaluate "$scratch/run" --src "$scratch/zh" --ref "$scratch/en" --output "$scratch/out/translated"
killed 'align --format svg' "$scratch/pictures/0012.svg" \
    align "$scratch/run" --src "$scratch/zh" --tgt "$scratch/en" --format svg --output "$scratch/pictures"
killed report "$scratch/run/report.html" report "$scratch/run"

# What killed processes left, one of them under a later number, is removed; what a living one writes is not.
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

# An output that is an input, by whatever name, is refused, and stays what it was.
cp "$scratch/zh" "$scratch/in.zh"
ln -s in.zh "$scratch/link.zh"
ln "$scratch/run/model.safetensors" "$scratch/model"
for output in in.zh link.zh run/model.safetensors model; do
    "$tide" translate "$scratch/run" --html "$scratch/$output" <"$scratch/in.zh" >/dev/null 2>"$scratch/stderr"
    [ $? = 1 ] && grep -q "$output: is read, and would be overwritten" "$scratch/stderr" || die "$output: $(cat "$scratch/stderr")"
done
refused 1 'model: is read, and would be overwritten' evaluate "$scratch/run" --src "$scratch/zh" --ref "$scratch/en" --output "$scratch/model"
cmp "$scratch/zh" "$scratch/in.zh" || die "an input was overwritten"
tide_ok info "$scratch/run" >/dev/null

# A link stays a link, a mode a mode; a pipe is written as it is.
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
