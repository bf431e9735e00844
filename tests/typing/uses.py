"""How people use roofdsl in code whose types are checked: nothing here is ever run.

mypy and pyright read it in strict mode (`make check`, `make matrix`). A line that says `ignore` is
a mistake that both must see: an `ignore` that is not needed is an error too.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

import roofdsl as rd


def numbers() -> tuple[float, str | None, tuple[str, ...], dict[str, float]]:
    """A point, in numbers of several kinds."""
    summa, karst = rd.load_model("summa"), rd.load_machine("karst")
    result: rd.Result = summa.on(karst).evaluate(N=4096, P=Fraction(121), word="8 B")
    return result.time + result.attainable, result.bound, result.ties, result.shares


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


def arrays() -> float:
    """Many points at once."""
    prediction = rd.load_model("summa").on(rd.load_machine("karst"))
    swept = prediction.sweep(N=np.array([242, 484]), P=[121, 484])
    return float(swept.time.sum())


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
        rd.load_modell("summa"),  # type: ignore[attr-defined]
        summa.on(karst).evaluate(N=None),  # type: ignore[arg-type]
        summa.on(karst).evaluate(4096),  # type: ignore[call-arg]
        summa.on(karst).evaluate(N=4096).tiem,  # type: ignore[attr-defined]
        summa.on(karst).sensitivity(partial="yes"),  # type: ignore[arg-type]
        rd.plot.roofline(summa),  # type: ignore[arg-type]
        rd.plot.roofline(karst, at={4096: "N"}),  # type: ignore[dict-item]
    ]
