"""How firm a bound is, in words that are true as they stand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_DOWN, ROUND_UP, Context, Decimal
from typing import TYPE_CHECKING

from roofdsl.analysis.margin import Margin, Turned
from roofdsl.analysis.prediction import Prediction
from roofdsl.answer.blocks import in_a_row
from roofdsl.answer.plain import Json, as_json, number, numbers
from roofdsl.units.quantity import show_number

if TYPE_CHECKING:
    from roofdsl.analysis.rate_box import RateBox, RatesVerdict

_DOWN = Context(prec=3, rounding=ROUND_DOWN)
_UP = Context(prec=3, rounding=ROUND_UP)
_LITTLE = 1e-6
_APART = 1.01
"""What turns a bound is named where it is farther, by this factor, than what is proven."""


def margin_values(margin: Margin) -> dict[str, Json]:
    """Return a margin in plain values, but for what turns the bound."""
    ratio = None if margin.ratio is None else number(margin.ratio)
    return {"next": margin.next, "ratio": ratio, "tolerance": number(margin.tolerance)}


def turned_values(turned: Turned | None) -> Json:
    """Return in plain values what turns a bound, None where that is not known."""
    if turned is None:
        return None
    rates = numbers(turned.rates)
    return {"change": number(turned.change), "bound": turned.bound, "rates": rates}


def has_latencies(prediction: Prediction) -> bool:
    """Whether a machine states one of the rates in use the other way round, in s/message."""
    machine = prediction.machine
    for load in prediction.placed:
        if load.rate is None:
            continue
        key = load.rate.name[len(machine.name) + 1 :]
        holder = machine if load.device is None else machine.devices[load.device]
        rate = holder.rate(key if load.device is None else key.removeprefix(f"{load.device}."))
        if rate is not None and rate.inverse:
            return True
    return False


def near_values(verdicts: Sequence[RatesVerdict]) -> dict[str, Json]:
    """Return what binds on all machines of each box in plain values, if any is asked for."""
    return {"over_rates": [_verdict_values(each) for each in verdicts]} if verdicts else {}


def _verdict_values(verdict: RatesVerdict) -> Json:
    return {
        **box_values(verdict.box),
        "verdict": verdict.verdict,
        "bounds": as_json(verdict.bounds),
        "machines": [numbers(machine) for machine in verdict.machines],
    }


def box_values(box: RateBox) -> dict[str, Json]:
    """Return the ends of the rates of a box, as factors, and how far all may be off, if so."""
    prefixed = {name.partition(".")[2]: ends for name, ends in box.factors.items()}
    return {
        "within": None if box.change is None else float(box.change),
        "rates": {name: [float(end) for end in ends] for name, ends in prefixed.items()},
    }


def verdict_text(verdict: RatesVerdict) -> str:
    """Return what binds on all machines of a box in words."""
    if not verdict.bounds:
        return "nothing binds on any machine"
    if verdict.verdict == "all":
        return f"{verdict.bounds[0]} on every machine, proven"
    if verdict.verdict == "undecided":
        return f"{verdict.bounds[0]} here; on every machine is not decided"
    here, other = verdict.bounds
    rates = rates_text(verdict.machines[1], verdict.box)
    return f"it depends on the rates: {here} here, {other} with {rates}"


def verdict_name(verdict: RatesVerdict) -> str | None:
    """Return what binds on all machines of a box, or all that was found; None if not decided."""
    if verdict.verdict == "undecided":
        return None
    return " or ".join(verdict.bounds) or "none"


def rates_text(machine: Mapping[str, float], box: RateBox) -> str:
    """Return the rates of a machine of a box: slow and fast are its ends, others are factors."""
    found: dict[str, list[str]] = {"slow": [], "fast": []}
    between: list[str] = []
    ends = {symbol.partition(".")[2]: each for symbol, each in box.factors.items()}
    for name, factor in machine.items():
        slow, fast = ends.get(name, (1, 1))
        if math.isclose(factor, slow) and slow != fast:
            found["slow"].append(name)
        elif math.isclose(factor, fast) and slow != fast:
            found["fast"].append(name)
        elif not math.isclose(factor, 1):
            between.append(f"{name} × {show_number(factor, 6)}")
    parts = [f"{end} {in_a_row(names)}" for end, names in found.items() if names]
    return ", ".join([*parts, *between]) or "the rates as they are"


def margin_text(margin: Margin, *, latencies: bool) -> str:
    """Return how far the next is, and how far all rates may be off; with `latencies` among them."""
    parts: list[str] = []
    if margin.ratio is not None:  # else there is no next
        parts.append(f"{show_number(margin.ratio, 3)} × {margin.next}")
    return "; ".join([*parts, _tolerance(margin, latencies=latencies)])


def _tolerance(margin: Margin, *, latencies: bool) -> str:
    rates, turned = "every rate", margin.turned
    if latencies:
        rates = "every rate, and of a latency its inverse,"
    if margin.tolerance == math.inf:
        return "holds at any rates"
    if margin.tolerance >= 1:
        times = _DOWN.create_decimal(repr(1 + margin.tolerance))
        return f"holds however slow the rates are, and up to {times.normalize():f} × as fast"
    if turned is not None and turned.change < _LITTLE:
        return f"rates that are off by less than {_percent(_LITTLE)} can turn it to {turned.bound}"
    if margin.tolerance == 0:
        said = "how far rates may be off is not known"
    else:
        said = f"holds while {rates} is off by less than {percent_below(margin.tolerance)}"
    if turned is not None and turned.change > _APART * margin.tolerance:
        return f"{said}; with {_percent(turned.change, _UP)} {turned.bound} can bind"
    if turned is not None and turned.bound != margin.next:
        return f"{said}, then turns to {turned.bound}"
    return said


def percent_below(part: float) -> str:
    """Return a part in per cent, rounded down to three digits.

    >>> percent_below(0.29), percent_below(0.090759), percent_below(1 - 1e-9)
    ('29 %', '9.07 %', '99.9 %')
    """
    return _percent(part)


def _percent(part: float, rounding: Context = _DOWN) -> str:
    return f"{rounding.create_decimal(Decimal(repr(part)) * 100).normalize():f} %"
