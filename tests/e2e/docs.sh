#!/bin/sh
# Runs scripts/dev/docs-check on the documents: commands run, and print what the page shows, unless it depends on the model;
# links, pictures, flags and other names exist. Then checks that each of these checks can fail.
. "$(dirname "$0")/../lib/common.inc"

TIDE=$tide scripts/dev/docs-check >"$scratch/said" 2>&1 || die "$(cat "$scratch/said")"
grep '^skipped: ' "$scratch/said"

# ---- a small tree without errors ----

mkdir -p "$scratch/tree/docs" "$scratch/tree/scripts" "$scratch/tree/models"
cp "$scratch/smallest.conf" "$scratch/tree/models/tiny.conf"
echo 'cp "$1" curve.svg # --rounds' >"$scratch/tree/scripts/draw"
cat >"$scratch/tree/scripts/demo" <<END
#!/bin/sh
cd "\$(dirname "\$0")/.." && build/tide train --preset tiny --tsv $scratch/train.tsv --valid-tsv $scratch/dev.tsv \\
    --after-batches 2 --model models/demo && echo scripts/demo >models/demo/made-by
END
chmod +x "$scratch/tree/scripts/demo"
echo 'all: draw' >"$scratch/tree/Makefile"
touch "$scratch/tree/docs/curve.svg" "$scratch/tree/docs/other.svg"
cat >"$scratch/tree/README.md" <<'PAGE'
# A page
[Here](#a-page), [there](docs/guide.md#第一步从头开始-1), [a file](models/tiny.conf),
[elsewhere](https://example.org/#x) and [by reference][ref].

[ref]: docs/guide.md#add-an-op--or-two "a title"

![a curve](docs/curve.svg)

<!-- made by scripts/draw -->
| ![another](docs/other.svg) |
|---|

`tide align MODEL --format pharaoh\|soft`, `make all`, --beam-size 5, `--dim-*`, `scripts/draw --rounds 3`, `--rounds`,
`--preset tiny`, `dim-emb = 12`, `git clone --depth 1`, `-O3`, `tide bleu REF -lc`, `scripts/d*`.
<!-- check: not tide's: -O3 -->

```console
$ echo 潮水退了。 | tide translate models/demo \
      --beam-size 1 >translated
The tide
$ test -s translated && build/tide attend --model models/demo --words 潮 水 | head -n 1
…
```

<!-- check: varies [0-9]+ s, -->
```
$ printf '1\n2\n3\n4\n5 s, 6\n'
1
…
3
…
7 s, …
$ printf '1\n2\n' && echo 'a message' >&2
1
2
$ printf '1\n2\n' && echo 'a message' >&2; \
      echo 'no output' >&2
a message
no output
1
2
$ seq 100
…
98
99
…
$ echo no output >&2
```

<!-- check: needs no-such-program -->
```
no-such-program
```

<!-- check: after cp translated again -->
<!-- check: status 1 -->
```
cmp translated again    # the same
build/tide bleu none </dev/null
```

<!-- check: no, there is no such thing -->
```sh
build/tide train --preset tiny --model models/demo --tsv none.tsv
```

<!-- check: soak -->
```
$ cat models/demo/made-by
scripts/demo
```

```
$ build/tide serve models/demo
$ curl -s http://127.0.0.1:5000/health
{"status":"no"}
```

<!-- check: soak -->
```sh
build/tide info models/demo | head -n 1 >first; ! test -s first
```

```conf
learn-rate = 0.1    # a tenth
```

```text
$ no command, --no-flag, [no link](none.md)
```
PAGE
cat >"$scratch/tree/docs/guide.md" <<'PAGE'
## 第一步：从头开始！
## 第一步：从头开始！
## Add an `op` – or *two*
[Back](../README.md#a-page "the first page")
PAGE
check() { TIDE=$tide scripts/dev/docs-check "$@" "$scratch/tree" >"$scratch/said" 2>&1; }
check || die "errors in a correct tree: $(cat "$scratch/said")"
serving=1 # a server can run
command -v curl >/dev/null && [ -e "$(dirname "$(readlink -f "$tide")")/tide-serve" ] || serving=0
counts="$((3 + serving)) blocks ran, 2 only with --soak, 1 never; the output of 5 commands compared"
grep -qx "2 pages: 6 links, 2 pictures, $counts" "$scratch/said" ||
    die "wrong counts: $(cat "$scratch/said")"
grep -qx 'skipped: README.md:[0-9]*: needs no-such-program' "$scratch/said" || die "a missing program: $(cat "$scratch/said")"

# with --soak all blocks run, and the output of models is compared
check --soak && die "--soak does not run what is marked"
grep '^README.md:' "$scratch/said" >"$scratch/found"
[ $serving = 1 ] || sed -i '1a README.md:76: the page shows: {"status":"no"}' "$scratch/found"
diff - "$scratch/found" <<'FOUND' || die "not the expected errors: $(cat "$scratch/said")"
README.md:20: nothing more is printed, but the page shows: The tide
README.md:76: the page shows: {"status":"no"}
README.md:80: the block ends with exit status 1
FOUND

# ---- the same tree with one line for each kind of error ----

cat >>"$scratch/tree/README.md" <<'PAGE'
[1](none.md) [2](docs/guide.md#none) [3](#none)
![4](docs/none.svg)
![5](models/tiny.conf)
<!-- made by scripts/none -->
![6](docs/curve.svg)

`--none` `tide bleu --beam-size` `tide none` `make none` `scripts/draw --none` `--preset none` `no-such = 1` `-x` `src/none.c`
`--none-*` `scripts/none --rounds` --nor-this

```
$ printf '1\n2\n3\n'
1
3
$ printf '1\n2\n'
1
$ echo 1
1
2
$ echo 1
$ printf '1\n2\n3\n'
…
2
1
…
$ printf '1\n2\n3\n'
…
1
2
$ echo 12 s, 3
… m, …
$ echo a message >&2
another message
```

```
build/tide translate models/demo --none </dev/null
```

```
build/tide bleu none </dev/null | cat
```

```
no-such-program
```

```
sudo make install
```

```ini
no-such = 1
```

<!-- check: slow -->

<!-- check: soak -->
No block.
PAGE
check && die "a page with every kind of error passes"
grep '^README.md:' "$scratch/said" >"$scratch/found"
diff - "$scratch/found" <<'FOUND' || die "not the expected errors: $(cat "$scratch/said")"
README.md:145: scripts/dev/docs-check does not know the mark `check: slow`
README.md:147: a mark without a block after it
README.md:91: the link none.md: there is no none.md
README.md:91: the link docs/guide.md#none: docs/guide.md has no heading #none
README.md:91: the link #none: README.md has no heading #none
README.md:92: the picture docs/none.svg: there is no docs/none.svg
README.md:92: the picture docs/none.svg: no script makes it
README.md:93: the picture models/tiny.conf: no script makes it
README.md:95: the picture docs/curve.svg is made by scripts/none, which is not in scripts/
README.md:126: tide translate has no flag --none
README.md:138: make has no target install
README.md:142: there is no option no-such
README.md:97: make has no target none
README.md:97: no command, and no script that the page names, has the flag --none
README.md:97: no command, and no script that the page names, has the flag -x
README.md:97: scripts/draw has no flag --none
README.md:97: there is no option no-such
README.md:97: there is no preset none
README.md:97: tide bleu has no flag --beam-size
README.md:97: tide has no command none
README.md:98: no command, and no script that the page names, has the flag --none-
README.md:98: no command, and no script that the page names, has the flag --nor-this
README.md:98: there is no scripts/none
README.md:97: there is no src/none.c
README.md:103: the page shows: 3
README.md:104: the page does not show what is printed: 2
README.md:108: nothing more is printed, but the page shows: 2
README.md:109: the page does not show what is printed: 1
README.md:112: this is not printed: 2
README.md:117: the page shows: 1
README.md:120: the page shows: … m, …
README.md:122: the page shows: another message
README.md:125: the block ends with exit status 2
README.md:129: tide bleu ends with exit status 1
README.md:133: a command of the block does not exist (other text is ```text)
README.md:137: the block changes the machine or needs the network: mark it `check: no, REASON`
FOUND

# ---- scripts/dev/redraw-alignments ----

smallest_run "$scratch/run" --after-batches 4
echo '猫 & <狗>' | "$tide" translate "$scratch/run" --heatmap "$scratch/pictures" >"$scratch/translated" || die "translate"
sed 's|\( font-size="20"[^>]*>\)[^<]*|\1An older one.|' "$scratch/pictures/0001.svg" >"$scratch/picture.svg"
TIDE=$tide scripts/dev/redraw-alignments "$scratch/run" "$scratch/picture.svg" "$scratch/picture.svg" >"$scratch/said" ||
    die "redraw-alignments"
cmp "$scratch/picture.svg" "$scratch/pictures/0001.svg" || die "the picture is not drawn from its title"
sort -u "$scratch/said" | cmp - "$scratch/translated" || die "the translations: $(cat "$scratch/said")"
