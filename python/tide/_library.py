"""Finds libtide and describes tide.h to ctypes."""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_float, c_int, c_long, c_size_t, c_void_p
from pathlib import Path
from typing import Any

from ._errors import LibraryError, error_of

SONAME = {"win32": "libtide.dll", "darwin": "libtide.dylib"}.get(sys.platform, "libtide.so.0")
NEEDED = (0, 9)  # major and minor version: the oldest library that has every function and every field below
OLDEST = f"{NEEDED[0]}.{NEEDED[1]}"

# int TideProgress(void *context, int done, int all)
Progress = ctypes.CFUNCTYPE(c_int, c_void_p, c_int, c_int)

# void TideSettled(void *context, int sentence, const char *text, const char *const *pieces, int count)
Settled = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p, POINTER(c_char_p), c_int)

# ---- the structs of tide.h, in its order; tests/e2e/python/test_header.py compares them with the header ----------

_texts = POINTER(c_char_p)


class TideModelInfo(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("source_language", c_char_p),
        ("target_language", c_char_p),
        ("configuration", c_char_p),
        ("warning", c_char_p),
        ("parameters", c_long),
        ("source_pieces", c_int),
        ("target_pieces", c_int),
        ("heads", c_int),
        ("layers", c_int),
        ("beam", c_int),
        ("normalize", c_double),
        ("word_penalty", c_double),
        ("tags", _texts),
    ]


class TideSessionOptions(Structure):
    _fields_ = [("size", c_size_t), ("threads", c_int)]


class TideAlignment(Structure):
    _fields_ = [
        ("source_count", c_int),
        ("target_count", c_int),
        ("source", POINTER(c_char_p)),
        ("target", POINTER(c_char_p)),
        ("weights", POINTER(c_float)),
    ]


class TideHypothesis(Structure):
    _fields_ = [
        ("text", c_char_p),
        ("log_probability", c_double),
        ("score", c_double),
        ("pieces", c_int),
        ("alignment", TideAlignment),
        ("piece_scores", POINTER(c_double)),
        ("confidence", c_double),
    ]


class TideSentence(Structure):
    _fields_ = [("count", c_int), ("hypotheses", POINTER(POINTER(TideHypothesis)))]


class TideResult(Structure):
    _fields_ = [("count", c_int), ("sentences", POINTER(POINTER(TideSentence)))]


class TideShortlistOptions(Structure):
    _fields_ = [("size", c_size_t), ("first", c_int), ("best", c_int)]


class TideTranslateOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("beam", c_int),
        ("n_best", c_int),
        ("normalize", c_double),
        ("coverage", c_double),
        ("max_length", c_int),
        ("mini_batch", c_int),
        ("words", c_int),
        ("shift", c_int),
        ("hard", c_int),
        ("layer", c_int),
        ("head", c_int),
        ("allow_han", c_int),
        ("progress", Progress),
        ("context", c_void_p),
        ("prefixes", _texts),
        ("glossary", c_char_p),
        ("tag", c_char_p),
        ("word_penalty", POINTER(c_double)),
        ("sample", c_int),
        ("top_k", c_int),
        ("top_p", c_double),
        ("temperature", c_double),
        ("seed", c_int),
        ("replace_unknown", c_int),
        ("lexicon", c_char_p),
        ("shortlist", c_void_p),
        ("settled", Settled),
        ("no_alignments", c_int),
        ("precision", c_char_p),
    ]


class TideForceOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("max_length", c_int),
        ("words", c_int),
        ("shift", c_int),
        ("hard", c_int),
        ("layer", c_int),
        ("head", c_int),
        ("progress", Progress),
        ("context", c_void_p),
        ("tag", c_char_p),
        ("precision", c_char_p),
    ]


class TideNumbers(Structure):
    _fields_ = [
        ("of", c_char_p),
        ("name", c_char_p),
        ("rows", c_int),
        ("columns", c_int),
        ("values", POINTER(c_float)),
    ]


