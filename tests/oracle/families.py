"""Random models of one unknown on random machines, by family, for the oracle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

from tests.oracle.formula import Formula
from tests.oracle.model import Case, Group, Kernel, Machine, Parameter, Require
from tests.oracle.modern_families import MODERN
from tests.oracle.writer import RATES, RESOURCES, Writer, call

TABLE = Path(__file__).parent.with_name("analysis") / "operation.csv"
MEASURED = {1: Fraction(1, 2), 2: Fraction(3), 3: Fraction(1, 100)}


def kernel(random: Random) -> Case:
    w = Writer(random)
    return integer_case(w, Kernel("m", w.work(w.random.choice((2, 2, 3)))), w.machine())


def smooth_kernel(random: Random) -> Case:
    w = Writer(random)
    return integer_case(w, Kernel("m", w.work(w.random.choice((2, 3)), 0)), w.machine(), 10**18)


def composition(random: Random) -> Case:
    w = Writer(random)
    return integer_case(w, Group("sequence", _several(w, ("",))), w.machine())


def _several(
    w: Writer, devices: tuple[str, ...], jumps: int | None = None
) -> tuple[Kernel | Group, ...]:
    jumps = w.random.choice((0, 0, 20, 35)) if jumps is None else jumps
    parts = w.parts(2, jumps, devices)
    return parts if len(parts) > 1 else (*parts, w.step(jumps, devices))


def near_equal(random: Random) -> Case:
    """Whole tiles against nearly as much, or two times that touch or nearly do."""
    w = Writer(random)
    x, k = w.x, w.period()
    little = Fraction(random.choice((0, 1, 3)), 10 ** random.randrange(1, 13))
    tiles = (
        call(random.choice(("ceil", "floor")), x / k + random.choice((0, 0, Fraction(1, 2)))) * k
    )
    line = x * (1 + little) + random.choice((0, 0, 1, k - 1))
    if random.randrange(3) == 0:
        at = Fraction(random.choice((3, 7, 50, 1234, 10**6)))
        offset = random.choice((Fraction(0), Fraction(1, 4), Fraction(-1, 10), Fraction(1)))
        tiles, line = x**2 + (at**2 + offset), x * (2 * at)
    work = {"flops": tiles, "memory": line}
    machine = Machine("box", dict.fromkeys(("flops", "memory", "network"), Formula.of(1)))
    case = integer_case(w, Kernel("m", work), machine)
    if random.randrange(4):
        return case
    other = Kernel("b", {"memory": Formula.of(w.constant())})
    return replace(case, root=Group("sequence", (Kernel("a", work), other)))


def device(random: Random) -> Case:
    w = Writer(random)
    keys = random.choice((("flops",), ("flops", "memory")))
    gpu = Machine("card", {key: w.rate() for key in keys})
    machine = w.machine(devices={"gpu": gpu})
    return integer_case(w, Group("sequence", _several(w, ("", "gpu"))), machine)


def measured(random: Random) -> Case:
    w = Writer(random)
    machine = w.machine(table=str(TABLE), measured=MEASURED)
    parts = [
        replace(w.step(20, ("",)), operation=random.choice((1, 2, 3)), stated=None)
        if random.randrange(2)
        else w.step(20, ("",))
        for _ in range(random.choice((2, 3)))
    ]
    # What was measured is the time of flops: a kernel that has none asks for nothing.
    parts = [x if "flops" in x.work else replace(x, operation=0) for x in parts]
    return integer_case(w, Group("sequence", tuple(parts)), machine)


def formula_bounds(random: Random) -> Case:
    """The unknown's bounds are formulas of another parameter, which is given."""
    w = Writer(random, "P")
    n = Fraction(random.choice((100, 256, 1000, 4096, 10**5)))
    high = random.choice(
        (Formula.of("N"), Formula.of("N") / 4, call("sqrt", "N") + 60, Formula.of("N") ** 2)
    )
    low = random.choice((None, None, Formula.of(2), call("ceil", Formula.of("N") / 50)))
    unknown = Parameter("P", random.choice(("processes", "integer")), low, high)
    other = Parameter("N", value=n)
    share = Formula.of("N") * w.constant() / "P"
    work = {"flops": share * 10, "memory": w.amount(10), "network": w.amount(10)}
    return _within(Case(Kernel("m", work), w.machine(), (other, unknown), "P", n, n))


