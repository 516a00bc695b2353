#!/bin/sh
# tide lexicon: aligns a corpus and new text; its links, lexicon and priors are read by other commands; the same bits for
# any number of threads; bad input is refused and destroys nothing.
. "$(dirname "$0")/../lib/common.inc"

lexicon() { tide_ok lexicon --samplers 2 --sweeps 10 "$@"; }

# Each source word has one translation; the target has a reversed order of neighbours and some words without a source.
awk -v D="$scratch" 'BEGIN { srand(4); for (k = 0; k < 400; k++) { n = 2 * int(2 + 3 * rand()); zh = en = links = ""
    for (i = 0; i < n; i++) w[i] = int(50 * rand())
    for (i = 0; i < n; i++) { j = i % 2 ? i - 1 : i + 1; zh = zh " S" w[i]; en = en " t" w[j]; links = links " " j "-" i }
    if (k % 2) en = en " the"
    print substr(zh, 2) >D "/zh"; print substr(en, 2) >D "/en"; print substr(links, 2) >D "/gold" } }'
lexicon --train-sets "$scratch/zh" "$scratch/en" --units given given --output "$scratch/out"
grep -q '^400 of 400 pairs aligned$' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
aer=$(tide_ok aer "$scratch/gold" <"$scratch/out/links" | sed 's/AER = \(0\.0[0-9]*\) .*/good/')
[ "$aer" = good ] || die "a dictionary is not found: $aer"
[ "$(awk -F'\t' '$3 > 0.9 && "t" substr($1, 2) == $2' "$scratch/out/lexicon.tsv" | wc -l)" = 50 ] ||
    die "the lexicon: $(cat "$scratch/out/lexicon.tsv")"

# New text: its links are those of the dictionary; a line for each pair, also for those without text
{ head -n 20 "$scratch/zh"; echo; echo 'S1 new S2'; } >"$scratch/new.zh"
{ head -n 20 "$scratch/en"; echo 't1'; echo; } >"$scratch/new.en"
lexicon --priors "$scratch/out/priors.tsv" --src "$scratch/new.zh" --tgt "$scratch/new.en" >"$scratch/new.links"
grep -q '^20 of 22 pairs aligned; 2 have an empty side$' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
[ "$(tail -n 2 "$scratch/new.links" | tr '\n' x)" = xx ] && [ "$(wc -l <"$scratch/new.links")" = 22 ] || die "$(cat "$scratch/new.links")"
head -n 20 "$scratch/gold" >"$scratch/new.gold"
head -n 20 "$scratch/new.links" | tide_ok aer "$scratch/new.gold" | grep -q '^AER = 0\.0' || die "new text: $(cat "$scratch/new.links")"

sed 's/$/\r/' "$scratch/out/priors.tsv" >"$scratch/crlf.tsv"
lexicon --priors "$scratch/crlf.tsv" --src "$scratch/new.zh" --tgt "$scratch/new.en" | cmp - "$scratch/new.links" ||
    die "priors with line ends of Windows give other links"

# Any number of threads gives the same bytes; another seed and priors of other text give others.
of_corpus() { lexicon --tsv "$scratch/train.tsv" --output "$@"; }
of_corpus "$scratch/one" --threads 1
of_corpus "$scratch/three" --threads 3
of_corpus "$scratch/seed" --seed 2
of_corpus "$scratch/pieces" --units piece piece --bpe-merges 300 300 --symmetrize grow-diag-final-and
of_corpus "$scratch/more" --priors "$scratch/one/priors.tsv" --symmetrize soft --threshold 0.2
for file in links lexicon.tsv priors.tsv; do
    cmp "$scratch/one/$file" "$scratch/three/$file" || die "the number of threads changes $file"
    [ "$(wc -c <"$scratch/one/$file")" -gt 1000 ] || die "$file is almost empty"
done
cmp -s "$scratch/one/priors.tsv" "$scratch/seed/priors.tsv" && die "the seed does nothing"
[ "$(sed -n '/^# source merges/,/^# target merges/p' "$scratch/pieces/priors.tsv" | wc -l)" -gt 100 ] || die "no merges"
lexicon --priors "$scratch/pieces/priors.tsv" --src "$scratch/zh" --tgt "$scratch/en" >"$scratch/new.links"
grep -q '0-' "$scratch/new.links" || die "no links of pieces"

of_corpus "$scratch/prefix" --units char prefix
grep -q '^# units char prefix$' "$scratch/prefix/priors.tsv" || die "the priors do not say their units"
new_text() { tide_ok lexicon --samplers 1 --priors "$scratch/prefix/priors.tsv" --src "$scratch/new.zh" --tgt "$scratch/new.en" "$@"; }
new_text >"$scratch/new.links"
new_text --sweeps 60 | cmp - "$scratch/new.links" || die "new text: the default is not 60 sweeps"
new_text --sweeps 20 | cmp -s - "$scratch/new.links" && die "the number of sweeps does nothing"

