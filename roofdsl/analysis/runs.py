"""Runs that were measured: what ran with which parameters, and how long it took."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from roofdsl.expression.tree import Expression
from roofdsl.source import Span
from roofdsl.units.dimension import Dimension


class Run(NamedTuple):
    """One setting that was run: the median of its repeats, in SI base units.

    `kernel` names the model, and is "" where the file does not say it. `arguments` are the
    parameters that are given, as `analysis.binding.bind` takes them. `time` [s] is None where only
    the `performance` [flop/s] is known; `low` and `high` are quartiles of it; `compute` and
    `communication` parts. `work` is what was counted as it ran, by resource: flop, B, messages.
    """

    kernel: str
    arguments: Mapping[str, tuple[Expression, Span]]
    span: Span
    time: float | None = None
    compute: float | None = None
    communication: float | None = None
    low: float | None = None
    high: float | None = None
    performance: float | None = None
    repeats: int | None = None
    machine: str = ""
    work: Mapping[str, float] = MappingProxyType({})


class Given(NamedTuple):
    """What a column gives for a parameter: its unit, or that it holds precisions or truths.

    `dimension` is None where the column says no unit: it is in SI base units, whatever they are.
    """

    name: str
    dimension: Dimension | None
    sort: str
    span: Span


class Runs(NamedTuple):
    """Runs of one file, by its name, and the columns that hold parameters."""

    name: str
    runs: tuple[Run, ...]
    parameters: Mapping[str, Given]
