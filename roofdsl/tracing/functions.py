"""Functions of NumPy on whole arrays: what each does, by the function itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np

from roofdsl.tracing import products, solvers
from roofdsl.tracing.costs import Operands, fourier, of_elements, precision_of
from roofdsl.tracing.refusal import DependsOnData, Uncounted
from roofdsl.tracing.tally import NOTHING, Tally, Work
from roofdsl.tracing.traced import Array, Traced, computed, finished, new, traced
from roofdsl.tracing.ufuncs import reduction

Function: TypeAlias = Callable[..., object]

_VIEWS: tuple[Function, ...] = (
    np.reshape, np.ravel, np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.expand_dims,
    np.squeeze, np.broadcast_to, np.flip, np.fliplr, np.flipud, np.rot90, np.diagonal,
)  # fmt: skip
_MOVES: tuple[Function, ...] = (
    np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack, np.roll, np.tile,
    np.repeat, np.pad, np.tril, np.triu, np.copy, np.append, np.take, np.take_along_axis, np.diag,
    np.block,
)  # fmt: skip
_REDUCTIONS: Mapping[Function, str] = {
    np.sum: "add", np.prod: "multiply", np.max: "maximum", np.min: "minimum", np.amax: "maximum",
    np.amin: "minimum", np.argmax: "maximum", np.argmin: "minimum", np.cumsum: "add",
    np.cumprod: "multiply", np.trace: "add", np.any: "logical_or", np.all: "logical_and",
    np.ptp: "maximum", np.count_nonzero: "logical_or",
}  # fmt: skip
_HANGING: tuple[Function, ...] = (
    np.nonzero, np.flatnonzero, np.argwhere, np.unique, np.sort, np.argsort, np.partition,
    np.median, np.percentile, np.quantile, np.extract, np.compress, np.searchsorted, np.histogram,
    np.bincount, np.digitize, np.allclose, np.array_equal, np.isclose, np.intersect1d,
    np.linalg.eig, np.linalg.eigh, np.linalg.eigvals, np.linalg.eigvalsh, np.linalg.svd,
    np.linalg.matrix_rank, np.linalg.pinv, np.linalg.lstsq, np.linalg.cond,
)  # fmt: skip
_ASKING: tuple[Function, ...] = (
    np.shape, np.ndim, np.size, np.result_type, np.iscomplexobj, np.isrealobj,
)  # fmt: skip
"""What says something of an array, and does nothing with its elements."""
_EMPTY: Mapping[Function, bool] = {
    np.zeros_like: True, np.ones_like: True, np.full_like: True, np.empty_like: False,
}  # fmt: skip
"""Whether what is made is written."""
_FOURIER: tuple[Function, ...] = (
    np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.hfft, np.fft.ihfft, np.fft.fft2,
    np.fft.ifft2, np.fft.fftn, np.fft.ifftn,
)  # fmt: skip


def called(
    tally: Tally, function: Function, args: tuple[object, ...], more: Mapping[str, object]
) -> object:
    """Call a function of NumPy's and count it; raise Uncounted for one without a count."""
    if function in _VIEWS:
        found = traced(args[0], tally)
        return found.viewed(function, *args[1:], **more)
    for option in ("where", "out"):
        if more.get(option) is not None and more[option] is not np._NoValue:
            if function in _TABLE and option == "out":
                break
            raise Uncounted(f"'{_named(function)}' with '{option}' is not counted")
    if function in _HANGING:
        raise DependsOnData(
            f"what '{_named(function)}' does hangs on the data",
            "count the rest without it, and write its work into the model by hand",
        )
    if function in _TABLE:
        return _TABLE[function](tally, *args, **more)
    if function in _REDUCTIONS:
        return _reduced(tally, function, traced(args[0], tally), args[1:], more)
    if function in _MOVES:
        return _moved(tally, function, args, more)
    if function in _EMPTY:
        return _alike(tally, function, args, more)
    if function in _FOURIER:
        return _transformed(tally, function, traced(args[0], tally), args[1:], more)
    if function in _ASKING:
        ask: Function = function
        return ask(*(_plain(each) for each in args), **more)
    raise Uncounted(f"'{_named(function)}' is no operation that is counted")


def _named(function: Function) -> str:
    name = getattr(function, "__name__", str(function))
    module = str(getattr(function, "__module__", "numpy"))
    return f"{module}.{name}" if module.startswith("numpy") else name


def _plain(value: object) -> object:
    """Return arguments with the arrays that do not count."""
    if isinstance(value, Traced):
        return value.plain
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(each) for each in value)
    return value


def _arrays(value: object) -> Iterator[Traced]:
    if isinstance(value, Traced):
        yield value
    elif isinstance(value, np.ndarray) and value.ndim:
        raise Uncounted(
            f"an array of shape {value.shape} was made by what is not counted",
            "make it before the call, as an argument, or by np.zeros, np.arange and the like",
        )
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _arrays(each)


