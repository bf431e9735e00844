"""Which model predicts which run: by the name of its kernel, or by the work that was counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from roofdsl.analysis.binding import Arguments, no_parameter
from roofdsl.analysis.own_work import has_work, own_work
from roofdsl.analysis.runs import Given, Run, Runs
from roofdsl.analysis.validation import MOST_PROBLEMS, Asked
from roofdsl.diagnostic import Diagnostic, Label, RoofError, listing, raise_if_any
from roofdsl.model import mismatch
from roofdsl.model.library import find_model, is_path, near_bundled
from roofdsl.model.types import ModelDefinition, Parameter
from roofdsl.units.dimension import DIMENSIONLESS

COUNTED = "counted work"
"""The name of the score of runs by their own work."""
_SORTS = {"boolean": "truth value", "precision": "precision"}


class Named(NamedTuple):
    """A model to score, and the name that its runs have as their kernel.

    `reference` is what it was asked for by, `kernel` the one whose runs it predicts, if it is said.
    """

    model: ModelDefinition
    reference: str
    kernel: str | None = None

    @property
    def name(self) -> str:
        return self.model.name

    def predicts(self, kernel: str) -> bool:
        """Whether runs of a kernel are this model's; those of no name are any model's."""
        if self.kernel is not None:
            return kernel == self.kernel
        return not kernel or kernel in (self.name, self.reference) or _short(kernel) == self.name


class Sorted(NamedTuple):
    """Runs by the name of their score, and notes of those that are left aside."""

    asked: Mapping[str, Sequence[Asked]]
    notes: tuple[str, ...]


def models_of_runs(
    runs: Runs,
    models: Sequence[Named],
    find: Callable[[str], ModelDefinition | None],
    fixed: Callable[[ModelDefinition], Arguments],
) -> Sorted:
    """Return the runs of each model, with the values of its parameters.

    With models, runs of other kernels are left aside. Without, the kernel names the model, which
    `find` returns where the library has it; runs with work of their own and no parameter are
    predicted by that. `fixed` are the values of a model that all of its runs have, unless they say
    others. Raises RoofError for a kernel that is neither (R1503), a model without a run
    (R1503), and columns that do not fit the parameters (R0401, R0404, R0405).
    """
    sorting = _Sorting(runs, find, fixed)
    found = sorting.by_models(models) if models else sorting.by_kernels()
    raise_if_any(sorting.problems[:MOST_PROBLEMS])
    return Sorted(found, tuple(sorting.notes))


def of_library(kernel: str) -> ModelDefinition | None:
    """Find a model of the library; a file is read only where a person named it, not a table."""
    if is_path(kernel):
        return None
    try:
        return find_model(kernel)[0]
    except RoofError:
        return None


def _short(kernel: str) -> str:
    """Return the last part of a name: `summa` of `linalg.summa` and of `mine.roof:summa`."""
    return kernel.removesuffix(".roof").rpartition(":")[2].rpartition(".")[2]


class _Sorting:
    def __init__(
        self,
        runs: Runs,
        find: Callable[[str], ModelDefinition | None],
        fixed: Callable[[ModelDefinition], Arguments],
    ) -> None:
        self._runs = runs
        self._find = find
        self._fixed = fixed
        self.problems: list[Diagnostic] = []
        self.notes: list[str] = []

    def by_models(self, models: Sequence[Named]) -> dict[str, list[Asked]]:
        kernels = self._kernels()
        found: dict[str, list[Asked]] = {}
        for named in models:
            own = [run for run in self._runs.runs if named.predicts(run.kernel)]
            if not own:
                message = f"none of these runs is of '{named.kernel or named.name}'"
                known = f"they are of {listing(kernels)}"
                near = next(iter(kernels))
                hint = f"{known}; `--model {near}=MODEL` predicts those of '{near}' by any model"
                self._fail(message, self._runs.runs[0], hint)
            found[_apart(named.name, found)] = self._asked(named.model, own)
        self._leave_aside(models, kernels)
        return found

    def _leave_aside(self, models: Sequence[Named], kernels: Mapping[str, Sequence[Run]]) -> None:
        """Note the kernels that no model is for; report those that nobody knows."""
        left = {k: own for k, own in kernels.items() if not any(x.predicts(k) for x in models)}
        for kernel, own in left.items():
            if len(self.problems) >= MOST_PROBLEMS:
                break
            if not has_work(own[0]) and self._find(kernel) is None:
                self._unknown(own[0])
        count = sum(map(len, left.values()))
        if count:
            these = "run is" if count == 1 else "runs are"
            self.notes.append(f"{count} other {these} left aside: of {listing(left)}")

    def by_kernels(self) -> dict[str, list[Asked]]:
        found: dict[str, list[Asked]] = {}
        counted: list[Asked] = []
        unknown: list[Run] = []
        names: dict[int, str] = {}  # a model may be asked for by several names
        for kernel, own in self._kernels().items():
            by_model = [run for run in own if not _is_counted(run)]
            counted += [Asked(run, *own_work(run)) for run in own if _is_counted(run)]
            model = self._find(kernel) if by_model and kernel else None
            if model is not None:
                name = names.setdefault(id(model), _apart(model.name, found))
                found.setdefault(name, []).extend(self._asked(model, by_model))
            elif by_model:
                unknown.append(by_model[0])
        if counted and not any(run.arguments or not run.kernel for run in unknown):
            self._idle(unknown)
        else:
            for run in unknown[:MOST_PROBLEMS]:
                self._unknown(run)
        if counted:
            found[_apart(COUNTED, found)] = counted
        return found

    def _kernels(self) -> dict[str, list[Run]]:
        found: dict[str, list[Run]] = {}
        for run in self._runs.runs:
            found.setdefault(run.kernel, []).append(run)
        return found

    def _asked(self, model: ModelDefinition, runs: Sequence[Run]) -> list[Asked]:
        """Return runs with the values of a model's parameters; report columns that do not fit."""
        known = {parameter.name: parameter for parameter in model.parameters}
        for name in dict.fromkeys(name for run in runs for name in run.arguments):
            column = self._runs.parameters[name]
            if name not in known:
                self.problems.append(no_parameter(name, column.span, model))
            else:
                self.problems += _misfits(column, known[name])
        fixed = self._fixed(model)
        for name in fixed:
            if all(name in run.arguments for run in runs):
                note = (
                    f"{model.name}: each run says {name} itself; the value given for it is not used"
                )
                self.notes.append(note)
        return [Asked(run, model, {**fixed, **run.arguments}) for run in runs]

    def _idle(self, runs: Sequence[Run]) -> None:
        """Note kernels in a table of points of which no work was counted."""
        if runs:
            kernels = listing(run.kernel for run in runs)
            self.notes.append(f"left aside, for nothing that they do was counted: {kernels}")

    def _unknown(self, run: Run) -> None:
        if not run.kernel:
            hint = "say whose runs these are: `--model MODEL`, or a column `kernel`"
            self._fail("this run names no kernel", run, hint)
            return
        by_any = f"name the model that predicts it: `--model {run.kernel}=MODEL`"
        hint = near_bundled(run.kernel) or by_any
        self._fail(f"'{run.kernel}' is no model of the library", run, hint)

    def _fail(self, message: str, run: Run, hint: str) -> None:
        self.problems.append(Diagnostic.at("R1503", message, run.span, hint=hint))


