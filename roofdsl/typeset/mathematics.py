"""What the two-dimensional notations share: fractions, roots, subscripts, functions, cases."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from roofdsl.expression.tree import INFINITY, Conditional
from roofdsl.typeset.name import parts_of
from roofdsl.typeset.notation import Edge, Notated, Notation, Precedence, Reading
from roofdsl.typeset.numeral import ELLIPSIS, numeral

Style: TypeAlias = Literal["stacked", "slashed", "script"]
Fence: TypeAlias = Literal["parentheses", "ceil", "floor", "abs", "braces"]

# Exponents such as 3/2 are read more easily than 1.5.
_LARGEST_DENOMINATOR = 12


class Mathematics(Notation):
    """Formulas as they are printed.

    Quotients are `stacked`, one storey high: inside of them and of arguments they are `slashed`, as
    in exponents and the like, which are a `script`.
    """

    deepest = 60
    negated_bind = Precedence.ATOM
    dot: str
    """A sign of multiplication."""
    thin_space: str
    space: str
    space_before_operator: str
    comma: str
    application_sign = ""
    """What stands between a function and its parentheses, if it is to be said."""
    slash: str
    integers: str

    def __init__(self, style: Style = "stacked") -> None:
        self.style = style
        self._small = self._inner = self
        if style != "script":
            self._small = type(self)("script")
        if style == "stacked":
            self._inner = type(self)("slashed")
            self._inner._small = self._small
        self.factors_bind = Precedence.PRODUCT

    @property
    def small(self) -> Notation:
        return self._small

    @property
    def inner(self) -> Notation:
        return self._inner

    @abstractmethod
    def digits(self, digits: str) -> str: ...

    @abstractmethod
    def identifier(self, name: str) -> str:
        """Write a part of a name: a letter in italics, a word upright, digits."""

    @abstractmethod
    def literal(self, text: str) -> str:
        """Write any text."""

    @abstractmethod
    def subscripted(self, base: str, subscript: str) -> str: ...

    @abstractmethod
    def superscripted(self, base: str, exponent: str) -> str: ...

    @abstractmethod
    def fraction(self, above: str, below: str) -> str: ...

    @abstractmethod
    def radical(self, inside: str) -> str: ...

    @abstractmethod
    def fenced(self, fence: Fence, inside: str, *, tall: bool) -> str: ...

    @abstractmethod
    def operator_name(self, name: str) -> str:
        """Write the name of a function."""

    @abstractmethod
    def applied(self, function: str, argument: str) -> str:
        """Write a function before an argument that has no parentheses."""

    @abstractmethod
    def summation(self, index: str, low: str, high: str, body: str) -> str: ...

    @abstractmethod
    def table_of_cases(self, rows: Sequence[tuple[str, str]], otherwise: str) -> str: ...

    @abstractmethod
    def open_fence(self, fence: Fence, *, tall: bool) -> tuple[str, str]:
        """Return parentheses, or the like, that may stand on different lines."""

    @abstractmethod
    def at_line_start(self, sign: str) -> str:
        """Write a sign between two operands that are on different lines."""

    def bracketed(self, inside: Notated) -> Notated:
        return self._fence("parentheses", inside)

    def _fence(self, fence: Fence, inside: Notated) -> Notated:
        text = self.fenced(fence, self.signed(inside), tall=inside.tall)
        return Notated(
            text,
            Precedence.ATOM,
            False,
            "bracket",
            "bracket",
            inside.tall,
            bare=self.signed(inside) if fence == "parentheses" else "",
        )

    def number(self, value: Fraction) -> Notated:
        small = self.style == "script" and 1 < value.denominator <= _LARGEST_DENOMINATOR
        negative, digits, exponent, denominator = numeral(value)
        if small and value.numerator.bit_length() < 30:
            digits, exponent = str(abs(value.numerator)), 0
            denominator = str(value.denominator)
        if digits == ELLIPSIS:
            return self.ellipsis
        if denominator:
            above = Notated(self.digits(digits), Precedence.ATOM, negative, "digit", "digit")
            return self.quotient(
                above, above._replace(text=self.digits(denominator), negative=False)
            )
        if exponent:
            sign = self.minus if exponent < 0 else ""
            raised = sign + self.digits(str(abs(exponent)))
            tens = self.superscripted(self.digits("10"), raised)
            if digits == "1":
                precedence = Precedence.PRODUCT if negative else Precedence.POWER
                return Notated(tens, precedence, negative, "digit")
            scientific = self.digits(digits) + self.dot + tens
            return Notated(scientific, Precedence.PRODUCT, negative, "digit")
        precedence = Precedence.PRODUCT if negative else Precedence.ATOM
        return Notated(self.digits(digits), precedence, negative, "digit", "digit")

    def name(self, name: str) -> Notated:
        if name == INFINITY.name:
            return Notated(self.identifier(name), Precedence.ATOM, False, "letter", "letter")
        base, subscripts, known = parts_of(name)
        if not known:
            return Notated(self.literal(name), Precedence.ATOM, False, "word", "word")
        kind: Edge = "letter" if len(base) == 1 else "word"
        text = self.identifier(base)
        if not subscripts:
            return Notated(text, Precedence.ATOM, False, kind, kind)
        below = self.comma.join(self.identifier(part) for part in subscripts)
        return Notated(self.subscripted(text, below), Precedence.ATOM, False, kind, "other")

    def times(self, left: Notated, right: Notated) -> str:
        if right.starts == "digit" or (left.ends == "word" and right.starts == "bracket"):
            return self.dot  # `2·8`, and what would look like a function of the bracket
        if right.starts == "operator":
            return self.space_before_operator
        match left.ends, right.starts:
            case ("digit" | "letter", "letter" | "other") | ("digit" | "bracket", "bracket"):
                return self.beside(left.text, right.text)
        return self.thin_space

    def beside(self, left: str, right: str) -> str:  # noqa: ARG002 (for notations that need it)
        """Return what keeps two factors apart that stand side by side without a sign."""
        return ""

    def quotient(self, above: Notated, below: Notated) -> Notated:
        starts: Edge = "digit" if above.starts == "digit" else "other"
        if self.style != "stacked":
            over = self.fitted(above, Precedence.PRODUCT)
            alone = below.precedence == Precedence.APPLICATION
            under = below if alone else self.unsigned(below, Precedence.POWER)
            text = f"{over.closed or over.text}{self.slash}{under.closed or under.text}"
            tall = over.tall or under.tall
            return Notated(text, Precedence.QUOTIENT, over.negative, over.starts, tall=tall)
        text = self.fraction(above.bare or above.text, self.signed(below))
        precedence = Precedence.PRODUCT if above.negative else Precedence.POWER
        return Notated(text, precedence, above.negative, starts, tall=True)

    def root(self, inside: Notated) -> Notated:
        text = self.radical(self.signed(inside))
        return Notated(text, Precedence.ATOM, tall=inside.tall)

    def power(self, base: Notated, exponent: Notated) -> Notated:
        foot = self.unsigned(base, Precedence.ATOM)
        text = self.superscripted(foot.text, self.signed(exponent))
        ends: Edge = "letter" if foot.ends == "letter" else "other"
        return Notated(text, Precedence.POWER, False, foot.starts, ends, foot.tall)

    def function(self, name: str, arguments: Sequence[Notated]) -> Notated:
        first = arguments[0]
        match name:
            case "ceil" | "floor" | "abs":
                return self._fence(name, first)
            case "log2" | "log10" | "ln":
                return self._application(self.function_name(name), first)
            case "log":
                return self._application(self.function_name(name, arguments[1]), first)
            case "lambertw":
                return self._call(self.function_name(name, arguments[1]), [first], "letter")
        return self._call(self.function_name(name), arguments, "operator")

    def function_name(self, name: str, base: Notated | None = None) -> str:
        """Write what stands before a function's parentheses, with its base or branch."""
        if name == "lambertw" and base is not None:
            return self.subscripted(self.identifier("W"), self.signed(base))
        if name == "log" and base is not None:
            return self.subscripted(self.operator_name("log"), self.signed(base))
        if name in ("log2", "log10"):
            base_digits = self.digits(name.removeprefix("log"))
            return self.subscripted(self.operator_name("log"), base_digits)
        return self.operator_name(name)

    def _application(self, function: str, argument: Notated) -> Notated:
        inside = self.bracketed(argument)
        closed = function + self.application_sign + inside.text
        if argument.precedence == Precedence.ATOM:
            text = self.applied(function, argument.text)
            tall = argument.tall
            return Notated(text, Precedence.APPLICATION, False, "operator", "other", tall, closed)
        return Notated(closed, Precedence.APPLICATION, False, "operator", "bracket", inside.tall)

    def _call(self, function: str, arguments: Sequence[Notated], starts: Edge) -> Notated:
        inside = self.comma.join(self.signed(argument) for argument in arguments)
        tall = any(argument.tall for argument in arguments)
        text = function + self.application_sign + self.fenced("parentheses", inside, tall=tall)
        return Notated(text, Precedence.ATOM, False, starts, "bracket", tall)

    def membership(self, operand: Notated, *, negated: bool) -> Notated:
        inside = self.fitted(operand, Precedence.SUM)
        text = self.signed(inside) + self.sign("not in" if negated else "in") + self.integers
        return Notated(text, Precedence.COMPARISON, tall=inside.tall)

    def truth(self, value: bool) -> Notated:
        text = self.identifier("true" if value else "false")
        return Notated(text, Precedence.ATOM, False, "word", "word")

    def conditional(self, node: Conditional, of: Reading) -> Notated:
        rows = []
        rest = node
        while True:
            rows.append((self.signed(of(rest.consequence)), self.signed(of(rest.condition))))
            alternative = rest.alternative
            if not isinstance(alternative, Conditional) or of(alternative) == self.ellipsis:
                break
            rest = alternative
        text = self.table_of_cases(rows, self.signed(of(alternative)))
        return Notated(text, Precedence.CONDITIONAL, tall=True)

    def sum_over(self, body: Notated, index: Notated, low: Notated, high: Notated) -> Notated:
        inside = self.unsigned(body, Precedence.PRODUCT)
        text = self.summation(index.text, self.signed(low), self.signed(high), inside.text)
        whole = Notated(text, Precedence.PRODUCT, starts="operator", tall=True)
        return whole._replace(closed=self.bracketed(whole).text)
