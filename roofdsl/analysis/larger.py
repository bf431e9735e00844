"""Which of two quantities of a prediction is the larger, over a range of an unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from roofdsl.allowance import question
from roofdsl.analysis.crossover import Crossovers, check_dependence, find_crossovers
from roofdsl.analysis.domain import domain_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.quantities import QuantityScope, put_in, quantity
from roofdsl.analysis.regimes import Compared, RegimesOver
from roofdsl.analysis.roots import Leaders, Roots
from roofdsl.analysis.unknown import Unknown
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.expression.construct import divide
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import ZERO, Expression
from roofdsl.model.arguments import read_value
from roofdsl.model.types import Formula
from roofdsl.numeric.place import Place
from roofdsl.source import Source, Span


def compared(texts: Sequence[Source]) -> Sequence[Source]:
    """Return what is to be compared; raise RoofError for one alone, or one given twice (R0707)."""
    names = [text.body.strip() for text in texts]
    repeated = [n for n, name in enumerate(names) if name in names[:n]]
    if not repeated and len(names) != 1:
        return texts
    text = texts[repeated[0] if repeated else 0]
    what = "with itself" if repeated else "with nothing"
    place = Label(Span(text, text.begin, len(text.text)))
    hint = "compare two that differ, such as flops and network"
    message = f"'{text.body.strip()}' is compared {what}"
    raise RoofError([Diagnostic("R0707", message, (place,), hint)])


@question
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
    read = read_quantities(texts, prediction)
    quantities = {name: formula.tree for name, formula in read.items()}
    trees = [put_in(tree, prediction) for tree in quantities.values()]
    check_dependence(trees, unknown, prediction, asked="what is compared")
    over = RegimesOver(prediction, unknown, low, high)
    leaders = leading_quantity(over, quantities)
    return Crossovers.of(leaders, domain_of(prediction, unknown), low, high)


def read_quantities(texts: Sequence[Source], prediction: Prediction) -> dict[str, Formula]:
    """Read quantities of one unit, such as `time` and `2*time.flops`, by how they are written.

    Raises RoofError for what is no quantity (R0707), and for different units (R0301).
    """
    scope = QuantityScope(prediction, conditions=False)
    found = [read_value(text, scope) for text in texts]
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
    return {text.body: each for text, each in zip(texts, (first, *others), strict=True)}


def leading_quantity(over: RegimesOver, quantities: Mapping[str, Expression]) -> Leaders:
    """Return which of some quantities, in the names of what a prediction has, is the largest."""
    parts = [*_parts(over, quantities)]

    def named(opened: Prediction) -> dict[str, Expression]:
        return {name: put_in(tree, opened) for name, tree in quantities.items()}

    roots = Roots(over.prediction, over.unknown, parts, named)
    return Leaders(parts, over.regimes(parts, bounds=False), roots.at)


def _parts(over: RegimesOver, quantities: Mapping[str, Expression]) -> Iterator[Compared]:
    """Yield quantities as formulas of the unknown alone, cut where the formula of the time ends."""
    prediction = over.prediction
    named = {s.name for tree in quantities.values() for s in free_symbols(tree)}
    timed = set() if prediction.is_largest else named & {"time", "attainable"}
    asked = (named - timed) | ({"flops"} if "attainable" in timed else set())
    known = {name: quantity(prediction, name) for name in asked}
    known = over.unknown.put_in(prediction.rates, known)
    for first, last, time in over.whole.time if timed else [(over.low, over.high, ZERO)]:
        values = {**known}
        if timed:
            values |= {"time": time}
        if "attainable" in timed:
            values |= {"attainable": divide(known["flops"], time)}
        yield Compared(first, last, {n: substitute(t, values) for n, t in quantities.items()})
