"""What a program of `make binaries` contains besides tide: the components, their licences, and the SBOM (SPDX 2.3)."""
import glob, hashlib, json, os, re, subprocess

# the components: name, kind, licence (an expression of SPDX), and the systems (folders of build/) that have it; None: all
#   source   a library that scripts/dev/libraries compiled from Debian's sources in build/SYSTEM/source
#   header   a library that is a header, of the installed package
#   musl     the C library, of the package in build/SYSTEM/musl
#   runtime  parts of the installed compiler and of its C library
#   zig      the compiler that scripts/dev/macos-compiler fetches, with its runtime
LINUX, MACOS, WINDOWS = ("static", "static-arm"), ("macos-arm", "macos-x86"), ("windows",)
GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"
COMPONENTS = (
    ("stb", "header", "MIT OR Unlicense", None),
    ("xxhash", "header", "BSD-2-Clause", None),
    ("utf8proc", "source", "MIT AND Unicode-DFS-2015", None),
    ("cjson", "source", "MIT", None),
    ("libmd", "source", "BSD-2-Clause AND BSD-3-Clause AND ISC AND Beerware", None),
    ("expat", "source", "MIT", None),
    ("libmicrohttpd", "source", "LGPL-2.1-or-later", None),
    ("musl", "musl", "MIT", LINUX),
    ("gcc", "runtime", GCC, LINUX + WINDOWS),
    ("mingw-w64", "runtime", "ZPL-2.1 AND MIT", WINDOWS),
    ("zig", "zig", "MIT", MACOS),
)
COMPILERS = {"static": "gcc", "static-arm": "aarch64-linux-gnu-gcc", "windows": "x86_64-w64-mingw32-gcc-posix"}


def output(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def installed(package, name):
    """A part of an installed package, which has its own version, that of its source, and the licences."""
    version, *source = output("dpkg-query", "-W", "-f", "${Version} ${source:Package} ${source:Version}", package).split()
    return {"name": name, "source": source, "version": version, "text": f"/usr/share/doc/{package.split(':')[0]}/copyright"}


def of_source(folder, name):
    (path,) = glob.glob(f"build/{folder}/source/{name}_*.dsc")
    lines = read(path).decode()
    (archive,) = re.findall(r"^ ([0-9a-f]{64}) \d+ \S+\.orig\.tar\.\w+$", lines, re.M)
    version = re.search(r"^Version: (\S+)$", lines, re.M)[1]
    (text,) = glob.glob(f"build/{folder}/source/{name}-*/debian/copyright")
    return {"name": name, "source": (name, version), "version": version, "text": text, "sha": ("SHA256", archive)}


def of_musl(folder):
    (package,) = glob.glob(f"build/{folder}/musl/musl-dev_*.deb")
    version = os.path.basename(package).split("_")[1]
    return {"name": "musl", "source": ("musl", version), "version": version,
            "text": f"build/{folder}/musl/usr/share/doc/musl-dev/copyright",
            "sha": ("SHA256", hashlib.sha256(read(package)).hexdigest())}


def of_runtime(folder, name):
    """The package of the file libgcc.a or of the C library that the compiler links."""
    library = output(COMPILERS[folder], "-print-file-name=" + {"gcc": "libgcc.a", "mingw-w64": "libmingw32.a"}[name])
    return installed(output("dpkg", "-S", os.path.realpath(library)).split(": ")[0], name)


def of_zig():
    script = read("scripts/dev/macos-compiler").decode()
    package, version = re.search(r"^package=(.*)@(.*)$", script, re.M).groups()
    return {"name": "zig", "npm": package, "version": version, "text": "build/zig/package/LICENSE", "sha": ("SHA512", re.search(r"^hash=(.*)$", script, re.M)[1])}


def components(folder):
    """The components of the programs in build/FOLDER: each has name, version, licence, and mostly source, text, sha."""
    of_kind = {"header": lambda name: installed(f"lib{name}-dev", name), "source": lambda name: of_source(folder, name),
               "musl": lambda _: of_musl(folder), "runtime": lambda name: of_runtime(folder, name), "zig": lambda _: of_zig()}
    return [{**of_kind[kind](name), "licence": licence} for name, kind, licence, systems in COMPONENTS
            if not systems or folder in systems]


def licences(found):
    """The texts of the licences, by the names of their files."""
    return {"LICENSE": read("LICENSE")} | {f"licences/{c['name']}.txt": read(c["text"]) for c in found}


def address(c):
    """The purl of a component: of a package of npm, or of a source of Debian."""
    if "npm" in c:
        return f"pkg:npm/{c['npm'].replace('@', '%40')}@{c['version']}"
    name, version = (part.replace("+", "%2B") for part in c["source"])
    return f"pkg:deb/debian/{name}@{version}?arch=source"


def package(c):
    checksum = {"checksums": [{"algorithm": c["sha"][0], "checksumValue": c["sha"][1]}]} if "sha" in c else {}
    return {"SPDXID": f"SPDXRef-{c['name']}", "name": c["name"], "versionInfo": c["version"], "filesAnalyzed": False,
            "downloadLocation": "NOASSERTION", "copyrightText": "NOASSERTION", "licenseConcluded": "NOASSERTION",
            "licenseDeclared": c["licence"], **checksum, "externalRefs": [
                {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": address(c)}]}


def sbom(system, version, created, programs, found):
    """The SBOM of a zip, as bytes. programs: names and bytes; created: a moment of the format that SPDX asks for."""
    tide = {"SPDXID": "SPDXRef-tide", "name": "tide", "versionInfo": version, "filesAnalyzed": False,
            "downloadLocation": "NOASSERTION", "copyrightText": "NOASSERTION", "licenseConcluded": "MIT",
            "licenseDeclared": "MIT", "primaryPackagePurpose": "APPLICATION", "comment": "\n".join(
                f"SHA-256 of {name}: {hashlib.sha256(bytes_).hexdigest()}" for name, bytes_ in sorted(programs.items()))}
    packages = [tide, *map(package, found)]
    unique = hashlib.sha256(json.dumps(packages).encode()).hexdigest()
    links = [{"spdxElementId": "SPDXRef-tide", "relationshipType": "STATIC_LINK", "relatedSpdxElement": p["SPDXID"]}
             for p in packages[1:]]
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"tide-{version}-{system}",
        "documentNamespace": f"https://spdx.org/spdxdocs/tide-{version}-{system}-{unique}",
        "creationInfo": {"created": created, "creators": ["Tool: tide/scripts/dev/binaries"]}, "packages": packages,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                           "relatedSpdxElement": "SPDXRef-tide"}, *links]}
    return (json.dumps(document, indent=2) + "\n").encode()
