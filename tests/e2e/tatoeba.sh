#!/bin/sh
# scripts/tatoeba: an index of pairs of the starter corpus in place of Tatoeba's; they are found again in files of all forms,
# among other sentences. Then lines that are missing, texts with the same hash, bad input and a damaged index.
. "$(dirname "$0")/../lib/common.inc"
needs python3
script=$PWD/scripts/tatoeba
mkdir "$scratch/bin"
printf '#!/bin/sh\nexec %s "s/門/门/g; $EXTRA"\n' "$(command -v sed)" >"$scratch/bin/opencc"
chmod +x "$scratch/bin/opencc"
python=$(python3 -c "import sys; print(sys.executable)") path=$scratch/bin
tatoeba() { PATH=$path "$python" -S "$script" "$@"; } # -S: the standard library alone

# ---- corpus/tatoeba.index ----

index=corpus/tatoeba.index
[ "$(wc -c <$index)" -le 500000 ] || die "$index has $(wc -c <$index) bytes"
for file in train.zh train.en dev.zh dev.en mono.en; do
    sum=$(sed -n "s/^\([0-9a-f]\{64\}\)  $file\$/\1/p" docs/results.md)
    sed -n 2p $index | grep -aqF "${sum:-none}" || die "$index and docs/results.md have other sums of $file"
done

# ---- an index of 2,000 + 100 pairs and 500 sentences, and files to find them in ----

cat >"$scratch/make.py" <<'END'
import bz2, gzip, hashlib, io, random, sys, tarfile, zipfile

out = sys.argv[1]
pairs = [tuple(line.rstrip("\n").split("\t")) for line in open("corpus/train.tsv", encoding="utf-8")]
train, dev, others = pairs[:2000], pairs[2000:2100], pairs[2100:]
mono, noise = [en for en, _ in others[:500]], others[500:]
train[0] = "A gate.", "門。"  # opencc changes it, but the text that is to be found has it


def save(name, rows):
    with open(f"{out}/{name}", "w", encoding="utf-8") as file:
        file.writelines("\t".join(row) + "\n" for row in rows)


for name, rows in ("train", train), ("dev", dev):
    save(f"right/{name}.zh", ([zh] for _, zh in rows))
    save(f"right/{name}.en", ([en] for en, _ in rows))
save("right/mono.en", ([en] for en in mono))


def hash_of(text, bits):
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) >> (256 - bits)


# A pair that is not in train, and has the hash of one that is: its line is `line`, from 1.
hashes = {hash_of(f"{zh}\t{en}", 25): i for i, (en, zh) in enumerate(train, 1)}
decoy = next(n for n in range(10**9) if hash_of(f"第{n}句。\tNo. {n}", 25) in hashes)
line = hashes[hash_of(f"第{decoy}句。\tNo. {decoy}", 25)]
print(line)
save("decoy.txt", [(f"No. {decoy}", f"第{decoy}句。", "nobody")])
last = (line - 1) // 64 * 64 + 1 + (line % 64 == 1)  # another line of the same block
save("cut", [(str(line), str(last))])

# Each line stands in one of the forms; spaces are doubled in some, and characters traditional in others. Text of other
# languages is beside it.
shuffled = train + dev + noise
random.Random(1).shuffle(shuffled)
lists, exported, tests, linked = (shuffled[i::4] for i in range(4))
german = [(en, "Eins.", "CC-BY 2.0") for en in mono[250:]]
save("cmn.txt", [(en.replace(" ", "  "), zh, "CC-BY 2.0") for en, zh in lists] + german)
with zipfile.ZipFile(f"{out}/cmn-eng.zip", "w") as archive:
    archive.writestr("_about.txt", "About this file.\n")
    archive.write(f"{out}/cmn.txt", "cmn.txt")
with gzip.open(f"{out}/exported.tsv.gz", "wt", encoding="utf-8-sig") as file:
    file.writelines(f"{n}\t{zh}\t{n + 1}\t{en}\r\n" for n, (en, zh) in enumerate(exported))
