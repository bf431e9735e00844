"""The nine networks that ship with the onnx package, against a count from their messages."""

from __future__ import annotations

import re
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
    """Return the model of a network; those of its blocks stand behind it."""
    return next(iter(rd.loads(text).models.values()))


def steps_of(text: str) -> int:
    """Return how many steps run, those of a block in each of its rounds."""
    first, *blocks = text.split("\nmodel ")[1:]
    sizes = {block.split()[0]: block.count("\n    step ") for block in blocks}
    repeats = re.findall(r"repeat (\d+) \{\n        step \w+ = (\w+)\(", first)
    again = sum(int(rounds) * sizes[model] for rounds, model in repeats)
    return first.count("\n    step ") + again


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
    assert steps_of(found.text) == steps
