"""A time as sums of largest terms, each linear in constants that are to be fitted.

Of a rate it is linear in the time per unit of work, 1/rate. What is no such sum is said to be none,
with the reason, so that nothing is fitted that least squares do not fit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import product
from typing import NamedTuple, TypeAlias

from roofdsl.expression import tree as trees
from roofdsl.expression.order import bottom_up, fold
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Expression, Number, Symbol
from roofdsl.numeric.scalar import evaluate

MOST_PIECES = 512
"""So many alternatives of one largest term are told apart."""
_ITSELF = ""
Linear: TypeAlias = Mapping[str, float]
"""Coefficients by constant; that of "" stands for itself."""


class NotLinear(Exception):
    """A time is not linear in what is to be fitted; the text says where."""


class Terms(NamedTuple):
    """A sum: of `base`, and of the largest of each of the `maxima`."""

    base: Linear
    maxima: tuple[tuple[Linear, ...], ...] = ()


class _Rate(NamedTuple):
    """A number times one rate, which may stand below a fraction line alone."""

    name: str
    factor: float


_Found: TypeAlias = Terms | _Rate | None
_DEPENDS = Terms({})
"""What stands for a condition on a name that is fitted."""


def linear_terms(
    tree: Expression, rates: Collection[str], others: Collection[str], absent: Collection[str] = ()
) -> Terms:
    """Return a time in terms of 1/rate of the `rates` and of the `others`, which stand for numbers.

    What is `absent` takes no time: rates of these names are unlimited, other values are 0. Raises
    NotLinear, and EvaluationError for a part without a value.

    >>> memory, words = Symbol("memory"), Symbol("words")
    >>> linear_terms(trees.Divide(trees.ONE, memory), {"memory"}, set()).base
    {'memory': 1.0}
    >>> linear_terms(trees.Multiply((words, words)), set(), {"words"})
    Traceback (most recent call last):
    ...
    roofdsl.numeric.linear_terms.NotLinear: it is multiplied by itself
    """
    names = _Names(frozenset(rates), frozenset(others), frozenset(absent))
    known = frozenset().union(*names)
    for node in bottom_up(tree):
        if isinstance(node, trees.Sum) and any(x.name in known for x in free_symbols(node)):
            raise NotLinear("it stands in a sum over an index")
    found = fold(tree, names.combined)
    return _terms(_constant(tree) if found is None else found)


class _Names(NamedTuple):
    rates: frozenset[str]
    others: frozenset[str]
    absent: frozenset[str]

    def combined(self, node: Expression, parts: tuple[_Found, ...]) -> _Found:
        """Return what a node is; None where no name that is fitted stands in it."""
        match node:
            case Symbol(name) if name in self.rates:
                return _Rate(name, 1.0)
            case Symbol(name) if name in self.absent:
                return Terms({})
            case Symbol(name) if name in self.others:
                return Terms({name: 1.0})
            case Number() | Symbol():
                return None
        if all(part is None for part in parts):
            return None
        if isinstance(node, trees.Conditional):
            return _chosen(node, parts)
        return self._operated(node, parts)

    def _operated(self, node: Expression, parts: tuple[_Found, ...]) -> _Found:
        match node:
            case trees.Add(terms):
                return _sum([_terms(_known(*each)) for each in zip(terms, parts, strict=True)])
            case trees.Multiply(factors):
                return _product([_known(*each) for each in zip(factors, parts, strict=True)])
            case trees.Divide(above, below):
                return self._quotient(_known(above, parts[0]), _known(below, parts[1]))
            case trees.Power(_, exponent):
                return self._power(parts[0], parts[1], exponent)
            case trees.Function("max", arguments):
                pairs = zip(arguments, parts, strict=True)
                return _largest([_terms(_known(*each)) for each in pairs])
            case trees.Function(name):
                raise NotLinear(f"it stands inside `{name}`")
        return _DEPENDS

    def _power(self, base: _Found, exponent: _Found, tree: Expression) -> Terms | _Rate:
        if base is None or exponent is not None:
            raise NotLinear("it stands in an exponent")
        power = evaluate(tree, {})
        if power == -1:
            return self._quotient(_constant(trees.ONE), base)
        if power != 1:
            raise NotLinear(f"it stands in a power of {power:g}")
        return base

    def _quotient(self, above: Terms | _Rate, below: Terms | _Rate) -> Terms | _Rate:
        if isinstance(below, _Rate):
            if below.name in self.absent:
                return Terms({})
            work = _terms(above)
            if work.maxima or any(name != _ITSELF for name in work.base):
                names = [name for name in work.base if name != _ITSELF]
                raise NotLinear(_multiplied(below.name, names))
            return Terms({below.name: work.base.get(_ITSELF, 0.0) / below.factor})
        divisor = _number(below)
        if divisor is None:
            raise NotLinear("something is divided by it")
        return _scaled(above, 1 / divisor)


def _multiplied(rate: str, names: list[str]) -> str:
    above = names[0] if names else "a largest term"
    return f"both stand in {above} / {_own(rate)}, which is a product"


def _own(name: str) -> str:
    """Return what a name is called on its machine."""
    return name.partition(".")[2] or name


def _constant(tree: Expression) -> Terms:
    return Terms({_ITSELF: evaluate(tree, {})})


def _known(tree: Expression, part: _Found) -> Terms | _Rate:
    return _constant(tree) if part is None else part


def _terms(found: Terms | _Rate) -> Terms:
    if isinstance(found, _Rate):
        raise NotLinear("more of the rate takes longer")
    return found


def _number(found: Terms | _Rate) -> float | None:
    """Return what stands for itself alone, None for what depends on anything."""
    if isinstance(found, _Rate) or found.maxima or any(name != _ITSELF for name in found.base):
        return None
    return found.base.get(_ITSELF, 0.0)


def _product(factors: list[Terms | _Rate]) -> Terms | _Rate:
    numbers = [_number(factor) for factor in factors]
    depends = [each for each, number in zip(factors, numbers, strict=True) if number is None]
    if len(depends) > 1:
        one, other = (_own(_name(each)) for each in depends[:2])
        itself = f"{one} is multiplied by {other}"
        raise NotLinear("it is multiplied by itself" if one == other else itself)
    factor = 1.0
    for number in numbers:
        factor *= 1.0 if number is None else number
    return _scaled(depends[0], factor) if depends else Terms({_ITSELF: factor})


def _name(found: Terms | _Rate) -> str:
    if isinstance(found, _Rate):
        return found.name
    pieces = [found.base, *(piece for group in found.maxima for piece in group)]
    return next((name for piece in pieces for name in piece if name != _ITSELF), "a number")


def _scaled(found: Terms | _Rate, factor: float) -> Terms | _Rate:
    if isinstance(found, _Rate):
        return _Rate(found.name, found.factor * factor)
    if factor < 0 and found.maxima:
        raise NotLinear("a largest term is subtracted")
    maxima = (tuple(_times(piece, factor) for piece in group) for group in found.maxima)
    return Terms(_times(found.base, factor), tuple(maxima))


def _times(linear: Linear, factor: float) -> Linear:
    return {name: factor * value for name, value in linear.items()}


def _sum(terms: list[Terms]) -> Terms:
    maxima = tuple(group for each in terms for group in each.maxima)
    return Terms(_added([each.base for each in terms]), maxima)


def _added(parts: list[Linear]) -> Linear:
    found: dict[str, float] = {}
    for part in parts:
        for name, value in part.items():
            found[name] = found.get(name, 0.0) + value
    return found


def _largest(terms: list[Terms]) -> Terms:
    pieces: list[Linear] = []
    for each in terms:
        count = 1
        for group in each.maxima:
            count *= len(group)
        if len(pieces) + count > MOST_PIECES:
            raise NotLinear(f"more than {MOST_PIECES} terms compete for the longest")
        pieces += [_added([each.base, *chosen]) for chosen in product(*each.maxima)]
    return Terms(pieces[0]) if len(pieces) == 1 else Terms({}, (tuple(pieces),))


def _chosen(node: trees.Conditional, parts: tuple[_Found, ...]) -> _Found:
    """Return the case that holds; that there is work is taken to be so where it is fitted."""
    condition = node.condition
    if parts[0] is not None or free_symbols(condition):
        match condition:
            case trees.Comparison(">", _, Number(value)) if value == 0:
                return _known(node.consequence, parts[1])
        raise NotLinear("a condition depends on it")
    holds = evaluate(condition, {})
    place = 1 if holds else 2
    return parts[place] or _constant((node.consequence, node.alternative)[place - 1])
