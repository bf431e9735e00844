"""Answers as YAML, in blocks that people can read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from roofdsl.answer.answer import Valued
from roofdsl.answer.plain import Json
from roofdsl.inert import escaped

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.*/()+-]*(?: [A-Za-z0-9_.*/()+-]+)*")
_RESERVED = re.compile(r"(?i:true|false|yes|no|on|off|null|y|n|inf|nan)")


def written(answer: Valued) -> str:
    """Return an answer as YAML in SI base units; infinite is "inf", undefined is null."""
    return "\n".join(_lines(answer.values()))


def _lines(value: Json) -> Iterator[str]:
    """Yield the lines of a value, those inside it further to the right."""
    match value:
        case dict() if value:
            for key, item in value.items():
                if isinstance(item, dict | list) and item:
                    yield f"{_text(key)}:"
                    yield from (f"  {line}" for line in _lines(item))
                else:
                    yield f"{_text(key)}: {_scalar(item)}"
        case list() if value:
            for item in value:
                first, *others = _lines(item)
                yield f"- {first}"
                yield from (f"  {line}" for line in others)
        case _:
            yield _scalar(value)


def _scalar(value: Json) -> str:
    match value:
        case str():
            return _text(value)
        case float():
            shown = repr(value)
            # Readers of YAML 1.1 take a number without a point, 1e-05, for a text.
            return shown if "." in shown else shown.replace("e", ".0e")
    return json.dumps(value)


def _text(text: str) -> str:
    """Return a text as it is where no reader can take it for anything else, or in quotes.

    >>> [_text(each) for each in ("memory.DRAM", "no", "1e3", "a: b", "2*N^3", "π")]
    ['memory.DRAM', '"no"', '"1e3"', '"a: b"', '"2*N^3"', '"π"']
    """
    if _PLAIN.fullmatch(text) and not _RESERVED.fullmatch(text):
        return text
    return escaped(json.dumps(text, ensure_ascii=False))
