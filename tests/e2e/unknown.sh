#!/bin/sh
# Unknown words, and Han characters in English: what a trained model writes with and without the flags.
. "$(dirname "$0")/../lib/common.inc"

# The model learns to copy sentences. A third of their words are names, almost all different, so the vocabularies have none
# of them. Dropout is needed: without it the attention may read the neighbour of a name, which also tells its position.
awk 'BEGIN { srand(5); for (n = 0; n < 2000; n++) { x = ""; m = 3 + int(rand() * 5)
    for (k = 0; k < m; k++) x = x " " (rand() < 0.35 ? "N" int(rand() * 900) : substr("abcdef", 1 + int(rand() * 6), 1))
    print substr(x, 2) } }' >"$scratch/x"
head -n 1900 "$scratch/x" >"$scratch/train"
tail -n 100 "$scratch/x" >"$scratch/dev"
cat >"$scratch/copy.conf" <<CONF
tokenizer = none none
dim-vocabs = 10 10
dim-emb = 24
dim-rnn = 48
dim-att = 32
dim-maxout = 24
dropout-emb = 0.2
dropout-annotation = 0.3
learn-rate = 0.005
mini-batch = 32
CONF
tide_ok train --train-sets "$scratch/train" "$scratch/train" --valid-sets "$scratch/dev" "$scratch/dev" \
    --config "$scratch/copy.conf" --model "$scratch/copy" --after-batches 1200 --valid-freq 400
translate() { tide_ok translate "$scratch/copy" "$@" <"$scratch/dev"; }
equal() { paste -d'|' "$1" "$2" | awk -F'|' '$1 == $2' | wc -l; }

translate >"$scratch/banned"
grep -q '<' "$scratch/banned" && die "without the flag: $(grep '<' "$scratch/banned" | head -n 1)"
# names are in no translation, but a sentence that has nothing else is copied
paste -d'|' "$scratch/dev" "$scratch/banned" | awk -F'|' '{ only = $1 !~ /[a-f]/; only_names += only; copied += only && $1 == $2 }
    ($2 ~ /N/) != only { bad = $0 } END { if (bad || !only_names || copied != only_names) { print bad; exit 1 } }' ||
    die "without the flag: $(grep N "$scratch/banned" | head -n 3)"
translate --replace-unk >"$scratch/copied"
right=$(equal "$scratch/copied" "$scratch/dev")
[ "$right" -ge 90 ] || die "only $right of 100 sentences were copied with their names: $(cat "$scratch/stderr")"
translate --replace-unk --mini-batch 1 --threads 1 | cmp - "$scratch/copied" || die "replacing depends on the batch"

# A lexicon with some of the names, and an entry for two words.
awk '{ for (k = 1; k <= NF; k++) if ($k ~ /^N.*[0-4]$/) print $k "\t[" $k "]" }' "$scratch/dev" | sort -u >"$scratch/lexicon"
two=$(awk '$1 == "a" && $2 ~ /^N.*[0-4]$/ { print "a " $2; exit }' "$scratch/dev")
printf '\n%s\tTWO\n' "$two" >>"$scratch/lexicon"
sed 's/N[0-9]*[0-4]\b/[&]/g; '"s/^a \[${two#a }\]/TWO/" "$scratch/dev" >"$scratch/named"
translate --replace-unk --lexicon "$scratch/lexicon" >"$scratch/out"
right=$(equal "$scratch/out" "$scratch/named")
[ "$right" -ge 85 ] || die "only $right of 100 sentences hold what the lexicon says"
grep -q '^a TWO' "$scratch/out" || die "the longer entry '$two' was not used"

# The alignment is still that of the pieces; unknown words are also replaced in n-best lists.
translate --replace-unk --alignment hard --heatmap "$scratch/svg" | sed 's/ |||.*//' | cmp - "$scratch/copied" ||
    die "--alignment changes the text"
grep -q "unk" "$scratch"/svg/*.svg || die "the heatmap does not show what the model wrote"
translate --replace-unk --n-best 2 --beam-size 5 | awk -F' [|][|][|] ' '$1 != last || NR == 1 { print $2; last = $1 }' |
    cmp - "$scratch/copied" || die "n-best begins otherwise"

refuses() {
    "$tide" translate "$@" </dev/null >"$scratch/stdout" 2>"$scratch/stderr"
    got=$?
    [ $got = "$status" ] || die "translate $*: exit $got"
    grep -q -- "$why" "$scratch/stderr" || die "translate $*: $(cat "$scratch/stderr")"
}
printf 'a\tb\nno tab\n' >"$scratch/broken"
status=2 why='--lexicon needs --replace-unk' && refuses "$scratch/copy" --lexicon "$scratch/lexicon"
status=1 why='broken:2: ' && refuses "$scratch/copy" --replace-unk --lexicon "$scratch/broken"
status=1 why='missing: No such file' && refuses "$scratch/copy" --replace-unk --lexicon "$scratch/missing"

# English with Han characters: the model learns them, but writes them, also in validations, only if a flag allows it.
awk 'BEGIN { srand(6); split("山 水 火 木 海", han, " "); split("see want know", verb, " "); split("看见 想要 知道", zh, " ")
    for (n = 0; n < 400; n++) { h = han[1 + int(rand() * 5)]; v = 1 + int(rand() * 3); print "I " verb[v] " the " h ".\t我" zh[v] h "。" } }' \
    >"$scratch/han.tsv"
has_han() { grep -q '[山水火木海]' "$1"; }
cp "$scratch/han.tsv" "$scratch/train.tsv"
head -n 40 "$scratch/han.tsv" >"$scratch/dev.tsv"
cut -f2 "$scratch/dev.tsv" >"$scratch/dev.zh"
sed -i "s|valid-freq = 12|valid-freq = 200|; s|dropout.*||" "$scratch/smallest.conf"
for batches in 200 400; do # the second training continues from a checkpoint
    smallest_run "$scratch/han" --after-batches $batches --probe '我看见海。'
    grep -q "hold Han characters and are banned: 'en'" "$scratch/stderr" || die "no word of Han: $(cat "$scratch/stderr")"
    grep -- '-> ' "$scratch/stderr" >"$scratch/examples" || die "no examples: $(cat "$scratch/stderr")"
    has_han "$scratch/examples" && die "validation writes Han: $(cat "$scratch/examples")"
done
sed 's/.*"target": //' "$scratch/han/align/00000400.json" >"$scratch/probes"
has_han "$scratch/probes" && die "a probe was read as Han: $(cat "$scratch/probes")"
tide_ok translate "$scratch/han" --beam-size 12 --n-best 12 <"$scratch/dev.zh" >"$scratch/out"
has_han "$scratch/out" && die "Han in English: $(grep '[山水火木海]' "$scratch/out" | head -n 1)"
tide_ok translate "$scratch/han" --allow-han <"$scratch/dev.zh" >"$scratch/out"
has_han "$scratch/out" || die "--allow-han writes no Han: $(head -n 3 "$scratch/out")"

smallest_run "$scratch/encdec" --after-batches 4 --attention none
status=2 why='replace-unk needs a model with attention' && refuses "$scratch/encdec" --replace-unk
