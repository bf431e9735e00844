"""Words in the wrong place, misspelt, or left alone."""

from __future__ import annotations

from roofdsl.diagnostic import Diagnostic, Label, did_you_mean
from roofdsl.syntax.mistakes.expected import at_statement, form, short, statements, wanted
from roofdsl.syntax.situation import Situation
from roofdsl.syntax.words import (
    DECLARATIONS,
    EXPRESSION_WORDS,
    HOMES,
    IN,
    KEYWORDS,
    NAMES_SET,
    STATEMENT_WORDS,
)


def misplaced_word(s: Situation) -> Diagnostic | None:
    if s.kind not in KEYWORDS:
        return None
    word = s.place.text
    if at_statement(s):
        homes = [home for home, words in IN.items() if word in words and home != s.inside]
        if not homes:
            return None
        here = "outside a declaration" if s.inside == "file" else HOMES[s.inside]
        if s.inside in ("block", "step"):
            here = "here"
        where = " or ".join(HOMES[home] for home in homes)
        return Diagnostic.at(
            "R0101", f"`{word}` cannot stand {here}", s.place, hint=f"it belongs {where}"
        )
    if s.kind == "NOT" and s.last is not None and s.last.kind == "IS":
        hint = "`not` stands before all of it: `not (N is integer)`"
        return Diagnostic.at("R0101", "'not' does not fit here", s.place, hint=hint)
    if s.kind == "IF" and s.wants_value:
        hint = f"put it in parentheses: `({EXPRESSION_WORDS['IF']})`"
        message = "an `if` inside a formula needs parentheses"
        return Diagnostic.at("R0101", message, s.place, hint=hint)
    if s.kind in ("REPEAT", "OVERLAP") and s.last is not None and s.last.kind == "EQUAL":
        count = " 3" if s.kind == "REPEAT" else ""
        hint = f"it stands around the steps: `{word}{count} {{ step name = … }}`"
        return Diagnostic.at("R0101", f"`{word}` is no formula", s.place, hint=hint)
    if "NAME" in s.expected:
        return Diagnostic.at(
            "R0108",
            f"'{word}' is a word of the language and cannot be a name",
            s.place,
            hint=f"choose another name, such as `{word}_`",
        )
    if (s.kind in STATEMENT_WORDS or s.kind in DECLARATIONS) and "_END" in s.expected:
        return Diagnostic.at(
            "R0101",
            f"'{word}' does not fit here",
            s.place,
            hint="a new statement begins on a new line, or after `;`",
        )
    return None


def misspelt(s: Situation) -> Diagnostic | None:
    if s.kind == "NAME" and "MODEL" in s.expected:
        hint = did_you_mean(s.place.text, IN["file"])
        message = f"'{short(s.place.text)}' does not begin a declaration"
        return Diagnostic.at("R0101", message, s.place, hint=hint or wanted(s))
    if s.last is None or s.last.kind != "NAME" or not {"EQUAL", "LBRACE"} <= s.expected:
        return None
    name = s.last.span.text
    if s.at_end or name in NAMES_SET.get(s.inside, ()):
        hint = f"give it a formula: `{name} = …`"
        if s.at_end:
            message = f"'{short(name)}' alone says nothing"
            return Diagnostic.at("R0110", message, s.last.span, hint=hint)
        message = f"'{short(s.place.text)}' does not fit here"
        return Diagnostic.at("R0101", message, s.place, hint=hint)
    hint = did_you_mean(name, (*IN[s.inside], *NAMES_SET.get(s.inside, ())))
    if s.kind == "LPAR":
        hint = f"functions are declared with `{DECLARATIONS['FUNCTION']}`"
    elif s.kind == "COLON" and "param" in IN[s.inside]:
        hint = f"a parameter is declared with `param {short(name)}: …`"
    return Diagnostic.at(
        "R0101",
        f"'{short(name)}' does not begin a statement",
        s.last.span,
        hint=hint or statements(s),
    )


def ended(s: Situation) -> Diagnostic | None:
    if not s.at_end:
        return None
    if s.last is None:
        return Diagnostic.at("R0110", "a value is missing", s.place, hint=wanted(s))
    if s.statement is None:
        message = "the statement ends too early"
        return Diagnostic.at("R0110", message, s.last.span, hint=wanted(s))
    return Diagnostic.at(
        "R0110",
        f"this `{s.statement.span.text}` is not complete",
        Label(s.last.span, "something is missing after this"),
        hint=form(s),
    )
