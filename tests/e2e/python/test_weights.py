"""tide.weights reads safetensors files without libtide, and refuses damaged ones with one line."""

import json
import math
import pickle
import struct

import pytest
import tide
from conftest import MODELS, ROOT, run_tide

TINY = ROOT / "tests" / "fixtures" / "tiny-model"


def described(model):
    """The names and shapes that `tide info` prints."""
    lines = (line.split() for line in run_tide("info", model))
    shapes = (words[:3] for words in lines if len(words) > 2 and words[1].startswith("["))
    return {name: (int(rows.strip("[,")), int(cols.strip("]"))) for name, rows, cols in shapes}


@pytest.mark.parametrize("path", [MODELS / "first", str(MODELS / "none"), TINY, TINY / "model.safetensors"])
def test_names_and_shapes_are_those_of_tide_info(path):
    assert tide.weights(path).shapes == described(path)


def test_the_values_are_those_of_the_file(arrays):
    content = (TINY / "model.safetensors").read_bytes()
    (size,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + size])
    weights = tide.weights(TINY)
    assert set(weights) == set(header) - {"__metadata__"} and len(weights) == len(header) - 1
    for name, array in weights.items():
        rows, cols = header[name]["shape"]
        begin, end = header[name]["data_offsets"]
        values = struct.unpack(f"<{rows * cols}f", content[8 + size + begin : 8 + size + end])
        assert array.shape == (rows, cols)
        assert [value for row in array.tolist() for value in row] == list(values)
        assert array[rows - 1, cols - 1] == values[-1]
    assert type(array).__module__.startswith("numpy") == (arrays == "numpy")


def test_an_array_is_read_only(arrays):
    with pytest.raises((TypeError, ValueError)):
        tide.weights(TINY)["state.bs"][0, 0] = 1


def test_the_configuration_and_the_vocabulary_are_in_the_metadata():
    weights = tide.weights(MODELS / "first")
    assert weights.configuration["dim-rnn"] == "20" and weights.configuration["langs"] == "zh en"
    assert weights.metadata["source.vocab"].startswith("<pad>\n<unk>\n<s>\n</s>\n")
    assert "  attention.Wa [20, 18]" in repr(weights).splitlines()


def test_a_checkpoint_has_the_tensors_of_the_optimizer(arrays):
    weights = tide.weights(TINY / "checkpoint.safetensors")
    assert weights["optimizer.moment1"].shape == (672,) and len(weights["optimizer.moment1"].tolist()) == 672
    assert sum(math.prod(shape) for name, shape in weights.shapes.items() if "optimizer" not in name) <= 672


def test_an_unknown_name_is_a_key_error():
    with pytest.raises(KeyError, match="attention.Wb"):
        tide.weights(TINY)["attention.Wb"]


# ---- damaged files ----


def file(header, data=bytes(8)):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def one(**changes):
    """A file with one tensor x [1, 2], whose entry has these changes."""
    return file({"x": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8], **changes}})


DAMAGED = {
    "it is too short": b"1234567",
    "a header of 100000001 bytes": struct.pack("<Q", 100_000_001) + b"{}",
    "it ends inside its header": struct.pack("<Q", 3) + b"{}",
    "not valid JSON": file(b"{,}"),
    "not valid JSON (a name occurs twice)": file(b'{"x": 1, "x": 2}'),
    "not valid JSON (maximum recursion": file(b"[" * 100_000),
    "its header is not a JSON object": file([]),
    "the metadata are not texts": file({"__metadata__": {"format": 2}}),
    "tensor x is not described": one(shape="2"),
    "tensor x is not described as": one(data_offsets=[0]),
    "tensor x is not described as the": one(data_offsets=[False, 8]),
    "tensor x is not described as the safetensors": file({"x": 1}),
    "tensor x has the type F16, but only F32": one(dtype="F16"),
    "tensor x has the shape [1, 3], but 8 bytes": one(shape=[1, 3]),
    "tensor x has the shape [], but 8 bytes": one(shape=[]),
    "tensor x has the shape [-1, -2], but 8 bytes": one(shape=[-1, -2]),
    "tensor x has the shape [0, 2], but 0 bytes": one(shape=[0, 2], data_offsets=[0, 0]),
    f"tensor x has the shape [{2**62}, 2], but 8 bytes": one(shape=[2**62, 2]),
    "tensor x has the shape [1, 2], but 8 bytes of data": one(data_offsets=[-8, 0]),
    "byte 0 belongs to no tensor": one(shape=[1, 1], data_offsets=[4, 8]),
    "the tensors have 4 bytes of data, but the file has 8": one(shape=[1, 1], data_offsets=[0, 4]),
    "the tensors have 16 bytes of data, but the file has 8": one(shape=[2, 2], data_offsets=[0, 16]),
    "tensor y overlaps another one": file(
        {name: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]} for name in ("x", "y")}
    ),
}


@pytest.mark.parametrize("reason", DAMAGED)
def test_a_damaged_file_is_refused(tmp_path, reason):
    path = tmp_path / "model.safetensors"
    path.write_bytes(DAMAGED[reason])
    with pytest.raises(tide.BadFile) as refused:
        tide.weights(path)
    assert str(refused.value).startswith(f"{path}: ") and reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_model_that_is_cut_anywhere_is_refused(tmp_path):
    content = (TINY / "model.safetensors").read_bytes()
    path = tmp_path / "cut.safetensors"
    for size in range(0, len(content), 97):
        path.write_bytes(content[:size])
        with pytest.raises(tide.BadFile):
            tide.weights(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(OSError, match="nowhere: No such file") as refused:
        tide.weights(tmp_path / "nowhere")
    assert type(refused.value) is tide.BadFile
    with pytest.raises(tide.BadFile, match="model.safetensors: No such file"):
        tide.weights(tmp_path)


def test_errors_can_be_pickled():
    assert str(pickle.loads(pickle.dumps(tide.BadFile("x: y")))) == "x: y"
