"""An oracle for the solver: models as data, their text, and what they take, by the law alone.

A `Case` is a model of one unknown on a machine. It knows its text in the language, and evaluates
itself in either kind of `oracle_numbers`. The law is that of `docs/language.md`: see also
`tests/analysis/law.py`, which has it at a point, of programs without formulas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Any

import mpmath

from tests.oracle.formula import Formula, Values
from tests.oracle.numbers import DIGITS, Exact, Numbers, Undefined

UNITS = {"flops": "flop", "memory": "B", "network": "B", "messages": "message"}
SHARES = {"messages": "network"}


@dataclass(frozen=True)
class Machine:
    """Rates in units a second by resource, formulas of the machine's own names, and devices."""

    name: str
    rates: Mapping[str, Formula]
    devices: Mapping[str, Machine] = field(default_factory=dict)
    table: str = ""
    measured: Mapping[int, Fraction] = field(default_factory=dict)
    parameters: Mapping[str, int] = field(default_factory=dict)

    def rate(self, key: str, numbers: Numbers, values: Values) -> Any:
        """Return a rate, or what stands for it in the values."""
        own = {name: numbers.number(Fraction(value)) for name, value in self.parameters.items()}
        found = values.get(f"{self.name}.{key}")
        return self.rates[key].value(numbers, own) if found is None else found

    def every_rate(self) -> dict[str, tuple[str, Any]]:
        """Return the rates, also of devices: the key of each in values, and what it is."""
        found = {}
        for device, holder in (("", self), *self.devices.items()):
            for key in holder.rates:
                name = f"{device}.{key}" if device else key
                found[name] = f"{holder.name}.{key}", holder.rate(key, Exact(), {})
        return found

    def text(self) -> str:
        lines = [f"param {name}: integer = {n}" for name, n in self.parameters.items()]
        lines += [f"{key} = {_rate(rate, UNITS[key])}" for key, rate in self.rates.items()]
        lines += [f"device {name} = {inner.name}" for name, inner in self.devices.items()]
        lines += [f'measured operation(size) from "{self.table}"'] if self.measured else []
        inside = "\n".join(f"    {line}" for line in lines)
        devices = "".join(inner.text() for inner in self.devices.values())
        return f"{devices}machine {self.name} {{\n{inside}\n}}\n"


def _rate(rate: Formula, unit: str) -> str:
    return f"{rate.text_alone} {unit}/s" if _plain(rate) else f"1 {unit}/s * {rate.text()}"


def _plain(rate: Formula) -> bool:
    return rate.operation == "number" and "/" not in rate.text_alone


@dataclass(frozen=True)
class Kernel:
    """Work by resource; what the step of it is called, where it runs, and what was measured."""

    name: str
    work: Mapping[str, Formula]
    device: str = ""
    stated: Formula | None = None
    operation: int = 0

    def lines(self) -> list[str]:
        lines = [f"as operation(size = {self.operation})"] if self.operation else []
        lines += [f"{key} = {work.text()}" for key, work in self.work.items()]
        return [*lines, *([f"time = 1 s * {self.stated.text()}"] if self.stated else [])]

    def text(self) -> str:
        place = f" on {self.device}" if self.device else ""
        if self.operation:
            arguments = ", ".join(f"{name} = {name}" for name in sorted(self.names()))
            return f"step {self.name} = model_{self.name}({arguments}){place}"
        return f"step {self.name}{place} {{ {'; '.join(self.lines())} }}"

    def names(self) -> frozenset[str]:
        return frozenset[str]().union(*(work.names() for work in self.work.values()))

    def models(self, parameters: Mapping[str, str]) -> Iterator[str]:
        """Yield the text of the model that a measured operation stands in."""
        if self.operation:
            lines = [f"param {name}: {parameters[name]}" for name in sorted(self.names())]
            yield f"model model_{self.name} {{ {'; '.join([*lines, *self.lines()])} }}\n"

    def formulas(self) -> Iterator[Formula]:
        yield from self.work.values()
        yield from (each for each in (self.stated,) if each is not None)

    def resources(self, machine: Machine) -> list[str]:
        """Return what is kept busy, in the order in which it is stated."""
        names = []
        for resource in self.work:
            device = machine.devices.get(self.device)
            own = device is not None and resource in device.rates
            name = SHARES.get(resource, resource)
            names.append(f"{self.device}.{name}" if own else name)
        return list(dict.fromkeys(names)) or ["time"]

    def run(self, machine: Machine, numbers: Numbers, values: Values) -> Spent:
        busy: dict[str, Any] = {}
        for resource, work in self.work.items():
            device = machine.devices.get(self.device)
            own = device is not None and resource in device.rates
            serving = device if device is not None and own else machine
            amount = numbers.not_negative(work.value(numbers, values))
            name = SHARES.get(resource, resource)
            name = f"{self.device}.{name}" if own else name
            measured = serving.measured.get(self.operation)
            if resource == "flops" and measured is not None:
                time = numbers.number(measured) + amount * numbers.number(Fraction(0))
            else:
                time = numbers.divided(amount, serving.rate(resource, numbers, values))
            busy[name] = busy[name] + time if name in busy else time
        if self.stated is not None:
            stated = self.stated.value(numbers, values)
            busy = dict.fromkeys(busy or ["time"], stated)
            first = next(iter(busy))
            return Spent(stated, {first: stated}, busy)
        return Spent(*longest(numbers, {name: (x, {name: x}) for name, x in busy.items()}), busy)


