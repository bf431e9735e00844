"""Files in the language from bundled ones: spliced, tokens changed, look-alikes, odd numbers."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from tests.fuzz.choices import Seeded
from tests.fuzz.constructs import with_constructs
from tests.fuzz.mutations import TOKENS, bundled
from tests.fuzz.programs import Programs

NUMBERS = (
    "0", "1", "2", "3", "-1", "0.5", "1e-9", "1e9", "10^18", "1e18", "9007199254740991",
    "9007199254740993", "1000000000000000001", "1e300", "1e308", "1e-308", "1e-320", "1e309",
    "1e400", "1e-400", "2^1000", "(1/3)", "1e399", "0.1", "1/0", "-1e308", "4.9e-324", "64",
    "123456789012345678901234567890", "9" * 60, "9" * 400, "9" * 4400, "0." + "0" * 400 + "1",
    "0.30000000000000004", "1_000", "1e22", "1e23", "22 ± 30", "1 ± 1e-300", "2^53", "(2^53+1)",
)  # fmt: skip
MILD = (
    "2", "3", "0.5", "64", "1000", "1e9", "1e-9", "10^18", "1e300", "1e308", "1e-308", "1e-320",
    "2^53", "9007199254740993", "(1/3)", "0.1", "1e22", "-1", "0", "1e400", "1e-400", "-0.5",
    "(2/3)", "1.5", "123456789012345678901234567890", "7", "1e6",
)  # fmt: skip
"""Numbers that fit wherever a number fits."""
LOOK_ALIKES = {
    "a": "аɑａ", "e": "еｅ", "o": "оοｏ0", "p": "рｐ", "c": "сｃ", "x": "х×ｘ", "N": "ΝＮ",
    "P": "РΡ",
    "B": "ВΒ", "M": "МΜ", "K": "КΚ", "i": "іıｉ", "s": "ѕｓ", "l": "ӏ1I", "m": "ｍ", "f": "ſｆ",
    "0": "０O٠", "1": "１l١", "2": "２²٢", "4": "４⁴٤", "8": "８۸", "-": "−–‐", "*": "∗×·⋅",
    "/": "∕⁄÷", "=": "＝≈", '"': "“”＂″", ".": "․。٫", ",": "‚，٬", "(": "（", ")": "）",
    " ": "\u00a0\u2003\u3000\u200b", "{": "｛", "}": "｝", "+": "＋±", "^": "ˆ＾",
    "\n": "\u2028\u0085\x0b\r", "<": "≤‹", ">": "≥›",
}  # fmt: skip
UNSEEN = (
    "\u0301", "\u20d7", "\u202e", "\u202c", "\u2066", "\u200f", "\u200b", "\u200d", "\ufeff",
    "\u2060", "\u00ad", "\x1b[31m", "\x1b]0;x\x07", "\x9b", "\x07", "\x08", "\r", "\0",
    "\U0001f600", "\ufffd", "\ufffe", "\U000e0041", "\x7f", "\u0338",
)  # fmt: skip
FORMS = (  # of a value V, a name ~n and a number ~k
    "V", "V*~k", "V/~k", "V^~k", "V + V", "V - V", "V*~n", "V/(~n - ~k)", "V*~k^~n", "V*~n^~n",
    "ceil(V)", "floor(V)", "sqrt(V)", "V*log2(~n)", "V*exp(~n)", "V*ln(~k*~n)", "abs(V)",
    "min(V, V*~n)", "max(V, ~k*V)", "V*sum(i^~k for i in 1..~n)", "V*sum(1/i for i in 1..~n)",
    "sum(V for i in 1..~k)", "V*sum(~k^i for i in 0..~n)", "if ~n < ~k then V else V*~n",
    "if ~n is integer then V else 0*V", "V*ceil(~n/~k)", "V*floor(sqrt(~n))",
    "V*sum(ceil(i/~k) for i in 1..~n)", "V*log(~n, ~k)", "V/0",
    "V*sum(sum(j for j in 1..i) for i in 1..~n)", "V^(1/~k)", "-V", "V*(~n - ~k)^2",
    "V/(~n - ~k)^2", "V*~k^(~k*~n)", "V*exp(exp(~n))", "V*(~n^~k)^~n", "V*log2(log2(log2(~n)))",
    "V*(1 - ~n/~k)",
)  # fmt: skip
CONDITIONS = (
    "sqrt(N) is integer", "N > 1/N", "N/7 is integer and N^2 < 10^12", "log2(N) is integer",
    "N^N > 2", "2^N is integer", "sum(i for i in 1..N) > 10", "N is integer", "1e300^N > 0",
    "exp(N) > N^99",
)  # fmt: skip
LARGE = 6000
"""Characters, above which a file is seldom taken."""
_VALUE = re.compile(r"^[^#\n=<>]*=[ \t]*([^\n#;{}\"]+?)[ \t]*(?:[#;}]|$)", re.MULTILINE)
_NAME = re.compile(r"\bparam[ \t]+(\w+)")
_TOKEN = re.compile(r'"[^"\n]*"|#[^\n]*|[^\W\d]\w*|\d[\w.]*|\n|[ \t]+|.', re.DOTALL)
_BLOCK = re.compile(r"^([ \t]*)[a-z][^\n{}]*\{[^\n}]*\n.*?^\1\}[^\n]*\n", re.MULTILINE | re.DOTALL)
_DECLARATION = re.compile(r"^[ \t]*(model|mix|machine)[ \t]+(\w+)", re.MULTILINE)
_PARAMETER = re.compile(
    r"^[ \t{;]*param[ \t]+(\w+)[ \t]*(?::[ \t]*(\w+))?([^\n=#;]*)(=?)", re.MULTILINE
)


class Parameter(NamedTuple):
    """What is seen of a parameter in a text: enough to give it a value."""

    name: str
    kind: str
    has_default: bool


class Defined(NamedTuple):
    """What is seen of a text's definitions: parameters by model, and machines."""

    models: dict[str, tuple[Parameter, ...]]
    machines: tuple[str, ...]


