#!/bin/sh
# Trainings on several ranks write the same checkpoint, model and log as one process. Skipped without mpicc.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/ranks.inc
needs mpicc 'make mpi-test'
[ -x "$ranks_program" ] || die "no $ranks_program: make mpi"
ldd "$tide" | grep -q libmpi && die "tide is linked with MPI"

limit='--after-batches 14'
# shellcheck disable=SC2086 # $limit is two words
smallest_run "$scratch/one" --shards 8 $limit --threads 2
for n in 4 8; do
    ranks_ok "$n" "$scratch/r$n" --threads 1 --after-batches 14
    same_training "$scratch/one" "$scratch/r$n" "$n ranks"
done
grep -q '"ranks": 4, "bytes_sent": [1-9][0-9]*, "seconds_waited": [0-9.]*}' "$scratch/r4/train.jsonl" ||
    die "the log does not say what 4 ranks sent"

# Another number of ranks continues.
for n in 1 4 2; do ranks_ok $n "$scratch/moved" --after-batches $((n == 1 ? 4 : n == 4 ? 9 : 14)) --threads 1 --isa avx2; done
same_training "$scratch/one" "$scratch/moved" "1, 4, 2 ranks"

# Two ranks verify the model of one process; a difference ends both.
verify_on() { ${MPIRUN:-mpirun} -n "$1" "$ranks_program" verify "$scratch/one" --tsv "$2" --threads 1 </dev/null 2>"$scratch/stderr"; }
verify_on 2 "$scratch/train.tsv" >"$scratch/out" || die "two ranks do not verify: $(cat "$scratch/stderr")"
grep -q 'one: verified: 14 updates give the same bits' "$scratch/out" || die "two ranks: $(cat "$scratch/out")"
[ ! -e "$scratch/one.verify" ] || die "two ranks leave the working folder"
verify_on 2 "$scratch/dev.tsv" >"$scratch/out" && die "two ranks verify another text"
grep -q 'rank 0: the source text is not that of train.tsv' "$scratch/stderr" || die "two ranks: $(cat "$scratch/stderr")"

# Another model and optimizer, with little memory.
other='--arch transformer --heads 2 --tied-embeddings on --optimizer adadelta --learn-rate 1 --exponential-smoothing 0'
# shellcheck disable=SC2086
smallest_run "$scratch/other" --shards 8 $limit --threads 2 $other
# shellcheck disable=SC2086
ranks_ok 2 "$scratch/other2" --threads 1 $limit $other
same_training "$scratch/other" "$scratch/other2" "a transformer on 2 ranks"

# Two corpora, of which only the second one has noise, and the first one a teacher.
loud="--tsv $scratch/dev.tsv --train-set-noise off on --noise-drop 0.2 --noise-blank 0.2 --noise-swap 4
      --pretrained-model $scratch/one --train-set-distillation 0.5 0 --pretrained-share 0.3"
# shellcheck disable=SC2086
smallest_run "$scratch/loud" --shards 8 $limit --threads 2 $loud
# shellcheck disable=SC2086
ranks_ok 2 "$scratch/loud2" --threads 1 $limit $loud
same_training "$scratch/loud" "$scratch/loud2" "noise and a teacher on 2 ranks"

# Another metric chooses the best model, and rank 0 writes the translations.
metrics='--valid-metrics chrf ce-mean-words --valid-freq 2 --early-stopping 2'
# shellcheck disable=SC2086
smallest_run "$scratch/chrf" --shards 8 --after-batches 40 --threads 2 $metrics
for n in 2 4; do
    # shellcheck disable=SC2086
    ranks_ok $n "$scratch/chrf$n" --threads 1 --after-batches 40 $metrics
    same_training "$scratch/chrf" "$scratch/chrf$n" "chrF on $n ranks"
    diff -r "$scratch/chrf/valid" "$scratch/chrf$n/valid" || die "other translations on $n ranks"
    grep -q '2 validations without a better chrF end the training' "$scratch/stderr" || die "$n ranks do not stop: $(cat "$scratch/stderr")"
done

# A signal to one rank stops all at the same update; the training continues on another number of ranks.
ranks_train 2 "$scratch/stopped" --threads 1 --after-batches 4000 &
process=$!
comes_to_hold has_lines "$scratch/stopped" 2 || die "the training does not proceed: $(cat "$scratch/stderr")"
kill -USR1 "$(rank_process 1)" || die "no rank to stop"
wait $process || die "the stopped training exits $?: $(cat "$scratch/stderr")"
grep -q 'stopped after update' "$scratch/stderr" || die "a signal did not stop the training"
stopped=$(sed -n 's/.*stopped after update \([0-9]*\);.*/\1/p' "$scratch/stderr")
smallest_run "$scratch/stopped" --shards 8 --after-batches $((stopped + 3)) --threads 2
smallest_run "$scratch/straight" --shards 8 --after-batches $((stopped + 3)) --threads 2
same_training "$scratch/straight" "$scratch/stopped" "stopped on 2 ranks"

# A rank that is killed, or that hangs, ends the run.
fails_with() { # REASON SIGNAL
    rm -rf "$scratch/failed"
    ranks_train 4 "$scratch/failed" --threads 1 --after-batches 4000 --rank-timeout "$silence" &
    process=$!
    comes_to_hold has_lines "$scratch/failed" 2 || die "the training does not proceed: $(cat "$scratch/stderr")"
    kill -"$2" "$(rank_process 2)" || die "no rank to kill"
    began=$(date +%s)
    wait $process && die "$2: the run succeeds"
    took=$(($(date +%s) - began))
    [ $took -le 10 ] || die "$2: the run ends after $took seconds"
    grep -q "$1" "$scratch/stderr" || die "$2: $(cat "$scratch/stderr")"
}
fails_with 'rank 2\|EXIT CODE: 9' KILL # as Open MPI or MPICH says it
fails_with 'rank [013]: rank 2 has not answered for [0-9]* seconds' STOP

# Numbers that are not finite, and a checkpoint that cannot be written.
ranks_train 2 "$scratch/diverged" --threads 1 --after-batches 400 --optimizer sgd --learn-rate 1e6 --clip-norm 0 --valid-freq 400 &&
    die "a training that diverges succeeds"
grep -q 'rank [01]: .*the training diverged at update' "$scratch/stderr" || die "diverged: $(cat "$scratch/stderr")"
mkdir -p "$scratch/broken/checkpoint.next.safetensors"
ranks_train 2 "$scratch/broken" --threads 1 --after-batches 30 && die "a checkpoint that cannot be written does not end the training"
grep -q 'checkpoint.*rank 0: cannot' "$scratch/stderr" || die "no checkpoint: $(cat "$scratch/stderr")"
rmdir "$scratch/broken/checkpoint.next.safetensors"
ranks_ok 2 "$scratch/broken" --threads 1 --after-batches 14
same_training "$scratch/one" "$scratch/broken" "after a checkpoint that could not be written"

# What cannot be shared.
ranks_train 3 "$scratch/none" --after-batches 1 && die "3 ranks share 8 shards"
grep -q '3 ranks cannot share the shards of --shards 8' "$scratch/stderr" || die "3 ranks: $(cat "$scratch/stderr")"
