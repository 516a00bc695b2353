"""Checks arguments and converts them to C. ctypes would silently cut a large integer, and C a text at a NUL."""

from __future__ import annotations

import ctypes
import math
import operator
from collections.abc import Iterable
from typing import Any

from ._errors import BadArgument, BadText

INT_MAX = 2**31 - 1


def integer(name: str, value: int | None, least: int = 1) -> int:
    """The value of an option for C, where 0 means the default; None becomes 0. Others are at least `least`."""
    if value is None:
        return 0
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None
    if not least <= number <= INT_MAX:
        bound = f"least {least}" if number < least else f"most {INT_MAX}"
        raise BadArgument(f"{name} is {number}, but must be at {bound}")
    return number


def number(name: str, value: float) -> float:
    """A real number, finite and not negative."""
    result = float(value)
    if not 0 <= result < math.inf:
        raise BadArgument(f"{name} is {result}, but must be a finite number that is not negative")
    return result


def positive(name: str, value: float) -> float:
    """A finite number above 0."""
    result = number(name, value)
    if not result:
        raise BadArgument(f"{name} is {result}, but must be above 0")
    return result


def texts(name: str, value: Iterable[str]) -> list[str]:
    """A list of texts. A str is refused, although it is an iterable of characters."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name} must be a list of str, not {type(value).__name__}")
    return list(value)


def c_texts(name: str, sentences: list[str]) -> Any:
    """The sentences as an array of C strings in UTF-8, which it owns. Errors count sentences from 1, as tide does."""
    encoded = [_encode(f"{name} {i}" if len(sentences) > 1 else name, text) for i, text in enumerate(sentences, 1)]
    return (ctypes.c_char_p * len(encoded))(*encoded)


def c_text(name: str, text: str | None) -> bytes | None:
    """A text for C in UTF-8; None: NULL."""
    return None if text is None else _encode(name, text)


def _encode(name: str, text: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str, not {type(text).__name__}")
    if "\0" in text:
        raise BadText(f"{name} has a NUL at index {text.index(chr(0))}")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BadText(f"{name} is not valid Unicode: U+{ord(text[error.start]):04X} at index {error.start}") from None


def same_count(a_name: str, a: list[str], b_name: str, b: list[str]) -> None:
    """Refuses two lists with different numbers of texts."""
    if len(a) != len(b):
        raise BadArgument(f"{len(a)} {a_name}, but {len(b)} {b_name}")
