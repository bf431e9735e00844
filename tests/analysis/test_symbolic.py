"""What leaves as SymPy says what `evaluate` does; SymPy's own solver agrees where it answers."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
import sympy

import roofdsl as rd
from roofdsl.embedding.shown import ShownCrossovers, ShownOrders, ShownRegions, ShownThresholds

KARST = rd.load_machine("karst")


def on_karst(name: str) -> rd.Prediction:
    return rd.load_model(name).on(KARST)


def put(expression: sympy.Expr, **values: float | bool | str) -> sympy.Expr:
    """Put numbers in by name, for the rates those of karst."""
    known = {f"karst.{name}": sympy.Rational(rate) for name, rate in KARST.rates.items()} | values
    return expression.subs({s: known[s.name] for s in expression.free_symbols if s.name in known})


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("summa", {"P": [1, 4, 121, 4096], "N": [2, 7, 8, 242, 5580, 5581, 61952, 10**9]}),
        ("dgemv", {"P": [1, 2, 1024], "N": [2, 5, 11600, 10**8]}),
        ("fft", {"P": [1, 2, 64], "N": [2, 37490, 37491, 2**40]}),
        ("stencil2d", {"P": [1, 2, 9, 10**6], "N": [3, 50, 10**7]}),
    ],
)
def test_the_bound_as_an_expression_is_that_of_eval(
    name: str, settings: dict[str, list[int]]
) -> None:
    prediction = on_karst(name)
    general = prediction.bound_expression()
    for processes in settings["P"]:
        along = prediction.bound_expression(P=processes)
        own = {"P": processes, **parameters(prediction)}
        for size in settings["N"]:
            if name != "summa" and processes > size - 2:
                continue  # the model refuses it
            bound = prediction.evaluate(N=size, P=processes).bound
            assert put(along, N=size).name == bound
            assert put(general, N=size, **own).name == bound
            assert prediction.bound_expression(N=size, P=processes).name == bound


@pytest.fixture(scope="module")
def gradients(tmp_path_factory: pytest.TempPathFactory) -> rd.Prediction:
    """Steps of conjugate gradients on a cube of processes."""
    path = tmp_path_factory.mktemp("steps") / "cg.roof"
    path.write_text(
        """model cg {
    param N : integer
    param P : integer
    let q = P^(1/3)
    require q is integer
    step product {
        flops = 54*N^3/P
        memory = 216 B * N^3/P
        network = if P > 1 then 48 B * (N/q)^2 else 0
    }
    step dots {
        memory = 32 B * N^3/P
        network = 16 B * log2(P)
    }
}
"""
    )
    return rd.load_model(str(path)).on(KARST)


def test_the_bound_of_steps_with_a_choice_is_that_of_eval(gradients: rd.Prediction) -> None:
    general = gradients.bound_expression()
    for size, processes in ((10, 1), (10, 8), (1000, 64), (2, 1000), (3, 8)):
        bound = gradients.evaluate(N=size, P=processes).bound
        assert put(general, N=size, P=processes).name == bound


def test_the_time_over_one_name_needs_a_value_for_the_others(gradients: rd.Prediction) -> None:
    with pytest.raises(rd.RoofError, match="needs a value for P"):
        gradients.time_expression("N")


def parameters(prediction: rd.Prediction) -> dict[str, float | bool | str]:
    """Return the values of all parameters but N and P."""
    at = prediction.evaluate(N=1024, P=4).parameters
    return {name: value for name, value in at.items() if name not in ("N", "P")}


def test_regions_are_what_eval_says() -> None:
    found = on_karst("summa").crossovers("N")
    assert isinstance(found, ShownRegions)
    assert found.complete
    assert (found.unknown.name, found.other.name) == ("N", "P")
    piecewise = found.as_piecewise()
    pick = random.Random(3)
    for _ in range(60):
        root, size = pick.choice([1, 2, 3, 7, 11, 100, 5000]), int(10 ** pick.uniform(0.4, 9))
        bound = on_karst("summa").evaluate(N=size, P=root**2).bound
        assert put(piecewise, N=size, P=root**2).name == bound
    (equation,) = found.as_eq()
    assert equation.lhs.name == "N"
    assert abs(put(equation.rhs, P=121, word=8).evalf() - 5580.216) < 1e-3
    assert put(piecewise, N=1, P=4) is sympy.nan  # below the range


def test_an_open_rate_is_a_symbol() -> None:
    machines = Path(__file__).parents[1] / "report" / "open_machines.roof"
    prediction = rd.load_model("dgemv").on(rd.load_machine(f"{machines}:one"))
    found = prediction.crossovers("N", P=16)
    assert isinstance(found, ShownRegions)
    assert found.other.name == "one.bw"
    assert found.complete
    piecewise = found.as_piecewise()
    assert {each.name for each in piecewise.free_symbols} >= {"N", "one.bw"}
    at = {s: {"N": 10**9, "one.bw": 10**11}.get(s.name, s) for s in piecewise.free_symbols}
    assert piecewise.subs(at).name == "memory"


def test_an_open_rate_is_solved_for() -> None:
    machines = Path(__file__).parents[1] / "report" / "open_machines.roof"
    prediction = rd.load_model("dgemv").on(rd.load_machine(f"{machines}:one"))
    found = prediction.crossovers("one.bw", N=100, P=4)
    assert isinstance(found, ShownCrossovers)
    (change,) = found.crossovers
    assert (change.before, change.after) == (("memory",), ("network",))
    # (N² + 3 N)/bw = N (P - 1)/25e9
    assert change.closed_form_value == pytest.approx(103 * 25e9 / 3)
    where = prediction.where("time <= 1 us", "one.bw", N=100, P=4)
    assert isinstance(where, ShownThresholds)
    (holds,) = where.intervals
    assert holds.first == pytest.approx(8 * (100**2 + 300) / 4 / 1e-6)
    assert holds.last == 1e13
    with pytest.raises(rd.RoofError, match="R0701"):
        prediction.crossovers("one.memory", N=100, P=4)


@pytest.mark.parametrize("name", ["summa", "dgemv", "stencil2d"])
def test_sympy_solves_to_the_same_root(name: str) -> None:
    prediction = on_karst(name)
    found = prediction.crossovers("N")
    assert isinstance(found, ShownRegions)
    own = {"P": 16, **parameters(prediction)}
    for root, equation in zip(found.crossovers, found.as_eq(), strict=True):
        times = prediction.times
        gap = put(times[root.before[0]] - times[root.after[0]], **own)
        (unknown,) = gap.free_symbols
        real = sympy.Symbol("x", positive=True)
        solutions = sympy.solve(sympy.nsimplify(gap.subs(unknown, real)), real)
        assert any(abs(each - put(equation.rhs, **own)).evalf() < 1e-6 for each in solutions)


def test_single_crossovers_leave_as_equations() -> None:
    found = on_karst("summa").crossovers(P=121)
    assert isinstance(found, ShownCrossovers)
    (equation,) = found.as_eq()
    assert isinstance(equation, sympy.Eq)
    assert abs(put(equation.rhs, P=121, word=8).evalf() - 5580.216) < 1e-3
    piecewise = found.as_piecewise()
    assert [put(piecewise, N=n).name for n in (2, 5580, 5581, 10**18)] == [
        *("network", "network", "flops", "flops")
    ]
    assert put(piecewise, N=10**18 + 1) is sympy.nan


def test_a_change_without_a_closed_form_is_an_equation_of_two_times() -> None:
    model = rd.model_from_expressions(
        "m",
        parameters={"N": ": integer[2..]"},
        flops="N^2*log2(N) + N*sqrt(N)",
        memory="10 B*N^2 + 1 B*N",
    )
    found = model.on(rd.load_machine("karst")).crossovers("N")
    assert isinstance(found, ShownCrossovers)
    (change,) = found.crossovers
    assert change.closed_form is None
    (equation,) = found.as_eq()
    low, high = (
        float(put(equation.lhs - equation.rhs, N=end))
        for end in (change.enclosure[0] * (1 - 1e-9), change.enclosure[1] * (1 + 1e-9))
    )
    assert low * high < 0


def test_where_a_condition_holds_is_a_piecewise() -> None:
    prediction = on_karst("summa")
    found = prediction.where("bound = flops", "N", P=121)
    assert isinstance(found, ShownThresholds)
    piecewise = found.as_piecewise()
    for size in (2, 5580, 5581, 10**18):
        flops = prediction.evaluate(N=size, P=121).bound == "flops"
        assert put(piecewise, N=size).name == ("holds" if flops else "does not hold")
    assert put(piecewise, N=10**18 + 1) is sympy.nan
    (equation,) = found.as_eq()
    assert abs(put(equation.rhs, P=121, word=8).evalf() - 5580.216) < 1e-3


def test_where_it_is_undecided_there_is_no_number(tmp_path: Path) -> None:
    path = tmp_path / "m.roof"
    path.write_text(
        "model m { param N: integer[1..]; param P: integer[1..]\n flops = 1 flop*(N*P + 7)\n"
        "memory = 1 B*min(N^2, P^2) }\nmachine box { flops = 1 flop/s; memory = 1 B/s }",
        encoding="utf-8",
    )
    found = rd.load_model(f"{path}:m").on(rd.load_machine(f"{path}:box")).crossovers("N")
    assert isinstance(found, ShownRegions)
    assert not found.complete
    assert put(found.as_piecewise(), N=7, P=100) is sympy.nan


TIED = """
model m {
    param N: integer[1..]
    param P: integer[1..]
    flops  = 1 flop*N^2
    memory = 1 B*N*P
}
machine box { flops = 1 flop/s; memory = 1 B/s }
"""


def test_at_a_root_the_first_of_two_binds_as_for_eval(tmp_path: Path) -> None:
    path = tmp_path / "m.roof"
    path.write_text(TIED, encoding="utf-8")
    prediction = rd.load_model(f"{path}:m").on(rd.load_machine(f"{path}:box"))
    found = prediction.crossovers("N")
    assert isinstance(found, ShownRegions)
    for size in (6, 7, 8):
        bound = prediction.evaluate(N=size, P=7).bound
        assert put(found.as_piecewise(), N=size, P=7).name == bound
        for name in ("flops", "memory"):
            where = prediction.where(f"bound = {name}", "N")
            assert isinstance(where, ShownRegions)
            verdict = "holds" if name == bound else "does not hold"
            assert put(where.as_piecewise(), N=size, P=7).name == verdict


@pytest.mark.parametrize(
    ("model", "unknown", "condition", "holds"),
    [
        ("dgemv", "N", "time <= 1 ms", lambda at: at.time <= 1e-3),
        ("summa", "N", "memory/network >= 3", lambda at: at.memory >= 3 * at.network),
        ("summa", "N", "bound != network", lambda at: at.bound != "network"),
        (
            "ddot",
            "N",
            "time.memory > 2*time.network",
            lambda at: at.times["memory"] > 2 * at.times["network"],
        ),
    ],
)
def test_where_a_condition_holds_for_all_of_another_parameter(
    model: str, unknown: str, condition: str, holds: Callable[[rd.Result], bool]
) -> None:
    prediction = on_karst(model)
    found = prediction.where(condition, unknown)
    assert isinstance(found, ShownRegions)
    assert found.complete
    piecewise, told = found.as_piecewise(), 0
    pick = random.Random(7)
    for _ in range(40):
        root, size = pick.choice([1, 2, 3, 7, 11, 100]), int(10 ** pick.uniform(1, 7))
        if root**2 > size:
            continue
        verdict = put(piecewise, N=size, P=root**2)
        if verdict is not sympy.nan:  # where there is no formula for a root
            told += 1
            at = prediction.evaluate(N=size, P=root**2)
            assert verdict.name == ("holds" if holds(at) else "does not hold")
    assert told or not found.as_eq()


def test_several_open_numbers_leave_as_sympy(tmp_path: Path) -> None:
    machines = Path(__file__).parents[1] / "report" / "open_machines.roof"
    prediction = rd.load_model("dgemv").on(rd.load_machine(f"{machines}:two"))
    found = prediction.crossovers("N")
    assert isinstance(found, ShownOrders)
    assert [each.name for each in found.others] == ["P", "two.bw", "two.link"]
    (equation, *_) = found.as_eq()
    assert equation.lhs.name == "N"
    piecewise, path = found.as_piecewise(), tmp_path / "two.roof"
    pick = random.Random(11)
    for _ in range(60):
        rates = {f"two.{name}": int(10 ** pick.uniform(8, 12)) for name in ("memory", "network")}
        size, processes = int(10 ** pick.uniform(1, 9)), pick.choice([1, 2, 3, 64, 1000])
        if processes > size:
            continue
        path.write_text(
            f"machine two {{ flops = 1 TFLOP/s; memory = {rates['two.memory']} B/s\n"
            f"network = {rates['two.network']} B/s }}",
            encoding="utf-8",
        )
        box = rd.load_machine(str(path))
        known = {"two.flops": 10**12, "word": 8, "N": size, "P": processes, **rates}
        values = {s: known.get(s.name, s) for s in piecewise.free_symbols}
        bound = rd.load_model("dgemv").on(box).evaluate(N=size, P=processes).bound
        assert piecewise.subs(values).name == bound


def test_ridge_points_in_the_rates() -> None:
    for source in (KARST, on_karst("summa")):
        expressions = source.ridge_expressions
        for name in ("OI", "CAI", "MI"):
            assert float(put(expressions[name])) == pytest.approx(getattr(KARST.ridge, name))
