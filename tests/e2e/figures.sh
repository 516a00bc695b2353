#!/bin/sh
# Tests scripts/experiments/compare-attention: a line for each length, a picture that is valid XML, four alignments; a second
# run gives the same files. Tests measure-sizes: a line for each training, which is not repeated; a picture. Tests
# scripts/dev/compare-curves: in double, tide has the same losses as PyTorch.
. "$(dirname "$0")/../lib/common.inc"
needs python3

mkdir "$scratch/corpus"
for part in train dev; do
    cut -f1 "$scratch/$part.tsv" >"$scratch/corpus/$part.en"
    cut -f2 "$scratch/$part.tsv" >"$scratch/corpus/$part.zh"
done
head -n 1 "$scratch/corpus/dev.zh" >>"$scratch/corpus/train.zh" # shares a sentence with dev: must be left out of training
echo "Something else." >>"$scratch/corpus/train.en"
compare() {
    scripts/experiments/compare-attention "$scratch/out" "$scratch/corpus" --updates 2 --tide "$tide" --threads 1 --dim-emb 8 \
        --dim-rnn 8 --dim-att 8 --dim-maxout 4 --bpe-merges 50 50 >"$scratch/said" 2>"$scratch/stderr" ||
        die "it exited $?: $(tail -n 3 "$scratch/stderr")"
}
compare
grep -q '^300 train pairs, 6 dev pairs, 6 test pairs$' "$scratch/said" || die "the parts: $(head -n 1 "$scratch/said")"
awk -F'\t' 'NF != 7 { bad = 1 } NR > 1 && $1 != "all" { n += $3 } END { exit bad || NR != 9 || $3 != 6 || n != 6 }' \
    "$scratch/out/bleu-by-length.tsv" || die "the table: $(cat "$scratch/out/bleu-by-length.tsv")"
for picture in "$scratch/out/bleu-by-length.svg" "$scratch/out/alignments/"000[1-4].svg; do
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$picture" || die "$picture"
done
[ "$(grep -c '<polyline' "$scratch/out/bleu-by-length.svg")" = 8 ] || die "the curves and their legend"
cp -r "$scratch/out" "$scratch/before"
compare
for made in bleu-by-length.tsv bleu-by-length.svg rnnenc-15/checkpoint.safetensors; do
    cmp "$scratch/before/$made" "$scratch/out/$made" || die "$made is another one"
done

sizes() { # SEED ...
    scripts/experiments/measure-sizes "$scratch/sizes" "$scratch/corpus" --sizes 100 0 --presets tiny --tide "$tide" \
        --threads 1 --flags "--after-batches 2 --config $scratch/smallest.conf" \
        --seeds "$@" >"$scratch/said" 2>"$scratch/stderr" ||
        die "measure-sizes: it exited $?: $(tail -n 3 "$scratch/stderr")"
}
sizes 1
sizes 1 2
cut -f 1-3,5 "$scratch/sizes/sizes.tsv" | tr '\t\n' ' ,' >"$scratch/trained"
[ "$(cat "$scratch/trained")" = 'preset pairs seed updates,tiny 100 1 2,tiny 301 1 2,tiny 100 2 2,tiny 301 2 2,' ] ||
    die "the trainings: $(cat "$scratch/trained")"
grep -q '^tiny  *100 pairs, 2 seeds; chosen [0-9.]* ± [0-9.]*; reported [0-9.]* ± [0-9.]*$' "$scratch/said" ||
    die "the means: $(cat "$scratch/said")"
python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$scratch/sizes/sizes.svg" || die sizes.svg

/usr/bin/python3 -c 'import torch' 2>/dev/null || { echo "skipped: the losses of PyTorch: needs python3-torch"; exit 0; }
agree() { # NAME flag ...
    out=$scratch/curves/$1
    shift
    scripts/dev/compare-curves "$out" --data "$scratch/corpus" --updates 20 --learn-rate 0.01 --tide "$tide" --threads 1 \
        --config "$scratch/smallest.conf" "$@" >"$scratch/said" 2>"$scratch/stderr" ||
        die "$*: it exited $?: $(tail -n 3 "$scratch/said" "$scratch/stderr")"
    awk -F'\t' 'NR > 1 && ($3 - $4) ^ 2 < 1e-20 { n++ } END { exit n != 20 }' "$out/curves.tsv" ||
        die "$*: the losses: $(cat "$out/curves.tsv")"
}
agree rnnsearch --dim-maxout 12 --tied-embeddings on --readout-state prev
agree transformer --arch transformer --heads 2 --dim-ffn 16
