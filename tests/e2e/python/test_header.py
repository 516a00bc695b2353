"""The module describes src/tide.h to ctypes as the C compiler understands it."""

import ctypes
import re
import shutil
import subprocess

import pytest
import tide
from conftest import ROOT
from tide import _errors, _library

HEADER = (ROOT / "src" / "tide.h").read_text()
CODE = re.sub(r"/\*.*?\*/", "", HEADER, flags=re.DOTALL)


def expressions():
    """C expressions and the values that they have for ctypes."""
    for struct in _library.STRUCTS:
        name = struct.__name__
        yield f"sizeof({name})", ctypes.sizeof(struct)
        for field, *_ in struct._fields_:
            described = getattr(struct, field)
            yield f"offsetof({name}, {field})", described.offset
            yield f"sizeof((({name} *)0)->{field})", described.size
    for name, value in _library.PICTURES.items():
        yield f"TIDE_{name.upper()}", value


def test_the_layout_of_the_structs_is_the_compilers(tmp_path):
    if not shutil.which("cc"):
        pytest.skip("needs a C compiler")
    ours = list(expressions())
    lines = "\n".join(f'    printf("%zu\\n", (size_t)({expression}));' for expression, _ in ours)
    source = tmp_path / "layout.c"
    source.write_text(f'#include "tide.h"\n#include <stdio.h>\nint main(void) {{\n{lines}\n}}\n')
    program = tmp_path / "layout"
    subprocess.run(["cc", f"-I{ROOT / 'src'}", source, "-o", program], check=True)
    theirs = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    assert [f"{expression} = {value}" for expression, value in ours] == [
        f"{expression} = {value}" for (expression, _), value in zip(ours, theirs, strict=True)
    ]


def test_every_struct_has_the_fields_of_the_header_in_order():
    structs = re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", CODE, flags=re.DOTALL)
    # The name is the last word before a comma, a semicolon or the size of an array.
    fields = {name: re.findall(r"(\w+)(?:\[\w+\])?[,;]", body) for name, body in structs}
    assert fields == {struct.__name__: [field for field, *_ in struct._fields_] for struct in _library.STRUCTS}


def test_every_function_is_described_with_its_number_of_arguments():
    functions = re.findall(r"TIDE_API [^;]*?(tide_\w+)\(([^;]*)\);", CODE)
    counts = {name: 0 if arguments == "void" else arguments.count(",") + 1 for name, arguments in functions}
    assert counts == {name: len(arguments) for name, (_, arguments) in _library.FUNCTIONS.items()}


def test_every_status_has_its_class():
    (body,) = re.findall(r"typedef enum TideStatus \{(.*?)\}", CODE, flags=re.DOTALL)
    statuses = {name: int(value) for name, value in re.findall(r"TIDE_(\w+) = (\d+)", body)}
    assert sorted(statuses.values()) == list(range(len(_errors.STATUS))) and statuses.pop("OK") == 0
    names = {"NO_MEMORY": "OutOfMemory", "INTERNAL": "InternalError"}
    for name, value in statuses.items():
        assert _errors.STATUS[value].__name__ == names.get(name, name.title().replace("_", ""))


def test_the_classes_are_those_that_programs_expect():
    assert issubclass(tide.OutOfMemory, MemoryError) and issubclass(tide.BadFile, OSError)
    assert all(issubclass(kind, ValueError) for kind in (tide.BadArgument, tide.BadText, tide.TooLong))
    assert all(issubclass(kind, tide.TideError) for kind in _errors.STATUS[1:])
    assert type(_errors.error_of(99, "new")) is tide.TideError


def test_the_versions_are_equal():
    (version,) = re.findall(r'#define TIDE_VERSION "(.*)"', HEADER)
    assert tide.__version__ == version
