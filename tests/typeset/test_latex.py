"""Formulas in LaTeX: the shape people write, always well-formed, never a command of a user."""

from __future__ import annotations

import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofdsl.expression.tree import Expression, Function, Number, Symbol
from roofdsl.typeset.breaking import lines_of
from roofdsl.typeset.characters import latex_character
from roofdsl.typeset.escape import escape_latex
from roofdsl.typeset.latex import LATEX, latex
from tests.typeset.writing import HOSTILE, chain, deep, doubled, formula, formulas

READABLE = [
    ("2*N^3 + 2*N^2", r"2N^3 + 2N^2"),
    ("(2*N^3 + 2*N^2)/P", r"\dfrac{2N^3 + 2N^2}{P}"),
    (
        "word*B*(1 + N^2/B + N^3/(B*sqrt(M)))/P",
        r"\dfrac{\mathrm{word}\,B\,(1 + N^2/B + N^3/(B\sqrt{M}))}{P}",
    ),
    (
        "2*sqrt(P)*word*(N/sqrt(P))^2*log2(sqrt(P))",
        r"2\sqrt{P}\,\mathrm{word} \cdot (N/\sqrt{P})^2 \log_2 \sqrt{P}",
    ),
    ("row*V*log2(P) + index*(V/P)", r"\mathrm{row}\,V \log_2 P + \mathrm{index}\,\dfrac{V}{P}"),
    # Two numbers never stand side by side.
    ("N*2", r"N \cdot 2"),
    ("passes*2*N", r"\mathrm{passes} \cdot 2N"),
    ("N^2*8", r"N^2 \cdot 8"),
    ("2*(3*N/P)", r"2 \cdot \dfrac{3N}{P}"),
    ("2*2^N", r"2 \cdot 2^N"),
    # Nor does a product look like a call.
    ("word*(N + 1)", r"\mathrm{word} \cdot (N + 1)"),
    ("(N + 1)*(N + 2)", "(N + 1)(N + 2)"),
    # Minus signs.
    ("-N*P + P^3", "-NP + P^3"),
    ("P - N*P", "P - NP"),
    ("N - (P - 3)", "N - (P - 3)"),
    ("N - (-P)", "N + P"),
    ("-(N + P)/P", r"-\dfrac{N + P}{P}"),
    ("(N - P)/(-P)", r"\dfrac{N - P}{-P}"),
    ("N^(-2)", "N^{-2}"),
    ("(-N)^2", "(-N)^2"),
    ("exp(-N/P)", r"\exp(-N/P)"),
    # Powers and roots.
    ("N^(3/2)", "N^{3/2}"),
    ("N^(-1/2)", "N^{-1/2}"),
    ("(2^N)^P", "(2^N)^P"),
    ("2^(N/P)", "2^{N/P}"),
    ("2^(N/(P*E))", "2^{N/(PE)}"),
    ("2^((N/P)*E)", r"2^{(N/P)\,E}"),
    ("2^(-N/P*E)", r"2^{-(N/P)\,E}"),
    ("2^(N/log2(P))", r"2^{N/\log_{\scriptstyle 2}(P)}"),
    # Nothing is smaller than an exponent, and no fraction stands in another.
    ("2^(x_i^2)", r"2^{x_{\scriptstyle i}^{\scriptstyle 2}}"),
    ("(N/P)^2/(1 + N/P)", r"\dfrac{(N/P)^2}{1 + N/P}"),
    ("sqrt(N/P)", r"\sqrt{N/P}"),
    # Logarithms.
    ("log2(N)", r"\log_2 N"),
    ("ln(N)*P", r"\ln(N)\,P"),
    ("N*log2(N)", r"N \log_2 N"),
    ("log2(N)*log2(P)", r"\log_2(N) \log_2 P"),
    ("log2(N)^2", r"(\log_2 N)^2"),
    ("log2(N^2)", r"\log_2(N^2)"),
    ("log10(N + P)", r"\log_{10}(N + P)"),
    ("log(E/B, M/B)", r"\log_{M/B}(E/B)"),
    # Other functions.
    ("min(P - 1, 2)", r"\min(P - 1, 2)"),
    ("max(N/P, P)", r"\max(N/P, P)"),
    ("ceil(N/P)", r"\lceil N/P \rceil"),
    ("floor(N)*2", r"\lfloor N \rfloor \cdot 2"),
    # Brackets that say something stay where parentheses are not needed.
    ("ceil(N/P)/P", r"\dfrac{\lceil N/P \rceil}{P}"),
    ("abs(N)/P", r"\dfrac{\lvert N \rvert}{P}"),
    ("abs(N - P)^2", r"\lvert N - P \rvert^2"),
    ("sum(k*N for k in 1..N-1)", r"\sum_{k=1}^{N - 1} kN"),
    ("sum(k for k in 1..N)*P", r"\left( \sum_{k=1}^N k \right)\,P"),
    ("P*sum(k + 1 for k in 1..N)", r"P \sum_{k=1}^N (k + 1)"),
    # Conditions.
    (
        "if N > P and P >= 2 then N else if not (N is integer) then P else 3",
        (
            r"\begin{cases} N & \text{if } N > P \land P \geq 2 \\ "
            r"P & \text{if } N \notin \mathbb{Z} \\ 3 & \text{otherwise} \end{cases}"
        ),
    ),
    (
        "P*(if N is integer or not (N != 3) then 1 else 2)",
        (
            r"P\,\left( \begin{cases} 1 & \text{if } N \in \mathbb{Z} \lor "
            r"\lnot (N \neq 3) \\ 2 & \text{otherwise} \end{cases} \right)"
        ),
    ),
    # Numbers.
    ("13.9*N", "13.9N"),
    ("13.9e9*N", r"1.39 \cdot 10^{10}\,N"),
    ("N + 1e-12", r"N + 10^{-12}"),
    ("(1/3)*N", r"\dfrac{1}{3}\,N"),
    ("N/3 - 1/3", r"\dfrac{N}{3} - \dfrac{1}{3}"),
    # Names.
    ("T_step*F_ser + W1", r"T_{\mathrm{step}}\,F_{\mathrm{ser}} + W_1"),
    ("alpha*N*beta_1", r"\alpha N\beta_1"),
    ("α*β*Γ", r"\alpha\beta\Gamma"),
    ("x_i*ranks_per_node", r"x_i\,\mathrm{ranks\_per\_node}"),
]


