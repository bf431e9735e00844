"""The names that a model's work may use: none of its results, which are known only later."""

from __future__ import annotations

from collections.abc import Iterable

from roofdsl.diagnostic import Reporter
from roofdsl.model.results import RESULTS
from roofdsl.model.scope import Scope
from roofdsl.model.types import FunctionDefinition
from roofdsl.source import Span
from roofdsl.units.unit import OwnUnits


class ModelScope(Scope):
    """The names of a model that are known before its time: parameters, `let`s, functions."""

    def __init__(
        self,
        report: Reporter,
        units: OwnUnits,
        functions: dict[str, FunctionDefinition],
        metrics: Iterable[str],
    ) -> None:
        super().__init__(report, units, functions)
        self._metrics = frozenset(metrics)

    def _unknown(self, name: str, use: Span) -> None:
        if name in self._metrics:
            hint = "a metric follows from the results: only other metrics can use it"
            self.refuse("R0224", f"work cannot depend on the metric '{name}'", use, hint=hint)
        elif name in RESULTS:
            hint = "what follows from results is a metric: `metric tps = 1 / time`"
            self.refuse("R0201", f"'{name}' is known only after the work", use, hint=hint)
        else:
            super()._unknown(name, use)
