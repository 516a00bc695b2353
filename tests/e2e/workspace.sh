#!/bin/sh
# The memory limit of a batch holds: a larger batch is split, always into the same parts.
. "$(dirname "$0")/../lib/common.inc"
run() {
    dir=$1
    shift
    smallest_run "$dir" --dim-rnn 48 --dim-emb 40 --mini-batch 64 --dropout-readout 0.5 "$@"
    cp "$scratch/stderr" "$dir/stderr"
}
mebibytes() { sed -n 's/^memory: [0-9]* MiB for weights, gradients and optimizer, \([0-9]*\) MiB for a batch (64 pairs of .*/\1/p' "$1/stderr"; }
last_loss() { sed -n 's/.*"valid_loss": \([0-9.]*\).*/\1/p' "$1/train.jsonl" | tail -n 1; }

run "$scratch/whole" --after-batches 12
whole=$(mebibytes "$scratch/whole")
[ "$whole" -ge 3 ] || die "a batch takes '$whole' MiB"
run "$scratch/parts" --workspace 2 --threads 1 --after-batches 12
[ "$(mebibytes "$scratch/parts")" -le 3 ] || die "parts of 2 MiB take $(mebibytes "$scratch/parts")"

# the same training with the same dropout masks, up to rounding
same_numbers "$scratch/whole/checkpoint.safetensors" "$scratch/parts/checkpoint.safetensors" && die "nothing came in parts"
awk -v a="$(last_loss "$scratch/whole")" -v b="$(last_loss "$scratch/parts")" 'BEGIN { exit !(a > 0 && a - b < 0.001 && b - a < 0.001) }' ||
    die "dev losses: $(last_loss "$scratch/whole") whole, $(last_loss "$scratch/parts") in parts"

# the same bits for any number of threads and instruction set, with and without a stop
run "$scratch/other" --workspace 2 --threads 3 --isa portable --after-batches 2
run "$scratch/other" --workspace 2 --threads 2 --after-batches 12
same "$scratch/parts" "$scratch/other" "threads, instruction set and a stop"

# free memory that is too small: said before it is taken, and again when it is refused
native 'free memory that is too small' && case $(ldd "$tide") in *libasan* | *libtsan*) ;; *)
    # shellcheck disable=SC3045 # the shells of Debian have ulimit -v
    limited() { # MIB FLAG...: trains with a limit of virtual memory
        (ulimit -v $(($1 * 1024)) && shift && exec "$tide" train --tsv "$scratch/train.tsv" --config "$scratch/smallest.conf" \
            --threads 1 --after-batches 1 --model "$scratch/limited" "$@") 2>"$scratch/stderr"
    }
    limited 100 --dim-rnn 2000 && die "weights of 400 MiB in 100 MiB"
    grep -Eq '^memory: weights, gradients and optimizer need [0-9]+ MiB, but only [0-9]+ MiB are free; choose a smaller' \
        "$scratch/stderr" || die "weights that do not fit: $(cat "$scratch/stderr")"
    grep -q '^tide: out of memory.*; a smaller preset, --mini-batch or --workspace needs less$' "$scratch/stderr" ||
        die "out of memory: $(cat "$scratch/stderr")"
    limited 60 --dim-att 300 --mini-batch 300
    grep -Eq '^memory: weights and a batch need [0-9]+ MiB, but only [0-9]+ MiB are free; --workspace [0-9]+, or' "$scratch/stderr" ||
        die "a batch that does not fit: $(cat "$scratch/stderr")"
    ;;
esac

# limits that are too small
head -n 40 "$scratch/train.tsv" >"$scratch/long.tsv"
awk 'BEGIN { for (k = 0; k < 900; k++) printf "tide "; printf "\t"; for (k = 0; k < 900; k++) printf "潮"; print "" }' >>"$scratch/long.tsv"
"$tide" train --tsv "$scratch/long.tsv" --config "$scratch/smallest.conf" --max-length 0 --workspace 1 \
    --model "$scratch/long" 2>"$scratch/stderr"
[ $? = 1 ] || die "a pair that does not fit was taken"
grep -q "^tide: $scratch/long.tsv:41: the pair of 901 and [0-9]* pieces needs a --workspace of at least [0-9]*" "$scratch/stderr" ||
    die "a pair that does not fit: $(cat "$scratch/stderr")"
[ ! -e "$scratch/long" ] || die "a training that could not begin left $scratch/long"
