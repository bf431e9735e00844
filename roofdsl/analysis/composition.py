"""The law of composition: how the times of steps make the time of a model.

One fold over the tree of steps gives every number and formula that users see. What it computes with
is an `Algebra`: floats, exact constants, formulas, intervals (`algebras`), arrays (`numeric`).

A kernel overlaps its resources: its time is the largest of their busy times (work / rate), after
its start-up, or the time it states; resources that a machine joins are as one that is busy for the
sum of their times. Steps one after another add up, in time and in busy time. Of what runs at once,
busy times add, and the time is the largest of the longest child and of each busy time that children
share, so that two of them cannot use one resource at once. A repeat multiplies everything,
`iterate` all but tallies, of which products count in every run, and alone where they are computed
again. A wait takes as long as its parts would, and does nothing: no work, nothing busy.

The time of a kernel is charged to its start-up and to what its work is bound by; that of an overlap
to what its longest child is charged to, or to the shared resource that is busy for longer; that of
a wait to `wait`; each of joined resources is charged its own. So charges add up to the time.

A mix is made of jobs. Each is a whole of its own, whatever is supposed to overlap, and runs as
often as its weight says. Of the mix there are the sums of their times, busy times and charges:
their work is of other processes, their tallies are held at other times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, Literal, TypeAlias, TypeVar

from roofdsl.analysis.algebra import Algebra, ByName
from roofdsl.analysis.contender import Contender, contenders, joints_of
from roofdsl.analysis.convention import products_in
from roofdsl.analysis.intensity import is_zero
from roofdsl.analysis.load import Load
from roofdsl.analysis.node import ONCE_TALLIED, STATED, WAIT, Node
from roofdsl.expression.tree import ONE
from roofdsl.model.loop import NAMED
from roofdsl.unchanging import Unchanging

Composing: TypeAlias = Literal["written", "max", "sum"]
"""How times combine: as the model says, or everything overlapped, or nothing."""
SUPPOSED: dict[Composing, tuple[str, ...]] = {
    "written": (),
    "max": ("supposing that everything overlaps",),
    "sum": ("supposing that nothing overlaps",),
}

V = TypeVar("V")
C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class Composed(Unchanging, Generic[V]):
    """A part of a prediction over all its runs.

    `count` says how often it runs. `charged` is its time by what it is bound by: a kernel's whole
    time goes to its bound, hidden work counts nothing. `busy` is how long each resource works.
    `rivals` are the times that compete to bind it: of a kernel `busy`, of other parts `charged`.
    `counted` is what counts as work on each resource, whatever its level, kind or device; `peaks`
    how long the flops that add up take at the rates of their kinds, None where one has no rate.
    `tallies` are those of the part and of all inside; of `iterate` and of a job, those of one run.
    `ties` are the largest of the rivals, () where all are 0 or formulas. `model` is the model of
    this part, "" for an overlap or a repeat. `by_step` is its time by the step inside that it is
    charged to, where that was asked for. `joined` is for how long resources that are joined are
    busy, by what joins them. `waited_for` is what the children of a wait do elsewhere.
    """

    name: str
    arrangement: str
    count: V
    time: V
    work: ByName[V]
    busy: ByName[V]
    charged: ByName[V]
    children: tuple[Composed[V], ...] = ()
    model: str = ""
    rivals: ByName[V] = field(default_factory=dict)
    tallies: ByName[V] = field(default_factory=dict)
    counted: ByName[V] = field(default_factory=dict)
    peaks: ByName[V] | None = None
    ties: tuple[str, ...] = ()
    by_step: ByName[V] = field(default_factory=dict)
    joined: dict[str, ByName[V]] = field(default_factory=dict)
    waited_for: tuple[Composed[V], ...] = ()

    @property
    def is_loop(self) -> bool:
        """Whether it is a repeat, `iterate`, wait or job around what has a name."""
        return not self.model and self.name in NAMED

    @property
    def bound(self) -> str | None:
        """What most of the time is charged to; the first of several that are equal."""
        return self.ties[0] if self.ties else None


def composed(
    root: Node,
    algebra: Algebra[V, C],
    composing: Composing = "written",
    *,
    charging: bool = True,
    by_step: bool = False,
) -> Composed[V]:
    """Return the tree of steps with the law applied.

    `composing` is "max" to overlap everything, "sum" to overlap nothing. `charging` says what the
    time is charged to, which is half of the work; `by_step` to which steps of each part, too.
    """
    return _Fold(algebra, composing, charging, by_step).whole(root)


class _Fold(Generic[V, C]):
    def __init__(
        self, algebra: Algebra[V, C], composing: Composing, charging: bool, by_step: bool
    ) -> None:
        self.algebra = algebra
        self.composing = composing
        self.serial = composing == "sum"
        self.charging = charging
        self.by_step = by_step
        self.one = algebra.of(ONE)
        self._known: dict[tuple[object, ...], Composed[V]] = {}

    def whole(self, node: Node) -> Composed[V]:
        """Return what is a run of its own: nothing overlaps it."""
        if node.arrangement == "mix":
            return self._mix(node)
        whole, a = self.part(node), self.algebra
        if self.composing != "max":
            return whole
        time, charged, rivals = self.longest(whole.busy, whole.joined)
        ties = a.ties(rivals) if self.charging else ()
        found = replace(whole, time=time, charged=charged, rivals=rivals, ties=ties)
        if not self.by_step or not whole.busy:
            return found
        rivalling = contenders(whole.busy, whole.busy, whole.joined)
        users = [self.users_in(whole.children, each) for each in rivalling]
        choice = a.choice([self.length(each) for each in rivalling], users)
        return replace(found, by_step=a.chosen(choice, users))

    def _mix(self, node: Node) -> Composed[V]:
        jobs = tuple(self._job(job) for job in node.children)
        whole = self._composition(node, jobs)
        return replace(whole, work={}, tallies={}, counted={}, peaks=None)

    def _job(self, node: Node) -> Composed[V]:
        inner = self.whole(node.children[0])
        return self._repeated(node, self._composition(node, (inner,)))

    def part(self, node: Node) -> Composed[V]:
        # Equal calls were placed once: what they hold is the same, and is folded once.
        held = (node.loads, node.children, node.stated, node.count, node.tallies, node.start)
        key = (node.arrangement, node.model, *map(id, held))
        found = self._known.get(key)
        if found is None:
            if node.arrangement == "kernel":
                once = self._kernel(node)
            else:
                once = self._composition(node, tuple(self.part(child) for child in node.children))
            found = self._known[key] = self._repeated(node, once)
        return found if found.name == node.name else replace(found, name=node.name)

    def _kernel(self, node: Node) -> Composed[V]:
        a = self.algebra
        work = {load.name: a.of(load.work) for load in node.loads}
        counted: dict[str, list[V]] = {}
        for load in node.loads:
            if load.counted:
                counted.setdefault(load.resource.name, []).append(work[load.name])
        joints = joints_of(node.loads)
        if node.stated is None:
            busy = self._busy(node.loads, work)
            joined = {joint: {n: busy[n] for n in names} for joint, names in joints.items()}
            if self.serial:
                time, charged, rivals = a.add([*busy.values()]) if busy else a.zero, busy, busy
            else:
                time, charged, rivals = self.longest(busy, joined)
            if node.start is not None:
                start = {node.start.name: a.of(node.start.time)}
                time = a.add([time, *start.values()])
                busy, rivals = {**busy, **start}, {**rivals, **start}
                charged = {**charged, **start} if self.charging else charged
        else:
            # It keeps each resource that it names busy for as long as it takes.
            time = a.of(node.stated)
            busy = rivals = dict.fromkeys([load.group for load in node.loads] or [STATED], time)
            joined = {joint: {names[0]: time} for joint, names in joints.items()}
            charged = self.longest({next(iter(busy)): time}, {})[1]
        ties = a.ties(rivals) if self.charging else ()
        return Composed(
            node.name,
            "kernel",
            self.one,
            time,
            work,
            busy,
            charged,
            model=node.model,
            rivals=rivals,
            tallies=self._tallies(node),
            counted=_added(a, counted),
            peaks=self._peaks(node.loads, work),
            ties=ties,
            joined=joined,
        )

    def longest(
        self, busy: ByName[V], joined: Mapping[str, ByName[V]]
    ) -> tuple[V, ByName[V], ByName[V]]:
        """Return the time of all that overlaps, what it is charged to, and what competes for it.

        Of resources that are joined each is charged its own, and the largest share binds.
        """
        a, rivalling = self.algebra, contenders(busy, busy, joined)
        if not rivalling:
            return a.zero, {}, busy
        lengths = [self.length(each) for each in rivalling]
        tables = [each.busy for each in rivalling]
        time = a.largest(lengths)
        charged = a.chosen(a.choice(lengths, tables), tables) if self.charging else {}
        if all(not each.joined for each in rivalling):
            return time, charged, busy
        charged = {name: charged[name] for name in busy if name in charged}
        return time, charged, charged

    def length(self, contender: Contender[V]) -> V:
        times = [*contender.busy.values()]
        return self.algebra.add(times) if len(times) > 1 else times[0]

    def _busy(self, loads: Iterable[Load], work: ByName[V]) -> ByName[V]:
        """Return how long a kernel that states no time keeps its resources busy."""
        spent: dict[str, list[V]] = {}
        for load in loads:
            if load.spent is not None:
                time = self.algebra.of(load.spent)
            elif load.rate is None:
                time = self.algebra.zero
            else:
                needed = work[load.name] if load.needed is None else self.algebra.of(load.needed)
                time = self.algebra.divide(needed, self.algebra.rate(load.rate))
            times = spent.setdefault(load.group, [])
            times += [time] if load.start is None else [self.algebra.of(load.start), time]
        return _added(self.algebra, spent)

    def _peaks(self, loads: Iterable[Load], work: ByName[V]) -> ByName[V] | None:
        found: dict[str, list[V]] = {}
        for load in loads:
            if load.resource.name != "flops" or is_zero(load.work):
                continue
            if load.roof is None:
                return None
            time = self.algebra.divide(work[load.name], self.algebra.rate(load.roof))
            for together in load.joins or (load.group,):
                found.setdefault(together, []).append(time)
        return _added(self.algebra, found)

    def _composition(self, node: Node, children: tuple[Composed[V], ...]) -> Composed[V]:
        a = self.algebra
        by_step = _summed(a, map(_to_steps, children)) if self.by_step else {}
        busy = _summed(a, [child.busy for child in children])
        joined = {
            joint: _summed(a, [c.joined[joint] for c in children if joint in c.joined])
            for joint in dict.fromkeys(joint for child in children for joint in child.joined)
        }
        if STATED in busy:  # no two kernels share it: of several, the longest counts
            busy[STATED] = a.largest([c.busy[STATED] for c in children if STATED in c.busy])
        if node.arrangement == "overlap" and not self.serial and children:
            # A resource that one child alone uses is busy for no longer than that child takes.
            used = [name for child in children for name in child.busy if name != STATED]
            several = [joint for child in children for joint in child.joined]
            shared = contenders(
                [name for name in dict.fromkeys(used) if used.count(name) > 1],
                busy,
                {joint: inside for joint, inside in joined.items() if several.count(joint) > 1},
            )
            lengths = [*(child.time for child in children), *map(self.length, shared)]
            tables = [*(child.charged for child in children), *(each.busy for each in shared)]
            time = a.largest(lengths)
            if self.by_step:  # a resource that binds is used by several: each for its busy time
                users = [self.users_in(children, each) for each in shared]
                steps = [*map(_to_steps, children), *users]
                choice = a.choice(lengths, steps)
                charged, by_step = a.chosen(choice, tables), a.chosen(choice, steps)
            else:
                charged = a.chosen(a.choice(lengths, tables), tables) if self.charging else {}
        else:
            time = a.add([child.time for child in children]) if children else a.zero
            charged = _summed(a, [child.charged for child in children])
        # In the order declared, whatever is chosen: the first of equals is then the same for all.
        charged = {name: charged[name] for name in (*busy, WAIT) if name in charged}
        peaks = [child.peaks for child in children]
        known = [each for each in peaks if each is not None]
        return Composed(
            node.name,
            node.arrangement,
            self.one,
            time,
            _summed(a, [child.work for child in children]),
            busy,
            charged,
            children,
            node.model,
            charged,
            _summed(a, [self._tallies(node), *(child.tallies for child in children)]),
            _summed(a, [child.counted for child in children]),
            _summed(a, known) if len(known) == len(peaks) else None,
            a.ties(charged) if self.charging else (),
            by_step,
            joined,
        )

    def users_in(self, parts: Iterable[Composed[V]], used: Contender[V]) -> ByName[V]:
        """Return for how long each step of some parts keeps busy what may be the longest."""
        return _summed(self.algebra, [self._users(part, used) for part in parts])

    def _users(self, part: Composed[V], used: Contender[V]) -> ByName[V]:
        busy = part.joined.get(used.joined, {}) if used.joined else part.busy
        own = {name: time for name, time in busy.items() if name in used.busy}
        if part.model or not own:
            return {part.name: self.length(Contender("", own))} if own else {}
        once, runs = self.users_in(part.children, used), part.count
        return {name: self.algebra.multiply(runs, time) for name, time in once.items()}

    def _tallies(self, node: Node) -> ByName[V]:
        return {item.name: self.algebra.of(item.amount) for item in node.tallies}

    def _repeated(self, node: Node, once: Composed[V]) -> Composed[V]:
        """Return a part over all its runs."""
        if node.arrangement == "wait":
            once = replace(self._idle(once), waited_for=once.children)
        if node.arrangement == "recompute":
            once = replace(once, tallies=products_in(once.tallies))
        if node.count is ONE:
            return once
        a, count = self.algebra, self.algebra.of(node.count)

        def runs(table: Mapping[str, V]) -> ByName[V]:
            return {name: a.multiply(count, value) for name, value in table.items()}

        busy, charged = runs(once.busy), runs(once.charged)
        return replace(
            once,
            count=count,
            time=a.multiply(count, once.time),
            work=runs(once.work),
            busy=busy,
            charged=charged,
            rivals=charged if once.rivals is once.charged else busy,
            tallies=_of_runs(node, once.tallies, runs),
            by_step=runs(once.by_step),
            joined={joint: runs(inside) for joint, inside in once.joined.items()},
            counted=runs(once.counted),
            peaks=None if once.peaks is None else runs(once.peaks),
            # Runs do not change what binds, unless there are none.
            ties=once.ties if a.ties(charged) else (),
        )

    def _idle(self, part: Composed[V]) -> Composed[V]:
        """Return a part that others do: it takes as long, and does nothing."""
        times = {WAIT: part.time}
        charged = self.longest(times, {})[1]
        return Composed(
            part.name,
            part.arrangement,
            part.count,
            part.time,
            {},
            {},
            charged,
            tuple(map(self._idle, part.children)),
            part.model,
            charged,
            peaks={},
            ties=self.algebra.ties(times) if self.charging else (),
            by_step=part.by_step,
        )


def _of_runs(node: Node, once: ByName[V], runs: Callable[[ByName[V]], ByName[V]]) -> ByName[V]:
    """Return tallies of all runs: what is the same again counts once, but its products do not."""
    if node.arrangement not in ONCE_TALLIED:
        return runs(once)
    return {**once, **runs(products_in(once))} if node.arrangement == "iterate" else once


def _to_steps(part: Composed[V]) -> ByName[V]:
    """Return the time of a part by step: its own, or of what is no step, of those inside."""
    return {part.name: part.time} if part.model else part.by_step


def _summed(algebra: Algebra[V, C], tables: Iterable[Mapping[str, V]]) -> ByName[V]:
    parts: dict[str, list[V]] = {}
    for table in tables:
        for name, value in table.items():
            parts.setdefault(name, []).append(value)
    return _added(algebra, parts)


def _added(algebra: Algebra[V, C], parts: Mapping[str, list[V]]) -> ByName[V]:
    return {n: algebra.add(each) if len(each) > 1 else each[0] for n, each in parts.items()}
