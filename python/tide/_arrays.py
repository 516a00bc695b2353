"""Matrices of float32: NumPy arrays if NumPy is installed, otherwise memoryviews."""

from __future__ import annotations

import functools
import importlib
import math
import sys
from array import array
from collections.abc import Sequence
from typing import Any, Protocol


class Array(Protocol):
    """What NumPy arrays and memoryviews have in common: `a.shape`, `a[i, j]` and `a.tolist()`."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def __getitem__(self, index: Any, /) -> Any: ...

    def tolist(self) -> Any: ...


@functools.cache
def numpy() -> Any:
    """The module numpy; None if it is not installed."""
    try:
        return importlib.import_module("numpy")
    except ImportError:
        return None


def float_array(data: bytes | memoryview, shape: Sequence[int], *, little_endian: bool = False) -> Array:
    """A read-only array of float32 on these bytes, which have the byte order of the machine, or are little-endian.

    The bytes have exactly as many values as the shape. If there are none, the shape is (0,)."""
    assert len(data) == 4 * math.prod(shape)
    if little_endian and sys.byteorder == "big":
        swapped = array("f", bytes(data))
        swapped.byteswap()
        data = swapped.tobytes()
    if numpy():
        values: Array = numpy().frombuffer(data, "float32").reshape(tuple(shape))
    else:
        view: Any = memoryview(data).cast("f", tuple(shape)) if data else memoryview(data).cast("f")
        values = view
    return values
