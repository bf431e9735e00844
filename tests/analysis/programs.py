"""Random programs for the law: each as text in the language, and as parts at a value of `n`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from random import Random

from tests.analysis.law import Load, Part

UNITS = {
    "flops": "flop",
    "memory": "B",
    "network": "B",
    "messages": "message",
    "disk": "B",
    "atomics": "edge",
}
SHARES = {"messages": "network", "atomics": "memory"}
DECLARED = "unit edge\nresource disk: B\nresource atomics: edge shares memory\n"
LEVELS = {"flops": ("fma", "add"), "memory": ("L2", "DRAM"), "network": ("near", "far")}
OF_UNITS = {
    "matrix.fp64": "8",
    "matrix.bf16": "20",
    "vector.fp64": "3",
    "vector.fp32": "7",
    "special.fp32": "1",
}
"""Units of flops, each with its kinds, and rates for those."""
ASKED = (
    *(f"flops.{kind}" for kind in OF_UNITS),
    "flops",
    "flops.fp64",
    "flops.fp32",
    "flops.matrix.fp32",
    "flops.special.fp64",
)
"""What work asks for where a machine has units; what they lack the vector unit does."""
LACKING = "memory.L1"
TABLE = Path(__file__).with_name("operation.csv")
MEASURED = {"1": "0.5", "2": "3", "3": "0.01"}
"""The seconds that the operation takes, as in the table."""
# Of these two, times a whole number, the second is larger by less than rounding may be.
NEARLY_EQUAL = (10_000_000_000_000, 10_000_000_000_001)
SIZES = ("1", "3", "0.5", "10")
STARTS = ("0", "0.3", "1", "20")
RATES = ("1", "1", "1", "2", "3", "7", "0.1", "0.3", "2.5", "10")


@dataclass(frozen=True)
class Line:
    """(each·n + plus) · scale: an amount that changes with `n`."""

    each: int
    plus: int
    scale: str = "1"

    def at(self, n: Fraction) -> Fraction:
        return (self.each * n + self.plus) * Fraction(self.scale)

    def text(self, unit: str = "") -> str:
        size = f"{self.scale} {unit}".strip()
        grown = f"sum({self.each} for k in 1..n)" if self.each in (3, 7) else f"{self.each}*n"
        return f"({grown} + {self.plus}) * {size}"


@dataclass(frozen=True)
class Box:
    """A machine: rates by resource and level, None where unlimited; what plain names mean.

    `halves` are the work at which rates are half of what they are for large work, for each message
    where `by_messages` has them; those of `growing` grow with it. `own` are the sizes at which the
    operation runs at a quarter of the rate. `startups` are of resources, and of kernels under "".
    """

    name: str
    rates: dict[str, str | None]
    inverse: frozenset[str]
    defaults: dict[str, str]
    capacity: int
    measured: bool
    concurrent: tuple[str, ...] = ()
    serial: tuple[tuple[str, ...], ...] = ()
    halves: dict[str, str] = field(default_factory=dict)
    by_messages: frozenset[str] = frozenset()
    growing: frozenset[str] = frozenset()
    own: dict[str, str] = field(default_factory=dict)
    startups: dict[str, str] = field(default_factory=dict)
    devices: dict[str, Box] = field(default_factory=dict)

    @property
    def has_units(self) -> bool:
        return "flops.vector.fp64" in self.rates

    def unit(self, key: str) -> str:
        """Return the unit that flops keep busy: one by itself where it runs beside others."""
        unit = f"flops.{self.serving(key).split('.')[1]}" if self.has_units else "flops"
        return unit if unit in self.concurrent else "flops"

    def sums(self, key: str, unit: str) -> Iterator[str]:
        """Yield what work on a part of the machine adds up in, by a name."""
        resource = key.partition(".")[0]
        names = {unit} if resource == "flops" else {unit, SHARES.get(resource, resource)}
        of_flops = False
        for number, statement in enumerate(self.serial):
            of_flops = of_flops or "flops" in statement
            if "flops" not in statement or not self.concurrent:
                if names & {*statement}:
                    yield f"{self.name} {number}"
                continue
            for own in self.concurrent:
                if names & {own, *statement}:
                    yield f"{self.name} {number} {own}"
        if not of_flops:
            yield from (f"{self.name} {own}" for own in self.concurrent if names & {own, "flops"})

    def has(self, resource: str) -> bool:
        return any(key.partition(".")[0] == resource for key in self.rates)

    def serving(self, key: str) -> str:
        """Return what serves work: the default level for a plain name, one for all kinds."""
        resource = key.partition(".")[0]
        if resource == "flops" and self.has_units and key not in self.rates:
            # Defaults are of fp32, then of fp64; what other units lack the vector unit does.
            precision = key.rpartition(".")[2]
            return f"flops.vector.{'fp32' if precision == 'flops' else precision}"
        names = (key, f"{resource}.{self.defaults.get(resource, '')}", resource)
        return next((name for name in names if name in self.rates), resource)

    def rate(self, key: str) -> Fraction | None:
        """Return the rate that serves work."""
        found = self.serving(key)
        written = self.rates[found]
        if written is None:
            return None
        return 1 / Fraction(written) if found in self.inverse else Fraction(written)

    def rate_at(
        self, key: str, work: Fraction, messages: Fraction, operation: str
    ) -> Fraction | None:
        """Return the rate that serves the work of a kernel."""
        most, found = self.rate(key), self.serving(key)
        if most is None or not work:
            return most
        if operation and found in self.own:
            size = Fraction(operation)
            return most / 2 * size / (size + Fraction(self.own[found]))
        if found in self.growing:
            return most * work
        half = Fraction(self.halves.get(found, "0"))
        return most * work / (work + half * (messages if found in self.by_messages else 1))

    def stated(self, key: str, name: str) -> Iterator[str]:
        """Yield the rate of a resource or level, as it is stated under its name, and `own` ones."""
        written, resource = self.rates[key], key.partition(".")[0]
        unit = UNITS[resource]
        speed = f"{written} s/{unit}" if key in self.inverse else f"{written} {unit}/s"
        speed = "unlimited" if written is None else speed
        if key in self.growing:
            yield f"{name}(w) = {speed} * w / 1 {unit}"
        elif key in self.halves:
            each = "*messages / 1 message" if key in self.by_messages else ""
            more = f"(w + {self.halves[key]} {unit}{each})"
            part = f"{more}/w" if key in self.inverse else f"w/{more}"
            yield f"{name}(w{', messages' * bool(each)}) = {speed} * {part}"
        else:
            yield f"{name} = {speed}"
        if key in self.own:
            yield f"{name} as operation(size) = {speed}/2 * size/(size + {self.own[key]})"

    def text(self) -> str:
        lines = [f"capacity memory = {self.capacity} B"]
        for resource in dict.fromkeys(key.partition(".")[0] for key in self.rates):
            inside: list[str] = []
            for key in self.rates:
                name, _, level = key.partition(".")
                if name == resource:
                    inside += self.stated(key, level or name)
            if resource in self.defaults:
                inside.append(f"default {self.defaults[resource]}")
            if resource == "flops" and self.has_units:
                inside.append("default vector.fp64")
            levelled = f"{resource} {{ {'; '.join(inside)} }}"
            lines += [levelled] if resource in self.defaults else inside
        lines += [f"startup {key} = {time} s" for key, time in self.startups.items()]
        lines += [f"concurrent {', '.join(self.concurrent)}"] if self.concurrent else []
        lines += [f"serial {', '.join(names)}" for names in self.serial]
        lines += [f"device {name} = {box.name}" for name, box in self.devices.items()]
        lines += [f'measured operation(size) from "{TABLE}"'] if self.measured else []
        return f"machine {self.name} {{ {'; '.join(lines)} }}"


@dataclass(frozen=True)
class Kernel:
    name: str
    work: dict[str, Line]
    time: Line | None
    tallies: dict[str, Line]
    operation: str = ""

    def text(self) -> str:
        lines = [f"as operation(size = {self.operation})"] if self.operation else []
        for key, x in self.work.items():
            resource, *kind = key.split(".")
            selected = f"{resource}.{kind[0]}[{kind[1]}]" if len(kind) > 1 else key
            lines.append(f"{selected} = {x.text(UNITS[resource])}")
        if self.time is not None:
            lines.append(f"time = {self.time.text('s')}")
        return "; ".join([*lines, *_tallies(self.tallies)])

    def part(self, name: str, n: Fraction, box: Box, device: str) -> Part:
        of = box.devices[device] if device else box
        counting = _memory_that_counts(self.work, of if of.has("memory") else box)
        served: dict[tuple[str, str], Fraction] = {}
        for key, line in self.work.items():
            if key == LACKING or key == self._again(of if of.has("memory") else box):
                continue
            on = of if of.has(key.partition(".")[0]) else box
            place = on.name, on.serving(key)
            served[place] = served.get(place, Fraction()) + line.at(n)
        messages = self.work["messages"].at(n) if "messages" in self.work else Fraction()
        started: set[tuple[str, str, str]] = set()
        loads: list[Load] = []
        for key, line in self.work.items():
            resource, _, level = key.partition(".")
            if key == LACKING:  # the machine lacks this cache, and the kernel states memory as well
                continue
            own = of.has(resource)
            on = of if own else box
            if key == self._again(on):
                continue  # plain memory states the same traffic
            unit = on.unit(key) if resource == "flops" else on.serving(SHARES.get(resource, key))
            if resource == "messages":  # they add to the link by which the kernel sends
                unit = on.serving(self._link())
            timed = resource == "flops" and self.operation and of.measured
            # What was measured is the time of all kinds together.
            others = any(load.measured is not None for load in loads)
            unit = "flops" if timed else unit
            found = on.serving(key)
            begins = (on.name, found if found in on.startups else resource, unit)
            start = Fraction(on.startups.get(begins[1], "0"))
            if timed or not line.at(n) or begins in started:
                start = Fraction()
            else:
                started.add(begins)
            loads.append(
                Load(
                    device if own else "",
                    resource,
                    level,
                    line.at(n),
                    on.rate_at(key, served[on.name, found], messages, self.operation),
                    (device if own else "", unit),
                    SHARES.get(resource, ""),
                    resource != "memory" or key == counting,
                    Fraction(0 if others else MEASURED[self.operation]) if timed else None,
                    on.rate(key),
                    start,
                    tuple(on.sums(key, unit)),
                )
            )
        stated = None if self.time is None else self.time.at(n)
        starter, tallies = of if "" in of.startups else box, _at(self.tallies, n)
        starts: dict[str, Fraction] = {}
        works = any(load.amount for load in loads)
        if works and stated is None and all(load.measured is None for load in loads):
            called = f"{device}.startup" if device and starter is of else "startup"
            starts = {called: Fraction(starter.startups[""])} if "" in starter.startups else {}
        return Part(name, "kernel", tuple(loads), stated, tallies=tallies, start=starts)

    def _link(self) -> str:
        """Return the one link that the kernel names, or plain network."""
        links = [key for key in self.work if key.partition(".")[0] == "network"]
        return links[0] if len(links) == 1 else "network"

    def _again(self, box: Box) -> str:
        """Return the level of memory that states what plain memory does, "" where none does."""
        level = box.defaults.get("memory")
        return f"memory.{level}" if level and "memory" in self.work else ""


@dataclass(frozen=True)
class Model:
    name: str
    inside: tuple[Step | Group, ...]
    tallies: dict[str, Line]

    def text(self) -> str:
        return "; ".join([*(part.text() for part in self.inside), *_tallies(self.tallies)])

    def part(self, name: str, n: Fraction, box: Box, device: str) -> Part:
        parts = tuple(part.part(n, box, device) for part in self.inside)
        return Part(name, "sequence", parts=parts, tallies=_at(self.tallies, n))


@dataclass(frozen=True)
class Step:
    """A step: a model with its `n`, or a kernel or parts written in place."""

    name: str
    body: Kernel | Model | Mix
    n: Line | None
    device: str

    def text(self) -> str:
        place = f" on {self.device}" if self.device else ""
        if self.n is None:
            return f"step {self.name}{place} {{ {self.body.text()} }}"
        return f"step {self.name} = {self.body.name}(n = {self.n.text()}){place}"

    def part(self, n: Fraction, box: Box, device: str) -> Part:
        inner = n if self.n is None else self.n.at(n)
        return self.body.part(self.name, inner, box, self.device or device)


@dataclass(frozen=True)
class Group:
    """Parts that overlap, or that run so many times: as `repeat`, `iterate` or `wait` says.

    An `if` holds where its `times` are more than 2.
    """

    times: Line | None
    inside: tuple[Step | Group, ...]
    word: str = "repeat"

    def text(self) -> str:
        word = "overlap" if self.times is None else f"{self.word} {self.times.text()}"
        word += " > 2" if self.word == "if" else ""
        return f"{word} {{ {'; '.join(part.text() for part in self.inside)} }}"

    def part(self, n: Fraction, box: Box, device: str) -> Part:
        parts = tuple(part.part(n, box, device) for part in self.inside)
        if self.times is None:
            return Part("overlap", "overlap", parts=parts)
        arrangement = "sequence" if self.word in ("repeat", "if") else self.word
        times = self.times.at(n)
        times = Fraction(times > 2) if self.word == "if" else times
        return Part(self.word, arrangement, parts=parts, times=times)


@dataclass(frozen=True)
class Job:
    """A job of a mix: a model with its `n`, or another mix, so often."""

    step: Step
    weight: Line

    def text(self) -> str:
        call = self.step.text().partition("=")[2]
        return f"job {self.step.name} = {self.weight.text()} *{call}"

    def part(self, n: Fraction, box: Box) -> Part:
        parts = (self.step.part(n, box, ""),)
        return Part("job", "job", parts=parts, times=self.weight.at(n))


@dataclass(frozen=True)
class Mix:
    """Jobs, each a run of its own."""

    name: str
    jobs: tuple[Job, ...]

    def text(self) -> str:
        return "; ".join(job.text() for job in self.jobs)

    def part(self, name: str, n: Fraction, box: Box, device: str) -> Part:
        assert not device
        return Part(name, "mix", parts=tuple(job.part(n, box) for job in self.jobs))


@dataclass(frozen=True)
class Program:
    """A model or a mix `main` of one whole number `n` on a machine `box`."""

    root: Kernel | Model | Mix
    models: tuple[Kernel | Model | Mix, ...]
    box: Box

    def text(self) -> str:
        models = (*self.models, self.root)
        words = ["mix" if isinstance(x, Mix) else "model" for x in models]
        texts = [
            f"{word} {x.name} {{ param n: integer; {x.text()} }}"
            for word, x in zip(words, models, strict=True)
        ]
        machines = [box.text() for box in (*self.box.devices.values(), self.box)]
        return DECLARED + "\n".join([*texts, *machines])

    def at(self, n: int) -> Part:
        return self.root.part("main", Fraction(n), self.box, "")


def programs(seed: int | str, count: int) -> Iterator[Program]:
    for number in range(count):
        yield _Writer(Random(f"{seed} {number}")).program()


def mixes(seed: int | str, count: int) -> Iterator[Program]:
    for number in range(count):
        yield _Writer(Random(f"{seed} {number}")).mix()


class _Writer:
    """Writes one program."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.steps = 0
        self.plain = self.random.choice((100, 0, 50))  # percent; else the default level by name
        # Where amounts and rates are few, many times are equal.
        self.even = self.chance(40)

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def program(self) -> Program:
        self.box = self.machine("box", 100)
        for name in ("gpu", "cpu"):
            if self.chance(40):
                self.box.devices[name] = self.machine(f"box_{name}", 40)
        self.models: list[tuple[str, Kernel | Model]] = []
        for number in range(self.random.randrange(4)):
            device = self.device()
            body: Kernel | Model = self.kernel(f"m{number}", device)
            if self.models and self.chance(40):
                body = self.model(f"m{number}", device, 1)
            self.models.append((device, body))
        single = self.chance(10)
        root = (
            self.kernel("main", "") if single else self.model("main", "", self.random.randrange(4))
        )
        return Program(root, tuple(model for _, model in self.models), self.box)

    def mix(self) -> Program:
        alone = self.program()
        assert not isinstance(alone.root, Mix)
        whole = replace(alone.root, name="whole")
        runs: list[Kernel | Model | Mix] = [whole, *(x for place, x in self.models if not place)]
        inner = self.jobs("inner", runs)
        root = self.jobs("main", [*runs, inner])
        return Program(root, (*alone.models, whole, inner), alone.box)

    def jobs(self, name: str, runs: list[Kernel | Model | Mix]) -> Mix:
        found: list[Job] = []
        for number in range(self.random.randrange(1, 4)):
            argument = self.random.choice((Line(1, 0), Line(1, 0), Line(2, 0), Line(1, 1)))
            step = Step(f"{name}_{number}", self.random.choice(runs), argument, "")
            weight = Line(*self.random.choice(((0, 1), (0, 3), (1, 0), (0, 0), (1, 2))))
            scale = self.random.choice(("1", "0.5", "0.3"))
            found.append(Job(step, replace(weight, scale=scale)))
        return Mix(name, tuple(found))

    def device(self) -> str:
        return self.random.choice(["", "", *self.box.devices])

    # Machines

    def machine(self, name: str, percent: int) -> Box:
        """Return a machine that has all resources, or of a device some of them."""
        rates: dict[str, str | None] = {}
        inverse: set[str] = set()
        defaults: dict[str, str] = {}
        for resource in UNITS:
            if not self.chance(percent):
                continue
            keys = [resource]
            if resource in LEVELS and self.chance(50):
                keys = [f"{resource}.{level}" for level in LEVELS[resource]]
                defaults[resource] = self.random.choice(LEVELS[resource])
            if resource == "flops" and self.chance(40):
                keys = [f"flops.{kind}" for kind in OF_UNITS]
                defaults[resource] = "vector.fp32"
            for key in keys:
                slowest = resource not in ("flops", "memory") and self.chance(10)
                rate = "1" if self.even else self.random.choice(RATES)
                if "." in key.partition(".")[2] and not self.even:
                    rate = OF_UNITS[key.removeprefix("flops.")]
                rates[key] = None if slowest else rate
                if resource == "messages" and not slowest:
                    inverse.add(key)
        if not rates:
            rates["flops"] = "1"
        measured = any(key.startswith("flops") for key in rates) and self.chance(50)
        capacity = self.random.randrange(200)
        concurrent: tuple[str, ...] = ()
        if "flops.vector.fp64" in rates and self.chance(50):
            units = ["flops.matrix", "flops.vector", "flops.special"]
            concurrent = tuple(self.random.sample(units, self.random.choice((2, 2, 3))))
        count = self.random.choice((0, 0, 1, 2))
        serial = tuple(self.serial(rates, concurrent) for _ in range(count))
        serial = tuple(names for names in serial if len(names) > 1)
        box = Box(name, rates, frozenset(inverse), defaults, capacity, measured, concurrent, serial)
        return self.with_rates_of_work(box) if self.chance(50) else box

    def serial(self, rates: dict[str, str | None], concurrent: tuple[str, ...]) -> tuple[str, ...]:
        """Return two or three resources, levels or units of a machine."""
        known = [*dict.fromkeys(key.partition(".")[0] for key in rates), *concurrent]
        known += [key for key in rates if "." in key and not key.startswith("flops")]
        known = [name for name in known if name not in SHARES]
        return tuple(self.random.sample(known, min(len(known), self.random.choice((2, 2, 3)))))

    def with_rates_of_work(self, box: Box) -> Box:
        """Return a machine with rates that depend on the work, and with start-ups."""
        limited = [key for key, rate in box.rates.items() if rate is not None]
        halves = {key: self.random.choice(SIZES) for key in limited if self.chance(50)}
        sent = frozenset(key for key in halves if key.startswith("network") and self.chance(50))
        slow = [key for key in limited if key.startswith(("memory", "disk"))]
        own = {key: self.random.choice(SIZES) for key in limited if key.startswith("flops")}
        resources = [key.partition(".")[0] for key in box.rates]
        startable = ["", *dict.fromkeys([*box.rates, *resources])]
        return replace(
            box,
            halves=halves,
            by_messages=sent,
            growing=frozenset(key for key in slow if self.chance(15)),
            own=own if self.chance(50) else {},
            startups={k: self.random.choice(STARTS) for k in startable if self.chance(30)},
        )

    # Work

    def line(self, scale: str = "1") -> Line:
        each, plus = self.random.choice(
            ((0, 0), (0, 1), (1, 0), (1, 0), (2, 0), (1, 1), (3, 2), (0, 6), (7, 0), (2, 5))
        )
        return Line(each, plus, scale)

    def amount(self) -> Line:
        if self.even:
            return Line(self.random.randrange(3), 0)
        if self.chance(8):
            return Line(self.random.choice(NEARLY_EQUAL), 0)
        return self.line(self.random.choice(("1", "1", "1", "2", "0.1", "0.7")))

    def kernel(self, name: str, device: str) -> Kernel:
        keys = self.random.sample(sorted(UNITS), self.random.randrange(5))
        work: dict[str, Line] = {}
        for resource in keys:
            for key in self.keys(resource, device):
                work[key] = self.amount()
        time = self.line(self.random.choice(("1", "0.1", "3"))) if self.chance(15) else None
        if not name.startswith("m"):  # in place
            return Kernel(name, work, time, self.tallies())
        kinds = [key for key in work if key.partition(".")[0] == "flops"]
        operation = self.random.choice([*MEASURED]) if kinds and self.chance(30) else ""
        return Kernel(name, work, time, self.tallies(), operation)

    def keys(self, resource: str, device: str) -> list[str]:
        """Return what a kernel states on a resource: a plain name, or some levels."""
        box = self.box.devices[device] if device else self.box
        box = box if box.has(resource) else self.box
        default = box.defaults.get(resource)
        if resource == "flops" and box.has_units:
            return self.random.sample(ASKED, self.random.choice((1, 2, 2, 3)))
        if default is None:
            if resource == "memory" and self.chance(20):
                return self.shuffled([LACKING, "memory"])
            return (
                [self.random.choice(("flops", "flops.mul", "flops.vector.fp32"))]
                if resource == "flops"
                else [resource]
            )
        main = [resource, f"{resource}.{default}"]
        if not self.chance(10):  # seldom both
            main.remove(main[self.chance(self.plain)])
        other = next(level for level in LEVELS[resource] if level != default)
        return self.shuffled([*main, f"{resource}.{other}"])[: self.random.choice((1, 2))]

    def shuffled(self, keys: list[str]) -> list[str]:
        return self.random.sample(keys, len(keys))

    def tallies(self) -> dict[str, Line]:
        return {name: self.line() for name in ("footprint", "lines") if self.chance(15)}

    # Steps

    def model(self, name: str, device: str, depth: int) -> Model:
        return Model(name, self.inside(device, depth), self.tallies())

    def inside(self, device: str, depth: int) -> tuple[Step | Group, ...]:
        count = self.random.choice((1, 1, 2, 2, 2, 3, 3) if depth < 3 else (1, 2, 2))
        return tuple(self.part(device, depth) for _ in range(count))

    def part(self, device: str, depth: int) -> Step | Group:
        if depth and self.chance(35):
            return Group(None, self.inside(device, depth - 1))
        if depth and self.chance(25):
            times = self.random.choice((Line(0, 2), Line(0, 3), Line(0, 0), Line(1, 0), Line(1, 1)))
            word = self.random.choice(("repeat", "iterate", "wait", "if"))
            if word == "wait":
                times = replace(times, scale=self.random.choice(("1", "0.5", "0.3")))
            return Group(times, self.inside(device, depth - 1), word)
        if depth and self.chance(15):
            return self.step_of_parts(device, depth)
        return self.step(device)

    def step_of_parts(self, device: str, depth: int) -> Step:
        self.steps += 1
        name, place = f"s{self.steps}", self.device() or device
        body = Model(name, self.inside(place, depth - 1), self.tallies())
        return Step(name, body, None, "" if place == device else place)

    def step(self, device: str) -> Step:
        self.steps += 1
        name = f"s{self.steps}"
        if self.models and self.chance(40):
            place, model = self.random.choice(self.models)
            if place or not device:  # nothing is taken from a device back to the machine
                argument = self.random.choice((Line(1, 0), Line(1, 0), Line(2, 0), Line(1, 1)))
                return Step(name, model, argument, "" if place == device else place)
        place = self.device() or device
        return Step(name, self.kernel(name, place), None, "" if place == device else place)


def _memory_that_counts(work: dict[str, Line], box: Box) -> str:
    """Return the level that counts: plain memory, else what that means here, else the last."""
    keys = [key for key in work if key.partition(".")[0] == "memory" and key != LACKING]
    default = f"memory.{box.defaults.get('memory')}"
    return next((key for key in ("memory", default) if key in keys), keys[-1] if keys else "")


def _tallies(tallies: dict[str, Line]) -> list[str]:
    return [f"tally {name}: B = {line.text('B')}" for name, line in tallies.items()]


def _at(lines: dict[str, Line], n: Fraction) -> dict[str, Fraction]:
    return {name: line.at(n) for name, line in lines.items()}
