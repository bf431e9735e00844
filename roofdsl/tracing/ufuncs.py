"""Functions of single elements, and their reductions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from roofdsl.tracing.costs import Operands, of_elements
from roofdsl.tracing.products import matrix_product
from roofdsl.tracing.refusal import Uncounted
from roofdsl.tracing.tally import NOTHING, Tally, Work
from roofdsl.tracing.traced import Array, Traced, as_array, computed, finished, traced

_OPTIONS = {"dtype", "casting", "order", "subok", "out", "axis", "keepdims", "initial"}


def applied(
    tally: Tally,
    ufunc: np.ufunc,
    method: str,
    inputs: Sequence[object],
    more: Mapping[str, object],
) -> object:
    """Compute a function of elements as NumPy does, and count it."""
    for option, value in more.items():
        if option not in _OPTIONS and value is not True:
            raise Uncounted(f"'{ufunc.__name__}' with '{option}' is not counted")
    if ufunc.nout > 1:
        raise Uncounted(f"'{ufunc.__name__}' is no operation that is counted")
    if ufunc is np.matmul and method == "__call__":
        return matrix_product(tally, inputs, _out(more))
    operands = [each if _is_number(each) else traced(each, tally) for each in inputs]
    if method == "__call__":
        return _of_elements(tally, ufunc, operands, more)
    if method == "reduce" and isinstance(operands[0], Traced):
        return _reduced(tally, ufunc, operands[0], more)
    if method == "outer":
        left, right = (traced(each, tally) for each in operands)
        shape = left.shape + (1,) * right.ndim
        wide = left.viewed(np.reshape, shape)
        return _of_elements(tally, ufunc, [wide, right], more)
    raise Uncounted(f"'{ufunc.__name__}.{method}' is no operation that is counted")


def _is_number(value: object) -> bool:
    return isinstance(value, (bool, int, float, complex, np.generic))


def _out(more: Mapping[str, object]) -> Traced | None:
    out = more.get("out")
    out = out[0] if isinstance(out, tuple) else out
    if out is None:
        return None
    if not isinstance(out, Traced):
        raise Uncounted("'out' is an array that is not counted", "make it by np.empty or np.zeros")
    return out if out.ndim else None  # a number is never changed


def _plain(operand: object) -> object:
    return operand.plain if isinstance(operand, Traced) else operand


def _of_elements(
    tally: Tally, ufunc: np.ufunc, operands: Sequence[object], more: Mapping[str, object]
) -> Traced:
    options = {name: value for name, value in more.items() if name != "out" and value is not True}
    data = as_array(ufunc(*(_plain(each) for each in operands), **options))
    work = _work(ufunc.__name__, data, operands)
    arrays = [each for each in operands if isinstance(each, Traced)]
    return finished(tally, ufunc.__name__, work, arrays, data, _out(more))


def _work(name: str, data: Array, operands: Sequence[object]) -> Work:
    """Return what a function of elements takes; a power by 2, 1, 0, −1 or ½ is a simpler one."""
    arrays = [_plain(each) for each in operands]
    computed = np.result_type(*arrays)  # type: ignore[arg-type]  # arrays and numbers
    dtype = data.dtype if data.dtype.kind in "fc" else computed
    if name == "absolute":
        dtype = computed
    kinds = {as_array(each).dtype.kind for each in arrays}
    by_real = len(arrays) > 1 and "c" in kinds and bool(kinds & set("fiu"))
    if name in ("power", "float_power") and not isinstance(operands[1], Traced):
        exponent = operands[1]
        simpler = {2: "square", 0.5: "sqrt", -1: "reciprocal", 1: "positive", 0: "positive"}
        name = simpler.get(exponent, name) if isinstance(exponent, (int, float)) else name
    return of_elements(name, data.size, Operands(dtype, by_real))


def _reduced(tally: Tally, ufunc: np.ufunc, x: Traced, more: Mapping[str, object]) -> Traced:
    """Reduce along axes: an operation less than there are elements, for each result."""
    options = {name: value for name, value in more.items() if name not in ("out", "where")}
    data = computed(ufunc.reduce, x.plain, **options)
    begun = options.get("initial") is not None and options.get("initial") is not np._NoValue
    return finished(
        tally, f"{ufunc.__name__}_reduce", reduction(ufunc.__name__, x, data, begun=begun),
        [x], data, _out(more),
    )  # fmt: skip


def reduction(name: str, x: Traced, data: Array, *, begun: bool = False) -> Work:
    """Return what it takes to bring x to fewer elements by an operation of two."""
    dtype = data.dtype if data.dtype.kind in "fc" else x.dtype
    operations = x.size if begun else max(x.size - data.size, 0)
    if x.dtype.kind in "biu" and data.dtype.kind in "biu":
        return NOTHING
    return of_elements(name, operations, Operands(dtype))
