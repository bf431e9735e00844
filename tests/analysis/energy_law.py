"""Energy and money once more, in exact fractions, for the tests: it shares nothing with our code.

Work takes energy, a unit at a time; what runs at once takes the sum. What a machine and its devices
draw or cost, they do for all of the time, once, whatever runs. All that is for every process, so
the work of all of them must be known: it is stated, or even, or there is but one process. Where
something is not known there is no number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random

Amounts = dict[str, Fraction]
RESOURCES = {"flops.a": "flop", "flops.b": "flop", "memory": "B", "network": "B"}
ENERGIES = ("0", "1", "0.5", "3", "0.25")


@dataclass(frozen=True)
class Place:
    """The machine or a device: energies by resource, power, price; None where it states none."""

    energies: dict[str, str]
    power: str | None
    price: str | None

    def energy(self, key: str) -> Fraction | None:
        """Return the energy of work: its own kind's, or the one of all kinds."""
        kinds = [name for name in self.energies if name.startswith("flops")]
        if key not in self.energies and key.startswith("flops") and kinds == ["flops"]:
            key = "flops"
        found = self.energies.get(key)
        return None if found is None else Fraction(found)

    def lines(self) -> Iterator[str]:
        if self.energies:
            inside = (f"{k} = {e} J/{RESOURCES.get(k, 'flop')}" for k, e in self.energies.items())
            yield f"energy {{ {'; '.join(inside)} }}"
        if self.power is not None:
            yield f"power = {self.power} W"
        if self.price is not None:
            yield f"price = {self.price} euro/s"


@dataclass(frozen=True)
class Kernel:
    """Work in place; `total` says of all processes: nothing, `even`, or the sum of all flops."""

    work: dict[str, int]
    device: str
    total: str

    def text(self, name: str) -> str:
        units = {
            key: f"{n} {unit}" for key, unit in RESOURCES.items() for n in [self.work.get(key)]
        }
        lines = [f"{key} = {units[key]}" for key in self.work]
        lines += {"even": ["total even"], "flops": [f"total flops = {self.flops} * P"], "": []}[
            self.total
        ]
        place = f" on {self.device}" if self.device else ""
        return f"step {name}{place} {{ {'; '.join(lines)} }}"

    @property
    def flops(self) -> int:
        return sum(n for key, n in self.work.items() if key.startswith("flops"))


@dataclass(frozen=True)
class Group:
    """Parts in a row, at once, or repeated."""

    word: str
    parts: tuple[Kernel | Group, ...]
    times: int = 1

    def text(self, name: str) -> str:
        head = f"repeat {self.times}" if self.word == "repeat" else self.word
        inside = "; ".join(part.text(f"{name}{at}") for at, part in enumerate(self.parts))
        return f"{head} {{ {inside} }}" if head else inside


@dataclass(frozen=True)
class Program:
    """A model of `count` processes, or one that counts none, on a machine with devices."""

    root: Group
    counted: bool
    count: int
    places: dict[str, Place]
    even: bool = field(default=False)

    def text(self) -> str:
        rates = "flops { a = 1 flop/s; b = 2 flop/s; default a }; memory = 4 B/s; network = 8 B/s"
        texts = ["unit euro"]
        for name, place in self.places.items():
            devices = [f"device {other} = {other}" for other in self.places if other and not name]
            lines = [rates, *place.lines(), *devices]
            texts.append(f"machine {name or 'box'} {{ {'; '.join(lines)} }}")
        head = f"param P: processes = {self.count}" if self.counted else f"let P = {self.count}"
        even = "; total even" if self.even else ""
        texts.append(f"model m {{ {head}; {self.root.text('s')}{even} }}")
        return "\n".join(texts)


