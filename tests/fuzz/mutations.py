"""The bundled files with bytes changed, and tokens in no order."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from roofdsl import resources
from roofdsl.syntax.words import KEYWORDS

PIECES = (
    "{", "}", "(", ")", "[", "]", "=", "==", "!=", "<", "<=", ">", "~", "+", "-", "*", "/", "^",
    ",", ".", "..", ":", ";", "%", "#", "##", '"', "'", "\\", "@", "$", "&", "|", "?", "!", "`",
    "\0", "\t", "\n", "\r\n", "\r", "\n\n", "\ufeff", "\u2028", "\u00a0", "\u200b", "²", "√", "×",
    "·", "±", "+-", "µ", "α", "Ω", "٣", "𝛼", "é", "-1", "0", "1", "2", "64 B", "13.9 GB/s",
    "16 KiB", "22 ± 0.4 GFLOP/s", "1e400", "1e-400", "9^9^9^9", "10^12", "1.5.2", ".5", "5.",
    "1,000", "2N", "1__0", "0x10", "1e", "N", "P", "word", "log(N)", "log2(0)", "sqrt(-1)", "1/0",
    "sum(k for k in 1..3)", "sum(1 for k in 1..10^15)", "r.OI", "machine.x", "flops", "memory",
    "network", "messages", "memory.L2", "flops[dtype]", "karst", "summa(N = 4, P = 4) on karst",
    '"title"', '"./other.roof"', '"/dev/zero.roof"', "linalg.summa", "integer", "real", "boolean",
    "processes", "precision", "fp64", "[2..]", "(1+2) B", "<script>", "${x}", "{{ 7*7 }}",
    "__import__('os')", "step s", "overlap {", "repeat 3 {", "if 1 < 2 then 3 else 4",
)  # fmt: skip
EXAMPLES = Path(__file__).parents[2] / "examples"
"""Programs with what the library has little of: iterations, resources of one's own, energies."""
CHARACTERS = st.characters(exclude_categories=["Cs"])  # but halves of surrogate pairs
TOKENS = (*PIECES, *sorted(word.lower() for word in KEYWORDS))


@cache
def bundled() -> dict[str, list[bytes]]:
    """Return the bundled files, and their declarations by what they declare: quicker to check."""
    folders = resources.folder("stdlib"), resources.folder("machines"), EXAMPLES
    files = [path.read_bytes() for folder in folders for path in sorted(folder.rglob("*.roof"))]
    found = {"file": files}
    for word in ("model", "machine", "test"):
        declaration = re.compile(rb"^%s\b.*?^\}\n" % word.encode(), re.DOTALL | re.MULTILINE)
        found[word] = [match[0] for data in files for match in declaration.finditer(data)]
    return found


def _part() -> st.SearchStrategy[bytes]:
    sorts = ("model",) * 8 + ("machine",) * 4 + ("test",) * 3 + ("file",)
    return st.sampled_from(sorts).flatmap(lambda sort: st.sampled_from(bundled()[sort]))


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Return some bundled declarations, or a whole file, with up to eight changes."""
    data = bytearray(b"\n".join(draw(st.lists(_part(), min_size=1, max_size=2))))
    for _ in range(draw(st.sampled_from((1, 1, 1, 2, 3, 8)))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 40)))
        match draw(st.integers(0, 30)) % 10:
            case 0:
                data[start:start] = draw(st.sampled_from(TOKENS)).encode()
            case 1:
                data[start:end] = draw(st.sampled_from(TOKENS)).encode()
            case 2:
                del data[start:end]
            case 3:
                data[start:start] = data[start:end] * draw(st.integers(1, 3))
            case 4:
                data[start : start + 1] = draw(st.binary(min_size=1, max_size=2))
            case 5:
                target = draw(st.integers(0, len(data)))
                data[target:target] = data[start:end]
            case 6:
                data[start:end] = bytes(data[start:end]).swapcase()
            case 7:
                data[start:start] = b"\n"
            case 8:
                data[start : start + 1] = bytes([draw(st.sampled_from(b"0123456789+-*/^()"))])
            case _ if draw(st.booleans()):
                del data[start:]
    return bytes(data)


@st.composite
def soups(draw: st.DrawFn) -> str:
    """Return tokens in no order, some of them inside a declaration that is well-formed so far."""
    head, tail = draw(
        st.sampled_from(
            (
                ("", ""),
                ("model m {\n param N\n", "\n}\n"),
                ("machine m {\n memory = 1 GB/s\n", "\n}\n"),
                ("model m { flops = ", " }"),
                ("model m { let x = (", ") }"),
                ('test "t" { let r = summa(N = 4, P = 4) on karst\n expect ', " }"),
                ("function f(x) = ", "\nmodel m { flops = f(2) }"),
                ("model m { param x: ", " }"),
                ("model a { }\n", "\nmodel b { }"),
            )
        )
    )
    tokens = draw(st.lists(st.sampled_from(TOKENS), max_size=30))
    gaps = draw(st.lists(st.sampled_from((" ", " ", "", "\n")), min_size=1, max_size=4))
    inside = "".join(token + gaps[index % len(gaps)] for index, token in enumerate(tokens))
    return head + inside + tail


def texts() -> st.SearchStrategy[str]:
    """Return any text at all."""
    return st.text(CHARACTERS, max_size=60)
