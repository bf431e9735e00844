"""Models as an explorer has them: parameters, and what each machine makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from roofdsl.allowance import counting
from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.open_placing import OpenPlacing
from roofdsl.analysis.peak import lacks_peak
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.result import evaluated
from roofdsl.analysis.tariff import stated_by
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.example import point_of
from roofdsl.diagnostic import Diagnostic, Label, RoofError, raise_if_any
from roofdsl.explorer.collapsed import collapsed
from roofdsl.explorer.controls import Described, Ranges, order_of, parameter
from roofdsl.explorer.formulas import Functions, Templates
from roofdsl.explorer.machines import rate_symbols, symbols_of
from roofdsl.explorer.presets import presets
from roofdsl.explorer.proven import proven
from roofdsl.explorer.proven_map import proven_map
from roofdsl.explorer.reckoned import times_of
from roofdsl.explorer.variants import variant
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.precision import PRECISIONS, code, size_symbol
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter

MOST_VARIANTS = 24


def model(
    definition: ModelDefinition,
    machines: Sequence[MachineDefinition],
    given: Arguments,
    ranges: Ranges,
    templates: Templates,
    place: int,
    *,
    maps: bool = True,
) -> tuple[Described, Functions]:
    """Return a model as data, and its functions; they become the table number `place`.

    `symbols` are the names that formulas take: parameters, `size(dtype)`, `machine:parameter`, and
    rates and times where something is worked out of these; `trees` are shared by the variants.
    `given` are arguments to start at, `ranges` the sliders' ends where those are asked for; with
    `maps`, what binds over two parameters is proven for each machine. `collapsed`, on the first
    machine, are formulas of a composition in one parameter. Raises RoofError where the
    model cannot be on a machine, or no values do.
    """
    start = _start_of(definition, machines, given)
    first, _ = predict(definition, machines[0], start, peaks=False)
    functions = Functions(_symbols(definition, machines, first))
    values = first.binding.values
    trees = list[Described]()
    placements = [
        {
            **_placement(definition, machine, start, functions, templates, trees),
            "collapsed": None if number else collapsed(definition, machine, start, templates),
            "map": proven_map(definition, machine, start, values, ranges) if maps else None,
        }
        for number, machine in enumerate(machines)
    ]
    found: Described = {
        "name": definition.name,
        "doc": definition.doc,
        "sources": definition.sources,
        "symbols": functions.symbols,
        "parameters": [
            parameter(
                item,
                functions,
                {},
                value=values[item.name],
                start=_start(item, start, values[item.name]),
                default=None,
                asked=ranges.get(item.name),
            )
            for item in definition.parameters
        ],
        "presets": presets(definition, machines),
        "kernel": not definition.parts,
        "trees": trees,
        "placements": placements,
        "functions": place,
    }
    return found, functions


def _symbols(
    definition: ModelDefinition, machines: Sequence[MachineDefinition], first: Prediction
) -> list[str]:
    """Return the names that formulas of a model take on machines, `first` on one of them."""
    names = [item.name for item in definition.parameters]
    sizes = [size_symbol(item.name) for item in definition.parameters if item.kind == "precision"]
    own = dict.fromkeys(name for machine in machines for name in symbols_of(machine))
    rates = [name for machine in machines for name in rate_symbols(machine)]
    # What is worked out of results depends on the rates and times.
    stating = definition.metrics or any(stated_by(machine).is_stated for machine in machines)
    return [*names, *sizes, *own, *([*rates, *times_of(first.root)] if stating else [])]


def _start_of(
    definition: ModelDefinition, machines: Sequence[MachineDefinition], given: Arguments
) -> Arguments:
    """Return arguments for the parameters that are given, or need a value and have none."""
    asked = [ModelOnMachine(definition, machine) for machine in machines]
    point = point_of(definition, asked, given, everywhere=True)
    start = given if point is None else point.arguments
    for machine in machines:
        prediction, problems = predict(definition, machine, start)
        raise_if_any(problems)
        if point is None:
            raise RoofError([_no_start(definition, prediction.free)])
        evaluated(prediction)
    return start


def _no_start(model: ModelDefinition, free: Sequence[Parameter]) -> Diagnostic:
    names = " ".join(f"-p {parameter.name}=…" for parameter in free[:4])
    return Diagnostic(
        "R1101",
        f"no values for the parameters of '{model.name}' were found that it allows",
        tuple(Label(parameter.span) for parameter in free[:4]),
        f"say where to start: {names}",
    )


def _start(item: Parameter, start: Arguments, value: float) -> float | bool | None:
    """Return the number that a parameter is set to, None where it follows from its default."""
    if item.name not in start or free_symbols(start[item.name][0]):
        return None
    return bool(value) if item.kind == "boolean" else value


def _placement(
    definition: ModelDefinition,
    machine: MachineDefinition,
    start: Arguments,
    functions: Functions,
    templates: Templates,
    trees: list[Described],
) -> Described:
    """Return a model on a machine: the defaults there, the order they follow in, and the variants.

    `proven` is what the solver says of its crossovers from the start, by what is solved for.
    Variants go by the codes of the precisions in the places `chosen_by`: `2`, or `2,1`. Others are
    bytes of an element in formulas, and choose nothing.
    """
    values: Mapping[str, Expression] = {}
    variants: dict[str, Described] = {}
    bound, _ = predict(definition, machine, start, peaks=False)
    choosing = _choosing(definition, machine, bound.binding.trees)
    lacking: set[str] = set()  # what the machine lacks at the start, whose work is 0
    peaks = True  # of one precision as of another
    for number, codes in enumerate(_precisions(choosing)):
        placing = OpenPlacing(machine)
        with counting(afresh=True):  # each is a model as large as the first
            prediction, values = placing.place(
                definition, {name: (tree, None) for name, tree in codes.items()}, peaks=peaks
            )
        peaks = not lacks_peak(prediction.root)
        lacks = {load.name for load in placing.unserved}
        lacking = lacking if number else lacks
        if number and (placing.problems or lacks - lacking):
            continue  # a precision that the machine does not have
        key = ",".join(str(int(tree.value)) for tree in codes.values())
        variants[key] = variant(prediction, placing, functions, templates, trees)
    defaults: dict[str, Expression | None] = {}
    for item in definition.parameters:
        default = item.default
        if item.name in start and (free_symbols(start[item.name][0]) or default is None):
            default = start[item.name][0]
        defaults[item.name] = None if default is None else substitute(default, values)
    places = [functions.place_or_none(tree) for tree in defaults.values()]
    return {
        "defaults": places,
        "proven": proven(bound, start, templates),
        "order": order_of(defaults),
        "chosen_by": [at for at, item in enumerate(definition.parameters) if item.name in choosing],
        "variants": variants,
    }


def _choosing(
    definition: ModelDefinition, machine: MachineDefinition, values: Mapping[str, Expression]
) -> dict[str, Number]:
    """Return the precisions at the start that choose among a machine's rates, by their names.

    Work of a kind that hangs on one without a value needs it (R0406).
    """
    names = [item.name for item in definition.parameters if item.kind == "precision"]
    first = {name: tree for name in names if isinstance(tree := values[name], Number)}

    def chooses(name: str) -> bool:
        placing = OpenPlacing(machine)
        others = {other: (tree, None) for other, tree in first.items() if other != name}
        placing.place(definition, others, peaks=False)
        return any(problem.code == "R0406" for problem in placing.problems)

    return {name: tree for name, tree in first.items() if chooses(name)}


def _precisions(first: Mapping[str, Number]) -> Iterator[dict[str, Number]]:
    """Yield choices of some precisions, those of the start first."""
    yield {**first}
    choices = [[Number(code(name)) for name in PRECISIONS] for _ in first]
    if len(PRECISIONS) ** len(first) > MOST_VARIANTS:
        choices[1:] = [[tree] for tree in [*first.values()][1:]]
    for codes in product(*choices) if first else ():
        chosen = dict(zip(first, codes, strict=True))
        if chosen != first:
            yield chosen
