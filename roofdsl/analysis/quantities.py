"""The quantities of a prediction by name, for formulas that are asked of it.

They are its results, its work on each resource and level, the time of each resource (`time.flops`),
the flops for each unit of work on a resource of one's own (`intensity.nvme`), the model's tallies,
`let`s and parameters, the machine's rates (`karst.network`), energies, power and cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType

from roofdsl.analysis.algebras import is_first_largest
from roofdsl.analysis.bound_kind import holders_of, times_of_kinds
from roofdsl.analysis.intensity import (
    INTENSITIES,
    OF_WORK,
    QUANTITIES,
    intensity_of,
    is_zero,
    quotient_of,
)
from roofdsl.analysis.machine_values import machine_value
from roofdsl.analysis.members import BALANCES, UNSTATED, Unanswered
from roofdsl.analysis.of_jobs import OF_JOBS, refuse_of_mix
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.ridge import ridge_formulas
from roofdsl.analysis.spending import balances
from roofdsl.analysis.steps import StepPlace, step_prediction, steps_of
from roofdsl.analysis.tariff import spending_unit
from roofdsl.diagnostic import Diagnostic, RoofError, did_you_mean
from roofdsl.expression.condition import conditional, truth
from roofdsl.expression.construct import add, divide, maximum
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import ZERO, Comparison, Divide, Expression, Logic, Number, Symbol
from roofdsl.model.elaborate import elaborate
from roofdsl.model.metric import dotted_names
from roofdsl.model.results import BOUND_KIND, OF_STEPS, RESULTS, named_result, own_name
from roofdsl.model.scope import Scope, known_units
from roofdsl.model.types import Formula, Metric
from roofdsl.source import Source, Span
from roofdsl.syntax.expressions import ExpressionSyntax
from roofdsl.syntax.parse import parse_expression
from roofdsl.units.dimension import FLOP, SECOND

_MOST_NAMED = 20
_OWN, _RIVAL, _CHARGED = "own ", "rival ", "charged to "
"""Names that no file can have, with a name behind them."""


class QuantityScope(Scope):
    """The names of what a prediction has; `problems` are those with what was read.

    In `conditions` there is the bound, too, which is no number.
    """

    def __init__(self, prediction: Prediction, *, conditions: bool = True) -> None:
        self.problems: list[Diagnostic] = []
        self._prediction = prediction
        self._words = ["bound"] if conditions else []
        named = {name: formula.dimension for name, formula in _named(prediction).items()}
        own = {f"intensity.{name}": FLOP / unit for name, unit in prediction.own.items()}
        dimensions = {**QUANTITIES, **named, **own, **QUANTITIES}
        symbols = {item.name: item.symbol for item in prediction.model.parameters}
        found = {
            name: Formula(symbols.get(name, Symbol(name)), dimension)
            for name, dimension in dimensions.items()
        }
        declared = {**prediction.runs_on.own_units, **prediction.model.own_units}
        units = known_units(declared, found.values())
        super().__init__(self.problems.append, units, {}, given=found)

    instead_of_uncertain = "write the number alone"

    def special(self, node: ExpressionSyntax) -> Formula | None:
        names = dotted_names(node)
        if names is None:
            return super().special(node)
        if names[0] == "machine":
            unit = self._prediction.runs_on.units().get(".".join(names[1:]))
            if unit is not None:
                return Formula(Symbol(".".join(names)), unit)
        elif ".".join(names) not in self.names():
            found = named_result(self._prediction.model, names)
            if found is not None and found.dimension.is_known and not found.truth:
                return found
        return self.formula(".".join(names), node.span)

    def _unknown(self, name: str, use: Span) -> None:
        if name in self._words:
            hint = 'write "bound = flops" or "bound != network"'
            self.refuse("R0706", "a bound is or is not a resource", use, hint=hint)
            return
        if name.rpartition(".")[0] in self.names() and (why := _told_at_points(name)):
            self.refuse("R0610", f"`{name}` is not answered: {why}", use)
            return
        known = [*self._words, *self.names()]
        more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
        hint = did_you_mean(name, known) or f"there are {', '.join(known[:_MOST_NAMED])}{more}"
        self.refuse("R0707", f"'{name}' is no result", use, hint=hint)


def read_truth(source: Source, scope: Scope, end: int | None = None) -> Expression | None:
    """Read what is true or false, None for anything else."""
    node = parse_expression(source, end)
    formula = None if isinstance(node, Diagnostic) else elaborate(node, scope)
    return formula.tree if formula is not None and formula.truth else None


def put_in(tree: Expression, prediction: Prediction) -> Expression:
    """Return a formula in the names of quantities as one in what the prediction leaves open."""
    names = {symbol.name for symbol in free_symbols(tree)}
    return substitute(tree, {name: quantity(prediction, name) for name in sorted(names)})


def metric_formula(
    prediction: Prediction, metric: Metric, results: Mapping[str, Expression] = MappingProxyType({})
) -> Expression:
    """Return a metric as a formula in what the prediction leaves open, and the machine's rates.

    `results` stand for those of these names that the model does not have itself.
    """
    own = _own_trees(prediction)
    names = {symbol.name for symbol in free_symbols(metric.formula.tree)}
    # Metrics may be infinite: an intensity of no work below is what evaluates to that.
    infinite = {
        name: Divide(prediction.work(INTENSITIES[name][0]), ZERO)
        for name in names & INTENSITIES.keys()
        if prediction.intensity(name) is None
    }
    own = {**results, **infinite, **own}
    trees = {
        name: own[name] if name in own else quantity(prediction, name) for name in sorted(names)
    }
    return substitute(metric.formula.tree, trees)


def _own_trees(prediction: Prediction) -> dict[str, Expression]:
    """Return what a model itself has a name for; metrics mean it where a result has the same."""
    free = {parameter.name: parameter.symbol for parameter in prediction.free}
    return {**prediction.formulas.tallies, **prediction.binding.trees, **free}


def own_first(tree: Expression, prediction: Prediction) -> Expression:
    """Return a formula in the names of metrics as one in the names of quantities."""
    own = _own_trees(prediction)
    results = {*QUANTITIES, *prediction.own, *prediction.formulas.work} & own.keys()
    return substitute(tree, {name: _symbol(_OWN + name) for name in results})


def rival(name: str) -> Symbol:
    """Return what stands for the time of what may bind, as it competes."""
    return _symbol(_RIVAL + name)


def charged_to(holder: str, kind: str) -> Symbol:
    """Return what stands for the time that a kind of work is charged where it may bind."""
    return _symbol(f"{_CHARGED}{holder} {kind}")


def _symbol(name: str) -> Symbol:
    return Symbol(name, positive=False)


def quantity(prediction: Prediction, name: str) -> Expression:
    """Return the formula of a quantity.

    Raises RoofError for an infinite intensity (R0707), and for what is not answered (R0610).
    """
    if name in OF_JOBS:
        refuse_of_mix(prediction.model, name)
    match name:
        case "time":
            return prediction.time()
        case "attainable" if is_zero(prediction.work("flops")):
            return _quotient(ZERO, prediction.time())
        case "attainable":
            return prediction.attainable()
        case "OI" | "CAI" | "MI":
            return _intensity(prediction, name)
        case "flops" | "memory" | "network":
            return prediction.work(name)
    metrics = {metric.name: metric for metric in prediction.model.metrics}
    if name in metrics:
        return metric_formula(prediction, metrics[name])
    resource = name.removeprefix("intensity.")
    if resource != name and resource in OF_WORK:
        return _intensity(prediction, OF_WORK[resource])
    if resource != name and resource in prediction.own:
        return _intensity(prediction, intensity_of(resource))
    found = _own(prediction, name)
    return _dotted(prediction, name) if found is None else found


def _own(prediction: Prediction, name: str) -> Expression | None:
    """Return what has a name besides the results; of those of one name the first is meant."""
    formulas = prediction.formulas
    if name in prediction.own:
        return prediction.work(name)
    if name in formulas.work:
        return formulas.work[name]
    kinds = [tree for key, tree in formulas.work.items() if key.startswith(f"{name}.")]
    if "." in name and kinds:
        return add(*kinds)
    if name.startswith("time.") and name.removeprefix("time.") in formulas.busy:
        return formulas.busy[name.removeprefix("time.")]
    if name in formulas.tallies:
        return formulas.tallies[name]
    if name in prediction.binding.trees:
        return prediction.binding.trees[name]
    if name in prediction.tariff.values:
        return prediction.tariff.values[name].value
    return next((p.symbol for p in prediction.free if p.name == name), None)


def _dotted(prediction: Prediction, name: str) -> Expression:
    """Return the formula of what a step, the machine or all processes have, or of what binds."""
    path, _, resource = name.partition(" is ")
    first, _, rest = path.partition(".")
    steps = steps_of(prediction) if rest else {}
    if first in steps:
        if rest in OF_STEPS and own_name(steps[first].model, rest) is None:
            return _of_step(prediction, steps[first], rest)
        inner = step_prediction(prediction, steps[first].node)
        return quantity(inner, name.removeprefix(f"{first}."))
    if resource:
        return (_most_of_bound if path == BOUND_KIND else _binding)(prediction, resource)
    if name.startswith(_OWN):
        return _own_trees(prediction)[name.removeprefix(_OWN)]
    if name.startswith(_RIVAL):
        return prediction.charged.rivals[name.removeprefix(_RIVAL)]
    if name.startswith(_CHARGED):
        holder, kind = name.removeprefix(_CHARGED).split(" ")
        return times_of_kinds(prediction, holder)[kind]
    found: Expression | Unanswered = Symbol(name)  # a `let`, a rate of the machine
    placed = {load.rate.name for load in prediction.placed if load.rate is not None}
    if first == "machine":
        found = machine_value(prediction, rest)
    elif first == "ridge":
        found = _ridge(prediction, rest)
    elif path in RESULTS or first == "energy":
        found = _spending(prediction, path)
    elif first == "total":
        why = f"'{prediction.model.name}' does not say what all its processes do"
        found = prediction.together.get(rest) or Unanswered(why)
    elif rest and name not in prediction.rates and name not in placed:
        whole = f"'{prediction.model.name}' on '{prediction.machine.name}'"
        found = Unanswered(f"{whole} has no {name}")
    if isinstance(found, Unanswered):
        why = _told_at_points(name) or found.reason
        raise RoofError([Diagnostic("R0610", f"`{name}` is not answered: {why}")])
    return found


def _told_at_points(name: str) -> str:
    """Return why an end of a result has no formula, "" for what is no end."""
    from roofdsl.analysis.ends import FIRST_ORDER, HIGH, LOW  # made of results

    is_end = name.rpartition(".")[2] in (LOW, HIGH, FIRST_ORDER)
    return f"the ends of what has ± are told at points: eval --columns {name}" if is_end else ""


def _ridge(prediction: Prediction, name: str) -> Expression | Unanswered:
    """Return a ridge point in the rates; a balance point in energy is a number."""
    which, _, key = name.rpartition(".")
    limited = ridge_formulas(prediction.roofs, prediction.rates)
    found = limited.get(intensity_of(key), limited.get(key)) if not which else None
    roof, peaks = prediction.roofs["flops"], prediction.formulas.peaks
    if found is not None and roof is not None and peaks and len(prediction.kinds) > 1:
        # Flops of several kinds have a peak of their own.
        peak = divide(prediction.work("flops"), maximum(*peaks.values()))
        return substitute(found, {roof.name: peak})
    if found is not None:
        return found
    points = dict(zip(BALANCES, balances(prediction, prediction.roof_rates), strict=True))
    point, own = points.get(which), key in prediction.own
    value = None if point is None else point.of(intensity_of(key) if own else key)
    if value is not None:
        return Number(Fraction(value))
    none = Unanswered(f"'{prediction.machine.name}' has no ridge point {name}")
    return UNSTATED if which else none


def _spending(prediction: Prediction, name: str) -> Expression | Unanswered:
    """Return an energy, the power or the cost, the machine's own numbers put in."""
    spending = prediction.spending
    needed = "energy" if name == "power" else name
    if needed not in spending.amounts:
        return Unanswered(spending.unanswered.get(needed, f"there is no {name}"))
    tree = substitute(spending.amounts[needed], prediction.tariff.formulas)
    return divide(tree, prediction.time()) if name == "power" else tree


