"""Energy and money: what all processes together take of them, as far as that is stated.

    energy.work     = Σ work of all processes × its energy
    energy.constant = Σ power × time × processes, over the machine and its devices
    energy          = energy.work + energy.constant
    power           = energy / time
    cost            = Σ price × time × processes

So the energy of what overlaps adds up, while constant power is drawn once, for all of the time and
by idle devices too (Choi, Bedard, Fowler, Vuduc: A Roofline Model of Energy, IPDPS 2013, for one
process, flops and bytes). Rates, power and price are those of one process. The
work of all processes is known as `totals` tells; without a count of processes there is one. A mix
takes what its jobs take, each as often as it runs.

What a machine does not state is not answered: there is no number for it, but a reason. Work that
comes to 0 needs no energy of it, and nothing said of all processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from roofdsl.analysis.algebra import Algebra, Telling
from roofdsl.analysis.composition import Composed
from roofdsl.analysis.conditions import of_job
from roofdsl.analysis.intensity import is_zero
from roofdsl.analysis.load import Load
from roofdsl.analysis.node import Node, working
from roofdsl.analysis.tariff import WHOLE, Tariff
from roofdsl.expression.tree import ONE, Expression, Symbol
from roofdsl.model.types import MachineDefinition

V = TypeVar("V")
C = TypeVar("C")
WORK, CONSTANT = "energy.work", "energy.constant"
_UNSAID = "does not say what all its processes do on {}"


class Spending(NamedTuple, Generic[V]):
    """Energy [J] and cost by name, as far as they are known, and why the others are not.

    Beside `energy.work`, `energy.constant`, `energy` and `cost` there are the energies of work by
    resource (`energy.memory`, `energy.gpu.flops`) and those of devices (`energy.gpu`).
    """

    amounts: dict[str, V]
    unanswered: dict[str, str]


class Spends(Generic[V]):
    """What a prediction takes, by its usual names; None where that is not answered."""

    __slots__ = ()

    @property
    def spending(self) -> Mapping[str, V]:
        """All that is known, by name."""
        raise NotImplementedError

    @property
    def energy(self) -> V | None:
        """The energy of all processes [J], of their work and constant."""
        return self.spending.get("energy")

    @property
    def power(self) -> V | None:
        """The energy by the time [W]."""
        return self.spending.get("power")

    @property
    def cost(self) -> V | None:
        """What all processes cost, in the unit of the machine's prices."""
        return self.spending.get("cost")


class StepEnergy(NamedTuple, Generic[V]):
    """The energy [J] of a part of a prediction over all its runs, None where it is not known.

    What it draws while it runs is that of the whole machine: what runs at once draws it once.
    """

    work: V | None
    constant: V | None
    children: tuple[StepEnergy[V], ...]


class Spender(NamedTuple):
    """A tree of steps on a machine, and what that states of energy and money.

    `processes` is how many there are, None for a model that does not count them.
    """

    root: Node
    machine: MachineDefinition
    stated: Tariff
    processes: Expression | None

    def of_job(self, job: Node) -> Spender:
        """Return the model that a job of this mix runs, with processes of its own."""
        (root,) = job.children
        own = root.together
        return self._replace(root=root, processes=None if own is None else own.processes)


def spending(whose: Spender, parts: Composed[V], algebra: Telling[V, C]) -> Spending[V]:
    """Return what a model takes whose tree of steps was composed as `parts`."""
    root, machine, stated, _ = whose
    if not stated.is_stated:
        return Spending({}, _nothing_stated(machine))
    if root.arrangement == "mix":
        return _of_mix(whose, parts, algebra)
    law = _Law(whose, parts, algebra)
    amounts: dict[str, V] = {}
    unanswered: dict[str, str] = {}
    work = law.works(root, parts)
    powers = law.standing(parts, stated.powers, "power")
    prices = law.standing(parts, stated.prices, "price")
    if isinstance(work, str):
        unanswered[WORK] = work
    else:
        amounts |= {f"energy.{name}": value for name, value in work.items()}
        amounts[WORK] = law.sum([*work.values()])
    if isinstance(powers, str):
        unanswered[CONSTANT] = powers
    else:
        amounts[CONSTANT] = law.sum([*powers.values()])
    if isinstance(work, str) or isinstance(powers, str):
        reason = work if isinstance(work, str) else powers
        assert isinstance(reason, str)
        unanswered |= dict.fromkeys(["energy", "power", *law.device_names()], reason)
    else:
        amounts["energy"] = law.sum([amounts[WORK], amounts[CONSTANT]])
        for device, name in zip(machine.devices, law.device_names(), strict=True):
            own = [value for key, value in work.items() if law.worked[key].device == device]
            amounts[name] = law.sum([*own, powers[device]])
    if isinstance(prices, str):
        unanswered["cost"] = prices
    elif len(stated.currencies) > 1:
        units = " and ".join(map(str, stated.currencies))
        unanswered["cost"] = f"the prices of '{machine.name}' are in {units}"
    else:
        amounts["cost"] = law.sum([*prices.values()])
    return Spending(amounts, unanswered)


