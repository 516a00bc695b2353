"""The build backend of this package (PEP 517, and PEP 660 for `pip install --editable`). It packs the files of tide/
and compiles nothing, and it needs only Python's standard library.

If libtide.so.0 was copied into tide/, a wheel contains it, and is for this kind of machine only."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import re
import sysconfig
import tarfile
import time
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "tide"
LIBRARY = "libtide.so.0"
Settings = Mapping[str, Any] | None

# ---- what the package is --------------------------------------------------------------------------------------------


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module = (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([0-9.]+)"$', module, re.MULTILINE)
    if not found:
        raise ValueError(f"{PACKAGE / '__init__.py'}: no line __version__ = \"…\"")
    return {**project, "version": found[1]}


def _metadata(project: dict[str, Any]) -> str:
    """The file METADATA of a wheel, and PKG-INFO of a source distribution."""
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License: {project['license']['text']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
    ]
    for extra, packages in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {package}; extra == "{extra}"' for package in packages]
    return "\n".join(lines) + "\n"


def _license() -> bytes | None:
    """The licence: of the repository, or beside this file in an unpacked source distribution."""
    for path in (HERE / "LICENSE", HERE.parent / "LICENSE"):
        if path.is_file():
            return path.read_bytes()
    return None


def _package_files() -> list[Path]:
    """The files of the package, with the library if it is there."""
    return sorted([*PACKAGE.glob("*.py"), *PACKAGE.glob("py.typed"), *PACKAGE.glob(LIBRARY)])


def _pure() -> bool:
    return not (PACKAGE / LIBRARY).exists()


def _tag() -> str:
    machine = "any" if _pure() else re.sub("[-.]", "_", sysconfig.get_platform())
    return f"py3-none-{machine}"


# ---- wheels ---------------------------------------------------------------------------------------------------------


def _dist_info(project: dict[str, Any]) -> dict[str, bytes]:
    """The files of the folder NAME-VERSION.dist-info, except RECORD."""
    folder = f"{project['name']}-{project['version']}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: tide\nRoot-Is-Purelib: {str(_pure()).lower()}\nTag: {_tag()}\n"
    files = {f"{folder}/METADATA": _metadata(project).encode(), f"{folder}/WHEEL": wheel.encode()}
    text = _license()
    return {**files, f"{folder}/LICENSE": text} if text else files


def _moment() -> int:
    """The time that files of an archive have: $SOURCE_DATE_EPOCH, or the first that zip can store. So the same sources
    make the same bytes."""
    return int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))


def _write_wheel(directory: str, files: dict[str, bytes]) -> str:
    """Writes a wheel with these files and those of dist-info. Returns its file name."""
    project = _project()
    about = _dist_info(project)
    record_name = next(iter(about)).partition("/")[0] + "/RECORD"
    name = f"{project['name']}-{project['version']}-{_tag()}.whl"
    rows = []
    with zipfile.ZipFile(Path(directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:

        def add(path: str, content: bytes) -> None:
            info = zipfile.ZipInfo(path, time.gmtime(_moment())[:6])
            info.external_attr = 0o100644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(info, content)

        for path, content in {**files, **about}.items():
            add(path, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append(f"{path},sha256={digest},{len(content)}\n")
        add(record_name, "".join([*rows, f"{record_name},,\n"]).encode())
    return name


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    return _write_wheel(wheel_directory, {f"tide/{path.name}": path.read_bytes() for path in _package_files()})


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """A wheel that only adds this folder to the import path."""
    return _write_wheel(wheel_directory, {"tide-editable.pth": f"{HERE}\n".encode()})


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    files = _dist_info(_project())
    folder = next(iter(files)).partition("/")[0]
    (Path(metadata_directory) / folder).mkdir()
    for path, content in files.items():
        (Path(metadata_directory) / path).write_bytes(content)
    return folder


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel

# ---- source distributions -------------------------------------------------------------------------------------------


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Everything from which the wheel is built; not the library, which is for one kind of machine."""
    project = _project()
    folder = f"{project['name']}-{project['version']}"
    sources = [HERE / "pyproject.toml", HERE / "build_backend.py", *(p for p in _package_files() if p.name != LIBRARY)]
    files = {f"{folder}/{path.relative_to(HERE)}": path.read_bytes() for path in sources}
    files[f"{folder}/PKG-INFO"] = _metadata(project).encode()
    text = _license()
    if text:
        files[f"{folder}/LICENSE"] = text
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.mode = len(content), _moment(), 0o644
            archive.addfile(info, io.BytesIO(content))
    (Path(sdist_directory) / f"{folder}.tar.gz").write_bytes(gzip.compress(packed.getvalue(), mtime=_moment()))
    return f"{folder}.tar.gz"