class TideWord(Structure):
    _fields_ = [("piece", c_char_p), ("probability", c_double)]


class TideExplanation(Structure):
    _fields_ = [
        ("step", c_int),
        ("source_count", c_int),
        ("target_count", c_int),
        ("source", _texts),
        ("target", _texts),
        ("number_count", c_int),
        ("numbers", POINTER(POINTER(TideNumbers))),
        ("next", POINTER(TideWord)),
        ("best_count", c_int),
        ("best", POINTER(POINTER(TideWord))),
    ]


class TideExplainOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("max_length", c_int),
        ("hard", c_int),
        ("top", c_int),
        ("pieces", _texts),
        ("piece_count", c_int),
        ("tag", c_char_p),
        ("precision", c_char_p),
    ]


class TidePieces(Structure):
    _fields_ = [("count", c_int), ("pieces", _texts)]


class TideScoreOptions(Structure):
    _fields_ = [("size", c_size_t), ("lowercase", c_int), ("chinese", c_int), ("references", c_long)]


class TideScore(Structure):
    _fields_ = [("value", c_double), ("line", c_char * 256)]


class TideAer(Structure):
    _fields_ = [("rate", c_double), ("precision", c_double), ("recall", c_double)]


PICTURES = {"svg": 0, "html": 1, "pharaoh": 2}  # TidePicture

STRUCTS = (
    *(TideModelInfo, TideSessionOptions, TideAlignment, TideHypothesis, TideSentence, TideResult),
    *(TideShortlistOptions, TideTranslateOptions, TideForceOptions),
    *(TideNumbers, TideWord, TideExplanation, TideExplainOptions),
    *(TidePieces, TideScoreOptions, TideScore, TideAer),
)

# ---- the functions of tide.h ----------------------------------------------------------------------------------------

_error = (c_char_p, c_size_t)
_given = (c_void_p, _texts, _texts, c_int, POINTER(TideForceOptions), POINTER(POINTER(TideResult)))
_measured = (_texts, _texts, c_int, POINTER(TideScoreOptions), POINTER(TideScore))

FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {  # name: (type of the result, types of the arguments)
    "tide_version": (c_char_p, ()),
    "tide_capabilities": (_texts, ()),
    "tide_status_text": (c_char_p, (c_int,)),
    "tide_load": (c_int, (c_char_p, POINTER(c_void_p), *_error)),
    "tide_load_memory": (c_int, (c_char_p, c_size_t, POINTER(c_void_p), *_error)),
    "tide_free": (None, (c_void_p,)),
    "tide_model_info": (c_int, (c_void_p, POINTER(TideModelInfo))),
    "tide_session_new": (c_int, (POINTER(c_void_p), c_int, POINTER(TideSessionOptions), POINTER(c_void_p), *_error)),
    "tide_session_free": (None, (c_void_p,)),
    "tide_error": (c_char_p, (c_void_p,)),
    "tide_result_free": (None, (POINTER(TideResult),)),
    "tide_shortlist_new": (c_int, (c_void_p, c_char_p, POINTER(TideShortlistOptions), POINTER(c_void_p), *_error)),
    "tide_shortlist_free": (None, (c_void_p,)),
    "tide_translate": (
        c_int,
        (c_void_p, _texts, c_int, POINTER(TideTranslateOptions), POINTER(POINTER(TideResult))),
    ),
    "tide_align": (c_int, _given),
    "tide_score": (c_int, _given),
    "tide_explain": (
        c_int,
        (c_void_p, c_char_p, c_char_p, c_int, POINTER(TideExplainOptions), POINTER(POINTER(TideExplanation))),
    ),
    "tide_explanation_free": (None, (POINTER(TideExplanation),)),
    "tide_tokenize": (c_int, (c_void_p, c_int, c_char_p, POINTER(POINTER(TidePieces)), *_error)),
    "tide_pieces_free": (None, (POINTER(TidePieces),)),
    "tide_bleu": (c_int, _measured),
    "tide_chrf": (c_int, _measured),
    "tide_aer": (c_int, (_texts, _texts, c_int, POINTER(TideAer), *_error)),
    "tide_draw": (c_int, (POINTER(TideAlignment), c_int, POINTER(c_void_p))),
    "tide_text_free": (None, (c_void_p,)),
}

