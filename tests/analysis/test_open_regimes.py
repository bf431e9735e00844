"""What binds while another parameter is open, against formulas computed with many digits."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import mpmath
import pytest
from mpmath import mpf

from roofdsl.analysis.domain import domain_of
from roofdsl.analysis.open_contest import OpenRoot, OpenStretch
from roofdsl.analysis.open_machine import left_open, open_unknowns
from roofdsl.analysis.open_orders import find_open_orders
from roofdsl.analysis.open_regimes import OpenRegions, find_open_regimes
from roofdsl.analysis.unknown import unknown_named
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.expression.tree import Expression
from roofdsl.model.library import find_machine, find_model
from tests.expression.reference import DIGITS, Reference

FAR = 10**18
Value: TypeAlias = Any  # a whole number, or one of mpmath, which has no types


def regimes(
    model: str, machine: str, along: str, other: str, **values: str | int
) -> tuple[OpenRegions, dict[str, Expression]]:
    """Return the answer over both ranges, and the times of which it says what is the largest."""
    subject = ModelOnMachine(find_model(model)[0], left_open(find_machine(machine)[0]))
    unknown = unknown_named(along, subject.model, subject.machine)
    second = next(
        (each for each in open_unknowns(subject.bound(values)) if each.name == other), None
    ) or unknown_named(other, subject.model, subject.machine)
    prediction = subject.bound(values, (*unknown.free, *second.free))
    ends = domain_of(prediction, unknown).range()
    found = find_open_regimes(prediction, unknown, *ends, second)
    open_names = {unknown.name, second.name}
    values_of = {name: tree for name, tree in prediction.rates.items() if name not in open_names}
    return found, {name: substituted(tree, values_of) for name, tree in prediction.rivals.items()}


def substituted(tree: Expression, values: dict[str, Expression]) -> Expression:
    from roofdsl.expression.substitute import substitute

    return substitute(tree, values)


def values_between(
    first: float, last: float, integer: bool, pick: random.Random
) -> Iterator[Value]:
    """Yield the ends of a range and some numbers between, spread over its orders of magnitude."""
    yield from (first, last) if integer else (mpf(first), mpf(last))
    for _ in range(6):
        with mpmath.workdps(DIGITS):
            share = mpf(pick.random())
            value = mpf(first) ** (1 - share) * mpf(last) ** share
            yield min(max(int(value), first), last) if integer else value


def largest(times: dict[str, Expression], at: dict[str, Value]) -> set[str]:
    """Return what takes longest at a point, several where they agree to 40 digits."""
    values = {name: Reference(tree, at).value for name, tree in times.items()}
    most = max(values.values())
    return {
        name for name, value in values.items() if abs(value - most) <= mpf(10) ** -40 * abs(most)
    }


def as_number(value: Value) -> mpf:
    return mpf(value.numerator) / value.denominator if hasattr(value, "numerator") else mpf(value)


def check(found: OpenRegions, times: dict[str, Expression], seed: int) -> int:
    """Compare an answer with the times at many points, also beside each root; return how many."""
    pick = random.Random(seed)
    points = 0
    for stretch in found.whole.stretches:
        whole = found.other.integer
        for value in values_between(stretch.first, stretch.last, whole, pick):
            at = {found.other.name: value}
            places = sorted(places_to_look(found, stretch, at, pick), key=as_number)
            furthest = 0
            for place in places:
                winners = largest(times, at | {found.unknown.name: place})
                points += 1
                index = place_in(stretch, at, place)
                if index is None:
                    # Without a closed form: what binds follows in the order told.
                    index = next(
                        i
                        for i in range(furthest, len(stretch.regimes))
                        if winners & set(stretch.regimes[i].labels)
                    )
                furthest = index
                told = stretch.regimes[index]
                if told.kind == "undecided":
                    assert winners <= set(told.labels)
                elif told.first == told.last or told.kind == "tie":
                    assert winners == set(told.labels), (stretch, value, place, winners)
                else:
                    assert set(told.labels) <= winners, (stretch, value, place, winners)
    return points


def places_to_look(
    found: OpenRegions, stretch: OpenStretch, at: dict[str, Value], pick: random.Random
) -> Iterator[Value]:
    yield from values_between(found.low, found.high, found.unknown.integer, pick)
    with mpmath.workdps(DIGITS):
        for root in stretch.roots:
            if root.numbers is None:
                continue
            middle = Reference(root.numbers, at).value
            assert found.low < middle < found.high
            for place in (middle * (1 - mpf(10) ** -30), middle * (1 + mpf(10) ** -30)):
                near = int(mpmath.floor(middle)) + (place > middle)
                yield near if found.unknown.integer else place


def place_in(stretch: OpenStretch, at: dict[str, Value], place: Value) -> int | None:
    """Return in which of the regimes a place lies, None where that is not told."""
    if any(root.numbers is None for root in stretch.roots):
        return None
    with mpmath.workdps(DIGITS):
        ends = [
            Reference(each.last.numbers, at).value
            if isinstance(each.last, OpenRoot) and each.last.numbers is not None
            else as_number(each.last)
            for each in stretch.regimes
        ]
        assert ends == sorted(ends)
        return sum(bool(end < as_number(place)) for end in ends)


@pytest.mark.parametrize(
    ("model", "along", "other", "values"),
    [
        ("summa", "N", "P", {}),
        ("summa", "P", "N", {}),
        ("summa", "N", "word", {"P": 121}),
        ("summa", "N", "karst.network", {"P": 121}),
        ("summa", "karst.network", "N", {"P": 121}),
        ("dgemv", "N", "P", {}),
        ("ddot", "P", "N", {}),
        ("fft", "N", "P", {}),
        ("fft", "P", "N", {}),
        ("stencil2d", "N", "P", {}),
        ("mst", "V", "P", {"E": "16*V"}),
        ("dijkstra", "V", "P", {"E": "16*V"}),
    ],
)
def test_bundled_models(model: str, along: str, other: str, values: dict[str, str | int]) -> None:
    found, times = regimes(model, "karst", along, other, **values)
    assert check(found, times, 1) >= 60
    if other != "karst.network":
        assert found.complete


MACHINES = Path(__file__).parents[1] / "report" / "open_machines.roof"


@pytest.mark.parametrize(
    ("model", "along", "machine", "other", "values"),
    [
        ("summa", "N", "one", "one.bw", {"P": 121}),
        ("summa", "N", "cores", "cores.cores", {"P": 121}),
        ("summa", "P", "cores", "cores.cores", {"N": 1000}),
        ("dgemv", "N", "one", "one.bw", {"P": 16}),
        ("fft", "N", "cores", "cores.cores", {"P": 16}),
    ],
)
def test_a_machine_with_an_open_parameter(
    model: str, along: str, machine: str, other: str, values: dict[str, str | int]
) -> None:
    found, times = regimes(model, f"{MACHINES}:{machine}", along, other, **values)
    assert found.complete
    assert check(found, times, 2) >= 60


@pytest.mark.parametrize("model", ["summa", "dgemv", "ddot", "fft", "stencil2d"])
@pytest.mark.parametrize("machine", ["one", "cores", "two"])
def test_several_open_numbers(model: str, machine: str) -> None:
    subject = ModelOnMachine(
        find_model(model)[0], left_open(find_machine(f"{MACHINES}:{machine}")[0])
    )
    unknown = unknown_named("N", subject.model, subject.machine)
    prediction = subject.bound({}, unknown.free)
    others = [each for each in open_unknowns(prediction) if each.name != "N"]
    found = find_open_orders(prediction, unknown, others)
    if model != "stencil2d":  # a square of N - 2
        assert any(pair.kind != "undecided" for pair in found.pairs)
    known = {**prediction.binding.trees, **prediction.rates}
    pick = random.Random(5)
    for pair in found.pairs:
        for _ in range(40 if pair.kind != "undecided" else 0):
            at: dict[str, Value] = {}
            for each in others:
                low, high = (0, 6) if each.integer else (8, 13)
                number = 10 ** pick.uniform(low, high)
                at[each.name] = int(number) if each.integer else mpf(number)
            if any(at.get(name, 2) <= float(low) for name, low in pair.above):
                continue
            place = None
            if pair.closed_form is not None:
                tree = substituted(pair.closed_form, known)
                with mpmath.workdps(DIGITS):
                    place = Reference(tree, at).value
            applies = pair.condition is None or Reference(pair.condition, at).value
            for size in (3, 50, 10**4, 10**9, *([] if place is None else near(place))):
                one, two = (
                    Reference(substituted(prediction.rivals[name], known), at | {"N": size}).value
                    for name in pair.names
                )
                if not applies:
                    assert two >= one * (1 - mpf(10) ** -40)
                elif pair.kind == "longer":
                    assert one > two
                elif place is not None and abs(place - size) > mpf(10) ** -20:
                    assert (one > two) == (size < place)


def near(place: Value) -> Iterator[Value]:
    """Yield the whole numbers about a place, those that a model takes, unless it is too far out."""
    if place > FAR:
        return
    whole = int(mpmath.floor(place))
    yield from (each for each in (whole - 1, whole, whole + 1, whole + 2) if each > 2)


STEPS = """
model product {
    param n: integer[1..]
    param p: processes
    flops   = 2*n^3/p
    memory  = 24 B*n^2/p
    network = 8 B*n^2/sqrt(p)*log2(p)
}
model pass {
    param n: integer[1..]
    param p: processes
    flops  = 5*n/p
    memory = 16 B*n/p
}
model both {
    param N: integer[1..]
    param P: processes
    step a = product(n = N, p = P)
    step b = pass(n = N, p = P)
    step c = product(n = N, p = P)
}
"""


def test_of_a_composition_each_step_is_told(tmp_path: Path) -> None:
    path = tmp_path / "steps.roof"
    path.write_text(STEPS, encoding="utf-8")
    subject = ModelOnMachine(find_model(f"{path}:both")[0], find_machine("karst")[0])
    unknown, other = (unknown_named(name, subject.model, subject.machine) for name in "NP")
    prediction = subject.bound({}, ("N", "P"))
    found = find_open_regimes(prediction, unknown, 1, FAR, other)
    whole, (product, through) = found.whole, found.of_steps
    assert (product.steps, through.steps) == (("a", "c"), ("b",))
    assert not whole.complete
    assert whole.stretches[0].decided  # without a network, for P = 1
    assert product.complete
    (root,) = product.stretches[1].roots
    assert root.numbers is not None
    # 2 N³/P/22e9 = 8 N² log2(P)/√P/1.2e9
    assert abs(Reference(root.numbers, {"P": 16}).value - mpf(4 * 4 * 22 * 4) / mpf("1.2")) < 1e-9
    assert [each.labels for each in through.stretches[0].regimes] == [("memory",)]


CEILINGS = """
model waves {
    param N: integer[1..]
    param P: processes
    flops   = 2*N^3*ceil(1000*sqrt(P))/P
    memory  = 8 B*(N^2 + N*P)
    network = 8 B*N^2*P^0.3 - 4 B*N*log2(P)
    require sqrt(P) is integer
}
model rounds {
    param N: integer[1..]
    param P: processes
    flops   = 2*N^2*ceil(P/7)/P
    memory  = 8 B*N*floor(P/3) + 40 B*N
    network = 8 B*N*ceil(log2(P)) + 3 B*N^2/P
}
"""


@pytest.mark.parametrize("model", ["waves", "rounds"])
def test_whole_parts_of_what_is_open(model: str, tmp_path: Path) -> None:
    path = tmp_path / "steps.roof"
    path.write_text(CEILINGS, encoding="utf-8")
    found, times = regimes(f"{path}:{model}", "karst", "N", "P")
    assert check(found, times, 4) > 100
    if model == "waves":
        ends = [end for each in found.whole.stretches for end in (each.first, each.last)]
        assert all(math.isqrt(int(end)) ** 2 == end for end in ends)


def test_summa_in_numbers() -> None:
    found, _ = regimes("summa", "karst", "N", "P")
    one, others = found.whole.stretches
    assert (one.first, one.last) == (1, 1)
    assert [(each.last, each.labels) for each in one.regimes] == [
        (7, ("memory",)),
        (FAR, ("flops",)),
    ]
    # The model asks for a square.
    assert (others.first, others.last) == (4, FAR)
    assert [each.labels for each in others.regimes] == [("network",), ("flops",)]
    (root,) = others.roots
    assert root.numbers is not None
    value = Reference(root.numbers, {"P": 121}).value
    assert abs(value - mpf("5580.2160")) < 1e-3


FORMS = (
    *("{c}*N^2/P", "{c}*N^3/P^2", "{c}*N", "{c}*N*log2(P)", "{c}*sqrt(N)*P", "{c}", "{c}*P"),
    *("{c}*N^2*log2(P)/sqrt(P)", "{c}*(P-1)*N/P", "{c}*N*log2(N)/P", "{c}*log2(N)", "{c}*N^1.5"),
    *("{c}*max(N, 7)/P", "{c}*(N - 7.5)^2*P", "{c}*(N^2 + 9.25)", "{c}*P*(2*N^2 + 20*N)"),
)


def random_model(seed: int) -> str:
    pick = random.Random(seed)

    def work() -> str:
        terms = pick.sample(FORMS, pick.choice([1, 1, 2, 2, 3]))
        return " + ".join(
            each.format(c=pick.choice([1, 2, 3, 5, 64, 1000, "0.25"])) for each in terms
        )

    kind = pick.choice(["integer[1..]", "integer[2..10^6]", "real[0.5..10^9]", "processes"])
    other = pick.choice(["processes", "integer[1..10^6]", "integer[2..]", "real[1..10^12]"])
    resources = ["flops", "memory", "network"][: pick.choice([2, 3, 3])]
    units = {"flops": "flop", "memory": "B", "network": "B"}
    lines = [f"{name} = {units_of(work(), units[name])}" for name in resources]
    if not any("N" in line for line in lines):
        lines[0] += " + 1 flop*N"
    return (
        f"model m {{\n param N: {kind}\n param P: {other}\n "
        + "\n ".join(lines)
        + "\n}\nmachine box { flops = 3 flop/s; memory = 2 B/s; network = 1 B/s }\n"
    )


def units_of(formula: str, unit: str) -> str:
    return f"1 {unit}*({formula})"


@pytest.mark.parametrize("seed", range(40))
def test_random_models(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "case.roof"
    path.write_text(random_model(seed), encoding="utf-8")
    found, times = regimes(f"{path}:m", f"{path}:box", "N", "P")
    assert check(found, times, seed) > 20


def test_most_random_models_are_decided(tmp_path: Path) -> None:
    stretches: list[OpenStretch] = []
    for seed in range(40):
        path = tmp_path / f"case{seed}.roof"
        path.write_text(random_model(seed), encoding="utf-8")
        stretches += regimes(f"{path}:m", f"{path}:box", "N", "P")[0].whole.stretches
    assert sum(each.decided for each in stretches) > 0.6 * len(stretches)


SQUARES = """
model squares {
    param N: integer[1..]
    param P: processes
    memory = 1 B*(P*sqrt(N) + 7*N*log2(P))
    flops  = 1 flop*(50*ceil(log2(P)))
    require sqrt(P) is integer
}
model idle {
    param N: integer[1..]
    param P: integer[1..]
    flops  = 1 flop*(N*floor(P/10))
    memory = 2 B*N*floor(P/10)
}
machine box { flops = 2.5 flop/s; memory = 1 B/s }
"""


def test_a_root_is_not_that_of_the_other_sign_of_a_square(tmp_path: Path) -> None:
    path = tmp_path / "squares.roof"
    path.write_text(SQUARES, encoding="utf-8")
    found, times = regimes(f"{path}:squares", f"{path}:box", "N", "P")
    assert check(found, times, 3) > 60


def test_where_all_times_are_0_nothing_binds(tmp_path: Path) -> None:
    path = tmp_path / "squares.roof"
    path.write_text(SQUARES, encoding="utf-8")
    found, _ = regimes(f"{path}:idle", f"{path}:box", "N", "P")
    first, second = found.whole.stretches
    assert (first.last, [each.kind for each in first.regimes]) == (9, ["idle"])
    assert (second.first, [each.labels for each in second.regimes]) == (10, [("memory",)])


def test_both_ends_of_a_range_tell_how_often_the_order_may_change() -> None:
    # (65 - K)² K² of flops: its signs alone allow four changes for K in 1 .. 64.
    found, times = regimes("conv2d", "karst", "K", "B", Ci=64, H=64, Co=64)
    assert found.complete
    assert check(found, times, 6) > 60


def test_levels_that_only_one_value_charges_are_compared() -> None:
    """With one node nothing is sent between nodes, where the time of other numbers is."""
    found, _ = regimes("all_reduce_two_level", "h100_sxm", "inside", "bytes")
    scatter = next(each for each in found.of_steps if "scatter" in each.steps)
    assert scatter.proof.complete
