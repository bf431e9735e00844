"""Many rows of one plan are, to the last bit, what each row is by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from roofdsl.analysis.composition import Composing
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.answer.ranges import results_at
from roofdsl.diagnostic import RoofError, raise_if_any
from roofdsl.expression.tree import Number
from roofdsl.model.arguments import Argument
from roofdsl.model.library import check_text
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.source import Source

BOX = """
machine box {
    flops { fast = 3 flop/s; slow = 0.7 flop/s; default fast }
    memory { DRAM = 7 B/s; L2 = 100 B/s; default DRAM }
    network = 1.1 B/s
    capacity memory = 1 GB
}
"""
MODELS = {
    "a kernel": """
        param N: integer[1..]
        param P: processes = 4
        let rows = N / 4
        flops = 2*N^3 / P
        flops.slow = N*rows
        memory = N^2 / 8
        memory.L2 = 3*N^2
        network = N*sqrt(N)
        total flops = 2*N^3
        tally footprint: B = 8*N^2
    """,
    "a tie at every third": """
        param N: integer[1..]
        flops = 3*N*ceil(N/3)
        memory = 7*N*floor((N + 2)/3) + 0*N
    """,
    "too near for floats": """
        param N: integer[1..]
        flops = 30000000000000*N
        memory = 70000000000007*N
    """,
    "a stated time": "param N: integer[1..]; flops = N; memory = N^2; time = N * 1 s",
    "no work": "param N: integer[1..]; flops = 0*N",
    "steps": """
        param N: integer[1..]
        step one { flops = N^2; memory = 3*N }
        repeat N { overlap { step two { memory = N^2 }; step three { network = 5*N } } }
    """,
}
REFUSED = {
    "a total that cannot be": """
        param N: integer[1..]
        param P: processes = 4
        flops = N^2
        total flops = 40*N
    """,
    "less than no work": "param N: integer[1..]; flops = N; memory = 40 - N",
    "no value": "param N: integer[1..]; flops = N; memory = 1 / (40 - N)",
    "beyond floats": "param N: integer[1..]; flops = N; memory = exp(17*N)",
    "not allowed": "param N: integer[1..]; require N < 40; flops = N",
}


def rows(text: str, sizes: Sequence[int], composing: Composing) -> Iterator[Result]:
    definitions, points = _asked(text, sizes)
    return results_at(*definitions, points, ["N"], composing)


def _asked(
    text: str, sizes: Sequence[int]
) -> tuple[tuple[ModelDefinition, MachineDefinition], list[dict[str, Argument]]]:
    source = f"model main {{ {text} }}\n{BOX}"
    module, problems = check_text(Source("rows.roof", source))
    assert [x for x in problems if x.severity == "error"] == []
    points: list[dict[str, Argument]] = [{"N": (Number(Fraction(n)), None)} for n in sizes]
    return (module.models["main"], module.machines["box"]), points


def alone(text: str, sizes: Sequence[int], composing: Composing) -> Iterator[Result]:
    definitions, points = _asked(text, sizes)
    for point in points:
        prediction, problems = predict(*definitions, point)
        raise_if_any(problems)
        yield evaluated(prediction, composing)


def said(result: Result) -> str:
    """Return all of a result as text; whether a time that is 0 is listed does not matter."""
    charged = {name: time for name, time in result.breakdown.charged.items() if time}
    return repr(replace(result, breakdown=replace(result.breakdown, charged=charged, peaks=None)))


@pytest.mark.parametrize("composing", ["written", "max", "sum"])
@pytest.mark.parametrize("text", MODELS.values(), ids=MODELS)
def test_each_row_is_what_it_is_alone(text: str, composing: Composing) -> None:
    sizes = [*range(1, 30), 1200, 10**9]
    found = [said(each) for each in rows(text, sizes, composing)]
    assert found == [said(each) for each in alone(text, sizes, composing)]


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_is_refused_is_refused_in_its_row(text: str) -> None:
    sizes = [38, 39, 40, 41, 42]
    found: list[list[str]] = []
    messages: list[str] = []
    for asked in (rows, alone):
        shown: list[str] = []
        with pytest.raises(RoofError) as refused:
            shown += (said(each) for each in asked(text, sizes, "written"))
        found.append(shown)
        messages.append(str(refused.value))
    assert found[0] == found[1] and 0 < len(found[0]) < len(sizes)
    assert messages[0] == messages[1]
