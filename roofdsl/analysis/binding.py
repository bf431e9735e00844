"""Bind parameters to values: defaults filled in, kinds, bounds and requirements checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from roofdsl.allowance import RAISE, computing
from roofdsl.diagnostic import Diagnostic, Label, did_you_mean, listing, raise_if_any
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import compare, decided
from roofdsl.expression.substitute import closed, free_symbols, substitute, substitute_each
from roofdsl.expression.tree import ZERO, Expression, Number, Symbol
from roofdsl.model.limits import IN_WORDS, relations
from roofdsl.model.precision import PRECISIONS, named, size_symbol
from roofdsl.model.types import Definition, Parameter, Step
from roofdsl.model.uncertain_values import off_bounds
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import EvaluationError, TooMuch, double, explain
from roofdsl.numeric.scalar import evaluate, evaluate_each
from roofdsl.source import Span
from roofdsl.units.quantity import show_exact, show_given

_LARGEST_ROOT = 10**7
_MOST_SETTINGS = 8
_LONGEST_LIMIT = 20

Arguments = Mapping[str, tuple[Expression, Span | None]]
"""What is given for parameters, in SI base units, and where it was written."""
NOTHING_GIVEN: Arguments = MappingProxyType({})
Setting: TypeAlias = int | float | bool | str
"""A parameter's value as it was given: a whole number is an integer, with all its digits."""
_WHOLE = 2**53
"""Up to here a float has every whole number."""
NOTHING: Mapping[str, Expression] = MappingProxyType({})


class Binding(NamedTuple):
    """Parameters with their values.

    `trees` holds what each parameter and intermediate stands for, a number or a formula in the free
    parameters; `values` the numbers among them; `free` the parameters without a value.
    """

    owner: str
    trees: dict[str, Expression]
    values: dict[str, float]
    free: tuple[Parameter, ...]

    def expand(self, tree: Expression) -> Expression:
        """Return a formula in the free parameters alone."""
        return substitute(tree, self.trees)

    def setting(self, parameter: Parameter) -> Setting:
        """Return the value of a parameter that has one, as it was given."""
        return setting(parameter, self.values[parameter.name], self.trees[parameter.name])


def bind(
    definition: Definition,
    arguments: Arguments,
    machine: Mapping[str, Expression] = NOTHING,
    kept_free: frozenset[str] = frozenset(),
    *,
    from_outside: bool = False,
) -> tuple[Binding, tuple[Diagnostic, ...]]:
    """Bind a definition's parameters; return every problem with what was given.

    `machine` holds what `machine.name` stands for in the default of a parameter; parameters in
    `kept_free` get no value, not even their default. Names in the arguments are parameters of the
    definition itself, unless they come `from_outside`, as those of a step do.
    """
    known = {parameter.name: parameter for parameter in definition.parameters}
    problems = [
        no_parameter(name, span, definition)
        for name, (_, span) in arguments.items()
        if name not in known
    ]
    given = {
        name: substitute(tree, machine)
        for name, parameter in known.items()
        if name not in kept_free
        and (tree := arguments[name][0] if name in arguments else parameter.default) is not None
    }
    given |= definition.numbers
    trees, circle = _resolved(given, frozenset(arguments) if from_outside else frozenset())
    if circle:
        problems.append(_circle(circle, arguments))
    else:
        # Formulas of `let`s are in parameters alone, and share their parts.
        lets = definition.intermediates
        formulas = substitute_each([item.formula.tree for item in lets], trees)
        for item, formula in zip(lets, formulas, strict=True):
            trees[item.name] = formula
            _note_size(item.name, trees)
    free = tuple(parameter for parameter in known.values() if parameter.name not in given)
    binding = Binding(definition.name, trees, {}, free)
    for parameter in definition.parameters:
        span = arguments[parameter.name][1] if parameter.name in arguments else None
        problems.extend(_check(parameter, binding, span))
        off = None if parameter.name in arguments else definition.uncertain.get(parameter.name)
        if off is not None and not problems:
            problems.extend(off_bounds(parameter, binding.trees, off))
    if not problems:
        problems.extend(unmet(definition, binding, arguments))
    if not problems:
        # Last: where a `require` does not hold, a `let` may have no value for that very reason.
        problems.extend(_intermediates(definition, binding))
    return binding, tuple(problems)


