"""Models, machines and mixes made in Python: they become a text of the language, and mean that."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import partial

from roofdsl.contract import as_given, public
from roofdsl.embedding.composing import (
    STATEMENTS,
    ModelCall,
    Part,
    add_work,
    as_call,
)
from roofdsl.embedding.formulas import FormulaLike
from roofdsl.embedding.machine import A_MACHINE, Machine
from roofdsl.embedding.model import A_MODEL, NOTHING, Model, last_model
from roofdsl.embedding.module import A_MODULE, Module
from roofdsl.embedding.statements import (
    NO_TEXTS,
    DeclaredLike,
    Statements,
    WorkLike,
    declared,
)
from roofdsl.embedding.texts import Declarations, called, declarations_in, used
from roofdsl.model import types
from roofdsl.model.given import Reader, as_path, as_text, by_name, each, joined, one_of, said
from roofdsl.model.resource import BUILT_IN
from roofdsl.units.dimension import DIMENSIONLESS, JOULE, SECOND, Dimension
from roofdsl.units.unit import UnknownUnit, read_unit

NO_FILES: Mapping[str, str | os.PathLike[str]] = {}
NO_MODULES: Mapping[str, Module] = {}
NO_JOBS: Mapping[str, ModelCall | Model] = {}
NO_MACHINES: Mapping[str, Machine] = {}
_machines = by_name(one_of(Machine, wanted=A_MACHINE))


def _startups(name: str, value: object) -> object:
    return by_name(as_given)(name, value) if isinstance(value, Mapping) else value


_READERS: Mapping[str, Reader[object]] = {
    **STATEMENTS,
    "parameters": by_name(as_given),
    "resources": by_name(as_text),
    "units": each(as_text),
    "uses": by_name(one_of(Module, wanted=A_MODULE)),
    "sources": each(as_text),
    "more_work": as_given,
    "more_rates": as_given,
    "jobs": by_name(as_call),
    "rates": by_name(as_given),
    "startup": _startups,
    "devices": _machines,
    **dict.fromkeys(("capacity", "energy"), by_name(as_given)),
    **dict.fromkeys(("measured", "interpolated"), by_name(as_path)),
    **dict.fromkeys(("serial", "concurrent"), each(as_text)),
    "work": by_name(as_given),
}
"""What reads the arguments of all three."""
_AS_MODEL = one_of(Model, wanted=A_MODEL)


@public(**_READERS, base=_AS_MODEL)
def make_model(
    name: str,
    work: Mapping[str, WorkLike] = NOTHING,
    /,
    *,
    base: Model | None = None,
    parameters: Mapping[str, DeclaredLike] = NOTHING,
    lets: Mapping[str, FormulaLike] = NOTHING,
    require: Iterable[str] = (),
    functions: Mapping[str, FormulaLike] = NOTHING,
    operation: str = "",
    steps: Iterable[Part] = (),
    tallies: Mapping[str, DeclaredLike] = NOTHING,
    totals: str | Mapping[str, FormulaLike] = "",
    reads: Mapping[str, FormulaLike | None] = NOTHING,
    makes: Mapping[str, FormulaLike] = NOTHING,
    keeps: Iterable[str] = (),
    holds: Mapping[str, FormulaLike] = NOTHING,
    metrics: Mapping[str, DeclaredLike] = NOTHING,
    resources: Mapping[str, str] = NO_TEXTS,
    units: Iterable[str] = (),
    uses: Mapping[str, Module] = NO_MODULES,
    doc: str = "",
    sources: Iterable[str] = (),
    **more_work: WorkLike,
) -> Model:
    """Return a model as a file declares one: each argument is the statements of its name.

    A formula is a text of the language, a number, or a SymPy expression, whose symbols become
    parameters where nothing declares them. Work is given by resource, `memory="24*n"`, or by what
    stands before the `=` in a file, `{"flops.vector[dtype]": "2*n"}`. `parameters` maps a name to
    what stands behind `param NAME:`, `"integer = 100  ## of a side"`; to what stands behind `param
    NAME`, `"= 8 B"`; or to a kind and a default, `("integer", 100)`. `tallies` and `metrics` have a
    unit in front, `"ms = sweep.time"`, or a pair of it and a formula. `totals` may be `"even"`.
    Tensors are `reads` and `makes`, what is there all the time `holds`, by name; `keeps` are texts
    of what stands behind `keep`, `"x"`, `"index = 8 B*n"` or `"forward to backward"`.
    `functions` maps `"misses(n, B)"` to a formula; `units`, `resources` and `uses` stand above the
    model. With `base` it is that model with other defaults, `layers=24`, and with `lets` or
    `parameters` in the place of its own. Raises RoofError for what a file that says the same would
    be refused for.

    >>> from roofdsl.embedding.composing import overlap, step
    >>> stencil = make_model(
    ...     "stencil",
    ...     parameters={"n": "integer[3..]", "dtype": "precision = fp64"},
    ...     lets={"inner": "(n - 2)^3"},
    ...     steps=[
    ...         overlap(
    ...             step("halo", network="6*size(dtype)*n^2", messages=6),
    ...             step("interior", flops="8*inner", memory="2*size(dtype)*inner"),
    ...         ),
    ...         step("rim", flops="8*(n^3 - inner)"),
    ...     ],
    ...     metrics={"exposed": "us = max(halo.time - interior.time, 0 us)"},
    ... )
    >>> stencil
    <Model stencil(n, dtype)>
    >>> layer = make_model(
    ...     "layer",
    ...     {"flops": "2*n^2", "memory": "4 B*n*(n + 2)"},
    ...     parameters={"n": "integer"},
    ...     reads={"x": "4 B*n"},
    ...     makes={"y": "4 B*n"},
    ...     keeps=["x"],
    ...     holds={"weights": "4 B*n^2", "gradients": "4 B*n^2 from here"},
    ... )
    >>> print(layer.text)
    model layer {
        param n: integer
        in x = 4 B*n
        out y = 4 B*n
        hold weights = 4 B*n^2
        hold gradients = 4 B*n^2 from here
        keep x
        flops = 2*n^2
        memory = 4 B*n*(n + 2)
    }
    <BLANKLINE>
    >>> make_model("small", base=layer, lets={"n": 64}).flops
    8192
    """
    body = Statements()
    at = body.begin(sources, parameters, lets, require, functions)
    body.tensors(reads, makes, keeps, holds)
    stated = joined(work, more_work)
    needs = add_work(body, {} if base else stated, operation, steps, tallies, totals)
    ending = _values(body, base, stated)
    body.symbols_as_parameters(at)
    body.metrics(metrics)
    needed = _needed((model.definition for model in (*needs, *_based(base))), uses)
    return last_model(
        declared(f"model {name}", doc, body, needed, ending, units=units, resources=resources)
    )


def _based(base: Model | None) -> tuple[Model, ...]:
    return () if base is None else (base,)


def _values(body: Statements, base: Model | None, values: Mapping[str, WorkLike]) -> str:
    """Add what a model or mix gives to names of the one that it is made from; return how it ends.

    Numbers for names with units are in SI base units.
    """
    if base is None:
        return ""
    units = base.definition.dimensions()
    for key, value in values.items():
        body.give(key, f"{key} =", value, units.get(key, DIMENSIONLESS), truths=True)
    return f" = {called(base.definition)} with"


@public(**_READERS, base=_AS_MODEL)
def make_mix(
    name: str,
    jobs: Mapping[str, ModelCall | Model] = NO_JOBS,
    /,
    *,
    base: Model | None = None,
    parameters: Mapping[str, DeclaredLike] = NOTHING,
    lets: Mapping[str, FormulaLike] = NOTHING,
    require: Iterable[str] = (),
    functions: Mapping[str, FormulaLike] = NOTHING,
    metrics: Mapping[str, DeclaredLike] = NOTHING,
    units: Iterable[str] = (),
    uses: Mapping[str, Module] = NO_MODULES,
    doc: str = "",
    sources: Iterable[str] = (),
) -> Model:
    """Return a mix: jobs, each a run of a model that is there so many times.

    The other arguments are those of `make_model`. With `base` it is that mix with `lets` or
    `parameters` in the place of its own, and has no further jobs.

    >>> from roofdsl.embedding.machine import load_machine
    >>> from roofdsl.embedding.model import load_model
    >>> month = make_mix("month", {"large": 1000 * load_model("summa")(N=8192, P=64)})
    >>> month.on(load_machine("karst")).evaluate().steps.count("large")
    1000.0
    """
    body = Statements()
    at = body.begin(sources, parameters, lets, require, functions)
    runs = {key: as_call(key, job) for key, job in jobs.items()}
    for key, job in runs.items():
        body.take(job.symbols)
        body.say(f"jobs[{said(key)}]", f"job {key} = {job.text}")
    ending = _values(body, base, {})
    body.symbols_as_parameters(at)
    body.metrics(metrics)
    models = (*(job.model for job in runs.values()), *_based(base))
    needed = _needed((model.definition for model in models), uses)
    return last_model(declared(f"mix {name}", doc, body, needed, ending, units=units))


@public(**_READERS, base=one_of(Machine, wanted=A_MACHINE))
def make_machine(
    name: str,
    rates: Mapping[str, WorkLike] = NOTHING,
    /,
    *,
    base: Machine | None = None,
    parameters: Mapping[str, DeclaredLike] = NOTHING,
    lets: Mapping[str, FormulaLike] = NOTHING,
    require: Iterable[str] = (),
    functions: Mapping[str, FormulaLike] = NOTHING,
    capacity: Mapping[str, FormulaLike] = NOTHING,
    energy: Mapping[str, FormulaLike] = NOTHING,
    startup: FormulaLike | Mapping[str, FormulaLike] = NOTHING,
    devices: Mapping[str, Machine] = NO_MACHINES,
    measured: Mapping[str, str | os.PathLike[str]] = NO_FILES,
    interpolated: Mapping[str, str | os.PathLike[str]] = NO_FILES,
    serial: Iterable[str] = (),
    concurrent: Iterable[str] = (),
    resources: Mapping[str, str] = NO_TEXTS,
    units: Iterable[str] = (),
    uses: Mapping[str, Module] = NO_MODULES,
    doc: str = "",
    sources: Iterable[str] = (),
    **more_rates: WorkLike,
) -> Machine:
    """Return a machine as a file declares one: each argument is the statements of its name.

    Rates, `power` and `price` are given by name, `network="25 GB/s"`, levels and kinds of flops in
    a block, `memory={"L2": "2 TB/s", "DRAM": "80 GB/s", "default": "DRAM"}`, or by what stands
    before the `=`, `{"nvme(w)": "12 GB/s * w/(w + 1 MB)"}`. Numbers are in SI base units. `startup`
    is that of every kernel, or a mapping with those of resources. `measured` and `interpolated` map
    an operation, `"gemm(m, n, k)"`, to its file of times. With `base` it is that machine with these
    values. The other arguments are those of `make_model`. Raises RoofError for what a file that
    says the same would be refused for.

    >>> box = make_machine("box", flops=500e9, memory="300 GB/s", capacity={"memory": "64 GiB"})
    >>> make_machine("faster", base=box, memory="600 GB/s").rates
    {'flops': 500000000000.0, 'memory': 600000000000.0}
    """
    unit = partial(_unit, {key: text.split(" ")[0] for key, text in resources.items()})
    body = Statements()
    body.begin(sources, parameters, lets, require, functions)
    body.work(joined(rates, more_rates), lambda key: _quotient(unit(key), SECOND, key))
    body.by_key("capacity", capacity, unit)
    body.by_key("energy", energy, lambda key: _quotient(JOULE, unit(key), key))
    given = startup if isinstance(startup, Mapping) else {"": startup}
    body.by_key("startup", given, lambda _: SECOND)
    for key, machine in devices.items():
        body.say(f"devices[{said(key)}]", f"device {key} = {called(machine.definition)}")
    body.tables("measured", measured)
    body.tables("interpolated", interpolated, " interpolate")
    body.lines("serial", serial)
    body.lines("concurrent", concurrent)
    around = [*devices.values(), *([base] if base else [])]
    needed = _needed((machine.definition for machine in around), uses)
    ending = f" = {called(base.definition)} with" if base else ""
    module = declared(
        f"machine {name}", doc, body, needed, ending, units=units, resources=resources
    )
    return Machine([*module.machines.values()][-1], tuple(module.warnings))


def _needed(definitions: Iterable[types.Definition], uses: Mapping[str, Module]) -> Declarations:
    """Return what stands above a text that uses these definitions and modules."""
    found = Declarations()
    for name, module in uses.items():
        source = module.definition.source
        path = source.path
        found.add(declarations_in(source) if path is None else [used(name, path)])
    for definition in definitions:
        found.need(definition)
    return found


def _unit(own: Mapping[str, str], key: str) -> Dimension | None:
    """Return the unit of work on what a key begins with, None where a text has to say it."""
    name = re.split(r"[.\[(\s]", key, maxsplit=1)[0]
    if name in BUILT_IN:
        return BUILT_IN[name].dimension
    found = read_unit(own.get(name, ""))
    return None if isinstance(found, UnknownUnit) else found.dimension


def _quotient(above: Dimension | None, below: Dimension | None, key: str) -> Dimension | None:
    if key == "power":
        return JOULE / SECOND
    return above / below if above and below else None
