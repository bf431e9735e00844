"""Which of two quantities of a prediction is the larger, over a range of an unknown."""

from __future__ import annotations

from collections.abc import Sequence

from roofdsl.analysis.crossover import (
    Crossovers,
    Rivals,
    check_dependence,
    crossovers_of,
    find_crossovers,
    known_of,
)
from roofdsl.analysis.domain import domain_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.quantities import QuantityScope, put_in, read_quantity
from roofdsl.analysis.unknown import Unknown
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.expression.tree import Expression
from roofdsl.numeric.box import Place
from roofdsl.source import Source, Span


def find_between(
    prediction: Prediction, unknown: Unknown, low: Place, high: Place, texts: Sequence[Source]
) -> Crossovers:
    """Compare resources alone, where all texts are names of those that take time, else quantities.

    Raises RoofError for what is no quantity (R0707), for different units (R0301), and where nothing
    depends on the unknown (R0704).
    """
    names = [text.body.strip() for text in texts]
    if all(name in prediction.rivals for name in names):
        return find_crossovers(prediction, unknown, low, high, names)
    return find_larger(prediction, read_quantities(texts, prediction), unknown, low, high)


def read_quantities(texts: Sequence[Source], prediction: Prediction) -> dict[str, Expression]:
    """Read quantities of one unit, such as `time` and `2*time.flops`, by how they are written.

    Raises RoofError for what is no quantity (R0707), and for different units (R0301).
    """
    scope = QuantityScope(prediction)
    found = [read_quantity(text, scope) for text in texts]
    if scope.problems:
        raise RoofError(scope.problems)
    first, *others = [formula for formula in found if formula is not None]
    for text, formula in zip(texts[1:], others, strict=True):
        if formula.dimension != first.dimension:
            message = (
                f"{texts[0].body} is {first.dimension.describe()}, "
                f"but {text.body} is {formula.dimension.describe()}"
            )
            labels = (Label(Span(text, text.begin, len(text.text))),)
            hint = "compare quantities of one unit"
            raise RoofError([Diagnostic("R0301", message, labels, hint)])
    return {text.body: each.tree for text, each in zip(texts, (first, *others), strict=True)}


def find_larger(
    prediction: Prediction,
    quantities: dict[str, Expression],
    unknown: Unknown,
    low: Place,
    high: Place,
) -> Crossovers:
    """Return which of some quantities is the largest over a range of the unknown.

    Raises RoofError where none depends on the unknown (R0704).
    """
    trees = {name: put_in(tree, prediction) for name, tree in quantities.items()}
    check_dependence(trees.values(), unknown, prediction, asked="what is compared")
    opened = prediction.opened()
    symbols = {name: put_in(tree, opened) for name, tree in quantities.items()}
    numbers = unknown.put_in(prediction.rates, trees)
    rivals = Rivals(unknown, numbers, symbols, known_of(prediction, unknown))
    found, domain = rivals.compare(low, high), domain_of(prediction, unknown)
    changes = tuple(crossovers_of(found, rivals.root_at, domain))
    allowed = domain.first_of_each(found.regimes)
    return Crossovers(unknown, low, high, found.regimes, changes, found.proof, allowed)