@pytest.mark.parametrize(("written", "expected"), READABLE)
def test_formulas_keep_the_shape_people_write(written: str, expected: str) -> None:
    assert latex(formula(written)) == expected


def test_a_rate_is_named_for_its_resource() -> None:
    assert LATEX.name("karst.network").text == r"\mathrm{network}_{\mathrm{karst}}"
    assert LATEX.name("blue_waters_xe.memory.L2").text == (
        r"\mathrm{memory}_{\mathrm{blue\_waters\_xe}, \mathrm{L2}}"
    )


def test_both_branches_of_the_lambert_function() -> None:
    for branch, shown in [(0, "W_0(x)"), (-1, "W_{-1}(x)")]:
        assert latex(Function("lambertw", (Symbol("x"), Number(Fraction(branch))))) == shown


def assert_well_formed(shown: str) -> None:
    """Check that braces, environments and delimiters of any size come in pairs."""
    assert shown.isascii()
    depth = 0
    for token in re.findall(r"\\.|[{}]", shown):
        depth += {"{": 1, "}": -1}.get(token, 0)
        assert depth >= 0
    assert depth == 0
    for opening, closing in (
        (r"\\left(?![a-z])", r"\\right(?![a-z])"),
        (r"\\left\\lceil", r"\\right\\rceil"),
        (r"\\begin\{cases\}", r"\\end\{cases\}"),
        (r"\\begin\{aligned\}", r"\\end\{aligned\}"),
        *(
            (rf"\\{big}l{left}", rf"\\{big}r{right}")
            for big in ("big", "Big")
            for left, right in ((r"\(", r"\)"), (r"\\lceil", r"\\rceil"), (r"\\\{", r"\\\}"))
        ),
    ):
        assert len(re.findall(opening, shown)) == len(re.findall(closing, shown)), shown


CHARACTERS = "".join(map(latex_character, map(chr, range(0x80, 0x3000))))
COMMANDS = {
    *"dfrac scriptstyle".split(),
    *"sqrt left right lceil rceil lfloor rfloor lvert rvert log ln exp min max sum".split(),
    *"in notin neq leq geq land lor lnot cdot mathbb mathrm text begin end infty ldots".split(),
    *"bigl bigr Bigl Bigr textbackslash textasciicircum textasciitilde textless".split(),
    *"textgreater textbar textasciigrave symbol kern".split(),
    *re.findall(r"\\([A-Za-z]+)", CHARACTERS),
}


def assert_only_known_commands(shown: str) -> None:
    assert set(re.findall(r"\\([A-Za-z]+)", shown)) <= COMMANDS


@given(formulas())
def test_every_formula_is_well_formed(tree: Expression) -> None:
    shown = latex(tree)
    assert_well_formed(shown)
    assert_only_known_commands(shown)
    assert shown == latex(tree)


