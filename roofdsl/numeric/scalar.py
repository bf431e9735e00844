"""The value of an expression as a plain float.

An operation without a value (a division by zero, say) only matters if the result needs it: an error
is kept in its place like a value, and `if`, `and` and `or` pass over what they do not look at.
Jumps (`ceil`, `floor`, `is integer`, comparisons) that float rounding could decide wrongly are
decided with exact rationals where these are possible.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from roofdsl.allowance import operations
from roofdsl.expression import tree as trees
from roofdsl.expression.schedule import Instruction, schedule
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import HALF, INFINITY, Expression, Number, Symbol
from roofdsl.numeric.failure import (
    SMALLEST,
    EvaluationError,
    TooSmall,
    double,
    explain,
    no_value,
    settled,
    too_many_terms,
)
from roofdsl.numeric.jump import Compute, Registers, comparing, jumping
from roofdsl.numeric.lambertw import lambertw

__all__ = ["EvaluationError", "evaluate", "evaluate_each", "evaluator_of_each"]

_THIRD = Number(Fraction(1, 3))
_FAR = 1e17


class _Operation(NamedTuple):
    slot: int
    compute: Compute
    step: Instruction


def evaluate(tree: Expression, values: Mapping[str, float]) -> float:
    """Return the value of `tree`, in SI base units, with its names' `values` put in.

    Truth values, in and out, are `True` and `False`. Raises EvaluationError where there is no
    value: a division by zero, the logarithm of a number that is not above 0, a root of a number
    below 0, a number beyond the range of floats, a sum of more terms than a command may add up, a
    name without a value. Raises Exhausted where the operations of the command are used up.

    >>> n = Symbol("N")
    >>> evaluate(trees.Divide(trees.Power(n, HALF), Symbol("B")), {"N": 16, "B": 8})
    0.5
    """
    (outcome,) = evaluator_of_each([tree], values)(*values.values())
    if isinstance(outcome, EvaluationError):
        raise outcome
    return outcome


def evaluate_each(expressions: Sequence[Expression]) -> list[float | EvaluationError]:
    """Return the value of each of several trees without names, or why it has none.

    What they share is computed once.

    >>> three = Number(Fraction(3))
    >>> [str(value) for value in evaluate_each((three, trees.Divide(three, Number(Fraction(0)))))]
    ['3.0', 'division by zero']
    """
    return evaluator_of_each(expressions, ())()


def evaluator_of_each(
    expressions: Sequence[Expression], names: Iterable[str]
) -> Callable[..., list[float | EvaluationError]]:
    """Return a function of the values of `names` that computes each of several trees.

    It is several times as fast as `evaluate_each` when called often.

    >>> n = Symbol("N")
    >>> both = evaluator_of_each([n, trees.Divide(n, Number(Fraction(2)))], ["N"])
    >>> both(3)
    [3.0, 1.5]
    """
    # Last comes what has the others as its operands.
    plan = schedule(trees.Function("each", tuple(expressions)))
    template: Registers = [None] * plan.slots + [None]  # the last may have the operations left
    slots: dict[str, int] = {}
    program = _program(plan.steps[:-1], template, slots)
    places = [slots.get(name) for name in names]
    results = plan.steps[-1].operands
    has_sums = any(step.loop is not None for step in plan.steps)

    def run(*values: float) -> list[float | EvaluationError]:
        registers = template.copy()
        if has_sums:
            registers[-1] = operations()
        for place, value in zip(places, values, strict=True):
            if place is not None:
                registers[place] = _as_float(value, template[place])
        _run(program, registers)
        return [_outcome(registers[slot]) for slot in results]

    return run


def _outcome(value: float | EvaluationError) -> float | EvaluationError:
    if type(value) is float:  # most are, and there are many
        return value + 0.0  # no -0.0
    return value if isinstance(value, EvaluationError | bool) else float(value)


def _as_float(value: float, missing: EvaluationError) -> float | EvaluationError:
    if isinstance(value, bool):
        return value
    try:
        number = float(value)
    except OverflowError:
        return _beyond(missing.node)
    if number.is_integer() and isinstance(value, int):
        return value  # its last digits may matter to a jump
    if number != number:
        return EvaluationError("a value that is not a number", missing.node)
    return TooSmall(missing.node) if 0 < abs(number) < SMALLEST else number


def _program(
    steps: Iterable[Instruction], template: Registers, slots: dict[str, int]
) -> tuple[_Operation, ...]:
    """Return the operations of `steps`; put numbers, and errors for lacking values, in place."""
    operations = []
    for step in steps:
        node = step.node
        if isinstance(node, Number):
            try:
                template[step.slot] = double(node)
            except EvaluationError as error:
                template[step.slot] = error.with_traceback(None)
        elif isinstance(node, Symbol):
            slots[node.name] = step.slot
            lacking = no_value(node, node.name)
            template[step.slot] = math.inf if node == INFINITY else lacking
        else:
            compute = _compute(step, template, slots)
            operations.append(_Operation(step.slot, compute, step))
    return tuple(operations)


def _run(program: tuple[_Operation, ...], registers: Registers) -> None:
    for slot, compute, step in program:
        try:
            registers[slot] = compute(registers)
        except EvaluationError as error:
            registers[slot] = error.with_traceback(None)
        except (ArithmeticError, TypeError, ValueError) as problem:
            registers[slot] = _failure(step, registers, problem)


def _failure(
    step: Instruction, registers: Registers, problem: Exception
) -> float | EvaluationError:
    """Return the error of an operand, else what is wrong with the operation itself."""
    operands = [registers[slot] for slot in step.operands]
    errors = [operand for operand in operands if isinstance(operand, EvaluationError)]
    if errors and all(isinstance(error, TooSmall) for error in errors):
        return _with_small(step.node, operands, errors[0])
    if errors:
        return next(error for error in errors if not isinstance(error, TooSmall))
    if isinstance(problem, TypeError):
        raise problem
    return explain(step.node, operands, problem)


def _with_small(
    node: Expression, operands: Sequence[Any], error: EvaluationError
) -> float | EvaluationError:
    """Return the sum of operands beside which those that are too small do not count.

    Each is at most `most`, and so is a product or a quotient with their sizes put in. A sum that is
    _FAR times as large as all of these together is off by less than half of its last digit.
    """
    sizes = [each.most if isinstance(each, TooSmall) else abs(each) for each in operands]
    match node:
        case trees.Add():
            known = sum(each for each in operands if not isinstance(each, TooSmall))
            small = sum(each.most for each in operands if isinstance(each, TooSmall))
            return known if abs(known) >= _FAR * small else TooSmall(error.node, math.inf)
        case trees.Multiply():
            return TooSmall(error.node, math.prod(sizes))
        case trees.Divide() if sizes[1] and not isinstance(operands[1], TooSmall):
            return TooSmall(error.node, sizes[0] / sizes[1])
    return TooSmall(error.node, math.inf)


def _beyond(node: Expression) -> EvaluationError:
    return explain(node, (), OverflowError())


def _compute(step: Instruction, template: Registers, slots: dict[str, int]) -> Compute:
    """Return how a step's value comes from its operands."""
    places = step.operands
    match step.node:
        case trees.Add():
            return _adding(places)
        case trees.Multiply():
            return _multiplying(places)
        case trees.Divide():
            return _dividing(*places)
        case trees.Power(_, exponent):
            return _raising(places, exponent)
        case trees.Function(name, arguments):
            if name in ("ceil", "floor", "is_integer"):
                return jumping(name, arguments[0], places[0], slots)
            return _applying(name, places)
        case trees.Comparison() as comparison:
            return comparing(comparison, places, slots)
        case trees.Logic(operator, _):
            return _joining(operator, places)
        case trees.Conditional():
            condition, consequence, alternative = places
            return lambda r: r[consequence if _true(r[condition]) else alternative]
        case trees.Sum() as node:
            return _summing(node, step, template, slots)
    raise TypeError(step.node)


