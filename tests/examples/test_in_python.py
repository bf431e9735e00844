"""The programs of `examples/` written in Python alone: they say what the files say."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import roofdsl as rd
from examples.python.cluster import cluster
from examples.python.conjugate_gradient import cg, cg_iteration
from examples.python.hash_join import box, hash_join, two_drives
from examples.python.mixture_of_experts import card, moe_decode
from examples.python.particle_in_cell import pic
from examples.python.pencil_fft import fft3d, lines, transpose
from examples.python.stencil27 import stencil27, stencil27_waiting
from roofdsl.analysis.testing import run_tests

ROOT = Path(__file__).parents[2]


class Program(NamedTuple):
    """A model and a machine, where the same two stand in files, and what is asked of them."""

    model: rd.Model
    machine: rd.Machine
    files: tuple[str, str]
    point: dict[str, Any]
    swept: dict[str, Any]
    condition: tuple[str, str] | None = None


CLUSTER = "cluster.roof"
JOIN = "hash_join.roof"
PROGRAMS = [
    Program(
        cg,
        cluster,
        ("conjugate_gradient.roof:cg", CLUSTER),
        {"N": 2**30, "P": 64},
        {"P": [64, 4096, 2**18]},
        ("P", "reductions >= 0.1"),
    ),
    Program(
        cg_iteration,
        cluster,
        ("conjugate_gradient.roof:cg_iteration", CLUSTER),
        {"N": 2**30, "P": 2**18},
        {"N": [2**20, 2**30]},
        ("N", "bound = memory"),
    ),
    Program(
        fft3d,
        cluster,
        ("pencil_fft.roof:fft3d", CLUSTER),
        {"N": 1024, "Pr": 32, "Pc": 32},
        {"N": [64, 512, 4096]},
    ),
    Program(
        lines,
        cluster,
        ("pencil_fft.roof:lines", CLUSTER),
        {"points": 1e6, "N": 1024, "dtype": "fp64"},
        {"N": [2, 1024, 2**40]},
        ("N", "time > 10 ms"),
    ),
    Program(
        transpose,
        cluster,
        ("pencil_fft.roof:transpose", CLUSTER),
        {"bytes": "16 MB", "ranks": 32},
        {"ranks": [1, 32, 100_000]},
        ("ranks", "bound = network"),
    ),
    Program(
        pic,
        cluster,
        ("particle_in_cell.roof:pic", CLUSTER),
        {"cells": 64, "P": 64},
        {"cells": [2, 64, 256]},
        ("cells", "hidden < 0.9"),
    ),
    Program(
        moe_decode,
        card,
        ("mixture_of_experts.roof:moe_decode", "mixture_of_experts.roof:card"),
        {"batch": 128},
        {"batch": [1, 16, 128]},
        ("batch", "footprint <= 141 GB"),
    ),
    Program(
        stencil27,
        cluster,
        ("stencil27.roof:stencil27", CLUSTER),
        {"n": 256, "P": 64},
        {"n": [3, 8, 256]},
        ("n", "exposed > 0 us"),
    ),
    Program(
        stencil27_waiting,
        cluster,
        ("stencil27.roof:stencil27_waiting", CLUSTER),
        {"n": 256, "P": 64},
        {"n": [3, 8, 256]},
        ("n", "bound = memory"),
    ),
    Program(
        hash_join,
        box,
        (f"{JOIN}:hash_join", f"{JOIN}:box"),
        {"R": "1000 GB", "S": "3000 GB"},
        {"R": [10**11, 10**12]},
        ("R", "spilled > 0.5"),
    ),
    Program(
        hash_join,
        two_drives,
        (f"{JOIN}:hash_join", f"{JOIN}:two_drives"),
        {"R": "400 GB", "S": "3200 GB"},
        {"S": [10**11, 10**12]},
    ),
]
IDS = [f"{program.model.name} on {program.machine.name}" for program in PROGRAMS]


@pytest.fixture(autouse=True)
def here() -> Iterator[None]:
    with chdir(ROOT):
        yield


def in_files(program: Program) -> rd.Prediction:
    model, machine = (f"examples/{name}" for name in program.files)
    return rd.load_model(model).on(rd.load_machine(machine))


@pytest.mark.parametrize("program", PROGRAMS, ids=IDS)
def test_they_say_what_the_files_say(program: Program) -> None:
    assert said(program.model.on(program.machine), program) == said(in_files(program), program)


@pytest.mark.parametrize("program", PROGRAMS, ids=IDS)
def test_their_text_means_the_same_and_is_read_back(program: Program) -> None:
    model = rd.loads(program.model.text).models[program.model.name]
    machine = rd.loads(program.machine.text).machines[program.machine.name]
    assert (model, machine) == (program.model, program.machine)
    assert said(model.on(machine), program) == said(in_files(program), program)
    assert pickle.loads(pickle.dumps(program.model)) == model  # noqa: S301 - our own


@pytest.mark.parametrize("program", PROGRAMS, ids=IDS)
def test_they_can_be_kept_as_files(program: Program, tmp_path: Path) -> None:
    program.model.save(tmp_path / "model.roof")
    program.machine.save(tmp_path / "machine.roof")
    model = rd.load_model(f"{tmp_path / 'model.roof'}:{program.model.name}")
    machine = rd.load_machine(f"{tmp_path / 'machine.roof'}:{program.machine.name}")
    assert said(model.on(machine), program) == said(in_files(program), program)


def said(prediction: rd.Prediction, program: Program) -> list[object]:
    """Return what is said of a prediction at a point, over a range, and of a condition."""
    point = dict(program.point)
    told: list[object] = [prediction.evaluate(**point).to_dict()]
    told += map(repr, prediction.sweep(**{**point, **program.swept}).rows())
    if program.condition is not None:
        unknown, condition = program.condition
        del point[unknown]
        told.append(prediction.where(condition, unknown, 3, 10**6, **point).to_dict())
    return told


FILES = {
    "conjugate_gradient": (cg, cg_iteration, cluster),
    "pencil_fft": (fft3d, lines, transpose, cluster),
    "particle_in_cell": (pic, cluster),
    "mixture_of_experts": (moe_decode, card),
    "stencil27": (stencil27, stencil27_waiting, cluster),
    "hash_join": (hash_join, box, two_drives),
}


@pytest.mark.parametrize("name", FILES)
def test_the_tests_of_the_files_hold_of_them(name: str) -> None:
    module = rd.load(f"examples/{name}.roof").definition
    models = {x.name: x.definition for x in FILES[name] if isinstance(x, rd.Model)}
    machines = {x.name: x.definition for x in FILES[name] if isinstance(x, rd.Machine)}
    assert {*module.models} == {*models} and {*module.machines} <= {*machines}
    used = {key: replace(each, machines=machines) for key, each in module.imports.items()}
    outcomes = run_tests(replace(module, models=models, machines=machines, imports=used))
    assert outcomes and all(outcome.passed for outcome in outcomes), outcomes
