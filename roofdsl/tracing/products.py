"""Products of matrices and vectors: two operations for each multiply-add."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from roofdsl.tracing.costs import Operands, of_elements, of_products
from roofdsl.tracing.refusal import Uncounted
from roofdsl.tracing.tally import NOTHING, Tally
from roofdsl.tracing.traced import Array, Traced, computed, finished, traced


def matrix_product(tally: Tally, inputs: Sequence[object], out: Traced | None = None) -> Traced:
    """Return `a @ b`: 2·m·n·k flops, as `stdlib/linalg/dgemm.roof`."""
    a, b = (traced(each, tally) for each in inputs)
    data = computed(np.matmul, a.plain, b.plain)
    matrices = a.ndim > 1 and b.ndim > 1
    return multiplied(tally, "matmul", (a, b), data, a.shape[-1] * data.size, matrices, out)


def multiplied(
    tally: Tally,
    name: str,
    arrays: Sequence[Traced],
    data: Array,
    products: int,
    matrices: bool,
    out: Traced | None = None,
) -> Traced:
    """Count so many multiply-adds of arrays, and return their result."""
    work = of_products(products, data.dtype, matrices=matrices)
    return finished(tally, name, work, arrays, data, out)


def dot(tally: Tally, a: object, b: object, out: object = None) -> Traced:
    """Return `np.dot(a, b)`."""
    left, right = traced(a, tally), traced(b, tally)
    data = computed(np.dot, left.plain, right.plain)
    into = out if isinstance(out, Traced) else None
    if not left.ndim or not right.ndim:
        work = of_elements("multiply", data.size, Operands(data.dtype))
        return finished(tally, "dot", work, (left, right), data, into)
    matrices = left.ndim > 1 and right.ndim > 1
    products = left.shape[-1] * data.size
    return multiplied(tally, "dot", (left, right), data, products, matrices, into)


def vdot(tally: Tally, a: object, b: object) -> Traced:
    left, right = traced(a, tally), traced(b, tally)
    data = computed(np.vdot, left.plain, right.plain)
    return multiplied(tally, "vdot", (left, right), data, left.size, matrices=False)


def inner(tally: Tally, a: object, b: object) -> Traced:
    left, right = traced(a, tally), traced(b, tally)
    data = computed(np.inner, left.plain, right.plain)
    shared = left.shape[-1] if left.ndim and right.ndim else 1
    matrices = left.ndim > 1 and right.ndim > 1
    return multiplied(tally, "inner", (left, right), data, shared * data.size, matrices)


def outer(tally: Tally, a: object, b: object) -> Traced:
    left, right = traced(a, tally), traced(b, tally)
    data = computed(np.outer, left.plain, right.plain)
    work = of_elements("multiply", data.size, Operands(data.dtype))
    return finished(tally, "outer", work, (left, right), data)


def kron(tally: Tally, a: object, b: object) -> Traced:
    left, right = traced(a, tally), traced(b, tally)
    data = computed(np.kron, left.plain, right.plain)
    work = of_elements("multiply", data.size, Operands(data.dtype))
    return finished(tally, "kron", work, (left, right), data)


def tensordot(tally: Tally, a: object, b: object, axes: object = 2) -> Traced:
    left, right = traced(a, tally), traced(b, tally)
    data = computed(np.tensordot, left.plain, right.plain, axes)
    # Every element of the result is a sum over the axes that are in no result.
    shared = round((left.size * right.size / max(data.size, 1)) ** 0.5)
    matrices = left.ndim > 1 and right.ndim > 1
    return multiplied(tally, "tensordot", (left, right), data, shared * data.size, matrices)


def einsum(tally: Tally, *operands: object, **more: object) -> Traced:
    """Return a sum of products by its subscripts, of one array or of two."""
    subscripts, *rest = operands
    if not isinstance(subscripts, str) or "." in subscripts or len(rest) > 2:
        hint = "write it as several, each of at most two arrays, with a letter for each axis"
        raise Uncounted("'einsum' of this form is not counted", hint)
    arrays = [traced(each, tally) for each in rest]
    data = computed(np.einsum, subscripts, *(each.plain for each in arrays))
    inputs = subscripts.replace(" ", "").partition("->")[0]
    extents = {
        letter: length
        for letters, each in zip(inputs.split(","), arrays, strict=True)
        for letter, length in zip(letters, each.shape, strict=True)
    }
    everything = prod(extents.values())
    out = more.get("out")
    into = out if isinstance(out, Traced) else None
    if len(arrays) == 1:
        work = of_elements("add", max(everything - data.size, 0), Operands(data.dtype))
        return finished(tally, "einsum", work, arrays, data, into)
    if everything == data.size:  # nothing is summed
        work = of_elements("multiply", everything, Operands(data.dtype))
        return finished(tally, "einsum", work, arrays, data, into)
    matrices = all(each.ndim > 1 for each in arrays)
    return multiplied(tally, "einsum", arrays, data, everything, matrices, into)


def cross(tally: Tally, a: object, b: object, **more: object) -> Traced:
    """Return cross products: six products and three differences each, of three elements."""
    left, right = traced(a, tally), traced(b, tally)
    data = computed(np.cross, left.plain, right.plain, **more)
    if left.shape[-1] != 3 or right.shape[-1] != 3:
        raise Uncounted("'cross' is counted of vectors of three")
    work = (
        NOTHING
        if data.dtype.kind in "biu"
        else of_elements("add", 3 * data.size, Operands(data.dtype))
    )
    return finished(tally, "cross", work, (left, right), data)
