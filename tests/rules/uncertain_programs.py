"""Random programs whose numbers have `±`, and what they take, in NumPy: a law that shares nothing.

The law is that of `tests/analysis/law.py`, for many machines and models at once: each number with
`±` is an array. Expressions are trees of tuples, which are written out for roofdsl and computed
here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"
Known: TypeAlias = Mapping[str, Array]
Tree: TypeAlias = "float | str | tuple[str, Tree, Tree] | tuple[str, Tree, Tree, Tree, Tree]"
Taken: TypeAlias = "tuple[Array, dict[str, Array]]"
"""The time of a part, and how long it keeps each resource busy."""

STEPS: dict[str, Callable[[Array, Array], Array]] = {
    "+": np.add,
    "*": np.multiply,
    "/": np.divide,
    "max": np.maximum,
    "min": np.minimum,
}


def written(tree: Tree, names: Mapping[str, str]) -> str:
    """Return an expression as a file has it; `names` are what sources are called there."""
    match tree:
        case str():
            return names[tree]
        case (operator, left, right):
            both = written(left, names), written(right, names)
            if operator in ("max", "min"):
                return f"{operator}({', '.join(both)})"
            return f"({operator.join(both)})"
        case ("if", *parts):
            tested, limit, one, other = (written(part, names) for part in parts)
            return f"(if {tested} > {limit} then {one} else {other})"
    return f"{tree:g}"


def computed(tree: Tree, known: Known) -> Array:
    match tree:
        case str():
            return known[tree]
        case (operator, left, right):
            return STEPS[operator](computed(left, known), computed(right, known))
        case ("if", *parts):
            tested, limit, one, other = (computed(part, known) for part in parts)
            return np.where(tested > limit, one, other)
    return np.asarray(tree, np.float64)


@dataclass(frozen=True)
class Kernel:
    """Work by resource."""

    work: dict[str, Tree]


@dataclass(frozen=True)
class Group:
    """Parts one after another so many times, or at once (`overlap`)."""

    word: str
    times: int
    parts: list[Kernel | Group]


@dataclass
class Program:
    """A model and a machine as a text, the numbers with `±` in it, and what the model takes.

    `sources` are value and half by the names that roofdsl gives them, in SI base units. `rates` are
    times of a unit of work, as trees in these.
    """

    text: str = ""
    sources: dict[str, tuple[float, float]] = field(default_factory=dict)
    per_unit: dict[str, Tree] = field(default_factory=dict)
    energies: dict[str, Tree] = field(default_factory=dict)
    start: Tree = 0.0
    power: Tree | None = None
    price: Tree | None = None
    derived: dict[str, Tree] = field(default_factory=dict)
    root: Kernel | Group = field(default_factory=lambda: Kernel({}))
    metrics: dict[str, Callable[[dict[str, Array], Known], Array]] = field(default_factory=dict)

    @property
    def is_kernel(self) -> bool:
        return isinstance(self.root, Kernel)

    def answers(self, known: Known) -> dict[str, Array]:
        """Return what the model takes where its numbers are those known, by name."""
        known = {**known, **{name: computed(tree, known) for name, tree in self.derived.items()}}
        time, busy = self._part(self.root, known)
        work = self._work(self.root, known)
        found = {"time": time, "flops": work["flops"], "memory": work["memory"]}
        found["attainable"] = work["flops"] / time
        found |= {f"time.{name}": each for name, each in busy.items()}
        if self.energies:
            spent = [work[key] * computed(self.energies[key], known) for key in work]
            found["energy.work"] = np.sum(np.broadcast_arrays(*spent), axis=0)
            if self.power is not None:
                found["energy"] = found["energy.work"] + computed(self.power, known) * time
                found["power"] = found["energy"] / time
        if self.price is not None:
            found["cost"] = computed(self.price, known) * time
        metrics = {name: of(found, known) for name, of in self.metrics.items()}
        return {**found, **metrics}

    def _part(self, part: Kernel | Group, known: Known) -> Taken:
        if isinstance(part, Kernel):
            return self._kernel(part, known)
        taken = [self._part(each, known) for each in part.parts]
        names = dict.fromkeys(name for _, busy in taken for name in busy)
        busy = {
            name: part.times * sum((each[name] for _, each in taken if name in each), np.zeros(1))
            for name in names
        }
        times = [time for time, _ in taken]
        if part.word == "overlap":
            longest = [*times, *busy.values()]
            return np.max(np.broadcast_arrays(*longest), axis=0), busy
        return part.times * np.sum(np.broadcast_arrays(*times), axis=0), busy

    def _kernel(self, kernel: Kernel, known: Known) -> Taken:
        busy: dict[str, Array] = {}
        for name, tree in kernel.work.items():
            group = "network" if name == "messages" else name
            time = computed(tree, known) * computed(self.per_unit[name], known)
            busy[group] = busy[group] + time if group in busy else time
        start = computed(self.start, known)
        time = start + np.max(np.broadcast_arrays(*busy.values()), axis=0)
        return time, {**busy, **({"startup": start} if self.start != 0.0 else {})}

    def _work(self, part: Kernel | Group, known: Known) -> dict[str, Array]:
        found = {name: np.zeros(1) for name in ("flops", "memory", "network", "messages")}
        if isinstance(part, Kernel):
            return found | {name: computed(tree, known) for name, tree in part.work.items()}
        for each in part.parts:
            for name, amount in self._work(each, known).items():
                found[name] = found[name] + part.times * amount
        return found

    def samples(self, count: int, seed: int) -> dict[str, Array]:
        """Return so many values of each number: the stated ones, corners, and others between."""
        rng = np.random.default_rng(seed)
        signs = rng.uniform(-1, 1, (count, len(self.sources)))
        corners = min(count // 2, 2 ** len(self.sources))
        for place in range(len(self.sources)):
            signs[:corners, place] = 1 - 2.0 * (np.arange(corners) >> place & 1)
        signs[corners] = 0
        return {
            name: value + half * signs[:, place]
            for place, (name, (value, half)) in enumerate(self.sources.items())
        }


RESOURCES = ("flops", "memory", "network", "messages")
_SIZES = {"flops": 1e6, "memory": 1e6, "network": 1e6, "messages": 10.0}
"""What work is in: times are milliseconds, so that any resource may bind."""


def program(random: Random) -> Program:
    """Return a random program, of which two in five are one kernel whose ends lie at corners."""
    return _Writer(random, is_kernel=random.random() < 0.4).program()


class _Writer:
    def __init__(self, random: Random, *, is_kernel: bool) -> None:
        self._random = random
        self._is_kernel = is_kernel
        self._found = Program()
        self._steps = 0

    def program(self) -> Program:
        found = self._found
        machine, model = self._machine(), self._model()
        lines = ["unit euro", "machine box {", *machine, "}", *model]
        found.text = "\n".join(lines) + "\n"
        return found

    def _number(self, unit: str, factor: float, title: str) -> tuple[str, Tree]:
        """Return a number as written, and what stands for it: a source where it has `±`."""
        tenths, chance = self._random.randint(10, 99), self._random.random()
        digits, value = f"{tenths / 10:g}", tenths / 10 * factor
        if chance < 0.25:
            return digits + unit, value
        if chance < 0.6:
            percent = self._random.choice((0.5, 1, 5, 20))
            self._found.sources[title] = value, value * percent / 100
            return f"{digits} ± {percent:g} %{unit}", title
        off = self._random.randint(1, tenths // 2 if chance < 0.8 else 5)
        self._found.sources[title] = value, off / 10 * factor
        return f"{digits} +- {off / 10:g}{unit}", title

    def _machine(self) -> list[str]:
        found, chance = self._found, self._random.random
        lines: list[str] = []
        if chance() < 0.5:
            cores, many = self._number("", 1, "box.cores")
            each, speed = self._number(" GFLOP/s", 1e9, "box.each")
            lines += [f"param cores = {cores}", f"let each = {each}", "flops = cores*each"]
            found.per_unit["flops"] = ("/", 1.0, ("*", many, speed))
        else:
            self._stated("flops", " GFLOP/s", 1e9, lines)
        if chance() < 0.3:
            self._stated("memory", " ns/B", 1e-9, lines, inverse=True)
        else:
            self._stated("memory", " GB/s", 1e9, lines)
        self._stated("network", " GB/s", 1e9, lines)
        self._stated("messages", " us/message", 1e-6, lines, inverse=True)
        if chance() < 0.4:
            text, found.start = self._number(" ms", 1e-3, "box.startup")
            lines.append(f"startup = {text}")
        if chance() < 0.6:
            for name in RESOURCES:
                unit = {"flops": "flop", "messages": "message"}.get(name, "B")
                text, tree = self._number(f" nJ/{unit}", 1e-9, f"box.energy.{name}")
                lines.append(f"energy {name} = {text}")
                found.energies[name] = tree
            if chance() < 0.6:
                text, found.power = self._number(" W", 1, "box.power")
                lines.append(f"power = {text}")
        if chance() < 0.5:
            text, found.price = self._number(" euro/h", 1 / 3600, "box.price")
            lines.append(f"price = {text}")
        return lines

    def _stated(
        self, name: str, unit: str, factor: float, lines: list[str], *, inverse: bool = False
    ) -> None:
        text, tree = self._number(unit, factor, f"box.{name}")
        lines.append(f"{name} = {text}")
        self._found.per_unit[name] = tree if inverse else ("/", 1.0, tree)

    def _model(self) -> list[str]:
        found, lines = self._found, list[str]()
        own: dict[str, str] = {}
        for name in ("u", "v"):
            text, tree = self._number("", 1, name)
            lines.append(f"let {name} = {text}")
            if isinstance(tree, str):
                own[name] = name
        text, tree = self._number("", 1, "part")
        lines.append(f"param part: real = {text}")
        if isinstance(tree, str):
            own["part"] = "part"
        if own and self._random.random() < 0.5:
            found.derived["made"] = self._tree([*own])
            lines.append(f"let made = {written(found.derived['made'], own)}")
            own["made"] = "made"
        inner: list[str] = []
        if self._is_kernel:
            found.root = self._kernel(own)
            lines += self._work(found.root, own)
        else:
            found.root = Group("sequence", 1, self._parts(own, lines, inner, 0))
        self._metrics(own, lines)
        return [*inner, "model asked {", *lines, "}"]

    def _parts(
        self, names: Mapping[str, str], lines: list[str], inner: list[str], depth: int
    ) -> list[Kernel | Group]:
        parts: list[Kernel | Group] = []
        for _ in range(self._random.randint(1, 3)):
            chance = self._random.random()
            self._steps += 1
            step = f"step{self._steps}"
            if depth < 2 and chance < 0.4:
                word = self._random.choice(("overlap", "repeat", "iterate"))
                times = 1 if word == "overlap" else self._random.randint(2, 5)
                lines.append("overlap {" if word == "overlap" else f"{word} {times} {{")
                parts.append(Group(word, times, self._parts(names, lines, inner, depth + 1)))
                lines.append("}")
            elif chance < 0.7:
                kernel = self._kernel(names)
                lines += [f"step {step} {{", *self._work(kernel, names), "}"]
                parts.append(kernel)
            else:
                parts.append(self._called(step, names, lines, inner))
        return parts

    def _called(
        self, step: str, names: Mapping[str, str], lines: list[str], inner: list[str]
    ) -> Kernel:
        """Return the kernel of a model of its own, with a number of its own and one given to it."""
        model, inside = f"model_{step}", dict[str, str]()
        text, tree = self._number("", 1, f"{model}.w")
        statements = [f"let w = {text}"]
        if isinstance(tree, str):
            inside[tree] = "w"
        if names:
            given = self._random.choice([*names])
            inside[given] = "q"
            statements.append("param q: real")
        kernel = self._kernel(inside)
        inner += [f"model {model} {{", *statements, *self._work(kernel, inside), "}"]
        lines.append(f"step {step} = {model}({f'q = {names[given]}' if names else ''})")
        return kernel

    def _kernel(self, names: Mapping[str, str]) -> Kernel:
        worked = self._random.sample(RESOURCES, self._random.randint(1, 4))
        work: dict[str, Tree] = {}
        for name in (each for each in RESOURCES if each in worked):
            size = self._random.randint(1, 99) * _SIZES[name]
            tree = self._tree([*names]) if names and self._random.random() < 0.7 else 1.0
            work[name] = ("*", size, tree)
        return Kernel(work)

    def _work(self, kernel: Kernel, names: Mapping[str, str]) -> list[str]:
        units = {"messages": " * 1 message"}
        return [
            f"{key} = {written(t, names)}{units.get(key, '')}" for key, t in kernel.work.items()
        ]

    def _tree(self, names: list[str], depth: int = 0) -> Tree:
        """Return an expression above 0: of a kernel one that rises or falls in each number."""
        chance, random = self._random.random(), self._random
        if depth == 2 or chance < 0.35:
            return random.choice(names)
        if self._is_kernel and chance < 0.5:
            name = random.choice(names)
            return ("/", name, ("+", name, float(random.randint(1, 9))))
        if self._is_kernel:
            operator = random.choice(("+", "*", "max", "min"))
            return (operator, self._tree(names, depth + 1), self._tree(names, depth + 1))
        if chance < 0.5:
            limit = random.randint(10, 99) / 10
            one, other = self._tree(names, depth + 1), self._tree(names, depth + 1)
            return ("if", random.choice(names), limit, one, other)
        operator = random.choice([*STEPS])
        return (operator, self._tree(names, depth + 1), self._tree(names, depth + 1))

    def _metrics(self, own: Mapping[str, str], lines: list[str]) -> None:
        metrics = self._found.metrics
        if own:
            name = self._random.choice([*own])
            lines.append(f"metric weighted = time*{own[name]}")
            metrics["weighted"] = lambda found, known: found["time"] * known[name]
        lines.append("metric paced = (flops/1 flop + memory/1 B) / time")
        metrics["paced"] = lambda found, _: (found["flops"] + found["memory"]) / found["time"]
