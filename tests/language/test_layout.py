"""How a program is laid out says nothing: newlines, `;`, comments, line ends, a byte-order mark."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofdsl import resources
from roofdsl.diagnostic import Diagnostic
from roofdsl.model.library import check_module
from roofdsl.source import Source
from roofdsl.syntax import nodes
from roofdsl.syntax.parse import parse, parse_expression
from tests.fuzz.choices import Drawn
from tests.fuzz.formulas import Formulas
from tests.fuzz.programs import programs
from tests.language.shapes import meaning, said, shape, syntax

BUNDLED = [
    path
    for folder in (resources.folder("stdlib"), resources.folder("machines"))
    for path in sorted(folder.rglob("*.roof"))
    if path.stat().st_size < 10_000 and "step " not in path.read_text(encoding="utf-8")
]

WORDS = "and as else fails for if in is on or sum then within"
UNIT = r"[A-Za-z]\w*(?:\^-?\d+)?"
TOKEN = re.compile(
    rf"""
    \d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?                 # a number with its unit
        (?:[ ](?!(?:{WORDS.replace(" ", "|")})\b){UNIT}(?:/{UNIT})*)?
    | [^\W\d]\w*                                          # a name or a word
    | \.\. | [<>=!]= | \S
    """,
    re.VERBOSE,
)
OPERATORS = ("+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "!=", "~")
# A statement goes on after these, …
GOES_ON_AFTER = {
    *OPERATORS,
    "(",
    "[",
    ",",
    "=",
    "..",
    *"and or not if then else is on in for".split(),
}
# … and before these.
GOES_ON_BEFORE = {*OPERATORS, ")", "]", ",", *"then else and or is on within for in".split()}
BREAKS = ("\n", "\n\n\n", "\r\n", " # a comment\n", "#(\n", "\n    ## not for anybody\n\t", "\f\n")


@st.composite
def expressions(draw: st.DrawFn) -> str:
    """Return an expression on one line, single spaces between its tokens."""
    writer = Formulas(Drawn(draw), slips=False)
    writer.names = {"N": "1", "P": "1", "word": "B"}
    unit = draw(st.sampled_from(("1", "B", "s")))
    text = writer.condition(2) if draw(st.integers(0, 3)) == 0 else writer.value(unit)
    return " ".join(TOKEN.findall(re.sub(r"#.*", "", text)))


def parsed(text: str) -> object:
    tree = parse_expression(Source("expression", text))
    assert not isinstance(tree, Diagnostic), f"{text}\n{tree}"
    return shape(tree)


def broken_up(data: st.DataObject, text: str) -> str:
    """Put newlines and comments wherever a statement goes on."""
    gaps = st.sampled_from((" ", *BREAKS))
    tokens = TOKEN.findall(text)
    pieces: list[str] = []
    depth = 0
    for token, following in zip(tokens, [*tokens[1:], ""], strict=True):
        depth += (token in "([") - (token in ")]")
        goes_on = depth > 0 or token in GOES_ON_AFTER or following in GOES_ON_BEFORE
        pieces += [token, data.draw(gaps) if goes_on and following else " "]
    return "".join(pieces).rstrip(" ")


@given(st.data(), expressions())
def test_newlines_and_comments_where_an_expression_goes_on(data: st.DataObject, text: str) -> None:
    assert parsed(broken_up(data, text)) == parsed(text)


@given(expressions())
def test_spaces_say_nothing(text: str) -> None:
    tokens = TOKEN.findall(text)
    tight = tokens[0]
    for before, token in pairwise(tokens):
        # Two words, or a number and a word, need a space; a number takes what can be its unit.
        words = re.search(r"\w$", before) and re.search(r"^\w", token)
        tight += f" {token}" if words or (before[0].isdigit() and token in "/^..") else token
    assert parsed(tight) == parsed(text)
    assert parsed("  \t ".join(tokens)) == parsed(text)


ONE_LINE = """\
use karst
use "./other.roof" as other
unit element
resource disk : B shares network
function f ( x , y ) = x + y
model m { source "a" ; param N : integer [ 2 .. ] = 4 ; param dtype : precision = fp64 ; \
param w = 8 B ; let a = if N > 3 then 2 else 1 ; require sqrt ( N ) is integer ; \
flops [ dtype ] = 2 * N ^ 2 + a ; memory . L2 = w * N ; network { inter = w ; intra = w } ; \
tally t : B = w }
machine box { param c = 4 ; flops { fp64 = 1 flop/s ; default fp64 } ; memory = 1 GB/s ; \
capacity memory = 1 GB }
test "t" { let r = m ( N = 4 , w = 4 B ) on box ; expect r . OI ~ 2 flop/B within 3 % ; \
expect m ( N = 3 ) on box fails "integer" ; expect r . bound is flops }
"""

SPREAD_OUT = """\
# before everything