def defined(text: str) -> Defined:
    """Return what a text defines, right or not, without reading it as the language."""
    heads = [*_DECLARATION.finditer(text)]
    ends = [*[head.start() for head in heads[1:]], len(text)][: len(heads)]
    models, machines = {}, []
    for head, end in zip(heads, ends, strict=True):
        sort, name = head.groups()
        if sort == "machine":
            machines.append(name)
            continue
        found = _PARAMETER.findall(text, head.end(), end)
        models[name] = tuple(Parameter(name, kind, bool(equals)) for name, kind, _, equals in found)
    return Defined(models, tuple(machines))


@cache
def texts(sort: str) -> list[str]:
    """Return bundled declarations of a sort: `model`, `machine`, `test`, or whole files."""
    return [data.decode("utf-8") for data in bundled()[sort]]


@cache
def statements() -> list[str]:
    """Return the lines of the bundled declarations, and blocks of several."""
    declared = [text for sort in ("model", "machine", "test") for text in texts(sort)]
    lines = {line + "\n" for text in declared for line in text.splitlines() if line[:1] in " \t"}
    blocks = {match[0] for text in declared for match in _BLOCK.finditer(text)}
    return sorted(lines | {block for block in blocks if len(block) < 1500})


def roof_file(choices: Seeded, *, rough: bool = True) -> str:
    """Return a bundled or random program, changed; unless `rough`, in what it means, mostly."""
    match choices.below(10):
        case 0:
            text = Programs(choices, slips=rough).program()
        case 1 | 2 | 3 if not rough:
            text = small_model(choices)
        case 1 | 2 | 3 | 4 | 5 if rough:
            sorts = ["model", *choices.some(("model", "machine", "test"), 2)]
            text = "\n".join(choices.pick(texts(sort)) for sort in sorts)
        case _:
            text = choices.pick(texts("file"))
            while len(text) > LARGE and choices.chance(90):
                text = choices.pick(texts("file"))
    if choices.chance(50):
        text = with_constructs(choices, text)
    for _ in range(choices.below(5) if rough else choices.below(3)):
        text = changed(choices, text, rough=rough)
    return text


def machine_file(choices: Seeded, *, rough: bool) -> str:
    """Return a bundled machine, changed."""
    text = choices.pick(texts("machine"))
    if choices.chance(30):
        text = _priced(choices, text)
    if choices.chance(40):
        text = with_constructs(choices, text)
    for _ in range(choices.below(3)):
        text = changed(choices, text, rough=rough)
    return text


def _priced(choices: Seeded, text: str) -> str:
    """Return a machine that states something of energy and money."""
    stated = (
        "power = 18 W",
        "price = 0.03 euro/h",
        "energy flops = 0.7 nJ/flop",
        "energy { memory = 1.1 nJ/B; network = 0 J/B }",
        "energy messages = 2 uJ/message",
    )
    lines = "\n".join(choices.some(stated, 4))
    head, brace, rest = text.partition("{")
    return f"unit euro\n{head}{brace}\n{lines}\n{rest}"


