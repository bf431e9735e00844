"""Constants of machines and models from runs, as Python asks for them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from roofdsl.analysis.fit_law import LAWS
from roofdsl.analysis.models_of_runs import Named, models_of_runs, of_library
from roofdsl.answer.plain import Json
from roofdsl.contract import public
from roofdsl.diagnostic import Diagnostic, RoofError, listing, raise_if_any
from roofdsl.embedding.displayed import Listed
from roofdsl.embedding.fitted_text import Origin, fitted_text, origin_of, write_fitted
from roofdsl.embedding.formulas import a_name
from roofdsl.embedding.machine import A_MACHINE, Machine
from roofdsl.embedding.model import A_MODEL, Model
from roofdsl.embedding.module import Module
from roofdsl.importers.runs_csv import read_runs
from roofdsl.model.given import (
    as_text,
    as_truth,
    each,
    number_in,
    one_of,
    one_or_more,
    said,
)
from roofdsl.model.library import check_text
from roofdsl.model.types import Definition
from roofdsl.read_only import ReadOnly
from roofdsl.source import Source
from roofdsl.units.dimension import DIMENSIONLESS

if TYPE_CHECKING:
    from roofdsl.analysis.fitting import Fit
    from roofdsl.answer.fitted import FitAnswer


MOST_FOLDS = 100


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShownFit(Listed):
    """Constants that runs say, with two standard errors, and how far off the times then are."""

    name: str
    fit: Fit
    machine_name: str
    origin: Origin
    left_aside: tuple[str, ...]

    def answer(self) -> FitAnswer:
        from roofdsl.answer.fitted import FitAnswer

        return FitAnswer(self.name, self.fit, self.left_aside)

    @property
    def constants(self) -> Mapping[str, float]:
        """The fitted constants by name, in SI base units; infinite where one takes no time."""
        values = {each.constant.name: each.value for each in self.fit.constants}
        return ReadOnly({k: float("inf") if x is None else x for k, x in values.items()})

    @property
    def errors(self) -> Mapping[str, float]:
        """The mean absolute error of each model over the runs that were fitted [%]."""
        return ReadOnly({k: each.fitted for k, each in self.fit.errors.items() if k})

    @property
    def held_out(self) -> Mapping[str, float | None]:
        """The same of the runs that were held out, None where there were none [%]."""
        return ReadOnly({k: each.held_out for k, each in self.fit.errors.items() if k})

    @property
    def alike(self) -> tuple[tuple[str, ...], ...]:
        """Groups of constants that the runs cannot tell apart."""
        return tuple(tuple(each.name for each in group) for group in self.fit.alike)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the answer notes, such as what no run is bound by."""
        return tuple(self.answer().notes())

    @property
    def text(self) -> str:
        """The fitted machine, and models, in the language."""
        return fitted_text(self.fit, self.machine_name, self.origin)

    @property
    def module(self) -> Module:
        """The fitted machine, and models, as they stand in `text`."""
        module, problems = check_text(Source(self.machine_name, self.text))
        raise_if_any(problem for problem in problems if problem.severity == "error")
        return Module(module)

    @public()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `text` as a `.roof` file, whole or not at all.

        Raises RoofError for what is no name of a `.roof` file (R0004), and for a file that cannot
        be written (R0802).
        """
        write_fitted(self.fit, self.machine_name, self.origin, os.fspath(path))

    def rows(self) -> list[dict[str, Json]]:
        """Return a row for each constant."""
        return self.answer().rows()

    def _of(self) -> tuple[Definition, ...]:
        return (self.fit.machine, *self.fit.models.values())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} on {self.fit.machine.name}>"


@public(
    machine=one_of(Machine, wanted=A_MACHINE),
    models=one_or_more(one_of(Model, wanted=A_MODEL)),
    also=each(as_text),
    keep=each(as_text),
    compose=as_text,
    half=as_truth,
    folds=number_in(DIMENSIONLESS),
)
def fit(
    path: str | os.PathLike[str],
    machine: Machine,
    models: Model | Iterable[Model] = (),
    *,
    also: Iterable[str] = (),
    keep: Iterable[str] = (),
    compose: Literal["written", "apart", "sum"] | None = None,
    half: bool = False,
    folds: int = 5,
    name: str = "fitted",
) -> ShownFit:
    """Fit the rates of a machine, and constants of models, to runs that were measured, a CSV file.

    It answers as `roofdsl fit` does: `also` is what `--constant` names, `keep` stays as the machine
    states it, `half` holds out every other size, and `name` is the fitted machine's. Without models
    the kernels name those of the library. Raises RoofError for runs that have mistakes (R1501 to
    R1503), for what cannot be fitted (R1512 to R1515), and without SciPy, an extra (R1511).

    >>> import roofdsl as rd
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "runs.csv")
    ...     rows = [f"{n},{24 * n / 5e9 + 3e-6}" for n in (1000, 4000, 16000, 64000)]
    ...     _ = path.write_text("\\n".join(["n,time [s]", *rows]))
    ...     triad = rd.load_model("stream_triad")
    ...     found = rd.fit(path, rd.load_machine("karst"), triad, also=["startup"], keep=["flops"])
    >>> {name: f"{value:.3g}" for name, value in found.constants.items()}
    {'memory': '5e+09', 'startup': '3e-06'}
    >>> found.module.machines["fitted"].rates["memory"] / 5e9 - 1 < 1e-5
    True
    """
    from roofdsl.analysis.fitting import fit as fitted

    name = a_name("name", name, "a machine")
    if compose is not None and compose not in LAWS:
        message = f"compose is {said(compose)}, which is no way to combine times"
        raise RoofError([Diagnostic("R0207", message, hint=f"there are {listing(LAWS)}")])
    if folds != int(folds) or not 2 <= folds <= MOST_FOLDS:
        message = f"folds must be a whole number from 2 to {MOST_FOLDS}"
        raise RoofError([Diagnostic("R0404", message)])
    shown = os.fspath(path)
    read, problems = read_runs(Path(shown), shown)
    raise_if_any(problems)
    assert read is not None  # else there are problems
    asked = [models] if isinstance(models, Model) else [*models]
    known = [Named(each.definition, each.name) for each in asked]
    found = models_of_runs(read, known, of_library, lambda _: {})
    answer = fitted(
        found.asked,
        machine.definition,
        also=also,
        keep=keep,
        law=compose,
        half=half,
        folds=int(folds),
    )
    return ShownFit(shown, answer, name, origin_of(Path(shown)), found.notes)
