"""A model of what was counted while a kernel ran: its own work on a machine's roofs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.runs import Run
from roofdsl.diagnostic import Diagnostic, Label, raise_if_any
from roofdsl.expression.tree import Number
from roofdsl.model.library import check_text
from roofdsl.model.types import ModelDefinition
from roofdsl.source import Source

_UNITS = {"flops": "flop", "memory": "B", "network": "B", "messages": "message"}
_BOUNDED = ("flops", "memory")
SOURCE = "the work that was counted"


def has_work(run: Run) -> bool:
    """Whether flops or bytes of memory were counted, above 0, which a roof bounds."""
    return any(work > 0 and key.partition(".")[0] in _BOUNDED for key, work in run.work.items())


def own_work(run: Run) -> tuple[ModelDefinition, Arguments]:
    """Return a model of a run's own work, which is all at once as in any kernel, and its values.

    Work of 0, as the flop of a copy, takes no time, and is none of the model's.
    """
    keys = sorted(key for key, work in run.work.items() if work > 0)
    model = replace(_model(tuple(keys)), name=run.kernel or "this run")
    values = {_parameter(key): (Number(Fraction(run.work[key])), run.span) for key in keys}
    return model, values


def at_run(problem: Diagnostic, run: Run) -> Diagnostic:
    """Return a problem of a run's own work with the run's row in place of what nobody wrote."""
    labels = (
        Label(run.span, "counted here") if label.span.source.name == SOURCE else label
        for label in problem.labels
    )
    return replace(problem, labels=tuple(labels))


@cache
def _model(keys: Sequence[str]) -> ModelDefinition:
    lines = ["model counted {"]
    for key in keys:
        lines.append(f"    param {_parameter(key)}: {_UNITS[key.partition('.')[0]]}")
    lines += [f"    {key} = {_parameter(key)}" for key in keys]
    module, problems = check_text(Source(SOURCE, "\n".join([*lines, "}"])))
    raise_if_any(problems)  # a level may be a word of the language
    return module.models["counted"]


def _parameter(key: str) -> str:
    return f"counted_{key.replace('.', '_')}"
