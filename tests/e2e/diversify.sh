#!/bin/sh
# scripts/diversify trains teachers and students in both directions, continues after an interruption with the same result,
# and repeats nothing.
. "$(dirname "$0")/../lib/common.inc"
for side in 1en 2zh; do
    cut -f"${side%??}" "$scratch/train.tsv" >"$scratch/train.${side#?}"
    cut -f"${side%??}" "$scratch/dev.tsv" >"$scratch/dev.${side#?}"
    sed -n "301,340p" corpus/train.tsv | cut -f"${side%??}" >"$scratch/mono.${side#?}"
done
needs /usr/bin/python3
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
grep -q 'mono/train.zh: [1-9][0-9]* pairs, weight 1, tag bt$' "$scratch/run.log" || die "no tag: $(cat "$scratch/run.log")"
wc -l <"$scratch/run/teacher-en-1.mono.zh" | grep -q '^40$' || die "the monolingual text was not translated"
paste "$scratch/run/again/train.zh" "$scratch/run/again/train.en" | sort | uniq -d | grep -q . && die "a pair is there twice"

grep -Eq '^  [^ ]* tune ' "$scratch/run.log" || die "the log has no commands: $(cat "$scratch/run.log")"
cp "$scratch/run.scores" "$scratch/before"
diversify run --mono "$scratch/mono.en" || die "a complete run fails: $(tail -n 3 "$scratch/run.log")"
cmp "$scratch/before" "$scratch/run.scores" || die "a second call has another result: $(diff "$scratch/before" "$scratch/run.scores")"
grep -Eq '^  [^ ]* (train|translate|corpus|tune) ' "$scratch/run.log" && die "a second call repeats a stage"

# Into Chinese, with two students, which translate alone and together. Their flags replace the same flag of all trainings.
# The corpus is compressed.
gzip -k "$scratch/train.zh" "$scratch/train.en"
diversify back --train "$scratch/train.zh.gz" "$scratch/train.en.gz" --to zh --students 2 --weight 2 --teachers 2 --together \
    --student-flags '--after-batches 13' ||
    die "diversify --to zh: $(tail -n 3 "$scratch/back.log")"
[ "$(grep -c '^stage [0-9]* of 15, ' "$scratch/back.log")" = 15 ] || die "stages: $(grep '^stage' "$scratch/back.log")"
for direction in zh.en en.zh; do
    wc -l <"$scratch/back/teachers-$direction" | grep -qx 300 || die "the teachers did not translate together: $direction"
done
[ "$(grep -c '^BLEU = ' "$scratch/back.scores")" = 3 ] || die "not three scores: $(cat "$scratch/back.scores")"
grep -c ' train .* --after-batches 13 ' "$scratch/back.log" | grep -qx 2 || die "flags of students: $(cat "$scratch/back.log")"
grep -q 'tok:zh' "$scratch/back.scores" || die "the students do not write Chinese: $(cat "$scratch/back.scores")"
grep -q 'train.[a-z]*.gz: 300 pairs, weight 2$' "$scratch/back.log" || die "no weight: $(cat "$scratch/back.log")"

# A teacher into English that repeats the corpus, which has full-width punctuation and a line of two sentences, and one into
# Chinese that writes nothing: the text of the student has the corpus twice, once cleaned. The monolingual text is
# compressed, one of its lines is too long, and its last line has no end.
mkdir "$scratch/wide"
sed 's/,/，/g; s/?/？/g; s/!/！/g' "$scratch/train.zh" >"$scratch/wide/train.zh"
cp "$scratch/train.en" "$scratch/wide"
for side in zh en; do
    sed -n '1,2p' "$scratch/wide/train.$side" | paste -sd ' ' >>"$scratch/wide/train.$side"
done
cat >"$scratch/wide/tide" <<END
#!/bin/sh
case "\$1 \$*" in
translate*teacher-zh-1*) exec cat "$scratch/wide/train.en" ;;
translate*teacher-en-1*) [ "\$(wc -l)" = 301 ] && exec sed 's/.*//' "$scratch/wide/train.en"; exec cat "$scratch/mono.zh" ;;
esac
exec "$tide" "\$@"
END
chmod +x "$scratch/wide/tide"
{ head -n 39 "$scratch/mono.en"; seq 1200 | tr '\n' ' '; echo; sed -n 40p "$scratch/mono.en" | tr -d '\n'; } |
    gzip >"$scratch/wide/mono.gz"
diversify known --train "$scratch/wide/train.zh" "$scratch/wide/train.en" --tide "$scratch/wide/tide" \
    --mono "$scratch/wide/mono.gz" || die "known pairs: $(tail -n 3 "$scratch/known.log")"
"$tide" corpus --output "$scratch/wide/all" --dev 0 --test 0 --lines "$scratch/wide/train.zh" "$scratch/wide/train.en" \
    2>/dev/null || die "tide corpus"
for side in zh en; do
    cmp "$scratch/wide/all/train.$side" "$scratch/known/again/train.$side" || die "the pairs that a teacher remembers"
done
grep -q 'mono.gz: lines of more than 1000 characters, which are left out: 1$' "$scratch/known.log" || die "a long line"
cmp "$scratch/mono.en" "$scratch/known/mono.0.en" || die "the compressed text was not read whole"

# Teachers that write nothing end the script, with the reason. A text that is missing is found before all work.
sed -i "s/exec cat/exec sed 's,.*,,'/" "$scratch/wide/tide"
diversify empty --train "$scratch/wide/train.zh" "$scratch/wide/train.en" --tide "$scratch/wide/tide" &&
    die "teachers that write nothing are accepted"
grep -q 'no sentence pairs that can be used: 602 of 602 are empty' "$scratch/empty.log" ||
    die "no reason: $(tail -n 3 "$scratch/empty.log")"
diversify missing --mono "$scratch/missing.en" && die "a missing text is accepted"
[ "$(cat "$scratch/missing.log")" = "scripts/diversify: $scratch/missing.en: No such file or directory" ] ||
    die "a missing text: $(cat "$scratch/missing.log")"

# Ctrl-C, which reaches the whole group: the program that runs has the time to save its work.
cat >"$scratch/patient" <<'END'
#!/bin/sh
trap 'sleep 1; echo saved >"$0.saved"; exit 0' INT
while :; do sleep 0.1; done
END
chmod +x "$scratch/patient"
out=$scratch/stopped
timeout -s INT 2 scripts/diversify "$out" --train "$scratch/train.zh" "$scratch/train.en" --valid "$scratch/dev.zh" \
    "$scratch/dev.en" --tide "$scratch/patient" 2>"$out.log"
[ -s "$scratch/patient.saved" ] || die "Ctrl-C ends a program that is saving its work: $(cat "$out.log")"
tail -n 1 "$out.log" | grep -qx 'scripts/diversify: stopped; the same command continues' || die "$(cat "$out.log")"
