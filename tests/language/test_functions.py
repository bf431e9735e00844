"""Functions see what they were written among, and are checked there."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofdsl.analysis.testing import run_tests
from roofdsl.model.library import check_module
from tests.language.programs import checked, codes, file_codes, files, holds, module, shown

LIBRARY = """
function twice(x) = 2*x
function four_times(x) = twice(twice(x))
"""


def test_a_used_function_calls_its_neighbours(tmp_path: Path) -> None:
    path = files(
        tmp_path,
        {
            "main.roof": 'use "./library.roof" as lib\n'
            "model m { param N; flops = lib.four_times(N) }\n"
            'test "t" { expect (m(N = 3) on karst).flops == 12 flop; expect lib.twice(4) == 8 }\n',
            "library.roof": LIBRARY,
        },
    )
    found, problems = check_module(path)
    assert found is not None and not problems, shown(problems)
    (outcome,) = run_tests(found)
    assert outcome.passed, shown(outcome.problems)


def test_the_callers_function_of_the_same_name_is_another(tmp_path: Path) -> None:
    path = files(
        tmp_path,
        {
            "main.roof": 'use "./library.roof" as lib\n'
            "function twice(x) = 3*lib.four_times(x)\n"
            "model m { param N; flops = twice(N) }\n"
            'test "t" { expect (m(N = 1) on karst).flops == 12 flop }\n',
            "library.roof": LIBRARY,
        },
    )
    found, problems = check_module(path)
    assert found is not None and not problems, shown(problems)
    (outcome,) = run_tests(found)
    assert outcome.passed, shown(outcome.problems)


def test_a_function_of_the_file_does_not_see_those_of_a_model() -> None:
    holds("""
        function a(x) = 10*x
        function b(x) = a(x)
        model m {
            function a(x) = 20*x
            function c(x) = a(x)
            flops = b(1)
            memory = c(1)
            network = a(1)
        }
        test "t" {
            let r = m() on karst
            expect r.flops == 10 flop
            expect r.memory == 20 B and r.network == 20 B
        }
    """)


def test_what_a_used_file_uses_itself_has_no_name_here(tmp_path: Path) -> None:
    path = files(
        tmp_path,
        {
            "main.roof": 'use "./middle.roof" as middle\nmodel m { flops = middle.lib.twice(1) }\n',
            "middle.roof": 'use "./library.roof" as lib\nfunction f(x) = lib.twice(x)\n',
            "library.roof": LIBRARY,
        },
    )
    assert file_codes(path) == ["R0204"]


def test_units_of_a_function_are_those_of_its_file(tmp_path: Path) -> None:
    path = files(
        tmp_path,
        {
            "main.roof": 'use "./graph.roof" as graph\nmodel m { memory = graph.bytes(3 edge) }\n',
            "graph.roof": "unit edge\nfunction bytes(E) = 16 B/edge * E\n",
        },
    )
    assert file_codes(path) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("y", ["R0201"]),
        ("g(x)", ["R0204"]),
        ("f(x, 1)", ["R0203", "R0205"]),
        ("log(x)", ["R0204"]),
        ("min()", ["R0205"]),
        ("x > 1", ["R0306"]),
        ("if x then 1 else 2", ["R0307"]),
        ("x + 1 KB", ["R0303"]),
        ("1 B + 1 s", ["R0301"]),
        ("x/x + 1 B", ["R0301"]),
        ("log2(x/x * 1 B)", ["R0304"]),
        ("x^(x*(1 s)/x)", ["R0304"]),
        ("2 ± 1", ["R0211"]),
        ("x/0", ["R0407"]),
        ("machine.cores", ["R0210"]),
        ("-fp64", ["R0308"]),
        ("sum(y for k in 1..x)", ["R0201"]),
    ],
)
def test_a_body_is_checked_though_nobody_calls_it(body: str, expected: list[str]) -> None:
    assert sorted(codes(f"function f(x) = {body}\n")) == expected
    assert sorted(codes(f"model m {{ function f(x) = {body}\n flops = 1 }}\n")) == expected


@pytest.mark.parametrize(
    "body",
    [
        "x + 1 B",
        "x + y + 1 B",
        "(x + y)/x + 1",
        "x^y + sqrt(x)*log2(y)",
        "x^y * 1 B",
        "min(x, y, 1 s)",
        "if x == fp8 then fp16 else x",
        "size(x)*y",
        "sum(k*x for k in y..2*y)",
        "if x is integer and y > 0 then 0 else x",
        "g(x, y) + g(y, x) + 1 s",
        "exp(g(x, y))",
    ],
)
def test_arguments_may_have_any_unit_until_there_is_a_call(body: str) -> None:
    module(f"function f(x, y) = {body}\nfunction g(a, b) = a*b\n")


def test_a_wrong_body_is_reported_once_however_often_it_is_called() -> None:
    assert codes("function f(x) = y\nmodel m { flops = f(1) + f(2) + f(3) }\n") == ["R0201"]


def test_a_unit_that_does_not_fit_is_reported_at_the_call() -> None:
    _, (problem,) = checked("function f(x) = x + 1 B\nmodel m { param N; flops = f(N) }\n")
    assert problem.code == "R0301"
    assert problem.labels[-1].span.text == "f(N)"


def test_circles_of_functions_are_reported_once_each() -> None:
    text = """
        function f(x) = g(x)
        function g(x) = f(x) + h(x)
        function h(x) = if x < 1 then 1 else h(x - 1)
        function user(x) = f(x) + h(x)
        model m { flops = user(1) }
    """
    messages = [problem.message for problem in checked(text)[1]]
    assert messages == [
        "the function 'f' calls itself: f → g → f",
        "the function 'h' calls itself: h → h",
    ]


def test_the_same_function_twice_in_a_row_is_no_circle(tmp_path: Path) -> None:
    path = files(
        tmp_path,
        {
            "main.roof": 'use "./other.roof" as other\n'
            "function f(x) = other.f(x) + 1\n"
            "model m { flops = f(f(1)) }\n",
            "other.roof": "function f(x) = 2*x\n",
        },
    )
    assert file_codes(path) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("model m { function f(x) = x\nfunction f(x) = 2*x\nflops = f(1) }", ["R0202"]),
        ("model m { function sqrt(x) = x\nflops = sqrt(4) }", ["R0218"]),
        ("machine k { function f(x) = x\nfunction f(x) = 2*x\nflops = 1 GFLOP/s }", ["R0202"]),
        ("function f(x, x) = x", ["R0202"]),
        ("function max(x) = x", ["R0218"]),
    ],
)
def test_names_of_functions_are_their_own(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_ten_thousand_functions_in_a_row_are_checked() -> None:
    chain = "".join(f"function f{n + 1}(x) = f{n}(x) + f{n}(x)\n" for n in range(10_000))
    assert codes(f"function f0(x) = x\n{chain}") == []
    assert codes(f"function f0(x) = f10000(x)\n{chain}") == ["R0203"]
