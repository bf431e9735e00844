"""How firm a bound is, in words that are true as they stand."""

from __future__ import annotations

import math
from decimal import ROUND_DOWN, Context, Decimal

from roofdsl.analysis.margin import Margin
from roofdsl.answer.plain import Json, fields_of, number, numbers

_DOWN = Context(prec=3, rounding=ROUND_DOWN)
_APART = 1.01
"""What turns a bound is named where it is farther, by this factor, than what is proven."""


def margin_values(margin: Margin | None) -> Json:
    """Return a margin in plain values, None where nothing competes."""
    if margin is None:
        return None
    turned = margin.turned
    return {
        **fields_of(margin, "next", "ratio", "tolerance"),
        "turned": None
        if turned is None
        else {
            "change": number(turned.change),
            "bound": turned.bound,
            "rates": numbers(turned.rates),
        },
    }


def margin_text(margin: Margin, *, latencies: bool) -> str:
    """Return how far the next is, and how far all rates may be off; with `latencies` among them."""
    parts = [] if margin.next is None else [f"{margin.ratio:.3g} × {margin.next}"]
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
    if margin.tolerance == 0 and turned is not None and turned.change < 1e-6:
        return f"rates that are off by however little can turn it to {turned.bound}"
    if margin.tolerance == 0:
        said = "how far rates may be off is not known"
    else:
        said = f"holds while {rates} is off by less than {percent_below(margin.tolerance)}"
    if turned is not None and turned.change > _APART * margin.tolerance:
        return f"{said}, or more; not with {percent_below(turned.change)}, for {turned.bound}"
    if turned is not None and turned.bound != margin.next:
        return f"{said}, then turns to {turned.bound}"
    return said


def percent_below(part: float) -> str:
    """Return a part in per cent, rounded down to three digits.

    >>> percent_below(0.29), percent_below(0.090759), percent_below(1 - 1e-9)
    ('29 %', '9.07 %', '99.9 %')
    """
    return f"{_DOWN.create_decimal(Decimal(repr(part)) * 100).normalize():f} %"
