"""Machines with kinds, start-ups, rates by size and energies; iterations, waits and mixes.

What they take is written from `docs/language.md`, for both kinds of numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.oracle.formula import Formula, Values
from tests.oracle.model import Case, Group, Kernel, Machine, Spent, added, by, longest
from tests.oracle.numbers import Numbers

OF = {"flops": "flop", "memory": "B", "disk": "B", "network": "B", "messages": "message"}


def unit(key: str) -> str:
    return OF[key.partition(".")[0]]


@dataclass(frozen=True)
class Built(Machine):
    """A machine of which work may start up, run at a rate of its size, add up, and take energy.

    `halves` is the work at which a rate is half of that of large work. `served` says what serves
    work that has no rate of its name.
    """

    startup: Fraction = Fraction(0)
    startups: Mapping[str, Fraction] = field(default_factory=dict)
    halves: Mapping[str, Fraction] = field(default_factory=dict)
    served: Mapping[str, str] = field(default_factory=dict)
    serial: tuple[str, ...] = ()
    concurrent: tuple[str, ...] = ()
    energies: Mapping[str, Fraction] = field(default_factory=dict)
    power: Fraction = Fraction(0)
    price: Fraction = Fraction(0)

    def speed(self, key: str) -> str:
        return self.served.get(key, key)

    def group(self, key: str) -> str:
        """Return what the time of work adds to."""
        resource, _, kind = self.speed(key).partition(".")
        whole = f"flops.{kind.partition('.')[0]}"
        if resource == "flops" and whole in self.concurrent:
            return whole
        return "network" if resource == "messages" else resource

    def text(self) -> str:
        rates = {key: self._rate_text(key) for key in self.rates}
        kinds = [key for key in rates if key.startswith("flops.")]
        lines = [f"{key}{text}" for key, text in rates.items() if key not in kinds]
        if kinds:
            stated = [f"{key.removeprefix('flops.')}{rates[key]}" for key in kinds]
            stated.append(f"default {kinds[0].removeprefix('flops.')}")
            lines.insert(0, f"flops {{ {'; '.join(stated)} }}")
        lines += [f"startup = 1 s * ({self.startup})"] if self.startup else []
        lines += [f"startup {key} = 1 s * ({time})" for key, time in self.startups.items()]
        lines += [f"serial {', '.join(self.serial)}"] if self.serial else []
        lines += [f"concurrent {', '.join(self.concurrent)}"] if self.concurrent else []
        lines += [f"energy {k} = 1 J/{unit(k)} * ({e})" for k, e in self.energies.items()]
        lines += [f"power = 1 W * ({self.power})", f"price = 1 euro/s * ({self.price})"]
        inside = "\n".join(f"    {line}" for line in lines)
        return f"machine {self.name} {{\n{inside}\n}}\n"

    def _rate_text(self, key: str) -> str:
        of, half = unit(key), self.halves.get(key)
        top = f"1 {of}/s * {self.rates[key].text()}"
        return f" = {top}" if half is None else f"(w) = {top} * w/(w + 1 {of} * ({half}))"

    def lengths(self, numbers: Numbers, busy: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
        """Return how long each part of the machine takes, and what that is charged to."""
        units = [name for name in busy if name in self.concurrent]
        found: dict[str, dict[str, Any]] = {}
        for name, time in busy.items():
            groups = units if name == "flops" and units else [name]
            groups = ["serial"] if name in self.serial else groups
            for group in groups:
                found.setdefault(group, {})[name] = time
        zero = numbers.number(Fraction(0))
        return {name: (sum(each.values(), zero), each) for name, each in found.items()}


@dataclass(frozen=True)
class Used(Spent):
    """What a part takes, and its work by what serves it."""

    work: Mapping[str, Any] = field(default_factory=dict)


class Step(Kernel):
    """A kernel on such a machine."""

    def resources(self, machine: Machine) -> list[str]:
        assert isinstance(machine, Built)
        names = [machine.group(key) for key in self.work]
        return list(dict.fromkeys([*(["startup"] if machine.startup else []), *names]))

    def run(self, machine: Machine, numbers: Numbers, values: Values) -> Used:
        assert isinstance(machine, Built)
        zero = numbers.number(Fraction(0))
        work: dict[str, Any] = {}
        busy: dict[str, Any] = {}
        for key, formula in self.work.items():
            amount = numbers.not_negative(formula.value(numbers, values))
            speed = machine.speed(key)
            work[speed] = work[speed] + amount if speed in work else amount
        started: dict[str, Any] = {}
        for key, amount in work.items():
            lost = numbers.number(machine.halves.get(key, Fraction(0)))
            rate = machine.rate(key, numbers, values)
            time = _if_any(numbers, amount, numbers.divided(amount + lost, rate))
            name = machine.group(key)
            busy[name] = busy[name] + time if name in busy else time
            resource = key.partition(".")[0]
            if resource in machine.startups:
                started[resource] = started.get(resource, zero) + amount
        for name, amount in started.items():
            busy[name] = busy[name] + _if_any(
                numbers, amount, numbers.number(machine.startups[name])
            )
        time, charged = longest(numbers, machine.lengths(numbers, busy))
        if machine.startup:
            every = sum(work.values(), zero)
            start = _if_any(numbers, every, numbers.number(machine.startup))
            first = {"startup": start}
            time, charged, busy = start + time, first | {**charged}, first | busy
        return Used(time, charged, busy, work)


def _if_any(numbers: Numbers, amount: Any, time: Any) -> Any:
    """Return the time that work takes, 0 where there is none."""
    zero = numbers.number(Fraction(0))
    return numbers.choose(numbers.exceeds(amount, zero), lambda: time, lambda: zero)


class Parts(Group):
    """Parts one after another, at once, several times, waited for, or jobs of a mix."""

    def text(self) -> str:
        word = "overlap" if self.kind == "overlap" else f"{self.kind} {_text(self.times)}"
        return f"{word} {{ {'; '.join(self.lines())} }}"

    def lines(self) -> list[str]:
        if self.kind != "mix":
            return super().lines()
        return [part.job(place) for place, part in enumerate(self.parts) if isinstance(part, Parts)]

    def job(self, place: int) -> str:
        arguments = ", ".join(f"{name} = {name}" for name in sorted(_names(self)))
        return f"job j{place} = {_text(self.times)} * job_{place}({arguments})"

    def models(self, parameters: Mapping[str, str]) -> Iterator[str]:
        """Yield the models of the jobs of a mix."""
        for place, part in enumerate(self.parts if self.kind == "mix" else ()):
            lines = [f"param {name}: {parameters[name]}" for name in sorted(_names(part))]
            inside = "; ".join([*lines, *part.lines()])
            yield f"model job_{place} {{ {inside} }}\n"

    def resources(self, machine: Machine) -> list[str]:
        inside = super().resources(machine)
        return ["wait"] if self.kind == "wait" else inside

    def run(self, machine: Machine, numbers: Numbers, values: Values) -> Used:
        assert isinstance(machine, Built)
        parts = [part.run(machine, numbers, values) for part in self.parts]
        busy = added([part.busy for part in parts])
        work = added([part.work for part in parts if isinstance(part, Used)])
        if self.kind == "overlap":
            each = {f"part {k}": (part.time, part.charged) for k, part in enumerate(parts)}
            found = longest(numbers, {**each, **machine.lengths(numbers, busy)})
            return Used(*found, busy, work)
        zero = numbers.number(Fraction(0))
        time = sum((part.time for part in parts), zero)
        charged = added([part.charged for part in parts])
        if self.times is None:
            return Used(time, charged, busy, work)
        n = numbers.not_negative(self.times.value(numbers, values))
        if self.kind == "wait":
            return Used(time * n, {"wait": time * n}, {}, {})
        return Used(time * n, by(charged, n), by(busy, n), by(work, n))


def _text(times: Formula | None) -> str:
    assert times is not None
    return times.text() if times.operation in ("name", "number") else f"({times.text()})"


def _names(part: Kernel | Group) -> frozenset[str]:
    if isinstance(part, Kernel):
        return part.names()
    times = part.times.names() if part.times else frozenset[str]()
    return times.union(*(_names(each) for each in part.parts))


@dataclass(frozen=True)
class Answered(Case):
    """A case with metrics, in which energy and money are asked for as time is."""

    def text(self) -> str:
        return f"unit euro\nresource disk: B\n{super().text()}"

    @property
    def sort(self) -> str:
        mix = isinstance(self.root, Group) and self.root.kind == "mix"
        return "mix" if mix else "model"

    def metrics(self) -> list[str]:
        by_what = "2" if "." in self.unknown else self.unknown
        return [f"metric each: s = time/{by_what}", "metric both: J = energy + 3 W * time"]

    @property
    def amounts(self) -> Mapping[str, str]:
        return {"time": "s", "energy": "J", "cost": "euro", "each": "s", "both": "J"}

    def amount(self, name: str, numbers: Numbers, values: Values) -> Any:
        if name == "time":
            return super().amount(name, numbers, values)
        used, box = self.root.run(self.machine, numbers, values), self.machine
        assert isinstance(used, Used)
        assert isinstance(box, Built)
        if name == "each":
            by_what = values.get(self.unknown) if "." not in self.unknown else None
            return numbers.divided(used.time, by_what or numbers.number(Fraction(2)))
        if name == "cost":
            return used.time * numbers.number(box.price)
        found = used.time * numbers.number(box.power + (3 if name == "both" else 0))
        for key, work in used.work.items():
            found = found + work * numbers.number(box.energies[key])
        return found
