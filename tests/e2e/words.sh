#!/bin/sh
# Tests on the command line: source characters with the larger pieces as source factors (--source-words).
. "$(dirname "$0")/../lib/common.inc"
cut -f2 "$scratch/dev.tsv" >"$scratch/zh"
smallest_run "$scratch/run" --after-batches 24 --source-words on --threads 1
grep -q 'source pieces in [0-9]* larger ones' "$scratch/stderr" || die "no note about larger pieces: $(cat "$scratch/stderr")"
smallest_run "$scratch/plain" --after-batches 24

# with a stop, and with another number of threads
smallest_run "$scratch/twice" --after-batches 9 --source-words on --threads 2
smallest_run "$scratch/twice" --after-batches 24 --source-words on --threads 2
same "$scratch/run" "$scratch/twice" "a source with words"

# the larger pieces have their own embeddings
tide_ok info "$scratch/run" >"$scratch/info"
grep -q '^encoder.E_word  *.[0-9]*, 12.$' "$scratch/info" && grep -q 'source pieces in [0-9]* larger ones' "$scratch/info" || die "no embeddings of words: $(cat "$scratch/info")"
tide_ok info "$scratch/plain" >"$scratch/info"
grep -q E_word "$scratch/info" && die "embeddings of words without --source-words"
tide_ok translate "$scratch/run" --alignment soft <"$scratch/zh" >"$scratch/translated"
[ "$(wc -l <"$scratch/translated")" = 12 ] || die "not every line is translated"

# the source pieces are the same with and without factors; alignments have a weight for each piece
tide_ok tokenize "$scratch/run" --side src <"$scratch/zh" >"$scratch/pieces"
tide_ok tokenize "$scratch/plain" --side src <"$scratch/zh" | cmp - "$scratch/pieces" || die "other pieces"
pieces=$(head -n 1 "$scratch/pieces" | wc -w)
head -n 1 "$scratch/translated" | sed 's/.* ||| //; s/ .*//' | awk -F, -v n="$((pieces + 1))" '{ exit NF != n }' ||
    die "not a weight for each of $pieces pieces and </s>"

# all models of an ensemble must read the same factors
refused 1 "^tide: $scratch/plain: its source pieces are not those of the first model" translate --models "$scratch/run" "$scratch/plain"
refused 1 "^tide: $scratch/run: its source pieces are not those of the first model" translate --models "$scratch/plain" "$scratch/run"
tide_ok translate --models "$scratch/run" "$scratch/twice" <"$scratch/zh" >/dev/null

# a training cannot change the option; other tokenizers do not have it, because their pieces are words already
refused 1 'source-words' train --tsv "$scratch/train.tsv" --valid-tsv "$scratch/dev.tsv" --config "$scratch/smallest.conf" \
    --model "$scratch/run" --after-batches 30 --source-words off
refused 1 'source-words on needs --tokenizer char for the source, not bpe' train --tsv "$scratch/train.tsv" \
    --config "$scratch/smallest.conf" --model "$scratch/bpe" --source-words on --tokenizer bpe bpe
word=$(head -n 1 "$scratch/pieces" | cut -d' ' -f1)
tide_ok attend --model "$scratch/run" --side src --words "$word" >/dev/null
