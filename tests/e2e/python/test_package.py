"""python/build_backend.py packs tide/: wheels, source distributions and editable installations."""

import base64
import csv
import email
import hashlib
import importlib.util
import io
import os
import re
import subprocess
import sys
import tarfile
import zipfile

import pytest
import tide
from conftest import MODELS, ROOT, run_tide

PYTHON = ROOT / "python"


def load_backend(folder):
    spec = importlib.util.spec_from_file_location("build_backend", folder / "build_backend.py")
    backend = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(backend)
    return backend


@pytest.fixture
def backend():
    return load_backend(PYTHON)


@pytest.fixture
def copied(tmp_path):
    """The backend of a copy of python/, with a library beside the module."""
    folder = tmp_path / "copy"
    (folder / "tide").mkdir(parents=True)
    for path in [*PYTHON.glob("*.*"), *(PYTHON / "tide").glob("*.*")]:
        if path.is_file():
            (folder / path.relative_to(PYTHON)).write_bytes(path.read_bytes())
    (folder / "tide" / "libtide.so.0").write_bytes(b"a library")
    return load_backend(folder)


def contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def check_record(files):
    (record,) = (name for name in files if name.endswith("/RECORD"))
    rows = {name: (digest, size) for name, digest, size in csv.reader(io.StringIO(files[record].decode()))}
    assert rows.keys() == files.keys() and rows[record] == ("", "")
    for name, (digest, size) in rows.items():
        if name != record:
            right = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
            assert digest == f"sha256={right}" and int(size) == len(files[name])


def test_a_wheel_has_the_module_and_its_metadata(backend, tmp_path):
    name = backend.build_wheel(str(tmp_path))
    assert name == f"tide-{tide.__version__}-py3-none-any.whl"
    files = contents(tmp_path / name)
    check_record(files)
    about = f"tide-{tide.__version__}.dist-info"
    modules = {f"tide/{path.name}" for path in (PYTHON / "tide").glob("*.py")}
    rest = {f"{about}/{file}" for file in ("METADATA", "WHEEL", "RECORD", "LICENSE")}
    assert files.keys() == modules | rest | {"tide/py.typed"}
    metadata = email.message_from_bytes(files[f"{about}/METADATA"])
    assert (metadata["Name"], metadata["Version"], metadata["License"]) == ("tide", tide.__version__, "MIT")
    assert metadata.get_all("Requires-Dist") == ['numpy; extra == "numpy"']
    wheel = email.message_from_bytes(files[f"{about}/WHEEL"])
    assert (wheel["Tag"], wheel["Root-Is-Purelib"]) == ("py3-none-any", "true")


def test_the_metadata_hook_writes_what_the_wheel_has(backend, tmp_path):
    folder = backend.prepare_metadata_for_build_wheel(str(tmp_path))
    files = contents(tmp_path / backend.build_wheel(str(tmp_path)))
    written = {f"{folder}/{path.name}": path.read_bytes() for path in (tmp_path / folder).iterdir()}
    assert written and written.items() <= files.items()


def test_the_same_sources_make_the_same_bytes(backend, tmp_path, monkeypatch):
    for hook in (backend.build_wheel, backend.build_sdist, backend.build_editable):
        built = set()
        for turn in "ab":
            monkeypatch.setattr("time.time", lambda turn=turn: 1e9 + ord(turn))
            (tmp_path / turn).mkdir(exist_ok=True)
            built.add((tmp_path / turn / hook(str(tmp_path / turn))).read_bytes())
        assert len(built) == 1


def test_a_source_distribution_builds_the_same_wheel(backend, tmp_path):
    sdist = tmp_path / backend.build_sdist(str(tmp_path))
    assert sdist.name == f"tide-{tide.__version__}.tar.gz"
    with tarfile.open(sdist) as archive:
        for member in archive:
            path = tmp_path / "unpacked" / member.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.extractfile(member).read())
    unpacked = tmp_path / "unpacked" / f"tide-{tide.__version__}"
    assert email.message_from_bytes((unpacked / "PKG-INFO").read_bytes())["Version"] == tide.__version__
    assert not (unpacked / "tide" / "libtide.so.0").exists()
    (tmp_path / "again").mkdir()
    again = tmp_path / "again" / load_backend(unpacked).build_wheel(str(tmp_path / "again"))
    assert again.read_bytes() == (tmp_path / backend.build_wheel(str(tmp_path))).read_bytes()


def test_a_wheel_with_the_library_is_for_one_kind_of_machine(copied, tmp_path):
    name = copied.build_wheel(str(tmp_path))
    assert re.fullmatch(r"tide-[0-9.]+-py3-none-linux_\w+\.whl", name)
    files = contents(tmp_path / name)
    check_record(files)
    assert files["tide/libtide.so.0"] == b"a library"
    assert b"Root-Is-Purelib: false" in files[f"tide-{tide.__version__}.dist-info/WHEEL"]
    with tarfile.open(tmp_path / copied.build_sdist(str(tmp_path))) as archive:
        assert not [path for path in archive.getnames() if "libtide" in path]


def test_an_editable_wheel_adds_the_folder_to_the_path(backend, tmp_path):
    files = contents(tmp_path / backend.build_editable(str(tmp_path)))
    check_record(files)
    assert files["tide-editable.pth"] == f"{PYTHON}\n".encode()
    assert not [name for name in files if name.startswith("tide/")]


def test_pip_installs_it_without_a_network(tmp_path, zh):
    """The installed module translates with a library that it finds by its soname."""
    pytest.importorskip("pip", reason="needs pip (package python3-pip)")
    environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_CACHE_DIR": "1"}
    library = os.path.dirname(environment.pop("TIDE_LIBRARY"))
    environment.pop("PYTHONPATH")
    target = tmp_path / "installed"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target", target, PYTHON]
    subprocess.run(install, env=environment, check=True)
    tell = "import tide; print(tide.__file__, tide.__version__)"
    environment |= {"PYTHONPATH": str(target), "LD_LIBRARY_PATH": library}
    told = subprocess.check_output([sys.executable, "-c", tell], env=environment, text=True)
    assert told.split() == [str(target / "tide" / "__init__.py"), tide.__version__]
    translate = [sys.executable, ROOT / "examples" / "translate.py", MODELS / "first"]
    text = "".join(line + "\n" for line in zh)
    translated = subprocess.check_output(translate, env=environment, text=True, input=text)
    assert translated.splitlines() == run_tide("translate", MODELS / "first", stdin=text)
