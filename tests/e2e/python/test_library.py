"""How the module finds libtide, and what it says if it does not."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tide
from tide import _library

search = _library.library.__wrapped__  # without the cache


def stub(path, functions):
    """A library that has functions with these names. They do nothing, but tide_version returns $STUB_VERSION."""
    lines = [f"void {name}(void) {{}}" for name in functions if name != "tide_version"]
    source = path.with_suffix(".c")
    version = 'char *getenv(const char *); const char *tide_version(void) { return getenv("STUB_VERSION"); }'
    source.write_text("\n".join([version, *lines]))
    subprocess.run(["cc", "-shared", "-fPIC", "-w", source, "-o", path], check=True)
    return str(path)


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    if not shutil.which("cc"):
        pytest.skip("needs a C compiler")
    return stub(tmp_path_factory.mktemp("stub") / "complete.so", _library.FUNCTIONS)


def test_the_version_and_the_capabilities_are_the_librarys():
    assert tide.version().startswith("0.9") and tide.version() == tide.__version__
    assert {"translate", "align"} <= set(tide.capabilities())


def test_the_error_names_all_three_places(monkeypatch):
    monkeypatch.delenv("TIDE_LIBRARY")
    monkeypatch.setattr(_library, "SONAME", "libtide-none.so.0")
    with pytest.raises(tide.LibraryError) as missing:
        search()
    beside = Path(tide.__file__).parent / "libtide-none.so.0"
    for place in ("$TIDE_LIBRARY is not set", f"there is no {beside}", "libtide-none.so.0 is not installed"):
        assert place in str(missing.value)
    assert "\n" not in str(missing.value)


def test_a_wrong_tide_library_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("TIDE_LIBRARY", str(tmp_path / "none.so"))
    with pytest.raises(tide.LibraryError, match=r"\$TIDE_LIBRARY is /.*/none.so \(.*No such file"):
        search()


def test_the_library_beside_the_module_is_preferred(monkeypatch, tmp_path):
    monkeypatch.delenv("TIDE_LIBRARY")
    monkeypatch.setattr(_library, "__file__", str(tmp_path / "_library.py"))
    (tmp_path / "libtide.so.0").write_bytes(b"not a library")
    with pytest.raises(tide.LibraryError, match=f"cannot be loaded from {tmp_path}/libtide.so.0"):
        search()


@pytest.mark.parametrize("version", ["0.8.9", "1.0.0", "strange"])
def test_another_version_is_refused(monkeypatch, complete, version):
    monkeypatch.setenv("TIDE_LIBRARY", complete)
    monkeypatch.setenv("STUB_VERSION", version)
    with pytest.raises(tide.LibraryError, match=f"is libtide {version}, but this module needs 0.9 or a newer 0.x"):
        search()


def test_a_newer_minor_version_is_accepted(monkeypatch, complete):
    monkeypatch.setenv("TIDE_LIBRARY", complete)
    monkeypatch.setenv("STUB_VERSION", "0.10.2")
    assert search().tide_version() == b"0.10.2"


def test_a_library_without_a_function_is_refused(monkeypatch, complete, tmp_path):
    names = [name for name in _library.FUNCTIONS if name != "tide_draw"]
    monkeypatch.setenv("TIDE_LIBRARY", stub(tmp_path / "old.so", names))
    with pytest.raises(tide.LibraryError, match="is not libtide 0.9 or newer: it has no tide_draw"):
        search()


def test_the_module_is_imported_without_the_library_and_without_numpy():
    program = "import sys, tide; assert 'numpy' not in sys.modules; print(tide.weights)"
    environment = {**os.environ, "TIDE_LIBRARY": "/nowhere/libtide.so"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True)