def _adding(places: tuple[int, ...]) -> Compute:
    if len(places) == 2:
        first, second = places

        def add(r: Registers) -> float:
            value: float = r[first] + r[second]
            # A finite value less itself is 0; an infinite one is not a number, which is true.
            return settled(value, (r[first], r[second])) if value - value else value

        return add
    return lambda r: math.fsum([r[place] for place in places])


def _multiplying(places: tuple[int, ...]) -> Compute:
    def multiply(r: Registers) -> float:
        value = 1.0
        for place in places:
            value *= r[place]
        if 1e-290 < abs(value) < 1e300:
            return value
        return _product([r[place] for place in places])

    return multiply


def _product(factors: list[float]) -> float:
    """Multiply without an intermediate result that is too large or too small."""
    if not all(math.isfinite(factor) for factor in factors):
        return settled(math.prod(factors), factors)
    mantissa, exponent = 1.0, 0
    for factor in factors:
        mantissa, shift = math.frexp(mantissa * math.frexp(factor)[0])
        exponent += shift + math.frexp(factor)[1]
    value = math.ldexp(mantissa, exponent)
    return value if abs(value) >= SMALLEST else settled(value, factors)


def _dividing(numerator: int, denominator: int) -> Compute:
    def divide(r: Registers) -> float:
        value: float = r[numerator] / r[denominator]
        if SMALLEST <= abs(value) < math.inf:
            return value
        return settled(value, (r[numerator], r[denominator]))

    return divide


