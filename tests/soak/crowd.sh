#!/bin/sh
# Tests that 600 bad clients of each kind (COUNT) do not hinder honest ones, in two minutes: see crowd.py.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/serve.inc
needs python3
"$tide" serve none 2>&1 | grep -q libmicrohttpd && { echo 'tide serve needs libmicrohttpd'; exit 77; }
smallest_run "$scratch/run" --after-batches 150

start "$scratch/run"
quiet=$url quiet_pid=$pid
cleanup() { kill -9 "$quiet_pid" ${pid:+"$pid"}; }
crowd() { # COUNT KIND...
    count=$1
    shift
    start "$scratch/run"
    for kind in "$@"; do
        python3 tests/soak/crowd.py "$kind" "$count" "$url" "$quiet" || { cat "$scratch/log" >&2; die "$kind"; }
    done
    stop
}
crowd "${COUNT:-600}" halves senders training answers silent
few=$tide tide=$scratch/few
printf '#!/bin/sh\nulimit -n 64\nexec "%s" "$@"\n' "$few" >"$tide" && chmod +x "$tide"
crowd 300 silent senders