@dataclass(frozen=True)
class Group:
    """Parts one after another, at once, or several times."""

    kind: str
    parts: tuple[Kernel | Group, ...]
    times: Formula | None = None

    def lines(self) -> list[str]:
        return [part.text() for part in self.parts]

    def text(self) -> str:
        assert self.kind in ("overlap", "repeat")
        head = "overlap" if self.times is None else f"repeat {self.times.text()}"
        return f"{head} {{ {'; '.join(self.lines())} }}"

    def models(self, parameters: Mapping[str, str]) -> Iterator[str]:
        for part in self.parts:
            yield from part.models(parameters)

    def formulas(self) -> Iterator[Formula]:
        for part in self.parts:
            yield from part.formulas()
        yield from (each for each in (self.times,) if each is not None)

    def resources(self, machine: Machine) -> list[str]:
        """Return what is kept busy, in the order in which it is stated."""
        return list(dict.fromkeys(x for part in self.parts for x in part.resources(machine)))

    def run(self, machine: Machine, numbers: Numbers, values: Values) -> Spent:
        parts = [part.run(machine, numbers, values) for part in self.parts]
        busy = added([part.busy for part in parts])
        if self.kind == "overlap":
            each = {str(k): (part.time, part.charged) for k, part in enumerate(parts)}
            several = [x for part in parts for x in part.busy]
            shared = {name: (x, {name: x}) for name, x in busy.items() if several.count(name) > 1}
            return Spent(*longest(numbers, {**each, **shared}), busy)
        time = reduce(lambda one, other: one + other, [part.time for part in parts])
        charged = added([part.charged for part in parts])
        if self.times is None:
            return Spent(time, charged, busy)
        n = numbers.not_negative(self.times.value(numbers, values))
        return Spent(time * n, by(charged, n), by(busy, n))


@dataclass(frozen=True)
class Spent:
    """The time of a part, what it is charged to, and how long it keeps each resource busy."""

    time: Any
    charged: Mapping[str, Any]
    busy: Mapping[str, Any]


def longest(
    numbers: Numbers, parts: Mapping[str, tuple[Any, Mapping[str, Any]]]
) -> tuple[Any, Mapping[str, Any]]:
    """Return the longest time with its charges: of several that are equal, the first's."""
    (time, first), *others = parts.values()
    zero = numbers.number(Fraction(0))
    charged: dict[str, Any] = dict(first)
    for other, charges in others:
        mask = numbers.exceeds(other, time)
        charged = {
            name: _chosen(numbers, mask, charges.get(name, zero), charged.get(name, zero))
            for name in {**charged, **charges}
        }
        time = _chosen(numbers, mask, other, time)
    return time, charged


def _chosen(numbers: Numbers, mask: Any, yes: Any, no: Any) -> Any:
    return numbers.choose(mask, lambda: yes, lambda: no)


