"""Writes the parts of random models of one unknown, and machines for them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

from tests.oracle.formula import Formula
from tests.oracle.model import Group, Kernel, Machine

RESOURCES = ("flops", "memory", "network")
RATES = ("1", "1", "2", "3", "7", "10", "0.3", "2.5", "1000", "1e9", "13.9e9", "22e9")
ENDS = (60, 1000, 2000, 30_000, 10**5, 10**6, 10**9, 10**12, 10**18)


def call(function: str, *parts: Formula | str | int | Fraction) -> Formula:
    return Formula(function, tuple(Formula.of(part) for part in parts))


class Writer:
    """Writes the parts of one case."""

    def __init__(self, random: Random, name: str = "N") -> None:
        self.random = random
        self.x = Formula.of(name)
        self.end = random.choice(ENDS)
        self.steps = 0

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def constant(self) -> Fraction:
        kind = self.random.randrange(5)
        if kind == 0:
            return Fraction(self.random.choice((1, 2, 3, 5, 7, 10, 24, 64, 100)))
        if kind == 1:
            return Fraction(self.random.randrange(1, 1000), self.random.choice((1, 2, 5, 10, 100)))
        if kind == 2:
            return Fraction(10) ** self.random.randrange(-2, 7)
        return Fraction(self.random.randrange(1, 30))

    def period(self) -> int:
        return self.random.choice((2, 3, 3, 5, 7, 8, 10, 16, 32, 64, 100, 128, 1000))

    def smooth(self) -> Formula:
        """Return a term that is not negative and grows, or stays as it is."""
        x, c = self.x, self.constant()
        match self.random.randrange(9):
            case 0 | 1 | 2:
                return x * c
            case 3:
                return x ** self.random.choice((2, 2, 3)) * c
            case 4:
                return call("sqrt", x) * c
            case 5:
                return call("log2", x + 1) * c
            case 6:
                return x * call("log2", x + 1) * c
            case 7:
                return Formula.of(c)
            case _:
                return x * call("sqrt", x) * c

    def jumping(self) -> Formula:
        """Return a term that jumps or has a kink."""
        x, c, k = self.x, self.constant(), self.period()
        limit = self.random.choice((7, 50, 300, 4096, 14_150, 10**6))
        match self.random.randrange(11):
            case 0 | 1:
                return call("ceil", x / k) * (c * k)
            case 2:
                return call("floor", x / k + 1) * (c * k)
            case 3:
                return call("max", x - limit, 0) * c
            case 4:
                return call("min", x * c, limit)
            case 5:
                return Formula("if<", (x, Formula.of(limit), x * c, self.smooth()))
            case 6:
                return call("ceil", call("log2", x + 1)) * c
            case 7:
                return x * call("ceil", x / k) * c
            case 8:
                return call("max", x * c, call("sqrt", x) * (c * 10))
            case 9:
                return call("floor", call("sqrt", x)) * c
            case _:
                count = call("ceil", x / k) if self.end <= 30_000 else Formula.of(k)
                return Formula("sum", (Formula.of(c) * x, count))

    def amount(self, jumps: int = 35) -> Formula:
        terms = [
            self.jumping() if self.chance(jumps) else self.smooth()
            for _ in range(self.random.choice((1, 1, 2, 2, 3)))
        ]
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return total

    def work(self, count: int | None = None, jumps: int = 35) -> dict[str, Formula]:
        several = count or self.random.choice((1, 2, 2, 3))
        chosen = self.random.sample(RESOURCES, several)
        work = {name: self.amount(jumps) for name in chosen}
        if "network" in work and self.chance(30):
            work["messages"] = self.amount(jumps)
        return work

    def rate(self) -> Formula:
        return Formula.of(Fraction(self.random.choice(RATES)))

    def machine(self, name: str = "box", **more: object) -> Machine:
        fast = self.random.choice((0, 0, 9))
        rates = {
            key: Formula.of(Fraction(self.random.choice(RATES)) * 10**fast)
            for key in ("flops", "memory", "network", "messages")
        }
        return replace(Machine(name, rates), **more)  # type: ignore[arg-type]  # fields by name

    def parts(
        self, depth: int, jumps: int, devices: tuple[str, ...] = ("",)
    ) -> tuple[Kernel | Group, ...]:
        found: list[Kernel | Group] = []
        for _ in range(self.random.choice((1, 2, 2, 3))):
            if depth and self.chance(30):
                found.append(Group("overlap", self.parts(depth - 1, jumps, devices)))
            elif depth and self.chance(25):
                times = self.random.choice(
                    (Formula.of(2), Formula.of(10), self.x, call("ceil", self.x / 4))
                )
                found.append(Group("repeat", self.parts(depth - 1, jumps, devices), times))
            else:
                found.append(self.step(jumps, devices))
        return tuple(found)

    def step(self, jumps: int, devices: tuple[str, ...]) -> Kernel:
        self.steps += 1
        stated = self.amount(0) if self.chance(4) else None
        return Kernel(f"s{self.steps}", self.work(jumps=jumps), self.random.choice(devices), stated)
