"""Random models with the constructs of `modern.py`, by family."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random

from tests.oracle.formula import Formula
from tests.oracle.model import Case, Group, Kernel, Parameter
from tests.oracle.modern import Answered, Built, Parts, Step
from tests.oracle.writer import RATES, Writer, call

PRECISIONS = ("fp64", "fp32", "bf16")


class Maker:
    """Writes the parts of one case."""

    def __init__(self, random: Random, *, kinds: bool, starts: bool, sizes: bool) -> None:
        self.random, self.writer = random, Writer(random)
        self.kinds, self.starts, self.sizes = kinds, starts, sizes
        self.steps = 0
        self.machine = self._machine()
        self.able = [*self.machine.rates, *self.machine.served]

    def number(self) -> Fraction:
        return Fraction(self.random.choice(RATES))

    def _machine(self) -> Built:
        random = self.random
        keys = ["flops"]
        if self.kinds:
            more = ("flops.matrix.fp64", "flops.matrix.bf16", "flops.special.fp32")
            keys = ["flops.vector.fp64", "flops.vector.fp32"]
            keys += [each for each in more if random.randrange(3)]
            random.shuffle(keys)
        units = sorted({".".join(key.split(".")[:2]) for key in keys if "." in key})
        concurrent: tuple[str, ...] = ()
        if len(units) > 1 and random.randrange(3) == 0:
            concurrent = tuple(random.sample(units, 2))
        served = self._served(keys) if self.kinds else {}
        keys += ["memory", "network", "messages", "disk"]
        serial = random.choice(((), (), ("memory", "disk"), ("network", "disk")))
        startups, halves = dict[str, Fraction](), dict[str, Fraction]()
        if self.starts:
            able = ("network", "disk") if concurrent else ("flops", "network", "disk")
            startups = {key: self._time() for key in able if random.randrange(4) == 0}
        if self.sizes:
            sized = [key for key in keys if key != "messages" and random.randrange(2)]
            halves = {key: self.writer.constant() for key in sized or ["memory"]}
        return Built(
            "box",
            {key: Formula.of(self.number()) for key in keys},
            startup=self._time() if self.starts and random.randrange(4) else Fraction(0),
            startups=startups,
            halves=halves,
            served=served,
            serial=serial,
            concurrent=concurrent,
            energies={key: self.number() for key in keys},
            power=Fraction(random.choice((0, 1, 7, 120))),
            price=Fraction(random.choice((1, 3))),
        )

    def _time(self) -> Fraction:
        """Return a time that others are not equal to by chance."""
        place = 10 ** self.random.randrange(3, 9)
        return Fraction(self.random.choice((3, 17, 1009, 99991)), place) + Fraction(1, 7 * 10**12)

    def _served(self, keys: list[str]) -> dict[str, str]:
        """Return what serves work of kinds that the machine has no rate of."""
        found = {"flops": keys[0]}
        for unit in ("matrix", "special"):
            for precision in PRECISIONS:
                vector = f"flops.vector.{precision}"
                if f"flops.{unit}.{precision}" not in keys and vector in keys:
                    found[f"flops.{unit}.{precision}"] = vector
        return found

    def step(self, jumps: int) -> Step:
        self.steps += 1
        several = min(self.random.choice((1, 2, 2, 3, 4)), len(self.able))
        chosen = self.random.sample(self.able, several)
        return Step(f"s{self.steps}", {key: self.writer.amount(jumps) for key in chosen})

    def parts(self, depth: int, jumps: int) -> tuple[Kernel | Group, ...]:
        return tuple(self.part(depth, jumps) for _ in range(self.random.choice((1, 2, 2, 3))))

    def part(self, depth: int, jumps: int) -> Kernel | Group:
        if not depth or self.random.randrange(10) < 5:
            return self.step(jumps)
        word = self.random.choice(("overlap", "overlap", "repeat", "iterate", "wait"))
        inside = self.parts(depth - 1, jumps)
        return Parts(word, inside, None if word == "overlap" else self.runs(word))

    def runs(self, word: str) -> Formula:
        x = self.writer.x
        counts = [Formula.of(2), Formula.of(10), x, call("ceil", x / 4), x - 1]
        if word == "wait":
            counts += [Formula.of(Fraction(1, 2)), x / 3, call("sqrt", x)]
        return self.random.choice(counts)

    def case(self, root: Kernel | Group) -> Case:
        end = Fraction(max(self.writer.end, 60))
        own = (Parameter("N"),)
        return Answered(root, self.machine, own, "N", Fraction(1), end)

    def jumps(self) -> int:
        return self.random.choice((0, 0, 0, 20, 35))


def two_boxes(random: Random) -> Case:
    """A model on two machines, one with other rates and start-ups."""
    case = random.choice((kinds, starts, everything))(random)
    box = case.machine
    assert isinstance(box, Built)
    factors = (1, 1, 2, 10, Fraction(1, 3), Fraction(9, 10))
    rates = {key: rate * Fraction(random.choice(factors)) for key, rate in box.rates.items()}
    startup = box.startup * random.choice((0, 1, 3))
    return replace(case, rival=replace(box, name="other", rates=rates, startup=startup))


def kinds(random: Random) -> Case:
    make = Maker(random, kinds=True, starts=False, sizes=False)
    return make.case(Parts("sequence", make.parts(1, make.jumps())))


def starts(random: Random) -> Case:
    """Start-ups, and rates of the work's size."""
    make = Maker(random, kinds=False, starts=True, sizes=bool(random.randrange(3)))
    return make.case(Parts("sequence", make.parts(1, make.jumps())))


def kernels_by_size(random: Random) -> Case:
    """One kernel whose rates depend on its work."""
    make = Maker(random, kinds=False, starts=False, sizes=True)
    step = make.step(make.jumps())
    return make.case(Parts("sequence", (step,)))


def everything(random: Random) -> Case:
    flags = {name: bool(random.randrange(2)) for name in ("kinds", "starts", "sizes")}
    make = Maker(random, **flags)
    return make.case(Parts("sequence", make.parts(2, make.jumps())))


def mixes(random: Random) -> Case:
    make = Maker(random, kinds=bool(random.randrange(2)), starts=True, sizes=False)
    x = make.writer.x
    weights = [Formula.of(3), Formula.of(1000), x, x**2, call("sqrt", x), x / 7]
    jobs = tuple(
        Parts("job", make.parts(1, make.jumps()), random.choice(weights))
        for _ in range(random.choice((1, 2, 2, 3)))
    )
    return make.case(Parts("mix", jobs))


MODERN: dict[str, Callable[[Random], Case]] = {
    "kinds": kinds,
    "start-ups": starts,
    "rates by size": kernels_by_size,
    "everything": everything,
    "mixes": mixes,
    "two boxes": two_boxes,
}
