#!/bin/sh
# usage: tests/soak/ranks.sh [KILLS]
# Trainings in 8 shards on 1, 2, 4 and 8 ranks, with 1 and 2 threads, AVX-512 and AVX2, with and without a stop and a change
# of ranks, write the same checkpoint; also with guided attention, SGD, Adadelta and a Transformer. Then kills a random one
# of four ranks at a random moment: the run ends within ten seconds, continues, and ends with the same checkpoint.
kills=${1:-20}
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/ranks.inc
needs mpicc 'make mpi-test'
updates=14
smallest_run "$scratch/one" --shards 8 --after-batches $updates --threads 2
count=0
for n in 1 2 4 8; do
    for threads in 1 2; do
        for isa in avx512 avx2; do
            has_isa "$scratch/one" $isa || continue
            for stop in no yes; do
                rm -rf "$scratch/r"
                if [ $stop = yes ]; then ranks_ok $((9 - n > 4 ? 4 : 2)) "$scratch/r" --threads $threads --isa $isa --after-batches 5; fi
                ranks_ok "$n" "$scratch/r" --threads $threads --isa $isa --after-batches $updates
                same_training "$scratch/one" "$scratch/r" "$n ranks, $threads threads, $isa, stopped: $stop"
                count=$((count + 1))
            done
        done
    done
done
echo "$count combinations: $(sha256sum <"$scratch/one/checkpoint.safetensors" | cut -c 1-16)"

awk 'BEGIN { for (i = 0; i < 300; i++) print "0-0" }' >"$scratch/links"
for flags in "--guided-alignment $scratch/links --optimizer sgd --learn-rate 0.5" '--optimizer adadelta --learn-rate 1' \
    '--encoder deep-bigru --attention multi-head --heads 2 --exponential-smoothing 0' '--arch transformer --heads 2' \
    '--encoder cnn --attention dot --tied-embeddings on --dim-maxout 12' '--mini-batch 100 --workspace 3'; do
    rm -rf "$scratch/a" "$scratch/b"
    # shellcheck disable=SC2086 # flags is a list
    smallest_run "$scratch/a" --shards 8 --after-batches $updates --threads 2 $flags
    for n in 1 4 2; do
        # shellcheck disable=SC2086
        ranks_ok $n "$scratch/b" --threads 1 --after-batches $((n == 1 ? 3 : n == 4 ? 9 : updates)) $flags
    done
    same_training "$scratch/a" "$scratch/b" "$flags"
    echo "same: $flags"
done

updates=100
smallest_run "$scratch/whole" --shards 8 --after-batches $updates --threads 2
longest=0 k=0
while [ $k -lt "$kills" ]; do
    rm -rf "$scratch/k"
    ranks_train 4 "$scratch/k" --threads 1 --after-batches $updates &
    process=$!
    comes_to_hold has_lines "$scratch/k" $((1 + $(od -An -N1 -tu1 /dev/urandom) % 6)) || die "the training does not proceed"
    victim=$(rank_process $(($(od -An -N1 -tu1 /dev/urandom) % 4)))
    if ! kill -KILL "$victim" 2>/dev/null; then # the training has ended before
        wait $process
        continue
    fi
    k=$((k + 1))
    began=$(date +%s%3N)
    wait $process && die "kill $k: the run succeeds"
    took=$(($(date +%s%3N) - began))
    [ $took -gt $longest ] && longest=$took
    ranks_ok $((k % 3 == 0 ? 1 : k % 3 * 2)) "$scratch/k" --threads 1 --after-batches $updates
    same_training "$scratch/whole" "$scratch/k" "kill $k"
done
echo "$kills kills, each with the same end; a run ended after at most $longest ms"
[ $longest -le 10000 ] || die "a run ended after $longest ms"