def _is_counted(run: Run) -> bool:
    """Whether a run is predicted by its own work: it says that, and no parameter of a model."""
    return has_work(run) and not run.arguments


def _apart(name: str, taken: Mapping[str, object]) -> str:
    """Return a name that is not taken: a second `summa` is `summa (2)`."""
    names = (name if count == 1 else f"{name} ({count})" for count in range(1, len(taken) + 2))
    return next(each for each in names if each not in taken)


def _misfits(column: Given, parameter: Parameter) -> Iterator[Diagnostic]:
    """Yield why a column cannot hold the values of a parameter."""
    labels = Label(column.span), Label(parameter.span, "declared here")
    name, wanted = parameter.name, parameter.dimension
    sort = _SORTS.get(parameter.kind, "number")
    if column.sort != sort:
        message = f"the column '{name}' has {column.sort}s, but the parameter is a {sort}"
        yield Diagnostic("R0404", message, labels, f"write {sort}s")
    elif column.dimension not in (None, wanted):
        assert column.dimension is not None
        given, must = mismatch.measured(column.dimension), wanted.describe()
        message = f"'{name}' is given {given}, but it must be {must}"
        written = name if wanted == DIMENSIONLESS else f"{name} [{wanted}]"
        yield Diagnostic("R0405", message, labels, f"write `{written}`")
