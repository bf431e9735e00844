"""What objects hold or work out is read alone, and tells of a name that it does not have."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pytest

import roofdsl as rd
from roofdsl.read_only import ReadOnly

TEXT = """
unit euro
resource nvme: B
model sort {
    param n: integer; param P: processes = 1
    flops = 2*n; memory = 16 B*n; nvme = 8 B*n; total even
    tally footprint: B = 8 B*n
    metric rate: GB/s = memory / time
}
model several {
    param n: integer
    step sort = sort(n = n, P = 1); overlap { step scan = sort(n = 2, P = 1) }
}
machine box {
    flops = 1 TFLOP/s; memory = 100 ± 5 GB/s; nvme = 2 GB/s; power = 200 W; price = 3.6 euro/h
    capacity memory = 1 GiB
}
"""


@pytest.fixture(scope="module")
def module() -> rd.Module:
    return rd.loads(TEXT)


@pytest.fixture(scope="module")
def prediction(module: rd.Module) -> rd.Prediction:
    return module.models["sort"].on(module.machines["box"])


@pytest.fixture(scope="module")
def result(module: rd.Module) -> rd.Result:
    return module.models["several"].on(module.machines["box"]).evaluate(n=4)


MADE: dict[str, Callable[[rd.Module], object]] = {
    "module": lambda m: m,
    "model": lambda m: m.models["sort"],
    "machine": lambda m: m.machines["box"],
    "ridge": lambda m: m.machines["box"].ridge,
    "prediction": lambda m: m.models["sort"].on(m.machines["box"]),
    "work": lambda m: m.models["sort"].evaluate(n=4),
    "result": lambda m: m.models["sort"].on(m.machines["box"]).evaluate(n=4),
    "step": lambda m: m.models["several"].on(m.machines["box"]).evaluate(n=4).steps["sort"],
    "sweep": lambda m: m.models["sort"].on(m.machines["box"]).sweep(n=[2, 4]),
    "columns": lambda m: m.models["sort"].on(m.machines["box"]).sweep(n=[2, 4]).columns(),
    "asymptotics": lambda m: m.models["sort"].on(m.machines["box"]).asymptotic("n"),
}


def open_to_change(made: object, name: str) -> Iterator[str]:
    """Yield the names of mappings and arrays that could be changed, to any depth."""
    if isinstance(made, dict) and not isinstance(made, ReadOnly):
        yield name
    if isinstance(made, np.ndarray) and made.flags.writeable:
        yield name
    if isinstance(made, Mapping):
        for key, item in made.items():
            yield from open_to_change(item, f"{name}[{key!r}]")
    if isinstance(made, tuple):
        for place, item in enumerate(made):
            yield from open_to_change(item, f"{name}[{place}]")


@pytest.mark.parametrize("what", MADE)
def test_all_that_is_public_is_read_alone(what: str, module: rd.Module) -> None:
    made = MADE[what](module)
    names = [] if isinstance(made, Mapping) else [name for name in dir(made) if name != "asked"]
    held = [(what, made), *((f"{what}.{name}", getattr(made, name, None)) for name in names)]
    assert [found for name, item in held for found in open_to_change(item, name)] == []


def test_what_a_sweep_works_out_is_no_copy_that_is_changed_in_vain(
    prediction: rd.Prediction,
) -> None:
    sweep = prediction.sweep(n=[2, 4])
    for array in (sweep.OI, sweep.bound, sweep.shares["nvme"], sweep.quantities["time"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    rates = prediction.machine.rates
    with pytest.raises(TypeError, match=r"^what an answer holds cannot be changed"):
        rates["memory"] = 2e9  # type: ignore[index]  # what a checker sees, too


def test_a_name_that_is_not_there_is_told_the_near_one(
    module: rd.Module, result: rd.Result
) -> None:
    mappings: list[tuple[Mapping[str, object], str, str]] = [
        (result.steps, "srot", "there is no 'srot'; did you mean 'sort'?"),
        (result.steps, "x", "there is no 'x'; what there is: 'sort' and 'scan'"),
        (
            result.uncertainty,
            "memory.time",
            "there is no 'memory.time'; what there is: 'time.memory'",
        ),
        (result.steps["sort"].steps, "x", "there is no 'x'; what there is: none"),
        (module.models, "sevral", "there is no 'sevral'; did you mean 'several'?"),
        (module.machines["box"].rates, "memroy", "there is no 'memroy'; did you mean 'memory'?"),
    ]
    for held, name, message in mappings:
        assert name not in held and held.get(name) is None
        with pytest.raises(KeyError) as caught:
            held[name]
        sent: object = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own
        assert str(caught.value) == str(sent) == message and caught.value.args == (name,)
    for asked in (result.steps.share, result.steps.count):
        with pytest.raises(KeyError, match="did you mean 'sort'"):
            asked("srot")
    with pytest.raises(KeyError, match="what there is: none"):
        result.steps["sort"].steps.count("x")


def test_an_attribute_that_is_not_there_is_told_the_near_one(prediction: rd.Prediction) -> None:
    for made in (prediction.evaluate(n=4), prediction.sweep(n=[4])):
        with pytest.raises(AttributeError, match=r" has no 'bond'; did you mean 'bound'\?$"):
            _ = made.bond  # type: ignore[union-attr]  # that is the mistake
        with pytest.raises(AttributeError, match=r" has no 'raet'; did you mean 'rate'\?$"):
            _ = made.raet  # type: ignore[union-attr]  # that is the mistake


@pytest.mark.parametrize(
    ("given", "told"),
    [("x", "not str"), (3, "not int"), ([3], "of int"), (rd.Diagnostic("R0404", ""), "not D")],
)
def test_an_error_is_made_of_diagnostics_alone(given: object, told: str) -> None:
    with pytest.raises(TypeError, match=rf"^RoofError takes a list of Diagnostic.* {told}"):
        rd.RoofError(given)  # type: ignore[arg-type]  # that is the mistake
