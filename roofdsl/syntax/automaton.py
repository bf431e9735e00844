"""Run the grammar's tables over a text: tokens are shifted, and rules reduced to nodes (LALR(1)).

Lark makes the tables of the grammar, see `grammar_cache`. They are run without Lark: to
load it takes a fifth of a short command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

from roofdsl.syntax.tokens import Token, with_ends

_Make: TypeAlias = Callable[[list[object]], object]
NAME, END = "NAME", "$END"


class Rule(NamedTuple):
    """A rule of the grammar: what it makes of how many symbols, and who builds the node of it.

    `kept`: the places of the symbols whose values the builder is given, whether what is in a value
    is given in its place, and how many that are absent, None, come before it; `absent` come last.
    All values are given as they are where `kept` is None. Where `single`, one value stands for the
    node. Without a `builder` the values stand in the rule around it, where they are kept.
    """

    made: str
    size: int
    builder: str | None
    single: bool
    kept: tuple[tuple[int, bool, int], ...] | None
    absent: int


class Tables(NamedTuple):
    """A grammar as tables.

    `pattern` has a group for each kind of token, `words` are the names that are tokens of their
    own. Of each state, what to do at a kind of token, or after a rule made something: go to a
    state, or below 0, reduce the rule of the inverted number. `begins` and `ends` are the states
    before and after what can be read.
    """

    pattern: str
    ignored: tuple[str, ...]
    words: dict[str, str]
    rules: tuple[Rule, ...]
    states: tuple[dict[str, int], ...]
    begins: dict[str, int]
    ends: dict[str, int]


class Unreadable(Exception):
    """Raised for a character at which no token begins."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


class Unfit(Exception):
    """Raised for a token that does not fit; `expected` would, after the `values` read so far."""

    def __init__(self, token: Token, expected: frozenset[str], values: Sequence[object]) -> None:
        super().__init__(token)
        self.token, self.expected, self.values = token, expected, values


class Automaton:
    """The tables of a grammar with a builder, whose methods are named as the rules."""

    def __init__(self, tables: Tables, builder: object) -> None:
        self._match = re.compile(tables.pattern).match
        self._ignored = frozenset(tables.ignored)
        self._words = tables.words
        self._states = tables.states
        self._begins, self._ends = tables.begins, tables.ends
        self._rules = [(each.made, each.size, _maker(each, builder)) for each in tables.rules]

    def read(self, text: str, start: int, end: int, what: str) -> object:
        """Return what the builder makes of a part of a text that is to be read as `what`.

        Raises Unreadable or Unfit where it cannot be, and what the builder raises.
        """
        states, rules, goal = self._states, self._rules, self._ends[what]
        path, values = [self._begins[what]], list[object]()
        tokens = with_ends(self._tokens(text, start, end))
        for token in chain(tokens, (Token("", END, end, end),)):
            kind = token.kind
            while True:
                step = states[path[-1]].get(kind)
                if step is None:
                    raise Unfit(token, self._expected(path, goal), values)
                if step >= 0:
                    path.append(step)
                    values.append(token)
                    break
                made, size, make = rules[~step]
                below = len(values) - size
                value = make(values[below:])
                del values[below:], path[below + 1 :]
                values.append(value)
                path.append(states[path[-1]][made])
                if kind == END and path[-1] == goal:
                    return value
        raise AssertionError("the end is shifted nowhere")

    def _tokens(self, text: str, start: int, end: int) -> Iterator[Token]:
        match, ignored, words, place = self._match, self._ignored, self._words, start
        while place < end:
            found = match(text, place, end)
            if found is None:
                raise Unreadable(place)
            kind, stop = found.lastgroup, found.end()
            assert kind is not None
            if kind not in ignored:
                piece = text[place:stop]
                yield Token(piece, words.get(piece, NAME) if kind == NAME else kind, place, stop)
            place = stop

    def _expected(self, path: Sequence[int], goal: int) -> frozenset[str]:
        """Return the kinds of token that would fit here."""
        known = [kind for kind in self._states[path[-1]] if kind.isupper()]
        return frozenset([kind for kind in known if self._fits(kind, path, goal)] or known)

    def _fits(self, kind: str, path: Sequence[int], goal: int) -> bool:
        """Whether a token can be shifted, or may end it all, after what is reduced before it."""
        path = [*path]
        while (step := self._states[path[-1]].get(kind)) is not None:
            if step >= 0:
                return True
            made, size, _ = self._rules[~step]
            del path[len(path) - size :]
            path.append(self._states[path[-1]][made])
            if kind == END and path[-1] == goal:
                return True
        return False


def _maker(rule: Rule, builder: object) -> _Make:
    """Return what makes a rule's node, or the values that stand for it, of those of its symbols."""
    build: _Make | None = None
    if rule.builder is not None and (hasattr(builder, rule.builder) or not rule.single):
        build = getattr(builder, rule.builder)  # a rule with one symbol alone needs none
    kept, absent, single = rule.kept, [None] * rule.absent, rule.single

    def made(values: list[object]) -> object:
        if kept is not None:
            given: list[object] = []
            for place, opened, before in kept:
                value = values[place]
                given += [None] * before
                if opened:
                    assert isinstance(value, list)
                    if given:
                        given += value
                    else:
                        given = value  # nobody else holds it: what is long is not copied each time
                else:
                    given.append(value)
            values = given
        values += absent
        if single and len(values) == 1:
            return values[0]
        return values if build is None else build(values)

    return made
