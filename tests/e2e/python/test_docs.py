"""docs/python.md names all errors, and examples/translate.py runs. tests/e2e/python_page.sh runs the examples of the page."""

import re
import subprocess
import sys

import pytest
import tide
from conftest import MODELS, ROOT, run_tide

PAGE = (ROOT / "docs" / "python.md").read_text()


def test_the_page_names_each_error_and_its_base():
    rows = re.findall(r"^\| `tide\.(\w+)` \| (?:`(\w+)`)? *\|", PAGE, flags=re.MULTILINE)
    bases = {kind.__name__: [base.__name__ for base in kind.__bases__[1:]] for kind in tide.TideError.__subclasses__()}
    assert {name: [base] if base else [] for name, base in rows} == bases


def test_everything_public_has_a_docstring():
    for name in tide.__all__:
        thing = getattr(tide, name)
        assert thing.__doc__ and not thing.__doc__.startswith(f"{name}("), name
        for method, value in vars(thing).items() if isinstance(thing, type) else ():
            public = not method.startswith("_") and (callable(value) or isinstance(value, property))
            assert not public or value.__doc__ or name == "Array", f"{name}.{method}"


@pytest.fixture
def example():
    def run(*arguments, stdin):
        command = [sys.executable, ROOT / "examples" / "translate.py", *arguments]
        return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)

    return run


def test_the_example_translates_and_writes_a_page(example, zh, tmp_path):
    text = "".join(line + "\n" for line in zh)
    ran = example(MODELS / "first", tmp_path / "page.html", stdin=text)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == run_tide("translate", MODELS / "first", stdin=text)
    assert (tmp_path / "page.html").read_text().count("<svg") == len(zh)


def test_the_example_says_what_is_wrong(example, tmp_path):
    failed = example(tmp_path / "none", stdin="")
    assert failed.returncode == 1 and re.fullmatch(r"translate.py: .*none: No such file or directory; a model is .*\n", failed.stderr)
    assert example(stdin="").stderr.startswith("usage: translate.py MODEL")
