"""Why kernels and compositions end where they do, from what their times are made of."""

from __future__ import annotations

from collections.abc import Iterator

from roofdsl.analysis.algebras import Floats
from roofdsl.analysis.composition import Composed
from roofdsl.analysis.intensity import intensity_of
from roofdsl.analysis.listed import is_left_out
from roofdsl.analysis.load import Load
from roofdsl.analysis.margin import Rivalry
from roofdsl.analysis.node import STATED, Node, is_startup
from roofdsl.analysis.result import Result
from roofdsl.answer.swept import Sweep
from roofdsl.figures.chart import Ceiling
from roofdsl.plots.breakdown import root_of_name
from roofdsl.units.quantity import show_percent

_NO_INTENSITY = ("flops", "messages", STATED, "startup", "wait")


def ceilings_of(result: Result) -> Iterator[Ceiling]:
    """Yield the ceilings of a result and, of a composition, of each kernel in it."""
    whole, rivalry = result.breakdown, result.rivalry
    root = None if rivalry is None else rivalry.prediction.root
    yield _ceiling(whole, root, rivalry)
    if whole.children:
        for step, node in _kernels(whole, root):
            yield _ceiling(step, node, rivalry)


def ceilings_along(sweep: Sweep, first: Result) -> tuple[Ceiling, ...]:
    """Return the ceilings of a model along a parameter; `first` is its result at one of its ends.

    What is another share at each of its points is not said.
    """
    step, rivalry = first.breakdown, first.rivalry
    node = None if rivalry is None else rivalry.prediction.root
    bounds: list[str] = sweep.bound.ravel().tolist()
    found = {
        bound: Ceiling(f"{bound}, the largest share of the time", True)
        if step.children
        else _of_kernel(bound, step, node, None)
        for bound in dict.fromkeys(bounds)
    }
    return tuple(found[bound] for bound in bounds)


def _kernels(
    part: Composed[float], node: Node | None
) -> Iterator[tuple[Composed[float], Node | None]]:
    """Yield the kernels of a breakdown, in its order, each with what it was placed as."""
    below = [None] * len(part.children) if node is None else node.children
    for child, placed in zip(part.children, below, strict=True):
        if is_left_out(child):
            continue
        if child.children:
            yield from _kernels(child, placed)
        else:
            yield child, placed


def _ceiling(step: Composed[float], node: Node | None, rivalry: Rivalry | None) -> Ceiling:
    bound = step.bound
    if bound is None:
        return Ceiling()
    if step.children:
        return Ceiling(
            f"{bound}, {show_percent(step.charged[bound] / step.time)} of the time", True
        )
    return _of_kernel(bound, step, node, rivalry)


def _of_kernel(
    bound: str, step: Composed[float], node: Node | None, rivalry: Rivalry | None
) -> Ceiling:
    """Return why a kernel ends where something binds it; with shares at one point, a `rivalry`."""
    if bound == STATED or (node is not None and node.stated is not None):
        return Ceiling("its stated time", True)
    loads = [] if node is None else [x for x in node.loads if step.work.get(x.name)]
    among = [names for names in step.joined.values() if bound in names]
    joined = max(among, key=lambda names: sum(names.values()), default={bound: 0.0})
    what = [name for name in joined if step.busy.get(name) or name == bound]
    binding = [load for load in loads if load.group in what]
    names = [load.name for load in binding if load.resource.name != "flops"]
    said = [" + ".join(what)] if len(what) > 1 else [bound]
    said += ["one after another"] * (len(what) > 1)
    first = bound if bound in names else names[0] if names else ""
    said += [f"with its {name}" for name in names if name != first and len(what) == 1]
    kinds = [load for load in binding if load.resource.name == "flops"]
    said += _slower(binding, rivalry)
    starting = any(map(is_startup, step.busy)) or any(load.start is not None for load in binding)
    if len(kinds) > 1 and len(said) == 1 and not starting:
        said += ["at the peak of its kinds"]
    if is_startup(bound) or starting:
        said = ["its start-up"] if is_startup(bound) else [*said, "after its start-up"]
        share = _starting(binding, step, rivalry)
        said += [f"{show_percent(share)} of the time"] if share else []
    if len(said) > 1 or is_startup(bound):
        return Ceiling(", ".join(said), True)
    symbol = "" if bound in _NO_INTENSITY else intensity_of(root_of_name(bound))
    return Ceiling(f"{bound} at this {symbol}" if symbol and names else bound)


def _slower(binding: list[Load], rivalry: Rivalry | None) -> list[str]:
    """Return what is said of rates that are not those of large work."""
    if any(load.spent is not None for load in binding):
        return ["as measured"]
    if all(load.needed is None for load in binding):
        return []
    if rivalry is None:
        return ["at its rate for this work"]
    known = Floats(rivalry.amounts, rivalry.prediction.rate_values)
    times = [0.0, 0.0]
    for load in binding:
        if load.rate is not None:
            rate = known.rate(load.rate)
            times[0] += known.of(load.work) / rate
            times[1] += known.of(load.work if load.needed is None else load.needed) / rate
    return [f"at {show_percent(times[0] / times[1])} of its rate for large work"]


def _starting(binding: list[Load], step: Composed[float], rivalry: Rivalry | None) -> float:
    """Return the share of a kernel's time that it takes to start, with what binds it."""
    if rivalry is None or not step.time:
        return 0.0
    known = Floats(rivalry.amounts, rivalry.prediction.rate_values)
    once = sum(known.of(load.start) for load in binding if load.start is not None)
    whole = sum(time for name, time in step.busy.items() if is_startup(name))
    return (whole + once * step.count) / step.time
