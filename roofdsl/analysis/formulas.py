"""A prediction in formulas: each quantity in full, its leading term, with the numbers put in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roofdsl.algebra.leading import leading
from roofdsl.algebra.simplify import simplify_ratio
from roofdsl.analysis.asymptotic import eventual_bound
from roofdsl.analysis.convention import Convention, check_counted, count_formula
from roofdsl.analysis.intensity import INTENSITIES, INTENSITY_UNITS
from roofdsl.analysis.prediction import Prediction
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Function
from roofdsl.numeric.approximate import approximate
from roofdsl.units.dimension import FLOP, SECOND, Dimension


@dataclass(frozen=True, slots=True)
class Derived:
    """One quantity as formulas in SI base units.

    `full` is in the model's parameters and the machine's rates; `leading` is its leading term as
    the parameter `growing` grows; `numbers` has every known value put in, constants rounded.
    """

    name: str
    dimension: Dimension
    full: Expression
    leading: Expression | None
    numbers: Expression
    leading_numbers: Expression | None
    growing: str | None


@dataclass(frozen=True, slots=True)
class Formulas:
    """A model on a machine in formulas.

    `eventual_bound` is what binds as the parameter `growing` grows without end, None where that
    depends on the other free parameters or is not known.
    """

    work: tuple[Derived, ...]
    intensities: tuple[Derived, ...]
    times: tuple[Derived, ...]
    time: Derived
    attainable: Derived
    tallies: tuple[Derived, ...]
    growing: str | None
    eventual_bound: str | None

    def all(self) -> tuple[Derived, ...]:
        found = (*self.work, *self.intensities, *self.times, self.time, self.attainable)
        return (*found, *self.tallies)


def formulas(open_prediction: Prediction, prediction: Prediction) -> Formulas:
    """Derive the formulas of a prediction.

    `open_prediction` is the same model on the same machine with no parameter bound, not even to its
    default: its formulas are the full ones.
    """
    growing = next((parameter.name for parameter in prediction.free), None)

    def derived(name: str, dimension: Dimension, tree: Expression) -> Derived:
        return _derived(name, dimension, tree, prediction, growing)

    work = tuple(
        derived(load.name, load.resource.dimension, load.work) for load in open_prediction.loads
    )
    intensities = tuple(
        derived(name, INTENSITY_UNITS[name], simplify_ratio(tree))
        for name in INTENSITIES
        if (tree := open_prediction.intensity(name)) is not None
    )
    times = tuple(
        derived(name, SECOND, simplify_ratio(tree))
        for name, tree in open_prediction.times().items()
    )
    return Formulas(
        work,
        intensities,
        times,
        derived("time", SECOND, open_prediction.time()),
        derived("attainable", FLOP / SECOND, open_prediction.attainable()),
        tuple(
            derived(item.name, item.dimension, item.amount) for item in open_prediction.tallies()
        ),
        growing,
        None if growing is None else eventual_bound(prediction, growing),
    )


def counted_formulas(
    open_prediction: Prediction, prediction: Prediction, conventions: Sequence[Convention]
) -> tuple[Derived, ...]:
    """Derive what a model costs by some conventions; see `formulas`.

    Raises RoofError (R0709) where the model lacks the tally that one needs.
    """
    growing = next((parameter.name for parameter in prediction.free), None)
    tallies = open_prediction.tallies()
    dimensions = {item.name: item.dimension for item in tallies}
    amounts = {item.name: item.amount for item in tallies}
    flops = open_prediction.work("flops")
    found: list[Derived] = []
    for item in conventions:
        check_counted(item, prediction.model.name, dimensions)
        tree = simplify_ratio(count_formula(item, flops, amounts))
        found.append(_derived(item.name, Dimension.base(item.unit), tree, prediction, growing))
    return tuple(found)


def _derived(
    name: str, dimension: Dimension, full: Expression, prediction: Prediction, growing: str | None
) -> Derived:
    known = {**prediction.binding.trees, **prediction.rates}
    numbers = substitute(full, known)
    # Each branch of a `min` or `max` stands above, simplified, as a quantity of its own.
    simple = numbers if isinstance(numbers, Function) else simplify_ratio(numbers)
    depends = growing is not None and any(s.name == growing for s in free_symbols(full))
    lead = leading(full, growing) if growing is not None and depends else None
    return Derived(
        name=name,
        dimension=dimension,
        full=full,
        leading=lead,
        numbers=approximate(simple),
        leading_numbers=None if lead is None else approximate(substitute(lead, known)),
        growing=growing if depends else None,
    )
