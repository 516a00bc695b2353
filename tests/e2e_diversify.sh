#!/bin/sh
# scripts/diversify trains teachers and students in both directions, continues after an interruption with the same result,
# and repeats nothing.
. "$(dirname "$0")/common.inc"
for side in 1en 2zh; do
    cut -f"${side%??}" "$scratch/train.tsv" >"$scratch/train.${side#?}"
    cut -f"${side%??}" "$scratch/dev.tsv" >"$scratch/dev.${side#?}"
    sed -n "301,340p" corpus/train.tsv | cut -f"${side%??}" >"$scratch/mono.${side#?}"
done
[ -x /usr/bin/python3 ] || { echo "skipped: no /usr/bin/python3"; exit 77; }
diversify() { # OUT [flag ...]
    out=$scratch/$1
    shift
    scripts/diversify "$out" --train "$scratch/train.zh" "$scratch/train.en" --valid "$scratch/dev.zh" "$scratch/dev.en" \
        --tide "$tide" --flags "--config $scratch/smallest.conf --after-batches 12" --teachers 1 --threads 1 "$@" \
        >"$out.scores" 2>"$out.log"
}

# A stage that fails ends the script; the next call continues.
mkdir -p "$scratch/run/teacher-en-1.zh.part"
diversify run --mono "$scratch/mono.en" && die "a translation that cannot be written does not end the script"
rmdir "$scratch/run/teacher-en-1.zh.part"
diversify run --mono "$scratch/mono.en" || die "diversify: $(tail -n 3 "$scratch/run.log")"
[ "$(grep -c '^BLEU = ' "$scratch/run.scores")" = 1 ] || die "no score: $(cat "$scratch/run.scores")"
[ "$(grep -c '^stage [1-9] of 9, ' "$scratch/run.log")" = 9 ] || die "stages: $(grep '^stage' "$scratch/run.log")"
grep -q '^  mono: [1-9][0-9]* pairs' "$scratch/run.log" || die "nothing was translated: $(cat "$scratch/run.log")"
grep -q 'mono.zh: .* pairs, weight 1, tag bt$' "$scratch/run.log" || die "no tag: $(cat "$scratch/run.log")"
wc -l <"$scratch/run/teacher-en-1.mono.zh" | grep -q '^40$' || die "the monolingual text was not translated"
paste "$scratch/run/again.zh" "$scratch/run/again.en" | sort | uniq -d | grep -q . && die "a pair is there twice"

grep -Eq '^  [^ ]* tune ' "$scratch/run.log" || die "the log has no commands: $(cat "$scratch/run.log")"
cp "$scratch/run.scores" "$scratch/before"
diversify run --mono "$scratch/mono.en" || die "a complete run fails: $(tail -n 3 "$scratch/run.log")"
cmp "$scratch/before" "$scratch/run.scores" || die "a second call has another result: $(diff "$scratch/before" "$scratch/run.scores")"
grep -Eq '^  [^ ]* (train|translate|corpus|tune) ' "$scratch/run.log" && die "a second call repeats a stage"

# Into Chinese, with two students, which translate alone and together. Their flags replace the same flag of all trainings.
diversify back --to zh --students 2 --weight 2 --teachers 2 --together --student-flags '--after-batches 13' ||
    die "diversify --to zh: $(tail -n 3 "$scratch/back.log")"
[ "$(grep -c '^stage [0-9]* of 15, ' "$scratch/back.log")" = 15 ] || die "stages: $(grep '^stage' "$scratch/back.log")"
for direction in zh.en en.zh; do
    wc -l <"$scratch/back/teachers-$direction" | grep -qx 300 || die "the teachers did not translate together: $direction"
done
[ "$(grep -c '^BLEU = ' "$scratch/back.scores")" = 3 ] || die "not three scores: $(cat "$scratch/back.scores")"
grep -c ' train .* --after-batches 13 ' "$scratch/back.log" | grep -qx 2 || die "flags of students: $(cat "$scratch/back.log")"
grep -q 'tok:zh' "$scratch/back.scores" || die "the students do not write Chinese: $(cat "$scratch/back.scores")"
grep -q 'train.[a-z]*: 300 pairs, weight 2$' "$scratch/back.log" || die "no weight: $(cat "$scratch/back.log")"
