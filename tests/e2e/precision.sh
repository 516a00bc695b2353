#!/bin/sh
# --precision bfloat16: the same bits for any instruction set, number of threads and ranks, and after a stop; a search with it.
. "$(dirname "$0")/../lib/common.inc"
. tests/lib/ranks.inc

shards=4
rounded() { dir=$1 && shift && smallest_run "$dir" --precision bfloat16 --shards $shards --after-batches 30 "$@"; }

rounded "$scratch/one" --threads 1
smallest_run "$scratch/float" --shards 4 --after-batches 30 --threads 2
same_numbers "$scratch/one/model.safetensors" "$scratch/float/model.safetensors" && die "bfloat16 has the weights of float32"
tide_ok info "$scratch/one" | grep -q 'precision = bfloat16' || die "tide info does not say the precision"
for isa in amx avx512 avx2 neon portable; do
    has_isa "$scratch/one" $isa || continue
    rounded "$scratch/$isa" --threads 3 --isa $isa
    same "$scratch/one" "$scratch/$isa" "$isa"
done

# A kill, and a change of the set; a small --workspace divides the batches.
"$tide" train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --config "$scratch/smallest.conf" --precision bfloat16 \
    --shards 4 --model "$scratch/killed" --after-batches 30000 --threads 2 --workspace 1 2>/dev/null &
process=$!
comes_to_hold has_lines "$scratch/killed" 8 || die "the training does not proceed"
kill -KILL $process && wait $process
killed=$(($(sed -n 's/^{"update": \([0-9]*\),.*/\1/p' "$scratch/killed/train.jsonl" | tail -n 1) + 30)) # later than the kill
smallest_run "$scratch/killed" --precision bfloat16 --shards 4 --workspace 1 --after-batches $killed --isa portable
smallest_run "$scratch/straight" --precision bfloat16 --shards 4 --workspace 1 --after-batches $killed
same "$scratch/straight" "$scratch/killed" "a kill, and another set"

# Each kind of model, after 60 updates, has the weights that tests/fixtures/bfloat16.txt names: those of all instruction sets,
# with and without a matrix unit. `update=1 tests/e2e/precision.sh` writes the file, which changes with the arithmetic only.
threads=1
while read -r model flags; do
    # shellcheck disable=SC2086 # words
    smallest_run "$scratch/kind" --precision bfloat16 --shards 4 --after-batches 60 --valid-freq 1000 --save-freq 0 --threads $threads $flags
    echo "$model $(numbers "$scratch/kind/model.safetensors" | sha256sum | cut -c1-64)" >>"$scratch/sums"
    rm -r "$scratch/kind"
    threads=$((threads % 3 + 1))
done <<KINDS
additive
dot --attention dot
general --attention general
scaled-dot --attention scaled-dot
multi-head --attention multi-head --heads 2
coverage --attention coverage
none --attention none
conditional --dec-cell-base-depth 2
gru --encoder gru
cnn --encoder cnn
self-attention --encoder self-attention --heads 2
deep-bigru --encoder deep-bigru
transformer --arch transformer --heads 2 --tied-embeddings on
KINDS
[ -z "${update:-}" ] || cp "$scratch/sums" tests/fixtures/bfloat16.txt
diff tests/fixtures/bfloat16.txt "$scratch/sums" >&2 || die "other weights than those of tests/fixtures/bfloat16.txt"

# Guided attention; fine-tuning.
sed 's/.*/0-0/' "$scratch/train.tsv" >"$scratch/links"
for model in "--guided-alignment $scratch/links" "--pretrained-model $scratch/float"; do
    for threads in 1 3; do
        # shellcheck disable=SC2086 # words
        rounded "$scratch/other$threads" $model --threads $threads
    done
    same "$scratch/other1" "$scratch/other3" "$model"
    rm -r "$scratch/other1" "$scratch/other3"
done

# A training continues with another precision only if told so.
refused 1 'precision.*bfloat16.*float32.*--allow-change precision' train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" \
    --config "$scratch/smallest.conf" --shards 4 --model "$scratch/one" --after-batches 40
smallest_run "$scratch/one" --shards 4 --after-batches 34 --allow-change precision
refused 2 'half' train --tsv "$scratch/train.tsv" --model "$scratch/none" --precision half

# A search; validations and commands use float32 if they are not told otherwise.
cut -f1 "$scratch/dev.tsv" >"$scratch/en" && cut -f2 "$scratch/dev.tsv" >"$scratch/zh"
log_p() { tide_ok score "$scratch/avx2" --src "$scratch/zh" --tgt "$scratch/en" "$@"; }
if has_isa "$scratch/one" avx2; then
    log_p >"$scratch/exact" && log_p --precision float32 >"$scratch/exact2" && log_p --precision bfloat16 >"$scratch/rounded"
    cmp "$scratch/exact" "$scratch/exact2" || die "float32 is not the default of a search"
    cmp -s "$scratch/exact" "$scratch/rounded" && die "a search with bfloat16 has the scores of float32"
    for isa in avx2 portable; do log_p --precision bfloat16 --isa $isa | cmp - "$scratch/rounded" || die "score with $isa"; done
fi
for command in translate 'align --src'; do
    # shellcheck disable=SC2086 # words
    case $command in
    translate) set -- translate "$scratch/float" ;;
    *) set -- align "$scratch/float" --src "$scratch/zh" --tgt "$scratch/en" ;;
    esac
    tide_ok "$@" --precision bfloat16 --threads 1 --isa portable <"$scratch/zh" >"$scratch/portable.out"
    tide_ok "$@" --precision bfloat16 --threads 2 <"$scratch/zh" | cmp - "$scratch/portable.out" || die "$command: other output"
done
tide_ok quantize "$scratch/float" "$scratch/int8"
refused 1 'precision bfloat16: this model multiplies integers of 8 bits' translate "$scratch/int8" --precision bfloat16

native 'bfloat16 on several ranks' || exit 0
command -v mpicc >/dev/null || { echo 'skipped: bfloat16 on several ranks: needs mpicc' && exit 0; }
shards=8 # as ranks_ok has
rounded "$scratch/eight" --threads 1
ranks_ok 4 "$scratch/ranks" --threads 1 --after-batches 30 --precision bfloat16
same_training "$scratch/eight" "$scratch/ranks" '4 ranks'