def _within(case: Case) -> Case:
    """Return a case over the whole of the bounds of its unknown."""
    low, high = case.limits
    return replace(case, low=low, high=high, whole=True)


def required(random: Random) -> Case:
    w = Writer(random)
    x = w.x
    requires = random.choice(
        (
            (Require(call("sqrt", x)),),
            (Require(x / random.choice((2, 3, 7, 64, 1000, 10**6))),),
            (Require(call("log2", x)),),
            (Require(Formula.of(random.choice((50, 10**5, 10**7))), x),),
            (Require(x, Formula.of(random.choice((500, 10**5)))),),
            (Require(x / 4), Require(call("sqrt", x))),
            (Require((x + 1) / 3), Require(x / 5)),
            (Require(x / 2), Require((x + 1) / 2)),
            (Require(call("log2", x)), Require(Formula.of(1000), x)),
        )
    )
    case = integer_case(w, Kernel("m", w.work(2, 15)), w.machine())
    if random.randrange(3) == 0:
        case = replace(case, root=Group("sequence", _several(w, ("",), 0)))
    case = replace(case, requires=requires)
    return _within(case) if random.randrange(2) else case


def real(random: Random) -> Case:
    w = Writer(random, "x")
    low, high = random.choice((("0.5", "100"), ("1", "1e6"), ("2", "3000"), ("0.001", "0.9")))
    unknown = Parameter("x", "real", Formula.of(Fraction(low)), Formula.of(Fraction(high)))
    work = w.work(random.choice((2, 3)), random.choice((0, 0, 15)))
    ends = Fraction(low), Fraction(high)
    return Case(Kernel("m", work), w.machine(), (unknown,), "x", *ends)


def rate(random: Random) -> Case:
    """The unknown is a rate of the machine."""
    w = Writer(random)
    machine = w.machine()
    n = Fraction(random.choice((1, 10, 1000, 54321, 10**6)))
    root: Kernel | Group = Kernel("m", w.work(random.choice((2, 3))))
    if random.randrange(2):
        root = Group("sequence", _several(w, ("",)))
    used = sorted({name for each in _kernels(root) if not each.stated for name in each.work})
    key = random.choice(used or ["flops"])
    own = Fraction(machine.rates[key].text_alone)
    ends = own / random.choice((10, 10**6)), own * random.choice((10, 10**6))
    return Case(root, machine, (Parameter("N", value=n),), f"box.{key}", *ends)


def _kernels(part: Kernel | Group) -> Iterator[Kernel]:
    if isinstance(part, Kernel):
        yield part
        return
    for inner in part.parts:
        yield from _kernels(inner)


def two_machines(random: Random) -> Case:
    """One model on two machines, of which one may be the other with a little more or less."""
    case = random.choice((kernel, composition, near_equal, real))(random)
    w = Writer(random)
    other = w.machine("other")
    if random.randrange(3):
        factors = {key: Fraction(random.choice((1, 1, 2, 10, Fraction(1, 3)))) for key in RESOURCES}
        rates = case.machine.rates
        other = Machine("other", {key: rate * factors.get(key, 1) for key, rate in rates.items()})
    return replace(case, rival=other)


def followed(random: Random) -> Case:
    """Defaults, lets and rates that are formulas."""
    w = Writer(random)
    x = w.x
    b = random.choice(
        (call("ceil", x / w.period()), call("sqrt", x), x * 2 + 1, call("min", x, 300))
    )
    parameters = (Parameter("N"), Parameter("b", "real", default=b))
    lets = (("part", Formula.of("b") * w.constant()),)
    machine = w.machine(parameters={"ranks": random.choice((1, 4, 48))})
    rates = dict(machine.rates)
    for key in random.sample(RESOURCES, 2):
        shared = rates[key] / "ranks"
        rates[key] = random.choice((shared, call("min", rates[key], shared * 3)))
    work = w.work(2)
    first, second = list(work)[:2]
    work[first] = work[first] + Formula.of("part")
    work[second] = random.choice((work[second], Formula.of("b") * x * w.constant()))
    case = integer_case(w, Kernel("m", work), replace(machine, rates=rates))
    case = replace(case, parameters=parameters, lets=lets)
    if random.randrange(2):
        step = Kernel("s0", {"memory": Formula.of("part"), "flops": w.amount()})
        case = replace(case, root=Group("sequence", (Kernel("m", work), step)))
    return case


