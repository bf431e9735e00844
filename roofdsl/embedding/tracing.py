"""Functions of NumPy and PyTorch as models: run, and counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from roofdsl.contract import public
from roofdsl.diagnostic import Diagnostic, RoofError, listing, raise_if_any
from roofdsl.embedding.formulas import a_name
from roofdsl.embedding.module import Module, loads
from roofdsl.model.given import as_text, by_name, number_in, one_or_more, said
from roofdsl.source import Source
from roofdsl.tracing.reader import BY, MOST_SECONDS, SECONDS, Asked, traced_function, traced_script
from roofdsl.units.dimension import DIMENSIONLESS, SECOND

_NOTHING: Mapping[str, str] = MappingProxyType({})
_NO_SIZES: Mapping[str, Sequence[int]] = MappingProxyType({})
_LARGEST = 100_000


def _function(name: str, value: object) -> object:
    if isinstance(value, str) or callable(value):
        return value
    raise TypeError(f'{name} is a function, or "script.py:function", not {said(value)}')


def _size(name: str, value: object) -> int:
    number = number_in(DIMENSIONLESS)(name, value)
    if number.denominator != 1 or not 0 < number <= _LARGEST:
        message = f"{name} has {said(value)}: a size is a whole number from 1 to {_LARGEST:,}"
        raise RoofError([Diagnostic("R1541", message)])
    return int(number)


@public(
    function=_function,
    arguments=by_name(as_text),
    sizes=by_name(one_or_more(_size)),
    seconds=number_in(SECOND),
)
def trace(
    function: Callable[..., object] | str,
    arguments: Mapping[str, str] = _NOTHING,
    *,
    sizes: Mapping[str, int | Sequence[int]] = _NO_SIZES,
    by: str = BY[0],
    seconds: float | str | Fraction = SECONDS,
    name: str | None = None,
) -> Module:
    """Run a function of NumPy or PyTorch, count what it does, and return that as models.

    It answers as `roofdsl trace` does: `function` is one of Python, or "script.py:function", which
    loads the script. `arguments` say what it is called with: `{"x": "f64[M,N]", "steps": "T"}`;
    those that annotations say, or that have a default, may be left out. `sizes` are the values of
    sizes in the runs where they are not the usual ones: `{"N": [8, 16, 24]}`, or one, which then
    is no parameter. `by` is "operation" or "line": what is a step of its own. The runs may take
    `seconds` together.

    The module has a model of the whole with its compulsory bytes, called like the function or
    `name`, one of its steps, and a test. Raises RoofError for arguments that are none (R1541), a
    function that is not there (R1542), fails (R1543), hangs on its data (R1544), does what is not
    counted (R1545), has no formula (R1546) or takes too long (R1547), and where there is no PyTorch
    for tensors (R1548).

    >>> def double(x):
    ...     return x + x
    >>> found = trace(double, {"x": "f64[N]"})
    >>> found.models["double"].flops, found.models["double"].memory
    (N, 16*N)
    """
    limit = number_in(SECOND)("seconds", seconds)
    if not 0 < limit <= MOST_SECONDS:
        message = f"seconds = {float(limit):g} is no time above 0 and up to {MOST_SECONDS:g} s"
        raise RoofError([Diagnostic("R1541", message)])
    if by not in BY:
        raise RoofError([Diagnostic("R1541", f"by = {said(by)} is none of {listing(BY)}")])
    texts = {
        a_name("arguments", each, "an argument"): Source(
            "arguments", f"{each} = {text}", begin=len(each) + 3
        )
        for each, text in arguments.items()
    }
    chosen = {each: one_or_more(_size)(f"sizes[{said(each)}]", of) for each, of in sizes.items()}
    called = a_name("name", name, "a model") if name else None
    asked = Asked(texts, chosen, by, float(limit), called)
    if isinstance(function, str):
        found, problems = traced_script(function, asked)
    else:
        found, problems = traced_function(function, asked)
    raise_if_any(problems)
    assert found is not None  # else there are problems
    return loads(found.text, f"{found.name}.roof")
