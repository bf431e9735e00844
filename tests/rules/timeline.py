"""What tensors come to in memory, by unrolling: every kernel of every round, one after another.

It shares nothing with the package, and knows of no formula: a program is run with a storage for
each tensor, which is there from the kernel that makes it to the last that reads it, or until what
needs it for its gradients is done. Then the bytes that are there are added up, event by event.

- What a part makes, or a round of a repeat, is there until the part or the round is done.
- A repeat is written out: a round reads what the round before it makes. What rounds read by name
  from outside, or read as none makes another, is there until the repeat is done.
- `iterate` runs the same again; what a run makes is gone when the next begins, and gradients are
  there from the first on. Of runs that go on before others are done see `flights`.
- Of what runs at once the sum of what each reaches counts; what all read is gone when all are done.
- What is kept is gone when each step that keeps it has been gone back over, the last round first,
  or where a step has none that goes back, when the whole part is done that goes back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple


@dataclass(frozen=True)
class Layer:
    """A model with work; each tensor has a name and bytes, `views` the name of what it lies in."""

    name: str
    ins: tuple[tuple[str, int], ...] = ()
    outs: tuple[tuple[str, int], ...] = ()
    views: tuple[tuple[str, str], ...] = ()
    keeps: tuple[str, ...] = ()
    own: tuple[tuple[str, int], ...] = ()
    weights: int = 0
    gradients: int = 0


@dataclass(frozen=True)
class Step:
    name: str
    model: Layer | Model
    sources: tuple[str, ...] = ()
    in_place: bool = False


@dataclass(frozen=True)
class Group:
    """A repeat, an `if` (which runs 0 or 1 times), `iterate`, overlap, wait or `recompute`."""

    sort: str
    parts: tuple[Step | Group, ...]
    count: int = 1
    keeping: int = 1


@dataclass(frozen=True)
class Keep:
    begins: tuple[str, ...]
    ends: tuple[str, ...]
    stated: int | None = None


@dataclass(frozen=True)
class Model:
    name: str
    parts: tuple[Step | Group, ...]
    ins: tuple[tuple[str, int], ...] = ()
    keeps: tuple[Keep, ...] = ()


def models_in(model: Layer | Model) -> dict[str, Layer | Model]:
    """Return a model and all that its steps call, by name, what is called first."""
    found: dict[str, Layer | Model] = {}
    if isinstance(model, Model):
        for step in steps_in(model.parts):
            found |= models_in(step.model)
    return found | {model.name: model}


def steps_in(parts: Sequence[Step | Group]) -> Iterator[Step]:
    for part in parts:
        if isinstance(part, Step):
            yield part
        else:
            yield from steps_in(part.parts)


# The text of a program


def written(main: Model) -> str:
    """Return the text of a program."""
    texts = [_model(each) for each in models_in(main).values()]
    return "\n".join([*texts, "machine box { flops = 1 flop/s }"])


def _model(model: Layer | Model) -> str:
    lines = [f"in {name} = {size} B" for name, size in model.ins]
    if isinstance(model, Layer):
        lines += [f"out {name} = {size} B" for name, size in model.outs]
        lines += [f"out {name} = {of}" for name, of in model.views]
        lines += [f"keep {', '.join(model.keeps)}"] if model.keeps else []
        lines += [f"keep {name} = {size} B" for name, size in model.own]
        lines += [f"hold weights = {model.weights} B"] if model.weights else []
        lines += [f"hold gradients = {model.gradients} B from here"] if model.gradients else []
        lines.append("flops = 1 flop")
    else:
        lines += map(_part, model.parts)
        for place, keep in enumerate(model.keeps):
            stated = "" if keep.stated is None else f"stated{place} = {keep.stated} B from "
            lines.append(f"keep {stated}{'.'.join(keep.begins)} to {'.'.join(keep.ends)}")
    return f"model {model.name} {{ {'; '.join(lines)} }}"


def _part(part: Step | Group) -> str:
    if isinstance(part, Step):
        sources = f" from {', '.join(part.sources)}" if part.sources else ""
        place = " in place" if part.in_place else ""
        return f"step {part.name} = {part.model.name}(){sources}{place}"
    count = f" {part.count}" if part.sort in ("repeat", "iterate", "wait") else ""
    count = f" {part.count} == 1" if part.sort == "if" else count
    count += f" keeping {part.keeping}" if part.keeping > 1 else ""
    return f"{part.sort}{count} {{ {'; '.join(map(_part, part.parts))} }}"


# What it comes to


@dataclass(eq=False)
class Event:
    """A moment, `where` of all that runs at once around it: each with the part that it is in."""

    order: int
    where: tuple[tuple[AtOnce, int], ...]
    during: int = 0
    before: int = 0
    after: int = 0


@dataclass(eq=False)
class AtOnce:
    branches: list[list[Event | AtOnce]]
    end: Event | None = None


@dataclass(eq=False)
class Storage:
    size: int
    born: Event | None = None  # None: it is there from beginning to end
    uses: list[Event] = field(default_factory=list)
    keepers: list[Keeper] = field(default_factory=list)
    runs: tuple[IterateRun, ...] = ()
    stated: Kept | None = None  # it is kept by itself, with its bytes

    @property
    def again(self) -> bool:
        """Whether a run after it makes another of the same."""
        return any(run.after for run in self.runs)


@dataclass(eq=False)
class Kept:
    """What a `keep … to …` of one run of a model keeps."""

    counts: bool
    rounds: int
    again: frozenset[tuple[str, ...]]
    inside: tuple[IterateRun, ...] = ()
    freed: dict[tuple[tuple[str, ...], tuple[tuple[int, int], ...]], Event] = field(
        default_factory=dict
    )
    end: Event | None = None


@dataclass(eq=False)
class IterateRun:
    """A run of an `iterate`, and how many of the same come after it."""

    after: int
    keeping: int


class RunDone(NamedTuple):
    """A run that is done: where on the line it is, and from which storage on it made them."""

    run: IterateRun
    start: int
    stop: int
    held: int


Keeper = tuple[Kept, tuple[str, ...], tuple[tuple[int, int], ...]]
"""What keeps, the step for which, by its path, and the round of that."""
Read = tuple[str, Storage]
"""What is read by a name, and its name."""
Under = tuple[Kept, tuple[str, ...]]
Mark = tuple[tuple[str, ...], bool, Kept | Storage]


@dataclass(frozen=True)
class Around:
    keeping: Under | None = None
    freeing: Under | None = None
    marks: tuple[Mark, ...] = ()
    path: tuple[object, ...] = ()
    rounds: tuple[tuple[int, int], ...] = ()
    again: bool = False
    waiting: bool = False
    runs: tuple[IterateRun, ...] = ()

    @property
    def run_again(self) -> bool:
        return any(run.after for run in self.runs)


class Run:
    """A program that is run, with what it holds all the time and the bytes that it keeps."""

    def __init__(self, main: Model) -> None:
        self.root: list[Event | AtOnce] = []
        self.line, self.where = self.root, tuple[tuple[AtOnce, int], ...]()
        self.events = 0
        self.base = 0
        self.storages: list[Storage] = []
        self.gradients: set[object] = set()
        self.spoiled = False  # what is kept is overwritten: its gradients cannot be had
        self.model(main, [], Around())
        self.activations = sum(each.size for each in self.storages if self.is_kept(each))
        for storage in self.storages:
            self.settle(storage)
        self.peak = self.base + self.most(self.root)[0]

    def is_kept(self, storage: Storage) -> bool:
        """Whether a storage is among what is kept in all; of runs that are the same only one is."""
        return not storage.again and any(kept.counts for kept, _, _ in storage.keepers)

    def event(self) -> Event:
        self.events += 1
        found = Event(self.events, self.where)
        self.line.append(found)
        return found

    def storage(self, size: int, born: Event | None, around: Around) -> Storage:
        found = Storage(size, born, runs=around.runs)
        self.storages.append(found)
        return found

    def outside(self, size: int, around: Around) -> Storage:
        """Return what no step makes; of what runs again, the last run's counts."""
        if not around.again and not around.run_again:
            self.base += size
        return self.storage(size, None, around)

    # Parts

    def model(self, model: Model, given: list[Storage], around: Around) -> Storage | None:
        names: dict[str, list[Storage]] = {}
        chain = list(given)
        for place, (name, size) in enumerate(model.ins):
            if place >= len(given):
                chain.append(self.outside(size, around))
            names[name] = [chain[place]]
        marks = list(around.marks)
        for keep in model.keeps:
            again = frozenset(computed_again(at(model, keep.ends), ()))
            kept = Kept(around.freeing is None, len(around.rounds), again, around.runs)
            what: Kept | Storage = kept
            if keep.stated is not None:
                what = Storage(keep.stated, runs=around.runs, stated=kept)
            marks += [(keep.begins, True, what), (keep.ends, False, what)]
        inside = replace(around, marks=tuple(marks))
        out, _ = self.parts(model.parts, chain, names, inside)
        if out is not None:
            out.uses.append(self.event())
        return out

    def parts(
        self,
        parts: Sequence[Step | Group],
        chain: list[Storage],
        names: dict[str, list[Storage]],
        around: Around,
    ) -> tuple[Storage | None, list[Read]]:
        """Run parts one after another; also return what is read of what has a name outside."""
        made: Storage | None = None
        local: set[str] = set()
        read: list[Read] = []
        for place, part in enumerate(parts):
            inside = replace(around, path=(*around.path, place))
            if isinstance(part, Step):
                given = chain
                if part.sources:
                    given = [each for name in part.sources for each in names.get(name, [])]
                    read += [
                        (name, each)
                        for name in part.sources
                        if name not in local
                        for each in names.get(name, [])
                    ]
                out = self.step(part, list(given), inside)
                own = [part.name]
            else:
                out, more = self.group(part, list(chain), names, inside)
                read += [(name, each) for name, each in more if name not in local]
                own = [step.name for step in steps_in(part.parts)]
            if out is not None:
                made, chain = out, [out]
            names |= dict.fromkeys(own, chain)
            local |= set(own)
        return made, read

    def group(
        self,
        group: Group,
        given: list[Storage],
        names: dict[str, list[Storage]],
        around: Around,
    ) -> tuple[Storage | None, list[Read]]:
        if group.sort == "wait":
            return None, []
        if group.sort == "recompute":
            self.parts(group.parts, [], {}, replace(around, again=True))
            return None, []
        if group.sort == "overlap":
            return self.overlap(group, given, names, around)
        if group.count == 0:
            return None, []
        if group.sort == "if":
            return self.parts(group.parts, given, dict(names), around)
        began = self.events
        first, read = list(given), list[Read]()
        out: Storage | None = None
        iterates, done = group.sort == "iterate", list[RunDone]()
        runs = self.runs_of(group) if iterates else group.count
        for run in range(runs):
            inside = self.iterate_run(group, around, runs - 1 - run) if iterates else around
            if group.sort == "repeat":
                inside = replace(around, rounds=(*around.rounds, (run, group.count)))
            held, start = len(self.storages), len(self.line)
            out, more = self.parts(group.parts, given, dict(names), inside)
            read += more
            if out is not None:
                out.uses.append(self.event())
            if group.sort == "repeat" and out is not None:
                given = [out]
            elif iterates:
                end = out.uses[-1] if out is not None else self.event()
                for each in self.storages[held:] if run < runs - 1 else ():
                    keepers = each.keepers  # of what is kept for later only the last run's is
                    each.keepers = [x if x[0].end else (_until(end), (), ()) for x in keepers]
                done.append(RunDone(inside.runs[-1], start, len(self.line), held))
        self.all_done(done)
        end = self.event()
        stays = [each for _, each in read]
        if group.sort == "iterate" or out is None:
            stays += first
        for each in stays:
            if any(use.order > began for use in each.uses):
                each.uses.append(end)
        return out, read

    def runs_of(self, group: Group) -> int:
        """Return how often an `iterate` is run."""
        return group.count

    def iterate_run(self, group: Group, around: Around, after: int) -> Around:
        """Return what one run of the same is among."""
        run = IterateRun(after, group.keeping)
        names = {step.name for step in steps_in(group.parts)}
        own: dict[int, Kept | Storage] = {}
        marks: list[Mark] = []
        for path, begins, what in around.marks:
            both = sum(other is what and name[0] in names for name, _, other in around.marks)
            if both == 2:  # each run keeps its own
                kept = what.stated if isinstance(what, Storage) else what
                assert kept is not None
                inside = (*around.runs, run)
                fresh = Kept(kept.counts, kept.rounds, kept.again, inside)
                copy = (
                    Storage(what.size, runs=inside, stated=fresh)
                    if isinstance(what, Storage)
                    else fresh
                )
                what = own.setdefault(id(what), copy)
            marks.append((path, begins, what))
        return replace(around, marks=tuple(marks), runs=(*around.runs, run))

    def all_done(self, done: list[RunDone]) -> None:
        """Note that all runs of an `iterate` are done."""

    def begins(self, kept: Kept, around: Around) -> None:
        """Note that a step is about to run from which on something is kept."""

    def ends(self, kept: Kept, around: Around) -> None:
        """Note that a step is about to run until whose end something is kept."""

    def overlap(
        self,
        group: Group,
        given: list[Storage],
        names: dict[str, list[Storage]],
        around: Around,
    ) -> tuple[Storage | None, list[Read]]:
        found = AtOnce([[] for _ in group.parts])
        self.line.append(found)
        line, where, made, read = self.line, self.where, None, list[Read]()
        for place, part in enumerate(group.parts):
            self.line, self.where = found.branches[place], (*where, (found, place))
            inside = replace(around, path=(*around.path, place))
            out, more = self.parts([part], given, dict(names), inside)
            made, read = out or made, [*read, *more]
        self.line, self.where = line, where
        found.end = self.event()
        if made is not None:
            made.uses.append(found.end)
        return made, read

    def step(self, step: Step, given: list[Storage], around: Around) -> Storage | None:
        def below(under: Under | None) -> Under | None:
            return under and (under[0], (*under[1], step.name))

        marks: list[Mark] = [
            (path[1:], begins, what) for path, begins, what in around.marks if path[0] == step.name
        ]
        keeping, freeing = below(around.keeping), below(around.freeing)
        ending: list[Kept] = []
        for path, begins, what in marks:
            if path:
                continue
            kept = what.stated if isinstance(what, Storage) else what
            assert kept is not None
            (self.begins if begins else self.ends)(kept, around)
            if isinstance(what, Storage):
                if begins:
                    what.born = self.event()
                    self.storages.append(what)
            elif begins:
                keeping = what, ()
            else:
                freeing = what, ()
                ending.append(what)
        inside = replace(
            around,
            marks=tuple(mark for mark in marks if mark[0]),
            path=(*around.path, step.name),
        )
        if keeping and keeping[1] in keeping[0].again:
            for read in given[:1]:
                self.keep(read, keeping, around)
            keeping = None
        inside = replace(inside, keeping=keeping, freeing=freeing)
        if isinstance(step.model, Layer):
            out = self.layer(step, step.model, given, inside)
        else:
            out = self.model(step.model, given, inside)
        if freeing:
            freed, own = freeing
            freed.freed[own, around.rounds[freed.rounds :]] = self.event()
        for each in ending:
            each.end = self.event()
        for path, begins, what in marks:
            if not path and isinstance(what, Storage) and not begins:
                what.uses.append(self.event())
        return out

    def keep(self, storage: Storage, keeping: Under, around: Around) -> None:
        kept, path = keeping
        storage.keepers.append((kept, path, around.rounds[kept.rounds :]))

    def layer(
        self, step: Step, layer: Layer, given: list[Storage], around: Around
    ) -> Storage | None:
        event = self.event()
        named: dict[str, Storage] = {}
        for place, (name, size) in enumerate(layer.ins):
            read = given[place] if place < len(given) else self.outside(size, around)
            event.during += max(0, size - read.size)
            read.uses.append(event)
            named[name] = read
        ins = [named[name] for name, _ in layer.ins]
        for name, size in layer.outs:
            over = step.in_place and ins and ins[0].born is not None
            self.spoiled |= bool(over and ins[0].keepers)
            named[name] = ins[0] if over else self.storage(size, event, around)
            named[name].uses.append(event)
        for name, of in layer.views:
            named[name] = named[of]
        if around.keeping:
            for name, size in layer.own:
                named[name] = self.storage(size, event, around)
                self.keep(named[name], around.keeping, around)
            for name in layer.keeps:
                self.keep(named[name], around.keeping, around)
        if not (around.again or around.run_again):
            self.base += layer.weights
        where = around.path, around.rounds
        if where in self.gradients:
            event.during += layer.gradients
        else:
            self.gradients.add(where)
            event.before += layer.gradients
        made = [name for name, _ in (*layer.outs, *layer.views)]
        return named[made[0]] if made else None

    # The sum

    def kept_until(self, keeper: Keeper) -> Event | None:
        """Return until when something is kept, None where that has not come."""
        kept, path, rounds = keeper
        back = tuple((count - 1 - at, count) for at, count in rounds)
        return kept.freed.get((path, back), kept.end)

    def settle(self, storage: Storage) -> None:
        """Enter in the events where a storage begins and where it ends."""
        if storage.born is None:
            return
        ends = list(storage.uses)
        for keeper in storage.keepers:
            end = self.kept_until(keeper)
            assert end is not None
            ends.append(end)
        last = storage.born
        branches: dict[AtOnce, set[int]] = {}
        for each in ends:
            for around, branch in each.where:
                branches.setdefault(around, set()).add(branch)
        for each in ends:
            end = each
            for place, (around, branch) in enumerate(each.where):
                outside = storage.born.where[place : place + 1] != ((around, branch),)
                if outside and len(branches[around]) > 1:  # else one of the parts is done with it
                    assert around.end is not None
                    end = around.end
                    break
            last = max(last, end, key=lambda event: event.order)
        storage.born.before += storage.size
        last.after += storage.size

    def most(self, line: Sequence[Event | AtOnce]) -> tuple[int, int]:
        """Return the most bytes above where events begin, and what is left after them."""
        most = there = 0
        for each in line:
            if isinstance(each, AtOnce):
                found = [self.most(branch) for branch in each.branches]
                most = max(most, there + sum(reached for reached, _ in found))
                there += sum(left for _, left in found)
            else:
                there += each.before
                most = max(most, there + each.during)
                there -= each.after
        return most, there


def _until(end: Event) -> Kept:
    return Kept(False, 0, frozenset(), end=end)


def at(model: Model, path: Sequence[str]) -> Layer | Model:
    found: Layer | Model = model
    for name in path:
        assert isinstance(found, Model)
        found = next(step.model for step in steps_in(found.parts) if step.name == name)
    return found


def computed_again(model: Layer | Model, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of steps whose models compute something again."""
    if isinstance(model, Layer):
        return
    if any(isinstance(part, Group) and part.sort == "recompute" for part in model.parts):
        yield path
    else:
        for step in steps_in(model.parts):
            yield from computed_again(step.model, (*path, step.name))
