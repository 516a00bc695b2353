"""What a call returns: translations, alignments and scores. They are plain data: they can be kept, pickled and sent to
other threads, also after the model is closed."""

from __future__ import annotations

import ctypes
import html
import math
from dataclasses import dataclass, field
from typing import Any

from ._arrays import Array, float_array
from ._library import TideAlignment, draw, read_texts


@dataclass(frozen=True)
class Alignment:
    """Which source pieces each target piece was read from: the weights α of the attention.

    The last piece of each side is "</s>", the end of the sentence; a translation that was cut at the length limit has
    no target "</s>". "▁" in a piece stands for a space. In a notebook, an alignment shows its heatmap."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    data: bytes = field(repr=False)
    """float32 [len(target), len(source)]; use `weights`."""

    @property
    def weights(self) -> Array:
        """α, [len(target), len(source)]: each row sums to 1. A NumPy array if NumPy is installed, else a memoryview.
        Empty, with the shape (0,), if there are no weights."""
        return float_array(self.data, (len(self.target), len(self.source)) if self.data else (0,))

    def svg(self) -> str:
        """A stand-alone picture."""
        return draw(self._struct(), "svg")

    def html(self) -> str:
        """A stand-alone interactive page."""
        return draw(self._struct(), "html")

    def pharaoh(self) -> str:
        """Links "0-0 1-2" from source to target, without </s>: the largest weight of each target piece."""
        return draw(self._struct(), "pharaoh").strip()

    def links(self) -> list[tuple[int, int]]:
        """The links of `pharaoh` as pairs (source, target)."""
        return [(int(i), int(j)) for i, _, j in (link.partition("-") for link in self.pharaoh().split())]

    def _repr_html_(self) -> str:
        return f'<div style="overflow: auto">{self.svg() if self.data else ""}</div>'

    def _struct(self) -> TideAlignment:
        """The alignment for the library. The struct keeps its texts and weights alive."""
        source, target = ([piece.encode() for piece in pieces] for pieces in (self.source, self.target))
        return TideAlignment(
            len(source),
            len(target),
            (ctypes.c_char_p * len(source))(*source),
            (ctypes.c_char_p * len(target))(*target),
            ctypes.cast(ctypes.c_char_p(self.data), ctypes.POINTER(ctypes.c_float)),
        )


@dataclass(frozen=True)
class Translation:
    """One translation. `str(translation)` is its text. In a notebook, it shows the heatmap of its alignment."""

    text: str
    score: float
    """ln p of the text and its end, divided by length^normalize, less the coverage penalty. The best translation of a
    sentence has the largest."""
    log_probability: float
    """ln p of the text and its end."""
    source: tuple[str, ...]
    """The pieces of the source. The last one is "</s>"."""
    target: tuple[str, ...]
    """The pieces of the text. The last one is "</s>", unless the text was cut at the length limit."""
    alignment: Alignment | None
    """None if the model has no attention, the sentence is empty, or no alignments were asked for."""
    source_text: str
    """The sentence as it was given."""
    piece_scores: tuple[float, ...]
    """ln p of each piece of `target`."""
    confidence: float | None = None
    """How good the translation probably is, from 0 to 1: the chrF2 that its probability predicts. None if the model has
    no such prediction, which `tide tune` fits, or if the sentence is empty or copied."""

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        if self.alignment:
            return self.alignment._repr_html_()
        return f"<p>{html.escape(self.source_text)} → {html.escape(self.text)}</p>"


@dataclass(frozen=True)
class Explanation:
    """The numbers of one step of the decoder, with the letters of docs/model.md."""

    step: int
    """Counted from 0: the number of pieces of the translation that the decoder has read."""
    source: tuple[str, ...]
    """The pieces of the source. The last one is "</s>"."""
    target: tuple[str, ...]
    """The pieces that the decoder has read: "<s>" and `step` more."""
    next: tuple[str, float]
    """The next piece of the translation, and its probability."""
    best: tuple[tuple[str, float], ...]
    """The most probable next pieces, the best one first."""
    data: dict[str, tuple[tuple[int, int], bytes]] = field(repr=False)
    """The shape and the float32 of each matrix; use `numbers`."""

    @property
    def numbers(self) -> dict[str, Array]:
        """The matrices of the step by name: "encoder.h" (a row for each source piece); "attention.e", "attention.alpha"
        (a row for each head), "attention.c"; "state.s_prev", "state.s_read", "state.s"; "output.t"; with coverage
        "attention.beta"; with multi-head "attention.v", "attention.c_heads". The attentions of a Transformer are
        "decoder.1.self", "decoder.1.cross" and so on. A vector has one row."""
        return {name: float_array(data, shape) for name, (shape, data) in self.data.items()}


@dataclass(frozen=True)
class Score:
    """How probable a given translation is."""

    log_probability: float
    """ln p of all pieces and the end of the sentence."""
    pieces: int
    """The number of target pieces with "</s>"."""
    piece_scores: tuple[float, ...] = ()
    """ln p of each piece."""

    @property
    def perplexity(self) -> float:
        """exp(−log_probability / pieces); infinity if that is too large for a float."""
        try:
            return math.exp(-self.log_probability / max(self.pieces, 1))
        except OverflowError:
            return math.inf

    def __float__(self) -> float:
        return self.log_probability


def read_alignment(given: TideAlignment) -> tuple[tuple[str, ...], tuple[str, ...], Alignment | None]:
    """Copies the pieces of both sides, and the alignment if there is one, from memory of the library."""
    source, target = read_texts(given.source, given.source_count), read_texts(given.target, given.target_count)
    if not given.weights or not source or not target:
        return source, target, None
    data = ctypes.string_at(given.weights, 4 * len(source) * len(target))
    return source, target, Alignment(source, target, data)


def read_translation(hypothesis: Any, source_text: str) -> Translation:
    """Copies a TideHypothesis."""
    source, target, alignment = read_alignment(hypothesis.alignment)
    text = hypothesis.text.decode()
    scores = read_scores(hypothesis)
    return Translation(
        text,
        hypothesis.score,
        hypothesis.log_probability,
        source,
        target,
        alignment,
        source_text,
        scores,
        hypothesis.confidence if hypothesis.confidence >= 0 else None,
    )


def read_scores(hypothesis: Any) -> tuple[float, ...]:
    """Copies the scores of the pieces of a TideHypothesis."""
    return tuple(hypothesis.piece_scores[: hypothesis.pieces]) if hypothesis.piece_scores else ()


def read_explanation(given: Any) -> Explanation:
    """Copies a TideExplanation."""
    data = {}
    for i in range(given.number_count):
        numbers = given.numbers[i].contents
        shape = (numbers.rows, numbers.columns)
        data[f"{numbers.of.decode()}.{numbers.name.decode()}"] = shape, ctypes.string_at(
            numbers.values, 4 * shape[0] * shape[1]
        )
    return Explanation(
        given.step,
        read_texts(given.source, given.source_count),
        read_texts(given.target, given.target_count),
        _read_word(given.next),
        tuple(_read_word(given.best[k]) for k in range(given.best_count)),
        data,
    )


def _read_word(word: Any) -> tuple[str, float]:
    return word.contents.piece.decode(), word.contents.probability
