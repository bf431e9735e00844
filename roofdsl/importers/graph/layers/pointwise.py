"""Functions of single elements, of one tensor or of several, with weights or without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from roofdsl.importers.graph.composer import Argument, Composer
from roofdsl.importers.graph.size import plain
from roofdsl.importers.graph.values import NoRule, Operator, Value


class Function(NamedTuple):
    """Operations an element, and those of them that are exponentials, logarithms, roots."""

    operations: int
    exponentials: int = 0


LAYERS = ("relu", "sigmoid", "tanh", "silu", "gelu", "softmax")
"""Functions that are layers of the library by these names."""

FUNCTIONS = {
    "abs": Function(1),
    "add": Function(1),
    "ceil": Function(1),
    "clip": Function(2),  # two comparisons
    "compare": Function(1),
    "cos": Function(1, 1),
    "divide": Function(1),
    "elu": Function(4, 1),  # exp, a difference, a product, a choice
    "erf": Function(1, 1),
    "exp": Function(1, 1),
    "floor": Function(1),
    "hard_sigmoid": Function(4),  # a product, a sum, two comparisons
    "hard_swish": Function(5),  # the same, and a product
    "leaky_relu": Function(2),  # a product, a choice
    "log": Function(1, 1),
    "log_softmax": Function(5, 1),  # as softmax
    "maximum": Function(1),
    "minimum": Function(1),
    "mish": Function(5, 3),  # exp, a sum, a logarithm, tanh, a product
    "multiply": Function(1),
    "negative": Function(1),
    "not": Function(1),
    "power": Function(1, 1),
    "reciprocal": Function(1),
    "round": Function(1),
    "selu": Function(5, 1),  # as elu, and a product
    "rsqrt": Function(2, 1),  # a root, a quotient
    "sign": Function(1),
    "sin": Function(1, 1),
    "softplus": Function(3, 2),  # exp, a sum, a logarithm
    "sqrt": Function(1, 1),
    "square": Function(1),
    "subtract": Function(1),
    "tan": Function(1, 1),
    "where": Function(1),
}
"""What an element of a result takes; conventions as in `stdlib/dnn/activation.roof`."""

_LAYERS_OF_TWO = {"add": "add", "multiply": "multiply"}


def function(operator: Operator, to: Composer, name: str) -> None:
    """Add a function of the elements of all inputs, repeated where they are smaller."""
    given = [each for each in operator.inputs if each is not None]
    if not any(each.computed for each in given):
        raise NoRule("it reads constants alone")
    if name in LAYERS and len(given) == 1:
        step = to.add(operator, name, given, {"E": operator.result.elements})
        to.becomes(operator.result, step)
        return
    to.becomes(operator.result, elementwise(operator, to, FUNCTIONS[name], given, name))


def elementwise(
    operator: Operator, to: Composer, of: Function, given: Sequence[Value], name: str = ""
) -> str:
    """Add a function of tensors, of which some are weights; return the name of its step."""
    E = operator.result.elements
    tensors = [each for each in given if each.weight is None and each.elements.value != 1]
    tensors += [each for each in given if each.computed and each not in tensors]
    weights = [each for each in given if each.weight is not None]
    alike = all(each.elements == E and each.computed for each in tensors)
    if name in _LAYERS_OF_TWO and len(tensors) == 2 and alike and not weights:
        return to.add(operator, _LAYERS_OF_TWO[name], tensors, {"E": E})
    if len(tensors) > 3:
        raise NoRule("it reads more than three tensors")
    arguments: dict[str, Argument] = {}
    for place, tensor in zip(("first", "second", "third"), tensors, strict=False):
        if place != "first" or tensor.elements != E:
            arguments[place] = tensor.elements
    arguments |= _of_weights(to, weights)
    if of.operations != 1:
        arguments["operations"] = of.operations
    if of.exponentials:
        arguments["exponentials"] = of.exponentials
    return to.add(operator, "pointwise", tensors, {"E": E, **arguments})


def add_bias(operator: Operator, to: Composer, step: str, bias: Value) -> str:
    """Add a bias that its layer does not count; return the name of the step."""
    E = operator.result.elements
    if bias.weight is not None:
        weights = _of_weights(to, [bias])
        return to.add(operator, "pointwise", [step], {"E": E, **weights}, suffix="_bias")
    reads: list[Value | str] = [step, bias]
    return to.add(operator, "pointwise", reads, {"E": E, "second": bias.elements}, suffix="_bias")


def _of_weights(to: Composer, weights: Sequence[Value]) -> dict[str, Argument]:
    found: dict[str, Argument] = {}
    if weights:
        own = [each.weight is not None and to.first_use(each.weight) for each in weights]
        if len(set(own)) > 1:
            raise NoRule("of its weights some are shared")
        found["trained"] = sum(each.weight.elements for each in weights if each.weight)
        if not own[0]:
            found["tied"] = True
    return found


def converted(operator: Operator, to: Composer, x: Value) -> None:
    """Add a step that writes elements in another precision; in the same one it is no step."""
    if x.dtype == operator.result.dtype:
        to.becomes(operator.result, x)
        return
    arguments: dict[str, Argument] = {"E": operator.result.elements, "given": to.precision(x)}
    to.becomes(operator.result, to.add(operator, "convert", [x], arguments))


def moved(operator: Operator, to: Composer, x: Value) -> None:
    """Add a step that moves elements and computes nothing."""
    E = operator.result.elements
    read = {} if plain(x.elements) == plain(E) else {"read": x.elements}
    to.becomes(operator.result, to.add(operator, "rearrange", [x], {"E": E, **read}))