@given(formulas(), st.integers(5, 60))
def test_broken_formulas_are_well_formed(tree: Expression, width: int) -> None:
    assert_well_formed(latex(tree, width=width))
    assert_only_known_commands(" ".join(lines_of(tree, LATEX, width)))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_text(name: str) -> None:
    shown = LATEX.name(name).text
    assert_well_formed(shown)
    assert_only_known_commands(shown)


@pytest.mark.parametrize("tree", [deep(300), chain(3000), doubled(40)])
def test_what_no_page_can_hold_is_left_out(tree: Expression) -> None:
    shown = latex(tree)
    assert r"\ldots" in shown
    assert_well_formed(shown)
    assert shown.count("{") < 40_000
    assert_well_formed(latex(tree, width=80))


BROKEN = [
    (
        "N^6 + N^5 + N^4 - N^3 + N^2",
        19,
        ["N^6 + N^5 + N^4", r"{} - N^3 + N^2"],
    ),
    (
        "(N^3*P + 2*N^2*P + 3*N*P^2 + 4*P^3)/P",
        24,
        [r"\dfrac{1}{P} \cdot \bigl(N^3P + 2N^2P", r"{} + 3NP^2 + 4P^3\bigr)"],
    ),
    (
        "max(N^3/P + P^3*N + 2*N*P, N*P*N^3, P)",
        24,
        [r"\max\Bigl(\dfrac{N^3}{P} + P^3N + 2NP,", r"NPN^3, P\Bigr)"],
    ),
    ("N*P", 19, ["NP"]),
    (
        "(N^3 + N^2*P + P^3)^2*N",
        16,
        [r"\bigl(N^3 + N^2P", r"{} + P^3\bigr)^2\,N"],
    ),
    (
        "sqrt(N^3 + N^2*P + P^3 + N*P)",
        16,
        [r"\bigl(N^3 + N^2P", r"{} + P^3 + NP\bigr)^{1/2}"],
    ),
    (
        "ceil((N^3 + N^2*P)*P)*P",
        14,
        [r"\bigl\lceil\bigl(N^3", r"{} + N^2P\bigr)", r"{} \cdot P\bigr\rceil\,P"],
    ),
    (
        "sum(N^3*k + N^2*k + P^3 for k in 0..N - 1)",
        16,
        [r"\sum_{k=0}^{N - 1} \Bigl(N^3k", r"{} + N^2k + P^3\Bigr)"],
    ),
    (
        "if N + P > 3*N^2*P then -N^3 else if N > P then 5 else N*P",
        18,
        [
            r"\Bigl\{-N^3\ \text{if}\ N + P",
            r"{} > 3N^2P,",
            r"5\ \text{if}\ N > P,",
            r"NP\ \text{otherwise}\Bigr\}",
        ],
    ),
    (
        "-(N^3 + N^2*P + P^3)/(N^2 + P^2 + N*P)",
        18,
        [r"-\bigl(N^3 + N^2P", r"{} + P^3\bigr)/\bigl(N^2", r"{} + P^2 + NP\bigr)"],
    ),
]


@pytest.mark.parametrize(("written", "width", "lines"), BROKEN)
def test_long_formulas_break_before_a_sign(written: str, width: float, lines: list[str]) -> None:
    assert lines_of(formula(written), LATEX, width) == lines


def test_a_broken_formula_is_aligned() -> None:
    assert latex(formula("N^6 + N^5 + N^4 - N^3 + N^2"), width=19) == (
        "\\begin{aligned}[t]\n& N^6 + N^5 + N^4 \\\\\n& {} - N^3 + N^2\n\\end{aligned}"
    )


needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is missing")


@needs_latex
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_latex_compiles_all_of_it(engine: str, tmp_path: Path) -> None:
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is missing")
    shown = [latex(formula(written)) for written, _ in READABLE]
    shown += [latex(formula(written), width=19) for written, _, _ in BROKEN]
    shown += [LATEX.name(name).text for name in HOSTILE]
    shown += [latex(deep(300)), latex(Symbol("∞"))]
    body = "\n\n".join(rf"\[ {text} \]" for text in shown)
    characters = map(chr, range(0x20, 0x3000, 7))
    texts = r" \\ ".join(escape_latex(text) for text in (*HOSTILE, *characters))
    (tmp_path / "all.tex").write_text(
        "\\documentclass{article}\n\\usepackage{amsmath,amssymb}\n\\begin{document}\n"
        f"{body}\n\n\\noindent x {texts}\n\\end{{document}}\n",
        encoding="utf-8",
    )
    command = [engine, "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-2000:]
