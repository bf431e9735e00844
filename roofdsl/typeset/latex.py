r"""Expressions in LaTeX's mathematics; amsmath and amssymb are all they need."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from roofdsl.expression.tree import Expression
from roofdsl.typeset.breaking import measured_lines
from roofdsl.typeset.characters import GREEK
from roofdsl.typeset.escape import escape_latex
from roofdsl.typeset.mathematics import Fence, Mathematics
from roofdsl.typeset.notation import Notated, Precedence, written

_COMMAND_AT_END = re.compile(r"\\[A-Za-z]+$")
_FENCES: dict[Fence, tuple[str, str]] = {
    "parentheses": ("(", ")"),
    "ceil": (r"\lceil", r"\rceil"),
    "floor": (r"\lfloor", r"\rfloor"),
    "abs": (r"\lvert", r"\rvert"),
    "braces": (r"\{", r"\}"),
}
_OPERATORS = ("log", "ln", "exp", "min", "max")
_SIGNS = {
    "==": "=", "!=": r"\neq", "<": "<", "<=": r"\leq", ">": ">", ">=": r"\geq",
    "and": r"\land", "or": r"\lor", "not": r"\lnot", "in": r"\in", "not in": r"\notin",
}  # fmt: skip


def latex(tree: Expression, *, width: float | None = None, room: float = math.inf) -> str:
    r"""Return `tree` for LaTeX's mathematics, in the shape it has.

    A formula of more than `width` digits, if given, becomes an `aligned` of several lines; one with
    a line that is wider than `room`, as it cannot be broken, is left out.

    >>> from roofdsl.expression.construct import add, divide, number, power, square_root
    >>> from roofdsl.expression.tree import Symbol
    >>> n, p = Symbol("N"), Symbol("P")
    >>> print(latex(divide(add(power(n, number(2)), n), square_root(p))))
    \dfrac{N^2 + N}{\sqrt{P}}
    """
    if width is None:
        return LATEX.signed(written(tree, LATEX))
    measured = measured_lines(tree, LATEX, width)
    if max(used for _, used in measured) > room:
        return LATEX.ellipsis.text
    return in_lines([line for line, _ in measured])


def in_lines(lines: Sequence[str]) -> str:
    """Return the lines of a formula one below the other."""
    if len(lines) == 1:
        return lines[0]
    inside = " \\\\\n".join(f"& {line}" for line in lines)
    return f"\\begin{{aligned}}[t]\n{inside}\n\\end{{aligned}}"


class LatexMathematics(Mathematics):
    minus = "-"
    minus_between = " - "
    plus_between = " + "
    dot = r" \cdot "
    thin_space = r"\,"
    space = r"\ "
    space_before_operator = " "
    comma = ", "
    slash = "/"
    integers = r"\mathbb{Z}"
    longest = 100_000
    ellipsis = Notated(r"\ldots", Precedence.ATOM)

    def digits(self, digits: str) -> str:
        return digits

    def identifier(self, name: str) -> str:
        if name == "∞":
            return r"\infty"
        if len(name) == 1 and name in GREEK:
            return GREEK[name]
        if len(name) == 1 and name.isascii() and name.isalpha():
            return name
        if name.isascii() and name.isdigit():
            return name
        if not name.isascii():
            return self.literal(name)
        return rf"\mathrm{{{escape_latex(name)}}}"

    def literal(self, text: str) -> str:
        return rf"\text{{{escape_latex(text)}}}"

    def subscripted(self, base: str, subscript: str) -> str:
        return f"{base}_{self.raised(subscript)}"

    def superscripted(self, base: str, exponent: str) -> str:
        return f"{base}^{self.raised(exponent)}"

    def raised(self, text: str) -> str:
        """Return an index; that of an exponent is no smaller than the exponent."""
        return rf"{{\scriptstyle {text}}}" if self.style == "script" else _argument(text)

    def fraction(self, above: str, below: str) -> str:
        return rf"\dfrac{{{above}}}{{{below}}}"

    def radical(self, inside: str) -> str:
        return rf"\sqrt{{{inside}}}"

    def fenced(self, fence: Fence, inside: str, *, tall: bool) -> str:
        left, right = _FENCES[fence]
        if tall:
            return rf"\left{left} {inside} \right{right}"
        return f"({inside})" if fence == "parentheses" else f"{left} {inside} {right}"

    def operator_name(self, name: str) -> str:
        return rf"\{name}" if name in _OPERATORS else rf"\operatorname{{{escape_latex(name)}}}"

    def applied(self, function: str, argument: str) -> str:
        return f"{function} {argument}"

    def beside(self, left: str, right: str) -> str:
        # `\alpha N`, not the command `\alphaN`.
        return " " if _COMMAND_AT_END.search(left) and right[0].isalpha() else ""

    def sign(self, operator: str) -> str:
        return f"{_SIGNS[operator]} " if operator == "not" else f" {_SIGNS[operator]} "

    def summation(self, index: str, low: str, high: str, body: str) -> str:
        return rf"\sum_{{{index}={low}}}^{_argument(high)} {body}"

    def table_of_cases(self, rows: Sequence[tuple[str, str]], otherwise: str) -> str:
        lines = [rf"{value} & \text{{if }} {condition}" for value, condition in rows]
        lines.append(rf"{otherwise} & \text{{otherwise}}")
        return r"\begin{cases} " + r" \\ ".join(lines) + r" \end{cases}"

    def open_fence(self, fence: Fence, *, tall: bool) -> tuple[str, str]:
        left, right = _FENCES[fence]
        size = r"\Big" if tall else r"\big"
        return f"{size}l{left}", f"{size}r{right}"

    def at_line_start(self, sign: str) -> str:
        return f"{{}} {sign.strip()} "  # behind something, a sign has its usual spaces


def _argument(text: str) -> str:
    return text if len(text) == 1 else f"{{{text}}}"


LATEX = LatexMathematics()