def step_energies(whose: Spender, parts: Composed[V], algebra: Telling[V, C]) -> StepEnergy[V]:
    """Return the energy of each part of a model whose tree of steps was composed as `parts`."""
    if whose.root.arrangement != "mix":
        return _Law(whose, parts, algebra).steps(whose.root, parts)
    jobs: list[StepEnergy[V]] = []
    for job, part in zip(whose.root.children, parts.children, strict=True):
        once = step_energies(whose.of_job(job), part.children[0], algebra)
        of_runs = _all_runs([once], part.count, algebra)
        jobs.append(StepEnergy(*of_runs, (once,)))
    return StepEnergy(*_all_runs(jobs, algebra.of(ONE), algebra), tuple(jobs))


def _all_runs(
    parts: Sequence[StepEnergy[V]], count: V, algebra: Algebra[V, C]
) -> tuple[V | None, V | None]:
    """Return the energy of parts, of their work and while they run, over so many runs."""

    def added(values: Sequence[V | None]) -> V | None:
        known = [value for value in values if value is not None]
        return algebra.multiply(count, algebra.add(known)) if len(known) == len(values) else None

    return added([part.work for part in parts]), added([part.constant for part in parts])


def _of_mix(whose: Spender, parts: Composed[V], algebra: Telling[V, C]) -> Spending[V]:
    """Return what the jobs of a mix take, each as often as it runs."""
    amounts: dict[str, list[V]] = {}
    unanswered: dict[str, str] = {}
    for job, part in zip(whose.root.children, parts.children, strict=True):
        once = whose.of_job(job)
        own = spending(once, part.children[0], algebra)
        for name, value in own.amounts.items():
            amounts.setdefault(name, []).append(algebra.multiply(part.count, value))
        for name, reason in own.unanswered.items():
            unanswered.setdefault(name, of_job(once.root.name, reason))
    if WORK in unanswered:  # what some jobs take on a resource is not what all of them take
        of_work = [name for name in amounts if name not in (CONSTANT, "cost")]
        unanswered = {**dict.fromkeys(of_work, unanswered[WORK]), **unanswered}
    known = {name: algebra.add(each) for name, each in amounts.items() if name not in unanswered}
    return Spending(known, unanswered)


