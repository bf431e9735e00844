"""The nine networks that ship with the onnx package, against a count from their messages."""

from __future__ import annotations

from pathlib import Path

import pytest

import roofdsl as rd
from roofdsl.importers.given import Given, Imported
from roofdsl.importers.onnx_files import reader
from tests.importers.onnx_count import count

onnx = pytest.importorskip("onnx", reason="onnx is not installed")

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
NINE = ["bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet"]
NINE += ["squeezenet", "vgg19", "zfnet512"]
CARD = rd.load_machine("a100_sxm_80gb")


def imported(path: Path) -> Imported:
    found, problems = reader.read(Given(path, path.name, path.read_bytes()))
    assert problems == ()
    assert found is not None
    return found


def model_of(text: str) -> rd.Model:
    (model,) = rd.loads(text).models.values()
    return model


@pytest.mark.parametrize("network", NINE)
def test_multiply_adds_and_parameters_are_those_of_the_file(network: str) -> None:
    path = LIGHT / f"light_{network}.onnx"
    found = imported(path)
    expected = count(onnx.load(path))
    model = model_of(found.text)
    assert model.warnings == ()
    for batch in (1, 7):
        tallies = model.on(CARD).evaluate(batch=batch).tallies
        assert tallies["multiply_adds"] == batch * expected.multiply_adds
        assert tallies["parameters"] == expected.parameters


@pytest.mark.parametrize("network", NINE)
def test_every_operator_is_a_step_or_costs_nothing(network: str) -> None:
    path = LIGHT / f"light_{network}.onnx"
    found = imported(path)
    assert found.notes == ()
    kinds = count(onnx.load(path)).kinds
    free = {"ConstantOfShape", "Reshape", "Unsqueeze", "Dropout"}
    steps = sum(number for kind, number in kinds.items() if kind not in free)
    assert found.text.count("\n    step ") == steps
