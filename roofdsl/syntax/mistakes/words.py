"""Words and brackets in the wrong place, misspelt, or left alone."""

from __future__ import annotations

from roofdsl.diagnostic import Diagnostic, Label, did_you_mean
from roofdsl.syntax import words
from roofdsl.syntax.mistakes.expected import at_statement, form, statements, wanted
from roofdsl.syntax.situation import BRACKETS, CLOSERS, Situation, short
from roofdsl.syntax.tokens import BEFORE_A_COUNT, BEFORE_A_NAME

_BRINGS = ("import", "include", "from")
"""What begins other languages' words for `use`."""


def misplaced_word(s: Situation) -> Diagnostic | None:
    if s.kind not in words.KEYWORDS:
        return None
    word = s.place.text
    if len(s.pieces) > 1 and s.pieces[-1].kind == "LBRACE":
        before = s.pieces[-2].span
        if before.text in BEFORE_A_COUNT:
            hint = f"write how often: `{words.STATEMENT_WORDS[before.text.upper()]}`"
            return Diagnostic.at("R0110", f"this `{before.text}` has no number", before, hint=hint)
    if s.kind in ("STEP", "OVERLAP") and (braced := _misspelt_braces(s)):
        return braced
    if s.kind == "ELSE" and at_statement(s):
        hint = f"it stands behind an `if`: `{words.STATEMENT_WORDS['IF']}`"
        return Diagnostic.at("R0101", "`else` has no `if` before it", s.place, hint=hint)
    if at_statement(s):
        homes = [home for home, fitting in words.IN.items() if word in fitting and home != s.inside]
        homes = [home for home in homes if home not in words.LIKE_OTHERS] or homes
        if not homes:
            return None
        if "model" in homes:  # these stand in one
            homes = [home for home in homes if home not in ("overlap", "repeat")]
        here = "outside a declaration" if s.inside == "file" else words.HOMES[s.inside]
        if s.inside in ("block", "step"):
            here = "here"
        where = " or ".join(words.HOMES[home] for home in homes)
        return Diagnostic.at(
            "R0101", f"`{word}` cannot stand {here}", s.place, hint=f"it belongs {where}"
        )
    if s.kind == "NOT" and s.last is not None and s.last.kind == "IS":
        return s.unfit("`not` stands before all of it: `not (N is integer)`")
    if s.kind == "IF" and s.wants_value:
        hint = f"put it in parentheses: `({words.EXPRESSION_WORDS['IF']})`"
        message = "an `if` inside a formula needs parentheses"
        return Diagnostic.at("R0101", message, s.place, hint=hint)
    if s.kind in ("REPEAT", "OVERLAP") and s.last is not None and s.last.kind == "EQUAL":
        count = " 3" if s.kind == "REPEAT" else ""
        hint = f"it stands around the steps: `{word}{count} {{ step name = … }}`"
        return Diagnostic.at("R0101", f"`{word}` is no formula", s.place, hint=hint)
    # A word before a name is one itself only where what follows is a name.
    begun = s.last is not None and s.statement is None and s.last.span.text in BEFORE_A_NAME
    if "NAME" in s.expected or begun:
        return Diagnostic.at(
            "R0108",
            f"'{word}' is a word of the language and cannot be a name",
            s.place,
            hint=f"choose another name, such as `{word}_`",
        )
    begins = s.kind in words.STATEMENT_WORDS or s.kind in words.DECLARATIONS
    if begins and s.kind not in ("IF", "ELSE") and "_END" in s.expected:
        return s.unfit("a new statement begins on a new line, or after `;`")
    return None


def _misspelt_braces(s: Situation) -> Diagnostic | None:
    """Return the problem of a word before braces that hold steps."""
    if len(s.pieces) < 2 or s.pieces[-1].kind != "LBRACE" or s.inside != "block":
        return None
    word = s.pieces[-2].span
    hint = did_you_mean(word.text, ("overlap", "recompute"))
    if hint is None or s.pieces[-2].kind != "NAME":
        return None
    message = f"'{short(word.text)}' does not begin a statement"
    return Diagnostic.at("R0101", message, word, hint=hint)


def misspelt(s: Situation) -> Diagnostic | None:
    if s.kind in ("NAME", "FROM") and "MODEL" in s.expected:
        hint = did_you_mean(s.place.text, words.IN["file"])
        if s.place.text in _BRINGS:
            hint = f"another file is brought in with `{words.DECLARATIONS['USE']}`"
        message = f"'{short(s.place.text)}' does not begin a declaration"
        return Diagnostic.at("R0101", message, s.place, hint=hint or wanted(s))
    if s.last is None or s.statement is not None or "EQUAL" not in s.expected:
        return None
    name = s.last.span.text
    # Before `(` a name has become a path, which in a machine begins a rate.
    if not (name.isidentifier() and (s.kind == "LPAR" or "LBRACE" in s.expected)):
        return None
    if s.at_end or name in words.NAMES_SET.get(s.inside, ()):
        hint = f"give it a formula: `{name} = …`"
        if s.at_end:
            message = f"'{short(name)}' alone says nothing"
            return Diagnostic.at("R0110", message, s.last.span, hint=hint)
        return s.unfit(hint)
    hint = did_you_mean(name, (*words.IN[s.inside], *words.NAMES_SET.get(s.inside, ())))
    if name == "recompute":
        hint = f"it is written like `{words.STATEMENT_WORDS['RECOMPUTE']}`"
    elif s.kind == "LPAR":
        hint = f"functions are declared with `{words.DECLARATIONS['FUNCTION']}`"
    elif s.kind == "COLON" and "param" in words.IN[s.inside]:
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


def unclosed(s: Situation) -> Diagnostic | None:
    if not s.opened:
        return None
    opener = s.opened[-1]
    labels = [Label(opener.span, "opened here")]
    closer = CLOSERS[opener.kind]
    if opener.kind == "LBRACE":
        before = s.source.text[max(0, s.place.start - 1) : s.place.start]
        begins = s.kind in words.DECLARATIONS and before in ("", "\n")
        if s.kind != "$END" and not begins:
            return None
        if begins:
            labels.append(Label(s.place, "before this begins"))
    elif s.kind in CLOSERS.values() and s.kind != closer:
        if s.kind != "RBRACE":
            labels.append(Label(s.place, f"this closes a `{BRACKETS[_opener_of(s.kind)]}`"))
    elif not s.at_end:
        last = s.last.span if s.last and s.last is not opener else s.place
        begin = any(
            s.begins_line(place) and place.start > opener.span.end for place in (s.place, last)
        )
        if not begin or s.closed_later(opener):
            return None
    return Diagnostic(
        "R0102",
        f"'{BRACKETS[opener.kind]}' is never closed",
        tuple(labels),
        f"add `{BRACKETS[closer]}`",
    )


def unopened(s: Situation) -> Diagnostic | None:
    if s.kind not in CLOSERS.values():
        return None
    if s.opened and s.opened[-1].kind == _opener_of(s.kind):
        return None
    if s.kind == "RBRACE" and s.opened:
        return None
    opener = BRACKETS[_opener_of(s.kind)]
    return Diagnostic.at(
        "R0102",
        f"'{s.place.text}' closes nothing",
        s.place,
        hint=f"remove it, or open with `{opener}` before",
    )


def _opener_of(closer: str) -> str:
    return next(opener for opener, other in CLOSERS.items() if other == closer)
