"""A function as a text in the language: its script loaded, run at sizes, its counts as formulas."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypeAlias

from roofdsl.diagnostic import Diagnostic, Label, did_you_mean, listing
from roofdsl.importers.written import as_name
from roofdsl.inert import in_a_line
from roofdsl.model.library import check_text
from roofdsl.reading import read_source
from roofdsl.source import Source, Span
from roofdsl.tracing.refusal import Refused
from roofdsl.tracing.specification import (
    ArraySpec,
    NoSize,
    Spec,
    looks_like_array,
    names_of,
    read_spec,
)

BY = ("operation", "line")
SECONDS = 60.0
MOST_SECONDS = 500.0
"""Less than the last guard of a command allows."""


class Asked(NamedTuple):
    """How a function is traced: its arguments, the values of sizes, and how steps are told apart.

    `seconds` is how long all runs may take, `name` what the model is called.
    """

    arguments: Mapping[str, Source]
    sizes: Mapping[str, Sequence[int]]
    by: str = "operation"
    seconds: float = SECONDS
    name: str | None = None


class Traced(NamedTuple):
    """The text of a `.roof` file, the name of its model, and how often the function ran."""

    text: str
    name: str
    runs: int


Trace: TypeAlias = tuple[Traced | None, tuple[Diagnostic, ...]]


def traced_script(reference: str, asked: Asked) -> Trace:
    """Trace `script.py:function`; return its text, or what is wrong."""
    shown, colon, function = reference.rpartition(":")
    if not colon or not function.isidentifier() or not shown.endswith(".py"):
        message = f"'{reference}' names no function of a script"
        hint = "write the script, a colon and the function: kernels.py:softmax"
        return None, (Diagnostic("R1542", message, hint=hint),)
    path = Path(shown)
    script = read_source(path, shown)
    if isinstance(script, Diagnostic):
        return None, (script,)
    from roofdsl.tracing.creating import creating
    from roofdsl.tracing.running import limited
    from roofdsl.tracing.script import Failed, load, problem_of, unloaded
    from roofdsl.tracing.tally import Tally

    tally = Tally(str(path.resolve()))
    try:
        with ExitStack() as stack:
            stack.enter_context(unloaded())
            stack.enter_context(limited(asked.seconds))
            stack.enter_context(creating(tally))
            subject = load(path, shown, script, function, tally)
            digest = sha256(script.text.encode()).hexdigest()
            source = f"{in_a_line(path.name)}, sha256 {digest}: {function}"
            return _traced(subject, asked, source)
    except Refused as refused:  # of the time, in code that is not the script's
        return None, (problem_of(refused, script, tally),)
    except Failed as failed:
        return None, (failed.problem,)


def traced_function(function: Callable[..., object], asked: Asked) -> Trace:
    """Trace a function of Python; return its text, or what is wrong."""
    from roofdsl.tracing.creating import creating
    from roofdsl.tracing.running import limited
    from roofdsl.tracing.script import Failed, Subject, problem_of
    from roofdsl.tracing.tally import Tally
    from roofdsl.tracing.traced import keep_constants

    name = str(getattr(function, "__name__", type(function).__name__))
    code = getattr(inspect.unwrap(function), "__code__", None)
    file = code.co_filename if code is not None else ""
    try:
        lines, _ = inspect.findsource(function)
        script = Source(file, "".join(lines))
    except (OSError, TypeError):
        script = None
    subject = Subject(function, name, script, Tally(file))
    closed = inspect.getclosurevars(function) if code is not None else None
    if closed is not None:
        keep_constants([*closed.globals.values(), *closed.nonlocals.values()], subject.tally)
    keep_constants(getattr(function, "__defaults__", None) or (), subject.tally)
    owner = getattr(function, "__self__", function)  # of a method, and of an object that is called
    keep_constants(getattr(owner, "__dict__", {}).values(), subject.tally)
    try:
        names = getattr(inspect.unwrap(function), "__globals__", None)
        with limited(asked.seconds), creating(subject.tally, names):
            return _traced(subject, asked, f"{name}, a function of Python")
    except Refused as refused:
        return None, (problem_of(refused, script, subject.tally),)
    except Failed as failed:
        return None, (failed.problem,)


def _traced(subject: object, asked: Asked, source: str) -> Trace:
    import numpy as np

    from roofdsl.tracing.counting import found
    from roofdsl.tracing.running import Counted, run
    from roofdsl.tracing.script import Failed, Subject
    from roofdsl.tracing.writing import Written, text_of

    assert isinstance(subject, Subject)
    specs, problems = _specs(subject.function, subject.name, asked)
    if problems:
        return None, problems
    versions = [f"NumPy {np.__version__}"]
    if any(isinstance(each, ArraySpec) and each.of_torch for each in specs.values()):
        if find_spec("torch") is None:
            message = f"'{subject.name}' needs the package 'torch', which is not installed"
            return None, (Diagnostic("R1548", message, hint="pip install torch"),)
        import torch

        versions.append(f"PyTorch {torch.__version__}")
    named = [*dict.fromkeys(name for spec in specs.values() for name in names_of(spec))]
    for name in asked.sizes:
        if name not in named:
            hint = did_you_mean(name, named) or f"sizes of the arguments: {listing(named)}"
            return None, (Diagnostic("R1541", f"'{name}' is no size of an argument", hint=hint),)
    fixed = {name: each[0] for name, each in asked.sizes.items() if len(each) == 1}
    open_sizes = [name for name in named if name not in fixed]

    def at(point: tuple[int, ...], seed: int) -> Counted:
        sizes = {**fixed, **dict(zip(open_sizes, point, strict=True))}
        try:
            return run(subject, specs, sizes, seed, asked.by)
        except NoSize as reason:
            hint = "--sizes says which sizes are tried"
            raise Failed(Diagnostic("R1541", str(reason), hint=hint)) from None

    chosen = {name: each for name, each in asked.sizes.items() if name not in fixed}
    counted = found(open_sizes, chosen, at, subject.script)
    name = asked.name or as_name(subject.name, "traced")
    called = {each: spec.written for each, spec in specs.items()}
    sources = (source, f"counted by roofdsl trace, with {' and '.join(versions)}")
    written = Written(name, subject.name, sources, called, fixed, counted, subject.script)
    text = text_of(written)
    _, told = check_text(Source(f"{name}.roof", text))  # a size may have a name that means more
    return (None, told) if told else (Traced(text, name, counted.runs), ())


def _specs(
    function: Callable[..., object], name: str, asked: Asked
) -> tuple[dict[str, Spec], tuple[Diagnostic, ...]]:
    """Return what each argument is: as given, or as the function's annotations say."""
    problems: list[Diagnostic] = []
    found: dict[str, Spec] = {}
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        parameters = {}  # type: ignore[assignment]  # of what Python cannot look into
    texts = dict(asked.arguments)
    anything = not parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    for given, source in texts.items():
        if given not in parameters and not anything:
            hint = did_you_mean(given, parameters) or f"it takes {listing(parameters)}"
            place = Span(source, max(source.begin - len(given) - 1, 0), len(source.text))
            message = f"'{name}' has no argument '{given}'"
            problems.append(Diagnostic("R1541", message, (Label(place),), hint))
    for each in parameters.values():
        note = each.annotation.strip("'\" ") if isinstance(each.annotation, str) else ""
        if each.name not in texts and looks_like_array(note):
            texts[each.name] = Source(f"the annotation of {each.name}", note)
        if each.name not in texts and each.default is each.empty and each.kind not in (
            each.VAR_POSITIONAL, each.VAR_KEYWORD
        ):  # fmt: skip
            hint = f'say what it is: "{each.name}=f64[N,N]", {each.name}=5'
            message = f"'{name}' takes '{each.name}', which is not given"
            problems.append(Diagnostic("R1541", message, hint=hint))
    for given, source in texts.items():
        spec = read_spec(source)
        if isinstance(spec, Diagnostic):
            problems.append(spec)
        else:
            found[given] = spec
    return found, tuple(problems)