def scaled(random: Random) -> Case:
    """Work that is divided among processes, and what they pay for that."""
    w = Writer(random, "P")
    size, p = Formula.of("N"), Formula.of("P")
    n = Fraction(random.choice((16, 1000, 4096, 10**6)))
    part = random.choice((size / p, call("ceil", size / p), size / p + call("sqrt", size) / p))
    costs = (
        call("log2", p) * w.constant(),
        call("ceil", call("log2", p)) * w.constant(),
        (p - 1) * w.constant() / 100,
        (p - 1) / p * size * w.constant(),
        call("sqrt", p) * w.constant(),
        call("max", p - 8, 0) * w.constant(),
        call("log2", p) * size / call("sqrt", p),
    )
    work = {"flops": part * w.constant() * random.choice((1, 10, 1000))}
    if random.randrange(2):
        work["memory"] = part * w.constant()
    network = {"network": random.choice(costs)}
    if random.randrange(3) == 0:
        network["messages"] = random.choice(costs)
    root: Kernel | Group = Kernel("m", {**work, **network})
    arrangement = random.randrange(3)
    if arrangement:
        steps = (Kernel("a", work), Kernel("b", network))
        root = Group("sequence", (*((Group("overlap", steps),) if arrangement == 1 else steps),))
    requires = random.choice(
        (
            (),
            (),
            (Require(call("sqrt", p)),),
            (Require(call("log2", p)),),
            (Require(p / random.choice((2, 5))),),
            (Require(p, size),),
            (Require(size / p),),
        )
    )
    high = random.choice((None, None, Formula.of(64), size))
    rates = {key: Formula.of(Fraction(random.choice(RATES))) for key in (*RESOURCES, "messages")}
    parameters = (Parameter("N", value=n), Parameter("P", "processes", None, high))
    case = Case(root, Machine("box", rates), parameters, "P", n, n, requires=requires)
    return _within(case)


def refused(random: Random) -> Case:
    """An amount is below 0, or has no value, at some of the range."""
    w = Writer(random)
    x, c = w.x, w.constant()
    limit = random.choice((7, 50, 300, 10**6))
    negative = random.choice(
        (
            (x - limit) * c,
            (Formula.of(limit) - x) * c,
            call("log2", x - limit) * c,
            call("sqrt", Formula.of(limit) - x) * c,
            (x - limit) * (x - 3 * limit) * c,
            call("ceil", x / 7) * 7 - x - random.choice((0, 1)),
            x * c / (x - limit),
        )
    )
    work = {"flops": negative, "memory": w.amount(15)}
    if random.randrange(5) == 0:  # nothing to do at all, in one stretch or now and then
        rests = (call("max", x - random.choice((9, 30)), 0), call("ceil", x / 7) * 7 - x)
        work = {
            key: random.choice(rests) * c
            for key in random.choice((("flops", "memory"), ("flops",)))
        }
    case = integer_case(w, Kernel("m", work), w.machine())
    if random.randrange(3) == 0:
        step = Kernel("b", {"network": w.amount(0)})
        case = replace(case, root=Group("sequence", (Kernel("a", work), step)))
    return replace(case, kinds=("refused",))


def opened(random: Random) -> Case:
    """Two parameters are open: the unknown, and another one."""
    n, p = Formula.of("N"), Formula.of("P")
    kind = random.choice(("integer", "integer", "real"))
    size = Parameter("N", kind, Formula.of(random.choice((1, 2))), random.choice((None, None)))
    high = random.choice((None, None, Formula.of(1000), Formula.of(10**6)))
    count = Parameter("P", random.choice(("processes", "integer")), None, high)
    requires = random.choice(((), (), (), (Require(call("sqrt", p)),), (Require(call("log2", p)),)))
    rates = {key: Formula.of(Fraction(random.choice(RATES))) for key in (*RESOURCES, "messages")}

    def term() -> Formula:
        c = Fraction(random.choice((1, 2, 3, 7, 24, 100)), random.choice((1, 1, 2, 10)))
        terms = [n, n, n / p, n**2 / p, n**3 / p, p, call("sqrt", n), call("log2", p)]
        terms += [n / call("sqrt", p), Formula.of(c), p * call("sqrt", n), n * call("log2", p)]
        return Formula.of(c) * random.choice([*terms, call("ceil", call("log2", p))])

    def work(several: int) -> dict[str, Formula]:
        chosen = random.sample(RESOURCES, several)
        return {key: term() + term() if random.randrange(2) else term() for key in chosen}

    root: Kernel | Group = Kernel("m", work(random.choice((2, 2, 3))))
    if random.randrange(3) == 0:
        root = Group("sequence", (Kernel("a", work(2)), Kernel("b", work(2))))
    unknown = random.choice("NP")
    ends = Fraction(size.low.text_alone if size.low else 1), Fraction(10**18)
    box = Machine("box", rates)
    found = Case(root, box, (size, count), unknown, *ends, requires=requires, kinds=("open",))
    return replace(found, whole=True)