save("test.txt", (("eng", "cmn_Hant", en, zh.replace("门", "門")) for en, zh in tests))
english = [en for en, _ in linked] + mono[:250]
rows = [f"{n}\teng\t{en}\n" for n, en in enumerate(english)] + ["7000000\tdeu\tEins.\n", "7000001\t\\N\t不。\n"]
random.Random(2).shuffle(rows)
with bz2.open(f"{out}/eng_sentences.tsv.bz2", "wt", encoding="utf-8") as file:
    file.writelines(rows)
languages = [("cmn", "yue")[n % 2] for n in range(len(linked))]
chinese = [(str(5000000 + n), languages[n], zh, "someone", "date", "date") for n, (_, zh) in enumerate(linked)]
save("cmn_sentences.tsv", chinese)
links = [(5000000 + n, n) for n in range(len(linked))]
data = "".join(f"{a}\t{b}\n{b}\t{a}\n" for a, b in links + [(7000000, 1)]).encode()
with tarfile.open(f"{out}/links.tar.bz2", "w:bz2") as tar:
    member = tarfile.TarInfo("links.csv")
    member.size = len(data)
    tar.addfile(member, io.BytesIO(data))
END
mkdir "$scratch/right" "$scratch/bad"
line=$(python3 "$scratch/make.py" "$scratch") || die "make.py"
tatoeba --make-index "$scratch/right" "$scratch/index" || die "--make-index"

# found OUT FILE ...: runs scripts/tatoeba; its exit status
found() {
    out=$scratch/$1
    shift
    tatoeba --index "$scratch/index" "$out" "$@" >"$out.said" 2>"$out.stderr"
}
files="$scratch/links.tar.bz2 $scratch/cmn-eng.zip $scratch/exported.tsv.gz $scratch/test.txt $scratch/cmn_sentences.tsv
$scratch/eng_sentences.tsv.bz2"
# shellcheck disable=SC2086 # a list
found all $files "$scratch/decoy.txt" || die "not all were found: $(cat "$scratch/all.said" "$scratch/all.stderr")"
diff -r "$scratch/right" "$scratch/all" || die "other files than those of the index"
[ ! -s "$scratch/all.stderr" ] || die "a message: $(cat "$scratch/all.stderr")"
diff - "$scratch/all.said" <<SAID || die "the counts"
train.zh and train.en: 2,000 of 2,000 lines, the right SHA-256
dev.zh and dev.en: 100 of 100 lines, the right SHA-256
mono.en: 500 of 500 lines, the right SHA-256
SAID

# ---- lines that are missing ----

# pairs SED: the pairs of train, without the lines that sed deletes, as a list
pairs() { paste "$scratch/right/train.en" "$scratch/right/train.zh" | sed "$1"; }
differ="figures will differ from those of docs/results.md"
# without OUT LINES COUNT: train has all lines except LINES, as sed's commands delete them
without() {
    for side in zh en; do sed "$2" "$scratch/right/train.$side" | cmp - "$scratch/$1/train.$side" || die "$1: train.$side"; done
    grep -qx "train.zh and train.en: $3 of 2,000 lines" "$scratch/$1.said" || die "$1: $(cat "$scratch/$1.said")"
}
pairs '3d; 1999d' >"$scratch/pairs.txt"
found part "$scratch/pairs.txt" && die "an incomplete text has exit status 0"
without part '3d; 1999d' 1,998
grep -qx "scripts/tatoeba: train.zh and train.en: without 2 lines, not found or not certain (3, 1999 of the complete file); $differ" \
    "$scratch/part.stderr" || die "$(cat "$scratch/part.stderr")"
grep -qx "scripts/tatoeba: mono.en: without 500 lines, .* (1, 2, 3, 4, 5, … of the complete file); $differ" "$scratch/part.stderr" ||
    die "$(cat "$scratch/part.stderr")"
[ -e "$scratch/part/mono.en" ] && [ ! -s "$scratch/part/mono.en" ] || die "no empty mono.en"

