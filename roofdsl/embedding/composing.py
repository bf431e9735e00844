"""Parts of models from Python: steps, what runs at once, and what runs again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from roofdsl.contract import as_given, public
from roofdsl.embedding.formulas import FormulaLike, a_name, formula, on_a_line
from roofdsl.embedding.model import NOTHING, Model
from roofdsl.embedding.statements import Braces, DeclaredLike, Line, Node, Statements, WorkLike
from roofdsl.embedding.texts import called
from roofdsl.model.given import Reader, as_text, as_truth, by_name, each, held, joined, one_of
from roofdsl.unchanging import Unchanging
from roofdsl.units.dimension import DIMENSIONLESS

Symbols: TypeAlias = tuple[tuple[str, str], ...]
A_PART = (
    "a part, as rd.step, rd.overlap, rd.when, rd.repeat, rd.iterate, rd.wait and rd.recompute "
    "make them"
)


@dataclass(frozen=True, slots=True, repr=False)
class ModelCall(Unchanging):
    """A model with arguments, `summa(N="n/2")`: what a step, or a job of a mix, runs.

    `text` is how it is written in the language. A number in front says how often a job runs.

    >>> from roofdsl.embedding.model import load_model
    >>> 3 * load_model("summa")(N=4096, P="ranks")
    <ModelCall 3*linalg_summa.summa(N = 4096, P = ranks)>
    """

    model: Model
    text: str
    symbols: Symbols = ()

    def __rmul__(self, times: FormulaLike) -> ModelCall:
        """Return what runs so many times."""
        read = formula("times", times)
        text = read.text if read.text.replace("_", "").isalnum() else f"({read.text})"
        return ModelCall(self.model, f"{text}*{self.text}", (*read.symbols, *self.symbols))

    __mul__ = __rmul__

    def __repr__(self) -> str:
        return f"<ModelCall {self.text}>"


@dataclass(frozen=True, slots=True, repr=False)
class Part(Unchanging):
    """A part of a model that `make_model` takes: a step, or several that run in some way.

    >>> step("axpy", flops="2*n", memory="24*n")
    <Part step axpy>
    """

    node: Node
    symbols: Symbols = ()
    needs: tuple[Model, ...] = ()
    otherwise: Part | None = None

    def __repr__(self) -> str:
        return f"<Part {self.node.head if isinstance(self.node, Braces) else self.node.text}>"


_as_part = one_of(Part, wanted=A_PART)
_call = one_of(ModelCall, wanted="a model with arguments, such as summa(N=4096, P=64)")


def as_call(name: str, value: object) -> ModelCall:
    """Read a model with arguments, or one that needs none."""
    return call(value, {}) if isinstance(value, Model) else _call(name, value)


def as_totals(name: str, value: object) -> str | dict[str, object]:
    """Read the totals of a model: `even`, or work by resource."""
    if isinstance(held(value), str):
        return as_text(name, value)
    return by_name(as_given)(name, value)


def _work_or_call(name: str, value: object) -> object:
    if isinstance(value, Mapping):
        return by_name(as_given)(name, value)
    return as_call(name, value)


STATEMENTS: Mapping[str, Reader[object]] = {
    **dict.fromkeys(("lets", "functions", "tallies", "metrics"), by_name(as_given)),
    **dict.fromkeys(("reads", "makes", "holds"), by_name(as_given)),
    "keeps": each(as_text),
    "totals": as_totals,
    "operation": as_text,
    "steps": each(_as_part),
    "work": as_given,
}
"""What reads the statements that models and steps have."""


def call(model: Model, arguments: Mapping[str, object]) -> ModelCall:
    """Return a model with arguments; a number for one with a unit is in SI base units."""
    units = model.definition.dimensions()
    read = {
        name: formula(f"{name} of {model.name}", value, units.get(name, DIMENSIONLESS), truths=True)
        for name, value in arguments.items()
    }
    given = ", ".join(f"{name} = {value.text}" for name, value in read.items())
    symbols = tuple(symbol for value in read.values() for symbol in value.symbols)
    return ModelCall(model, f"{called(model.definition)}({given})", symbols)


@public(what=_work_or_call, on=as_text, reading=as_text, in_place=as_truth, **STATEMENTS)
def step(
    name: str,
    what: ModelCall | Model | Mapping[str, WorkLike] | None = None,
    /,
    *,
    on: str = "",
    reading: str = "",
    in_place: bool = False,
    lets: Mapping[str, FormulaLike] = NOTHING,
    require: Iterable[str] = (),
    operation: str = "",
    steps: Iterable[Part] = (),
    tallies: Mapping[str, DeclaredLike] = NOTHING,
    totals: str | Mapping[str, FormulaLike] = "",
    reads: Mapping[str, FormulaLike | None] = NOTHING,
    makes: Mapping[str, FormulaLike] = NOTHING,
    keeps: Iterable[str] = (),
    holds: Mapping[str, FormulaLike] = NOTHING,
    doc: str = "",
    **work: WorkLike,
) -> Part:
    """Return a step: a model with arguments, or work written in place, or parts of its own.

    Work is given as `make_model` takes it, and the names around the step are known in it; `on` is
    the device that it runs on. A step of a model may read other tensors than what the step before
    it makes, `reading="conv3, x"`, and put its result in their place (`in_place`).

    >>> from roofdsl.embedding.model import load_model
    >>> step("product", load_model("summa")(N="n", P="P"))
    <Part step product = linalg_summa.summa(N = n, P = P)>
    >>> step("update", {"flops.vector[dtype]": "6*n"}, memory="9*word*n", on="gpu")
    <Part step update on gpu>
    >>> step("again", load_model("summa")(N="n", P="P"), reading="product", in_place=True)
    <Part step again = linalg_summa.summa(N = n, P = P) from product in place>
    """
    place = f"step {a_name('name', name, 'a step')}"
    device = f" on {on_a_line('on', on)}" if on else ""
    if isinstance(what, ModelCall):
        inside: dict[str, object] = {"lets": lets, "require": require, "operation": operation}
        inside |= {"steps": steps, "tallies": tallies, "totals": totals, "doc": doc, **work}
        inside |= {"reads": reads, "makes": makes, "keeps": keeps, "holds": holds}
        if found := [key for key, value in inside.items() if value]:
            raise TypeError(f"{found[0]} is not for a step of a model, which has its own")
        source = f" from {on_a_line('reading', reading)}" if reading else ""
        where = " in place" if in_place else ""
        line = Line(place, f"{place} = {what.text}{device}{source}{where}")
        return Part(line, what.symbols, (what.model,))
    if reading or in_place:
        word = "reading" if reading else "in_place"
        raise TypeError(f"{word} is for a step of a model, which has tensors of its own")
    assert what is None or isinstance(what, Mapping)  # as it has been read
    body = Statements()
    body.lets(lets)
    body.requirements(require)
    body.tensors(reads, makes, keeps, holds)
    needs = add_work(body, joined(what or {}, work), operation, steps, tallies, totals)
    block = Braces(place, place + device, tuple(body.nodes), doc)
    return Part(block, tuple(body.symbols.items()), needs)


@public(parts=each(_as_part))
def overlap(*parts: Part) -> Part:
    """Return parts that run at once.

    >>> overlap(step("halo", network="8*n^2"), step("interior", memory="16*n^3"))
    <Part overlap>
    """
    return _several("overlap", "overlap", (), parts)


@public(condition=as_given, parts=each(_as_part), otherwise=each(_as_part))
def when(condition: FormulaLike, /, *parts: Part, otherwise: Iterable[Part] = ()) -> Part:
    """Return parts that run where a condition holds, and those that run `otherwise`.

    >>> when("experts > 1", step("router", flops="2*n"))
    <Part if experts > 1>
    """
    read, others = formula("condition of when", condition, truths=True), tuple(otherwise)
    made = _several("if", f"if {read.text}", read.symbols, parts)
    return replace(made, otherwise=_several("else", "else", (), others)) if others else made


@public(times=as_given, parts=each(_as_part))
def repeat(times: FormulaLike, /, *parts: Part) -> Part:
    """Return parts that run one after another, so many times alike.

    >>> repeat("layers", step("attention", flops="4*n^2"), step("feed", flops="16*n"))
    <Part repeat layers>
    """
    return _loop("repeat", times, parts)


@public(times=as_given, parts=each(_as_part), keeping=as_given)
def iterate(times: FormulaLike, /, *parts: Part, keeping: FormulaLike = 1) -> Part:
    """Return parts that run so many times on the same data, so that tallies count once.

    What they keep for gradients is there of `keeping` rounds at once, as in a pipeline.

    >>> iterate(100, step("sweep", memory="16*n^3"))
    <Part iterate 100>
    >>> iterate("micro", step("forward", flops="n"), keeping="min(micro, p)")
    <Part iterate micro keeping min(micro, p)>
    """
    return _loop("iterate", times, parts, keeping)


@public(times=as_given, parts=each(_as_part))
def wait(times: FormulaLike, /, *parts: Part) -> Part:
    """Return what waits: idle for the time of so many runs of its parts.

    >>> wait("stages - 1", step("stage", flops="2*n"))
    <Part wait stages - 1>
    """
    return _loop("wait", times, parts)


@public(parts=each(_as_part))
def recompute(*parts: Part) -> Part:
    """Return parts that run again for their gradients, whose first run kept what they read alone.

    >>> recompute(step("again", flops="2*n"))
    <Part recompute>
    """
    return _several("recompute", "recompute", (), parts)


def add_work(
    body: Statements,
    work: Mapping[str, WorkLike],
    operation: str,
    steps: Iterable[Part],
    tallies: Mapping[str, DeclaredLike],
    totals: str | Mapping[str, FormulaLike],
) -> tuple[Model, ...]:
    """Add what a model or a step does; return the models that its steps are of."""
    body.work(work)
    body.operation(operation)
    needs = _add_parts(body, "steps", steps)
    body.tallies(tallies)
    body.totals(totals)
    return needs


def _add_parts(body: Statements, argument: str, parts: Iterable[Part]) -> tuple[Model, ...]:
    """Add parts to statements; return the models that they are of."""
    needs: list[Model] = []
    for number, each_part in enumerate(parts):
        part: Part | None = each_part
        while part is not None:
            body.nodes.append(part.node._replace(place=f"{argument}[{number}]"))
            body.take(part.symbols)
            needs += part.needs
            part = part.otherwise
    return tuple(needs)


def _loop(
    word: Literal["repeat", "iterate", "wait"],
    times: FormulaLike,
    parts: Iterable[Part],
    keeping: FormulaLike = 1,
) -> Part:
    read, kept = formula(f"times of {word}", times), formula("keeping", keeping)
    head, symbols = f"{word} {read.text}", read.symbols
    if kept.text != "1":
        head, symbols = f"{head} keeping {kept.text}", (*symbols, *kept.symbols)
    return _several(word, head, symbols, parts)


def _several(word: str, head: str, symbols: Symbols, parts: Iterable[Part]) -> Part:
    body = Statements()
    body.take(symbols)
    needs = _add_parts(body, "parts", parts)
    return Part(Braces(word, head, tuple(body.nodes)), tuple(body.symbols.items()), needs)
