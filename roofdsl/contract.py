"""The contract of everything that is called from Python: what each argument takes.

A number is an int, a float, a Fraction, a Decimal, a NumPy scalar or an array without dimensions,
in SI base units; or a text with its unit, `"16 KiB"`. Several are a list, an array, or what NumPy
makes an array of. A path is a text or a `Path`. True and False are no numbers, and numbers are not
true or false. An argument of another sort raises TypeError, a value that cannot be RoofError; both
name the argument. Parameters of models are of the language: what is wrong with their values is
always a RoofError.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import ParamSpec, TypeVar

from roofdsl import allowance
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.model.given import (
    Reader,
    as_part,
    as_path,
    as_text,
    as_truth,
    by_name,
    each,
)

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)


def as_given(_name: str, value: object) -> object:
    """Leave a value to what knows its unit, or the parameter that it is for."""
    return value


READERS: Mapping[str, Reader[object]] = {
    **dict.fromkeys(("reference", "path", "profile"), as_path),
    **dict.fromkeys(("unknown", "condition", "processes", "size", "resource", "level"), as_text),
    **dict.fromkeys(
        ("convention", "name", "doc", "source", "title", "of", "by", "growing", "kind", "unit"),
        as_text,
    ),
    **dict.fromkeys(("strong", "partial", "skip_invalid"), as_truth),
    **dict.fromkeys(("between", "require"), each(as_text)),
    **dict.fromkeys(("rates", "efficiency"), as_part),
    **dict.fromkeys(("values", "low", "high"), as_given),
}
"""What reads an argument of a name, which means the same in every function."""


def public(**readers: Reader[object]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function read its arguments: by `readers`, else by those of all functions.

    An argument that is given its default is not read. All that a call computes is one count. Of
    `**values` the one that is called `values` has more of them by name, `values={"size": 8}`.
    """

    def contracted(function: Callable[P, R]) -> Callable[P, R]:
        called = signature(function)
        known = {**READERS, **readers}
        own = {name: known[name] for name in called.parameters if name != "self"}

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                bound = called.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{function.__name__}(): {error}; {_takes(called)}") from None
            for name, value in bound.arguments.items():
                if name != "self" and value is not called.parameters[name].default:
                    bound.arguments[name] = own[name](name, value)
            if "values" in own:
                _check_values(bound.arguments, kwargs.keys() & own.keys())
            with allowance.counting():
                return function(*bound.args, **bound.kwargs)

        return checked

    return contracted


budget = public(factor=as_part)(allowance.budget)


def constructed(**readers: Reader[object]) -> Callable[[C], C]:
    """Make a class read what it is made from, as `public` does for a function."""

    def contracted(made: C) -> C:
        setattr(made, "__init__", public(**readers)(vars(made)["__init__"]))  # noqa: B010 - a method
        return made

    return contracted


def _check_values(arguments: Mapping[str, object], keywords: Collection[str]) -> None:
    """Raise RoofError (R0202) for a value that may be two things.

    It is a keyword that is an argument and a parameter of the model, unless the values by name have
    that. Of one given by name and by a keyword, `all_of` says so.
    """
    values = by_name(as_given)("values", arguments.get("values", {}))
    by_names = by_name(as_given)("values", values.get("values", {}))
    asked = getattr(arguments.get("self"), "asked", None)
    for name in sorted(keywords):
        if asked is not None and name in asked.parameters and name not in by_names:
            message = f"{name} is an argument here, and '{asked.model.name}' has such a parameter"
            hint = f'give the parameter as values={{"{name}": …}}; the argument may stand beside it'
            raise RoofError([Diagnostic("R0202", message, hint=hint)])


def _takes(called: Signature) -> str:
    stars: dict[object, str] = {Parameter.VAR_KEYWORD: "**", Parameter.VAR_POSITIONAL: "*"}
    given = [item for item in called.parameters.values() if item.name != "self"]
    names = [stars.get(item.kind, "") + item.name for item in given]
    return f"it takes {', '.join(names) or 'no arguments'}"
