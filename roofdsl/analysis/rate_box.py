"""Machines near one machine: each of its rates between two ends."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeAlias

from roofdsl.analysis.load import rate_symbol
from roofdsl.analysis.margin import is_uncertain
from roofdsl.analysis.prediction import Prediction
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.expression.construct import multiply
from roofdsl.expression.tree import Number
from roofdsl.model.types import MachineDefinition
from roofdsl.unchanging import Unchanging
from roofdsl.units.quantity import show_percent

Verdict: TypeAlias = Literal["all", "depends", "undecided"]
STATED = "stated"
"""What is asked for where the uncertainties that a machine states are meant."""
_PERCENT = re.compile(r"\s*(?:±|\+-|\+/-)?\s*(\d+(?:\.\d+)?)\s*%\s*")


@dataclass(frozen=True, slots=True)
class RateBox(Unchanging):
    """All machines whose rates lie between two ends, each by itself.

    `factors` are the ends, as factors of the machine's rates, by the names of their symbols; a rate
    that is not there has its value. `change` is how far all rates may be off, relatively, None
    where each has an uncertainty of its own.
    """

    change: Fraction | None
    factors: dict[str, tuple[Fraction, Fraction]]

    @property
    def words(self) -> str:
        """What lies in it: `within ±10 %`."""
        if self.change is None:
            return "within the ± of its rates"
        return f"within ±{show_percent(float(self.change), 6)}"

    def at(self, prediction: Prediction, chosen: Mapping[str, Fraction]) -> Prediction:
        """Return a prediction on one of the machines, its rates times some factors."""
        rates = {
            name: multiply(Number(chosen[name]), tree) if name in chosen else tree
            for name, tree in prediction.rates.items()
        }
        return replace(prediction, rates=rates)


@dataclass(frozen=True, slots=True)
class RatesVerdict:
    """What binds on all machines of a box: one on all; or several, each on some; or unknown.

    `bounds` are those that were found, the one on the machine itself first. Where it depends on the
    rates, `machines` has those of a machine for each of them, as factors of the machine's.
    """

    box: RateBox
    verdict: Verdict
    bounds: tuple[str, ...]
    machines: tuple[dict[str, float], ...] = ()


def rate_box(asked: object, prediction: Prediction) -> RateBox:
    """Return the machines asked for: `±10%`, `10%`, 0.1, or `stated`.

    A latency `2 ± 0.1 us/message` lies within its uncertainty; that of ±10 % is the inverse of a
    rate within ±10 %. Raises RoofError for what is none of these (R0714), and where the machine
    states no uncertainty (R0715).
    """
    if isinstance(asked, str) and asked.strip() == STATED:
        return RateBox(None, _stated(prediction))
    change = _change(asked)
    if change is None or not 0 < change < 1:
        message = f"'{asked}' does not say how far rates may be off"
        hint = "give per cent above 0 and below 100, as ±10%, or `stated` for the machine's own ±"
        raise RoofError([Diagnostic("R0714", message, hint=hint)])
    return RateBox(change, dict.fromkeys(prediction.rates, (1 - change, 1 + change)))


def _change(asked: object) -> Fraction | None:
    if isinstance(asked, str):
        found = _PERCENT.fullmatch(asked)
        return None if found is None else Fraction(found[1]) / 100
    with suppress(ValueError):  # of NaN
        return Fraction(str(asked))  # 0.1 means a tenth
    return None


def _stated(prediction: Prediction) -> dict[str, tuple[Fraction, Fraction]]:
    found = rates_within(prediction)
    if not found:
        machine = prediction.machine
        message = f"'{machine.name}' states no rate with ±"
        hint = "write one, as in `22 ± 0.4 GFLOP/s`, or ask for ±10%"
        if is_uncertain(prediction):
            hint = f"{hint}; what other numbers with ± do is told by `eval` at one point"
        raise RoofError([Diagnostic.at("R0715", message, machine.span, hint=hint)])
    return found


def rates_within(prediction: Prediction) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the ends of the rates that a machine states with `±`, as factors, by their symbols."""
    machine = prediction.machine
    holders: dict[str | None, MachineDefinition] = {None: machine}
    holders.update(machine.devices.items())
    found: dict[str, tuple[Fraction, Fraction]] = {}
    for device, holder in holders.items():
        for rate in holder.rates:
            if not isinstance(rate.uncertainty, Number) or not rate.uncertainty.value:
                continue
            part = rate.uncertainty.value
            low, high = 1 - part, 1 + part
            ends = (1 / high, 1 / low) if rate.inverse else (low, high)
            found[rate_symbol(machine, rate.key, device).name] = ends
    return found