def grids(random: Random) -> Case:
    """Work on a grid of processes, of two bounded sides."""
    p, q, n = (Formula.of(name) for name in "pqN")
    ends = [Formula.of(random.choice((2, 4, 7, 12, 16))) for _ in range(2)]
    sides = [Parameter(name, "processes", None, end) for name, end in zip("pq", ends, strict=True)]

    def constant() -> Fraction:
        return Fraction(random.choice((1, 2, 3, 10, 64)), random.choice((1, 1, 7)))

    costs = (n / p, n / q + n / p, p + q, call("log2", p * q) * 10, call("ceil", n / p) + q, p * 9)
    work = {
        "flops": random.choice((n / (p * q), n**2 / (p * q), call("ceil", n / p) / q)) * constant(),
        "network": random.choice(costs) * constant(),
    }
    if random.randrange(3) == 0:
        work["memory"] = random.choice(costs) * constant()
    root: Kernel | Group = Kernel("m", work)
    if random.randrange(3) == 0:
        root = Group("sequence", tuple(Kernel(f"s{key}", {key: work[key]}) for key in work))
    requires = random.choice(
        (
            (),
            (),
            (Require(p, q),),
            (Require(n / p),),
            (Require(call("log2", p)),),
            (Require(p / q),),
        )
    )
    size = Parameter("N", value=Fraction(random.choice((60, 1000, 4096))))
    rates = {key: Formula.of(Fraction(random.choice(RATES))) for key in RESOURCES}
    one = Fraction(1)
    parameters = (size, *sides)
    case = Case(root, Machine("box", rates), parameters, "p", one, one, requires=requires)
    return replace(case, kinds=("grids",))


def integer_case(w: Writer, root: Kernel | Group, machine: Machine, end: int = 0) -> Case:
    low = Fraction(w.random.choice((1, 1, 1, 2, 100)) if not end else 1)
    high = max(Fraction(end or w.end), low + 50)
    return Case(root, machine, (Parameter("N"),), "N", low, high)


FAMILIES: dict[str, Callable[[Random], Case]] = {
    "smooth kernels": smooth_kernel,
    "kernels": kernel,
    "nearly equal": near_equal,
    "compositions": composition,
    "devices": device,
    "measured": measured,
    "formula bounds": formula_bounds,
    "require": required,
    "real unknowns": real,
    "rates": rate,
    "two machines": two_machines,
    "followed": followed,
    "scaled": scaled,
    "refused": refused,
    "open": opened,
    "grids": grids,
    **MODERN,
}


WEIGHTS = {
    **dict.fromkeys(("devices", "two machines", "formula bounds"), 2),
    "compositions": 3,
    "scaled": 1,
    "measured": 3,
    "require": 5,
    "rates": 5,
    "refused": 5,
    **dict.fromkeys(("open", "grids"), 1),
    **dict.fromkeys(MODERN, 0.5),
}
"""Of a hundred models, so many are of a family; others, about fourteen, are decided faster."""


def shares(count: int) -> dict[str, int]:
    """Return how many of so many models are of each family."""
    others = (100 - sum(WEIGHTS.values())) / (len(FAMILIES) - len(WEIGHTS))
    return {name: round(count * WEIGHTS.get(name, others) / 100) for name in FAMILIES}


def case(family: str, seed: str, number: int) -> Case:
    return FAMILIES[family](Random(f"{family} {seed} {number}"))
