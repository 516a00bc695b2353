#!/bin/sh
# The SBOM of a zip of `make binaries` (scripts/dev/sbom.py): it names every library that scripts/dev/libraries compiles, with
# the version and the hash of its source, and follows tests/fixtures/spdx.schema.json. The sources here are empty, apart from
# what the SBOM reads.
. "$(dirname "$0")/../lib/common.inc"
needs python3
# the versions of the compiler and of stb and xxhash are those of packages
for package in libstb-dev libxxhash-dev; do
    dpkg-query -W $package >/dev/null 2>&1 || { echo "needs the package $package"; exit 77; }
done
source=$scratch/build/static/source
mkdir -p "$source" "$scratch/build/static/musl/usr/share/doc/musl-dev"
libraries=$(sed -n 's/^for package in \(utf8proc .*\) "$@".*/\1/p' scripts/dev/libraries)
number=0
for library in $libraries expat libmicrohttpd; do
    number=$((number + 1))
    hash=$(echo "$library" | sha256sum | cut -d' ' -f1)
    mkdir -p "$source/$library-$number/debian"
    echo "licence of $library" >"$source/$library-$number/debian/copyright"
    printf 'Version: %s-1+x\nChecksums-Sha256:\n %s 10 %s_%s.orig.tar.xz\n' $number "$hash" "$library" $number \
        >"$source/${library}_$number.dsc"
done
[ $number -ge 5 ] || die "scripts/dev/libraries has other libraries: $libraries"
: >"$scratch/build/static/musl/musl-dev_1.2_amd64.deb"
echo 'licence of musl' >"$scratch/build/static/musl/usr/share/doc/musl-dev/copyright"
echo 'licence of tide' >"$scratch/LICENSE"
printf program >"$scratch/tide"

cat >"$scratch/write.py" <<'PROGRAM'
import sbom
found = sbom.components("static")
print(*sorted(sbom.licences(found)))
with open("sbom.json", "wb") as file:
    file.write(sbom.sbom("linux-x86_64", "1.2.3", "2026-01-02T03:04:05Z", {"tide": sbom.read("tide")}, found))
PROGRAM
here=$PWD
run() { # PROGRAM
    (cd "$scratch" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$here/scripts/dev" python3 "$1") >"$scratch/texts" 2>"$scratch/stderr"
}
run write.py || die "$(cat "$scratch/stderr")"
for library in $libraries expat libmicrohttpd musl gcc stb xxhash; do
    grep -q "licences/$library.txt" "$scratch/texts" || die "no licence of $library: $(cat "$scratch/texts")"
    grep -qx "      \"SPDXID\": \"SPDXRef-$library\"," "$scratch/sbom.json" || die "no $library: $(cat "$scratch/sbom.json")"
    case " $libraries expat libmicrohttpd " in
        *" $library "*) grep -q "$(echo "$library" | sha256sum | cut -d' ' -f1)" "$scratch/sbom.json" || die "no hash of $library" ;;
    esac
done
grep -q 'pkg:deb/debian/utf8proc@1-1%2Bx?arch=source' "$scratch/sbom.json" || die "no purl: $(cat "$scratch/sbom.json")"
grep -q "SHA-256 of tide: $(printf program | sha256sum | cut -d' ' -f1)" "$scratch/sbom.json" || die "no hash of tide"
cp "$scratch/sbom.json" "$scratch/first.json"
run write.py && cmp "$scratch/first.json" "$scratch/sbom.json" || die "another SBOM"

# the compiler for macOS
mkdir -p "$scratch/scripts/dev"
cp scripts/dev/macos-compiler "$scratch/scripts/dev"
echo 'import sbom; print(sbom.package({**sbom.of_zig(), "licence": "MIT"}))' >"$scratch/zig.py"
run zig.py && grep -q "'pkg:npm/%40[^@]*@[0-9].*'" "$scratch/texts" || die "zig: $(cat "$scratch/texts" "$scratch/stderr")"

# a source without its hash is an error
cp "$source/utf8proc_1.dsc" "$scratch/dsc"
sed -i '/orig.tar/d' "$source/utf8proc_1.dsc"
run write.py && die 'a source without a hash'
cp "$scratch/dsc" "$source/utf8proc_1.dsc"

python3 -c 'import jsonschema' 2>/dev/null || { echo 'skipped: the schema: needs python3-jsonschema'; exit 0; }
cat >"$scratch/check.py" <<'PROGRAM'
import copy, json, sys
import jsonschema
with open("sbom.json", encoding="utf-8") as file, open(sys.argv[1], encoding="utf-8") as schema:
    document, schema = json.load(file), json.load(schema)
jsonschema.validate(document, schema)
names = {p["SPDXID"] for p in document["packages"]}
linked = {r["relatedSpdxElement"] for r in document["relationships"]}
if names != linked or len(names) != len(document["packages"]):
    sys.exit(f"{names}, linked: {linked}")
for wrong in ({"packages": []}, {"spdxVersion": "SPDX-9"}, {"creationInfo": {"created": "today", "creators": ["Tool: x"]}}):
    try:
        jsonschema.validate({**copy.deepcopy(document), **wrong}, schema)
    except jsonschema.ValidationError:
        continue
    sys.exit(f"the schema permits {wrong}")
PROGRAM
(cd "$scratch" && python3 check.py "$here/tests/fixtures/spdx.schema.json") 2>"$scratch/stderr" || die "$(tail "$scratch/stderr")"
