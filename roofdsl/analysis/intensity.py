"""Intensities: how much of one kind of work a model does for each unit of another.

Three have names of their own. Flops for each unit of a resource that a file declares are called
`flops/nvme`, as they would be written in a formula.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from roofdsl.expression.construct import divide
from roofdsl.expression.tree import ZERO, Expression, Number
from roofdsl.model.resource import BUILT_IN
from roofdsl.model.results import INTENSITY_UNITS as INTENSITY_UNITS
from roofdsl.model.results import QUANTITIES as QUANTITIES
from roofdsl.model.types import Resource
from roofdsl.units.dimension import BYTE, FLOP, Dimension

INTENSITIES = {
    "OI": ("flops", "memory"),
    "CAI": ("flops", "network"),
    "MI": ("memory", "network"),
}
"""Operational intensity [flop/B], communication arithmetic intensity [flop/B], memory intensity
[B/B]: work over work (Cardwell 2019, Eq. 2.2 and 2.4; Checconi et al., Ridgeline)."""

IN_FULL = {
    "OI": "Operational intensity",
    "CAI": "Communication arithmetic intensity",
    "MI": "Memory intensity",
}
"""The names of the three as axes have them."""

ATTAINABLE = "Attainable performance"
"""What axes call it."""

OF_WORK = {"memory": "OI", "network": "CAI"}
"""The names of flops for each unit of work on a resource, where they have one of their own."""


def own_units(resources: Iterable[Resource]) -> dict[str, Dimension]:
    """Return the resources that a file declares, by name, with the units of their work."""
    return {each.name: each.dimension for each in resources if each.name not in BUILT_IN}


def intensity_of(resource: str) -> str:
    """Return what flops for each unit of work on a resource are called.

    >>> intensity_of("memory"), intensity_of("nvme")
    ('OI', 'flops/nvme')
    """
    return OF_WORK.get(resource, f"flops/{resource}")


def axis_label(name: str, work: Dimension = BYTE) -> str:
    """Return an intensity with its unit as axes have it; `work` is the unit of a resource's work.

    >>> axis_label("OI"), axis_label("flops/nvme")
    ('Operational intensity [flop/B]', 'Intensity flops/nvme [flop/B]')
    """
    unit = "memory B / network B" if name == "MI" else str(FLOP / work)
    return f"{IN_FULL.get(name, f'Intensity {name}')} [{unit}]"


def intensities(resources: Iterable[str]) -> list[str]:
    """Return the names of all intensities: the three, and those of resources of one's own.

    >>> intensities(["flops", "memory", "network", "nvme"])
    ['OI', 'CAI', 'MI', 'flops/nvme']
    """
    return [*INTENSITIES, *(intensity_of(name) for name in resources if name not in BUILT_IN)]


def quotient_of(name: str) -> tuple[str, str]:
    """Return the two works that an intensity is the quotient of.

    >>> quotient_of("CAI"), quotient_of("flops/nvme")
    (('flops', 'network'), ('flops', 'nvme'))
    """
    above, _, below = name.partition("/")
    return INTENSITIES.get(name, (above, below))


def intensity_units(own: Mapping[str, Dimension]) -> dict[str, Dimension]:
    """Return the unit of each intensity by name; `own` are resources as `own_units` has them."""
    return {**INTENSITY_UNITS, **{intensity_of(name): FLOP / unit for name, unit in own.items()}}


def quantities(own: Mapping[str, Dimension]) -> dict[str, Dimension]:
    """Return the numbers of a result with their units: works, intensities, time, attainable."""
    works = {name: QUANTITIES[name] for name in ("flops", "memory", "network")}
    return {**works, **own, **intensity_units(own), **QUANTITIES}


def intensity(work: Mapping[str, Expression], name: str) -> Expression | None:
    """Return an intensity from the work by resource, or None where its denominator is 0."""
    above, below = (work.get(key, ZERO) for key in quotient_of(name))
    return None if is_zero(below) else divide(above, below)


def is_zero(tree: Expression) -> bool:
    """Whether an expression is the number 0."""
    return isinstance(tree, Number) and tree.value == 0
