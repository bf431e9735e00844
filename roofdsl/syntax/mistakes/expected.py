"""What would have fitted where the parser gave up."""

from __future__ import annotations

import re

from roofdsl.source import Span
from roofdsl.syntax import words
from roofdsl.syntax.situation import LONGEST_SHOWN, Situation

_QUOTE = "[\"'‘’“”`]?"
_FILE = re.compile(rf"[ \t]*(?P<quote>{_QUOTE})(?P<name>[\w./]*\w){_QUOTE}(?![\w\"])")
"""What stands behind `use`: a path, or names joined by dots or slashes."""

_READING = "`step a = model(N = 4) from b in place`"
_INVERSE = re.compile(r"1[ \t]*/[ \t]*([^\W\d]\w*)(?![\w^/*])")


def at_statement(s: Situation) -> bool:
    return bool(s.expected & {"LET", "DEFAULT", "MODEL", "STEP"})


def wanted(s: Situation) -> str | None:
    if s.kind == "FROM" and s.last is not None and s.last.kind == "RBRACE":
        return f"a step reads by name where it is a call: {_READING}"
    if at_statement(s):
        return statements(s)
    if s.opened and s.opened[-1].kind == "LSQB":
        return "bounds are written with two dots: `[2..5]`, `[2..]` or `[..5]`"
    if (
        s.last
        and s.last.kind == "COLON"
        and (inverse := _INVERSE.match(s.source.text, s.place.start))
    ):
        return f"a unit begins with its name: `{inverse[1]}^-1`"
    summed = s.innermost("SUM", ended_by="RPAR")
    if summed and s.opened and s.opened[-1].span.start == summed.span.end:
        return f"a sum is written like `{words.EXPRESSION_WORDS['SUM']}`"
    if s.kind == "STRING":
        return (
            "texts stand only after `source`, `test`, `use`, `from`, `fails`, `printed` and `read`"
        )
    if s.wants_value and s.last and s.last.kind in (*words.STATEMENT_WORDS, "KEEPING"):
        return form(s)
    if s.wants_value:
        return "a value is expected: a number, a name, or an expression in parentheses"
    if s.kind == "LSQB":
        param = s.statement is not None and s.statement.kind == "PARAM"
        return (
            "bounds follow the kind: `param N: integer[2..]`" if param else "there are no indices"
        )
    if s.kind == "IF":
        return f"an `if` stands at the beginning: `{words.EXPRESSION_WORDS['IF']}`"
    if "LBRACE" in s.expected and s.kind in words.STATEMENT_WORDS:
        return form(s)
    if s.kind == "COMMA" and s.statement is not None and "_END" in s.expected:
        return f"each name needs a `{s.statement.span.text}` of its own"
    if not s.expected & {"STAR", "SIGN"} and (written := form(s)):
        return written
    if {"_END", "EQUAL"} <= s.expected:
        return "`=` and a formula, or the end of the statement, are expected"
    if "_END" in s.expected:
        return "an operator or the end of the statement is expected"
    return "`=` and a formula are expected" if "EQUAL" in s.expected else None


def form(s: Situation) -> str | None:
    """Return how the word at hand is written: the one just read, else that of the statement."""
    forms = {**words.DECLARATIONS, **words.STATEMENT_WORDS, **words.EXPRESSION_WORDS}
    if s.statement is not None and s.statement.kind in ("IF", "ELSE"):
        forms |= words.STATEMENT_WORDS
    if s.statement is not None and s.statement.kind == "USE" and (meant := used(s.statement.span)):
        return meant
    if (
        s.statement is not None
        and s.statement.kind == "STEP"
        and "from"
        in (
            s.place.text,
            s.last.span.text if s.last else "",
        )
    ):
        return f"what a step reads stands behind its call: {_READING}"
    if s.last is not None and s.last.kind == "IN" and s.statement is not None:
        return "a result that takes the place of what is read is made `in place`"
    for piece in (s.last, s.statement):
        if piece is not None and piece.kind in forms:
            return f"`{piece.span.text}` is written like `{forms[piece.kind]}`"
    return None


def used(word: Span) -> str | None:
    """Return how the file is used that stands in another way behind the word `use`."""
    found = _FILE.match(word.source.text, word.end)
    if found is None:
        return None
    if found["name"].endswith(".roof"):
        name = found["name"].rpartition("/")[2].removesuffix(".roof")
        path = found["name"] if "/" in found["name"] else f"./{found['name']}"
        return f'a file of your own is used under a name: `use "{path}" as {name}`'
    if found["name"].isidentifier() and not found["quote"]:
        return None
    dotted = found["name"].replace("/", ".")
    return f"a file of the library is named without quotes, with dots: `use {dotted}`"


def statements(s: Situation) -> str:
    quoted = [f"`{word}`" for word in words.IN[s.inside]]
    if s.inside == "file":
        return f"a file holds declarations: {', '.join(quoted)}"
    if s.inside == "block":
        return f"a block holds `name = formula` and {quoted[0]}"
    where = words.HOMES[s.inside].removeprefix("in ").partition(" of its")[0]
    if s.inside in words.NAMES_SET:
        return f"{where} holds {', '.join(quoted)}, and formulas such as `flops = …`"
    return f"{where} holds {', '.join(quoted[:-1])} and {quoted[-1]}"


def shown(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN and "\n" not in text else "…"
