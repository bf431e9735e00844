"""Small graphs of ONNX, made for each test: operators, shapes, names, shared weights, odd files."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli
from roofdsl.importers.given import Given, Imported
from roofdsl.importers.onnx_files import reader

onnx = pytest.importorskip("onnx", reason="onnx is not installed")

from onnx import TensorProto, helper  # noqa: E402, after the check above

Sides = tuple[int | str, ...]


def weight(name: str, *sides: int) -> Any:
    """A weight whose contents are in another file, which is not there."""
    tensor = onnx.TensorProto(name=name, dims=sides, data_type=TensorProto.FLOAT)
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="../../etc/passwd")
    return tensor


def whole(name: str, *numbers: int) -> Any:
    return helper.make_tensor(name, TensorProto.INT64, [len(numbers)], numbers)


def graph(
    nodes: list[Any], inputs: dict[str, Sides], stored: tuple[Any, ...] = (), opset: int = 17
) -> bytes:
    """Return a file whose output is what its last node makes."""
    given = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in inputs.items()]
    out = helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, None)
    made = helper.make_graph(nodes, "made", given, [out], [*stored])
    versions = [helper.make_opsetid("", opset), helper.make_opsetid("my", 1)]
    data: bytes = helper.make_model(made, opset_imports=versions).SerializeToString()
    return data


def imported(data: bytes) -> Imported:
    found, problems = reader.read(Given(Path("made.onnx"), "made.onnx", data))
    assert problems == ()
    assert found is not None
    return found


def values(data: bytes, **sizes: int) -> dict[str, Any]:
    model = next(iter(rd.loads(imported(data).text).models.values()))
    return dict(model.evaluate(**sizes))


def test_shared_weights_count_once() -> None:
    data = graph(
        [
            helper.make_node("Gather", ["table", "words"], ["a"]),
            helper.make_node("Gemm", ["a", "w", "b"], ["c"], transB=1),
            helper.make_node("Relu", ["c"], ["d"]),
            helper.make_node("Gemm", ["d", "w", "b"], ["e"], transB=1),
            helper.make_node("Transpose", ["table"], ["turned"], perm=[1, 0]),
            helper.make_node("MatMul", ["e", "turned"], ["f"]),
        ],
        {},
        (weight("table", 100, 8), weight("w", 8, 8), weight("b", 8)),
    )
    words = helper.make_tensor_value_info("words", TensorProto.INT64, ["words"])
    model = onnx.ModelProto.FromString(data)
    model.graph.input.append(words)
    data = model.SerializeToString()
    assert "param batch: integer" in imported(data).text
    found = values(data, batch=5)
    assert found["parameters"] == 800 + 64 + 8
    assert found["multiply_adds"] == 5 * (64 + 64 + 800)
    assert found["weights"] == 4 * 872


def test_weights_that_are_made_from_others_count_as_they_are_in_the_file() -> None:
    quantised = helper.make_tensor("q", TensorProto.INT8, [8, 8], bytes(64), raw=True)
    nodes = [
        helper.make_node("Concat", ["one", "other"], ["both"], axis=1),
        helper.make_node("MatMul", ["x", "both"], ["a"]),
        helper.make_node("Mul", ["w", "half"], ["scaled"]),
        helper.make_node("MatMul", ["a", "scaled"], ["b"]),
        helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["d"]),
        helper.make_node("MatMul", ["b", "d"], ["y"]),
    ]
    stored = (weight("one", 6, 3), weight("other", 6, 5), weight("w", 8, 8), quantised)
    scalars = [helper.make_tensor(name, TensorProto.FLOAT, [], [0.5]) for name in ("half", "scale")]
    zero = helper.make_tensor("zero", TensorProto.INT8, [], [0])
    found = values(graph(nodes, {"x": ("N", 6)}, (*stored, *scalars, zero)), batch=3)
    assert found["parameters"] == 18 + 30 + 64 + 64
    assert found["multiply_adds"] == 3 * (48 + 64 + 64)


@pytest.mark.parametrize(
    ("kernel", "settings", "places"),
    [
        ((3, 3), {"pads": [1, 1, 1, 1]}, (9, 13)),
        ((3, 5), {"strides": [2, 1], "pads": [0, 2, 1, 2]}, (4, 13)),
        ((3, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}, (5, 7)),
        ((2, 4), {"auto_pad": "SAME_LOWER"}, (9, 13)),
        ((3, 3), {"auto_pad": "VALID", "dilations": [2, 3]}, (5, 7)),
    ],
)
def test_convolutions(
    kernel: tuple[int, int], settings: dict[str, Any], places: tuple[int, int]
) -> None:
    node = helper.make_node("Conv", ["x", "w"], ["y"], group=2, **settings)
    data = graph([node], {"x": ("N", 6, 9, 13)}, (weight("w", 8, 3, *kernel),))
    found = values(data, batch=3)
    each = 8 * 3 * kernel[0] * kernel[1]
    assert found["parameters"] == each
    assert found["multiply_adds"] == 3 * each * places[0] * places[1]


def test_the_elements_that_are_read_are_those_in_windows() -> None:
    node = helper.make_node("Conv", ["x", "w"], ["y"], strides=[3, 4], pads=[1, 0, 0, 0])
    data = graph([node], {"x": (1, 2, 10, 9)}, (weight("w", 5, 2, 2, 1),))
    rows = {row for start in range(-1, 9, 3) for row in (start, start + 1) if row >= 0}
    read = 2 * len(rows) * len({0, 4, 8})
    assert values(data, batch=2)["memory"] == 4 * (2 * read + 20 + 2 * 5 * 4 * 3)


def test_layers_of_transformers_and_of_recurrent_networks() -> None:
    norm = helper.make_node("LayerNormalization", ["x", "g", "b"], ["n"], axis=-1)
    turned = helper.make_node("Transpose", ["n"], ["t"], perm=[1, 0, 2])
    cells = helper.make_node(
        "LSTM", ["t", "W", "R", "B"], ["y"], hidden_size=6, direction="bidirectional"
    )
    stored = (weight("g", 8), weight("b", 8), weight("W", 2, 24, 8), weight("R", 2, 24, 6))
    data = graph(
        [norm, turned, cells], {"x": ("N", "seq", 8)}, (*stored, weight("B", 2, 48)), opset=17
    )
    found = values(data, batch=3, seq=5)
    assert found["parameters"] == 16 + 2 * (24 * 8 + 24 * 6 + 48)
    assert found["multiply_adds"] == 2 * 3 * 5 * 24 * (8 + 6)


def test_products_of_two_tensors_are_no_parameters() -> None:
    nodes = [
        helper.make_node("Transpose", ["k"], ["t"], perm=[0, 1, 3, 2]),
        helper.make_node("MatMul", ["q", "t"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["p"], axis=-1),
        helper.make_node("MatMul", ["p", "v"], ["y"]),
    ]
    sides: Sides = ("N", 4, 9, 8)
    found = values(graph(nodes, {"q": sides, "k": sides, "v": sides}), batch=2)
    assert found.get("parameters", 0) == 0
    assert found["multiply_adds"] == 2 * 2 * 4 * 9 * 9 * 8


def test_a_stated_batch_is_left_open_where_no_shape_hangs_on_it() -> None:
    nodes = [
        helper.make_node("Reshape", ["x", "s"], ["a"]),
        helper.make_node("MatMul", ["a", "w"], ["y"]),
    ]
    free = graph(nodes, {"x": (4, 2, 3)}, (whole("s", 4, 6), weight("w", 6, 5)))
    assert values(free, batch=7)["multiply_adds"] == 7 * 30
    fixed = graph(nodes, {"x": (4, 2, 3)}, (whole("s", 2, 12), weight("w", 12, 5)))
    assert values(fixed)["multiply_adds"] == 2 * 60
    (note,) = imported(fixed).notes
    assert note == "its first dimension is as in the file: shapes hang on it"


def test_what_has_no_rule_is_named_and_in_no_number() -> None:
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("Mixer", ["a", "k"], ["b"], name='odd "\n}', domain="my"),
        helper.make_node("Einsum", ["a", "a"], ["c"], equation="ij,kj->ik"),
        helper.make_node("Relu", ["a"], ["d"]),
        helper.make_node("Sum", ["c", "b"], ["e"]),
        helper.make_node("Sum", ["e", "d"], ["y"]),
    ]
    found = imported(graph(nodes, {"x": ("N", 6)}, (weight("w", 6, 6), weight("k", 9))))
    assert found.notes[0] == "left out, in no number: my.Mixer to unknown shape"
    assert found.notes[1] == "left out, in no number: Einsum to batch × batch"
    assert "    # left out, in no number: my.Mixer 'odd \"\\x0a}' to unknown shape" in found.text
    tallies = dict(next(iter(rd.loads(found.text).models.values())).evaluate(batch=2))
    assert tallies["left_out"] == 4  # sums with what is not known are not known
    assert tallies["multiply_adds"] == 2 * 36
    assert tallies["parameters"] == 36 + 9  # those that only such an operator reads are counted


def test_names_are_mended() -> None:
    nodes = [
        helper.make_node("Relu", ["x"], ["a"], name="/model/3x3/Relu"),
        helper.make_node("Relu", ["a"], ["b"], name="step"),
        helper.make_node("Relu", ["b"], ["c"], name="batch"),
        helper.make_node("Relu", ["c"], ["d"], name="dtype"),
        helper.make_node("Relu", ["d"], ["e"], name="STEP!"),
        helper.make_node("Relu", ["e"], ["y"], name="模型"),
    ]
    text = imported(graph(nodes, {"x": ("batch size", 4)})).text
    names = [line.split()[1] for line in text.splitlines() if line.startswith("    step ")]
    assert names == ["model_3x3_relu", "relu_step", "batch_2", "dtype_2", "relu_step_2", "relu"]


WRONG = {
    "nothing": b"",
    "another file": b"\x89PNG\r\n\x1a\n" + bytes(100),
    "a tensor": weight("w", 2, 3).SerializeToString(),
    "cut off": graph([helper.make_node("Relu", ["x"], ["y"])], {"x": (1, 2)})[:-20],
    "a circle": graph(
        [helper.make_node("Relu", ["b"], ["a"]), helper.make_node("Relu", ["a"], ["b"])], {}
    ),
    "a gap": graph([helper.make_node("Relu", ["x"], ["y"])], {}),
    "negative sides": graph([helper.make_node("Relu", ["x"], ["y"])], {"x": (-1, 2)}),
    "no elements": graph([helper.make_node("Relu", ["x"], ["y"])], {"x": (0, 2)}),
    "windows without end": graph(
        [helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2**40], pads=[2**40, 2**40])],
        {"x": (1, 1, 2**41)},
    ),
    "no windows": graph(
        [helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2], strides=[0, 0])],
        {"x": (1, 1, 4, 4)},
    ),
    "shapes that do not fit": graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], {"x": (1, 2)}, (weight("w", 3, 4),)
    ),
    "a network without rules": graph(
        [helper.make_node("Mixer", ["x"], ["y"], domain="my")], {"x": (1, 2)}
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_of_a_wrong_file_nothing_is_written(what: str, tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes(WRONG[what])
    target = tmp_path / "net.roof"
    target.write_text("what was there before", encoding="utf-8")
    run = CliRunner().invoke(cli, ["import", str(tmp_path / "net.onnx"), "-o", str(target)])
    assert run.exit_code == 1
    assert isinstance(run.exception, rd.RoofError)
    assert [each.code for each in run.exception.diagnostics] == ["R1212"]
    assert target.read_text(encoding="utf-8") == "what was there before"


def test_changed_bytes_give_a_network_or_an_error() -> None:
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["a"], strides=[2, 2], pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["a", "b", "b", "b", "b"], ["c"]),
        helper.make_node("MaxPool", ["c"], ["d"], kernel_shape=[2, 2]),
        helper.make_node("Flatten", ["d"], ["e"]),
        helper.make_node("Gemm", ["e", "v"], ["y"], transB=1),
    ]
    stored = (weight("w", 4, 3, 3, 3), weight("b", 4), weight("v", 7, 64))
    good = graph(nodes, {"x": (1, 3, 16, 16)}, stored)
    draw, read = random.Random(7), 0
    for _ in range(60):
        data = bytearray(good)
        for _ in range(draw.randint(1, 6)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        if draw.random() < 0.2:
            del data[draw.randrange(len(data)) :]
        found, problems = reader.read(Given(Path("made.onnx"), "made.onnx", bytes(data)))
        assert (found is None) == bool(problems)
        if found is not None:
            read += 1
            rd.loads(found.text)
    assert read > 5


def test_a_long_chain_is_read_and_a_longer_one_is_not() -> None:
    def chain(length: int) -> bytes:
        names = [f"t{place}" for place in range(length + 1)]
        nodes = [helper.make_node("Relu", [names[n]], [names[n + 1]]) for n in range(length)]
        return graph(nodes, {"t0": ("N", 2)})

    assert "    repeat 666 {" in imported(chain(2000)).text
    assert imported(chain(2001)).text.count("    step ") == 2001
    found, problems = reader.read(Given(Path("made.onnx"), "made.onnx", chain(50_001)))
    assert found is None
    assert problems[0].message == "'made.onnx' has 50,001 operators; at most 50,000 are read"


@pytest.mark.parametrize(
    ("what", "value"), [("MOST_SECONDS", 1e-4), ("sys.executable", "no such program")]
)
def test_a_package_that_ends_or_goes_on_is_an_error(what: str, value: float | str) -> None:
    data = graph([helper.make_node("Relu", ["x"], ["y"])], {"x": (1, 2)})
    with patch(f"roofdsl.importers.onnx_files.inference.{what}", value):
        found, problems = reader.read(Given(Path("made.onnx"), "made.onnx", data))
    assert found is None
    assert "has shapes that the package 'onnx' cannot work out" in problems[0].message
