#!/bin/sh
# shellcheck disable=SC2086 # words of arguments are kept in one variable
# If an allocation fails, every command ends with one line of error: tested for its first thousand allocations and for every
# call stack that allocates. A training that ended so continues from its files and has the same result.
. "$(dirname "$0")/../lib/common.inc"
. "$PWD/tests/lib/memory.inc"
: >"$scratch/in"
export ALLOCATIONS_ALL=1000

# trainings: all kinds of corpora and models, new and continued
refuse --version
refuse train --help
export ALLOCATIONS_KEEP=40
tsv="--tsv $scratch/train.tsv --valid-tsv $scratch/dev.tsv --guided-alignment $scratch/links --seed 5"
train run $tsv --after-batches 4 --preset tiny --probe 潮水退了 海
kept=0
for copy in "$tree".[0-9]*; do
    kept=$((kept + 1))
    tide_ok train $tsv --after-batches 4 --preset tiny --probe 潮水退了 海 --config "$scratch/tiny.conf" --model "$copy/run"
    same run "$copy/run" "going on after a failure ($copy)"
done
rm -rf "$tree".[0-9]*
cp -r run before
train run $tsv --after-batches 8 --preset tiny --probe 潮水退了 海
for copy in "$tree".[0-9]*; do
    kept=$((kept + 1))
    tide_ok train $tsv --after-batches 8 --preset tiny --probe 潮水退了 海 --config "$scratch/tiny.conf" --model "$copy/run"
    same run "$copy/run" "going on after a failure of what went on ($copy)"
done
[ $kept -gt 50 ] || die "only $kept trainings were continued"
unset ALLOCATIONS_KEEP
cut -f 2 "$scratch/train.tsv" >train.zh
cut -f 1 "$scratch/train.tsv" >train.en
train reverse --train-sets train.en train.zh --valid-sets "$scratch/en" "$scratch/zh" --langs en zh --tokenizer bpe char \
    --optimizer adadelta --learn-rate 1 --after-batches 3
train joint --tsv "$scratch/train.tsv" --tokenizer bpe bpe --merges joint --after-batches 1
train none --mo "$seeds/mo/little" --attention none --optimizer sgd --learn-rate 0.1 --tokenizer none none --after-batches 3

# the commands that use a model
for model in run joint none; do refuse info $model; done
refuse_in_copy report run
in=$scratch/in
cp "$scratch/zh" "$in"
echo >>"$in"
refuse translate run --threads 1
refuse_in_copy translate run --threads 1 --n-best 2 --alignment soft --html page.html --heatmap pictures --transpose --timing
refuse translate run --threads 1 --alignment hard --replace-unk --lexicon "$scratch/lexicon" --level word --shift --threshold 0.1
refuse_in_copy translate run --threads 1 --replace-unk --allow-han --mini-batch 1 --end-of-sentence --html page.html --level word
refuse translate none --threads 1 --n-best 2
refuse tokenize run
refuse tokenize run --side tgt --join
pairs="--src $scratch/zh --tgt $scratch/en --threads 1"
for format in pharaoh soft matrix json html "svg --output pictures"; do refuse_in_copy align run $pairs --format $format; done
refuse align run $pairs --level word --reverse reverse --symmetrize union
refuse align run $pairs --level word --reverse reverse --shift
refuse score run $pairs
refuse score run $pairs --summary
refuse_in_copy evaluate run --src "$scratch/zh" --ref "$scratch/en" --threads 1 --output translations
refuse evaluate reverse --src "$scratch/en" --ref "$scratch/zh" --threads 1 -lc
cp "$scratch/zh" "$in"
for flags in "" "-lc" "--tokenize zh"; do refuse bleu "$scratch/zh" $flags; done
refuse chrf "$scratch/zh" -lc
cp "$scratch/links" "$in"
refuse aer "$scratch/links"


# a corpus
refuse_in_copy corpus --output made --lines train.zh train.en --tsv "$scratch/train.tsv" --mo "$seeds/mo/little" --dropped dropped
refuse_in_copy corpus --output made --tsv "$scratch/train.tsv" --keep-paragraphs
refuse_in_copy corpus --output memory --tmx "$seeds/tmx/memory" --dev 0 --test 0
refuse_in_copy corpus --output table --csv "$seeds/csv/header" --dev 0 --test 0
refuse_in_copy corpus --output objects --jsonl "$seeds/jsonl/flat" --dev 0 --test 0
refuse_alone corpus --output zip --tsv "$seeds/compressed/zip" --dev 0 --test 0
gzip -c <"$scratch/dev.tsv" >gzip
refuse_alone corpus --output gzipped --tsv gzip --dev 0 --test 0
echo "$failures failures at $places places, $allocations allocations; $kept trainings went on"
