"""Loading models, and translating, aligning and scoring with them."""

from __future__ import annotations

import ctypes
import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NoReturn, TypedDict, TypeVar, Unpack, overload

from . import _calls
from ._arguments import c_text, c_texts, integer, number, positive, same_count, texts
from ._calls import OnProgress, OnSettled
from ._errors import BadArgument, error_of
from ._library import (
    TideExplainOptions,
    TideExplanation,
    TideForceOptions,
    TideModelInfo,
    TideResult,
    TideTranslateOptions,
    library,
    read_list,
)
from ._results import (
    Alignment,
    Explanation,
    Score,
    Translation,
    read_alignment,
    read_explanation,
    read_scores,
    read_translation,
)
from ._sessions import Models, Session, Shortlist
from ._weights import read_configuration

Path = str | os.PathLike[str]
Read = TypeVar("Read")


@dataclass(frozen=True)
class ModelInfo:
    """Facts about a model."""

    source_language: str
    target_language: str
    configuration: dict[str, str]
    """All options of the model and of its training."""
    parameters: int
    """The number of weights."""
    source_pieces: int
    target_pieces: int
    heads: int
    """Heads of the attention from which alignments are read; 0: the model has no attention."""
    layers: int
    """Layers with such an attention."""
    beam: int
    """The model's own search options."""
    normalize: float
    word_penalty: float
    tags: tuple[str, ...]
    """Of the training corpora, for the option `tag`."""


class ScoreOptions(TypedDict, total=False):
    """The options of `Model.score`."""

    max_length: int | None
    hard: bool
    tag: str | None
    precision: str | None
    progress: OnProgress | None


class AlignOptions(ScoreOptions, total=False):
    """The options of `Model.align`."""

    words: bool
    shift: bool
    layer: int | None
    head: int | None


class TranslateOptions(AlignOptions, total=False):
    """The options of `Model.translate`, except n_best."""

    beam: int | None
    normalize: float | None
    coverage: float
    mini_batch: int | None
    allow_han: bool
    prefix: str | Iterable[str] | None
    glossary: Mapping[str, str] | None
    word_penalty: float | None
    sample: bool
    top_k: int | None
    top_p: float | None
    temperature: float | None
    seed: int | None
    replace_unknown: bool
    lexicon: Mapping[str, str] | None
    shortlist: Shortlist | None
    alignments: bool
    settled: OnSettled | None


def load(path: Path | bytes | Sequence[Path | bytes], *, threads: int | None = None) -> Model:
    """Loads a model, or several models as an ensemble.

    A path is a directory with model.safetensors, or such a file; bytes are the contents of such a file. All models of
    an ensemble must have the same source and target pieces. The model is read into memory, so that later changes of the
    file do not matter. `threads` compute for each call, by default one for each processor; the results do not depend on
    it. Warns with TideWarning if the file has no checksum. Raises BadFile, Unsupported, BadArgument, OutOfMemory or
    LibraryError."""
    return Model([path] if isinstance(path, (str, bytes, os.PathLike)) else list(path), threads=threads)