def _of_step(prediction: Prediction, step: StepPlace, name: str) -> Expression:
    if name == "count":
        return step.runs
    return _quotient(prediction.charged.by_step.get(step.node.name, ZERO), prediction.time())


def _quotient(above: Expression, below: Expression) -> Expression:
    """Return a quotient; of 0 it is said that it is undefined where what is below is 0, too."""
    if not is_zero(above):
        return divide(above, below)
    return conditional(Comparison("!=", below, ZERO), ZERO, Divide(ZERO, ZERO))


def _binding(prediction: Prediction, resource: str) -> Expression:
    """Return the condition that a resource is what binds, the first of equals."""
    rivals = prediction.charged.rivals
    if resource not in rivals:
        return truth(False)
    values = [*rivals.values()]
    first = is_first_largest([*rivals].index(resource), values)
    positive = Comparison(">", rivals[resource], ZERO)
    return positive if first is None else Logic("and", (first, positive))


def _most_of_bound(prediction: Prediction, kind: str) -> Expression:
    """Return the condition that a kind of work is the largest on what binds."""
    each = [_most_of(prediction, holder, kind) for holder in holders_of(prediction, kind)]
    return each[0] if len(each) == 1 else Logic("or", tuple(each))


def _most_of(prediction: Prediction, holder: str, kind: str) -> Expression:
    binds = _binding(prediction, holder)
    kinds = prediction.kinds_within.get(holder, [holder])
    if len(kinds) < 2:
        return binds if kind in kinds else truth(False)
    if kind not in kinds:
        return truth(False)
    times = times_of_kinds(prediction, holder)
    first = is_first_largest(kinds.index(kind), [*times.values()])
    assert first is not None  # there are several
    return Logic("and", (binds, first))


def _intensity(prediction: Prediction, name: str) -> Expression:
    tree = prediction.intensity(name)
    if tree is None:
        message = f"{name} of '{prediction.model.name}' is infinite: nothing is below it"
        raise RoofError([Diagnostic("R0707", message)])
    above, below = quotient_of(name)
    return _quotient(ZERO, prediction.work(below)) if is_zero(prediction.work(above)) else tree


def _named(prediction: Prediction) -> dict[str, Formula]:
    """Return the units of what has a name besides the results; the first of one name is meant."""
    model = prediction.model
    named = {load.name: Formula(load.work, load.resource.dimension) for load in prediction.loads}
    named |= {f"time.{key}": Formula(tree, SECOND) for key, tree in prediction.times().items()}
    others = [(item.name, Formula(item.amount, item.dimension)) for item in prediction.tallies()]
    others += [(x.name, x.formula) for x in model.metrics if not x.formula.truth]
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
