"""Make tables of the grammar once, and keep them in the user's cache folder.

Only Lark, which makes them, is slow: a fifth of a second. The folder is private to the user (mode
0700); where it cannot be written, the tables are made anew each time.
"""

from __future__ import annotations

import marshal
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from roofdsl import resources
from roofdsl.syntax.automaton import NAME, Rule, Tables

if TYPE_CHECKING:
    from lark import Lark, Token
    from lark.grammar import Rule as LarkRule

_CHECKSUM = 4  # bytes at the head of the file: they tell tables that were damaged or cut short


def load() -> Tables:
    """Return the tables, from the cache when it holds those of this very grammar."""
    grammar = (resources.folder("grammar") / "roofdsl.lark").read_text(encoding="utf-8")
    path = _cache_path(grammar)
    cached = _read(path)
    if cached is not None:
        pattern, ignored, words, rules, *others = marshal.loads(cached)
        return Tables(pattern, ignored, words, tuple(Rule(*each) for each in rules), *others)
    tables = tables_of(build(grammar))
    _write(path, marshal.dumps((*tables[:3], [tuple(each) for each in tables.rules], *tables[4:])))
    return tables


class _Newlines:
    """Has Lark keep the newlines, which no rule names: the token filter makes ends of them."""

    always_accept = ("_NEWLINE",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return stream


def build(grammar: str, *, strict: bool = False) -> Lark:
    """Have Lark read the grammar; `strict` refuses any conflict in it, and needs `interegular`."""
    from lark import Lark  # only where there are no tables yet

    return Lark(
        grammar,
        parser="lalr",
        lexer="basic",
        start=["start", "single"],
        postlex=_Newlines(),
        maybe_placeholders=True,
        strict=strict,
    )


def tables_of(lark: Lark) -> Tables:
    """Return the tables that Lark made, which it keeps to itself but for its rules."""
    from lark.parsers.lalr_analysis import Shift

    lexer, made = lark.parser.lexer.lexer, lark.parser.parser._parse_table
    groups = [f"(?P<{each.name}>{each.pattern.to_regexp()})" for each in lexer.scanner.terminals]
    words = {each.pattern.value: str(each.name) for each in lexer.callback[NAME].scanner.terminals}
    numbers = {rule: number for number, rule in enumerate(lark.rules)}
    states = [
        {
            str(kind): arg if action is Shift else ~numbers[arg]
            for kind, (action, arg) in row.items()
        }
        for _, row in sorted(made.states.items())
    ]
    return Tables(
        "|".join(groups),
        tuple(map(str, lark.ignore_tokens)),
        words,
        tuple(_rule(rule) for rule in lark.rules),
        tuple(states),
        dict(made.start_states),
        dict(made.end_states),
    )


def _rule(rule: LarkRule) -> Rule:
    """Return a rule as Lark means it: what it gives to the builder of all that it matched."""
    from lark.grammar import Terminal

    # Signs in quotes are left out, and what is in rules whose names begin with _ is given itself.
    lost = rule.options.empty_indices or [False] * len(rule.expansion)
    absent = [len(run) for run in "".join("-+"[each] for each in lost).split("-")]
    kept, before = [], 0
    for place, symbol in enumerate(rule.expansion):
        before += absent[place]
        if not (isinstance(symbol, Terminal) and symbol.filter_out):
            kept.append((place, not symbol.is_term and symbol.name.startswith("_"), before))
            before = 0
    name = str(rule.alias or rule.origin.name)
    as_it_is = [(place, False, 0) for place in range(len(rule.expansion))]
    return Rule(
        str(rule.origin.name),
        len(rule.expansion),
        None if name.startswith("_") else name,
        bool(rule.options.expand1 and not rule.alias),
        None if kept == as_it_is else tuple(kept),
        before + absent[-1],
    )


def _cache_path(grammar: str) -> Path | None:
    base = os.environ.get("XDG_CACHE_HOME") or ""
    try:
        folder = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    except RuntimeError:  # no home folder
        return None
    # A checksum tells one grammar from the next, and how its tables are made and written; it guards
    # against nothing: the folder does.
    made = f"{sys.version_info[:3]} {Path(__file__).read_text(encoding='utf-8')}"
    checksum = zlib.crc32(f"{made}\n{grammar}".encode())
    return folder / "roofdsl" / f"grammar-{checksum:08x}-{len(grammar)}.tables"


def _read(path: Path | None) -> bytes | None:
    """Return the tables in a file, None where there are none or they are not what was written."""
    if path is None:
        return None
    try:
        if os.name == "posix":
            for place in (path, path.parent):
                status = place.stat()
                if status.st_uid != os.getuid() or status.st_mode & 0o022:
                    return None  # somebody else could have written it
        data = path.read_bytes()
    except OSError:
        return None
    tables = data[_CHECKSUM:]
    return tables if data[:_CHECKSUM] == _checksum(tables) else None


def _checksum(tables: bytes) -> bytes:
    return zlib.crc32(tables).to_bytes(_CHECKSUM, "big")


def _write(path: Path | None, tables: bytes) -> None:
    if path is None:
        return
    import tempfile  # only the first run of all writes

    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(tables) + tables)
            Path(temporary).replace(path)
        except OSError:
            Path(temporary).unlink()
    except OSError:
        return
