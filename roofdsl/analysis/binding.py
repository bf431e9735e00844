"""Bind parameters to values: defaults filled in, kinds, bounds and requirements checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from roofdsl.diagnostic import Diagnostic, Label, did_you_mean
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate
from roofdsl.source import Span
from roofdsl.units.quantity import show_number, show_quantity

Arguments = Mapping[str, tuple[Expression, Span | None]]
"""What is given for parameters, in SI base units, and where it was written."""


@dataclass(frozen=True, slots=True)
class Binding:
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


def bind(
    definition: ModelDefinition | MachineDefinition, arguments: Arguments
) -> tuple[Binding, tuple[Diagnostic, ...]]:
    """Bind a definition's parameters; return every problem with what was given."""
    problems: list[Diagnostic] = []
    known = {parameter.name: parameter for parameter in definition.parameters}
    for name, (_, span) in arguments.items():
        if name not in known:
            problems.append(_unknown(name, span, definition))
    trees: dict[str, Expression] = {}
    for name in _dependency_order(definition.parameters, arguments):
        tree = arguments[name][0] if name in arguments else known[name].default
        if tree is not None:
            trees[name] = substitute(tree, trees)
    free = tuple(parameter for parameter in known.values() if parameter.name not in trees)
    binding = Binding(definition.name, trees, {}, free)
    for parameter in definition.parameters:
        span = arguments[parameter.name][1] if parameter.name in arguments else None
        problems.extend(_check(parameter, binding, span))
    for intermediate in definition.intermediates:
        tree = substitute(intermediate.formula.tree, trees)
        trees[intermediate.name] = tree
        if not free_symbols(tree) and not intermediate.formula.truth:
            value = _number(tree, intermediate.name, intermediate.span, problems)
            if value is not None:
                binding.values[intermediate.name] = value
    if not problems:
        problems.extend(_requirements(definition, binding, arguments))
    return binding, tuple(problems)


def _dependency_order(parameters: tuple[Parameter, ...], arguments: Arguments) -> list[str]:
    """Return parameter names so that each follows those its value is made of."""
    needs = {
        p.name: {s.name for s in free_symbols(tree)}
        for p in parameters
        if (tree := arguments[p.name][0] if p.name in arguments else p.default) is not None
    }
    order: list[str] = []
    waiting = [p.name for p in parameters]
    while waiting:
        ready = [n for n in waiting if not needs.get(n, set()) & set(waiting) - {n}]
        # Arguments that name each other in a circle are left in the order given.
        for name in ready or waiting:
            order.append(name)
        waiting = [n for n in waiting if n not in order]
    return order


def _check(parameter: Parameter, binding: Binding, span: Span | None) -> list[Diagnostic]:
    """Check one parameter's value, when it is a number, and note it in the binding."""
    tree = binding.trees.get(parameter.name)
    if tree is None or free_symbols(tree):
        return []
    problems: list[Diagnostic] = []
    if parameter.kind == "boolean":
        binding.values[parameter.name] = float(bool(exact(tree, {})))
        return []
    value = _number(tree, parameter.name, span or parameter.span, problems)
    if value is None:
        return problems
    binding.values[parameter.name] = value
    labels = _labels(parameter, span)
    if parameter.symbol.integer and not value.is_integer():
        shown = show_number(value)
        problems.append(
            Diagnostic(
                "R0404",
                f"{parameter.name} = {shown} is not a whole number",
                labels,
                f"'{parameter.name}' of '{binding.owner}' is {_kind(parameter)}",
            )
        )
    for bound, above in ((parameter.low, False), (parameter.high, True)):
        limit_tree = substitute(bound, binding.trees) if bound is not None else None
        if limit_tree is None or free_symbols(limit_tree):
            continue
        limit = evaluate(limit_tree, {})
        outside = value > limit if above else value < limit
        if outside or (value == limit and not above and parameter.low_open):
            shown = _shown(value, parameter)
            relation = "at most" if above else "more than" if parameter.low_open else "at least"
            problems.append(
                Diagnostic(
                    "R0402",
                    f"{parameter.name} = {shown} is out of bounds: "
                    f"it must be {relation} {_shown(limit, parameter)}",
                    labels,
                )
            )
    return problems