def bind_open(definition: Definition, kept: Arguments = NOTHING_GIVEN) -> Binding:
    """Bind a definition with no parameter bound but those kept, not even to its default."""
    names = frozenset(p.name for p in definition.parameters if p.name not in kept)
    return bind(definition, kept, kept_free=names)[0]


def arguments_of(step: Step, values: Mapping[str, Expression]) -> Arguments:
    """Return the arguments of a step with what the names around it stand for put in."""
    return {name: (substitute(tree, values), span) for name, (tree, span) in step.arguments.items()}


def _intermediates(definition: Definition, binding: Binding) -> list[Diagnostic]:
    """Note the value of each `let` that has one; return what cannot be computed."""
    problems: list[Diagnostic] = []
    lets = [item for item in definition.intermediates if item.name in binding.trees]
    has_value = closed([binding.trees[item.name] for item in lets])
    lets = [item for item, known in zip(lets, has_value, strict=True) if known]
    with computing(f"'{definition.name}'", definition.span):
        values = evaluate_each([binding.trees[item.name] for item in lets])
    for item, value in zip(lets, values, strict=True):
        found: float | None = None
        if item.formula.truth:
            found = holds(binding.trees[item.name], item.name, item.span, problems)
        elif isinstance(value, EvaluationError):
            problems.append(cannot_compute(item.name, item.span, value))
        else:
            found = value
        if found is not None:
            binding.values[item.name] = found
    if not problems:
        return problems
    given = settings(definition.parameters, binding)
    return [replace(problem, notes=(f"here {given}",)) for problem in problems]


def _resolved(
    given: Mapping[str, Expression], outside: frozenset[str]
) -> tuple[dict[str, Expression], list[str]]:
    """Return each name's formula with the other names put in, and the names of a circle if any.

    Formulas of those in `outside` are in other names, and stay as they are.
    """
    sizes = {size_symbol(name): name for name in given}
    needs = {
        name: [sizes.get(symbol.name, symbol.name) for symbol in free_symbols(tree)]
        if name not in outside
        else []
        for name, tree in given.items()
    }
    try:
        order = [*(TopologicalSorter(needs).static_order() if any(needs.values()) else needs)]
    except CycleError as error:
        return {}, list(error.args[1])
    trees: dict[str, Expression] = {}
    for name in order:
        if name in given:
            trees[name] = given[name] if name in outside else substitute(given[name], trees)
            _note_size(name, trees)
    return trees, []


def _note_size(name: str, trees: dict[str, Expression]) -> None:
    """Put in `size(name)` beside a precision's own value: the model may ask for either."""
    match trees[name]:
        case Number(value) if value.denominator == 1 and 1 <= value.numerator <= len(PRECISIONS):
            # Harmless for a number that is no precision: no formula names its size.
            trees[size_symbol(name)] = Number(PRECISIONS[named(value)])
        case Symbol(name=other):
            trees[size_symbol(name)] = Symbol(size_symbol(other))


def _circle(names: list[str], arguments: Arguments) -> Diagnostic:
    spans = [arguments[name][1] for name in names if name in arguments]
    message = f"values are tied to each other in a circle: {' → '.join(reversed(names))}"
    labels = tuple(Label(span) for span in dict.fromkeys(spans) if span)
    return Diagnostic("R0203", message, labels, "give one of them a number")


