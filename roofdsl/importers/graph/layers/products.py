"""Products of matrices: with weights, and of two tensors."""

from __future__ import annotations

from roofdsl.importers.graph.composer import Argument, Composer
from roofdsl.importers.graph.layers.pointwise import add_bias
from roofdsl.importers.graph.size import ONE, Shape, Size, times
from roofdsl.importers.graph.values import NoRule, Operator, Value


def linear(
    operator: Operator,
    to: Composer,
    x: Value,
    weight: Value,
    bias: Value | None = None,
    *,
    rows_first: bool = True,
) -> None:
    """Add x Wᵀ + b with a matrix of O rows, or of I where they are not first."""
    matrix = weight.of_rank(2)
    O, I = matrix if rows_first else matrix[::-1]  # noqa: E741, the library's names
    M = times(x.of_rank(1, 99)[:-1])
    if x.sides[-1] != I or operator.result.sides[-1:] != (O,):
        raise NoRule("its factors do not fit together")
    if weight.weight is None:
        step = to.add(operator, "batched_product", [x, weight], {"B": 1, "m": M, "k": I, "n": O})
        if bias is not None:
            step = add_bias(operator, to, step, bias)
        to.becomes(operator.result, step)
        return
    step, done = _with_weights(operator, to, (M, I, O), x, weight, bias)
    if bias is not None and not done:
        step = add_bias(operator, to, step, bias)
    to.becomes(operator.result, step)


def _with_weights(
    operator: Operator,
    to: Composer,
    sizes: tuple[Size, Size, Size],
    x: Value,
    weight: Value,
    bias: Value | None,
) -> tuple[str, bool]:
    """Add a product with weights; return its step, and whether it has the bias."""
    M, I, O = sizes  # noqa: E741, the library's names
    assert weight.weight is not None
    if not to.first_use(weight.weight):
        return to.add(operator, "logits", [x], {"M": M, "h": I, "V": O, "tied": True}), False
    vector = bias is not None and bias.weight is not None and bias.elements == O
    if vector:
        assert bias is not None and bias.weight is not None
        vector = to.first_use(bias.weight)
    rest: dict[str, Argument] = {} if vector else {"bias": False}
    return to.add(operator, "linear", [x], {"M": M, "I": I, "O": O, **rest}), vector


def product(operator: Operator, to: Composer, left: Value, right: Value) -> None:
    """Add the product of two tensors, or of one with weights, over the dimensions before them."""
    one, other = left.of_rank(1, 99), right.of_rank(1, 99)
    if right.weight is not None and len(other) == 2:
        linear(operator, to, left, right, rows_first=False)
        return
    before, (m, k) = _matrix(one, left=True)
    also, (summed, n) = _matrix(other, left=False)
    if k != summed:
        raise NoRule("its factors do not fit together")
    outside = operator.result.sides[: max(len(before), len(also))]
    B = times(outside)
    weights = [each for each in (left, right) if each.weight is not None]
    if not weights:
        # A matrix that is the same for all is one product of many rows.
        if not also or times(also) == ONE:
            B, m = ONE, times([*before, m])
        step = to.add(operator, "batched_product", [left, right], {"B": B, "m": m, "k": k, "n": n})
    elif len(weights) == 1 and weights[0].weight is not None:
        step = _many(operator, to, left, right, (B, m, k, n))
    else:
        raise NoRule("it multiplies weights with weights")
    to.becomes(operator.result, step)


def add_product(operator: Operator, to: Composer, left: Value, right: Value, added: Value) -> None:
    """Add the product of two tensors, and to it another."""
    product(operator, to, left, right)
    to.becomes(operator.result, add_bias(operator, to, to.source(operator.result), added))


def _many(
    operator: Operator, to: Composer, left: Value, right: Value, of: tuple[Size, Size, Size, Size]
) -> str:
    """Add products with as many matrices of weights: groups of channels that do not mix."""
    B, m, k, n = of
    weight, x = (left, right) if left.weight is not None else (right, left)
    assert weight.weight is not None
    matrices = times(weight.sides[:-2])
    rows, out = (n, m) if weight is left else (m, n)
    over = times([B, rows])
    if matrices != ONE:
        if matrices != B:
            raise NoRule("its weights are repeated in part")
        over = rows
    own = to.first_use(weight.weight)
    rest: dict[str, Argument] = {} if matrices == ONE else {"groups": matrices}
    if not own:
        rest["tied"] = True
    channels = times([matrices, k]), times([matrices, out])
    sizes: dict[str, Argument] = {"inputs": 1, "Co": channels[1], "outputs": 1, "taps": 1}
    return to.add(
        operator, "convolution", [x], {"B": over, "Ci": channels[0], **sizes, "bias": False, **rest}
    )


def _matrix(shape: Shape, *, left: bool) -> tuple[Shape, tuple[Size, Size]]:
    if len(shape) == 1:
        return (), ((ONE, shape[0]) if left else (shape[0], ONE))
    return shape[:-2], (shape[-2], shape[-1])
