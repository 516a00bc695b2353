"""BLEU, chrF and the alignment error rate."""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import byref, sizeof
from dataclasses import dataclass
from typing import Any

from ._arguments import c_texts, same_count, texts
from ._errors import BadArgument
from ._library import ErrorLine, TideAer, TideScore, TideScoreOptions, check, library


@dataclass(frozen=True)
class Measure:
    """A score of a translated text. `str(measure)` is the line that sacreBLEU prints."""

    value: float
    """0 to 100."""
    line: str

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return self.line


@dataclass(frozen=True)
class AlignmentErrors:
    """How alignments differ from a gold standard; each number is 0 to 1."""

    rate: float
    precision: float
    recall: float

    def __float__(self) -> float:
        return self.rate


References = Iterable[str] | Iterable[Iterable[str]]


def bleu(
    hypotheses: Iterable[str], references: References, *, lowercase: bool = False, chinese: bool = False
) -> Measure:
    """Corpus BLEU of hypotheses, as sacreBLEU computes it.

    references  one for each hypothesis, or a list of several such lists
    lowercase   case is ignored
    chinese     tokenisation zh instead of 13a

    Raises BadArgument if there are no hypotheses, or not as many references."""
    return _measure("tide_bleu", hypotheses, references, lowercase, chinese)


def chrf(hypotheses: Iterable[str], references: References, *, lowercase: bool = False) -> Measure:
    """Corpus chrF2 of hypotheses, as sacreBLEU computes it. References and errors: see `bleu`."""
    return _measure("tide_chrf", hypotheses, references, lowercase, False)


def _sets(references: References) -> list[list[str]]:
    """The lists of references: one, or several."""
    given: list[Any] = texts("references", references)  # type: ignore[arg-type]
    if not given or isinstance(given[0], str):
        return [given]
    return [texts("references", one) for one in given]


def _measure(
    function: str, hypotheses: Iterable[str], references: References, lowercase: bool, chinese: bool
) -> Measure:
    ours, sets = texts("hypotheses", hypotheses), _sets(references)
    for one in sets:
        same_count("hypotheses", ours, "references", one)
    if not ours:
        raise BadArgument("no hypotheses")
    options = TideScoreOptions(
        size=sizeof(TideScoreOptions), lowercase=bool(lowercase), chinese=bool(chinese), references=len(sets)
    )
    score = TideScore()
    theirs = [text for one in sets for text in one]
    arguments = c_texts("hypothesis", ours), c_texts("reference", theirs), len(ours), byref(options), byref(score)
    check(getattr(library(), function)(*arguments))
    return Measure(score.value, score.line.decode())


def aer(links: Iterable[str], gold: Iterable[str]) -> AlignmentErrors:
    """Alignment error rate of lines of links, as `Alignment.pharaoh` makes them, against a gold standard.

    In the gold standard, `i-j` is a sure link and `ipj` a possible one. Words are counted from 0. Raises BadText or
    BadArgument, with the number of the line."""
    ours, theirs = texts("links", links), texts("gold", gold)
    same_count("lines of links", ours, "lines of the gold standard", theirs)
    errors, error = TideAer(), ErrorLine()
    lines = c_texts("line of links", ours), c_texts("line of the gold standard", theirs)
    error.check(library().tide_aer(*lines, len(ours), byref(errors), *error.arguments))
    return AlignmentErrors(errors.rate, errors.precision, errors.recall)