# Of two texts with the same hash, none is taken if another line of the block is missing. If only the right one of the two is
# missing, the other takes its place, and the SHA-256 tells.
near=$(cut -f 2 "$scratch/cut")
pairs "${near}d" >"$scratch/pairs.txt"
found choice "$scratch/pairs.txt" "$scratch/decoy.txt" && die "a choice without the block has exit status 0"
without choice "${near}d; ${line}d" 1,998
pairs "${line}d" >"$scratch/pairs.txt"
found wrong "$scratch/pairs.txt" "$scratch/decoy.txt" && die "another text with the same hash has exit status 0"
grep -q "^scripts/tatoeba: train.zh and train.en: a line has another text with the same hash; $differ" "$scratch/wrong.stderr" ||
    die "$(cat "$scratch/wrong.stderr")"
[ "$(sed -n "${line}p" "$scratch/wrong/train.en")" = "$(cut -f 1 "$scratch/decoy.txt")" ] || die "no text with the same hash"

# Without opencc, traditional text is not found, and a message says why; an opencc that fails ends the script.
traditional=$(grep -c 門 "$scratch/test.txt")
[ "$traditional" -gt 5 ] || die "$traditional traditional lines"
export EXTRA=1d
# shellcheck disable=SC2086
found none $files && die "opencc wrote too few lines"
grep -q '^scripts/tatoeba: opencc: exit status 0, [0-9]* lines of [0-9]*$' "$scratch/none.stderr" || die "$(cat "$scratch/none.stderr")"
unset EXTRA
path=$scratch/none
# shellcheck disable=SC2086
found plain $files && die "traditional text was found without opencc"
path=$scratch/bin
[ "$(tail -n 1 "$scratch/plain.stderr")" = "scripts/tatoeba: opencc is not installed, so traditional characters were not changed" ] ||
    die "$(cat "$scratch/plain.stderr")"
[ "$(cat "$scratch/plain"/*.zh | wc -l)" -lt 2100 ] || die "all was found without opencc"

# ---- bad input ----

# bad MESSAGE FILE ...: the files are refused with this line alone, and nothing is written
bad() {
    message="scripts/tatoeba: $1"
    shift
    found none "$@"
    [ $? = 1 ] && [ "$(cat "$scratch/none.stderr")" = "$message" ] || die "not '$message': $(cat "$scratch/none.stderr")"
    [ ! -e "$scratch/none" ] || die "written before the error"
}
cd "$scratch/bad" || exit 1
printf 'No.\t不。\nYes.\n' >columns
printf 'one column\n' >form
printf 'No.\t不。\n\377\t是。\n' >bytes
: >empty
head -c 9000 "$scratch/eng_sentences.tsv.bz2" >cut.bz2
bad "columns:2: not the columns of the first line" "$scratch/cmn.txt" columns
bad "form:1: no sentence pair, sentence or link of a known form; scripts/tatoeba --help lists them" form
bad "bytes:2: no UTF-8" bytes
bad "empty: an empty file" empty
bad "missing: No such file or directory" missing
bad "cut.bz2: Compressed file ended before the end-of-stream marker was reached" cut.bz2
(cd "$scratch" && python3 -m zipfile -c bad/two.zip test.txt cmn.txt)
bad "two.zip: 2 texts in the archive, not one" two.zip

# ---- a damaged index, and texts that cannot be found again ----

cp "$scratch/index" "$scratch/whole"
{ head -c 3000 "$scratch/whole"; printf x; tail -c +3002 "$scratch/whole"; } >"$scratch/index"
cmp -s "$scratch/index" "$scratch/whole" && die "the damage is none"
bad "$scratch/index: damaged, or no index of scripts/tatoeba" "$scratch/cmn.txt"

cp "$scratch/right"/* .
sed -i '7s/ /  /' mono.en
said=$(tatoeba --make-index . made 2>&1) && die "an index of text that cannot be found again"
[ "$said" = "scripts/tatoeba: ./mono.en:7: empty, or spaces and characters that scripts/tatoeba would change" ] || die "$said"
sed -i 1d dev.en
said=$(tatoeba --make-index . made 2>&1) && die "sides of other lengths"
[ "$said" = "scripts/tatoeba: .: dev.zh and dev.en have 100 and 99 lines" ] || die "$said"
[ ! -e made ] || die "an index was written"
tatoeba out >/dev/null 2>&1
[ $? = 2 ] || die "no usage without files"
