#!/bin/sh
# tide info, and what a model says about itself.
. "$(dirname "$0")/../lib/common.inc"
cut -f2 "$scratch/dev.tsv" >"$scratch/dev.zh"
cut -f1 "$scratch/dev.tsv" >"$scratch/dev.en"

# what a model says about itself is kept: by a training that continues, by tune, by a training that starts from it
smallest_run "$scratch/about" --after-batches 2 --title 'A title' --licence 'CC BY 2.0 FR'
smallest_run "$scratch/about" --after-batches 4 --corpora 'Tatoeba' --title 'Another "title"'
tide_ok tune "$scratch/about" --src "$scratch/dev.zh" --ref "$scratch/dev.en" --output "$scratch/about-tuned" --beam-sizes 1
smallest_run "$scratch/about-more" --after-batches 2 --pretrained-model "$scratch/about-tuned"
for run in about about-tuned about-more; do
    tide_ok info "$scratch/$run" | head -n 3 >"$scratch/said"
    printf 'title: Another "title"\ncorpora: Tatoeba\nlicence: CC BY 2.0 FR\n' | cmp - "$scratch/said" || die "$run: $(cat "$scratch/said")"
done
tide_ok info "$scratch/about" | grep '^encoder.fwd.W *\[12, 60\]' >/dev/null || die "info"
refused 2 'licence must be one line' train --tsv "$scratch/train.tsv" --model "$scratch/none" --licence "$(printf 'a\nb')"
