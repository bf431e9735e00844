"""Maps over two unknowns: in each cell `eval` says what the cell is, and so does the law."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.mapping import map_of
from roofdsl.answer.plane import NO_VALUE, NOTHING, OUTSIDE
from roofdsl.answer.regime_map import UNDECIDED as UNDECIDED_REGION
from roofdsl.answer.regime_map import RegimeMap
from roofdsl.diagnostic import RoofError
from roofdsl.expression.substitute import substitute
from roofdsl.model.library import find_machine, find_model
from roofdsl.numeric.array import evaluate
from roofdsl.numeric.plane_cells import UNDECIDED, Cells
from tests.analysis.law import spent
from tests.analysis.programs import Program, programs
from tests.counts import ALL, inputs
from tests.unwarned import defined

THESIS = {
    "summa": "N",
    "dgemv": "N",
    "ddot": "N",
    "fft": "N",
    "stencil2d": "N",
    "mst": "V",
    "dijkstra": "V",
}
GIVEN = {"mst": {"E": "16*V"}, "dijkstra": {"E": "16*V"}}
MACHINES = ("big_red_ii", "karst", "jetstream")
SIZES, PROCESSES = (9, 10**9), (1, 10**6)
POINTS = 10
EVERY = pytest.mark.parametrize(
    ("model", "machine"),
    [
        (model, machine)
        for number, model in enumerate(THESIS)
        for machine in (MACHINES if ALL else [MACHINES[number % 3]])
    ],
)


@cache
def thesis(model: str, machine: str) -> tuple[ModelOnMachine, RegimeMap]:
    asked = ModelOnMachine(find_model(model)[0], find_machine(machine)[0])
    ends = ("P", *PROCESSES), (THESIS[model], *SIZES)
    return asked, map_of(asked, *ends, GIVEN.get(model, {}))


def cells_of(found: RegimeMap) -> Cells:
    assert found.cells is not None
    return found.cells


@EVERY
def test_next_to_all_of_the_plane_is_proven(model: str, machine: str) -> None:
    _, found = thesis(model, machine)
    cells = cells_of(found)
    first, lowest, size = cells.places.T
    across = np.log(cells.x[first + size] / cells.x[first])
    areas = across * np.log(cells.y[lowest + size] / cells.y[lowest])
    # The cells fill the plane.
    plane = np.log(PROCESSES[1] / PROCESSES[0]) * np.log(SIZES[1] / SIZES[0])
    assert areas.sum() == pytest.approx(plane, rel=1e-9)
    decided = areas[cells.codes != UNDECIDED].sum() / plane
    assert decided == pytest.approx(found.share, rel=1e-9) and decided >= 0.9999
    assert found.claim.endswith("of the plane is proven; the rest encloses the boundary")


def places_in(
    lines: NDArray[np.float64], first: NDArray[np.int32], size: NDArray[np.int32], seed: int
) -> NDArray[np.float64]:
    """Return places in cells along an axis (cells × places): the middle, then random ones."""
    low, high = lines[first][:, None], lines[first + size][:, None]
    parts = np.random.default_rng(seed).random((len(first), POINTS + 1))
    parts[:, 0] = 0.5
    return np.asarray(np.clip(low * (high / low) ** parts, low, high))


def some(found: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """Return so many of the cells, or all of them if all are to be tried."""
    if ALL or len(found) <= count:
        return found
    return np.random.default_rng(1).choice(found, count, replace=False)


@EVERY
def test_in_each_cell_the_formulas_say_what_the_cell_is(model: str, machine: str) -> None:
    asked, found = thesis(model, machine)
    cells, size = cells_of(found), THESIS[model]
    prediction = asked.bound(GIVEN.get(model, {}), ("P", size))
    chosen = some(np.flatnonzero(cells.codes >= 0), 1000)
    first, lowest, wide = cells.places[chosen].T
    values = {"P": places_in(cells.x, first, wide, 2), size: places_in(cells.y, lowest, wide, 3)}
    times = [
        evaluate(substitute(prediction.rivals[name], prediction.rates), values)
        for name in found.names
    ]
    there = np.broadcast_to(np.stack(times), (len(times), *values["P"].shape))
    assert (there.argmax(axis=0) == cells.codes[chosen][:, None]).all()


@EVERY
def test_each_cell_is_what_eval_says_at_its_whole_numbers(model: str, machine: str) -> None:
    asked, found = thesis(model, machine)
    cells = cells_of(found)
    first, lowest, size = cells.places.T
    # A process of a square in summa.
    lines = [np.sqrt(cells.x) if model == "summa" else cells.x, cells.y]
    corners = zip(lines, (first, lowest), strict=True)
    have = [np.floor(each[start + size]) >= np.ceil(each[start]) for each, start in corners]
    whole = have[0] & have[1]
    bound = some(np.flatnonzero(whole & (cells.codes >= 0)), 200)
    refused = some(np.flatnonzero(whole & (cells.codes < UNDECIDED)), 10)
    assert len(bound) and found.share is not None
    chosen = np.concatenate([bound, refused])
    places = []
    for each, start, seed in zip(lines, (first[chosen], lowest[chosen]), (2, 3), strict=True):
        low, high = np.ceil(each[start]), np.floor(each[start + size[chosen]])
        near = np.rint(places_in(each, start, size[chosen], seed))
        places.append(np.clip(near, low[:, None], high[:, None]).ravel())
    processes, sizes = places
    processes = processes**2 if model == "summa" else processes
    values = {"P": processes, THESIS[model]: sizes, **GIVEN.get(model, {})}
    sweep = asked.sweep(values, skip=True)
    codes = np.repeat(cells.codes[chosen], POINTS + 1)
    assert (sweep.answered == (codes >= 0)).all()
    assert set(codes[codes < 0].tolist()) <= {OUTSIDE, NO_VALUE}
    said = np.array(sweep.labels)[sweep.places[codes >= 0]]
    assert (said == np.array(found.names)[codes[codes >= 0]]).all()


# A boundary is enclosed to 10⁻¹⁰, its ends to 2·10⁻⁷ of x; the times differ by up to 50 times that.
NEAR = 1e-5


def differences(found: RegimeMap, asked: ModelOnMachine, size: str) -> Iterator[float]:
    """Yield how far, relatively, the two times are apart where a boundary is drawn between them."""
    prediction = asked.bound(GIVEN.get(asked.model.name, {}), ("P", size))
    for line in found.boundaries:
        places = {"P": line.x, size: line.y}
        one, other = (
            np.asarray(evaluate(substitute(prediction.rivals[name], prediction.rates), places))
            for name in (line.below, line.above)
        )
        yield from np.abs(np.log(one) - np.log(other)).tolist()


@EVERY
def test_on_each_point_of_a_boundary_both_take_as_long(model: str, machine: str) -> None:
    asked, found = thesis(model, machine)
    assert max(differences(found, asked, THESIS[model]), default=0.0) < NEAR


def test_where_three_regions_meet_boundaries_end_where_they_meet() -> None:
    asked = ModelOnMachine(find_model("summa")[0], find_machine("karst")[0])
    found = map_of(asked, ("P", *PROCESSES), ("N", 2, 10**9), {})
    assert len({line.above + line.below for line in found.boundaries}) == 3
    assert max(differences(found, asked, "N")) < NEAR


def test_an_upright_boundary_that_no_other_leads_to_is_drawn() -> None:
    _, found = thesis("fft", "jetstream")
    (line,) = found.boundaries
    assert (line.below, line.above) == ("memory", "network")
    assert np.ptp(line.x) == 0 and line.y.tolist() == [*SIZES]


RANGE = (1, 200)
RATES = (0.01, 1000.0)


def rated(program: Program, random: Random) -> str | None:
    """Return the name of a rate of a program's machine that is a plain number."""
    box = program.box
    odd = box.halves.keys() | box.growing | box.own.keys() | box.inverse
    names = [key for key, rate in box.rates.items() if rate is not None and key not in odd]
    return random.choice(names) if names else None