def _requirements(
    definition: ModelDefinition | MachineDefinition, binding: Binding, arguments: Arguments
) -> list[Diagnostic]:
    problems: list[Diagnostic] = []
    for requirement in definition.requirements:
        condition = binding.expand(requirement.condition)
        if free_symbols(condition):
            continue
        try:
            holds = exact(condition, {})
            if holds is None:
                holds = bool(evaluate(condition, {}))
        except EvaluationError as error:
            problems.append(cannot_compute(requirement.text, requirement.span, error))
            continue
        if not holds:
            names = [symbol.name for symbol in free_symbols(requirement.condition)]
            values = ", ".join(
                _setting(p, binding)
                for p in definition.parameters
                if p.name in names and p.name in binding.values
            )
            given = [
                Label(span) for name in names if name in arguments and (span := arguments[name][1])
            ]
            problems.append(
                Diagnostic(
                    "R0403",
                    f"'{definition.name}' requires {requirement.text}, which {values} is not"
                    if requirement.text.endswith("integer")
                    else f"'{definition.name}' requires {requirement.text}; given: {values}",
                    (*given, Label(requirement.span, "required here")),
                    _nearest_square(requirement.text, definition, binding),
                )
            )
    return problems


def _nearest_square(
    text: str, definition: ModelDefinition | MachineDefinition, binding: Binding
) -> str | None:
    """Return the nearest squares when a square is what is missing: the commonest of requirements."""
    for parameter in definition.parameters:
        if text == f"sqrt({parameter.name}) is integer":
            root = int(binding.values[parameter.name] ** 0.5)
            return f"the nearest squares are {max(1, root) ** 2} and {(root + 1) ** 2}"
    return None


def _number(tree: Expression, name: str, span: Span, problems: list[Diagnostic]) -> float | None:
    try:
        return float(tree.value) if isinstance(tree, Number) else evaluate(tree, {})
    except (EvaluationError, OverflowError) as error:
        problems.append(cannot_compute(name, span, error))
        return None


def cannot_compute(what: str, span: Span | None, error: Exception) -> Diagnostic:
    """Return the diagnostic for a formula that has no value at this point."""
    reason = error.reason if isinstance(error, EvaluationError) else "the number is too large"
    return Diagnostic(
        "R0407",
        f"{what} cannot be computed: {reason}",
        (Label(span),) if span else (),
        "a bound or `require` can keep such values out",
    )


def _unknown(
    name: str, span: Span | None, definition: ModelDefinition | MachineDefinition
) -> Diagnostic:
    names = [parameter.name for parameter in definition.parameters]
    hint = did_you_mean(name, names)
    if any(name == item.name for item in definition.intermediates):
        hint = f"'{name}' is a `let`; make it a `param` to set it"
    return Diagnostic(
        "R0401",
        f"'{definition.name}' has no parameter '{name}'",
        (Label(span),) if span else (),
        hint or ("parameters: " + ", ".join(names) if names else "it has no parameters"),
    )


def _labels(parameter: Parameter, span: Span | None) -> tuple[Label, ...]:
    declared = Label(parameter.span, "declared here")
    return (Label(span), declared) if span else (declared,)


def _kind(parameter: Parameter) -> str:
    return "a count of processes" if parameter.kind == "processes" else "an integer"


def _shown(value: float, parameter: Parameter) -> str:
    return show_quantity(value, parameter.dimension, digits=6)


def _setting(parameter: Parameter, binding: Binding) -> str:
    return f"{parameter.name} = {_shown(binding.values[parameter.name], parameter)}"