def _check(parameter: Parameter, binding: Binding, span: Span | None) -> list[Diagnostic]:
    """Check one parameter's value, when it is a number, and note it in the binding."""
    tree = binding.trees.get(parameter.name)
    if tree is None or free_symbols(tree):
        return []
    problems: list[Diagnostic] = []
    if parameter.kind == "boolean":
        truth = holds(tree, parameter.name, span or parameter.span, problems)
        binding.values[parameter.name] = float(bool(truth))
        return problems
    value = computed(tree, parameter.name, span or parameter.span, problems)
    if value is None:
        return problems
    binding.values[parameter.name] = value
    if parameter.kind == "precision":
        return problems
    declared = Label(parameter.span, "declared here")
    labels = (Label(span), declared) if span else (declared,)
    exactly = parameter.symbol.integer  # to the last digit, where floats do not tell
    whole = trees.Function("is_integer", (tree,))
    if exactly and not holds(whole, parameter.name, parameter.span, problems):
        shown = _shown_exactly(tree, value, parameter)
        message = f"{parameter.name} = {shown} is not a whole number"
        kind = "a count of processes" if parameter.kind == "processes" else "an integer"
        hint = f"'{parameter.name}' of '{binding.owner}' is {kind}"
        return [Diagnostic("R0404", message, labels, hint)]
    for relation, bound in relations(parameter):
        end = binding.expand(bound)
        if free_symbols(end):
            continue
        limit = computed(end, f"a bound of {parameter.name}", parameter.span, problems)
        if limit is None:
            continue
        within = trees.Comparison(relation, tree, end)
        if not (
            holds(within, parameter.name, parameter.span, problems)
            if exactly
            else compare(relation, value, limit)
        ):
            wanted = f"{IN_WORDS[relation]} {_shown_exactly(end, limit, parameter)}"
            shown = show_setting(binding.setting(parameter), parameter)
            message = f"{parameter.name} = {shown} is out of bounds: it must be {wanted}"
            problems.append(Diagnostic("R0402", message, labels))
    return problems


def unmet(
    definition: Definition, binding: Binding, arguments: Arguments = NOTHING_GIVEN
) -> list[Diagnostic]:
    """Return which requirements with a value do not hold."""
    problems: list[Diagnostic] = []
    for requirement in definition.requirements:
        condition = binding.expand(requirement.condition)
        if free_symbols(condition):
            continue
        if holds(condition, requirement.text, requirement.span, problems) is False:
            used = _parameters_of(requirement.condition, definition)
            spans = [arguments[p.name][1] for p in used if p.name in arguments]
            given = [Label(span) for span in spans if span]
            labels = (*given, Label(requirement.span, "required here"))
            values = settings(used, binding)
            here = f"; here {values}" if values else ""
            message = f"'{definition.name}' requires {requirement.text}{here}"
            hint = _nearest_square(requirement.text, definition, binding)
            problems.append(Diagnostic("R0403", message, labels, hint))
    return problems


def holds(tree: Expression, what: str, span: Span, problems: list[Diagnostic]) -> bool | None:
    """Return whether a condition without names holds; None, and a problem, without a value."""
    settled = decided(tree)
    if settled is not None:
        return settled
    try:
        with computing(what, span):
            known = exact(tree, {})
            return bool(evaluate(tree, {}) if known is None else known)
    except (EvaluationError, OverflowError) as error:
        problems.append(cannot_compute(what, span, error))
        return None


def _parameters_of(tree: Expression, definition: Definition) -> list[Parameter]:
    """Return the parameters that a formula depends on, directly or through `let`s."""
    lets = {item.name: item.formula.tree for item in definition.intermediates}
    names = {symbol.name for symbol in free_symbols(tree)}
    waiting = [name for name in names if name in lets]
    while waiting:
        found = {symbol.name for symbol in free_symbols(lets[waiting.pop()])} - names
        names |= found
        waiting += [name for name in found if name in lets]
    return [parameter for parameter in definition.parameters if parameter.name in names]


def _nearest_square(text: str, definition: Definition, binding: Binding) -> str | None:
    """Return a hint with the nearest squares, if a requirement asks for one; many do."""
    for parameter in definition.parameters:
        if text == f"sqrt({parameter.name}) is integer":
            root = int(binding.values[parameter.name] ** 0.5)
            if root > _LARGEST_ROOT:
                return None
            return f"the nearest squares are {max(1, root) ** 2} and {(root + 1) ** 2}"
    return None


def computed(tree: Expression, name: str, span: Span, problems: list[Diagnostic]) -> float | None:
    """Return the value of a formula without names, None after adding why it has none."""
    try:
        if isinstance(tree, Number):
            return double(tree)
        with computing(name, span):
            return evaluate(tree, {})
    except (EvaluationError, OverflowError) as error:
        problems.append(cannot_compute(name, span, error))
        return None


