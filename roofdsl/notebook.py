"""Notebooks: `%load_ext roofdsl`, then cells that begin with `%%roof` are in the language.

What a cell defines is there afterwards under its name, in Python and for the cells below; what is
wrong in it is shown beneath it, at its place.
"""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from roofdsl.analysis.result import Result
from roofdsl.analysis.testing import TestOutcome, run_tests
from roofdsl.contract import public
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.embedding.machine import Machine
from roofdsl.embedding.model import Model
from roofdsl.model.build import build
from roofdsl.model.given import one_of
from roofdsl.model.library import SUFFIX, Imports, bundled
from roofdsl.model.neighbours import Sort
from roofdsl.model.types import Module
from roofdsl.source import Source
from roofdsl.typeset.escape import escape_html
from roofdsl.units.quantity import show_number
from roofdsl.writing import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from roofdsl.figures.picture import FigureCell, FigureTable

MOST_ROWS = 60
_TAKEN = {*dir(builtins), *keyword.kwlist, "In", "Out", "display", "exit", "get_ipython", "quit"}
"""Names that Python and IPython have; a model of such a name must not take their place."""


class Formatter(Protocol):
    """What of IPython's formatters is used."""

    def for_type_by_name(
        self, module: str, name: str, shown: Callable[[FigureTable], str], /
    ) -> object: ...


class DisplayFormatter(Protocol):
    @property
    def formatters(self) -> Mapping[str, Formatter]: ...


@runtime_checkable
class Shell(Protocol):
    """What of IPython's shell is used."""

    @property
    def display_formatter(self) -> DisplayFormatter: ...

    def register_magic_function(
        self, function: Callable[[str, str], CellOutcome], /, magic_kind: str, magic_name: str
    ) -> None: ...

    def push(self, variables: Mapping[str, Model | Machine], /) -> None: ...


@dataclass(frozen=True, slots=True, repr=False)
class CellOutcome:
    """What became of a cell: its models and machines, tests, and problems.

    >>> cell = Cells().run("model copy { param n: integer; memory = 16 B*n }")
    >>> cell, cell.models["copy"].memory
    (model copy, 16*n)
    >>> print(Cells().run("model m { flops = 2 + }"))
    error[R0110]: a value is missing after `+`
      --> cell:1:21
       1 | model m { flops = 2 + }
         |                     ^
      = hint: a value is a number, a name, or an expression in parentheses
    """

    models: dict[str, Model]
    machines: dict[str, Machine]
    tests: tuple[TestOutcome, ...]
    problems: tuple[Diagnostic, ...]

    def __repr__(self) -> str:
        shown = [str(problem) for problem in self.problems]
        return "\n\n".join([*shown, *self._renamed(), *filter(None, [self._summary()])])

    def _repr_html_(self) -> str:
        lines = ['<div class="roofdsl">']
        lines += [
            f'<pre style="font-family: monospace">{escape_html(str(problem))}</pre>'
            for problem in (*self.problems, *self._renamed())
        ]
        if self._summary():
            lines.append(f"<p>{escape_html(self._summary())}</p>")
        return "\n".join([*lines, "</div>"])

    def _renamed(self) -> list[str]:
        return [
            f"warning: '{name}' is a name of Python, so what this cell defines is "
            f"`{name_in_python(name)}` there"
            for name in (*self.models, *self.machines)
            if name_in_python(name) != name
        ]

    def _summary(self) -> str:
        names = [f"model {name}" for name in self.models]
        names += [f"machine {name}" for name in self.machines]
        text = ", ".join(names)
        if self.tests:
            passed = sum(test.passed for test in self.tests)
            tests = f"{passed} of {len(self.tests)} tests passed"
            text = f"{text}; {tests}" if text else tests
        return text


