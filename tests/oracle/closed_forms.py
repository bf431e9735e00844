"""The value of a formula that was printed, of a machine's rates and a model's parameters."""

from __future__ import annotations

import re
from typing import Any

import mpmath

from tests.oracle.model import Case
from tests.oracle.sentences import UnreadError

_FUNCTIONS: dict[str, Any] = {
    "log2": lambda x: mpmath.log(x, 2),
    "log10": mpmath.log10,
    "lambertw": lambda x, branch: mpmath.re(mpmath.lambertw(x, int(branch))),
    **{name: getattr(mpmath, name) for name in ("sqrt", "ln", "exp", "ceil", "floor")},
    **{function.__name__: function for function in (abs, max, min)},
}


class _UpTo:
    """`1..N`: written `up_to | N`, as that takes all of what follows."""

    def __or__(self, last: Any) -> range:
        return range(1, int(last) + 1)


_FUNCTIONS |= {"number": mpmath.mpf, "up_to": _UpTo()}
_WORDS = {
    r"\bif\b": "",
    r"\bthen\b": "and",
    r"\belse\b": "or",
    r"\b1\.\.": "up_to | ",
    r"(?<![\w.])(\d+(?:\.\d+)?(?:e-?\d+)?)": r"number('\1')",
    r"([A-Za-z_]\w*)\.": r"\1_",
}
"""The language in Python: `c and a or b` is of the least precedence, as `if c then a else b`."""


def closed_value(form: str, case: Case) -> Any:
    """Return what a formula is, in as many digits as are set."""
    known = {
        f"{machine.name}.{key}": rate
        for machine in (case.machine, case.rival)
        if machine is not None
        for key, (_, rate) in machine.every_rate().items()
    }
    values = {name: 1 * each for name, each in {**known, **case.given}.items()}
    names = {
        name.replace(".", "_"): mpmath.mpf(each.numerator) / each.denominator
        for name, each in values.items()
    }
    text = form.replace("^", "**")
    for ours, python in _WORDS.items():
        text = re.sub(ours, python, text)
    try:
        # What is evaluated is what the command printed of a model that the oracle wrote.
        return eval(text, {**_FUNCTIONS, **names})  # noqa: S307
    except (NameError, SyntaxError) as error:
        raise UnreadError(form) from error