def added(tables: list[Mapping[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for table in tables:
        for name, amount in table.items():
            found[name] = found[name] + amount if name in found else amount
    return found


def by(table: Mapping[str, Any], runs: Any) -> dict[str, Any]:
    return {name: amount * runs for name, amount in table.items()}


@dataclass(frozen=True)
class Require:
    """`formula is integer`, or one formula not above another."""

    formula: Formula
    limit: Formula | None = None

    def text(self) -> str:
        end = "is integer" if self.limit is None else f"<= {self.limit.text()}"
        return f"require {self.formula.text()} {end}"

    def holds(self, values: Values) -> bool:
        numbers = Exact()
        left = self.formula.value(numbers, values)
        if self.limit is None:
            whole = numbers.rounded(left, True)
            return not numbers.exceeds(whole, left) and not numbers.exceeds(left, whole)
        return not numbers.exceeds(left, self.limit.value(numbers, values))


@dataclass(frozen=True)
class Parameter:
    """A parameter of the model; `value` what it is given, None for the unknown or a default."""

    name: str
    kind: str = "integer"
    low: Formula | None = None
    high: Formula | None = None
    value: Fraction | None = None
    default: Formula | None = None

    @property
    def integer(self) -> bool:
        return self.kind != "real"

    def text(self) -> str:
        ends = [end.text() if end else "" for end in (self.low, self.high)]
        bounds = f"[{'..'.join(ends)}]" if any(ends) else ""
        default = f" = {self.default.text()}" if self.default else ""
        return f"param {self.name}: {self.kind}{bounds}{default}"

    def allows(self, value: Any, values: Values) -> bool:
        numbers = Exact()
        low = Fraction(1) if self.integer else None
        low = self.low.value(numbers, values) if self.low else low
        if (low is None and value <= 0) or (low is not None and numbers.exceeds(low, value)):
            return False
        whole = not self.integer or (isinstance(value, Fraction) and value.denominator == 1)
        high = self.high.value(numbers, values) if self.high else None
        return whole and not (high is not None and numbers.exceeds(value, high))


@dataclass(frozen=True)
class Case:
    """A model of one unknown, a parameter or a rate, on a machine, over a range."""

    root: Kernel | Group
    machine: Machine
    parameters: tuple[Parameter, ...]
    unknown: str
    low: Fraction
    high: Fraction
    lets: tuple[tuple[str, Formula], ...] = ()
    requires: tuple[Require, ...] = ()
    rival: Machine | None = None
    kinds: tuple[str, ...] = ()
    whole: bool = False
    """Whether it is asked without a range: over all that the unknown may be."""

    @property
    def sort(self) -> str:
        return "model"

    def metrics(self) -> list[str]:
        return []

    @property
    def amounts(self) -> Mapping[str, str]:
        """The units of what conditions may be about, by name."""
        return {"time": "s"}

    def amount(self, name: str, numbers: Numbers, values: Values) -> Any:
        """Return what a condition may be about."""
        assert name in self.amounts
        return self.root.run(self.machine, numbers, values).time

    @property
    def integer(self) -> bool:
        return any(each.name == self.unknown and each.integer for each in self.parameters)

    @property
    def given(self) -> dict[str, Fraction]:
        return {x.name: x.value for x in self.parameters if x.value is not None}

    def text(self) -> str:
        lines = [each.text() for each in self.parameters]
        lines += [f"let {name} = {formula.text()}" for name, formula in self.lets]
        lines += [each.text() for each in self.requires]
        inside = "\n".join(f"    {line}" for line in [*lines, *self.root.lines(), *self.metrics()])
        models = "".join(self.root.models({each.name: each.kind for each in self.parameters}))
        machines = "".join(each.text() for each in (self.machine, self.rival) if each)
        return f"{machines}{models}{self.sort} m {{\n{inside}\n}}\n"

    @property
    def limits(self) -> tuple[Fraction, Fraction]:
        """Return the least and the most that bounds and inequalities leave of a parameter."""
        own = next(each for each in self.parameters if each.name == self.unknown)
        lows, highs = [own.low or Formula.of(1)], [own.high or Formula.of(10**18)]
        for require in self.requires:
            if require.limit == Formula.of(self.unknown):
                lows.append(require.formula)
            elif require.limit is not None and require.formula == Formula.of(self.unknown):
                highs.append(require.limit)
        with mpmath.workdps(DIGITS):
            low = max(_ceil(each.value(Exact(), self.given)) for each in lows)
            high = min(_floor(each.value(Exact(), self.given)) for each in highs)
        return low, high

    def values(self, numbers: Numbers, unknown: Any) -> dict[str, Any]:
        """Return what the names of the model are at a value of the unknown."""
        values = {self.unknown: unknown}
        values |= {name: numbers.number(value) for name, value in self.given.items()}
        return self.completed(numbers, values)

    def completed(self, numbers: Numbers, values: Values) -> dict[str, Any]:
        """Return values with those that follow from them: defaults and lets."""
        found = dict(values)
        defaults = [(each.name, each.default) for each in self.parameters]
        for name, formula in (*defaults, *self.lets):
            if formula is not None and name not in found:
                found[name] = formula.value(numbers, found)
        return found

    def rounds(self) -> bool:
        """Whether any of its formulas moves in steps."""
        formulas = [*self.root.formulas(), *(formula for _, formula in self.lets)]
        formulas += [each.default for each in self.parameters if each.default is not None]
        return any(each.operations() & {"ceil", "floor", "sum"} for each in formulas)

    def spent(self, numbers: Numbers, unknown: Any) -> Spent:
        return self.root.run(self.machine, numbers, self.values(numbers, unknown))

    def allows(self, value: Fraction) -> bool:
        """Return whether `eval` answers at a value of the unknown."""
        try:
            return self.accepts(self.values(Exact(), value))
        except Undefined:
            return False

    def accepts(self, values: Values) -> bool:
        """Return whether `eval` answers with these values of all names."""
        try:
            bounds = all(each.allows(values[each.name], values) for each in self.parameters)
            if not (bounds and all(each.holds(values) for each in self.requires)):
                return False
            self.root.run(self.machine, Exact(), values)
        except Undefined:
            return False
        return True


def _ceil(value: Any) -> Fraction:
    return Fraction(Exact().rounded(value, True))


def _floor(value: Any) -> Fraction:
    return Fraction(Exact().rounded(value, False))