# ---- finding the library --------------------------------------------------------------------------------------------


@functools.cache
def library() -> ctypes.CDLL:
    """The library, loaded when it is first needed. $TIDE_LIBRARY names it; otherwise it is beside this module, or the
    system finds it by its soname. Raises LibraryError; the next call then searches again."""
    path = os.environ.get("TIDE_LIBRARY")
    beside = Path(__file__).with_name(SONAME)
    try:
        found = ctypes.CDLL(path or (str(beside) if beside.exists() else SONAME))
    except OSError as error:
        raise LibraryError(_not_found(path, beside, str(error))) from None
    for name, (result, arguments) in FUNCTIONS.items():
        try:
            function = getattr(found, name)
        except AttributeError:
            raise LibraryError(f"{found._name} is not libtide {OLDEST} or newer: it has no {name}") from None
        function.restype, function.argtypes = result, arguments
    _check_version(found._name, found.tide_version().decode())
    return found


def _not_found(path: str | None, beside: Path, reason: str) -> str:
    if path:
        return f"libtide cannot be loaded: $TIDE_LIBRARY is {path} ({reason})"
    if beside.exists():
        return f"libtide cannot be loaded from {beside} ({reason})"
    places = f"$TIDE_LIBRARY is not set, there is no {beside}, and {SONAME} is not installed"
    return f"libtide was not found: {places} ({reason})"


def _check_version(path: str, version: str) -> None:
    """Accepts the library's own major version, and a minor version that is not older than this module needs."""
    try:
        major, minor = (int(number) for number in version.split(".")[:2])
    except ValueError:
        major, minor = -1, -1
    if major != NEEDED[0] or minor < NEEDED[1]:
        raise LibraryError(f"{path} is libtide {version}, but this module needs {OLDEST} or a newer {NEEDED[0]}.x")


# ---- what it is -----------------------------------------------------------------------------------------------------


def version() -> str:
    """The version of the library that is used; `tide.__version__` is that of this module."""
    text: bytes = library().tide_version()
    return text.decode()


def capabilities() -> list[str]:
    """What the library can do: names such as "translate" or "kernels-avx2" (the instruction set in use)."""
    return read_list(library().tide_capabilities())


# ---- helpers for calls ----------------------------------------------------------------------------------------------


class ErrorLine:
    """The buffer in which a function without a session writes one line about a failure."""

    def __init__(self) -> None:
        self._buffer = ctypes.create_string_buffer(1024)
        self.arguments = (self._buffer, len(self._buffer))

    def check(self, status: int) -> None:
        """Raises the error of a status other than TIDE_OK."""
        if status:
            # The line may be cut within a character.
            raise error_of(status, self._buffer.value.decode(errors="replace") or status_text(status))


def status_text(status: int) -> str:
    """A few words about a status."""
    text: bytes = library().tide_status_text(status)
    return text.decode()


def check(status: int) -> None:
    """Raises the error of a status other than TIDE_OK, for functions that write no line about it."""
    if status:
        raise error_of(status, status_text(status))


def read_texts(texts: Any, count: int) -> tuple[str, ...]:
    """The Unicode of an array of C strings."""
    return tuple(texts[i].decode() for i in range(count))


def read_list(texts: Any) -> list[str]:
    """The Unicode of an array of C strings that ends in NULL."""
    found: list[str] = []
    while texts[len(found)] is not None:
        found.append(texts[len(found)].decode())
    return found


def draw(alignment: TideAlignment, picture: str) -> str:
    """Draws an alignment as "svg", "html" or "pharaoh"."""
    text = c_void_p()
    check(library().tide_draw(alignment, PICTURES[picture], text))
    try:
        return ctypes.string_at(text.value or 0).decode()
    finally:
        library().tide_text_free(text)
