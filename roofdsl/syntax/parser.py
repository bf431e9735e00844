"""The parser at work: a stretch of a text to what a rule of the grammar makes of it.

Nothing imports this file, and Lark with it, before there is something that is not yet parsed.
"""

from __future__ import annotations

import gc
from functools import cache
from threading import Lock

from lark import Lark, TextSlice, UnexpectedInput

from roofdsl.diagnostic import Diagnostic
from roofdsl.source import Source
from roofdsl.syntax import grammar_cache
from roofdsl.syntax.builder import Builder, Refusal
from roofdsl.syntax.tokens import StatementEnds

_LOCK = Lock()  # the parser's builder holds the source it works on


def run(source: Source, rule: str, start: int, end: int) -> object | Diagnostic:
    """Return what a rule makes of a stretch of a text, or the first thing that is wrong with it."""
    lark, builder = _parser()
    text = TextSlice(source.text, start, end)
    with _LOCK:
        builder.source = source
        collecting = gc.isenabled()
        gc.disable()  # a large file makes many nodes and no garbage: collecting costs half the time
        try:
            return lark.parse(text, start=rule)
        except (UnexpectedInput, Refusal) as error:
            from roofdsl.syntax.explain import explain  # only a mistake needs it

            return explain(error, source, text.end)
        finally:
            if collecting:
                gc.enable()
            builder.source = Source("", "")


@cache
def _parser() -> tuple[Lark, Builder]:
    builder = Builder()
    return grammar_cache.load(transformer=builder, postlex=StatementEnds()), builder
