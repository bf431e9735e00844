"""The whole library made again in Python, statement by statement: it means what its files mean."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import roofdsl as rd
from roofdsl.model import types
from roofdsl.model.library import bundled
from roofdsl.model.varying import MeasuredTable
from roofdsl.source import Span
from roofdsl.syntax import nodes, tensor_nodes
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.expressions import Call, ExpressionSyntax, Member, NameUse, On
from roofdsl.syntax.parse import parse

untyped: Any = rd
PARTS = (
    nodes.StepCall,
    nodes.StepInPlace,
    nodes.OverlapStatement,
    nodes.IfStatement,
    nodes.LoopStatement,
    nodes.RecomputeStatement,
)
TENSORS = {"in": "reads", "out": "makes", "hold": "holds"}
KEEPS = tensor_nodes.KeptStatement | tensor_nodes.KeepStatement | tensor_nodes.KeepToStatement
FILES = [(sort, name) for sort in ("model", "machine") for name in sorted(bundled(sort))]
FUNCTIONS_ALONE = ("dnn.low_precision", "dnn.paged_cache", "dnn.windows")


def line(span: Span) -> str:
    """Return what is written at a place, on one line and without comments."""
    return " ".join(re.sub(r"#[^\n]*", "", span.text).split())


def above(span: Span) -> str:
    """Return the doc comment of a declaration; an empty line ends a paragraph of it."""
    return doc_comment(span).replace("\n", "\n\n")


def documented(statement: Any, text: str) -> str:
    comment = " ".join(doc_comment(statement.span).split())
    return f"{text}  ## {comment}" if comment else text


class InPython:
    """The models and machines of one file, made in Python."""

    def __init__(self, sort: Any, dotted: str) -> None:
        self.module = rd.load(bundled(sort)[dotted])
        found, _ = parse(self.module.definition.source)
        self.declared = {x.name.name: x for x in found if not isinstance(x, nodes.TestDeclaration)}
        self.uses = {
            x.name.name: rd.load(x.path.text)
            for x in found
            if isinstance(x, nodes.UseDeclaration) and x.path is not None
        }
        self.words: dict[str, Any] = {
            "units": [line(x.span).removeprefix("unit ") for x in self.of(nodes.UnitDeclaration)],
            "resources": {
                x.name.name: line(x.span).partition(":")[2]
                for x in self.of(nodes.ResourceDeclaration)
            },
            "uses": self.uses,
        }
        self.functions = {
            line(x.span).partition("=")[0].removeprefix("function ").strip(): line(x.body.span)
            for x in self.of(nodes.FunctionDeclaration)
        }
        self.made: dict[str, Any] = {}

    def of(self, kind: Any) -> list[Any]:
        return [x for x in self.declared.values() if isinstance(x, kind)]

    def model(self, name: str) -> Any:
        if name not in self.made:
            item = self.declared[name]
            assert isinstance(item, nodes.ModelDeclaration)
            doc = above(item.span)
            given = self.statements(item.items)
            given["functions"] = {**self.functions, **given["functions"]}
            if item.base is not None:
                given["base"] = self.found(item.base.text)
            self.made[name] = untyped.make_model(name, doc=doc, **given, **self.words)
        return self.made[name]

    def machine(self, name: str) -> Any:
        if name not in self.made:
            item = self.declared[name]
            assert isinstance(item, nodes.MachineDeclaration)
            given = self.statements(item.items)
            for left in ("tallies", "totals", "metrics", "steps", "operation"):
                assert not given.pop(left)
            if item.base is not None:
                reference = item.base.text
                own = reference in self.declared
                given["base"] = self.machine(reference) if own else rd.load_machine(reference)
            doc = above(item.span)
            self.made[name] = untyped.make_machine(name, doc=doc, **given, **self.words)
        return self.made[name]

    def statements(self, items: Any) -> dict[str, Any]:
        """Return what `make_model`, `make_machine` and `step` are given for these statements."""
        found: dict[str, Any] = {"totals": {}, "steps": [], "sources": [], "require": []}
        found |= {"operation": "", "lets": {}, "functions": {}, "parameters": {}}
        found |= {"tallies": {}, "metrics": {}}
        for item in items:
            match item:
                case nodes.SourceStatement():
                    found["sources"].append(item.text.value)
                case nodes.ParameterStatement():
                    text = line(item.span).removeprefix(f"param {item.name.name}").strip()
                    found["parameters"][item.name.name] = documented(item, text)
                case nodes.LetStatement():
                    found["lets"][item.name.name] = documented(item, line(item.value.span))
                case nodes.RequireStatement():
                    found["require"].append(line(item.condition.span))
                case nodes.FunctionDeclaration():
                    head = line(item.span).partition("=")[0].removeprefix("function ").strip()
                    found["functions"][head] = line(item.body.span)
                case nodes.TallyStatement() | nodes.MetricStatement():
                    sort = "tallies" if isinstance(item, nodes.TallyStatement) else "metrics"
                    value = documented(item, line(item.value.span))
                    found[sort][item.name.name] = (item.unit.name, value) if item.unit else value
                case tensor_nodes.TensorStatement(name=name, value=value):
                    size = None if value is None else line(value.span)
                    size = f"{size} from {item.since.name}" if item.since else size
                    found.setdefault(TENSORS[item.word], {})[name.name] = (
                        documented(item, size) if size else size
                    )
                case _ if isinstance(item, KEEPS):
                    text = line(item.span).removeprefix("keep ")
                    found.setdefault("keeps", []).append(documented(item, text))
                case nodes.TotalStatement(value=None):
                    found["totals"] = "even"
                case nodes.TotalStatement() if item.value is not None:
                    key = line(item.span).partition("=")[0].removeprefix("total ").strip()
                    found["totals"][key] = documented(item, line(item.value.span))
                case nodes.OperationStatement():
                    found["operation"] = line(item.span).removeprefix("as ")
                case nodes.CapacityStatement() | nodes.EnergyStatement() | nodes.StartupStatement():
                    word = line(item.span).split()[0]
                    found.setdefault(word, {})[item.path.text] = line(item.value.span)
                case nodes.Assignment() | nodes.RateStatement() if item.path.text == "startup":
                    found.setdefault("startup", {})[""] = line(item.value.span)
                case nodes.Assignment() | nodes.RateStatement():
                    key, value = assigned(item)
                    found[key] = value
                case nodes.BlockStatement(name=name, items=inner):
                    told: dict[str, Any] = {}
                    for key, value in map(assigned, inner):
                        told[key] = value if key != "default" else [*told.get(key, ()), value]
                    if name.name == "capacity":
                        found.setdefault("capacity", {}).update(told)
                    else:
                        found[name.name] = told
                case nodes.SerialStatement() | nodes.ConcurrentStatement():
                    word, _, rest = line(item.span).partition(" ")
                    found.setdefault(word, []).append(rest)
                case nodes.DeviceStatement(path=path, items=None) if path is not None:
                    reference = path.text
                    device = self.machine(reference) if reference in self.declared else None
                    device = device or rd.load_machine(reference)
                    found.setdefault("devices", {})[item.name.name] = device
                case nodes.MeasuredStatement():
                    sort = "interpolated" if item.interpolate else "measured"
                    key = line(item.span).partition(" from ")[0].removeprefix("measured ")
                    file = self.module.definition.source.path
                    assert file is not None
                    found.setdefault(sort, {})[key] = file.parent / item.file.value
                case _ if isinstance(item, PARTS):
                    found["steps"].append(self.part(item))
                case _:
                    raise NotInPython(item)
        return found

    def part(self, item: Any) -> rd.Part:
        match item:
            case nodes.StepCall(name=name, value=value):
                device = ""
                if isinstance(value, On):
                    device, value = value.path.text, value.value
                reading = ", ".join(x.text for x in item.sources.paths) if item.sources else ""
                over = item.place is not None
                called = self.call(value)
                return rd.step(name.name, called, on=device, reading=reading, in_place=over)
            case nodes.StepInPlace(name=name, device=device, items=items):
                given = self.statements(items)
                assert not given.pop("sources") and not given.pop("parameters")
                assert not given.pop("functions") and not given.pop("metrics")
                on = device.text if device else ""
                made: rd.Part = untyped.step(name.name, on=on, doc=above(item.span), **given)
                return made
            case nodes.OverlapStatement(parts=parts):
                return rd.overlap(*map(self.part, parts))
            case nodes.IfStatement(parts=parts, otherwise=otherwise):
                others = () if otherwise is None else map(self.part, otherwise.parts)
                condition = line(item.condition.span)
                return rd.when(condition, *map(self.part, parts), otherwise=others)
            case nodes.RecomputeStatement(parts=parts):
                return rd.recompute(*map(self.part, parts))
        times, inside = line(item.times.span), [*map(self.part, item.parts)]
        if item.keeping is not None:
            return rd.iterate(times, *inside, keeping=line(item.keeping.span))
        loop = {"repeat": rd.repeat, "iterate": rd.iterate, "wait": rd.wait}[item.word]
        return loop(times, *inside)

    def call(self, value: ExpressionSyntax) -> Any:
        if isinstance(value, NameUse):
            return self.model(value.name)
        if isinstance(value, Member):
            return self.found(line(value.span))
        assert isinstance(value, Call)
        model = self.found(value.function.name)
        names = model.parameters
        return model(
            {
                (given.name.name if given.name else names[place]): line(given.value.span)
                for place, given in enumerate(value.arguments)
            }
        )

    def found(self, reference: str) -> Any:
        first, _, rest = reference.partition(".")
        if reference in self.declared:
            return self.model(reference)
        if first in self.uses:
            models = self.uses[first].models
            return models[rest] if rest else models[first]
        return rd.load_model(reference)


class NotInPython(Exception):
    """Raised for a statement that has no argument."""


def assigned(item: Any) -> tuple[str, str]:
    if isinstance(item, nodes.DefaultStatement):
        return "default", item.path.text
    return line(item.span).partition("=")[0].strip(), documented(item, line(item.value.span))


def meant(value: Any) -> Any:
    """Return a definition in plain values, but for where it stands and what it is made from."""
    if isinstance(value, types.Definition):
        names = (name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ()))
        left = ("span", "own_units", "layers", "changes", "base")
        return {name: meant(getattr(value, name)) for name in names if name not in left}
    if isinstance(value, Span):
        return None
    if isinstance(value, MeasuredTable):
        return value.name, value.parameters, dict(value.values), value.interpolate
    if isinstance(value, types.Metric):
        return value.name, meant(value.formula), value.doc, value.factor
    if isinstance(value, dict):
        return {key: meant(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return (type(value).__name__, *map(meant, value))
    return value


@pytest.mark.parametrize(("sort", "dotted"), FILES)
def test_the_library_is_the_same_made_in_python(sort: Any, dotted: str) -> None:
    made = InPython(sort, dotted)
    stated = made.module.models if sort == "model" else made.module.machines
    assert stated or dotted in FUNCTIONS_ALONE
    for name, loaded in stated.items():
        in_python = made.model(name) if sort == "model" else made.machine(name)
        assert meant(in_python.definition) == meant(loaded.definition)


@pytest.mark.parametrize(("sort", "dotted"), FILES)
def test_the_text_of_a_file_is_read_back(sort: Any, dotted: str, tmp_path: Path) -> None:
    module = rd.load(bundled(sort)[dotted])
    module.save(tmp_path / "kept.roof")
    for other in (rd.loads(module.text), rd.load(tmp_path / "kept.roof")):
        for name, model in module.models.items():
            assert meant(other.models[name].definition) == meant(model.definition)
        for name, machine in module.machines.items():
            assert meant(other.machines[name].definition) == meant(machine.definition)
        assert other.tests == module.tests
