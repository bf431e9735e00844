"""What an operator of PyTorch takes, as it runs them: after composed ones were taken apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

import numpy as np
import torch

from roofdsl.tracing.costs import Operands, fourier, of_elements, of_products
from roofdsl.tracing.refusal import Uncounted
from roofdsl.tracing.tally import NOTHING, Work

_ALIKE = {
    "abs": "absolute", "bitwise_and": "logical_and", "bitwise_not": "logical_not",
    "bitwise_or": "logical_or", "clamp_min": "maximum", "clamp_max": "minimum",
    "div": "divide", "eq": "equal", "erf": "erf", "ge": "greater", "gt": "greater",
    "le": "less", "lt": "less", "mul": "multiply", "ne": "equal", "neg": "negative",
    "relu": "maximum", "sub": "subtract", "threshold": "maximum", "rsub": "subtract",
    "pow": "power", "round": "round", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
    "atan2": "arctan2", "sgn": "sign", "conj_physical": "conjugate",
}  # fmt: skip
_BY_FORMULA = {"sigmoid": (3, 1), "silu": (3, 1), "gelu": (7, 1), "square": (1, 0)}
"""Of one element, as in `stdlib/dnn/activation.roof`: without exponentials, and exponentials."""
_SAME = frozenset(
    "add exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan sinh cosh tanh maximum minimum"
    " fmax fmin reciprocal sign ceil floor trunc where logical_and logical_or logical_not".split()
)
_REDUCED = {
    "sum": "add", "amax": "maximum", "amin": "minimum", "max": "maximum", "min": "minimum",
    "prod": "multiply", "argmax": "maximum", "argmin": "minimum", "any": "logical_or",
    "all": "logical_and",
}  # fmt: skip
_MOVED = frozenset(
    "clone copy _to_copy cat stack roll flip tril triu constant_pad_nd repeat fill zero"
    " index slice_scatter select_scatter index_select lift_fresh".split()
)
CREATED = frozenset(
    "zeros ones full arange linspace eye zeros_like ones_like full_like new_zeros new_ones new_full"
    " scalar_tensor _efficientzerotensor".split()
)
UNREAD = frozenset("empty empty_like empty_strided new_empty new_empty_strided detach".split())
"""Operators that touch no memory."""
WRITTEN_ONLY = frozenset({"fill", "zero", "copy"})
"""Operators whose first tensor is written, and not read."""
HANGING: Mapping[str, str] = {
    **dict.fromkeys(("_local_scalar_dense", "is_nonzero", "equal"), "a branch, or a plain number,"),
    **dict.fromkeys(
        ("nonzero", "masked_select", "unique_dim", "_unique2", "sort", "topk", "argsort", "median",
         "kthvalue", "bincount", "histc", "_linalg_eigh", "linalg_eig", "_linalg_svd"),
        "what is computed",
    ),
}  # fmt: skip
HANGING = {name: f"{what} hangs on the data" for name, what in HANGING.items()}
_PRECISIONS = {
    torch.float64: "float64", torch.float32: "float32", torch.float16: "float16",
    torch.complex128: "complex128", torch.complex64: "complex64", torch.int64: "int64",
    torch.int32: "int32", torch.int16: "int16", torch.int8: "int8", torch.uint8: "uint8",
    torch.bool: "bool",
}  # fmt: skip


def _dtype(of: torch.dtype) -> np.dtype[np.generic]:
    """Return the same numbers of NumPy's; bfloat16, which it lacks, is told apart by `work_of`."""
    if of == torch.bfloat16:
        return np.dtype("float16")
    if of not in _PRECISIONS:
        raise Uncounted(f"tensors of '{of}' are not counted")
    return np.dtype(_PRECISIONS[of])


def work_of(
    name: str,
    args: Sequence[object],
    more: Mapping[str, object],
    given: Sequence[torch.Tensor],
    made: Sequence[torch.Tensor],
) -> Work:
    """Return what an operator takes; raise Uncounted for one without a count."""
    if name in _MOVED or name in CREATED or not made:
        return NOTHING
    result = made[0]
    computed = result.dtype
    for each in sorted(given, key=lambda each: -each.ndim):  # plain numbers are of any precision
        if not computed.is_floating_point and not computed.is_complex:
            computed = each.dtype
    work = _work(name, args, more, given, result, _dtype(computed))
    bf16 = computed == torch.bfloat16 and work.precision == "fp16"
    return work._replace(precision="bf16") if bf16 else work


