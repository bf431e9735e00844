"""Random expressions whose units fit, mostly."""

from __future__ import annotations

from typing import NamedTuple

from tests.fuzz.choices import Choices

NAMES = tuple("N P M B K n x y word share Bs s E pi α _ self".split())
ODD_NAMES = tuple("lambda __class__ None beta e inf nan I f flop GB x1e5".split())
DIGITS = ("0", "1", "2", "3", "4", "7.5", "16", "100", "1e3", "2.5E-1", "1_000", "0.1", "64")
ODD_DIGITS = ("1e300", "1e-300", "9e399", "1e-400", "0.0", "123456789012345678901234567890.5")
WRONG_DIGITS = ("1e401", "1e99999999999", "9" * 401, "1.", ".5", "1,000", "0x10")
UNITS = {
    "1": ("",),
    "B": (" B", " kB", " KiB", " GB", " bit"),
    "flop": (" flop", " GFLOP"),
    "s": (" s", " ms", " ps", " h"),
    "B/s": (" B/s", " GB/s", " KiB/s"),
    "flop/s": (" flop/s", " GFLOP/s", " GFLOPS"),
    "flop/B": (" flop/B",),
    "message": (" message",),
    "message/s": (" message/s",),
    "element": (" element",),
}
WRONG_LEAVES = ("missing", "machine.cores", "r.OI", "true", ".5", "2N", "fp64", "§", "x.")
WRONG_UNITS = (" KB", " Gbps", " word", " B/B", " flop^200", " s^-1", " B^2/s", "B", " /s")
QUOTIENTS = {
    "1": (("B", "B"), ("s", "s"), ("flop", "flop"), ("element", "element")),
    "B": (("B/s", "s^-1"),),
    "B/s": (("B", "s"),),
    "flop/s": (("flop", "s"),),
    "flop/B": (("flop", "B"),),
    "message/s": (("message", "s"),),
}
PLAIN_FUNCTIONS = ("log2", "ln", "log10", "exp", "ceil", "floor", "sqrt", "abs")


