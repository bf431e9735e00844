"""A trace of PyTorch's profiler: how long its operators took, and their flop where it is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from roofdsl.diagnostic import Diagnostic, listing
from roofdsl.importers.given import Given, Import
from roofdsl.importers.operator_flops import counted
from roofdsl.importers.points import Launch, points
from roofdsl.inert import in_a_line
from roofdsl.located_json import Located, read_json
from roofdsl.reading import as_text
from roofdsl.units.quantity import show_percent

LARGEST = 32_000_000
TOOL = "the profiler of PyTorch"
_MOST_VALUES = 1_000_000
_MOST_PROBLEMS = 20
_MICROSECOND = Fraction(1, 10**6)
_NANOSECOND = 1e-3  # [us], the grid of times in a trace
_OPERATORS = frozenset({"cpu_op", "Operator"})
_KERNELS = frozenset({"kernel", "Kernel", "gpu_memcpy", "gpu_memset"})
_NO_BYTES = "a trace counts no bytes: put what was measured into a column `memory [B]`"
_ON_DEVICE = "times are those of the kernels that an operator started on its device"

Members = Mapping[str, Located]


@dataclass(slots=True)
class _Operator:
    """An operator that ran: when [us], its flop where they are known, and what it called."""

    name: str
    start: float
    duration: Fraction
    flops: int | None
    number: object
    inside: list[_Operator] = field(default_factory=list)

    @property
    def end(self) -> float:
        return self.start + float(self.duration)


def recognises(name: str, head: bytes) -> bool:
    """Whether a file is meant: JSON with the events of a trace of PyTorch."""
    del name  # it may be called as its user likes
    begins = head[:100].lstrip().startswith((b"{", b"\xef\xbb\xbf{"))
    return begins and b'"traceEvents"' in head


def read(given: Given) -> Import:
    """Return the operators of a trace as points, or what is wrong with it."""
    source = as_text(given.data, given.path, given.shown)
    if isinstance(source, Diagnostic):
        return None, (source,)
    whole = read_json(source, _MOST_VALUES)
    if isinstance(whole, Diagnostic):
        if " values" in whole.message:  # of the reader; its hint is about files of settings
            whole = replace(whole, hint="record fewer steps of the program")
        return None, (whole,)
    events = whole.value.get("traceEvents") if isinstance(whole.value, Mapping) else None
    if events is None or not isinstance(events.value, tuple):
        message = "this file has no list 'traceEvents'"
        return None, (
            Diagnostic.at("R1231", message, whole.span, hint="write it with export_chrome_trace"),
        )
    problems: list[Diagnostic] = []
    threads, kernels = _sorted_out(events.value, problems)
    roots = [root for thread in threads.values() for root in _nested(thread)]
    if not problems and not roots:
        message = "this trace has no operators"
        hint = "record ProfilerActivity.CPU too"
        problems.append(Diagnostic.at("R1236", message, events.key or events.span, hint=hint))
    if problems:
        return None, tuple(problems[:_MOST_PROBLEMS])
    return _points(given, roots, kernels, events)


def _points(
    given: Given, roots: list[_Operator], kernels: Mapping[object, Fraction], events: Located
) -> Import:
    chosen = [each for root in roots for each in _outermost_counted(root)]
    if not chosen:
        message = "of no operator in this trace the flop are known"
        hint = "record with record_shapes=True: from shapes follow those of products of matrices"
        return None, (Diagnostic.at("R1236", message, events.key or events.span, hint=hint),)
    launches = []
    for each in chosen:
        device = _device_time(each, kernels)
        time = each.duration if device is None else device
        amounts = {"time": time * _MICROSECOND, "flops": Fraction(each.flops or 0)}
        launches.append(Launch(each.name, amounts))
    notes = [_NO_BYTES, *([_ON_DEVICE] if kernels else [])]
    notes += _left_out(roots, chosen)
    return points(given, launches, TOOL, notes, each=given.each), ()


def _sorted_out(
    events: Iterable[Located], problems: list[Diagnostic]
) -> tuple[dict[object, list[_Operator]], dict[object, Fraction]]:
    """Return the operators by thread, and the time [us] of kernels by who started them."""
    threads: dict[object, list[_Operator]] = {}
    kernels: dict[object, Fraction] = {}
    for event in events:
        if not isinstance(event.value, Mapping):
            problems.append(Diagnostic.at("R1231", "an event is an object", event.span))
            continue
        members = event.value
        category = _plain(members, "cat")
        if _plain(members, "ph") != "X" or category not in _OPERATORS | _KERNELS:
            continue
        start, duration = (_time(members, name, event, problems) for name in ("ts", "dur"))
        if len(problems) >= _MOST_PROBLEMS:
            break
        if start is None or duration is None:
            continue
        arguments = members["args"].value if "args" in members else None
        known: Members = arguments if isinstance(arguments, Mapping) else {}
        number = _plain(known, "External id") or _plain(known, "external id")
        if category in _KERNELS:
            kernels[number] = kernels.get(number, Fraction(0)) + duration
            continue
        name = _plain(members, "name")
        text = in_a_line(name) if isinstance(name, str) and name else "?"
        flops = counted(text, known)
        thread = _plain(members, "pid"), _plain(members, "tid")
        operator = _Operator(text, float(start), duration, flops, number)
        threads.setdefault(thread, []).append(operator)
    return threads, kernels


def _time(
    members: Members, name: str, event: Located, problems: list[Diagnostic]
) -> Fraction | None:
    found = members.get(name)
    value = None if found is None else found.value
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        assert found is not None
        return Fraction(found.span.text)
    place = event.span if found is None else found.span
    message = f"an event has no time '{name}' of 0 or more"
    problems.append(Diagnostic.at("R1233", message, place))
    return None


def _plain(members: Members, name: str) -> object:
    found = members.get(name)
    return None if found is None or isinstance(found.value, tuple | Mapping) else found.value


def _nested(operators: list[_Operator]) -> list[_Operator]:
    """Put the operators of a thread into those that called them; return the outermost."""
    roots: list[_Operator] = []
    open_: list[_Operator] = []
    for operator in sorted(operators, key=lambda each: (each.start, -each.duration)):
        while open_ and operator.start >= open_[-1].end - _NANOSECOND / 2:
            open_.pop()
        (open_[-1].inside if open_ else roots).append(operator)
        open_.append(operator)
    return roots


def _outermost_counted(root: _Operator) -> list[_Operator]:
    """Return the outermost operators whose flop are known, a caller before what it calls."""
    found: list[_Operator] = []
    waiting = [root]
    while waiting:
        operator = waiting.pop()
        if operator.flops is not None:
            found.append(operator)
        else:
            waiting += reversed(operator.inside)
    return found


def _device_time(operator: _Operator, kernels: Mapping[object, Fraction]) -> Fraction | None:
    """Return the time [us] of the kernels that an operator, or what it called, started."""
    total: Fraction | None = None
    waiting = [operator] if kernels else []
    while waiting:
        each = waiting.pop()
        waiting += each.inside
        if each.number in kernels:
            total = (total or Fraction(0)) + kernels[each.number]
    return total


def _left_out(roots: Sequence[_Operator], chosen: Sequence[_Operator]) -> list[str]:
    """Return the note on what took time and has no known flop."""
    within = {id(each) for each in chosen}
    names = dict.fromkeys(
        root.name for root in roots if not any(id(x) in within for x in _outermost_counted(root))
    )
    whole = sum((root.duration for root in roots), Fraction(0))
    rest = whole - sum((each.duration for each in chosen), Fraction(0))
    if rest <= 0 or not whole:
        return []
    share = show_percent(float(rest / whole))
    some = f", among it {listing(names)}" if names else ""
    return [f"{share} of the time of operators has no known flop, and is left out{some}"]