def maps(count: int) -> Iterator[tuple[Program, str, ModelOnMachine, RegimeMap]]:
    """Yield maps of random compositions over their number and a rate of their machine."""
    for number, program in enumerate(programs("maps", count)):
        rate = rated(program, Random(number))
        if rate is None:
            continue
        asked = ModelOnMachine(*defined(program.text()))
        try:
            found = map_of(asked, ("n", *RANGE), (f"box.{rate}", *RATES), {})
        except RoofError as error:
            # What does not depend on both has no map.
            if {each.code for each in error.diagnostics} != {"R0704"}:
                raise
        else:
            yield program, rate, asked, found


def test_cells_of_random_compositions_are_what_the_law_says() -> None:
    tried = 0
    for number, (program, rate, _, found) in enumerate(maps(inputs(8, 1000))):
        if found.cells is None:
            continue
        random = Random(number)
        cells, names = found.cells, found.names
        first, _, size = cells.places.T
        have = np.floor(cells.x[first + size]) >= np.ceil(cells.x[first])
        for cell in some(np.flatnonzero(have & (cells.codes != UNDECIDED)), 60)[:1000].tolist():
            code = int(cells.codes[cell])
            start, lowest, wide = cells.places[cell].tolist()
            n = random.randint(int(np.ceil(cells.x[start])), int(cells.x[start + wide]))
            low, high = (Fraction(float(cells.y[each])) for each in (lowest, lowest + wide))
            for part in (Fraction(1, 2), *(Fraction(random.random()) for _ in range(3))):
                rates = {**program.box.rates, rate: str(low + (high - low) * part)}
                there = replace(program, box=replace(program.box, rates=rates))
                tried += 1
                expected = () if code == NOTHING else (names[code],)
                assert spent(there.at(n)).ties == expected, program.text()
    assert tried > 100


