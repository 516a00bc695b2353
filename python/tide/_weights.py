"""Reads the weights of a model: the safetensors format, by the standard library alone. libtide is not needed."""

from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Iterator, Mapping
from typing import Any

from ._arrays import Array, float_array
from ._errors import BadFile

HEADER_LIMIT = 100_000_000  # bytes; the limit of the format


def read_configuration(text: str) -> dict[str, str]:
    """The lines `key = value` of a configuration."""
    pairs = (line.partition("=") for line in text.splitlines() if "=" in line)
    return {key.strip(): value.strip() for key, _, value in pairs}


class Weights(Mapping[str, Array]):
    """The parameters of a model or of a checkpoint, by the names of the paper.

    A matrix is stored as [inputs, outputs], and a bias as [1, outputs]. docs/model.md lists the names. An array is
    created each time it is asked for, on the same memory, and is read-only."""

    def __init__(
        self, path: str, shapes: dict[str, tuple[int, ...]], data: dict[str, memoryview], metadata: dict[str, str]
    ):
        self.path = path
        self.shapes = shapes
        """The shape of each array."""
        self.metadata = metadata
        """The texts of the file: configuration, vocabularies and merges."""
        self._data = data

    @property
    def configuration(self) -> dict[str, str]:
        """The options of the model and of its training, for instance `{"dim-emb": "192", …}`."""
        return read_configuration(self.metadata.get("config", ""))

    def __getitem__(self, name: str) -> Array:
        return float_array(self._data[name], self.shapes[name], little_endian=True)

    def __iter__(self) -> Iterator[str]:
        return iter(self.shapes)

    def __len__(self) -> int:
        return len(self.shapes)

    def __repr__(self) -> str:
        lines = (f"  {name} {list(shape)}" for name, shape in self.shapes.items())
        return "\n".join([f"Weights of {self.path}:", *lines])


def weights(path: str | os.PathLike[str]) -> Weights:
    """Reads the weights of a model: `path` is a directory with model.safetensors, or a safetensors file.

    Checkpoints can be read too; they also have the tensors of the optimizer. The checksum of the file is not compared;
    `tide info` and `tide.load` do that. Raises BadFile."""
    name = os.fspath(path)
    if os.path.isdir(name):
        name = os.path.join(name, "model.safetensors")
    try:
        with open(name, "rb") as file:
            header, data = _read(name, file.read(8), file)
    except OSError as error:
        if isinstance(error, BadFile):
            raise
        raise BadFile(f"{name}: {error.strerror}") from error
    return _weights(name, header, data)


def _read(name: str, start: bytes, file: Any) -> tuple[dict[str, Any], memoryview]:
    """Reads the JSON header and the data of an open file. The first 8 bytes are the size of the header."""
    if len(start) < 8:
        raise BadFile(f"{name}: not a safetensors file: it is too short")
    (size,) = struct.unpack("<Q", start)
    if size > HEADER_LIMIT:
        raise BadFile(f"{name}: not a safetensors file: a header of {size} bytes")
    text = file.read(size)
    if len(text) < size:
        raise BadFile(f"{name}: not a safetensors file: it ends inside its header")
    try:
        header = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise BadFile(f"{name}: not a safetensors file: its header is not valid JSON ({error})") from None
    if not isinstance(header, dict):
        raise BadFile(f"{name}: not a safetensors file: its header is not a JSON object")
    return header, memoryview(file.read())


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    object = dict(pairs)
    if len(object) < len(pairs):
        raise ValueError("a name occurs twice")
    return object


def _weights(name: str, header: dict[str, Any], data: memoryview) -> Weights:
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise BadFile(f"{name}: the metadata are not texts")
    spans = sorted((*_span(name, tensor, entry), tensor) for tensor, entry in header.items())
    at = 0
    for begin, end, shape, tensor in spans:
        if begin != at:
            fault = f"tensor {tensor} overlaps another one" if begin < at else f"byte {at} belongs to no tensor"
            raise BadFile(f"{name}: {fault}")
        at = end
    if at != len(data):
        raise BadFile(f"{name}: the tensors have {at} bytes of data, but the file has {len(data)}")
    shapes = {tensor: shape for _, _, shape, tensor in spans}
    return Weights(name, shapes, {tensor: data[begin:end] for begin, end, _, tensor in spans}, metadata)


def _span(name: str, tensor: str, entry: Any) -> tuple[int, int, tuple[int, ...]]:
    """The bytes and the shape of a tensor. The sizes that a file claims are not trusted."""
    try:
        kind, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
        sound = isinstance(shape, list) and all(type(number) is int for number in [*shape, begin, end])
    except (TypeError, KeyError, ValueError):
        sound = False
    if not sound:
        raise BadFile(f"{name}: tensor {tensor} is not described as the safetensors format requires")
    if kind != "F32":
        raise BadFile(f"{name}: tensor {tensor} has the type {kind}, but only F32 is supported")
    if not shape or min(shape) < 1 or begin < 0 or 4 * math.prod(shape) != end - begin:
        raise BadFile(f"{name}: tensor {tensor} has the shape {shape}, but {end - begin} bytes of data")
    return begin, end, tuple(shape)
