r"""Formulas for labels of figures: what matplotlib's mathtext and TeX itself both read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roofdsl.expression.tree import Expression
from roofdsl.typeset.latex import LatexMathematics
from roofdsl.typeset.mathematics import Fence
from roofdsl.typeset.notation import written

LONGEST = 400
"""More characters than that are no label."""
_FENCES: dict[Fence, tuple[str, str]] = {
    "parentheses": ("(", ")"),
    "ceil": (r"\lceil", r"\rceil"),
    "floor": (r"\lfloor", r"\rfloor"),
    "abs": ("|", "|"),
    "braces": (r"\{", r"\}"),
}
_SIGNS = {r"\land": r"\wedge", r"\lor": r"\vee", r"\lnot": r"\neg"}
_SAFE = re.compile(r"[A-Za-z0-9 .,:;=+*/<>()\[\]'!?@-]")
_ESCAPED = "_%${}"


def mathtext(tree: Expression) -> str:
    r"""Return `tree` in TeX's mathematics without a package, "" where it is no label.

    It is none where it is very long, or has a letter that is not in ASCII.

    >>> from roofdsl.expression.construct import divide
    >>> from roofdsl.expression.tree import Symbol
    >>> print(mathtext(divide(Symbol("karst.flops"), Symbol("karst.memory"))))
    \dfrac{\mathrm{flops}_{\mathrm{karst}}}{\mathrm{memory}_{\mathrm{karst}}}
    """
    text = MATHTEXT.signed(written(tree, MATHTEXT))
    shown = text.isascii() and len(text) <= LONGEST and MATHTEXT.ellipsis.text not in text
    return text if shown else ""


def upright(text: str) -> str:
    r"""Return a text as an upright part of a formula, "" where it has letters that are not simple.

    >>> print(upright("N = 4 [flop/B], 5 %"))
    \mathrm{N\ =\ 4\ [flop/B],\ 5\ \%}
    """
    if not all(_SAFE.match(char) or char in _ESCAPED for char in text):
        return ""
    escaped = "".join(f"\\{char}" if char in _ESCAPED else char for char in text)
    return rf"\mathrm{{{escaped.replace(' ', chr(92) + ' ')}}}"


class MathtextMathematics(LatexMathematics):
    """LaTeX's notation in the commands that TeX and mathtext share; cases stand in one line."""

    integers = r"\mathbf{Z}"
    space_before_operator = r"\,"  # mathtext has none of its own
    longest = LONGEST

    def identifier(self, name: str) -> str:
        if name.isascii() and len(name) > 1 and not name.isdigit():
            return self.literal(name)
        return super().identifier(name)

    def literal(self, text: str) -> str:
        return upright(text) or text

    def raised(self, text: str) -> str:
        return f"{{{text}}}"

    def fenced(self, fence: Fence, inside: str, *, tall: bool) -> str:
        left, right = _FENCES[fence]
        return rf"\left{left} {inside} \right{right}" if tall else f"{left} {inside} {right}"

    def operator_name(self, name: str) -> str:
        found = super().operator_name(name)
        return upright(name) if found.startswith(r"\operatorname") else found

    def sign(self, operator: str) -> str:
        found = super().sign(operator)
        return found.replace(found.strip(), _SIGNS.get(found.strip(), found.strip()))

    def table_of_cases(self, rows: Sequence[tuple[str, str]], otherwise: str) -> str:
        cases = [rf"{value}\ \mathrm{{if}}\ {condition}" for value, condition in rows]
        return r",\ ".join([*cases, rf"{otherwise}\ \mathrm{{otherwise}}"])


MATHTEXT = MathtextMathematics()