class _Law(Generic[V, C]):
    def __init__(self, whose: Spender, parts: Composed[V], algebra: Telling[V, C]) -> None:
        root, self.machine, self.stated, processes = whose
        self.algebra = algebra
        self.alone = processes is None
        self.processes: Expression = ONE if processes is None else processes
        self.worked: dict[str, Load] = {}
        self.unpriced: Load | None = None
        for load in _working(root):
            self.worked.setdefault(load.name, load)
        for load in [each for each in self.worked.values() if each.energy is None]:
            if algebra.is_nothing(parts.work[load.name]):
                del self.worked[load.name]
            elif self.unpriced is None:
                self.unpriced = load
        self.silence = ""
        self._known: dict[tuple[int, str], V | None] = {}

    def sum(self, values: Sequence[V]) -> V:
        return self.algebra.add(values) if values else self.algebra.zero

    def device_names(self) -> list[str]:
        return [f"energy.{device}" for device in self.machine.devices]

    def works(self, node: Node, part: Composed[V], *, even: bool = False) -> dict[str, V] | str:
        """Return the energy of the work on each resource, or why it is not known.

        What is around it may be `even`: then all processes do the same here as well.
        """
        if self.unpriced is not None:
            return self._unpriced(self.unpriced)
        found: dict[str, V] = {}
        for name, load in self.worked.items():
            total = self._evenly(part, name) if even else self._total(node, part, name)
            if total is None:
                return self.silence
            assert load.energy is not None
            found[name] = self.algebra.multiply(total, self.algebra.rate(load.energy))
        return found

    def standing(
        self, part: Composed[V], symbols: dict[str, Symbol | None], what: str
    ) -> dict[str, V] | str:
        """Return what is drawn or paid for all of the time by place, or why it is not known.

        A machine's price is that of its devices too, but of those that state one of their own.
        """
        a, found = self.algebra, dict[str, V]()
        devices = [each for place, each in symbols.items() if place != WHOLE]
        whole = symbols[WHOLE] is not None or (devices and None not in devices)
        for place, symbol in symbols.items():
            if symbol is None:
                if what == "price" and whole:
                    continue
                return _states_none(self.machine, place, what)
            all_of_them = a.multiply(a.of(self.processes), a.rate(symbol))
            found[place] = a.multiply(part.time, all_of_them)
        return found

    def steps(self, node: Node, part: Composed[V], *, even: bool = False) -> StepEnergy[V]:
        own = node.together
        even = even or (own is not None and own.even and own.processes in (self.processes, None))
        work = self.works(node, part, even=even)
        powers = self.standing(part, self.stated.powers, "power")
        pairs = zip(node.children, part.children, strict=True)
        return StepEnergy(
            None if isinstance(work, str) else self.sum([*work.values()]),
            None if isinstance(powers, str) else self.sum([*powers.values()]),
            tuple(self.steps(child, composed, even=even) for child, composed in pairs),
        )

    def _evenly(self, part: Composed[V], name: str) -> V:
        a = self.algebra
        return a.multiply(a.of(self.processes), part.work[name]) if name in part.work else a.zero

    def _total(self, node: Node, part: Composed[V], name: str) -> V | None:
        """Return the work of all processes in all runs of a node, None where it is not known."""
        key = id(part), name
        if key not in self._known:
            self._known[key] = self._found(node, part, name)
        return self._known[key]

    def _found(self, node: Node, part: Composed[V], name: str) -> V | None:
        a, own = self.algebra, node.together
        if name not in part.work or all(load.name != name for load in _working(node)):
            return a.zero
        if own is not None and own.processes not in (self.processes, None):
            why = "runs on processes that the whole does not count"
            return self._silence(node, part, name, why)
        resource = self.worked[name].resource.name
        if own is not None and own.even:
            return self._evenly(part, name)
        if own is not None and resource in own.work:
            return self._share(node, part, name, a.of(own.work[resource][0]))
        if node.arrangement == "kernel":
            return part.work[name] if self.alone else self._silence(node, part, name)
        pairs, before = zip(node.children, part.children, strict=True), self.silence
        inner = [self._total(child, composed, name) for child, composed in pairs]
        known = [each for each in inner if each is not None]
        if len(known) == len(inner):
            return a.multiply(part.count, self.sum(known))
        if not a.is_nothing(part.count):
            return None
        self.silence = before  # what never runs says nothing
        return a.zero

    def _share(self, node: Node, part: Composed[V], name: str, total: V) -> V | None:
        """Return what a stated total says of one load: all of it, where one energy serves all."""
        resource = self.worked[name].resource.name
        on_it = [load for load in _working(node) if load.resource.name == resource]
        counted = [load for load in on_it if load.counted]
        if not any(load.name == name for load in counted):
            return self._silence(node, part, name)  # the total is of another level
        if len({load.energy for load in counted}) > 1:
            counted = [x for x in counted if not self.algebra.is_nothing(part.work[x.name])]
        if len({load.energy for load in counted}) > 1:
            why = f"states a total of all {resource} together, whose energies differ"
            return self._silence(node, part, name, why)
        return total if counted and counted[0].name == name else self.algebra.zero

    def _silence(self, node: Node, part: Composed[V], name: str, why: str = "") -> V | None:
        """Return 0 where nothing is done, else None, and note the first reason for that."""
        if self.algebra.is_nothing(part.work[name]):
            return self.algebra.zero
        self.silence = self.silence or f"'{node.model or node.name}' {why or _UNSAID.format(name)}"
        return None

    def _unpriced(self, load: Load) -> str:
        return _states_none(self.machine, load.device or WHOLE, "energy", load, self.stated)


def _working(node: Node) -> Iterator[Load]:
    """Yield the loads at and below a node that are not 0."""
    for each in working(node):
        yield from (load for load in each.loads if not is_zero(load.work))


def _nothing_stated(machine: MachineDefinition) -> dict[str, str]:
    """Return why nothing is known of a machine that says nothing of energy or money."""
    energy, power, price = (_states_none(machine, WHOLE, x) for x in ("energy", "power", "price"))
    names = ["energy", WORK, "power", *(f"energy.{device}" for device in machine.devices)]
    return {**dict.fromkeys(names, energy), CONSTANT: power, "cost": price}


def _states_none(
    machine: MachineDefinition,
    place: str,
    what: str,
    load: Load | None = None,
    stated: Tariff | None = None,
) -> str:
    whose = f"'{machine.name}'" if not place else f"'{place}' of '{machine.name}'"
    of = ""
    if load is not None and stated is not None and place not in stated.bare:
        of = f" of {load.key}"
    itself = " itself" if not place and machine.devices and what != "energy" else ""
    return f"{whose}{itself} states no {what}{of}"
