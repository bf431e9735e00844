"""A model placed on a machine, as a tree: kernels at its leaves, sequences and overlaps above.

At the root of a mix are its jobs, each with one model.

What the times of its parts make together, `composition` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from roofdsl.analysis.binding import Binding
from roofdsl.analysis.contender import joints_of
from roofdsl.analysis.load import Load
from roofdsl.expression.construct import maximum, multiply
from roofdsl.expression.tree import ONE, Expression
from roofdsl.model.kept import Keep, Tensor
from roofdsl.model.loop import KEPT, NAMED, LoopWord, count_of
from roofdsl.model.startup import STARTUP
from roofdsl.model.types import ModelDefinition, Step, Work
from roofdsl.source import Span
from roofdsl.units.dimension import Dimension

Arrangement: TypeAlias = Literal[
    "kernel", "sequence", "overlap", "iterate", "wait", "mix", "job", "recompute"
]
STATED = "time"
"""What a kernel is bound by that states its time and names no resource.

No two kernels share it: of several, the longest counts as busy.
"""
WAIT = "wait"
"""What the time of a wait is charged to; nothing is busy then."""
ONCE_TALLIED: tuple[Arrangement, ...] = ("iterate", "job")
"""What is the same part again however often it runs: weights and footprint are those of one run."""


class Tallied(NamedTuple):
    """A tally of a model, or of all its steps; `span` is where it was first stated."""

    name: str
    dimension: Dimension
    amount: Expression
    span: Span


class Held(NamedTuple):
    """A tensor of a node, as its model states it, and its bytes."""

    stated: Tensor
    size: Expression


class Together(NamedTuple):
    """What a model says of all its processes: their work by resource, or that it is even.

    `processes` is how many there are, None for a step written in place: as many as around it.
    """

    work: dict[str, tuple[Expression, Work]]
    even: bool
    processes: Expression | None


class Site(NamedTuple):
    """A model with its parameters bound, on a device or, where that is None, on the machine."""

    model: ModelDefinition
    binding: Binding
    device: str | None


class Start(NamedTuple):
    """The time that a kernel takes to start, and what it is charged to: `gpu.startup`."""

    name: str
    time: Expression
    span: Span


def is_startup(name: str) -> bool:
    """Whether time by this name is that of kernels that start up.

    >>> is_startup("gpu.startup"), is_startup("flops")
    (True, False)
    """
    return name.rpartition(".")[2] == STARTUP


T = TypeVar("T", Load, Tallied)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Node:
    """A part of a prediction; `count` says how often it runs, one run after another.

    What is kept in it is there of `keeping` runs at once.

    `tallies` are what the model of this part states itself, for one run; `model` is its name.
    `together` is what it says of all its processes, None where it does not speak of them. `site` is
    what it was placed from, None for what is no step: an overlap, a repeat. `start` is what a
    kernel takes to start, None where that is nothing. `tensors` and what is `kept` are those its
    model states; it reads what `sources` make, where any are named. Of an `if` that does not run
    the parts are `unrun`, and the `children` are their names.
    """

    name: str
    arrangement: Arrangement
    span: Span
    loads: tuple[Load, ...] = ()
    stated: Expression | None = None
    children: tuple[Node, ...] = ()
    count: Expression = ONE
    tallies: tuple[Tallied, ...] = ()
    model: str = ""
    together: Together | None = None
    site: Site | None = None
    start: Start | None = None
    tensors: tuple[Held, ...] = ()
    kept: tuple[tuple[Keep, Expression | None], ...] = ()
    sources: tuple[str, ...] = ()
    overwrites: bool = False
    keeping: Expression = ONE
    unrun: tuple[Node, ...] = ()


def arrangement_of(word: LoopWord) -> Arrangement:
    """Return how what runs under a word is arranged: of a repeat or a choice, in sequence."""
    return "sequence" if word == "repeat" or word == "if" or word == "else" else word


def as_step(node: Node, step: Step) -> Node:
    """Return what was placed as this step: by its name, reading what the step reads."""
    sources = tuple(source.name for source in step.sources)
    return replace(node, name=step.name, sources=sources, overwrites=step.overwrites)


def together_of(model: ModelDefinition, binding: Binding) -> Together | None:
    """Return what a model says of all its processes."""
    counts = [p.symbol for p in model.parameters if p.kind == "processes"]
    if model.is_mix or not (counts or model.totals or model.even):
        return None
    work = {item.key: (binding.expand(item.value), item) for item in model.totals}
    return Together(work, model.even, binding.expand(multiply(*counts)) if counts else None)


def most_processes(around: Expression | None, together: Together | None) -> Expression | None:
    """Return how many processes there are: of a part no fewer than of the whole."""
    own = None if together is None else together.processes
    if own is None or around is None or own == around:
        return around if own is None else own
    return maximum(around, own)


class Stated(NamedTuple):
    """An amount a model states: work, a count, a time or a tally, which alone may be below 0.

    `rate` is the rate that a time or work follows from, where that depends on the work.
    """

    what: str
    amount: Expression
    span: Span
    signed: bool = False
    rate: str = ""


def stated_in(root: Node) -> Iterator[Stated]:
    """Yield every amount stated in a tree, as often as it was placed, in the order written."""
    if root.arrangement == "mix":
        for job in root.children:
            yield Stated(count_of("job"), job.count, job.span)
            (model,) = job.children
            yield from (
                x._replace(what=f"{x.what} of job '{model.name}'") for x in stated_in(model)
            )
        return
    seen: set[tuple[int, ...]] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        # Equal calls were placed once: what they hold is the same.
        held = (
            *(node.tallies, node.count, node.loads, node.stated, node.children, node.together),
            node.start,
            node.tensors,
            *(node.kept, node.keeping),
        )
        key = tuple(map(id, held))
        if key in seen:
            continue
        seen.add(key)
        yield from (Stated(f"tally {t.name}", t.amount, t.span, True) for t in node.tallies)
        yield from (
            Stated(f"tensor '{x.stated.name}'", x.size, x.stated.span) for x in node.tensors
        )
        yield from (Stated(f"tensor '{x.name}'", y, x.span) for x, y in node.kept if y is not None)
        if node.together is not None:
            for name, (total, stated) in node.together.work.items():
                yield Stated(f"total {name}", total, stated.span)
            if node.together.processes is not None:
                yield Stated("the number of processes", node.together.processes, node.span)
        if node.count is not ONE:
            word = node.name if node.name in NAMED else "repeat"
            yield Stated(count_of(word), node.count, node.span)
        if node.keeping is not ONE:
            yield Stated(KEPT, node.keeping, node.span)
        for load in node.loads:
            yield Stated(load.name, load.work, load.stated.span)
            if load.spent is not None:
                yield Stated(f"the time of {load.name}", load.spent, load.stated.span)
            if load.needed is not None:
                rate = "" if load.rate is None else load.rate.name
                what = f"the time of {load.name} at its rate"
                yield Stated(what, load.needed, load.stated.span, rate=rate)
            if load.start is not None:
                yield Stated(f"the start-up of {load.name}", load.start, load.stated.span)
        if node.start is not None:
            yield Stated(node.start.name, node.start.time, node.start.span)
        if node.stated is not None:
            yield Stated("time", node.stated, node.span)
        waiting += reversed(node.children)


def walk(root: Node) -> Iterator[Node]:
    """Yield a node and all below it, in the order written."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)