def law(program: Program, time: Fraction) -> dict[str, Fraction | None]:
    """Return what a program takes whose time is known: None for what is not."""
    count = program.count if program.counted else 1
    works = [*_works(program.root, Fraction(1))]
    found: dict[str, Fraction | None] = {}
    total: Fraction | None = Fraction()
    by_device = dict.fromkeys(program.places, Fraction())
    for kernel, runs in works:
        if not runs:  # what never runs takes nothing, whatever is known of it
            continue
        spent = _of_kernel(kernel, program, count)
        if spent is None:
            total = None
            break
        by_device[kernel.device] += runs * spent
        assert total is not None
        total += runs * spent
    found["energy.work"] = total
    powers = [place.power for place in program.places.values()]
    missing = None in powers
    constant = None if missing else sum(Fraction(p or 0) for p in powers) * time * count
    found["energy.constant"] = constant
    found["energy"] = None if total is None or constant is None else total + constant
    energy = found["energy"]
    found["power"] = None if energy is None or not time else energy / time
    for name, place in program.places.items():
        if name:
            own = None if energy is None else Fraction(place.power or 0) * time * count
            found[f"energy.{name}"] = None if own is None else own + by_device[name]
    prices = {name: place.price for name, place in program.places.items()}
    devices = [price for name, price in prices.items() if name]
    known = prices[""] is not None or (devices and None not in devices)
    paid = sum(Fraction(price or 0) for price in prices.values()) * time * count
    found["cost"] = paid if known else None
    if not any(place.energies or place.power or place.price for place in program.places.values()):
        return dict.fromkeys(found)
    return found


def _of_kernel(kernel: Kernel, program: Program, count: int) -> Fraction | None:
    """Return the energy of one run of a kernel in all processes."""
    place = program.places[kernel.device]
    work = {key: amount for key, amount in kernel.work.items() if amount}
    spent = Fraction()
    for key, amount in work.items():
        energy = place.energy(key)
        if energy is None:
            return None
        flops = key.startswith("flops")
        if program.even or not program.counted or kernel.total == "even":
            spent += count * amount * energy
        elif kernel.total == "flops" and flops:
            kinds = [name for name in work if name.startswith("flops")]
            # One total of several kinds says nothing of each, unless one energy is that of all.
            if len(kinds) > 1 and "flops" not in place.energies:
                return None
            spent += count * amount * energy
        else:
            return None
    return spent


def _works(part: Kernel | Group, runs: Fraction) -> Iterator[tuple[Kernel, Fraction]]:
    if isinstance(part, Kernel):
        yield part, runs
        return
    for inner in part.parts:
        yield from _works(inner, runs * part.times)


def programs(seed: str, count: int) -> Iterator[Program]:
    for number in range(count):
        yield _program(Random(f"{seed} {number}"))


def _program(random: Random) -> Program:
    counted = random.random() < 0.7
    devices = random.choice([[], [], ["gpu"], ["gpu", "cpu"]])
    stating = random.choice((0.6, 0.95, 1, 1))
    places = {name: _place(random, stating) for name in (*devices, "")}
    even = counted and random.random() < 0.3
    root = Group("", tuple(_part(random, devices, counted, 2) for _ in range(random.randint(1, 3))))
    return Program(root, counted, random.randint(1, 5), places, even)


def _place(random: Random, stating: float) -> Place:
    kinds = random.choice((["flops"], ["flops.a", "flops.b"], ["flops.a"]))
    keys = [key for key in (*kinds, "memory", "network") if random.random() < stating]
    energies = {key: random.choice(ENERGIES) for key in keys}
    power = random.choice(ENERGIES) if random.random() < stating else None
    price = random.choice(ENERGIES) if random.random() < stating else None
    return Place(energies, power, price)


def _part(random: Random, devices: list[str], counted: bool, depth: int) -> Kernel | Group:
    if depth and random.random() < 0.5:
        word = random.choice(("overlap", "repeat"))
        parts = tuple(
            _part(random, devices, counted, depth - 1) for _ in range(random.randint(1, 3))
        )
        return Group(word, parts, random.randint(0, 3) if word == "repeat" else 1)
    keys = random.sample([*RESOURCES], random.randint(1, 4))
    work = {key: random.choice((0, 1, 2, 5, 8)) for key in keys}
    # A total is stated only of what is worked on.
    choices = (
        ["even", "even", "", "flops"] if any(k.startswith("flops") for k in keys) else ["even"]
    )
    total = random.choice(choices) if counted else ""
    return Kernel(work, random.choice(["", *devices]), total)
