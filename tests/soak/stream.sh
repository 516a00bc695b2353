#!/bin/sh
# Trains on five million generated pairs from a pipe: after the first thousand updates, memory does not grow.
# PAIRS=N uses N pairs instead.
. "$(dirname "$0")/../lib/common.inc"
pairs=${PAIRS:-5000000}
generate() {
    awk -v n="$pairs" 'BEGIN {
        srand(1)
        for (k = 0; k < 400; k++) han[k] = sprintf("%c%c%c", 228 + int(k / 64) % 5, 128 + k % 64, 128 + (k * 7) % 64)
        for (i = 0; i < n; i++) {
            zh = en = ""
            for (k = 3 + int(8 * rand()); k > 0; k--) {
                w = int(400 * rand() * rand())
                zh = zh han[w]
                en = en (en == "" ? "" : " ") "w" w
            }
            print en "\t" zh
        }
    }'
}
mkfifo "$scratch/pipe"
generate >"$scratch/pipe" &
cat >"$scratch/conf" <<CONF
dim-emb = 8
dim-rnn = 8
dim-att = 8
dim-maxout = 8
mini-batch = 64
disp-freq = 100
save-freq = 5000
CONF
"$tide" train --tsv "$scratch/pipe" --config "$scratch/conf" --model "$scratch/run" --after-epochs 1.02 --threads 2 \
    2>"$scratch/stderr" &
training=$!

# Prints the update and the resident memory in kilobytes at regular moments, from update 1000 on.
: >"$scratch/memory"
while kill -0 $training 2>/dev/null; do
    sleep 1
    update=$(tail -n 1 "$scratch/run/train.jsonl" 2>/dev/null | sed -n 's/^{"update": \([0-9]*\),.*/\1/p')
    [ "${update:-0}" -ge 1000 ] || continue
    kilobytes=$(sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$training/status" 2>/dev/null)
    [ -n "$kilobytes" ] && echo "$update $kilobytes" >>"$scratch/memory"
done
wait $training || die "$(cat "$scratch/stderr")"
grep -q "^$pairs pairs to train on" "$scratch/stderr" || die "$(cat "$scratch/stderr")"
[ "$(wc -l <"$scratch/memory")" -ge 10 ] || die "memory was measured only $(wc -l <"$scratch/memory") times"
awk 'NR == 1 { first = $2 } $2 > most { most = $2 } END {
    printf "%.1f MiB at update %d, at most %.1f MiB up to update %d\n", first / 1024, 1000, most / 1024, $1
    exit most > 1.02 * first + 1024
}' "$scratch/memory" || die "memory grew"
