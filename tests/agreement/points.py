"""Points to compare all answers at: bundled models, machines each runs on, their precisions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from itertools import islice
from random import Random

import pytest

from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.example import point_of
from roofdsl.diagnostic import RoofError
from roofdsl.expression.tree import Number
from roofdsl.model.arguments import Argument
from roofdsl.model.library import bundled, load_module, shown_path
from roofdsl.model.precision import PRECISIONS, code
from roofdsl.model.types import Definition, MachineDefinition, ModelDefinition

ALL = os.environ.get("ROOFDSL_AGREEMENT") == "all"
ALIKE = {"networks.resnet152", "networks.llama2_serving", "networks.megatron"}
ALIKE |= {f"networks.{name}" for name in ("gpt", "llama", "moe", "gpt3", "mixtral_8x7b")}
ALIKE |= {f"networks.llama2_{size}" for size in ("7b", "13b", "70b")}
"""Of the parts of others, resnet50, or instances of them; one such prediction takes a second."""
MACHINES = 3
"""On how many each model is looked at."""
PREFERRED = ("h100_sxm", "karst", "i7_titan", "xeon_e5630", "a100_sxm_80gb", "blue_waters_xe")
# Models whose requirements no simple example meets.
LLAMA = {"layers": 2, "hidden": 1024, "heads": 8, "vocabulary": 1024, "inner": 4096}
DRAFT = {"draft_layers": 1, "draft_hidden": 256, "draft_heads": 4, "draft_inner": 1024}
GIVEN: dict[str, dict[str, int | Fraction]] = {
    "handed_on": {"bytes": 1000},
    "decoder_serving": {**LLAMA, "batch": 4, "prompt": 64, "output": 256},
    "llama_steady": {**LLAMA, "prompt": 64, "output": 256, "running": 8},
    "llama_chunked": {**LLAMA, "prompt": 64, "output": 256, "running": 8},
    "llama_step": {**LLAMA, "batch": 4, "kept": 64, "chunk": 16},
    "llama_speculative": {**LLAMA, **DRAFT, "batch": 4, "kept": 64},
    "pipeline_parallel": {"B": 2, "s": 128, "h": 1024, "stages": 4, "busy": Fraction(1, 100)},
    "interleaved_pipeline": {
        "microbatches": 8,
        "stages": 4,
        "chunks": 2,
        "forward": 1,
        "backward": 2,
    },
    "bottleneck": {"batch": 2, "Ci": 256, "H": 56, "width": 64},
    "bottleneck_backward": {"batch": 2, "Ci": 256, "H": 56, "width": 64},
    "perdome": {"I": Fraction(17, 10), "I_C": Fraction(1, 10), "I_G": Fraction(2)},
    "perdome_dependent": {
        "I": Fraction(17, 10),
        "I_C": Fraction(1, 10),
        "I_G": Fraction(2),
        "groups": Fraction(4),
    },
}


@dataclass(frozen=True)
class Point:
    """One prediction and its answer; everything else is compared with that.

    `first` is one for each model and machine.
    """

    arguments: dict[str, Argument]
    prediction: Prediction
    result: Result
    first: bool

    @property
    def name(self) -> str:
        given = ", ".join(f"{name} = {value}" for name, value in self.result.parameters.items())
        return f"{self.result.model} on {self.result.machine} at {given}"


def files() -> list[str]:
    """Return the bundled files that hold models; by default without what others stand for."""
    return [name for name in bundled("model") if models_of(name) and (ALL or name not in ALIKE)]


def by_file(names: Iterable[str]) -> pytest.MarkDecorator:
    """Try bundled files one by one; all tests of one follow one another, and share its points."""
    return pytest.mark.parametrize("file", [*names], scope="session")


def points(file: str) -> Iterator[Point]:
    """Yield all points of the models of a file: on three machines, at all precisions."""
    for model in models_of(file):
        running = (
            list(_at_precisions(file, model, machine, None)) for machine in bundled_machines(file)
        )
        for found in islice(filter(None, running), MACHINES):
            yield from found


def everywhere(file: str) -> Iterator[Point]:
    """Yield a point of each model of a file on every machine that it runs on."""
    for model in models_of(file):
        for machine in bundled_machines(file):
            yield from islice(_at_precisions(file, model, machine, None), 1)


def first(file: str) -> Iterator[Point]:
    """Yield a point of each model of a file on the first machine that it runs on."""
    for model in models_of(file):
        running = (next(_at_precisions(file, model, m, None), None) for m in bundled_machines(file))
        yield from islice(filter(None, running), 1)


def sample(file: str, seed: int, *, mixed: bool = True) -> Iterator[Point]:
    """Yield one point of each model of a file, on any machine and at any precision it allows.

    Unless machines are `mixed`, each model is on the first one that it runs on.
    """
    for model in models_of(file):
        random = Random(f"{seed} {file} {model.name}")
        tried = bundled_machines(file)
        machines = random.sample(tried, len(tried)) if mixed else tried
        running = (next(_at_precisions(file, model, machine, random), None) for machine in machines)
        yield from islice(filter(None, running), 1)


def reference(definition: Definition) -> str:
    """Return the name by which a bundled model or machine is asked for."""
    files = {**bundled("model"), **bundled("machine")}
    source = definition.span.source.name
    return next(f"{x}:{definition.name}" for x, path in files.items() if shown_path(path) == source)


@cache
def models_of(file: str) -> tuple[ModelDefinition, ...]:
    path = bundled("model")[file]
    return tuple(load_module(path, shown_path(path)).models.values())


def is_family(model: ModelDefinition) -> bool:
    """Whether a model is a family of networks or its block: formulas in all sizes are long."""
    opened = {parameter.name for parameter in model.parameters if parameter.default is None}
    sizes = ({"layers", "hidden", "heads"}, {"M", "h", "experts"})
    return any(opened >= each for each in sizes) or len(model.parameters) > 20


@cache
def bundled_machines(file: str) -> tuple[MachineDefinition, ...]:
    """Return the machines to try: those of the file, those preferred, all others."""
    path = bundled("model")[file]
    own = load_module(path, shown_path(path)).machines
    shared = {
        name: machine
        for each in bundled("machine").values()
        for name, machine in load_module(each, shown_path(each)).machines.items()
    }
    preferred = {name: shared[name] for name in PREFERRED}
    return tuple({**own, **preferred, **shared}.values())


@cache
def _example(file: str, model: str) -> dict[str, Argument] | None:
    definition = next(each for each in models_of(file) if each.name == model)
    if model in GIVEN:
        return {name: (Number(Fraction(value)), None) for name, value in GIVEN[model].items()}
    asked = [ModelOnMachine(definition, machine) for machine in bundled_machines(file)]
    found = point_of(definition, asked, {})
    return None if found is None else found.arguments


def _at_precisions(
    file: str, model: ModelDefinition, machine: MachineDefinition, random: Random | None
) -> Iterator[Point]:
    example = _example(file, model.name)
    assert example is not None, f"no example of {model.name} in {file} runs anywhere"
    asked = [each.name for each in model.parameters if each.kind == "precision"]
    precisions = list(PRECISIONS) if asked else [""]
    named = {x.key for each in (machine, *machine.devices.values()) for x in each.rates}
    first, refused = True, False
    for precision in random.sample(precisions, len(precisions)) if random else precisions:
        # What is refused at one precision that a machine does not name is refused at all of them.
        unnamed = f"flops.{precision}" not in named
        if unnamed and refused:
            continue
        known = _known(file)
        place = model.name, machine.name, precision
        if place not in known:
            given: Argument = (Number(code(precision) if asked else Fraction(0)), None)
            known[place] = _point(model, machine, {**example, **dict.fromkeys(asked, given)})
        point = known[place]
        refused = refused or (unnamed and point is None)
        if point is not None:
            yield replace(point, first=first)
            first = False


@lru_cache(maxsize=1)
def _known(_file: str) -> dict[tuple[str, str, str], Point | None]:
    """Return where to keep the points of a file, by model, machine and precision.

    What compares them shares them; those of the file before are forgotten.
    """
    return {}


def _point(
    model: ModelDefinition, machine: MachineDefinition, arguments: dict[str, Argument]
) -> Point | None:
    prediction, problems = predict(model, machine, arguments)
    if problems or prediction.free:
        return None
    try:
        return Point(arguments, prediction, evaluated(prediction), first=True)
    except RoofError:
        return None