def with_loads(root: Node, change: Callable[[Load], Load]) -> Node:
    """Return a tree with each load changed; what was placed once stays one, and so do its parts."""
    nodes = dict[int, tuple[Node, Node]]()
    loads = dict[int, tuple[object, tuple[Load, ...]]]()

    def of(node: Node) -> Node:
        found = nodes.get(id(node))
        if found is None:
            own = loads.get(id(node.loads))
            if own is None:
                own = loads[id(node.loads)] = node.loads, tuple(map(change, node.loads))
            children = tuple(map(of, node.children)) if node.children else node.children
            found = nodes[id(node)] = node, replace(node, loads=own[1], children=children)
        return found[1]

    return of(root)


def working(root: Node, *, jobs: bool = False) -> Iterator[Node]:
    """Yield a node and all below whose work is its own, in the order written.

    What is waited for is others' work, and each job of a mix is a run of other processes: these
    are left out but with `jobs`.
    """
    left_out = ("wait",) if jobs else ("wait", "mix")
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if node.arrangement not in left_out:
            waiting += reversed(node.children)


def kernels(root: Node) -> list[Node]:
    """Return the kernels at and below a node, in the order written."""
    return [node for node in walk(root) if node.arrangement == "kernel"]


def overlaps(root: Node) -> list[Node]:
    """Return the overlaps at and below a node, in the order written."""
    return [node for node in walk(root) if node.arrangement == "overlap"]


def is_joined(node: Node) -> bool:
    """Whether times of a kernel add up: of resources that its machine joins, by their rates."""
    if node.arrangement != "kernel" or node.stated is not None:
        return False
    return any(len(names) > 1 for names in joints_of(node.loads).values())


def first_of_each(items: Iterable[T]) -> tuple[T, ...]:
    """Return the first load, or the first tally, of each name."""
    found: dict[str, T] = {}
    for item in items:
        found.setdefault(item.name, item)
    return tuple(found.values())
