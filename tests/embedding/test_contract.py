"""Every public function takes from Python what it says, and refuses all else in words of ours.

The functions are found in the package: a new one fails here until it has a call, and each of its
arguments a sort.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import roofdsl as rd
from roofdsl.embedding import cards, displayed, shown, studies
from roofdsl.notebook import load_ipython_extension
from tests.embedding.odd import GROUPS, NUMBERS, SEVERAL
from tests.language.programs import machine as machine_of

Arguments = Mapping[str, object]
untyped: Any = rd
"""As those call it who do not check types."""

# What may be given for an argument of each sort, by the names of the groups of odd values. Whether
# a text or a number is then one that makes sense here is the function's own to say.
SORTS: dict[str, set[str]] = {
    "number": {"number", "beyond", "text"},
    "numbers": {"number", "beyond", "text", "several"},
    "formula": {"number", "beyond", "text"},
    "truth or formula": {"number", "beyond", "text", "truth"},
    "text": {"text"},
    "texts": {"not several"},
    "truth": {"truth"},
    "path": {"text", "path"},
    "mapping": {"mapping"},
    "object": set(),
    "objects": set(),
    "work": {"number", "beyond", "text", "mapping"},
    "parts": {"several", "not several"},
    "totals": {"text", "mapping"},
    "several": {"several", "not several"},
}

ARGUMENTS: dict[str, str] = {
    **dict.fromkeys(("reference", "path", "profile"), "path"),
    **dict.fromkeys(("low", "high", "whole", "efficiency", "rates"), "number"),
    **dict.fromkeys(("unknown", "condition", "processes", "size", "resource", "level"), "text"),
    **dict.fromkeys(
        "convention name doc source title style form by growing kind unit".split(),
        "text",
    ),
    **dict.fromkeys(("between", "require", "quantities", "units"), "texts"),
    **dict.fromkeys(
        ("strong", "partial", "skip_invalid", "in_place", "each_machine", "by_time"), "truth"
    ),
    **dict.fromkeys(("of", "on", "operation", "reading", "text"), "text"),
    **dict.fromkeys(("sources", "serial", "concurrent", "keeps"), "texts"),
    **dict.fromkeys(
        "lets functions tallies metrics jobs capacity energy reads makes holds".split(), "mapping"
    ),
    **dict.fromkeys(("uses", "devices", "interpolated"), "mapping"),
    **dict.fromkeys(("base", "what"), "object"),
    "times": "formula",
    "keeping": "formula",
    **dict.fromkeys(("parts", "steps", "otherwise"), "parts"),
    "totals": "totals",
    **dict.fromkeys(("at", "parameters", "partitions", "resources", "own", "changes"), "mapping"),
    **dict.fromkeys(("model", "machine", "prediction", "picture", "look", "comparison"), "object"),
    **dict.fromkeys(
        "items predictions models machines shell others origin targets answers".split(),
        "objects",
    ),
    **dict.fromkeys(("x", "y", "cut", "isoefficiency", "measured"), "several"),
    "values": "number",
    "work": "formula",
    "factor": "number",
}
"""The sort of each argument, which means the same in every function but for these."""
OWN: dict[tuple[str, str], str] = {
    ("project", "measured"): "mapping",
    ("fit", "also"): "texts",
    ("fit", "keep"): "texts",
    ("fit", "folds"): "number",
    ("fit", "half"): "truth",
    ("fit", "compose"): "text",
    ("trace", "function"): "text",
    ("trace", "arguments"): "mapping",
    ("trace", "sizes"): "mapping",
    ("trace", "seconds"): "number",
    ("when", "condition"): "truth or formula",
    ("sweep", "values"): "numbers",
    ("Look", "dark"): "truth",
    ("Look", "log2"): "truth",
    ("Look", "width"): "number",
    ("Look", "height"): "number",
    **{("MeasuredKernel", name): "text" for name in ("kernel", "level", "machine")},
    **{
        ("MeasuredKernel", name): "number"
        for name in ("flops memory network time OI CAI performance share".split())
    },
    ("MeasuredAgainstPredicted", "names"): "texts",
    ("MeasuredAgainstPredicted", "groups"): "texts",
    ("MeasuredAgainstPredicted", "measured"): "several",
    ("MeasuredAgainstPredicted", "predicted"): "several",
    ("MeasuredAgainstPredicted", "called"): "texts",
    ("MeasuredAgainstPredicted", "quantity"): "text",
    ("MeasuredAgainstPredicted", "unit"): "text",
    ("render", "form"): "text",
    ("Model", "definition"): "object",
    ("Model", "warnings"): "texts",
    ("Machine", "definition"): "object",
    ("Machine", "warnings"): "texts",
    ("Module", "definition"): "object",
    ("Module", "warnings"): "texts",
    ("make_model", "work"): "mapping",
    ("make_model", "more_work"): "work",
    ("make_machine", "rates"): "mapping",
    ("make_machine", "more_rates"): "work",
    ("make_machine", "startup"): "work",
    ("make_machine", "measured"): "mapping",
    ("step", "work"): "work",
    ("step", "what"): "mapping",
}
NOT_CALLED = {
    "RoofError",  # what is raised, and what is in it
    "Diagnostic",
    "from_torch",  # its arguments are of PyTorch: tests/importers
    "Result",  # what is returned
    "Ridge",
    "Ridge.of",
    "ModelCall",
    "Part",
    "Result.count",  # where a result comes from Python, it is one that is shown
    "Result.over_rates",
    "Picture",
    "Sweeps",
    "Projections",
    "Combined",
    *(name for name in rd.__all__ if name.startswith("Shown")),
    "MeasuredKernel.point",  # what figures ask
    "MeasuredAgainstPredicted.labelled",
    "Picture.savefig",  # has matplotlib's signature, and its errors
}


def _double(x: Any) -> object:
    return x + x


def _raised(factor: float) -> None:
    with rd.budget(factor):
        pass


def _fitted(runs: Path) -> rd.ShownFit:
    return rd.fit(runs, rd.load_machine("karst"), rd.load_model("stream_triad"))


@cache
def _summa() -> rd.Prediction:
    return rd.load_model("summa").on(rd.load_machine("karst"))


@cache
def _result() -> rd.Result:
    return rd.load_model("lenet5").on(rd.load_machine("v100")).evaluate(batch=1)


@cache
def _priced() -> rd.Machine:
    """Return a machine that states what an energy figure shows."""
    text = """
    machine box {
        flops = 4 flop/s; memory = 2 B/s; power = 3 W
        energy { flops = 0.5 J/flop; memory = 2 J/B }
    }
    """
    return machine_of(text)


@cache
def _picture() -> rd.plot.Picture:
    return rd.plot.roofline(rd.load_machine("karst"))


def calls(folder: Path) -> dict[str, tuple[Callable[..., object], dict[str, object]]]:
    """Return each public function with arguments for all of its parameters that it takes."""
    summa = _summa()
    model, machine = summa.model, summa.machine
    over: dict[str, object] = {"unknown": "N", "low": 2, "high": 1000, "values": {"P": 64}}
    point: dict[str, object] = {"values": {"N": 4096, "P": 64, "word": 8}}
    at: dict[str, object] = {"at": {"N": 4096, "P": 64, "word": 8}, "look": rd.plot.Look()}
    n_steps = {
        "steps": [rd.step("a", memory="8*n")],
        "tallies": {"held": "B = 8 B*n"},
        "reads": {"x": "8 B*n"},
        "makes": {},
        "holds": {"weights": "8 B*n"},
        "keeps": [],
    }
    common: dict[str, object] = {
        "name": "made",
        "parameters": {"n": "integer"},
        "lets": {"half": "n/2"},
        "require": ["n > 1"],
        "functions": {"twice(x)": "2*x"},
        "units": ["edge"],
        "uses": {"mpi": rd.load("collectives.mpi")},
        "doc": "Of one's own.",
        "sources": ["a book"],
    }
    times = folder / "gemm.csv"
    times.write_text("n,time [s]\n1,2\n2,3\n", encoding="utf-8")
    table = folder / "kernels.csv"
    table.write_text("kernel,flops,memory,time\ntriad,2e9,24e9,2\n", encoding="utf-8")
    compared = folder / "compared.csv"
    compared.write_text("name,measured,predicted\nfc1,1,2\n", encoding="utf-8")
    runs = folder / "runs.csv"
    runs.write_text("time [s]\n1\n", encoding="utf-8")
    timed = folder / "timed.csv"
    timed.write_text("n,time [s]\n1000,8e-6\n4000,2.3e-5\n16000,8e-5\n", encoding="utf-8")
    profile = folder / "profile.csv"
    profile.write_text("group,time [s],kind\nall,100,threaded\n", encoding="utf-8")
    dome = rd.load_machine("i7_titan")
    kernels = rd.plot.read_measured(table)
    return {
        "load_model": (rd.load_model, {"reference": "summa"}),
        "load_machine": (rd.load_machine, {"reference": "karst"}),
        "load_ipython_extension": (load_ipython_extension, {"shell": None}),
        "model_from_expressions": (
            rd.model_from_expressions,
            {
                "name": "axpy",
                "parameters": {"N": ": integer"},
                "resources": {"atomics": "edge shares memory"},
                "units": ["edge"],
                "require": ["N < 1e9"],
                "doc": "y <- a*x + y",
                "source": "a book",
                "work": {"flops": "2*N", "memory": "24*N"},
            },
        ),
        "load": (rd.load, {"reference": "summa"}),
        "loads": (rd.loads, {"text": "model copy { memory = 16 B }", "name": "mine"}),
        "make_model": (
            rd.make_model,
            {
                **common,
                **n_steps,
                "base": None,
                "work": {},
                "parameters": {"n": "integer", "P": "processes = 4"},
                "operation": "",
                "totals": "even",
                "metrics": {"rate": "flop/s = total.flops/time"},
                "resources": {"nvme": "B"},
                "more_work": {},
            },
        ),
        "make_mix": (
            rd.make_mix,
            {
                **common,
                "base": None,
                "jobs": {"a": 3 * model(N=64, P=4)},
                "metrics": {"long": "time > 1 s"},
            },
        ),
        "make_machine": (
            rd.make_machine,
            {
                **common,
                "parameters": {"n": "integer = 4"},
                "base": machine,
                "rates": {"memory": "2 GB/s"},
                "capacity": {"memory": 2**36},
                "energy": {"flops": 1e-12},
                "startup": {"": "3 us"},
                "devices": {"gpu": rd.load_machine("v100")},
                "measured": {"gemm(n)": times},
                "interpolated": {"conv(n)": times},
                "serial": [],
                "concurrent": [],
                "resources": {"nvme": "B"},
                "more_rates": {"nvme": 1e9},
            },
        ),
        "step": (
            rd.step,
            {
                **n_steps,
                "name": "a",
                "what": {"flops": "n"},
                "on": "gpu",
                "reading": "",
                "in_place": False,
                "lets": {"half": "n/2"},
                "require": ["n > 1"],
                "operation": "gemm(n = n)",
                "doc": "The first.",
                "totals": {"flops": "n"},
                "work": {"memory": "8*n", "network": 8},
            },
        ),
        "overlap": (rd.overlap, {"parts": [rd.step("a", memory=1)]}),
        "repeat": (rd.repeat, {"times": 3, "parts": [rd.step("a", memory=1)]}),
        "iterate": (
            rd.iterate,
            {"times": "n", "parts": [rd.step("a", memory=1)], "keeping": "min(n, 2)"},
        ),
        "wait": (rd.wait, {"times": 2, "parts": [rd.step("a", memory=1)]}),
        "when": (
            rd.when,
            {"condition": "n > 2", "parts": [rd.step("a", memory=1)], "otherwise": []},
        ),
        "recompute": (rd.recompute, {"parts": [rd.step("a", memory=1)]}),
        "Defined.save": (model.save, {"path": folder / "kept.roof"}),
        "Module": (rd.Module, {"definition": rd.load("summa").definition, "warnings": ()}),
        "Module.save": (rd.load("summa").save, {"path": folder / "kept.roof"}),
        "budget": (_raised, {"factor": 10}),
        "explore": (
            rd.explore,
            {
                # Of one precision: a page has the formulas of each.
                "models": rd.make_model(
                    "copy", parameters={"N": "integer = 64", "P": "integer = 4"}, memory="16*N"
                ),
                "machines": machine,
                "path": folder / "page.html",
                "values": {"N": 4096, "P": 64},
            },
        ),
        "Model": (rd.Model, {"definition": model.definition, "warnings": ()}),
        "Machine": (rd.Machine, {"definition": machine.definition, "warnings": ()}),
        "Machine.changed": (
            machine.changed,
            {"changes": {"messages": "2 us/message"}, "values": {"network": 2e9, "memory": 1e9}},
        ),
        "Machine.named": (machine.named, {"name": "fast"}),
        "Studied.asymptotic": (summa.asymptotic, {"growing": "N", "values": {"P": 64}}),
        "Studied.faster": (
            summa.faster,
            {**over, "low": 64, "others": [rd.load_model("dgemv").on(machine)], "by": "memory"},
        ),
        "symbol": (rd.symbol, {"name": "held", "kind": "B"}),
        "unit": (rd.unit, {"unit": "GB/s"}),
        "project": (
            rd.project,
            {
                "profile": profile,
                "origin": machine,
                "targets": [rd.load_machine("jetstream")],
                "measured": {"jetstream": 9.0},
            },
        ),
        "trace": (
            rd.trace,
            {
                "function": _double,
                "arguments": {"x": "f64[N]"},
                "sizes": {"N": [4, 8, 12]},
                "by": "line",
                "seconds": 60,
                "name": "doubled",
            },
        ),
        "validate": (
            rd.validate,
            {
                "path": runs,
                "machine": machine,
                "models": [model],
                "by_time": True,
                "values": {"N": 64, "P": 4},
            },
        ),
        "fit": (
            rd.fit,
            {
                "path": timed,
                "machine": machine,
                "models": [rd.load_model("stream_triad")],
                "also": ["startup"],
                "keep": ["flops"],
                "compose": "sum",
                "half": False,
                "folds": 3,
                "name": "mine",
            },
        ),
        "ShownFit.save": (_fitted(timed).save, {"path": folder / "kept.roof"}),
        "sweep": (rd.sweep, {"predictions": [summa], "skip_invalid": True, **point}),
        "combined": (rd.combined, {"answers": [summa.sensitivity(N=4096, P=121)]}),
        "Prediction": (rd.Prediction, {"model": model, "machine": machine}),
        "Model.work": (model.work, {"resource": "flops"}),
        "Model.intensity": (model.intensity, {"resource": "memory"}),
        "Model.on": (model.on, {"machine": machine}),
        "Model.evaluate": (model.evaluate, point),
        "Prediction.evaluate": (summa.evaluate, point),
        "Prediction.sweep": (summa.sweep, {"skip_invalid": True, **point}),
        "Prediction.bound_expression": (summa.bound_expression, point),
        "Prediction.time_expression": (summa.time_expression, over),
        "Prediction.crossovers": (summa.crossovers, {**over, "between": ["flops", "memory"]}),
        "Prediction.over_rates": (summa.over_rates, {"rates": 0.1, **over}),
        "Prediction.where": (summa.where, {"condition": "time < 1 s", **over}),
        "Studied.sensitivity": (summa.sensitivity, {"partial": True, "of": "time", **point}),
        "Studied.scaling": (
            rd.load_model("stencil2d").on(machine).scaling,
            {
                "processes": "P",
                "strong": True,
                "size": "N",
                "efficiency": 0.5,
                "values": {"N": 66},
            },
        ),
        "ShownResult.count": (_result().count, {"convention": "mac"}),
        "ShownResult.over_rates": (_result().over_rates, {"rates": 0.1}),
        "Look": (
            rd.plot.Look,
            {
                "dark": True,
                "log2": True,
                "width": 6,
                "height": 4,
                "title": "SUMMA",
                "style": "ieee",
            },
        ),
        "MeasuredKernel": (
            rd.plot.MeasuredKernel,
            {
                "kernel": "triad",
                **dict.fromkeys(("flops", "memory", "network", "time", "performance"), 2e9),
                **dict.fromkeys(("OI", "CAI", "share"), 0.5),
                "level": "L2",
                "machine": "karst",
                "own": {"nvme": 1e9},
            },
        ),
        "MeasuredAgainstPredicted": (
            rd.plot.MeasuredAgainstPredicted,
            {
                "names": ["fc1", "relu"],
                "measured": [1.0, 2.0],
                "predicted": np.array([1, 3]),
                "quantity": "Time",
                "unit": "s",
                "groups": ["a", "b"],
                "called": ("counted", "worked out"),
            },
        ),
        "Picture.render": (_picture().render, {"form": "svg"}),
        "plot.roofline": (
            rd.plot.roofline,
            {
                "items": [summa],
                "measured": kernels,
                "level": "memory",
                "resource": "memory",
                "each_machine": True,
                **at,
            },
        ),
        "plot.communication": (
            rd.plot.communication,
            {"items": [summa], "measured": [], "each_machine": True, **at},
        ),
        "plot.pair": (
            rd.plot.pair,
            {"items": [summa, machine], "measured": [], "resource": "network", **at},
        ),
        "plot.breakdown": (
            rd.plot.breakdown,
            {
                "predictions": [summa, summa],
                "form": "bars",
                "resource": "network",
                "at": {"N": [4096, 8192], "P": 64, "word": 8},
                "look": rd.plot.Look(),
                "each_machine": False,
            },
        ),
        "plot.icicle": (rd.plot.icicle, {"predictions": [summa], **at}),
        "plot.energy": (rd.plot.energy, {"items": [_priced()], **at, "at": {}}),
        "plot.curve": (
            rd.plot.curve,
            {
                "predictions": [summa],
                "quantities": ["OI"],
                "at": {"N": [4096, 8192], "P": 64, "word": 8},
                "look": rd.plot.Look(),
                "each_machine": True,
            },
        ),
        "plot.perdome": (
            rd.plot.perdome,
            {
                "machine": dome,
                "whole": 4.0,
                "partitions": {"even": (4.0, 4.0)},
                "measured": {"even": 1e9},
                "look": rd.plot.Look(),
            },
        ),
        "plot.perfbound": (
            rd.plot.perfbound,
            {"prediction": summa, "measured": [1e9], **at},
        ),
        "plot.surface": (
            rd.plot.surface,
            {"items": [summa], "cut": (1.0, 10.0), "resource": "network", **at},
        ),
        "plot.ridgeline": (
            rd.plot.ridgeline,
            {"items": [summa], "resource": "network", **at},
        ),
        "plot.regime": (
            rd.plot.regime,
            {
                "prediction": summa,
                "x": ("P", 4, 100),
                "y": ("N", 2, 100),
                "at": {"word": 8},
                "look": rd.plot.Look(),
            },
        ),
        "plot.scaling": (
            rd.plot.scaling,
            {
                "prediction": summa,
                "at": {"N": [4096, 8192], "P": [1, 4, 16], "word": 8},
                "size": "N",
                "isoefficiency": [0.5],
                "look": rd.plot.Look(),
                "strong": True,
            },
        ),
        "plot.sensitivity": (rd.plot.sensitivity, {"prediction": summa, **at}),
        "plot.predicted": (
            rd.plot.predicted,
            {
                "comparison": rd.plot.read_comparison(compared),
                "title": "times",
                "look": rd.plot.Look(),
            },
        ),
        "plot.read_measured": (rd.plot.read_measured, {"path": table}),
        "plot.read_comparison": (rd.plot.read_comparison, {"path": compared}),
        "plot.save": (
            rd.plot.save,
            {"picture": _picture(), "path": folder / "figure.svg", "form": "svg"},
        ),
        "plot.save_data": (
            rd.plot.save_data,
            {"picture": _picture(), "path": folder / "figure.csv"},
        ),
    }


def public_names() -> Iterator[str]:
    """Yield the public functions, and classes that people make objects of, from the package."""
    found = {name: getattr(rd, name) for name in [*rd.__all__, "load_ipython_extension"]}
    found |= {f"plot.{name}": getattr(rd.plot, name) for name in rd.plot.__all__}
    classes: dict[str, type] = {}
    for name, value in found.items():
        if isinstance(value, type):
            classes[value.__name__] = value
            if value.__name__ not in NOT_CALLED:
                yield value.__name__
        elif callable(value) and name not in NOT_CALLED:
            yield name
    for module in (displayed, shown, cards, studies):
        shows = (each for each in vars(module).values() if isinstance(each, type))
        classes |= {each.__name__: each for each in shows if issubclass(each, displayed.Displayed)}
    for name, kind in classes.items():
        for method, function in vars(kind).items():
            ours = inspect.isfunction(function) and function.__module__.startswith("roofdsl")
            takes = [*inspect.signature(function).parameters][1:] if ours else []
            if takes and not method.startswith("_") and f"{name}.{method}" not in NOT_CALLED:
                yield f"{name}.{method}"


NAMES = sorted({*public_names()})


def called(function: Callable[..., object], arguments: Arguments) -> object:
    """Call a function by the names of its parameters, those in a row and by keyword included."""
    given: list[object] = []
    extra: dict[str, object] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in arguments:
            continue
        value = arguments[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            given.extend(value)  # type: ignore[arg-type]  # a list, in these
        elif parameter.kind is parameter.VAR_KEYWORD:
            extra.update(value)  # type: ignore[call-overload]  # a dict, in these
        elif parameter.kind is parameter.KEYWORD_ONLY:
            extra[name] = value
        else:
            given.append(value)
    return function(*given, **extra)


def sort_of(name: str, parameter: str) -> str:
    plain = name.rpartition(".")[2]
    return OWN.get((plain, parameter)) or ARGUMENTS[parameter]


def with_one(
    function: Callable[..., object], arguments: Arguments, parameter: str, value: object
) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the arguments with a value in the place of one, or of each one in it, and its name."""
    kind = inspect.signature(function).parameters[parameter].kind
    if kind is inspect.Parameter.VAR_POSITIONAL:
        yield parameter, {**arguments, parameter: [value]}
    elif kind is inspect.Parameter.VAR_KEYWORD:
        own = arguments[parameter]
        assert isinstance(own, dict)
        for name in [*own][:2]:
            yield name, {**arguments, parameter: {**own, name: value}}
    else:
        yield parameter, {**arguments, parameter: value}


