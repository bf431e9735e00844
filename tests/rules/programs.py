"""Random machines with kinds, start-ups, rates by size and energies, and programs for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from random import Random

from tests.rules.law import Amounts, Box, Part, Speed

UNITS = {"flops": "flop", "memory": "B", "network": "B", "messages": "message", "disk": "B"}
NUMBERS = ("1", "2", "3", "5", "0.5", "0.25", "10", "7")
STARTING = ("flops", "network", "disk")
SMALL = ("0", "1", "2", "0.5", "0.1")
Growing = dict[tuple[str, str], Callable[[int], Fraction]]
"""Work by the names of a step and of what it is done on."""


@dataclass(frozen=True)
class Program:
    """A model `main` of `processes` that all do the same, on a machine `box`."""

    text: str
    root: Part
    box: Box
    processes: int
    amounts: Growing = field(default_factory=dict)

    def at(self, n: int) -> Part:
        """Return what the model is for one `n`."""
        return self._at(self.root, n)

    def _at(self, part: Part, n: int) -> Part:
        work = {key: self.amounts[part.name, key](n) for key in part.work}
        return replace(part, work=work, parts=tuple(self._at(each, n) for each in part.parts))


def programs(seed: int | str, count: int, grows: bool = False) -> Iterator[Program]:
    """Yield programs, whose work depends on a parameter `n` where it grows."""
    for number in range(count):
        yield _Writer(Random(f"{seed} {number}"), grows).program()


class _Writer:
    def __init__(self, random: Random, grows: bool) -> None:
        self.random = random
        self.grows = grows
        self.amounts: Growing = {}
        self.names = 0
        # Plain flops, kinds without units, or kinds of units.
        self.sort = self.random.choice(("plain", "kinds", "units", "units", "units"))
        self.levels = self.chance(50)

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def number(self) -> str:
        return self.random.choice(NUMBERS)

    def program(self) -> Program:
        machine, box = self.machine()
        processes = self.random.choice((1, 1, 2, 6))
        texts, parts = self.parts(3)
        of = "param n: integer; " if self.grows else ""
        stated = f"{of}param P: processes = {processes}; total even; {'; '.join(texts)}"
        model = f"model main {{ {stated} }}"
        declared = "unit euro\nresource disk: B"
        root = Part("main", "sequence", parts=parts)
        text = "\n".join([declared, model, machine])
        return Program(text, root, box, processes, self.amounts)

    # Machines

    def keys(self) -> list[str]:
        kinds = {
            "plain": ["flops"],
            "kinds": ["flops.fp64", "flops.fp32"],
            "units": ["flops.vector.fp64", "flops.vector.fp32"],
        }[self.sort]
        if self.sort == "units":
            more = ("flops.matrix.fp64", "flops.matrix.bf16", "flops.special.fp32")
            kinds += [each for each in more if self.chance(60)]
            self.random.shuffle(kinds)
        memory = ["memory.L2", "memory.DRAM"] if self.levels else ["memory"]
        return [*kinds, *memory, "network", "messages", "disk"]

    def machine(self) -> tuple[str, Box]:
        keys = self.keys()
        speeds: dict[str, Speed] = {}
        lines: list[str] = []
        for key in keys:
            speeds[key], line = self.speed(key)
            lines.append(line)
        lines = self.in_blocks(keys, lines)
        serial = self.serial(lines)
        concurrent = self.concurrent(keys, lines)
        startup, startups = self.startups(lines, ("network", "disk") if concurrent else STARTING)
        energies = {key: self.random.choice(SMALL) for key in keys}
        lines += [f"energy {key} = {e} J/{unit(key)}" for key, e in energies.items()]
        power, price = self.random.choice(SMALL), self.number()
        lines += [f"power = {power} W", f"price = {price} euro/s"]
        self.available = keys
        box = Box(
            speeds,
            self.served(keys),
            startup,
            startups,
            serial,
            concurrent,
            {key: Fraction(e) for key, e in energies.items()},
            Fraction(power),
            Fraction(price),
        )
        return f"machine box {{ {'; '.join(lines)} }}", box

    def in_blocks(self, keys: list[str], lines: list[str]) -> list[str]:
        """Return the lines with those of levels and kinds in blocks, where a default can stand."""
        plain = [line for key, line in zip(keys, lines, strict=False) if "." not in key]
        for resource in ("flops", "memory"):
            inside = [
                line.removeprefix(f"{resource}.")
                for key, line in zip(keys, lines, strict=False)
                if key.startswith(f"{resource}.")
            ]
            if inside:
                name = next(key for key in keys if key.startswith(f"{resource}."))
                inside.append(f"default {name.partition('.')[2]}")
                plain.append(f"{resource} {{ {'; '.join(inside)} }}")
        return plain

    def speed(self, key: str) -> tuple[Speed, str]:
        top, of = self.number(), unit(key)
        if self.chance(30):
            half = self.number()
            speed = Speed(Fraction(top), Fraction(half))
            return speed, f"{key}(w) = {top} {of}/s * w/(w + {half} {of})"
        if key == "network" and self.chance(50):
            each = self.number()
            speed = Speed(Fraction(top), Fraction(each), "messages")
            text = f"{top} B/s * w/(w + messages * {each} B/1 message)"
            return speed, f"network(w, messages) = {text}"
        if key == "messages":
            return Speed(1 / Fraction(top)), f"messages = {top} s/message"
        return Speed(Fraction(top)), f"{key} = {top} {of}/s"

    def startups(self, lines: list[str], of: tuple[str, ...]) -> tuple[Fraction, Amounts]:
        startup = self.random.choice(("0", "1", "0.5", "3")) if self.chance(50) else ""
        if startup:
            lines.append(f"startup = {startup} s")
        found: Amounts = {}
        for resource in of:
            if self.chance(20):
                time = self.number()
                lines.append(f"startup {resource} = {time} s")
                found[resource] = Fraction(time)
        return Fraction(startup or "0"), found

    def serial(self, lines: list[str]) -> frozenset[str]:
        if not self.chance(25):
            return frozenset()
        named = self.random.choice((("memory", "disk"), ("network", "disk")))
        lines.append(f"serial {', '.join(named)}")
        return frozenset(named)

    def concurrent(self, keys: list[str], lines: list[str]) -> frozenset[str]:
        units = {".".join(key.split(".")[:2]) for key in keys if key.startswith("flops.")}
        if self.sort != "units" or len(units) < 2 or not self.chance(40):
            return frozenset()
        named = self.random.sample(sorted(units), 2)
        lines.append(f"concurrent {', '.join(named)}")
        return frozenset(named)

    def served(self, keys: list[str]) -> dict[str, str]:
        """Return what serves work that the machine has no rate of its own for."""
        asked = [f"flops.{u}.{p}" for u in ("matrix", "special", "vector") for p in PRECISIONS]
        found: dict[str, str] = {}
        for work in [*asked, *(f"flops.{p}" for p in PRECISIONS)]:
            if work in keys:
                continue
            _, *unit_, precision = work.split(".")
            if self.sort == "plain":
                found[work] = "flops"
            elif self.sort == "kinds" and f"flops.{precision}" in keys:
                found[work] = f"flops.{precision}"
            elif self.sort == "units" and unit_ and unit_[0] != "vector":
                if f"flops.vector.{precision}" in keys:
                    found[work] = f"flops.vector.{precision}"
            elif self.sort == "units" and not unit_:
                having = [k for k in keys if k.startswith("flops.") and k.endswith(precision)]
                first = next(key for key in keys if key.startswith("flops."))
                if first in having:  # the default
                    found[work] = first
                elif len(having) == 1 and ".vector." in having[0]:
                    found[work] = having[0]
        if self.sort != "plain":
            found["flops"] = next(key for key in keys if key.startswith("flops."))
        if self.levels:
            found["memory"] = "memory.L2"
        self.asked = [key for key in found if key != "memory"]
        return found

    # Programs

    def parts(self, depth: int) -> tuple[list[str], tuple[Part, ...]]:
        made = [self.part(depth) for _ in range(self.random.choice((1, 2, 2, 3)))]
        return [text for text, _ in made], tuple(part for _, part in made)

    def part(self, depth: int) -> tuple[str, Part]:
        if depth and self.chance(45):
            word = self.random.choice(("overlap", "repeat", "iterate", "wait", "overlap"))
            texts, parts = self.parts(depth - 1)
            inside = "; ".join(texts)
            if word == "overlap":
                return f"overlap {{ {inside} }}", Part("overlap", "overlap", parts=parts)
            counts = ("0", "0.5", "2", "1/3") if word == "wait" else ("0", "1", "2", "3")
            times = self.random.choice(counts)
            sort = "wait" if word == "wait" else "sequence"
            part = Part(word, sort, parts=parts, times=Fraction(times))
            return f"{word} ({times}) {{ {inside} }}", part
        return self.kernel()

    def kernel(self) -> tuple[str, Part]:
        self.names += 1
        name = f"s{self.names}"
        able = [*self.available, *self.asked]
        count = self.random.choice((0, 1, 2, 3, 4))
        work: dict[str, Fraction] = {}
        lines: list[str] = []
        for key in self.random.sample(able, min(count, len(able))):
            amount = self.random.choice(("0", "1", "2", "3", "5", "0.5"))
            work[key] = Fraction(amount)
            amount = f"{amount} {unit(key)}"
            if self.grows:
                amount, self.amounts[name, key] = self.growing(amount, work[key])
            lines.append(f"{key} = {amount}")
        if not lines:
            lines.append("let nothing = 0")
        return f"step {name} {{ {'; '.join(lines)} }}", Part(name, "kernel", work)

    def growing(self, amount: str, each: Fraction) -> tuple[str, Callable[[int], Fraction]]:
        """Return an amount of work times a formula of `n`, and what it is at a number."""
        k = self.random.choice((2, 3, 7, 10, 40))
        return self.random.choice(
            (
                (amount, lambda _: each),
                (f"{amount}*n", lambda n: each * n),
                (f"{amount}*n", lambda n: each * n),
                (f"{amount}*n^2/{k}", lambda n: each * n * n / k),
                (f"{amount}*max(n - {k}, 0)", lambda n: each * max(n - k, 0)),
                (f"{amount}*ceil(n/{k})", lambda n: each * -(-n // k)),
                (f"{amount}*{k}/n", lambda n: each * k / n),
            )
        )


PRECISIONS = ("fp64", "fp32", "bf16")


def unit(key: str) -> str:
    return UNITS[key.partition(".")[0]]