def _moved(
    tally: Tally, function: Function, args: tuple[object, ...], more: Mapping[str, object]
) -> object:
    """Copy elements to where they are to be: nothing is computed."""
    arrays = [*_arrays(args), *_arrays(tuple(more.values()))]
    plain = [_plain(each) for each in args]
    options = {name: _plain(value) for name, value in more.items()}
    return finished(tally, _short(function), NOTHING, arrays, computed(function, *plain, **options))


def _split(function: Function) -> Callable[..., list[Traced]]:
    """Return views of the parts of an array."""

    def parts(tally: Tally, x: object, *args: object, **more: object) -> list[Traced]:
        given = traced(x, tally)
        count = len(_several(function(given.plain, *args, **more)))

        def part(of: Array, at: int) -> object:
            return _several(function(of, *args, **more))[at]

        return [given.viewed(part, at) for at in range(count)]

    return parts


def _several(value: object) -> list[object]:
    assert isinstance(value, (list, tuple))
    return [*value]


def _short(function: Function) -> str:
    return str(getattr(function, "__name__", "copy"))


def _reduced(
    tally: Tally,
    function: Function,
    x: Traced,
    args: tuple[object, ...],
    more: Mapping[str, object],
) -> Traced:
    data = computed(function, x.plain, *args, **more)
    name = _REDUCTIONS[function]
    if function in (np.cumsum, np.cumprod):
        axis = more.get("axis", args[0] if args else None)
        lanes = 1 if axis is None else x.size // max(x.shape[int(str(axis))], 1)
        work = of_elements(name, max(x.size - lanes, 0), Operands(data.dtype))
    elif function is np.trace:
        work = of_elements(name, max(min(x.shape) - 1, 0), Operands(data.dtype))
        diagonal = x.viewed(np.diagonal)
        return finished(tally, "trace", work, [diagonal], data)
    else:
        kept = data if function not in (np.argmax, np.argmin) else data.astype(x.dtype)
        begun = more.get("initial", np._NoValue) is not np._NoValue
        work = reduction(name, x, kept, begun=begun)
        if function is np.ptp:  # the largest, the least, and their difference
            twice = 2 * work.vector + data.size
            work = work._replace(vector=twice)
    return finished(tally, _short(function), work, [x], data)


def _alike(
    tally: Tally, function: Function, args: tuple[object, ...], more: Mapping[str, object]
) -> Traced:
    data = computed(function, *(_plain(each) for each in args), **more)
    result = new(data, tally, known=True)
    if _EMPTY[function]:
        tally.count(_short(function), NOTHING, (), result.region)
    return result


def _transformed(
    tally: Tally,
    function: Function,
    x: Traced,
    args: tuple[object, ...],
    more: Mapping[str, object],
) -> Traced:
    """Count Fourier transforms: 5 N log2 N along each axis, and half as much of real numbers."""
    name = _short(function)
    data = computed(function, x.plain, *args, **more)
    if args or set(more) - {"axis", "axes", "norm"}:
        raise Uncounted(f"'numpy.fft.{name}' to another length is not counted")
    full = data if name.startswith("irfft") or name == "hfft" else x
    if name[-1] == "n" or name[-1] == "2":
        usual = range(-2, 0) if name[-1] == "2" else range(x.ndim)
        chosen = more.get("axes")
        axes = [int(str(each)) for each in (usual if chosen is None else _several(chosen))]
    else:
        axes = [int(str(more.get("axis", -1)))]
    lengths = [(axis, full.shape[axis]) for axis in axes]
    real = name.startswith(("rfft", "irfft", "hfft", "ihfft"))
    if real and len(axes) > 1:
        raise Uncounted(f"'numpy.fft.{name}' is not counted", "take one axis after another")
    dtype = np.result_type(data.dtype, np.complex64)
    work = fourier(lengths, full.size, precision_of(dtype), real=real)
    return finished(tally, name, work, [x], data)


def _mean(tally: Tally, x: object, *args: object, **more: object) -> Traced:
    """Return means: a sum of n, and a quotient."""
    given = traced(x, tally)
    data = computed(np.mean, given.plain, *args, **more)
    each = Operands(data.dtype)
    sums = of_elements("add", given.size - data.size, each).vector
    work = of_elements("divide", data.size, each)
    return finished(tally, "mean", work._replace(vector=work.vector + sums), [given], data)


def _spread(name: str, function: Function) -> Callable[..., Traced]:
    def counted(tally: Tally, x: object, *args: object, **more: object) -> Traced:
        """Return variances of n elements: their mean, n differences, n squares, and their mean."""
        given = traced(x, tally)
        data = computed(function, given.plain, *args, **more)
        work = of_elements("add", 4 * given.size, Operands(data.dtype))
        if name == "std":
            work = work._replace(special=data.size)
        return finished(tally, name, work, [given], data)

    return counted