# The links guide a training, and the lexicon replaces unknown words.
tide_ok train --tsv "$scratch/train.tsv" --config "$scratch/smallest.conf" --model "$scratch/guided" --after-batches 2 \
    --guided-alignment "$scratch/one/links"
cut -f 2 "$scratch/dev.tsv" >"$scratch/dev.zh"
tide_ok translate "$scratch/guided" --replace-unk --lexicon "$scratch/one/lexicon.tsv" <"$scratch/dev.zh" >/dev/null

# Refusals. Files that exist stay as they are.
cp -r "$scratch/one" "$scratch/kept"
printf 'a\nb\n' >"$scratch/two"
echo x >"$scratch/oneline"
refused 1 'two:2: .*two has 2 lines but .*oneline has 1' lexicon --train-sets "$scratch/two" "$scratch/oneline" --output "$scratch/kept"
printf 'a\377\n' >"$scratch/broken"
refused 1 'broken:1: .*UTF-8' lexicon --train-sets "$scratch/broken" "$scratch/oneline" --output "$scratch/kept"
printf '\n' >"$scratch/blank"
refused 1 'no sentence pairs' lexicon --train-sets "$scratch/blank" "$scratch/oneline" --output "$scratch/kept"
refused 1 'blank/a/out: cannot be created: Not a directory' lexicon --train-sets "$scratch/zh" "$scratch/en" \
    --output "$scratch/blank/a/out"
refused 1 'links: is read, and would be overwritten' lexicon --train-sets "$scratch/kept/links" "$scratch/kept/links" --output "$scratch/kept"
printf '\357\273\277' >"$scratch/bad.tsv"
refused 1 'bad.tsv: file is empty' lexicon --priors "$scratch/bad.tsv" --src "$scratch/zh" --tgt "$scratch/en"
sed '5s/.*/x\ty/' "$scratch/one/priors.tsv" >"$scratch/bad.tsv"
refused 1 'bad.tsv:5: a line of this section must be' lexicon --priors "$scratch/bad.tsv" --src "$scratch/zh" --tgt "$scratch/en"
refused 1 'zh: no pair has text on both sides and at most 3 units' lexicon --train-sets "$scratch/zh" "$scratch/en" --units given given \
    --max-length 3 --output "$scratch/kept"
diff -r "$scratch/one" "$scratch/kept" || die "a refused command changed files"
refused 2 'exactly one of' lexicon --output "$scratch/x"
refused 2 'output is needed' lexicon --tsv "$scratch/train.tsv"
refused 2 'need --priors' lexicon --src "$scratch/zh" --tgt "$scratch/en"
refused 2 'need each other' lexicon --priors "$scratch/one/priors.tsv" --src "$scratch/zh"
refused 2 'bpe-merges must be between' lexicon --tsv "$scratch/train.tsv" --output "$scratch/x" --bpe-merges 1 -1
refused 2 'not .letter' lexicon --tsv "$scratch/train.tsv" --output "$scratch/x" --units char letter
refused 2 'threshold needs' lexicon --tsv "$scratch/train.tsv" --output "$scratch/x" --symmetrize union --threshold 0.3
refused 2 'contain the units' lexicon --tsv "$scratch/train.tsv" --output "$scratch/x" --priors "$scratch/one/priors.tsv" --units char char
[ ! -e "$scratch/x" ] || die "a usage error made a folder"

# Short pairs from a dictionary, as it is published and as npm has it
command -v python3 >/dev/null || { echo 'skipped: cedict-pairs: needs python3'; exit 0; }
cat >"$scratch/cedict.u8" <<'ENTRIES'
# CC-CEDICT
中國 中国 [Zhong1 guo2] /China/the Middle Kingdom (a name); CL:個|个[ge4]/
發火 发火 [fa1 huo3] /to see red; (fig.) to catch fire/one two three four five six/
徐 徐 [Xu2] /surname Xu/
徃 徃 [wang3] /old variant of 往[wang3]/to go/
ENTRIES
cat >"$scratch/all.js" <<'ENTRIES'
export default {"all":[["中國","中国","Zhong1 guo2",["China","the Middle Kingdom (a name); CL:個|个[ge4]"],[],[]],
["發火","发火","fa1 huo3",["to see red; (fig.) to catch fire","one two three four five six"],[],[]],
["徐","徐","Xu2","surname Xu",[],[]],["徃","徃","wang3",["old variant of 往[wang3]","to go"],[],["往"]]]};
ENTRIES
for form in cedict.u8 all.js; do
    scripts/cedict-pairs "$scratch/$form" | tr '\t\n' '= ' >"$scratch/short"
    [ "$(cat "$scratch/short")" = 'China=中国 Middle Kingdom=中国 catch fire=发火 go=徃 see red=发火 ' ] || die "$form: $(cat "$scratch/short")"
done
echo '中國 中国 /China/' >"$scratch/bad.u8"
scripts/cedict-pairs "$scratch/bad.u8" 2>"$scratch/stderr" && die 'a line that is no entry is read'
grep -q 'bad.u8:1: is not a line of CC-CEDICT$' "$scratch/stderr" || die "$(cat "$scratch/stderr")"