class Model:
    """A loaded model, or an ensemble of models, for translating; see `load`.

    Any number of threads may use it at the same time. Each call takes a session that no other call uses; the model
    makes one if there is none. After a fork, the new process can use the model too. `with` closes the model at the end
    of the block; otherwise it is closed when nothing refers to it."""

    def __init__(self, paths: Sequence[Path | bytes], *, threads: int | None = None):
        self._threads = integer("threads", threads) or len(os.sched_getaffinity(0))
        given: list[str | bytes] = [path if isinstance(path, bytes) else os.fspath(path) for path in paths]
        self.paths: tuple[str, ...] = tuple("memory" if isinstance(path, bytes) else path for path in given)
        if not self.paths:
            raise BadArgument("no models")
        self._models = Models()
        self._sessions: deque[Session] = deque()  # those that no call uses
        for path in given:
            self._models.load(path)
        self._sessions.append(self._models.session(self._threads))
        self.info: ModelInfo = _read_info(self._models.info())
        """Facts about the model; those of an ensemble's first model."""

    # ---- translating ----

    @overload  # type: ignore[misc]  # a str is also an Iterable[str]
    def translate(self, text: str, *, n_best: None = None, **options: Unpack[TranslateOptions]) -> Translation: ...
    @overload  # type: ignore[misc]  # a str is also an Iterable[str]
    def translate(self, text: str, *, n_best: int, **options: Unpack[TranslateOptions]) -> list[Translation]: ...
    @overload
    def translate(
        self, text: Iterable[str], *, n_best: None = None, **options: Unpack[TranslateOptions]
    ) -> list[Translation]: ...
    @overload
    def translate(
        self, text: Iterable[str], *, n_best: int, **options: Unpack[TranslateOptions]
    ) -> list[list[Translation]]: ...

    def translate(
        self,
        text: str | Iterable[str],
        *,
        beam: int | None = None,
        n_best: int | None = None,
        normalize: float | None = None,
        coverage: float = 0,
        max_length: int | None = None,
        mini_batch: int | None = None,
        words: bool = False,
        shift: bool = False,
        hard: bool = False,
        layer: int | None = None,
        head: int | None = None,
        allow_han: bool = False,
        prefix: str | Iterable[str] | None = None,
        glossary: Mapping[str, str] | None = None,
        tag: str | None = None,
        precision: str | None = None,
        word_penalty: float | None = None,
        sample: bool = False,
        top_k: int | None = None,
        top_p: float | None = None,
        temperature: float | None = None,
        seed: int | None = None,
        replace_unknown: bool = False,
        lexicon: Mapping[str, str] | None = None,
        shortlist: Shortlist | None = None,
        alignments: bool = True,
        settled: OnSettled | None = None,
        progress: OnProgress | None = None,
    ) -> Translation | list[Translation] | list[list[Translation]]:
        """Translates a sentence, or a list of sentences, by beam search, or by drawing words.

        Returns a Translation for each sentence. With `n_best`, returns a list of at most n_best translations for each
        sentence, the best one first.

        beam        hypotheses of the search, 1 to 1000, and at least n_best (default: the model's)
        normalize   the score is divided by length^normalize; 0: not at all (default: the model's)
        coverage    weight of a penalty for source words that are not translated
        max_length  most pieces of a source sentence (default: 1000); memory grows with its square
        mini_batch  most sentences decoded together, 1 to 4096 (default: 64); the results are the same
        words       alignments of words instead of pieces
        shift       row i of an alignment has the weights of the step that reads piece i, not of the one that writes it
        hard        read only the annotation with the largest score
        layer, head whose weights are the alignment, counted from 1 (default: the last layer, the mean of its heads)
        allow_han   Han characters may occur in every target language
        prefix      the text with which the translation begins, or a list of texts for a list of sentences; the last
                    word of a prefix may go on, unless a space follows it
        glossary    translations of terms: wherever a sentence has a key, each translation contains its value
        tag         read the text as one of the training corpora with this tag; see `info.tags`
        precision   "float32" or "bfloat16": what products with weights multiply (default: float32); bfloat16 has the
                    bits of a matrix unit, and is not faster yet; a model of int8 cannot use it
        word_penalty  subtracted from ln p for each piece, -10 to 10 (default: the model's)
        sample      draw each word by its probability, for n_best translations of each sentence; not with beam, glossary
                    or shortlist
        top_k, top_p  draw from the k most probable words, or from the fewest whose probabilities sum to p
        temperature, seed  draw by p^(1 / temperature) (default: 1); the seed of the draws (default: 1)
        replace_unknown  the model may write <unk>; the text has in its place the source word that it is aligned to
        lexicon     with replace_unknown: translations of such words
        shortlist   search only the words that this shortlist has for the text; see `shortlist`
        alignments  False: no alignments, and a faster search
        settled     settled(i, text) is called with the first words of the translation of sentence i as soon as no
                    hypothesis can change them any more
        progress    progress(done, all) is called before each step of the search with the number of sentences that are
                    translated; a true value cancels the call

        Raises TooLong, BadText, BadArgument, Unsupported, Cancelled, OutOfMemory, or what `progress` raises.
        KeyboardInterrupt cancels the call; the model can still be used."""
        options = TideTranslateOptions(
            size=ctypes.sizeof(TideTranslateOptions),
            beam=integer("beam", beam),
            n_best=integer("n_best", n_best),
            normalize=0 if normalize is None else number("normalize", normalize) or -1,
            coverage=number("coverage", coverage),
            max_length=integer("max_length", max_length),
            mini_batch=integer("mini_batch", mini_batch),
            words=bool(words),
            shift=bool(shift),
            hard=bool(hard),
            layer=integer("layer", layer),
            head=integer("head", head),
            allow_han=bool(allow_han),
            tag=c_text("tag", tag),
            precision=c_text("precision", precision),
            sample=bool(sample),
            top_k=integer("top_k", top_k),
            top_p=0 if top_p is None else positive("top_p", top_p),
            temperature=0 if temperature is None else positive("temperature", temperature),
            seed=integer("seed", seed),
            replace_unknown=bool(replace_unknown),
            no_alignments=not alignments,
        )
        if word_penalty is not None:
            options.word_penalty = ctypes.pointer(ctypes.c_double(word_penalty))
        if shortlist is not None:
            options.shortlist = shortlist.handle
        sources = [text] if isinstance(text, str) else texts("text", text)
        if prefix is not None:
            if isinstance(text, str) != isinstance(prefix, str):
                raise TypeError("text and prefix must both be a str, or both be a list of str")
            prefixes = [prefix] if isinstance(prefix, str) else texts("prefix", prefix)
            same_count("texts", sources, "prefixes", prefixes)
            options.prefixes = c_texts("prefix", prefixes)

        if glossary is not None:
            options.glossary = c_text("glossary", _lines(glossary))
        if lexicon is not None:
            options.lexicon = c_text("lexicon", _lines(lexicon))

        def read(i: int, sentence: Any) -> list[Translation]:
            return [read_translation(sentence.hypotheses[k].contents, sources[i]) for k in range(sentence.count)]

        found = self._call("tide_translate", [("sentence", sources)], options, progress, read, settled)
        if n_best is None:
            best = [translations[0] for translations in found]
            return best[0] if isinstance(text, str) else best
        return found[0] if isinstance(text, str) else found

    @overload  # type: ignore[misc]  # a str is also an Iterable[str]
    def tokenize(self, text: str, *, target: bool = False) -> tuple[str, ...]: ...
    @overload
    def tokenize(self, text: Iterable[str], *, target: bool = False) -> list[tuple[str, ...]]: ...

    def tokenize(self, text: str | Iterable[str], *, target: bool = False) -> tuple[str, ...] | list[tuple[str, ...]]:
        """The pieces of a text, or of each text of a list, in the source or the target language.

        They are those of `tide tokenize`: normalised, with "▁" for a space, without "</s>". Raises BadText."""
        if isinstance(text, str):
            return self._models.tokenize(text, int(target))
        return [self._models.tokenize(one, int(target)) for one in texts("text", text)]

    def shortlist(
        self, lines: str | Iterable[tuple[str, str, float]], *, first: int | None = None, best: int | None = None
    ) -> Shortlist:
        """A shortlist for `translate`: the words that translations may contain, for each source text.

        lines   the text of a file of `tide lexicon` (source, tab, target, tab, probability), or such triples
        first   also the most frequent pieces of the model (default: 1000; 0: none)
        best    the most probable translations of a source text (default: 100)

        No other Model can use it, also if it was loaded from the same file. Raises BadText or BadArgument."""
        if not isinstance(lines, str):
            lines = "".join(f"{source}\t{target}\t{probability:.9f}\n" for source, target, probability in lines)
        return self._models.shortlist(lines, -1 if first == 0 else integer("first", first), integer("best", best))

    # ---- given translations ----

    @overload  # type: ignore[misc]  # a str is also an Iterable[str]
    def align(self, source: str, target: str, **options: Unpack[AlignOptions]) -> Alignment: ...
    @overload
    def align(
        self, source: Iterable[str], target: Iterable[str], **options: Unpack[AlignOptions]
    ) -> list[Alignment]: ...

    def align(
        self,
        source: str | Iterable[str],
        target: str | Iterable[str],
        *,
        max_length: int | None = None,
        words: bool = False,
        shift: bool = False,
        hard: bool = False,
        layer: int | None = None,
        head: int | None = None,
        tag: str | None = None,
        precision: str | None = None,
        progress: OnProgress | None = None,
    ) -> Alignment | list[Alignment]:
        """The alignment of a given pair, or of each pair of two lists (forced decoding with the first model).

        For the options see `translate`; max_length limits both sides. Raises Unsupported if the model has no attention,
        and what `translate` raises."""
        options = _force_options(max_length, words, shift, hard, layer, head, tag, precision)

        def read(_i: int, sentence: Any) -> Alignment:
            x, y, alignment = read_alignment(sentence.hypotheses[0].contents.alignment)
            return alignment or Alignment(x, y, b"")

        found: list[Alignment] = self._given("tide_align", source, target, options, progress, read)
        return found[0] if isinstance(source, str) else found

    @overload  # type: ignore[misc]  # a str is also an Iterable[str]
    def score(self, source: str, target: str, **options: Unpack[ScoreOptions]) -> Score: ...
    @overload
    def score(self, source: Iterable[str], target: Iterable[str], **options: Unpack[ScoreOptions]) -> list[Score]: ...

    def score(
        self,
        source: str | Iterable[str],
        target: str | Iterable[str],
        *,
        max_length: int | None = None,
        hard: bool = False,
        tag: str | None = None,
        precision: str | None = None,
        progress: OnProgress | None = None,
    ) -> Score | list[Score]:
        """The log-probability of a given translation, or of each pair of two lists.

        That of an ensemble is the one with which its models translate together. For the options and the errors see
        `align`."""
        options = _force_options(max_length, False, False, hard, None, None, tag, precision)

        def read(_i: int, sentence: Any) -> Score:
            hypothesis = sentence.hypotheses[0].contents
            return Score(hypothesis.log_probability, hypothesis.pieces, read_scores(hypothesis))

        found: list[Score] = self._given("tide_score", source, target, options, progress, read)
        return found[0] if isinstance(source, str) else found

    def explain(
        self,
        source: str,
        target: str | Iterable[str],
        step: int,
        *,
        top: int = 10,
        max_length: int | None = None,
        hard: bool = False,
        tag: str | None = None,
        precision: str | None = None,
    ) -> Explanation:
        """The numbers of one step of the first model: scores, weights, context, state and the next pieces.

        target  the translation: a text, or a list of pieces, as `Translation.target` has them
        step    counted from 0: the step that has read so many pieces of the translation, and finds the next one
        top     most pieces in `best`, at most 1000

        For the other options and the errors see `align`; a model without attention has a context, too."""
        pieces = [] if isinstance(target, str) else texts("target", target)
        options = TideExplainOptions(
            size=ctypes.sizeof(TideExplainOptions),
            max_length=integer("max_length", max_length),
            hard=bool(hard),
            top=-1 if top == 0 else integer("top", top),
            tag=c_text("tag", tag),
            precision=c_text("precision", precision),
        )
        if not isinstance(target, str):
            options.pieces, options.piece_count = c_texts("piece", pieces), len(pieces)
        at = integer("step", step, least=0)
        given = c_text("source", source), c_text("target", target) if isinstance(target, str) else None
        self._models.check_open()
        found = ctypes.POINTER(TideExplanation)()
        session = self._take()
        try:
            status = library().tide_explain(session.handle, *given, at, options, ctypes.byref(found))
            if status:
                raise error_of(status, session.message())
            return read_explanation(found.contents)
        finally:
            self._give_back(session)
            library().tide_explanation_free(found)

    def _given(
        self,
        function: str,
        source: str | Iterable[str],
        target: str | Iterable[str],
        options: TideForceOptions,
        progress: OnProgress | None,
        read: Callable[[int, Any], Read],
    ) -> list[Read]:
        """Calls tide_align or tide_score with one pair or with lists of pairs."""
        if isinstance(source, str) != isinstance(target, str):
            raise TypeError("source and target must both be a str, or both be a list of str")
        sources = [source] if isinstance(source, str) else texts("source", source)
        targets = [target] if isinstance(target, str) else texts("target", target)
        same_count("sources", sources, "targets", targets)
        return self._call(function, [("source", sources), ("target", targets)], options, progress, read)

    # ---- sessions ----

    def _call(
        self,
        function: str,
        given: list[tuple[str, list[str]]],
        options: TideTranslateOptions | TideForceOptions,
        progress: OnProgress | None,
        read: Callable[[int, Any], Read],
        settled: OnSettled | None = None,
    ) -> list[Read]:
        """Calls a function of the library with a session. Returns read(i, sentence) for each TideSentence."""
        self._models.check_open()
        count = len(given[0][1])
        if not count:
            return []
        arrays = [c_texts(*side) for side in given]
        result = ctypes.POINTER(TideResult)()
        message = ""

        # This may run in another thread, and on after an interrupt. So it returns the session itself.
        def call(callback: Any, tell: Any) -> int:
            nonlocal message
            session = self._take()
            options.progress = callback
            if tell:
                options.settled = tell
            status: int = getattr(library(), function)(session.handle, *arrays, count, options, ctypes.byref(result))
            message = session.message() if status else ""
            self._give_back(session)
            return status

        try:
            status = _calls.run(call, progress, settled)
            if status:
                raise error_of(status, message)
            sentences = result.contents.sentences
            return [read(i, sentences[i].contents) for i in range(count)]
        finally:
            library().tide_result_free(result)

    def _take(self) -> Session:
        """A session that no other call uses."""
        while True:
            try:
                session = self._sessions.pop()
            except IndexError:
                return self._models.session(self._threads)
            if session.usable():
                return session

    def _give_back(self, session: Session) -> None:
        self._sessions.append(session)
        if self._models.closed:
            self._sessions.clear()

    # ---- closing ----

    def close(self) -> None:
        """Frees the memory of the model. Calls that other threads have begun still end normally; every later call
        raises BadArgument. Closing twice does nothing."""
        self._models.close()
        self._sessions.clear()

    def __enter__(self) -> Model:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Model cannot be pickled or copied; load it in each process: tide.load(model.paths)")

    def __repr__(self) -> str:
        state = "closed" if self._models.closed else f"{self.info.source_language}→{self.info.target_language}"
        return f"<tide.Model {', '.join(self.paths)}: {state}>"


def _lines(terms: Mapping[str, str]) -> str:
    """Lines of source, tab, target."""
    return "\n".join(f"{source}\t{target}" for source, target in terms.items())


def _read_info(info: TideModelInfo) -> ModelInfo:
    return ModelInfo(
        source_language=info.source_language.decode(),
        target_language=info.target_language.decode(),
        configuration=read_configuration(info.configuration.decode()),
        parameters=info.parameters,
        source_pieces=info.source_pieces,
        target_pieces=info.target_pieces,
        heads=info.heads,
        layers=info.layers,
        beam=info.beam,
        normalize=info.normalize,
        word_penalty=info.word_penalty,
        tags=tuple(read_list(info.tags)),
    )


def _force_options(
    max_length: int | None,
    words: bool,
    shift: bool,
    hard: bool,
    layer: int | None,
    head: int | None,
    tag: str | None,
    precision: str | None,
) -> TideForceOptions:
    return TideForceOptions(
        size=ctypes.sizeof(TideForceOptions),
        max_length=integer("max_length", max_length),
        words=bool(words),
        shift=bool(shift),
        hard=bool(hard),
        layer=integer("layer", layer),
        head=integer("head", head),
        tag=c_text("tag", tag),
        precision=c_text("precision", precision),
    )
