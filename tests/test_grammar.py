"""The grammar has no conflict, and its tables are run as Lark runs them, saved or fresh."""

from __future__ import annotations

import functools
import os
import random
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import lark
import pytest

from roofdsl import resources
from roofdsl.source import Source
from roofdsl.syntax import grammar_cache
from roofdsl.syntax.automaton import Automaton, Unfit, Unreadable
from roofdsl.syntax.builder import Builder, Refusal
from roofdsl.syntax.tokens import Token, with_ends

GRAMMAR = (resources.folder("grammar") / "roofdsl.lark").read_text(encoding="utf-8")
BUNDLED = [
    Source(path.name, path.read_text(encoding="utf-8"))
    for folder in (resources.folder("stdlib"), resources.folder("machines"))
    for path in sorted(folder.rglob("*.roof"))
]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the tables are saved in, which does not exist yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "roofdsl"


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows by one entry whenever the tables are built."""
    done: list[str] = []

    def counted(grammar: str, **_: object) -> lark.Lark:
        done.append(grammar)
        return fresh()

    monkeypatch.setattr(grammar_cache, "build", counted)
    return done


BUILDER = Builder()
BUILD = grammar_cache.build


@functools.cache
def fresh() -> lark.Lark:
    """Return what comes from no cache, built once for all these tests."""
    return BUILD(GRAMMAR)


def load() -> Automaton:
    return Automaton(grammar_cache.load(), BUILDER)


def read(automaton: Automaton, text: str) -> object:
    return automaton.read(text, 0, len(text), "start")


def saved(cache: Path) -> Path:
    (path,) = cache.iterdir()
    return path


# Conflicts


def test_the_grammar_has_no_conflict() -> None:
    grammar_cache.build(GRAMMAR, strict=True)


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("?sum:         product (SIGN product)*", "?sum: sum SIGN sum | product"),
        ("| NAME                      -> name\n", "| NAME -> name\n | WORD -> name\n"),
    ],
    ids=["two ways to read a - b - c", "two terminals for one word"],
)
def test_a_conflict_would_be_found(written: str, instead: str) -> None:
    assert written in GRAMMAR
    grammar = GRAMMAR.replace(written, instead) + "\nWORD: /[a-z]+/\n"
    with pytest.raises((lark.GrammarError, lark.LexError), match=r"conflict|Collision"):
        grammar_cache.build(grammar, strict=True)


# Lark itself, with our token filter and builder


class LarkToken(Token):
    """A token of ours with what Lark asks of one."""

    __slots__ = ()
    line = column = end_line = end_column = 0

    @property
    def type(self) -> str:
        return self.kind

    @property
    def start_pos(self) -> int:
        return self.start

    @property
    def end_pos(self) -> int:
        return self.end


class Filter:
    always_accept = ("_NEWLINE",)

    def process(self, stream: Iterator[lark.Token]) -> Iterator[LarkToken]:
        ours = (Token(x, x.type, x.start_pos or 0, x.end_pos or 0) for x in stream)
        return (LarkToken(x, x.kind, x.start, x.end) for x in with_ends(ours))


@functools.cache
def by_lark() -> lark.Lark:
    return lark.Lark(
        GRAMMAR,
        parser="lalr",
        lexer="basic",
        start=["start", "single"],
        transformer=BUILDER,
        postlex=Filter(),
        maybe_placeholders=True,
    )


@pytest.mark.usefixtures("cache")
def test_tables_saved_or_fresh_are_run_as_lark_runs_them(builds: list[str]) -> None:
    made, saved = load(), load()
    assert len(builds) == 1
    assert len(BUNDLED) > 5
    for source in BUNDLED:
        BUILDER.source = source
        tree: object = by_lark().parse(source.text, start="start")
        assert tree
        assert read(made, source.text) == read(saved, source.text) == tree  # spans too


@pytest.mark.usefixtures("cache")
def test_a_mistake_is_met_where_lark_meets_it() -> None:
    automaton, some, met = load(), random.Random("mistakes"), set[str]()
    signs = ["(", ")", "{", "}", "=", "1 B", "model", "then", "\n", ",", "..", "^", "?", "if", ""]
    for number in range(400):
        source = BUNDLED[number % len(BUNDLED)]
        BUILDER.source = source
        start, end = sorted(some.choices(range(len(source.text)), k=2))
        end = min(end, start + some.randrange(200))
        whole = source.text[: end + 400]
        text = whole[:start] + some.choice(signs) + (whole[end:] if some.random() < 0.7 else "")
        theirs, ours = _mistake_by_lark(text), _mistake(automaton, text)
        assert ours == theirs, text
        met.add(ours[0])
    assert met == {"none", "unreadable", "unfit"}


def _mistake(automaton: Automaton, text: str) -> tuple[str, object, object, object]:
    try:
        read(automaton, text)
    except Unreadable as error:
        return "unreadable", error.place, None, None
    except Unfit as error:
        place = () if error.token.kind == "$END" else (error.token.start, error.token.end)
        return "unfit", (error.token.kind, *place), error.expected, _shown(error.values)
    except Refusal as error:
        return "refused", error.diagnostic, None, None
    return "none", None, None, None


def _mistake_by_lark(text: str) -> tuple[str, object, object, object]:
    try:
        by_lark().parse(text, start="start")
    except lark.UnexpectedCharacters as error:
        return "unreadable", error.pos_in_stream, None, None
    except lark.UnexpectedToken as error:
        token = error.token
        place = () if token.type == "$END" else (token.start_pos, token.end_pos)
        values = error.interactive_parser.parser_state.value_stack
        expected = frozenset(error.accepts or error.expected)
        return "unfit", (token.type, *place), expected, _shown(values)
    except Refusal as error:
        return "refused", error.diagnostic, None, None
    return "none", None, None, None


def _shown(values: object) -> str:
    """Return what was read so far, without the trees that Lark makes of rules in rules."""
    assert isinstance(values, list)
    return repr([each for each in values if not isinstance(each, list | lark.Tree)])


# Saved tables


def test_tables_are_built_once(cache: Path, builds: list[str]) -> None:
    for _ in range(3):
        load()
    assert len(builds) == 1
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert stat.S_IMODE(saved(cache).stat().st_mode) == 0o600


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "20 bytes": lambda data: data[:20],
    "half": lambda data: data[: len(data) // 2],
    "one byte short": lambda data: data[:-1],
    "a bit flipped": lambda data: data[:500] + bytes([data[500] ^ 1]) + data[501:],
    "other tables": lambda _: b"\0\0\0\0N",
    "text": lambda _: b"no tables",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_tables_are_built_anew(
    damage: Callable[[bytes], bytes], cache: Path, builds: list[str]
) -> None:
    load()
    path = saved(cache)
    path.write_bytes(damage(path.read_bytes()))
    assert read(load(), "") == ()
    assert len(builds) == 2
    load()
    assert len(builds) == 2


def test_tables_of_another_grammar_are_left_alone(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, builds: list[str]
) -> None:
    load()
    (tmp_path / "roofdsl.lark").write_text(f"{GRAMMAR}// another\n", encoding="utf-8")
    monkeypatch.setattr(resources, "folder", lambda _: tmp_path)
    load()
    assert len(builds) == 2
    assert len(list(cache.iterdir())) == 2


# Folders that cannot be used


@pytest.mark.skipif(os.name != "posix", reason="permissions as on POSIX")
@pytest.mark.parametrize("mode", [0o770, 0o777, 0o702])
def test_a_folder_others_can_write_to_is_not_trusted(
    mode: int, cache: Path, builds: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    load()
    cache.chmod(mode)
    load()
    assert len(builds) == 2
    assert capfd.readouterr() == ("", "")
    cache.chmod(0o700)
    saved(cache).chmod(0o622)
    load()
    assert len(builds) == 3


@pytest.mark.parametrize("base", ["a file", "x" * 5000], ids=["a file", "too long"])
def test_a_folder_that_cannot_be_made_is_survived(
    base: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    builds: list[str],
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "a file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / base))
    for _ in range(2):
        assert read(load(), "") == ()
    assert len(builds) == 2
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_survived(cache: Path, builds: list[str]) -> None:
    cache.mkdir()
    cache.chmod(0o500)
    load()
    load()
    assert len(builds) == 2
    assert not list(cache.iterdir())


def test_no_home_folder_is_survived(monkeypatch: pytest.MonkeyPatch, builds: list[str]) -> None:
    def none() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setenv("XDG_CACHE_HOME", "relative/folder")
    monkeypatch.setattr(Path, "home", none)
    load()
    assert len(builds) == 1


def test_nothing_half_written_is_left_behind(
    cache: Path, monkeypatch: pytest.MonkeyPatch, builds: list[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "replace", full)
    load()
    assert len(builds) == 1
    assert not list(cache.iterdir())
