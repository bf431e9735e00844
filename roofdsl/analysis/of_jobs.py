"""What a mix does not answer: the work of runs on other processes does not add up."""

from __future__ import annotations

import math
from collections.abc import Mapping

from roofdsl.analysis.intensity import INTENSITIES, QUANTITIES
from roofdsl.analysis.ratio import quotient
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.model.types import ModelDefinition

OF_JOBS = tuple(name for name in QUANTITIES if name != "time")
"""What each job has of its own: flops, memory, network, intensities, performance."""


def left_to_jobs(mix: str) -> dict[str, str]:
    """Return why a mix answers none of them, by name.

    >>> left_to_jobs("month")["OI"]
    "'month' is a mix: each of its jobs has an OI of its own"
    """
    called = {"attainable": "a performance", "OI": "an OI", "MI": "an MI"}
    called |= {name: f"a {name}" for name in INTENSITIES if name not in called}
    return {
        name: f"'{mix}' is a mix: each of its jobs has {called.get(name, name)} of its own"
        for name in OF_JOBS
    }


def refuse_of_mix(model: ModelDefinition, name: str) -> None:
    """Raise RoofError where a mix is asked for what its jobs have (R0610)."""
    if model.is_mix:
        reason = left_to_jobs(model.name).get(name, f"'{model.name}' is a mix of jobs")
        message, label = f"{name} is not answered: {reason}", Label(model.span, "the mix")
        raise RoofError([Diagnostic("R0610", message, (label,), "ask for its jobs one by one")])


def works_and_ratios(
    counted: Mapping[str, float], time: float, *, of_jobs: bool
) -> dict[str, float]:
    """Return works, intensities and attainable performance; of a mix they are no numbers.

    >>> works_and_ratios({"flops": 6.0, "memory": 3.0, "network": 0.0}, 2.0, of_jobs=False)["OI"]
    2.0
    """
    found = {
        **counted,
        **{name: quotient(counted[one], counted[by]) for name, (one, by) in INTENSITIES.items()},
        "attainable": quotient(counted["flops"], time),
    }
    return dict.fromkeys(found, math.nan) if of_jobs else found
