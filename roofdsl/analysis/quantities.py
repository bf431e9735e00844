"""The quantities of a prediction by name, for formulas that are asked of it.

They are its results, its work on each resource and level, the time of each resource (`time.flops`),
the flops for each unit of work on a resource of one's own (`intensity.nvme`), the model's tallies,
`let`s and parameters, the machine's rates (`karst.network`), energies, power and cost.
"""

from __future__ import annotations

from collections.abc import Iterator

from roofdsl.analysis.intensity import QUANTITIES, intensity_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.tariff import spending_unit
from roofdsl.diagnostic import Diagnostic, RoofError, did_you_mean
from roofdsl.expression.construct import divide
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.model.elaborate import value
from roofdsl.model.scope import Scope
from roofdsl.model.types import Formula
from roofdsl.source import Source, Span
from roofdsl.syntax.expressions import ExpressionSyntax, Member, NameUse
from roofdsl.syntax.parse import parse_expression
from roofdsl.units.dimension import FLOP, SECOND, Dimension

_MOST_NAMED = 20


class QuantityScope(Scope):
    """The names of what a prediction has; `problems` are those with what was read.

    In `conditions` there is the bound, too, which is no number.
    """

    def __init__(self, prediction: Prediction, *, conditions: bool = True) -> None:
        self.problems: list[Diagnostic] = []
        self._words = ["bound"] if conditions else []
        named = {name: formula.dimension for name, formula in _named(prediction).items()}
        own = {f"intensity.{name}": FLOP / unit for name, unit in prediction.own.items()}
        dimensions = {**QUANTITIES, **named, **own, **QUANTITIES}
        units: dict[str, Dimension] = {}
        for dimension in dimensions.values():
            units.update(dimension.bases())
        symbols = {item.name: item.symbol for item in prediction.model.parameters}
        found = {
            name: Formula(symbols.get(name, Symbol(name)), dimension)
            for name, dimension in dimensions.items()
        }
        super().__init__(self.problems.append, units, {}, given=found)

    def special(self, node: ExpressionSyntax) -> Formula | None:
        if isinstance(node, Member) and isinstance(node.value, NameUse | Member):
            return self.formula(node.span.text, node.span)
        return super().special(node)

    def _unknown(self, name: str, use: Span) -> None:
        if name in self._words:
            hint = 'write "bound = flops" or "bound != network"'
            self.refuse("R0706", "a bound is or is not a resource", use, hint=hint)
            return
        known = [*self._words, *self.names()]
        more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
        hint = did_you_mean(name, known) or f"there are {', '.join(known[:_MOST_NAMED])}{more}"
        self.refuse("R0707", f"'{name}' is no result", use, hint=hint)


def read_quantity(source: Source, scope: QuantityScope, end: int | None = None) -> Formula | None:
    """Read a formula in the names of what a prediction has; report what is wrong with it."""
    node = parse_expression(source, end)
    if isinstance(node, Diagnostic):
        scope.report(node)
        return None
    return value(node, scope)


def put_in(tree: Expression, prediction: Prediction) -> Expression:
    """Return a formula in the names of quantities as one in what the prediction leaves open."""
    names = {symbol.name for symbol in free_symbols(tree)}
    return substitute(tree, {name: quantity(prediction, name) for name in names})


def quantity(prediction: Prediction, name: str) -> Expression:
    """Return the formula of a quantity; raise RoofError for an infinite intensity (R0707)."""
    match name:
        case "time":
            return prediction.time()
        case "attainable":
            return prediction.attainable()
        case "OI" | "CAI" | "MI":
            return _intensity(prediction, name)
        case "flops" | "memory" | "network":
            return prediction.work(name)
    found, resource = _named(prediction).get(name), name.removeprefix("intensity.")
    if resource != name and resource in prediction.own:
        return _intensity(prediction, intensity_of(resource))
    if found is not None and found.tree == Symbol(name) and name in prediction.spending.unanswered:
        reason = prediction.spending.unanswered[name]
        message = f"{name} of '{prediction.model.name}' is not answered: {reason}"
        raise RoofError([Diagnostic("R0610", message)])
    return prediction.binding.expand(Symbol(name) if found is None else found.tree)


def _intensity(prediction: Prediction, name: str) -> Expression:
    tree = prediction.intensity(name)
    if tree is None:
        message = f"{name} of '{prediction.model.name}' is infinite: nothing is below it"
        raise RoofError([Diagnostic("R0707", message)])
    return tree


def _named(prediction: Prediction) -> dict[str, Formula]:
    """Return what has a name besides the results; of those of one name the first is meant."""
    model = prediction.model
    named = {load.name: Formula(load.work, load.resource.dimension) for load in prediction.loads}
    named |= {f"time.{key}": Formula(tree, SECOND) for key, tree in prediction.times().items()}
    others = [(key, Formula(prediction.work(key), unit)) for key, unit in prediction.own.items()]
    others += [(item.name, Formula(item.amount, item.dimension)) for item in prediction.tallies()]
    others += [(item.name, item.formula) for item in model.intermediates if not item.formula.truth]
    others += [(p.name, Formula(p.symbol, p.dimension)) for p in model.parameters if p.is_number]
    for load in prediction.placed:
        if load.rate is not None:
            unit = load.resource.dimension / SECOND
            others.append((load.rate.name, Formula(Symbol(load.rate.name), unit)))
    for name, formula in (*others, *_spent(prediction)):
        named.setdefault(name, formula)
    return named


def _spent(prediction: Prediction) -> Iterator[tuple[str, Formula]]:
    """Yield energies, power and cost, at what the machine states; its own name of what has none."""
    stated, found = prediction.tariff, prediction.spending
    prices = stated.formulas
    for name, tree in found.amounts.items():
        yield name, Formula(substitute(tree, prices), spending_unit(name, stated))
        if name == "energy":
            power = divide(tree, prediction.time())
            yield "power", Formula(substitute(power, prices), spending_unit("power", stated))
    for name in found.unanswered:
        yield name, Formula(Symbol(name), spending_unit(name, stated))
    for name, item in stated.values.items():
        yield name, Formula(item.value, item.dimension)