def _where(tally: Tally, *args: object) -> Traced:
    if len(args) != 3:
        raise DependsOnData("which elements 'numpy.where' finds hangs on the data")
    condition, *rest = args
    chosen = traced(condition, tally)
    others = [
        each if isinstance(each, (int, float, complex)) else traced(each, tally) for each in rest
    ]
    data = computed(np.where, chosen.plain, *(_plain(each) for each in others))
    arrays = [chosen, *(each for each in others if isinstance(each, Traced))]
    return finished(
        tally, "where", of_elements("where", data.size, Operands(data.dtype)), arrays, data
    )


def _clip(
    tally: Tally, x: object, low: object = None, high: object = None, **more: object
) -> Traced:
    """Return elements within bounds: a comparison for each bound there is."""
    given = traced(x, tally)
    low, high = more.pop("min", low), more.pop("max", high)
    bounds = [each for each in (low, high) if each is not None]
    arrays = [given, *_arrays(bounds)]
    data = computed(np.clip, given.plain, _plain(low), _plain(high), **more)
    work = of_elements("maximum", len(bounds) * data.size, Operands(data.dtype))
    return finished(tally, "clip", work, arrays, data)


def _round(tally: Tally, x: object, *args: object, **more: object) -> Traced:
    given = traced(x, tally)
    data = computed(np.round, given.plain, *args, **more)
    return finished(
        tally, "round", of_elements("round", data.size, Operands(data.dtype)), [given], data
    )


def _diff(tally: Tally, x: object, n: int = 1, axis: int = -1) -> Traced:
    given = traced(x, tally)
    if n != 1:
        raise Uncounted("'numpy.diff' of a higher order is not counted", "take it several times")
    data = computed(np.diff, given.plain, axis=axis)
    return finished(
        tally, "diff", of_elements("subtract", data.size, Operands(data.dtype)), [given], data
    )


def _norm(
    tally: Tally, x: object, ord: object = None, axis: object = None, keepdims: bool = False
) -> Traced:
    """Return Euclidean norms of n elements: n products, n − 1 sums, a root."""
    given = traced(x, tally)
    if ord not in (None, "fro", 2) or (ord == 2 and axis is None and given.ndim > 1):
        raise Uncounted("'numpy.linalg.norm' of this order is not counted")
    data = computed(np.linalg.norm, given.plain, ord, axis, keepdims)
    if given.dtype.kind != "f":
        raise Uncounted(f"'numpy.linalg.norm' of '{given.dtype}' is not counted")
    work = Work(precision_of(data.dtype), 2 * given.size - data.size, data.size)
    return finished(tally, "norm", work, [given], data)


def _convolve(tally: Tally, a: object, v: object, mode: str = "full") -> Traced:
    """Return a convolution: a product of each pair of elements that meet, and their sums."""
    left, right = traced(a, tally), traced(v, tally)
    data = computed(np.convolve, left.plain, right.plain, mode)
    meeting = left.size * right.size
    if mode == "valid":
        meeting = min(left.size, right.size) * data.size
    elif mode != "full":
        raise Uncounted(f"'numpy.convolve' of mode '{mode}' is not counted", "take 'full'")
    if data.dtype.kind == "c":
        raise Uncounted("'numpy.convolve' of complex numbers is not counted")
    work = of_elements("add", 2 * meeting - data.size, Operands(data.dtype))
    return finished(tally, "convolve", work, [left, right], data)


def _atleast(function: Function) -> Callable[..., Traced]:
    return lambda tally, x: traced(x, tally).viewed(function)


def _copyto(tally: Tally, to: object, value: object) -> None:
    traced(to, tally)[...] = value


_TABLE: Mapping[Function, Callable[..., object]] = {
    np.mean: _mean,
    np.var: _spread("var", np.var),
    np.std: _spread("std", np.std),
    np.where: _where,
    np.clip: _clip,
    np.round: _round,
    np.diff: _diff,
    np.convolve: _convolve,
    np.copyto: _copyto,
    np.dot: products.dot,
    np.vdot: products.vdot,
    np.inner: products.inner,
    np.outer: products.outer,
    np.kron: products.kron,
    np.tensordot: products.tensordot,
    np.einsum: products.einsum,
    np.cross: products.cross,
    np.split: _split(np.split),
    np.array_split: _split(np.array_split),
    np.atleast_1d: _atleast(np.atleast_1d),
    np.atleast_2d: _atleast(np.atleast_2d),
    np.atleast_3d: _atleast(np.atleast_3d),
    np.linalg.norm: _norm,
    np.linalg.solve: solvers.solve,
    np.linalg.inv: solvers.inv,
    np.linalg.det: solvers.det,
    np.linalg.cholesky: solvers.cholesky_factor,
}
