"""usage: macos.py TBD PROGRAM: checks that a program for macOS is for macOS 12, uses no library but libSystem, that each name
that it needs is in TBD, the list of the names of libSystem, and that it is signed if it is for arm64, which runs nothing else."""
import re, struct, sys

SYMTAB, LOAD_DYLIB, CODE_SIGNATURE, BUILD_VERSION = 0x2, 0xC, 0x1D, 0x32
UNDEFINED, TYPE, STAB = 0x0, 0x0E, 0xE0


def commands(data):
    magic, _, _, _, count, _ = struct.unpack_from("<6I", data)
    assert magic == 0xFEEDFACF, "not a Mach-O file of 64 bits"
    at = 32
    for _ in range(count):
        kind, size = struct.unpack_from("<2I", data, at)
        yield kind & 0x7FFFFFFF, data[at : at + size]
        at += size


def names_needed(data, table):
    at, count, strings, _ = struct.unpack_from("<4I", table, 8)
    for i in range(count):
        name, kind = struct.unpack_from("<IB", data, at + 16 * i)
        if not kind & STAB and kind & TYPE == UNDEFINED:
            yield data[strings + name : data.index(b"\0", strings + name)].decode()


def main(tbd, path):
    with open(path, "rb") as file:
        data = file.read()
    with open(tbd, encoding="utf-8") as file:
        known = set(re.findall(r"[\w$.]+", file.read()))
    signed = version = None
    libraries, needed = [], set()
    for kind, command in commands(data):
        if kind == LOAD_DYLIB:
            libraries.append(command[struct.unpack_from("<I", command, 8)[0] :].split(b"\0")[0].decode())
        elif kind == CODE_SIGNATURE:
            signed = True
        elif kind == BUILD_VERSION:
            platform, least = struct.unpack_from("<2I", command, 8)
            version = (platform, least >> 16)
        elif kind == SYMTAB:
            needed.update(names_needed(data, command))
    assert libraries == ["/usr/lib/libSystem.B.dylib"], f"other libraries: {libraries}"
    assert version == (1, 12), f"not for macOS 12: {version}"
    assert signed or data[4:8] != b"\x0c\0\0\1", "for arm64, and not signed"
    assert len(needed) > 50, f"only {len(needed)} names are needed"
    missing = sorted(needed - known - {"dyld_stub_binder"})
    assert not missing, f"not in macOS 12: {' '.join(missing)}"
    print(f"{path}: {len(needed)} names, all in macOS 12")


main(sys.argv[1], sys.argv[2])