def _work(
    name: str,
    args: Sequence[object],
    more: Mapping[str, object],
    given: Sequence[torch.Tensor],
    result: torch.Tensor,
    dtype: np.dtype[np.generic],
) -> Work:
    n, size = result.numel(), given[0].numel() if given else 0
    of = Operands(dtype)
    if name in _PRODUCTS:
        scaled = any(more.get(option, 1) != 1 for option in ("alpha", "beta"))
        if scaled or (name == "convolution" and args[6]):
            raise Uncounted(f"'torch.{name}' with these options is not counted")
        return _PRODUCTS[name](given, result, dtype)
    if name == "clamp":
        bounds = [*args[1:3], more.get("min"), more.get("max")]
        return of_elements("maximum", (len(bounds) - bounds.count(None)) * n, of)
    if name in _REDUCED:
        return of_elements(_REDUCED[name], max(size - n, 0), of)
    if name == "pow" and isinstance(args[1], (int, float)):
        simpler = {2: "square", 0.5: "sqrt", -1: "reciprocal", 1: "positive", 0: "positive"}
        if args[1] == 3:
            return of_elements("multiply", 2 * n, of)
        return of_elements(simpler.get(args[1], "power"), n, of)
    if name in ("add", "sub") and more.get("alpha", 1) != 1:
        return of_elements("multiply", 2 * n, of)
    if name in _SAME or name in _ALIKE:
        return of_elements(_ALIKE.get(name, name), n, of)
    if dtype.kind != "f" and not name.startswith("_fft"):
        raise Uncounted(f"'{name}' of these numbers is not counted")
    one = of_elements("add", 1, of)
    if name in _BY_FORMULA:
        vector, special = _BY_FORMULA[name]
        return one._replace(vector=vector * n, special=special * n)
    return _of_rows(name, args, given, result, one)


def _of_rows(
    name: str,
    args: Sequence[object],
    given: Sequence[torch.Tensor],
    result: torch.Tensor,
    one: Work,
) -> Work:
    """Return what an operator takes whose rows, or axes, are no matter of one element."""
    n, size = result.numel(), given[0].numel() if given else 0
    match name:
        case "mean":
            return one._replace(vector=size)
        case "var" | "std":
            return one._replace(vector=4 * size, special=n if name == "std" else 0)
        case "cumsum":
            axis = int(str(args[1]))
            return one._replace(vector=size - size // max(result.shape[axis], 1))
        case "_softmax":
            rows = size // max(result.shape[int(str(args[1]))], 1)
            return one._replace(vector=4 * size - 2 * rows, special=size)
        case "_log_softmax":
            rows = size // max(result.shape[int(str(args[1]))], 1)
            return one._replace(vector=4 * size - 2 * rows, special=size + rows)
        case "native_layer_norm":
            rows = size // prod(_whole_numbers(args[1]))
            scaled = sum(each is not None for each in args[2:4])
            return one._replace(vector=(5 + scaled) * size + rows, special=rows)
        case "_scaled_dot_product_flash_attention_for_cpu":
            return _attention(given, one)
        case "_fft_c2c" | "_fft_r2c" | "_fft_c2r":
            return _transformed(name, args, given[0], result)
    raise Uncounted(f"'torch.{name}' is no operation that is counted")


def _attention(given: Sequence[torch.Tensor], one: Work) -> Work:
    """Return two products of all pairs, their scores scaled, and a softmax of each row."""
    query, key, value = given[:3]
    pairs = query.numel() // query.shape[-1] * key.shape[-2]
    rows = query.numel() // query.shape[-1]
    matrix = 2 * pairs * (query.shape[-1] + value.shape[-1])
    return one._replace(matrix=matrix, vector=5 * pairs - 2 * rows, special=pairs)


def _whole_numbers(value: object) -> list[int]:
    assert isinstance(value, (list, tuple))
    return [int(each) for each in value]


def _transformed(
    name: str, args: Sequence[object], given: torch.Tensor, result: torch.Tensor
) -> Work:
    full = given if name != "_fft_c2r" else result
    axes = [(axis, full.shape[axis]) for axis in _whole_numbers(args[1])]
    if name != "_fft_c2c" and len(axes) > 1:
        raise Uncounted(f"'torch.{name}' along several axes is not counted")
    double = result.dtype in (torch.complex128, torch.float64)
    return fourier(axes, full.numel(), "fp64" if double else "fp32", real=name != "_fft_c2c")


def _mm(given: Sequence[torch.Tensor], result: torch.Tensor, dtype: np.dtype[np.generic]) -> Work:
    return of_products(given[0].shape[-1] * result.numel(), dtype, matrices=True)


def _mv(given: Sequence[torch.Tensor], result: torch.Tensor, dtype: np.dtype[np.generic]) -> Work:
    return of_products(given[0].shape[-1] * result.numel(), dtype, matrices=False)


def _addmm(
    given: Sequence[torch.Tensor], result: torch.Tensor, dtype: np.dtype[np.generic]
) -> Work:
    """Return what a product takes, with the sum with a third tensor."""
    work = of_products(given[1].shape[-1] * result.numel(), dtype, matrices=given[2].ndim > 1)
    return work._replace(vector=work.vector + result.numel())


def _convolution(
    given: Sequence[torch.Tensor], result: torch.Tensor, dtype: np.dtype[np.generic]
) -> Work:
    products = prod(given[1].shape[1:]) * result.numel()
    work = of_products(products, dtype, matrices=True)
    return work._replace(vector=result.numel() if len(given) > 2 else 0)


_PRODUCTS: Mapping[
    str, Callable[[Sequence[torch.Tensor], torch.Tensor, np.dtype[np.generic]], Work]
] = {
    "mm": _mm, "bmm": _mm, "mv": _mv, "dot": _mv, "vdot": _mv, "addmm": _addmm, "addmv": _addmm,
    "baddbmm": _addmm, "convolution": _convolution,
}  # fmt: skip
