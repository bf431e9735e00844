"""The table of limits in docs/language.md is what the code enforces, to the last one."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from click import UsageError

import roofdsl as rd
from roofdsl.allowance import NUMBERS, OPERATIONS
from roofdsl.answer.arrays import _count
from roofdsl.cli.options import Points
from roofdsl.cli.sweep_values import MOST_POINTS
from roofdsl.expression.schedule import DEEPEST_SUMS
from roofdsl.model import elaborate
from roofdsl.model.library import DEEPEST_USE, find_model
from roofdsl.model.literal import LARGEST_EXPONENT
from roofdsl.model.scope import MOST_PARTS
from roofdsl.model.size import DEEPEST_PARTS, MOST_STEPS
from roofdsl.reading import LARGEST
from roofdsl.source import Source
from roofdsl.syntax.builder import DEEPEST, LONGEST_NUMBER
from roofdsl.units import unit
from tests.docs.test_language_reference import rows
from tests.messages.case import run_command

CHECK = ("check", "case.roof")
EVAL = ("eval", "case.roof", "--machine", "karst")
TABLE = {row[0]: row[1] for row in rows("| | at most |")}


class Limit(NamedTuple):
    """One number of the table.

    `text` writes a file that comes up to a number: at the limit it passes, with one more it is
    refused, by `code`.
    """

    row: str
    words: str
    constant: int
    code: str
    text: Callable[[int], str]
    command: tuple[str, ...] = CHECK


def model(formula: str, before: str = "") -> str:
    return f"{before}model m {{\n    param N: integer = 1\n    flops = {formula}\n}}\n"


def of_length(count: int) -> str:
    start = model("N")
    return start + "#" * (count - len(start))


def nested(count: int) -> str:
    return model("(" * count + "N" + ")" * count)


def digits(count: int) -> str:
    return model("1" * (count - 5) + "e-380")


def unit_of_parts(count: int) -> str:
    return model("1 flop" + "/s" * (count - 1) + " * 1 s" * (count - 1))


def unit_to_a_power(count: int) -> str:
    return model(f"1 flop/s^{count} * 1 s^{count - 1} * 1 s")


def sums(count: int) -> str:
    return model("sum(" * count + "N" + " for k in 1..1)" * count)


def parts(count: int) -> str:
    """A formula of so many parts, each name in it the one before it once or twice."""
    lines = []
    while count > 2:
        one_more = "ln" if count % 2 else "max"
        lines.append("ln({0})" if one_more == "ln" else "max({0}, ln({0}))")
        count = count - 1 if one_more == "ln" else (count - 2) // 2
    lines += ["ln(N)"] * (count - 1)
    names = ["N", *(f"a{place}" for place in range(len(lines)))]
    pairs = zip(names, lines[::-1], strict=False)
    lets = [f"    let a{place} = {line.format(name)}\n" for place, (name, line) in enumerate(pairs)]
    return model(names[-1]).replace("    flops", "".join(lets) + "    flops")


def calls(count: int) -> str:
    return model(" + ".join(["f(N)"] * count), "function f(x) = x\n")


def chained(count: int) -> str:
    # A call takes two levels, and as many as there are around the next one in its function.
    length, brackets = divmod(count - 2, 3)
    last = "(" * brackets + f"f{length - 1}(x)" + ")" * brackets
    functions = [f"function f{n}(x) = f{n - 1}(x)\n" for n in range(1, length)]
    texts = ["function f0(x) = x\n", *functions, f"function f{length}(x) = {last}\n"]
    return model(f"f{length}(N)", "".join(texts))


def steps(count: int) -> str:
    """As many steps as that: doubled again and again, and what is lacking beside them."""
    text = "model m0 { param N: integer = 1; flops = N }\n"
    names = {1: "m0"}
    size = 1
    while 2 * size <= count:
        before, size = names[size], 2 * size
        names[size] = f"m{size}"
        text += f"model m{size} {{ step a = {before}(); step b = {before}() }}\n"
    rest = [f"    step s{n} = {names[1 << n]}()\n" for n in range(20) if count >> n & 1]
    return f"{text}model m {{\n{''.join(rest)}}}\n"


def levels(count: int) -> str:
    return model_of_steps("repeat 2 { " * (count - 1) + "step a = one()" + " }" * (count - 1))


def model_of_steps(body: str) -> str:
    return f"model one {{ flops = 1 }}\nmodel m {{\n    {body}\n}}\n"


def used(count: int) -> str:
    for place in range(count):
        text = f'use "u{place + 1}.roof" as u{place + 1}\n' if place < count - 1 else ""
        Path(f"u{place}.roof").write_text(text + f"model u{place} {{ flops = 1 }}\n", "utf-8")
    return 'use "u0.roof" as u0\nmodel m { step a = u0() }\n'


LIMITS = (
    Limit("a file", "{:,} bytes", LARGEST, "R0002", of_length),
    Limit("nesting of an expression", "{} levels", DEEPEST, "R0106", nested),
    Limit("a number", "{} characters", LONGEST_NUMBER, "R0109", digits),
    Limit("a number", "to 1e{}", LARGEST_EXPONENT, "R0109", lambda n: model(f"N/1e{n}")),
    Limit("a number", "from 1e-{}", LARGEST_EXPONENT, "R0109", lambda n: model(f"N*1e-{n}")),
    Limit(
        "a constant exponent", "{},", elaborate.LARGEST_POWER, "R0305", lambda n: model(f"N^{n}")
    ),
    Limit(
        "a constant exponent",
        "or -{}",
        elaborate.LARGEST_POWER,
        "R0305",
        lambda n: model(f"N^-{n}"),
    ),
    Limit("a formula, written out", "{:,} parts", MOST_PARTS, "R0213", parts),
    Limit("sums within sums", "{} deep", DEEPEST_SUMS, "R0407", sums, EVAL),
    Limit("a unit", "{} parts", unit.MOST_PARTS, "R0303", unit_of_parts),
    Limit("a unit", "up to {}", unit.LARGEST_POWER, "R0303", unit_to_a_power),
    Limit("functions that call functions", "{:,} calls", elaborate.MOST_EXPANSIONS, "R0213", calls),
    Limit(
        "functions that call functions", "{} levels", elaborate.DEEPEST_EXPANSION, "R0213", chained
    ),
    Limit("files that use files", "{} deep", DEEPEST_USE, "R0209", used),
    Limit("steps of a model, written out", "{:,},", MOST_STEPS, "R0219", steps),
    Limit("steps of a model, written out", "{} levels deep", DEEPEST_PARTS, "R0219", levels),
)


@pytest.mark.parametrize("limit", LIMITS, ids=[f"{each.row} {each.words}" for each in LIMITS])
def test_a_limit_is_where_the_table_says(limit: Limit, tmp_path: Path) -> None:
    assert limit.words.format(limit.constant) in TABLE[limit.row]
    for count in (limit.constant, limit.constant + 1):
        folder = tmp_path / str(count)
        folder.mkdir()
        with chdir(folder):
            Path("case.roof").write_text(limit.text(count), "utf-8")
            ending, message = run_command([*limit.command])
        # A file that uses one with errors has one itself.
        refused = [each for each in re.findall(r"error\[(R\d{4})\]", message) if each != "R0005"]
        if count == limit.constant:
            assert (ending, refused) == ("exit 0", []), message[:300]
        else:
            assert (ending, refused) == ("exit 1", [limit.code]), message[:300]


def added(count: int) -> str:
    return model(f"sum(1/(k^2 + N) for k in 1..{count})")  # 4 operations a term


def test_the_operations_of_a_command_are_those_of_the_table(tmp_path: Path) -> None:
    assert TABLE["operations of a command"] == f"{OPERATIONS:,}"
    with chdir(tmp_path):
        tenth = OPERATIONS // 10
        for terms, ending in ((tenth // 4 - 30_000, "exit 0"), (tenth // 4 + 1, "exit 1")):
            Path("case.roof").write_text(added(terms), "utf-8")
            found, message = run_command([*EVAL, "--budget", "0.1x"])
            assert found == ending and ("error[R0412]" in message) == (ending == "exit 1")
        assert run_command([*EVAL])[0] == "exit 0"


def test_the_operations_of_a_template_are_those_of_the_table(tmp_path: Path) -> None:
    allowed, of_one = re.findall(r"[\d,]+\d", TABLE["operations of a template of a report"])
    assert allowed == f"{OPERATIONS:,}"
    report = ("report", "dgemv", "--machine", "karst", "--no-figures", "-o", "r.html")
    with chdir(tmp_path):
        # A turn of a loop takes some operations, besides its thousand characters.
        most = OPERATIONS // 10 * int(of_one) // 1000
        for turns, ending in ((int(0.9 * most), "exit 0"), (most, "exit 1")):
            text = "{% for n in range(" + str(turns) + ") %}" + "x" * 1000 + "{% endfor %}"
            Path("mine.html").write_text(text, "utf-8")
            found, message = run_command([*report, "--template", "mine.html", "--budget", "0.1x"])
            assert found == ending and ("error[R0412]" in message) == (ending == "exit 1")


def test_the_points_of_ranges_are_those_of_the_table() -> None:
    assert TABLE["points of the ranges on the command line"] == f"{MOST_POINTS:,}"
    definition, _ = find_model("summa")
    for last, others in ((MOST_POINTS, "1"), (MOST_POINTS // 4, "1,4,9,16")):
        values = {"N": Source("", f"1..{last}"), "P": Source("", others)}
        assert len(list(Points(definition, values))) == MOST_POINTS
        values["N"] = Source("", f"1..{last + 1}")
        with pytest.raises(UsageError, match="100,0"):
            Points(definition, values)


@pytest.mark.parametrize("values", [range(0), range(7), range(9, 0, -4), range(9, 0)])
def test_what_ranges_hold_is_known_before(values: range) -> None:
    assert _count(values) == len(values) and _count([values] * 3) == 3 * len(values)


def test_the_numbers_of_a_sweep_are_those_of_the_table() -> None:
    assert TABLE["numbers in the arrays of a sweep in Python"].startswith(f"{NUMBERS:,}, ")
    summa = rd.load_model("summa").on(rd.load_machine("karst"))
    for points in (range(NUMBERS + 1), range(10**30), [range(NUMBERS)] * 2):
        with pytest.raises(rd.RoofError, match="arrays of N would hold more than 200,000,000"):
            summa.sweep(N=points, P=4)
    across: dict[str, Any] = {"N": np.arange(2, 10**5).reshape(-1, 1), "P": np.arange(1, 10**5)}
    choices: dict[str, Any] = {"N": np.arange(2, 10**4).reshape(-1, 1), "dtype": ["fp64"] * 10**4}
    spread: dict[str, Any] = {"N": np.broadcast_to(4, (NUMBERS // 8,))}
    for given in (across, {**choices, "P": 4}, {**spread, "P": 4}):
        with pytest.raises(rd.RoofError, match=r"arrays of 'summa' would .* 200,000,000 numbers"):
            summa.sweep(**given)
    with rd.budget(0.1), pytest.raises(rd.RoofError, match="more than 20,000,000 numbers"):
        summa.sweep(N=range(NUMBERS // 10 + 1), P=4)


def test_every_row_is_tried() -> None:
    others = {
        *("operations of a command", "operations of a template of a report"),
        "points of the ranges on the command line",
        "numbers in the arrays of a sweep in Python",
    }
    assert {each.row for each in LIMITS} | others == set(TABLE)