use karst   # behind a statement
use
  "./other.roof" as
  other

unit element
resource disk : B shares network

## said of f
function f ( x ,
   y ) =
   x
   +
   y
model m
{

   source
      "a"
   param N : integer [ 2
     .. ] = 4          ## said of N
   param dtype : precision =
      fp64
   param
      w = 8 B
   let a =
     if N
       > 3
     then 2
     # between the branches
     else
       1
   require sqrt (
      N
   ) is
     integer ;;

   flops [ dtype ] = 2
     * N
     ^ 2 + a
   memory . L2 = w * N;
   network {
     inter = w

     intra = w }
   tally t : B = w
}
machine box {
   param c = 4;flops { fp64 = 1 flop/s;default fp64 }
   memory = 1 GB/s ; capacity memory = 1 GB
   }
test "t" {
   let r = m (
       N = 4 ,   # one
       w = 4 B   # two
     )
     on box
   expect r . OI
     ~ 2 flop/B
     within
       3 %
   expect
     m ( N = 3 ) on box
     fails "integer"
   expect r . bound is flops
}
# after everything"""


def test_every_statement_on_one_line_and_spread_out() -> None:
    assert syntax(SPREAD_OUT) == syntax(ONE_LINE)
    assert syntax(ONE_LINE.replace("{ ", "{").replace(" }", "}").replace(" ;", ";")) == syntax(
        ONE_LINE
    )


SEPARATORS = (
    "\n",
    ";",
    " ; ",
    ";;\n",
    "\n\n",
    "\n;\n",
    "  # said in passing\n",
    "\r\n",
    "; # so\n",
)


def rebuilt(text: str, separator: str) -> str:
    """Write a program's declarations anew, their statements with this separator between them."""
    declarations, diagnostics = parse(Source("program.roof", text))
    assert not diagnostics
    written = []
    for declaration in declarations:
        whole = declaration.span.text
        if isinstance(
            declaration, nodes.ModelDeclaration | nodes.MachineDeclaration | nodes.TestDeclaration
        ):
            head = whole[: whole.index("{") + 1]
            items = [item.span.text for item in declaration.items]
            whole = f"{head} {separator.join(items)} }}"
        written.append(whole)
    return "\n".join(written)


@given(programs(), st.sampled_from(SEPARATORS))
def test_semicolons_are_newlines(text: str, separator: str) -> None:
    assert syntax(rebuilt(text, separator)) == syntax(text)


def line_ends(text: str) -> list[bytes]:
    plain = text.encode("utf-8")
    windows = plain.replace(b"\n", b"\r\n")
    old_mac = plain.replace(b"\n", b"\r")
    return [plain, windows, old_mac, b"\xef\xbb\xbf" + plain, b"\xef\xbb\xbf" + windows]


@pytest.mark.parametrize("path", BUNDLED, ids=[path.stem for path in BUNDLED])
def test_line_ends_and_a_byte_order_mark_say_nothing(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    copy = path if 'use "' in text or ' from "' in text else tmp_path / path.name
    if copy is path:
        pytest.skip("names files beside it")
    found = []
    for data in line_ends(text):
        copy.write_bytes(data)
        module, diagnostics = check_module(copy, "copy.roof")
        assert module is not None
        found.append((shape(module.tests), meaning(module), [str(d) for d in diagnostics]))
    assert all(other == found[0] for other in found)


def test_line_ends_do_not_move_a_problem(tmp_path: Path) -> None:
    text = 'model m {\n    param N ## "order"\n    flops = N + 2 B\n    memory = M\n}\n'
    path = tmp_path / "wrong.roof"
    found = []
    for data in line_ends(text):
        path.write_bytes(data)
        _, diagnostics = check_module(path, "wrong.roof")
        found.append([str(diagnostic) for diagnostic in diagnostics])
    assert len(found[0]) == 2
    assert "wrong.roof:3:17" in found[0][0]
    assert all(other == found[0] for other in found)


@pytest.mark.parametrize(
    "text",
    [
        "model m {\n flops = 2\n + 3\n}",
        "model m {\n flops = (2\n 3)\n}",
        "model m { flops = 2 ; + 3 }",
        "model m { flops = (2 ; + 3) }",
        "model m { flops = 2 memory = 3 }",
        "model m { let a = 1 ; let b = 2 } unit x unit y",
    ],
)
def test_what_ends_a_statement(text: str) -> None:
    """A newline before an operator goes on; a `;` ends, and two statements need one."""
    _, diagnostics = parse(Source("ends.roof", text))
    assert bool(said(diagnostics)) == ("\n + 3" not in text)