def refused_well(error: Exception, parameter: str) -> bool:
    """Whether an error is one of ours, and names what it is about."""
    if isinstance(error, rd.RoofError):
        return bool(str(error))
    last = traceback.extract_tb(error.__traceback__)[-1]
    ours = last.line is not None and last.line.lstrip().startswith("raise")
    return type(error) is TypeError and ours and parameter in str(error)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("contract")


def test_every_public_function_has_a_call_of_all_its_parameters(folder: Path) -> None:
    known = calls(folder)
    assert sorted(known) == NAMES
    for name, (function, arguments) in known.items():
        assert set(arguments) == set(inspect.signature(function).parameters), name
        for parameter in arguments:
            assert sort_of(name, parameter) in SORTS


@pytest.mark.parametrize("name", [name for name in NAMES if name != "load_ipython_extension"])
def test_the_calls_are_taken(name: str, folder: Path) -> None:
    called(*calls(folder)[name])


@pytest.mark.parametrize("name", NAMES)
def test_odd_values_are_refused_in_our_words(
    name: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a page may be written to what is a machine's name in another call
    function, arguments = calls(folder)[name]
    wrong = []
    for parameter in arguments:
        allowed = SORTS[sort_of(name, parameter)]
        default = inspect.signature(function).parameters[parameter].default
        for group, values in GROUPS.items():
            for what, value in values.items():
                if value is default:
                    continue
                for place, given in with_one(function, arguments, parameter, value):
                    try:
                        called(function, given)
                    except Exception as error:  # noqa: BLE001 - whatever it is
                        if not refused_well(error, place):
                            wrong.append(
                                f"{place} = {what}: {type(error).__name__}: {error!s:.150}"
                            )
                    else:
                        if group not in allowed:
                            wrong.append(f"{place} = {what}: accepted")
    assert not wrong, "\n".join(wrong)


def untyped_summa() -> Any:
    return _summa()


def asked(form: object) -> Iterator[object]:
    """Yield answers that are the same whatever form a number of 64 has."""
    summa: Any = _summa()
    yield summa.evaluate(N=form, P=4, word=8).parameters
    yield summa.evaluate(N=form, P=4, word=form).time
    yield summa.sweep(N=form, P=4).time.tolist()
    yield summa.sensitivity(N=form, P=4).elasticities
    yield summa.crossovers("N", form, P=4)
    yield summa.where("time > 1 us", "N", 2, form, P=4).intervals
    yield summa.time_expression("N", form, P=form)
    yield summa.bound_expression(N=form, P=4)
    yield summa.scaling(N=form).points
    yield untyped.plot.roofline(summa, at={"N": form, "P": 4}).table.rows
    yield untyped.plot.regime(summa, ("P", 4, 5), ("N", 2, form)).table.rows
    yield untyped.plot.perdome(untyped.load_machine("i7_titan"), form).table.rows
    yield untyped.plot.MeasuredKernel("triad", flops=form, time=1)
    yield untyped.model_from_expressions("m", flops=form, memory=form).flops


@cache
def _asked_plainly() -> list[object]:
    return [*asked(64)]


@pytest.mark.parametrize("what", NUMBERS)
def test_a_number_is_one_in_every_form(what: str) -> None:
    assert [*asked(NUMBERS[what])] == _asked_plainly()


@pytest.mark.parametrize("what", SEVERAL)
def test_several_numbers_are_the_same_in_every_form(what: str) -> None:
    summa, form = untyped_summa(), SEVERAL[what]

    def answers(values: object) -> list[object]:
        swept = summa.sweep(N=values, P=4)
        at = {"N": [256, 1024], "P": values}
        return [
            swept.time.ravel().tolist(),  # a matrix has columns
            swept.parameters["N"].astype(float).ravel().tolist(),
            untyped.plot.roofline(summa, at={"N": values, "P": 4}).table.rows,
            untyped.plot.perfbound(untyped.load_model("dgemv").on(summa.machine), at=at).table.rows,
            untyped.plot.scaling(summa, at=at).table.rows,
        ]

    assert answers(form) == answers([16, 64])


def test_what_has_no_order_or_ends_is_no_row_of_values() -> None:
    for values in ((x for x in [64]), {16, 64}, {"N": 64}.values()):
        with pytest.raises(rd.RoofError, match="give a list or an array"):
            untyped_summa().sweep(N=values, P=4)


def test_values_are_nested_as_deep_as_numpy_broadcasts() -> None:
    nested: list[object] = [64]
    for _ in range(31):
        nested = [nested]
    assert untyped_summa().sweep(N=nested, P=4).time.ndim == 32
    with pytest.raises(rd.RoofError, match="N is given values nested more than 32 deep"):
        untyped_summa().sweep(N=[nested], P=4)


def test_texts_among_several_values_are_quantities() -> None:
    summa: Any = _summa()
    plain = summa.sweep(N=64, P=4, word=[4, 8, 8]).time.tolist()
    for texts in (["4 B", 8, "64 bit"], np.array(["4 B", "8 B", "8 B"]), ("0.004 kB", 8.0, "8 B")):
        assert summa.sweep(N=64, P=4, word=texts).time.tolist() == plain


def test_ends_of_ranges_may_have_units() -> None:
    summa: Any = _summa()
    texts = summa.crossovers("karst.network", "1 GB/s", "2 GB/s", N=4096, P=121)
    assert texts == summa.crossovers("karst.network", 1e9, 2e9, N=4096, P=121)
    with pytest.raises(rd.RoofError, match="low is given in flop"):
        summa.crossovers("karst.network", "1 flop", N=4096, P=121)


@pytest.mark.parametrize(
    ("between", "said"),
    [
        (["flops"], "'flops' is compared with nothing"),
        (["flops", " flops"], "'flops' is compared with itself"),
        (["time", "flops", "time"], "'time' is compared with itself"),
    ],
)
@pytest.mark.parametrize("values", [{"P": 121}, {}])
def test_what_is_compared_differs(between: list[str], said: str, values: dict[str, float]) -> None:
    with pytest.raises(rd.RoofError, match="R0707") as told:
        rd.load_model("summa").on(rd.load_machine("karst")).crossovers(
            "N", between=between, **values
        )
    assert said in str(told.value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: untyped_summa().where(),
            "missing a required argument: 'condition'; it takes condition",
        ),
        (lambda: untyped_summa().crossovers("N", 2, 3, 4), "too many positional arguments"),
        (lambda: untyped_summa().evaluate(4096), r"evaluate\(\): too many .*; it takes \*\*values"),
        (lambda: untyped.load_model(), "missing a required argument: 'reference'"),
        (lambda: untyped.load_model("summa", path="x"), "unexpected keyword argument 'path'"),
        (lambda: untyped.plot.Look(colour="red"), "unexpected keyword argument 'colour'"),
        (
            lambda: untyped_summa().model.on("karst"),
            r'machine takes a Machine, which load_machine\("karst"\) loads, not \'karst\'',
        ),
        (
            lambda: untyped_summa().model.on(untyped_summa().model),
            "not a value of type Model",
        ),
    ],
)
def test_a_call_of_another_shape_is_refused_in_our_words(
    call: Callable[[], object], words: str
) -> None:
    with pytest.raises(TypeError, match=words):
        call()


def test_formulas_of_sympy_keep_their_decimals() -> None:
    tenth = rd.model_from_expressions("m", flops=sympy.Float("0.1") * sympy.Symbol("N"))
    assert tenth.flops == sympy.Rational(1, 10) * tenth.flops.free_symbols.pop()
    assert rd.model_from_expressions("m", flops=sympy.Float("0.1")).flops == sympy.Rational(1, 10)


def test_a_very_long_list_is_refused_where_it_is_wrong() -> None:
    with pytest.raises(rd.RoofError, match="R0404"):
        untyped_summa().evaluate(N=list(range(10**6)), P=4)
    with pytest.raises(rd.RoofError, match=r"N\[999999\] = nan"):
        untyped_summa().sweep(N=[64.0] * 999_999 + [float("nan")], P=4)