def _raising(places: tuple[int, ...], exponent: Expression) -> Compute:
    base, raised = places
    if exponent == HALF:
        return lambda r: math.sqrt(r[base])
    if exponent == _THIRD:
        return lambda r: math.cbrt(r[base]) if r[base] >= 0 else math.sqrt(r[base])
    return lambda r: _power(r[base], r[raised])


def _power(base: float, exponent: float) -> float:
    value = math.pow(base, exponent)
    return value if abs(value) >= SMALLEST else settled(value, (base, exponent))


def _exponential(exponent: float) -> float:
    value = math.exp(exponent)
    return value if value >= SMALLEST else settled(value, (exponent,))


_PLAIN: dict[str, Callable[[float], float]] = {
    "log2": math.log2,
    "ln": math.log,
    "log10": math.log10,
    "exp": _exponential,
    "abs": abs,
}


def _applying(name: str, places: tuple[int, ...]) -> Compute:
    first = places[0]
    if name == "min":
        return lambda r: min([r[place] for place in places])
    if name == "max":
        return lambda r: max([r[place] for place in places])
    if name == "log":
        return lambda r: _logarithm(r[first], r[places[1]])
    if name == "lambertw":
        return lambda r: lambertw(r[first], int(r[places[1]]))
    function = _PLAIN[name]
    return lambda r: function(r[first])


def _logarithm(value: float, base: float) -> float:
    quotient = math.log(value) / math.log(base)
    # So that log(125, 5) is 3.
    whole = round(quotient) if abs(quotient) < 1100 else 0
    if abs(quotient - whole) < 1e-12 and whole and math.pow(base, whole) == value:
        return float(whole)
    return quotient


def _true(value: object) -> bool:
    if isinstance(value, EvaluationError):
        raise value
    return bool(value)


def _joining(operator: str, places: tuple[int, ...]) -> Compute:
    if operator == "not":
        return lambda r: not _true(r[places[0]])
    if operator == "and":
        return lambda r: all(_true(r[place]) for place in places)
    return lambda r: any(_true(r[place]) for place in places)


def _summing(
    node: trees.Sum, step: Instruction, template: Registers, slots: dict[str, int]
) -> Compute:
    from roofdsl.numeric import sums  # few formulas have any

    loop = step.loop
    if loop is None:
        return partial(_refuse, EvaluationError("sums nested too deeply", node))
    program = _program(loop.steps, template, {**slots, loop.name: loop.index_slot})
    first = jumping("ceil", node.low, step.operands[0], slots)
    last = jumping("floor", node.high, step.operands[1], slots)
    closed, each = sums.closed_sum(loop), len(program) + 1
    names = [symbol.name for symbol in free_symbols(node.body) if symbol.name in slots]

    def terms(r: Registers, low: int, high: int, small: list[TooSmall]) -> Iterator[float]:
        for index in range(low, high + 1):
            r[loop.index_slot] = float(index)
            _run(program, r)
            term = r[loop.body]
            if isinstance(term, TooSmall) and term.most < math.inf:
                r[-1].spend(sums.FAILING_OPERATIONS * each)
                small.append(term)
            elif isinstance(term, EvaluationError):
                raise term
            else:
                yield term

    def total(r: Registers) -> float:
        low, high = int(first(r)), int(last(r))
        count, allowed = max(0, high - low + 1), r[-1]
        if closed is not None and count >= sums.CLOSED_FROM:
            allowed.spend(sums.CLOSED_OPERATIONS)
            values = [r[slot] for slot in closed.leaves]
            for value in values:
                if isinstance(value, EvaluationError):
                    raise value
            found = closed(low, high, values)
            if found is not None:
                return found
        if count * each >= sums.ENCLOSED_FROM:
            allowed.spend(sums.ENCLOSED_OPERATIONS)
            found = sums.enclosed_sum(node, low, high, {name: r[slots[name]] for name in names})
            if found is not None:
                return found
        if count * each > allowed.limit:
            raise too_many_terms(count, allowed.limit, node)
        allowed.spend(count * each)
        small: list[TooSmall] = []
        known = math.fsum(terms(r, low, high, small))
        if abs(known) < _FAR * sum(term.most for term in small):
            raise TooSmall(small[0].node, math.inf)
        return known

    return total


def _refuse(error: EvaluationError, _: Registers) -> float:
    raise error
