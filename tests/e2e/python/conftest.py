"""What the tests of python/ share. tests/e2e/python.sh makes the models and sets the environment:

TIDE            the program
TIDE_LIBRARY    libtide.so.0
MODELS          a folder with the models first, second (which fit together as an ensemble), tagged (whose corpus has the tag
                news), none (without attention) and tuned (first, after `tide tune`),
                and the sentence pairs zh and en"""

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import tide
from tide import _arrays

signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background, a shell has it ignored

ROOT = Path(__file__).resolve().parents[3]
MODELS = Path(os.environ["MODELS"])


def run_tide(*arguments, stdin=""):
    """The output of the program tide, line by line."""
    command = [os.environ["TIDE"], *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.fixture(scope="session")
def zh():
    return (MODELS / "zh").read_text().splitlines()


@pytest.fixture(scope="session")
def en():
    return (MODELS / "en").read_text().splitlines()


def pytest_terminal_summary(terminalreporter):
    """Prints a line for each reason to skip tests, which scripts/dev/run-tests counts."""
    reasons = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", [])]
    for reason in sorted(set(reasons)):
        terminalreporter.write_line(f"skipped: {reasons.count(reason)} tests of Python: {reason}")


@pytest.fixture(scope="session")
def model():
    with tide.load(MODELS / "first") as loaded:
        yield loaded


without_numpy = pytest.mark.skipif(not importlib.util.find_spec("numpy"), reason="needs NumPy (package python3-numpy)")


@pytest.fixture(params=["memoryview", pytest.param("numpy", marks=without_numpy)])
def arrays(request, monkeypatch):
    """The kind of the arrays; runs a test with each kind."""
    if request.param == "memoryview":
        monkeypatch.setitem(sys.modules, "numpy", None)  # an import of it fails
    _arrays.numpy.cache_clear()
    yield request.param
    _arrays.numpy.cache_clear()


@pytest.fixture(autouse=True)
def nothing_is_dropped(monkeypatch):
    """Fails a test in which an exception was printed and dropped, for example one in a callback."""
    dropped = []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: dropped.append(unraisable.exc_value))
    yield
    assert not dropped
