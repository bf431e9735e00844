"""Programs in Python: public functions with values of all types, and cells of a notebook."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache

import roofdsl as rd
from roofdsl.embedding import plot
from tests.fuzz.choices import Seeded
from tests.fuzz.command_lines import REFERENCES
from tests.fuzz.commands.roof_files import disguised, odd_number, roof_file
from tests.fuzz.commands.tables import table
from tests.fuzz.mutations import TOKENS

HEAD = """\
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import sympy

import roofdsl as rd

"""
ODD = (
    "None", "True", "False", "0", "-1", "1.5", "10**18", "2**53 + 1", "10**400", "-(10**400)",
    "1e308", "5e-324", "float('nan')", "float('inf')", "-0.0", "np.int64(64)", "np.float32(64)",
    "np.uint8(4)", "np.bool_(True)", "np.array(5)", "np.array([])", "np.array([1, 4])",
    "np.array([[1.5], [2]])", "np.array([1, None])", "np.array(['a'])", "np.array([np.nan, 1])",
    "np.datetime64('2020')", "np.ma.masked", "np.float64('inf')", "np.longdouble(4)",
    "np.complex128(1)", "np.str_('4')", "np.array([10**400, 1])", "np.array([True, False])",
    "np.timedelta64(1)", "np.void(b'a')", "b'4096'", "bytearray(b'4')", "'64'", "'4 kB'", "'N'",
    "''", "'1..8'", "'x' * 5000", "'\\x1b[31m'", "'\\ud800'", "'\\0'", "'(' * 500", "'fp64'",
    "Decimal('64')", "Decimal('NaN')", "Decimal('1e999')", "Fraction(1, 3)",
    "Fraction(10**400, 3)", "complex(1, 2)", "object()", "[1, 4]", "[1, [2]]", "[]", "['4 B']",
    "['4', 4]", "(1, 2)", "{}", "{'N': 4}", "{1, 2}", "range(1, 4)", "range(0)", "lambda: 1",
    "iter([1, 2])", "sympy.Symbol('N')", "sympy.oo", "sympy.Rational(1, 3)", "sympy.sqrt(2)",
    "sympy.nan", "sympy.Integer(4)", "Path('mine.roof')", "datetime(2020, 1, 1)", "rd",
    "rd.Model", "model", "machine", "prediction", "...", "NotImplemented", "type", "[10**400]",
    "[None]", "[float('nan')]", "[[4], [16]]", "memoryview(b'ab')", "slice(1)", "'karst'",
    "'summa'",
)  # fmt: skip
FIGURES = (
    "roofline", "communication", "pair", "surface", "ridgeline", "breakdown", "sensitivity",
    "scaling", "curve", "perfbound", "regime", "perdome", "predicted", "read_measured", "save",
    "save_data", "read_comparison", "Look", "MeasuredKernel"
)  # fmt: skip
USUAL: dict[str, tuple[str, ...]] = {
    "reference": ("'summa'", "'karst'", "'dgemv'", "Path('mine.roof')"),
    "machine": ("machine",),
    "model": ("model",),
    "models": ("model", "[model]"),
    "machines": ("machine", "[machine]"),
    "path": ("'out.html'", "Path('out.html')"),
    "items": ("prediction", "machine"),
    "prediction": ("prediction",),
    "predictions": ("prediction",),
    "at": ("{'N': 4096, 'P': 121}", "{'N': [242, 4096], 'P': 121}", "{}"),
    "unknown": ("'N'", "'P'", "None"),
    "low": ("2", "None"),
    "high": ("10**6", "None"),
    "between": ("('flops', 'network')", "()"),
    "within": ("'10%'", "0.1", "'stated'"),
    "quantities": ("['OI']", "('time', '2 s')", "['network/memory']"),
    "partial": ("True",),
    "of": ('"energy"', '"cost"', '"time"'),
    "look": ("rd.plot.Look(dark=True)", "rd.plot.Look(style='ieee')"),
    "condition": ("'time <= 10 s'",),
    "resource": ("'flops'", "'network'"),
    "name": ("'mine'",),
    "x": ("('P', 4, 100)",),
    "y": ("('N', 2, 1000)",),
    "level": ("None",),
    "measured": ("()",),
    "comparison": ("rd.plot.read_comparison('compared.csv')",),
    "picture": ("rd.plot.roofline(machine)",),
    "parameters": ("{'N': ': integer'}", "None"),
    "require": ("()", "['N > 1']"),
    "lets": ("{'half': 'N/2'}",),
    "functions": ("{'twice(x)': '2*x'}",),
    "tallies": ("{'held': 'B = 8 B*N'}", "{'held': ('B', 8)}"),
    **dict.fromkeys(("reads", "makes"), ("{'x': '4 B*N'}", "{'x': 64}")),
    "holds": ("{'weights': '4 B*N'}", "{'gradients': '4 B*N from here'}"),
    "keeps": ("['x']", "['index = 8 B*N']", "['a to b']"),
    "reading": ("'a'", "'a, x'"),
    "in_place": ("True",),
    "metrics": ("{'long': 'time > 1 s'}", "{'per': 'ms = time/2'}"),
    "totals": ("'even'", "{'flops': 'N'}"),
    "jobs": ("{'a': 3 * model(N=64, P=4)}",),
    "steps": ("[rd.step('a', model(N='N', P=4))]", "[rd.overlap(rd.step('b', memory='8*N'))]"),
    "parts": ("rd.step('a', flops='N')", "rd.repeat(3, rd.step('b', memory=8))"),
    "what": ("model(N=64, P=4)", "{'flops': 'N'}", "model"),
    "times": ("3", "'N'"),
    "on": ("'gpu'",),
    "base": ("machine",),
    "capacity": ("{'memory': '64 GiB'}",),
    "energy": ("{'flops': 1e-12}",),
    "devices": ("{'gpu': machine}",),
    "text": ("'model m { flops = 1 }'", "model.text"),
    "uses": ("{'mpi': rd.load('collectives.mpi')}",),
    "units": ("['edge']",),
    "resources": ("{'nvme': 'B'}",),
    "sources": ("['a book']",),
    "title": ("'x'",),
    "intensity": ("1.7",),
    "partitions": ("{'CP1': (0.4, 5.4)}",),
    "kernel": ("'triad'",),
    "others": ("prediction", "[model.on(rd.load_machine('jetstream'))]"),
    "by": ("'time'", "'memory'", "'energy'"),
    "growing": ("'N'", "None"),
    "profile": ("'compared.csv'",),
    "also": ("['startup']", "[]"),
    "keep": ("['memory']", "()"),
    "compose": ("'sum'", "None"),
    "folds": ("3", "2"),
    "half": ("True", "False"),
    "origin": ("machine",),
    "targets": ("machine", "[machine]"),
    "kind": ("'B'", "'integer'"),
    "unit": ("'GB/s'",),
}


def script(choices: Seeded) -> tuple[str, dict[str, str]]:
    """Return a program that asks something, and the files that stand beside it."""
    files = {"compared.csv": table(choices, "compared", most=1 + choices.below(3))}
    if choices.chance(40):
        files["mine.roof"] = roof_file(choices, rough=choices.chance(20))
    model, machine = "'summa'", "'karst'"
    if choices.chance(12):
        model = choices.pick(
            (*ODD, "'mine.roof'", "Path('mine.roof')", repr(choices.pick(REFERENCES)))
        )
    elif choices.chance(8):
        machine = choices.pick((*ODD, "'mine.roof'", repr(choices.pick(REFERENCES))))
    text = f"{HEAD}model = machine = prediction = rd.load_model('summa')\n"
    text += f"machine = rd.load_machine({machine})\nmodel = rd.load_model({model})\n"
    text += "prediction = model.on(machine)\n"
    text += f"answer = {_asked(choices)}\n"
    text += "print(answer)\nrepr(answer)\n"
    for shown in choices.some(("_repr_html_", "to_dict", "rows", "_repr_latex_", "blocks"), 3):
        text += f"if hasattr(answer, '{shown}'):\n    str(answer.{shown}())\n"
    return text, files


def _asked(choices: Seeded) -> str:
    """Return an expression that calls something public."""
    match choices.below(11):
        case 0:
            return f"model.{_called(choices, rd.Model, choices.pick(_methods(rd.Model)))}"
        case 1:
            figure = choices.pick(FIGURES)
            return f"rd.plot.{_called(choices, plot, figure)}"
        case 2:
            name = choices.pick(
                [each for each in rd.__all__ if inspect.isfunction(getattr(rd, each))]
            )
            return f"rd.{_called(choices, rd, name)}"
        case 3:
            formula = choices.pick(
                (repr(choices.pick(TOKENS)), repr(odd_number(choices)), "sympy.pi")
            )
            pool = (*ODD, formula, "'2*N'", "2*sympy.Symbol('N')", "sympy.sin(sympy.Symbol('N'))")
            work = f"flops={choices.pick(pool)}, memory='N*8 B'"
            return f"rd.model_from_expressions('m', {work}, network=0)"
        case 4:
            attribute = choices.pick(("time", "times", "attainable", "ridge", "ridge_expressions"))
            return f"prediction.{attribute}"
        case 5:
            return _made(choices)
    return f"prediction.{_called(choices, rd.Prediction, choices.pick(_methods(rd.Prediction)))}"


def _made(choices: Seeded) -> str:
    """Return an expression that makes a model, a machine or a mix, some of it odd now and then."""

    def value(usual: str) -> str:
        return choices.pick(ODD) if choices.chance(15) else usual

    name, size, whole = value("'a'"), value("'N'"), value("'integer'")
    flops = value(choices.pick(("'2*N'", "2*sympy.Symbol('N')", "1e9")))
    work = f"flops={flops}, memory={value('64')}"
    run = choices.pick((f"model(N={size}, P={value('4')})", "model", "model.on(machine)"))
    loops = f"repeat({value('3')}, ", f"iterate({value('2')}, "
    word = choices.pick(("overlap(", "when('N > 2', ", *loops))
    parts = f"rd.step({name}, {run}), rd.{word}rd.step('b', lets={{'k': {size}}}, {work}))"
    kept = choices.pick((".text", ".definition", ".save('kept.roof')"))
    match choices.below(4):
        case 0:
            held = value("2**30")
            return (
                f"rd.make_machine('m', base=machine, {work}, capacity={{'memory': {held}}}){kept}"
            )
        case 1:
            return f"rd.make_mix('m', {{'a': {value('3')} * model(N=64, P={size})}}){kept}"
    return f"rd.make_model('m', parameters={{'N': {whole}}}, steps=[{parts}]){kept}"


@cache
def _methods(kind: type) -> list[str]:
    """Return the public methods of a class; a new one is thereby tried too."""
    return sorted(
        name for name, member in inspect.getmembers(kind, inspect.isfunction) if name[0] != "_"
    )


def _called(choices: Seeded, owner: object, name: str) -> str:
    """Return a call with usual arguments, one of them odd or left out, mostly."""
    function: Callable[..., object] = getattr(owner, name)
    arguments: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.VAR_KEYWORD:
            arguments += _values(choices)
            continue
        needed = parameter.default is parameter.empty and not choices.chance(3)
        if not needed and choices.chance(60):
            continue
        odd = choices.chance(25)
        text = choices.pick(ODD if odd else USUAL.get(parameter.name, ODD))
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            arguments.append(text)
        else:
            arguments.append(f"{parameter.name}={text}")
    return f"{name}({', '.join(sorted(arguments, key=lambda text: '=' in text.partition('(')[0]))})"


def _values(choices: Seeded) -> list[str]:
    given = {
        "N": choices.pick(("4096", "242", "np.array([242, 4096])")),
        "P": choices.pick(("121", "4")),
    }
    if choices.chance(30):
        del given[choices.pick([*given])]
    if choices.chance(60):
        given[choices.pick(("N", "P", "word", "M", "B", "x"))] = choices.pick(ODD)
    return [f"{name}={text}" for name, text in given.items()]


def notebook(choices: Seeded) -> tuple[str, dict[str, str]]:
    """Return a program that runs cells of a notebook, and the cells."""
    lines = (
        *[""] * 20,
        "kept.roof",
        "kept.roof # c",
        "--help",
        "a b",
        "\x1b[31m",
        "x" * 300,
        "folder",
    )
    text = (
        "from pathlib import Path\n\nfrom roofdsl.notebook import load_ipython_extension\n"
        "from tests.notebook.test_cells import Shell\n\n"
        "shell = Shell()\nload_ipython_extension(shell)\n"
    )
    files: dict[str, str] = {}
    for place in range(1 + choices.below(3)):
        cell = roof_file(choices, rough=choices.chance(40))
        files[f"cell{place}.txt"] = disguised(choices, cell) if choices.chance(5) else cell
        text += f"cell = Path('cell{place}.txt').read_bytes().decode('utf-8', 'replace')\n"
        text += f"found = shell.magics['roof']({choices.pick(lines)!r}, cell)\n"
        text += "print(repr(found), found._repr_html_())\n"
    return text, files