def written(text: str, machine: str = "flops = 1 flop/s; memory = 1 B/s") -> ModelOnMachine:
    parameters = "param n: integer; param p: integer"
    return ModelOnMachine(
        *defined(f"model main {{ {parameters}; {text} }}\nmachine box {{ {machine} }}")
    )


def test_where_the_bound_changes_too_often_the_map_is_not_decided() -> None:
    # 7·⌈n/7⌉ is above n·(1 + 1e-7), or not, as n goes on, up to some 6e7.
    asked = written("flops = 7*ceil(n/7)*p; memory = n*p*(1 + 1e-7) * 1 B")
    found = map_of(asked, ("p", 1, 10), ("n", 1, 10**18), {})
    assert found.share is not None and 0.5 < found.share < 0.95
    assert found.claim.endswith("the rest is not decided where it is hatched")
    undecided = [region for region in found.regions if region.bound == UNDECIDED_REGION]
    assert undecided
    # Beyond it is proven.
    assert max(float(region.high.max()) for region in undecided) < 1e8


def test_where_two_times_only_touch_no_boundary_is_claimed() -> None:
    # They are the same for n = p, and next to it flops take longer on both sides.
    asked = written("flops = n*p*max(n/p, p/n); memory = n*p * 1 B")
    found = map_of(asked, ("p", 1, 1000), ("n", 1, 1000), {})
    assert {region.bound for region in found.regions} == {"flops"} and not found.boundaries
    assert found.claim.endswith("of the plane is proven; the rest is not decided")


def test_what_cannot_be_enclosed_is_sampled_and_says_so() -> None:
    asked = written("flops = 1000*p*sum(sqrt(k) for k in 1..n); memory = p*n^2 * 1 B")
    found = map_of(asked, ("p", 1, 100), ("n", 1, 10**6), {})
    assert found.cells is None and found.share is None
    assert found.claim.startswith("sampled: proven at ")
    decided = [region for region in found.regions if region.bound != UNDECIDED_REGION]
    assert {region.bound for region in decided} == {"flops", "memory"}
    for region in decided:
        for x, low, high in zip(region.x, region.low, region.high, strict=True):
            n = round((low * high) ** 0.5)
            if low < n < high and np.isclose(x, round(x)):
                assert asked.evaluate({"p": round(x), "n": n}).bound == region.bound


def test_what_a_model_does_not_allow_is_proven_too() -> None:
    asked = written("require p <= n; flops = n^2; memory = 100*n*p * 1 B")
    found = map_of(asked, ("p", 1, 10**4), ("n", 1, 10**4), {})
    assert found.share is not None and found.share >= 0.9999
    assert {region.bound for region in found.regions} == {"not allowed", "memory", "flops"}
    line = max(found.boundaries, key=lambda each: len(each.x))
    # At its ends it goes to where columns without it begin.
    assert line.y[2:-2] == pytest.approx(100 * line.x[2:-2], rel=1e-9)
    assert line.formula == "n = 100·flops·p/memory"
    plain = found.plain()
    assert plain["claim"] == found.claim and plain["share"] == found.share


def test_a_map_over_a_rate_has_the_rate_in_its_cells() -> None:
    asked = written("flops = n^2*p; memory = 8*n*p * 1 B")
    found = map_of(asked, ("box.memory", 1e-3, 1e3), ("n", 1, 10**6), {"p": 3})
    (line,) = found.boundaries
    assert (line.y * line.x)[2:-2] == pytest.approx(8.0, rel=1e-9)