class CellError(RoofError):
    """Fails a cell with errors or failed tests; IPython shows what is wrong, and no traceback."""

    def __init__(self, cell: CellOutcome) -> None:
        super().__init__(cell.problems)
        self.cell = cell

    def __str__(self) -> str:
        return repr(self.cell)

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython is to print in place of a traceback."""
        return str(self).splitlines()


class Cells:
    """The cells of a notebook so far: later ones see what earlier ones define."""

    def __init__(self) -> None:
        self._known = Module(Source("cell", ""))

    def run(self, text: str) -> CellOutcome:
        """Build the text of a cell and run its tests; what has errors defines nothing."""
        known = self._known
        module, problems = build(Source("cell", text), _Neighbours(known), earlier=known)
        if any(problem.severity == "error" for problem in problems):
            return CellOutcome({}, {}, (), problems)
        self._known = replace(
            module,
            models={**known.models, **module.models},
            machines={**known.machines, **module.machines},
        )
        outcomes = run_tests(self._known)
        failed = tuple(problem for outcome in outcomes for problem in outcome.problems)
        return CellOutcome(
            {name: Model(item) for name, item in module.models.items()},
            {name: Machine(item) for name, item in module.machines.items()},
            outcomes,
            (*problems, *failed),
        )


class _Neighbours(Imports):
    """Finds what earlier cells define, then what files and the library do."""

    def __init__(self, known: Module) -> None:
        super().__init__(Path.cwd() / "cell.roof")
        self._known = known

    def bundled(self, name: str, sort: Sort) -> tuple[Module, str | None] | None:
        if name in (self._known.models if sort == "model" else self._known.machines):
            return self._known, name
        return super().bundled(name, sort)

    def names(self, sort: Sort) -> list[str]:
        own = self._known.models if sort == "model" else self._known.machines
        return [*own, *super().names(sort)]


_LOADING = re.compile(r"\bload(_model|_machine)?\(\s*[\"']([\w.]*)$")
"""What stands before the cursor where a bundled name is being written."""


@public(shell=one_of(Shell, wanted="a Shell, which `%load_ext roofdsl` gives it"))
def load_ipython_extension(shell: Shell) -> None:
    """Register `%%roof`, show the tables behind figures as tables, complete names."""
    cells = Cells()
    if "IPython" in sys.modules:
        _complete(shell)

    def roof(line: str, cell: str) -> CellOutcome:
        """Read a cell of models, machines and tests; define them here under their names.

        A `.roof` file's name behind `%%roof` keeps the cell as that file. A cell with errors
        defines nothing; with failed tests, its models and machines are defined all the same.
        """
        try:
            keep(line, cell)
        except RoofError as error:
            raise CellError(CellOutcome({}, {}, (), error.diagnostics)) from None
        found = cells.run(cell)
        defined: dict[str, Model | Machine] = {**found.models, **found.machines}
        shell.push({name_in_python(name): item for name, item in defined.items()})
        if any(problem.severity == "error" for problem in found.problems):
            raise CellError(found)
        return found

    shell.register_magic_function(roof, magic_kind="cell", magic_name="roof")
    html = shell.display_formatter.formatters["text/html"]
    html.for_type_by_name("roofdsl.figures.picture", "FigureTable", table_html)


def _complete(shell: object) -> None:
    """Let IPython complete what is by name, and the names of the library."""
    from IPython.core import completer
    from IPython.core.guarded_eval import EVALUATION_POLICIES

    from roofdsl.analysis.step_results import StepResults
    from roofdsl.embedding.cards import ShownSweep
    from roofdsl.embedding.displayed import ShownResult
    from roofdsl.embedding.module import Module
    from roofdsl.embedding.prediction import Prediction

    # What these compute when it is looked at is looked at for `result.steps["`: it is quick.
    limited, made = EVALUATION_POLICIES["limited"], (Model, Machine, Module, Prediction)
    getattr(limited, "allowed_getattr", set[type]()).update(
        (*made, ShownResult, ShownSweep, Result)
    )
    getattr(limited, "allowed_getitem", set[type]()).add(StepResults)

    def names_to_load(context: completer.CompletionContext) -> completer.SimpleMatcherResult:
        found = _LOADING.search(context.text_until_cursor)
        names = bundled_names(found[1], found[2]) if found else []
        return {
            "completions": [completer.SimpleCompletion(name, type="name") for name in names],
            # In quotes stands no name of Python, such as `sum`; the user's own files may.
            "suppress": bool(names),
            "do_not_suppress": {"IPCompleter.file_matcher"},
        }

    asked = getattr(shell, "Completer", None)
    getattr(asked, "custom_matchers", []).append(completer.context_matcher()(names_to_load))


def bundled_names(sort: str | None, begun: str) -> list[str]:
    """Return the names of the library that `load_model`, `load_machine` or `load` may go on to.

    >>> bundled_names("_machine", "kar"), bundled_names("_model", "linalg.su")
    (['karst'], ['linalg.summa'])
    """
    models = [] if sort == "_machine" else [*bundled("model")]
    files = [*models, *([] if sort == "_model" else bundled("machine"))]
    last = [name.rpartition(".")[2] for name in files]
    return sorted({name for name in (*files, *last) if name.startswith(begun)})


def keep(line: str, cell: str) -> None:
    """Write a cell as the file that is named behind `%%roof`, if one is.

    Raises RoofError for what is no name of a `.roof` file (R0004), such as a comment or an option,
    and for a file that cannot be written (R0802).
    """
    name = line.strip()
    if not name:
        return
    if name.startswith(("-", "#")) or not name.endswith(SUFFIX):
        message = f"'{name}' behind `%%roof` is not a {SUFFIX} file"
        hint = "`%%roof my.roof` keeps the cell as that file; `%%roof` alone keeps no file"
        raise RoofError([Diagnostic("R0004", message, hint=hint)])
    write_whole(Path(name), cell.encode("utf-8"))


def name_in_python(name: str) -> str:
    """Return what a model is called in Python, where its own name may mean something already.

    >>> name_in_python("copy"), name_in_python("print"), name_in_python("lambda")
    ('copy', 'print_', 'lambda_')
    """
    return f"{name}_" if name in _TAKEN else name


def table_html(table: FigureTable) -> str:
    """Return the data behind a figure as an HTML table, its first rows where there are many."""
    head = "".join(f'<th scope="col">{escape_html(name)}</th>' for name in table.columns)
    lines = ['<table class="roofdsl">', f"<tr>{head}</tr>"]
    for row in table.rows[:MOST_ROWS]:
        cells = "".join(f"<td>{escape_html(_shown(cell))}</td>" for cell in row)
        lines.append(f"<tr>{cells}</tr>")
    left = len(table.rows) - MOST_ROWS
    if left > 0:
        lines.append(f'<tr><td colspan="{len(table.columns)}">and {left} more</td></tr>')
    return "\n".join([*lines, "</table>"])


def _shown(cell: FigureCell) -> str:
    if isinstance(cell, float):
        return show_number(cell, 6)
    return "" if cell is None else str(cell)