def small_model(choices: Seeded) -> str:
    """Return a model of few parameters whose work is formulas that are hard to compute."""
    names = ["N", *choices.some(("P", "x", "word"), 2)]
    kinds = {"N": "integer[1..]", "P": "processes", "x": "real", "word": "real = 8"}
    lines = [f"    param {name}: {kinds[name]}" for name in names]
    for resource in ("flops", *choices.some(("memory", "network", "messages"), 2)):
        value = choices.pick(("N", "N^3", "2*N^2", "N/2", "10^9", "N*log2(N)", *names))
        lines.append(f"    {resource} = {_nested(choices, value, names)}")
    if choices.chance(20):
        lines.insert(1, f"    require {choices.pick(CONDITIONS)}")
    return "model m {\n" + "\n".join(lines) + "\n}\n"


def changed(choices: Seeded, text: str, *, rough: bool = True) -> str:
    """Return a text with one change."""
    if not rough and choices.chance(88):
        return choices.pick((_number, _formula, _formula))(choices, text)
    change = choices.pick((_spliced, _spliced, _tokens, _tokens, _number, _formula, _look_alike))
    return change(choices, text)


def _spliced(choices: Seeded, text: str) -> str:
    """Put a statement or a block where a line begins, or in the place of a line."""
    lines = text.splitlines(keepends=True) or ["\n"]
    place = choices.below(len(lines))
    lines[place : place + choices.below(2)] = [choices.pick(statements())]
    return "".join(lines)


def _tokens(choices: Seeded, text: str) -> str:
    """Delete, double, exchange or replace tokens."""
    tokens = _TOKEN.findall(text) or [""]
    place, other = choices.below(len(tokens)), choices.below(len(tokens))
    end = place + 1 + choices.below(3)
    match choices.below(6):
        case 0:
            del tokens[place:end]
        case 1:
            tokens[place:place] = tokens[place:end]
        case 2:
            tokens[place], tokens[other] = tokens[other], tokens[place]
        case 3:
            tokens[place] = tokens[other]
        case 4:
            tokens[place] = choices.pick(TOKENS)
        case _:
            tokens[place:end] = tokens[place:end] * choices.pick((2, 3, 40, 300))
    return "".join(tokens)


def _number(choices: Seeded, text: str) -> str:
    """Replace a number, or a name where there is none, by one at the edge."""
    tokens = _TOKEN.findall(text) or [""]
    places = [place for place, token in enumerate(tokens) if token[:1].isdigit()]
    names = [place for place, token in enumerate(tokens) if token[:1].isalpha()]
    place = choices.pick(places or names or [0])
    tokens[place] = odd_number(choices)
    return "".join(tokens)


def _formula(choices: Seeded, text: str) -> str:
    """Replace what stands behind a `=` by a formula of the names there, or put it into one."""
    places = [match.span(1) for match in _VALUE.finditer(text)]
    if not places:
        return _number(choices, text)
    start, end = choices.pick(places)
    names = _NAME.findall(text) or ["1"]
    return text[:start] + _nested(choices, text[start:end], names) + text[end:]


def _nested(choices: Seeded, value: str, names: list[str]) -> str:
    """Return a formula around a value."""
    form = choices.pick(FORMS)
    for _ in range(choices.pick((0, 0, 0, 1, 1, 2))):
        form = form.replace("V", choices.pick(FORMS), 1)
    while "~n" in form:
        form = form.replace("~n", choices.pick(names), 1)
    while "~k" in form:
        number = choices.pick(MILD) if choices.chance(90) else odd_number(choices)
        form = form.replace("~k", number, 1)
    return form.replace("V", f"({value})")


def odd_number(choices: Seeded) -> str:
    return choices.pick(NUMBERS)


def _look_alike(choices: Seeded, text: str) -> str:
    return disguised(choices, text, 1 + choices.below(3))


def disguised(choices: Seeded, text: str, count: int = 1) -> str:
    """Return a text with some characters replaced by look-alikes, or with unseen ones put in."""
    for _ in range(count):
        place = choices.below(len(text) + 1)
        if text[place : place + 1] in LOOK_ALIKES and choices.chance(60):
            text = text[:place] + choices.pick(LOOK_ALIKES[text[place]]) + text[place + 1 :]
        else:
            text = text[:place] + choices.pick(UNSEEN) + text[place:]
    return text
