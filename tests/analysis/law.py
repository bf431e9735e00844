"""The law of composition once more, in exact fractions, for the tests: it shares nothing with ours.

Every part has a time, and keeps each resource busy for a time. One after another: times add, and so
do busy times. `repeat n`: both are n times as long. `overlap`: busy times add; the time is that of
the longest part or of the busiest resource. A kernel overlaps its resources, and what is served by
one part of the machine adds up within it: kinds of flops, resources that share, a plain name and
the level that it means. One that states its time keeps what it names busy for that long. A kernel's
time is charged to what takes longest in it, hidden work counts 0. Of several that are equal the
first declared counts. To the steps of a part its time is charged likewise: one after another each
its own, at once to the longest; where a resource takes longest, to each step that uses it for as
long as it does.

`iterate n` is `repeat n` but for tallies, which are those of one run. `wait n` takes n times what
its parts take, n any number from 0; nothing works, nothing is busy, all of it is charged to `wait`,
which comes last among equals. A mix is made of jobs, each a run of its own, so many times: times,
busy times and charges are the sums of theirs, and nothing else is said of the whole.

Before a kernel works it starts up: its time is that of the start and of the work, each charged to
itself. What a resource takes to start adds to its own time, in each kernel that uses it. A rate may
depend on the work of a kernel; at its most, that of large work, it makes the peak.

What a machine adds up (`serial`) is busy for the sum of its parts, wherever their work stands: no
kernel takes less, nor does an overlap of several that use it; where that takes longest, each of the
parts is charged its own. Units of flops that run at once (`concurrent`) are busy each by itself;
flops of other units keep all of them busy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

Amounts = dict[str, Fraction]
Tables = dict[str, Amounts]
STATED = "time"
"""What a time is charged to whose kernel names no resource; no two kernels share it."""
WAIT = "wait"


@dataclass(frozen=True)
class Load:
    """Work on one resource; `rate` is None where it takes no time, `measured` what it took.

    `unit` is the part of the machine, or of the device, that is busy with it; `sums` are those that
    it adds up in with other parts. `most` is the rate of large work, `start` what the resource
    takes to start.
    """

    device: str
    resource: str
    level: str
    amount: Fraction
    rate: Fraction | None
    unit: tuple[str, str]
    shares: str = ""
    counts: bool = True
    measured: Fraction | None = None
    most: Fraction | None = None
    start: Fraction = Fraction()
    sums: tuple[str, ...] = ()

    @property
    def roof(self) -> Fraction:
        most = self.most or self.rate
        return self.amount / most if most else Fraction()

    @property
    def time(self) -> Fraction:
        if self.measured is not None:
            return self.measured
        return self.start + (self.amount / self.rate if self.rate else Fraction())

    @property
    def name(self) -> str:
        return ".".join(filter(None, (self.device, self.resource, self.level)))

    @property
    def calls_it(self) -> str:
        """What its unit is called if no work before was on it."""
        key = f"{self.resource}.{self.level}" if self.level else self.resource
        if self.shares or self.resource == "flops":
            key = self.unit[1]
        return f"{self.device}.{key}" if self.device else key


@dataclass(frozen=True)
class Part:
    """A kernel, or parts in a sequence, overlap, iterate or wait; it runs `times` times.

    A mix has parts that are jobs, and each job has one. `start` is what a kernel takes to start, by
    the name of what does it.
    """

    name: str
    arrangement: str
    loads: tuple[Load, ...] = ()
    stated: Fraction | None = None
    parts: tuple[Part, ...] = ()
    times: Fraction = Fraction(1)
    tallies: Mapping[str, Fraction] = field(default_factory=dict)
    start: Mapping[str, Fraction] = field(default_factory=dict)


@dataclass(frozen=True)
class Spent:
    """A part over all its runs; `flops` is how long those take by themselves that add up.

    `by_step` is its time by the step inside that it is charged to, `runs` how often it runs. `sums`
    is how long what adds up is busy, by its parts; `works` how long each part of the machine is, by
    the names of its work; `by_work` is the time by the work that it is charged to.
    """

    name: str
    arrangement: str
    time: Fraction
    busy: Amounts
    charged: Amounts
    work: Amounts
    totals: Amounts
    tallies: Amounts
    flops: Amounts
    parts: tuple[Spent, ...]
    by_step: Amounts
    runs: Fraction
    sums: Tables
    works: Tables
    by_work: Amounts
    adds_up: bool = False
    waited_for: tuple[Spent, ...] = ()

    @property
    def rivals(self) -> Amounts:
        """What competes to bind: the busy times of a kernel at work, the charges of other parts.

        And of a kernel in which some of what else would compete adds up.
        """
        alone = self.arrangement == "kernel" and self.busy and not self.adds_up
        return self.busy if alone else self.charged

    @property
    def ties(self) -> tuple[str, ...]:
        """What binds: the busiest of a kernel, the largest shares of other parts."""
        most = max(self.rivals.values(), default=Fraction())
        return tuple(name for name in [*self.busy, WAIT] if self.rivals.get(name) == most > 0)

    @property
    def kind(self) -> str | None:
        """The work on what binds that most is charged to."""
        if not self.ties:
            return None
        names = [*self.works.get(self.ties[0], {})] or [self.ties[0]]
        return max(names, key=lambda name: self.by_work.get(name, Fraction()))

    @property
    def is_step(self) -> bool:
        return self.name not in ("overlap", "repeat", "if", "iterate", "wait", "job")

    @property
    def steps(self) -> dict[str, tuple[Fraction, Spent]]:
        """Its steps, those in groups too: how often each runs in one run of it, and one run."""
        found: dict[str, tuple[Fraction, Spent]] = {}
        for part in self.waited_for or self.parts:
            if part.is_step:
                found[part.name] = Fraction(1), part
            else:
                inner = part.steps.items()
                found |= {name: (count * part.runs, step) for name, (count, step) in inner}
        return found

    @property
    def peak(self) -> Fraction | None:
        """All flops at the rates of their kinds: a device does one kind after another."""
        slowest = max(self.flops.values(), default=Fraction())
        return self.totals["flops"] / slowest if slowest else None


def spent(part: Part, compose: str = "written") -> Spent:
    """Return what a part takes as written, with `max` if all overlaps, with `sum` if nothing."""
    return _whole(part, compose, _names(part))


def _whole(part: Part, compose: str, names: Mapping[tuple[str, str], str]) -> Spent:
    if part.arrangement == "mix":
        together = _run(replace(part, arrangement="sequence", parts=()), compose, names)
        jobs = tuple(_job(job, compose, names) for job in part.parts)
        busy = added(job.busy for job in jobs)
        if STATED in busy:
            busy[STATED] = max(job.busy.get(STATED, Fraction()) for job in jobs)
        return replace(
            together,
            arrangement="mix",
            time=sum((job.time for job in jobs), Fraction()),
            busy=busy,
            charged=added(job.charged for job in jobs),
            by_step=added(job.by_step for job in jobs),
            by_work=added(job.by_work for job in jobs),
            works=merged(job.works for job in jobs),
            parts=jobs,
        )
    once = _run(part, compose, names)
    if compose == "max":
        # All that overlaps is like one kernel.
        time, charged, by_step = _longest([], once.busy, once.sums, once.parts, once.busy)
        works = {name: once.works.get(name, {name: t}) for name, t in charged.items()}
        found = replace(once, arrangement="kernel", time=time, by_work=added(works.values()))
        charged = _in_order(charged, once.busy)
        return replace(found, charged=charged, by_step=by_step, adds_up=_adds_up(once.sums))
    return once


def _job(job: Part, compose: str, names: Mapping[tuple[str, str], str]) -> Spent:
    (part,) = job.parts
    alone, n = _whole(part, compose, names), job.times
    return Spent(
        job.name,
        "job",
        alone.time * n,
        _times(alone.busy, n),
        _times(alone.charged, n),
        _times(alone.work, n),
        _times(alone.totals, n),
        alone.tallies,
        _times(alone.flops, n),
        (alone,),
        _times(_to_steps(alone), n),
        n,
        {},
        _all_times(alone.works, n),
        _times(alone.by_work, n),
    )


def _names(part: Part) -> dict[tuple[str, str], str]:
    """Return what each unit is called: as the first work on it is, in the order written."""
    names = {load.unit: load.calls_it for load in reversed(part.loads)}
    for inner in reversed(part.parts):
        names |= _names(inner)
    return names


def _run(part: Part, compose: str, names: Mapping[tuple[str, str], str]) -> Spent:
    parts = tuple(_run(inner, compose, names) for inner in part.parts)
    by_step = added(map(_to_steps, parts))
    kernel = part.arrangement == "kernel"
    own_busy = [{names[load.unit]: load.time} for load in part.loads]
    busy = added(own_busy if kernel else [x.busy for x in parts])
    if STATED in busy:
        busy[STATED] = max(inner.busy.get(STATED, Fraction()) for inner in parts)
    sums = (
        merged({x: {names[load.unit]: load.time}} for load in part.loads for x in load.sums)
        if kernel
        else merged(x.sums for x in parts)
    )
    own_works = [{names[load.unit]: {load.name: load.time}} for load in part.loads]
    works = merged(own_works if kernel else [x.works for x in parts])
    if kernel and part.stated is not None:
        busy = dict.fromkeys(busy or [STATED], part.stated)
        time, charged = part.stated, {next(iter(busy)): part.stated}
        # It keeps busy for no longer than it takes what adds up, and what works is its first.
        sums = {x: {next(iter(inside)): time} for x, inside in sums.items()}
        works = {name: {next(iter(inside)): time} for name, inside in works.items()}
        by_work = works.get(next(iter(busy)), charged)
    elif kernel:
        one = _longest([], busy, sums, (), busy)[1] if compose != "sum" else busy
        by_work = added(works[name] for name in one)
        busy, charged = {**busy, **part.start}, {**one, **part.start}
        time = sum(charged.values(), Fraction())
    elif part.arrangement == "overlap" and compose != "sum":
        used = [name for x in parts for name in x.busy if name != STATED]
        shared = {name: both for name, both in busy.items() if used.count(name) > 1}
        several = {x: each for x, each in sums.items() if sum(x in y.sums for y in parts) > 1}
        time, charged, by_step = _longest(parts, shared, several, parts, busy)
        longest = [x for x in parts if x.time == time][:1]
        by_work = longest[0].by_work if longest else added(works.get(x, {}) for x in charged)
    else:
        time = sum((inner.time for inner in parts), Fraction())
        charged, by_work = (added(x.charged for x in parts), added(x.by_work for x in parts))
    charged = _in_order(charged, busy)
    own, counted = part.loads, [x for x in part.loads if x.counts]
    work = added([*({x.name: x.amount} for x in own), *(x.work for x in parts)])
    totals = added([*({x.resource: x.amount} for x in counted), *(x.totals for x in parts)])
    tallies = added([part.tallies, *(x.tallies for x in parts)])
    kinds = [x for x in own if x.resource == "flops"]
    together = [{each: x.roof} for x in kinds for each in x.sums or (names[x.unit],)]
    flops = added([*together, *(x.flops for x in parts)])
    n = part.times
    busy, charged, work = _times(busy, n), _times(charged, n), _times(work, n)
    totals, flops = _times(totals, n), _times(flops, n)
    tallies = tallies if part.arrangement == "iterate" else _times(tallies, n)
    found = Spent(
        part.name,
        part.arrangement,
        time * n,
        busy,
        charged,
        work,
        totals,
        tallies,
        flops,
        parts,
        _times(by_step, n),
        n,
        _all_times(sums, n),
        _all_times(works, n),
        _times(by_work, n),
        kernel and part.stated is None and _adds_up(sums),
    )
    return _idle(found) if part.arrangement == "wait" else found


def _idle(part: Spent) -> Spent:
    """Return a part that others do: it takes as long, and does nothing."""
    parts = tuple(_idle(inner) for inner in part.parts)
    charged = {WAIT: part.time}
    idle = replace(part, busy={}, charged=charged, work={}, totals={}, parts=parts)
    idle = replace(idle, sums={}, works={}, by_work=charged)
    return replace(idle, tallies={}, flops={}, waited_for=part.parts)


def _longest(
    children: Sequence[Spent],
    busy: Amounts,
    sums: Tables,
    parts: Iterable[Spent],
    order: Iterable[str],
) -> tuple[Fraction, Amounts, Amounts]:
    """Return the longest of children, of resources, and of what adds up, in the order declared.

    Beside its time stands what that is charged to: resources, and steps of the parts.
    """
    options = [(child.time, child.charged, _to_steps(child)) for child in children]
    wide = {x: inside for x, inside in sums.items() if len(inside) > 1}
    seen: set[str] = set()
    for name in order:
        within = [x for x, inside in wide.items() if name in inside]
        for x in within:
            if x not in seen:
                options.append((sum(wide[x].values(), Fraction()), wide[x], _adding(parts, x)))
        seen.update(within)
        if not within and name in busy:
            options.append((busy[name], {name: busy[name]}, _users(parts, name)))
    return max(options, key=lambda option: option[0], default=(Fraction(), {}, {}))


def _adding(parts: Iterable[Spent], adds_up: str) -> Amounts:
    """Return for how long each step keeps busy what adds up."""
    return added(
        {part.name: sum(part.sums.get(adds_up, {}).values(), Fraction())}
        if part.is_step
        else _times(_adding(part.parts, adds_up), part.runs)
        for part in parts
    )


def _to_steps(part: Spent) -> Amounts:
    return {part.name: part.time} if part.is_step else part.by_step


def _users(parts: Iterable[Spent], resource: str) -> Amounts:
    """Return for how long each step keeps a resource busy."""
    return added(
        {part.name: part.busy.get(resource, Fraction())}
        if part.is_step
        else _times(_users(part.parts, resource), part.runs)
        for part in parts
    )


def added(tables: Iterable[Mapping[str, Fraction]]) -> Amounts:
    found: Amounts = {}
    for table in tables:
        for name, amount in table.items():
            found[name] = found[name] + amount if name in found else amount
    return found


def merged(tables: Iterable[Tables]) -> Tables:
    found: Tables = {}
    for table in tables:
        for name, inside in table.items():
            found[name] = added([found.get(name, {}), inside])
    return found


def _adds_up(sums: Tables) -> bool:
    return any(len(inside) > 1 for inside in sums.values())


def _in_order(charged: Amounts, busy: Amounts) -> Amounts:
    return {name: charged[name] for name in [*busy, WAIT] if name in charged}


def _all_times(tables: Tables, runs: Fraction) -> Tables:
    return {name: _times(table, runs) for name, table in tables.items()}


def _times(table: Amounts, runs: Fraction) -> Amounts:
    if runs == 1:  # most parts run once, and fractions multiply slowly
        return dict(table)
    return {name: amount * runs for name, amount in table.items()}
