"""How people use roofdsl in code whose types are checked: nothing here is ever run.

mypy and pyright read it in strict mode (`make check`, `make matrix`). A line that says `ignore` is
a mistake that both must see: an `ignore` that is not needed is an error too.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np

import roofdsl as rd


def numbers() -> tuple[float, str | None, tuple[str, ...], Mapping[str, float]]:
    """A point, in numbers of several kinds."""
    summa, karst = rd.load_model("summa"), rd.load_machine("karst")
    result: rd.Result = summa.on(karst).evaluate(N=4096, P=Fraction(121), word="8 B")
    return result.time + result.attainable, result.bound, result.ties, result.shares


def forms() -> float:
    """Every form that a number, a range or a path may have."""
    prediction = rd.load_model(Path("summa")).on(rd.load_machine("karst"))
    sizes = (
        4096,
        4096.0,
        Fraction(4096),
        Decimal(4096),
        np.int64(4096),
        np.float32(4096),
        "4096",
    )
    results = [prediction.evaluate(N=number, P=np.array(121)) for number in sizes]
    swept = prediction.sweep(
        N=range(242, 484, 242), P=[Decimal(121), Decimal(484)], word=("4 B", "8 B")
    )
    found = prediction.crossovers("karst.network", "1 GB/s", Decimal("2e9"), N=np.int8(64), P=121)
    rates = prediction.over_rates(Fraction(1, 10), "N", high=np.float32(1e6), P=121)
    kept = prediction.scaling(N=4096, size="N", efficiency=np.float64(0.8))
    with rd.budget(np.int64(10)), rd.budget("10x"), rd.budget(Fraction(1, 2)):
        looked = rd.plot.Look(width=6, dark=True)
    model = rd.model_from_expressions(
        "m", flops=Decimal(2), memory=np.float32(1), require=("N > 1",)
    )
    table = rd.combined(prediction.where("time <= 1 s", "N", P=P) for P in (4, 16))
    assert table[0].unknown.name == "N" and len(table.to_json()) > len(table)
    used = (swept, found, rates, kept, looked, model)
    return sum(result.time for result in results) + len(used)


def made() -> tuple[float, str]:
    """Models, machines and mixes made in Python, of formulas of several kinds."""
    triad = rd.loads("model triad { param n: integer; memory = 24*n }").models["triad"]
    box = rd.make_machine(
        "box",
        {"flops.vector.fp64": Decimal("2e12")},
        units=["euro"],
        memory={"L2": 3e12, "DRAM": "100 GB/s", "default": ["DRAM"]},
        capacity={"memory": 2**36},
        startup="3 us",
        price="2 euro/h",
    )
    wide = rd.make_machine("wide", base=box, memory={"DRAM": np.float64(2e11)})
    part: rd.Part = rd.overlap(rd.step("a", triad(n="n/2")), rd.step("b", flops=2, totals="even"))
    run: rd.ModelCall = triad({"n": Fraction(4)})
    model = rd.make_model(
        "m",
        parameters={"n": ("integer", 100), "P": "processes = 1"},
        lets={"half": "n/2"},
        steps=[part, rd.repeat("n", rd.step("c", run)), rd.wait(3, rd.step("d", memory="8*half"))],
        tallies={"held": ("B", 8)},
        metrics={"per": "ms = time / n"},
    )
    mix = rd.make_mix("month", {"a": 3 * model(n=10), "b": "2" * triad(n=4), "c": model})
    mix.save(Path("month.roof"))
    module: rd.Module = rd.load("collectives.mpi")
    passed = [test.title for test in module.run_tests() if test.passed]
    return mix.on(wide).evaluate().time, module.text + passed[0]


def wrong_parts() -> None:
    rd.make_model("m", steps=[rd.load_model("summa")])  # type: ignore[list-item]
    rd.make_machine("m", base="karst")  # type: ignore[arg-type]


def expressions() -> list[object]:
    """What SymPy is given."""
    prediction = rd.load_model("summa").on(rd.load_machine("karst"))
    found = prediction.where("time <= 10 s", "N", P=121)
    return [*prediction.crossovers(P=121).as_eq(), found.as_piecewise(), prediction.time]


def names() -> list[str]:
    """What is there to ask with."""
    prediction: rd.Prediction = rd.load_model("summa").on(rd.load_machine("karst"))
    return [*prediction.model.parameters, prediction.machine.name]


def ranges() -> list[str]:
    """Changes of the bound, and where a condition holds."""
    prediction = rd.load_model("summa").on(rd.load_machine("karst"))
    found = prediction.crossovers("N", 2, 1e6, P=121)
    held = prediction.where("time <= 10 s", "N", P=121)
    over = prediction.over_rates("±10%", "N", P=121)
    return [str(found), str(held), *(regime.verdict for regime in over.regimes)]


def annotated(prediction: rd.Prediction) -> list[object]:
    """Answers by their names; what a question answers by depends on what is left open."""
    found: rd.ShownCrossovers | rd.ShownRegions | rd.ShownOrders = prediction.crossovers(P=121)
    frame, complete = found.to_pandas(), found.complete  # all of them have these
    if isinstance(found, rd.ShownCrossovers):
        assert found.crossovers[0].first_integer == len(frame)
    held: rd.ShownThresholds | rd.ShownRegions = prediction.where("time <= 1 s", P=121)
    last = held.intervals[0].last if isinstance(held, rd.ShownThresholds) else held.crossovers[0]
    result: rd.ShownResult = prediction.evaluate(N=4096, P=121)
    swept: rd.ShownSweep = prediction.sweep(N=[4096, 8192], P=121)
    scaled: rd.ShownScaling = prediction.scaling(N=4096)
    rates: rd.ShownOverRates = prediction.over_rates(0.1, "N", P=121)
    grown: rd.ShownAsymptotics = prediction.asymptotic("N", P=121)
    faster: rd.ShownFaster = prediction.faster(prediction, "N", P=121)
    rows = [*scaled.rows(), *rates.rows(), *grown.rows(), *faster.rows(), *found.rows()]
    step: rd.ShownResult = result.steps["halo"]
    plain = result.to_dict()["values"], swept.to_dict()["time"], step.to_json()
    elasticities: rd.ShownSensitivity = prediction.sensitivity(N=4096, P=121)
    return [elasticities.elasticities[0].name, plain, rows, last, complete]


def arrays() -> float:
    """Many points at once."""
    prediction = rd.load_model("summa").on(rd.load_machine("karst"))
    swept = prediction.sweep(N=np.array([242, 484]), P=[121, 484])
    return float(swept.time.sum())


def questions(path: Path) -> list[object]:
    """What else the command line asks."""
    summa, karst = rd.load_model("summa"), rd.load_machine("karst")
    prediction = summa.on(karst)
    other = summa.on(karst.changed(network="2x").named("fast"))
    faster = prediction.faster([other], "N", low=2, high="1e6", by="time", P=np.int64(121))
    places = [change.first_integer for change in faster.crossovers]
    projected: rd.Projections = rd.project(path, karst, other.machine, measured={"fast": 9.0})
    times: list[float] = [each.time for each in projected.projections]
    traced: rd.Module = rd.trace("kernels.py:softmax", {"x": "f64[M,N]"}, sizes={"N": [4, 8, 12]})
    times += [traced.models["softmax"].on(karst).evaluate(M=4, N=8).time]
    scored: rd.ShownValidation = rd.validate(path, karst, [summa], by_time=True, P=np.int64(4))
    times += [*scored.mape.values(), scored.scores[0].mape("original")]
    fitted: rd.ShownFit = rd.fit(path, karst, [summa], also=["startup"], half=True)
    times += [*fitted.constants.values(), *fitted.errors.values()]
    bound: str | None = prediction.asymptotic("N", P=121).bound
    told = (faster.to_latex(), faster.to_json(), faster.to_markdown(), faster.rows())
    return [places, times, bound, told, prediction.units["time"], summa.symbols["N"]]


def tables() -> list[object]:
    """Sweeps of all sorts as tables."""
    summa, karst = rd.load_model("summa"), rd.load_machine("karst")
    both: rd.Sweeps = rd.sweep([summa.on(karst)], N=[4096], dtype=["fp64", "fp32"], P=121)
    swept = both[0]
    axes: tuple[str, ...] = swept.axes
    return [both.to_pandas(), swept.to_xarray(), axes, swept.units["time"], len(both)]


def symbols() -> rd.Model:
    """SymPy symbols with units."""
    held = rd.symbol("held", "B")
    return rd.model_from_expressions("m", flops=1, memory=2 * held + 64 * rd.unit("kB"))


def own_model() -> rd.Model:
    """A model from formulas."""
    return rd.model_from_expressions("axpy", flops="2*N", memory="24*N", network=0)


def pictures(path: Path) -> tuple[Path, object]:
    """Figures and pages."""
    summa, karst = rd.load_model("summa"), rd.load_machine("karst")
    picture = rd.plot.roofline(karst, summa.on(karst), at={"N": [242, 4096], "P": 121})
    picture.savefig(path)
    page: Path = rd.explore(summa, [karst], path, N=4096, P=121)
    return page, picture.table.rows


def problems() -> list[str]:
    """What is raised says where and why."""
    try:
        rd.load_model("no such model")
    except rd.RoofError as error:
        return [f"{one.code}: {one.message} ({one.hint})" for one in error.diagnostics]
    return []


def mistakes() -> list[object]:
    """Each of these is seen before it is run."""
    summa, karst = rd.load_model("summa"), rd.load_machine("karst")
    return [
        summa.on(summa),  # type: ignore[arg-type]
        summa.on("karst"),  # type: ignore[arg-type]
        rd.load_model(4096),  # type: ignore[arg-type]
        rd.load_machine(None),  # type: ignore[arg-type]
        rd.budget([10]),  # type: ignore[arg-type]
        summa.on(karst).evaluate(N=[4096, 8192]),  # type: ignore[arg-type]
        summa.on(karst).evaluate(N=b"4096"),  # type: ignore[arg-type]
        summa.on(karst).evaluate(N=4096j),  # type: ignore[arg-type]
        summa.on(karst).evaluate(N=np.datetime64("2026")),  # type: ignore[arg-type]
        summa.on(karst).sweep(N={242, 484}),  # type: ignore[arg-type]
        summa.on(karst).sweep(N=[None]),  # type: ignore[arg-type]
        summa.on(karst).where(5, "N", P=121),  # type: ignore[arg-type]
        summa.on(karst).crossovers("N", low=[2], P=121),  # type: ignore[arg-type]
        summa.on(karst).where("time < 1 s").as_equation(),  # type: ignore[union-attr]
        summa.model,  # type: ignore[attr-defined]
        rd.load_modell("summa"),  # type: ignore[attr-defined]
        summa.on(karst).evaluate(N=None),  # type: ignore[arg-type]
        summa.on(karst).evaluate(4096),  # type: ignore[call-arg]
        summa.on(karst).evaluate(N=4096).tiem,  # type: ignore[attr-defined]
        summa.on(karst).sensitivity(partial="yes"),  # type: ignore[arg-type]
        summa.on(karst).faster(karst),  # type: ignore[arg-type]
        summa.on(karst).faster(summa.on(karst), by=3),  # type: ignore[arg-type]
        rd.project("profile.csv", "karst", karst),  # type: ignore[arg-type]
        rd.trace("kernels.py:softmax", {"x": 3}),  # type: ignore[dict-item]
        rd.trace(3),  # type: ignore[arg-type]
        rd.fit("runs.csv", karst, compose="max"),  # type: ignore[arg-type]
        rd.sweep([karst]),  # type: ignore[list-item]
        rd.symbol(3),  # type: ignore[arg-type]
        karst.named(3),  # type: ignore[arg-type]
        rd.plot.roofline(summa),  # type: ignore[arg-type]
        rd.plot.roofline(karst, at={4096: "N"}),  # type: ignore[dict-item]
    ]
