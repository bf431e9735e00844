"""What the two-dimensional notations share: fractions, roots, subscripts, functions, cases."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from roofdsl.expression.tree import INFINITY, Conditional
from roofdsl.typeset.name import parts_of
from roofdsl.typeset.notation import Binding, Edge, Notation, Reading, Written
from roofdsl.typeset.numeral import ELLIPSIS, numeral

Fence: TypeAlias = Literal["parentheses", "ceil", "floor", "abs"]

# Exponents such as 3/2 are read more easily than 1.5.
_LARGEST_DENOMINATOR = 12


class Mathematics(Notation):
    """Formulas as they are printed.

    `inline` is the notation of exponents and the like: quotients are written with a slash.
    """

    deepest = 60
    negated_bind = Binding.ATOM
    dot: str
    """A sign of multiplication."""
    thin_space: str
    space_before_operator: str
    comma: str
    slash: str

    def __init__(self, *, inline: bool = False) -> None:
        self.inline = inline
        self._small = self if inline else type(self)(inline=True)
        self.factors_bind = Binding.APPLICATION if inline else Binding.PRODUCT

    @property
    def small(self) -> Notation:
        return self._small

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
    def member(self, operand: str, *, negated: bool) -> str:
        """Write that an operand is a whole number."""

    @abstractmethod
    def summation(self, index: str, low: str, high: str, body: str) -> str: ...

    @abstractmethod
    def table_of_cases(self, rows: Sequence[tuple[str, str]], otherwise: str) -> str: ...

    def bracketed(self, inside: Written) -> Written:
        return self._fence("parentheses", inside)

    def _fence(self, fence: Fence, inside: Written) -> Written:
        text = self.fenced(fence, self.signed(inside), tall=inside.tall)
        return Written(
            text, Binding.ATOM, False, "bracket", "bracket", inside.tall, bare=self.signed(inside)
        )

    def number(self, value: Fraction) -> Written:
        small = self.inline and 1 < value.denominator <= _LARGEST_DENOMINATOR
        negative, digits, exponent, denominator = numeral(value)
        if small and value.numerator.bit_length() < 30:
            digits, exponent = str(abs(value.numerator)), 0
            denominator = str(value.denominator)
        if digits == ELLIPSIS:
            return self.ellipsis
        if denominator:
            above = Written(self.digits(digits), Binding.ATOM, negative, "digit", "digit")
            return self.quotient(
                above, above._replace(text=self.digits(denominator), negative=False)
            )
        if exponent:
            sign = self.minus if exponent < 0 else ""
            raised = sign + self.digits(str(abs(exponent)))
            tens = self.superscripted(self.digits("10"), raised)
            if digits == "1":
                binding = Binding.PRODUCT if negative else Binding.POWER
                return Written(tens, binding, negative, "digit")
            scientific = self.digits(digits) + self.dot + tens
            return Written(scientific, Binding.PRODUCT, negative, "digit")
        binding = Binding.PRODUCT if negative else Binding.ATOM
        return Written(self.digits(digits), binding, negative, "digit", "digit")

    def name(self, name: str) -> Written:
        if name == INFINITY.name:
            return Written(self.identifier(name), Binding.ATOM, False, "letter", "letter")
        base, subscripts, known = parts_of(name)
        if not known:
            return Written(self.literal(name), Binding.ATOM, False, "word", "word")
        kind: Edge = "letter" if len(base) == 1 else "word"
        text = self.identifier(base)
        if not subscripts:
            return Written(text, Binding.ATOM, False, kind, kind)
        below = self.comma.join(self.identifier(part) for part in subscripts)
        return Written(self.subscripted(text, below), Binding.ATOM, False, kind, "other")

    def times(self, left: Written, right: Written) -> str:
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

    def quotient(self, above: Written, below: Written) -> Written:
        starts: Edge = "digit" if above.starts == "digit" else "other"
        if self.inline:
            over = self.fitted(above, Binding.PRODUCT)
            under = self.unsigned(below, Binding.POWER)
            text = f"{over.closed or over.text}{self.slash}{under.text}"
            return Written(text, Binding.PRODUCT, over.negative, over.starts)
        text = self.fraction(above.bare or above.text, self.signed(below))
        binding = Binding.PRODUCT if above.negative else Binding.POWER
        return Written(text, binding, above.negative, starts, tall=True)

    def root(self, inside: Written) -> Written:
        text = self.radical(self.signed(inside))
        return Written(text, Binding.ATOM, tall=inside.tall)

    def power(self, base: Written, exponent: Written) -> Written:
        foot = self.unsigned(base, Binding.ATOM)
        text = self.superscripted(foot.text, self.signed(exponent))
        ends: Edge = "letter" if foot.ends == "letter" else "other"
        return Written(text, Binding.POWER, False, foot.starts, ends, foot.tall)

    def function(self, name: str, arguments: Sequence[Written]) -> Written:
        first = arguments[0]
        match name:
            case "ceil" | "floor" | "abs":
                return self._fence(name, first)
            case "log2" | "log10":
                base = self.digits(name.removeprefix("log"))
                return self._application(self.subscripted(self.operator_name("log"), base), first)
            case "log":
                base = self.signed(arguments[1])
                return self._application(self.subscripted(self.operator_name("log"), base), first)
            case "ln":
                return self._application(self.operator_name("ln"), first)
            case "lambertw":
                branch = self.subscripted(self.identifier("W"), self.signed(arguments[1]))
                return self._call(branch, [first], "letter")
        return self._call(self.operator_name(name), arguments, "operator")

    def _application(self, function: str, argument: Written) -> Written:
        inside = self.bracketed(argument)
        closed = function + inside.text
        if argument.binding == Binding.ATOM:
            text = self.applied(function, argument.text)
            tall = argument.tall
            return Written(text, Binding.APPLICATION, False, "operator", "other", tall, closed)
        return Written(closed, Binding.APPLICATION, False, "operator", "bracket", inside.tall)

    def _call(self, function: str, arguments: Sequence[Written], starts: Edge) -> Written:
        inside = self.comma.join(self.signed(argument) for argument in arguments)
        tall = any(argument.tall for argument in arguments)
        text = function + self.fenced("parentheses", inside, tall=tall)
        return Written(text, Binding.ATOM, False, starts, "bracket", tall)

    def membership(self, operand: Written, *, negated: bool) -> Written:
        inside = self.fitted(operand, Binding.SUM)
        text = self.member(self.signed(inside), negated=negated)
        return Written(text, Binding.COMPARISON, tall=inside.tall)

    def truth(self, value: bool) -> Written:
        text = self.identifier("true" if value else "false")
        return Written(text, Binding.ATOM, False, "word", "word")

    def conditional(self, node: Conditional, of: Reading) -> Written:
        rows = []
        rest = node
        while True:
            rows.append((self.signed(of(rest.consequence)), self.signed(of(rest.condition))))
            alternative = rest.alternative
            if not isinstance(alternative, Conditional) or of(alternative) == self.ellipsis:
                break
            rest = alternative
        text = self.table_of_cases(rows, self.signed(of(alternative)))
        return Written(text, Binding.CONDITIONAL, tall=True)

    def sum_over(self, body: Written, index: Written, low: Written, high: Written) -> Written:
        inside = self.unsigned(body, Binding.PRODUCT)
        text = self.summation(index.text, self.signed(low), self.signed(high), inside.text)
        whole = Written(text, Binding.PRODUCT, starts="operator", tall=True)
        return whole._replace(closed=self.bracketed(whole).text)