class Known(NamedTuple):
    """A model, machine or function that others may name."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    """Names and units; functions take plain numbers."""


class Formulas:
    """Writes expressions, asking `choices` for every choice; `slips` lets some of them be wrong."""

    def __init__(self, choices: Choices, *, slips: bool) -> None:
        self.below = choices.below
        self.chance = choices.chance
        self.pick = choices.pick
        self.shuffled = choices.shuffled
        self.slips = slips
        self.names: dict[str, str] = {}
        self.truths: list[str] = []
        self.precisions: list[str] = []
        self.functions: list[Known] = []
        self.fresh = 0

    def slip(self, percent: int = 2) -> bool:
        return self.slips and self.chance(percent)

    def new_name(self) -> str:
        """Return a name that is not taken, mostly."""
        name = self.pick(ODD_NAMES if self.chance(5) else NAMES)
        if name in self.names or name in self.truths or name in self.precisions:
            if self.slip(5):
                return name
            self.fresh += 1
            name = f"{name}{self.fresh}"
        return name

    def gap(self) -> str:
        """Return what may stand between two tokens within parentheses."""
        return self.pick((" ", "", "\n", " # (\n", "\r\n\t")) if self.chance(10) else " "

    # Expressions

    def number(self, unit: str) -> str:
        digits = self.pick(DIGITS)
        if self.chance(2):
            digits = self.pick(ODD_DIGITS)
        elif self.slip(2):
            digits = self.pick(WRONG_DIGITS)
        suffixes = WRONG_UNITS if self.slip(1) else UNITS.get(unit, ("",))
        return digits + self.pick(suffixes)

    def leaf(self, unit: str) -> str:
        if self.slip(1):
            return self.pick(WRONG_LEAVES)
        having = [name for name, other in self.names.items() if other == unit]
        if having and self.chance(60):
            return self.pick(having)
        if unit == "B" and self.precisions and self.chance(30):
            return f"size({self.pick(self.precisions)})"
        if unit == "s^-1":
            return f"(1 / {self.number('s')})"
        return self.number(unit)

    def value(self, unit: str, depth: int = 3) -> str:
        """Return an expression of a unit, of any form."""
        if self.slip(2):
            unit = self.pick(tuple(UNITS))
        if depth <= 0 or self.chance(25):
            return self.leaf(unit)
        write = self.pick(FORMS)
        return write(self, unit, depth - 1)

    def atom(self, unit: str, depth: int) -> str:
        """Return an expression that any operator may stand beside."""
        if depth <= 0:
            return self.leaf(unit)
        return f"({self.gap()}{self.value(unit, depth)}{self.gap()})"

    def _add(self, unit: str, depth: int) -> str:
        signs = [self.pick((" + ", " - ", "-", " +\n ")) for _ in range(1 + self.below(3))]
        parts = [f"{sign}{self.atom(unit, depth)}" for sign in signs]
        return self.atom(unit, depth) + "".join(parts)

    def _multiply(self, unit: str, depth: int) -> str:
        factors = [self.atom("1", depth - 1), self.atom(unit, depth)]
        return self.pick(("*", " * ", " *\n")).join(factors[:: self.pick((1, -1))])

    def _divide(self, unit: str, depth: int) -> str:
        above, below = unit, "1"
        if unit in QUOTIENTS and self.chance(60):
            above, below = self.pick(QUOTIENTS[unit])
        if above == "B/s":
            return f"{self.atom(above, depth)} / {self.atom(below, 0)}"
        return f"{self.atom(above, depth)} / {self.atom(below, depth)}"

    def _power(self, unit: str, depth: int) -> str:
        if unit != "1":
            root = f"sqrt({self.atom(unit, 0)}^2)"
            return f"{root}^1" if self.chance(20) else root
        exponent = self.pick(("2", "3", "0.5", "-1", "(1/3)", "0", "1.5"))
        if self.slip(5):
            exponent = self.pick(("9^9^9^9", "(10^12)", "1e300", "1001", "(1/0)", "x^x"))
        elif self.chance(20):
            exponent = self.leaf("1")
        return f"{self.atom(unit, depth)}^{exponent}"

    def _if(self, unit: str, depth: int) -> str:
        parts = self.condition(depth), self.value(unit, depth), self.value(unit, depth)
        return self.pick(("(if {} then {} else {})", "(if {}\n then {}\n else {})")).format(*parts)

    def _extreme(self, unit: str, depth: int) -> str:
        count = 1 + self.below(3)
        inside = f",{self.gap()}".join(self.value(unit, depth) for _ in range(count))
        return f"{self.pick(('min', 'max'))}({inside}{self.pick(('', ','))})"

    def _sum(self, unit: str, depth: int) -> str:
        index = self.new_name()
        low, high = self.pick(("0", "1", "-2", "N")), self.pick(("0", "3", "5", "N", "2*3"))
        if self.slip(10):
            low, high = self.pick((("1", "10^15"), ("1/2", "7/2"), ("3", "1"), ("1", "1e300")))
        hidden = self.names.get(index)
        self.names[index] = "1"
        body = self.value(unit, depth)
        del self.names[index]
        if hidden is not None:
            self.names[index] = hidden
        if "N" in (low, high) and self.names.get("N") != "1":
            low = high = "2"
        return f"sum({body} for {index} in {low}..{high})"

    def _call(self, unit: str, depth: int) -> str:
        if unit != "1":
            return f"abs({self.value(unit, depth)})"
        if self.functions and self.chance(60):
            function = self.pick(self.functions)
            arguments = [self.value("1", depth) for _ in function.parameters]
            if self.chance(20):
                arguments[-1] = f"{function.parameters[-1][0]} = {arguments[-1]}"
            if self.slip(3):
                arguments.pop()
            return f"{function.name}({', '.join(arguments)})"
        if self.chance(20):
            return f"log({self.value('1', depth)}, {self.value('1', depth)})"
        if self.slip(3):
            name = self.pick(("log", "size", "nothing", "min", "sqrt"))
            return f"{name}({self.pick(('', 'x', '1, 2'))})"
        return f"{self.pick(PLAIN_FUNCTIONS)}({self.value('1', depth)})"

    def _minus(self, unit: str, depth: int) -> str:
        return f"{self.pick(('-', '+', '--'))}{self.atom(unit, depth)}"

    def _group(self, unit: str, depth: int) -> str:
        return self.atom(unit, max(1, depth))

    def condition(self, depth: int) -> str:
        form = self.below(6)
        if form == 0 or depth <= 0:
            if self.truths and self.chance(50):
                return self.pick(self.truths)
            return self.pick(("true", "false"))
        if form == 1:
            return f"{self.atom('1', depth - 1)} is integer"
        if form == 2:
            return f"not ({self.condition(depth - 1)})"
        if form == 3:
            joined = self.pick((" and ", " or ", "\n and "))
            return f"({joined.join(self.condition(depth - 1) for _ in range(2 + self.below(2)))})"
        unit = self.pick(("1", "B", "s"))
        relation = self.pick(("<", "<=", ">", ">=", "==", "!="))
        return f"{self.atom(unit, depth - 1)} {relation} {self.atom(unit, depth - 1)}"


FORMS = (
    Formulas._add,
    Formulas._multiply,
    Formulas._divide,
    Formulas._power,
    Formulas._if,
    Formulas._extreme,
    Formulas._sum,
    Formulas._call,
    Formulas._minus,
    Formulas._group,
)