def cannot_compute(what: str, span: Span | None, error: Exception) -> Diagnostic:
    """Return the diagnostic for a formula that has no value at this point."""
    if not isinstance(error, EvaluationError):
        error = explain(ZERO, (), error)
    reason = error.reason
    written_by_caller = span is not None and span.source.begin > 0
    hint = None if written_by_caller else "a bound or `require` can keep such values out"
    labels = (Label(span),) if span else ()
    if isinstance(error, TooMuch):
        return Diagnostic("R0412", f"{what} is not computed: {reason}", labels, RAISE)
    return Diagnostic("R0407", f"{what} cannot be computed: {reason}", labels, hint)


def no_parameter(name: str, span: Span | None, definition: Definition) -> Diagnostic:
    """Return the diagnostic for a value given to what is no parameter."""
    names = [parameter.name for parameter in definition.parameters]
    known = f"it has {listing(names)}" if names else "it has no parameters"
    hint = did_you_mean(name, names) or known
    if any(name == item.name for item in definition.intermediates):
        hint = f"'{name}' is a `let`; make it a `param` to set it"
    message = f"'{definition.name}' has no parameter '{name}'"
    return Diagnostic("R0401", message, (Label(span),) if span else (), hint)


def refuse_unknown(given: Iterable[str], models: Sequence[Definition]) -> None:
    """Raise RoofError for each name that is a parameter of none of the models (R0401)."""
    known = dict.fromkeys(parameter.name for model in models for parameter in model.parameters)
    unknown = [name for name in given if name not in known]
    named = {model.name: model for model in models}
    if len(named) == 1:
        raise_if_any(no_parameter(name, None, models[0]) for name in unknown)
    names, hint = " nor ".join(f"'{name}'" for name in named), f"they have {listing(known)}"
    raise_if_any(
        Diagnostic("R0401", f"neither {names} has a parameter '{name}'", (), near or hint)
        if models
        else Diagnostic("R0401", f"there is no model to give '{name}' to")
        for name in unknown
        for near in [did_you_mean(name, known)]
    )


def setting(
    parameter: Parameter,
    value: float,
    tree: Expression,
    known: Mapping[str, Expression] = NOTHING,
) -> Setting:
    """Return a parameter's value as Python and JSON show it: a number, truth value or precision.

    `value` is that of its `tree`, whose names are `known`.
    """
    if parameter.kind == "boolean":
        return bool(value)
    if parameter.kind == "precision":
        return named(value)
    if not value.is_integer():
        return value
    if abs(value) < _WHOLE:
        return int(value)
    exactly = exact(substitute(tree, known), {})
    # What need not be whole may be a float, such as 1e300, of which nobody gave all 301 digits.
    as_float = () if parameter.symbol.integer else (Fraction(value), Fraction(repr(value)))
    if exactly is None or exactly.denominator != 1 or exactly in as_float:
        return value
    return exactly.numerator


def show_setting(value: Setting, parameter: Parameter) -> str:
    """Return a parameter's value as people read it: all of its digits and its unit, or a word."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return show_given(value, parameter.dimension)


def _shown_exactly(tree: Expression, limit: float, parameter: Parameter) -> str:
    # As it was written: 1 KiB, not 1.024 kB.
    exactly = show_exact(tree.value, parameter.dimension) if isinstance(tree, Number) else ""
    if 0 < len(exactly) <= _LONGEST_LIMIT:
        return exactly
    return show_setting(setting(parameter, limit, tree), parameter)


def settings(parameters: Iterable[Parameter], binding: Binding) -> str:
    """Return parameters with their values: `N = 4096, word = 8 B`."""
    known = [parameter for parameter in parameters if parameter.name in binding.values]
    shown = [f"{p.name} = {show_setting(binding.setting(p), p)}" for p in known]
    more = f" and {len(shown) - _MOST_SETTINGS} more" if len(shown) > _MOST_SETTINGS else ""
    return ", ".join(shown[:_MOST_SETTINGS]) + more
