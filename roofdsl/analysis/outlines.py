"""Predictions in outline: their names and units with made-up numbers, for tests not run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from roofdsl.analysis.binding import Arguments, no_parameter
from roofdsl.analysis.composition import Composed
from roofdsl.analysis.intensity import QUANTITIES
from roofdsl.analysis.names_of_tests import TestScope
from roofdsl.analysis.result import Result, Ridge
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.model.tally import tallies_of
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.source import Span

# Each number is another one, so that no difference of two is 0.
_NUMBERS: Iterator[int] = count(2)


class OutlineScope(TestScope):
    """The names of a test whose predictions have their names and units, and made-up numbers."""

    def without_value(self, place: Span, reason: str) -> None:
        """Say nothing: made-up numbers may have no root; a run has the right ones."""

    def predicted(
        self,
        model: ModelDefinition,
        machine: MachineDefinition,
        arguments: Arguments,
    ) -> Result:
        known = {parameter.name: parameter for parameter in model.parameters}
        for name in arguments:
            if name not in known:
                raise RoofError([no_parameter(name, self.at, model)])
        missing = [name for name, x in known.items() if x.default is None and name not in arguments]
        if missing:
            message = f"'{model.name}' needs a value for {', '.join(missing)}"
            hint = f"give {missing[0]} a number"
            raise RoofError([Diagnostic("R0406", message, (Label(self.at),), hint)])
        return _outline(model, machine)


def _outline(model: ModelDefinition, machine: MachineDefinition) -> Result:
    tallies = tallies_of(model)
    dimensions = {**tallies, **model.dimensions()}
    truths = model.truths()
    nothing = Composed(model.name, "kernel", 1.0, 0.0, {}, {}, {})
    return Result(
        model=model.name,
        machine=machine.name,
        parameters={},
        named={name: name in truths or float(next(_NUMBERS)) for name in dimensions},
        dimensions=dimensions,
        work={},
        rates={},
        times={},
        bound=None,
        ties=(),
        peak=None,
        shares={},
        breakdown=nothing,
        ridge=Ridge(*(float(next(_NUMBERS)) for _ in range(3))),
        processes=1.0,
        totals={},
        tallies={},
        fits={},
        notes=(),
        rivalry=None,
        **{name: float(next(_NUMBERS)) for name in QUANTITIES},
    )
