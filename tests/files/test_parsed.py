"""What is kept of bundled files: never another answer than without it, whatever stands there."""

from __future__ import annotations

import marshal
import os
import re
import stat
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from roofdsl import resources
from roofdsl.source import Source
from roofdsl.syntax import parsed, parser
from roofdsl.syntax.nodes import Declaration
from roofdsl.syntax.parse import parse, parse_expression, parse_without_tests, pieces
from roofdsl.syntax.parsed import Pieces
from roofdsl.syntax.plain import Plain, declarations_of, plain
from tests.files.program import ROOT, ended, environment, home_of, run, started

BUNDLED = [
    Source(path.name, path.read_text(encoding="utf-8"), path)
    for folder in (resources.folder("stdlib"), resources.folder("machines"))
    for path in sorted(folder.rglob("*.roof"))
]
SUMMA = next(source for source in BUNDLED if source.name == "summa.roof")
EVAL = ("eval", "summa", "--machine", "karst", "-p", "N=4096", "-p", "P=121")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that files are kept in, which does not exist yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "roofdsl"


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("source", BUNDLED, ids=lambda source: source.name)
def test_pieces_are_all_the_declarations_of_a_file(source: Source) -> None:
    file = Pieces(source)
    read = [each for place in pieces(source) for each in file.read(*place) or ()]
    assert read == list(parse(source)[0])


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by where a piece begins whenever one is parsed."""
    done: list[int] = []
    run_of_parser = parser.run

    def counted(source: Source, rule: str, start: int, end: int) -> object:
        done.append(start)
        return run_of_parser(source, rule, start, end)

    monkeypatch.setattr(parser, "run", counted)
    return done


def kept_in(cache: Path) -> Path:
    (path,) = cache.glob("parsed-*")
    return path


def kinds(value: object) -> object:
    """Return a tree of nodes with the class of each: named tuples are equal to any other tuple."""
    if not isinstance(value, tuple):
        return type(value), value
    return type(value), [kinds(item) for item in value]


def without_tokens(value: object) -> object:
    """Return a tree of nodes in which tokens of the parser are the texts that they are."""
    if isinstance(value, tuple):
        parts = map(without_tokens, value)
        return type(value)._make(parts) if hasattr(value, "_make") else tuple(parts)
    return str(value) if isinstance(value, str) else value


def fresh(source: Source, start: int, end: int) -> tuple[Declaration, ...]:
    found = parser.run(source, "start", start, end)
    assert isinstance(found, tuple)
    return found


# The form


def test_plain_data_makes_the_nodes_again() -> None:
    """Of all that is bundled, tests too: each kind with all its fields, each span."""
    met = set()
    for source in BUNDLED:
        for start, end in pieces(source):
            nodes = fresh(source, start, end)
            again = declarations_of(marshal.loads(marshal.dumps(plain(nodes))), source)
            assert kinds(again) == kinds(without_tokens(nodes)), (source.name, start)
            met |= {type(node).__name__ for node in nodes}
    assert {"ModelDeclaration", "MachineDeclaration", "TestDeclaration", "UnitDeclaration"} <= met


# What is kept


def test_a_piece_is_parsed_once(cache: Path, runs: list[int]) -> None:
    first = parse_without_tests(SUMMA)
    parsed_at = list(runs)
    assert parsed_at
    assert parse_without_tests(SUMMA) == first
    assert runs == parsed_at
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert stat.S_IMODE(kept_in(cache).stat().st_mode) == 0o600


def test_pieces_join_those_that_are_kept(cache: Path, runs: list[int]) -> None:
    for start, end in pieces(SUMMA)[:4]:
        each = Pieces(SUMMA)
        found = each.read(start, end)
        each.keep()
        written = kept_in(cache).stat().st_mtime_ns
        again = Pieces(SUMMA)
        assert again.read(start, end) == found
        again.keep()
        assert kept_in(cache).stat().st_mtime_ns == written
    assert runs == [start for start, _ in pieces(SUMMA)[:4]]


def test_a_text_that_changed_is_parsed_anew(cache: Path, runs: list[int]) -> None:
    parse_without_tests(SUMMA)
    before = len(runs)
    changed = Source(SUMMA.name, SUMMA.text.replace("2*", "3*"), SUMMA.path)
    assert len(changed.text) == len(SUMMA.text)
    assert kinds(parse_without_tests(changed)) != kinds(parse_without_tests(SUMMA))
    assert len(runs) == 3 * before
    assert len(list(cache.glob("parsed-*"))) == 1


def test_code_that_changed_parses_anew(
    cache: Path, runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    parse_without_tests(SUMMA)
    before, mark = len(runs), parsed._code()
    monkeypatch.setattr(parsed, "_code", lambda: "another")
    parse_without_tests(SUMMA)
    assert len(runs) == 2 * before
    assert kept_in(cache).is_file()
    assert re.fullmatch(r"[0-9a-f]+-\d+-[0-9a-f]{8}", mark)


def test_the_mark_of_the_code_is_of_the_grammar_and_of_what_makes_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = {parsed._code()}
    grammar = (resources.folder("grammar") / "roofdsl.lark").read_text(encoding="utf-8")
    monkeypatch.setattr(resources, "folder", lambda _: tmp_path)
    syntax = Path(parsed.__file__).parent
    for number, name in enumerate(["roofdsl.lark", "builder.py", "nodes.py", "expressions.py"]):
        (tmp_path / "syntax").mkdir(exist_ok=True)
        for path in syntax.glob("*.py"):
            (tmp_path / "syntax" / path.name).write_bytes(path.read_bytes())
        (tmp_path / "roofdsl.lark").write_text(grammar, encoding="utf-8")
        changed = tmp_path / ("syntax" if number else ".") / name
        changed.write_text(changed.read_text(encoding="utf-8") + "#", encoding="utf-8")
        monkeypatch.setattr(parsed, "__file__", str(tmp_path / "syntax" / "parsed.py"))
        parsed._code.cache_clear()
        marks.add(parsed._code())
    monkeypatch.undo()
    parsed._code.cache_clear()
    assert len(marks) == 5


@pytest.mark.usefixtures("runs")
def test_a_file_of_ones_own_is_not_kept(cache: Path, tmp_path: Path) -> None:
    own = Source("summa.roof", SUMMA.text, tmp_path / "summa.roof")
    assert parse_without_tests(own)
    assert parse_without_tests(Source("a text", SUMMA.text))
    assert not list(cache.glob("parsed-*"))


# What stands in its place


def summed(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, "big") + data


def around(found: dict[int, bytes] | dict[int, int] | int) -> Callable[[bytes], bytes]:
    """Return what writes such pieces with the text and the mark that they should have."""
    return lambda _: summed(marshal.dumps((parsed._code(), SUMMA.text, found)))


def piece(data: Plain) -> Callable[[bytes], bytes]:
    return around({start: marshal.dumps(data) for start, _ in pieces(SUMMA)})


def nested(depth: int) -> Plain:
    found: Plain = []
    for _ in range(depth):
        found = [found]
    return found


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "four zeros": lambda _: bytes(4),
    "half": lambda data: data[: len(data) // 2],
    "a bit flipped": lambda data: data[:500] + bytes([data[500] ^ 1]) + data[501:],
    "text": lambda _: b"no data",
    "text, with its checksum": lambda _: summed(b"no data"),
    "half, with its checksum": lambda data: summed(data[4 : len(data) // 2]),
    "a number": lambda _: summed(marshal.dumps(5)),
    "a pair": lambda _: summed(marshal.dumps((1, 2))),
    "no pieces": around(3),
    "pieces that are numbers": around({start: 7 for start, _ in pieces(SUMMA)}),
    "pieces cut short": around({start: b"[\xff\xff" for start, _ in pieces(SUMMA)}),
    "a kind that is none": piece([(999, 0, 1)]),
    "a kind that is a text": piece([("a", 0, 1)]),
    "a node without a span": piece([(3,)]),
    "a node of other fields": piece([(3, 0, 1, "a", "b", "c", "d", "e", "f")]),
    "a nest": piece(nested(1500)),
    "of another version": lambda _: summed(marshal.dumps(("0", SUMMA.text, {0: b"N"}))),
    "of another text": lambda _: summed(marshal.dumps((parsed._code(), "", {0: b"N"}))),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_what_is_damaged_is_parsed_anew(
    damage: Callable[[bytes], bytes], cache: Path, runs: list[int]
) -> None:
    whole = parse_without_tests(SUMMA)
    before = len(runs)
    path = kept_in(cache)
    saved = path.read_bytes()
    path.write_bytes(damage(saved))
    assert kinds(without_tokens(parse_without_tests(SUMMA))) == kinds(without_tokens(whole))
    assert len(runs) == 2 * before
    assert path.read_bytes() == saved


@pytest.mark.skipif(os.name != "posix", reason="permissions as on POSIX")
def test_what_others_could_write_is_not_read(cache: Path, runs: list[int]) -> None:
    parse_without_tests(SUMMA)
    before = len(runs)
    kept_in(cache).chmod(0o622)
    parse_without_tests(SUMMA)
    assert len(runs) == 2 * before
    assert stat.S_IMODE(kept_in(cache).stat().st_mode) == 0o600


# Commands


def test_commands_answer_alike_with_and_without(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    nowhere = run(EVAL, here, HOME="")
    assert nowhere.code == 0
    assert [run(EVAL, here) for _ in range(2)] == [nowhere] * 2
    folder = home_of(here) / ".cache" / "roofdsl"
    assert len(list(folder.glob("parsed-*"))) == 2
    for path in folder.iterdir():
        path.write_bytes(b"damaged")
    assert run(EVAL, here) == nowhere


def test_commands_at_once_write_whole_files(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    surroundings = environment(home_of(here))
    at_once = [started(EVAL, here, surroundings) for _ in range(3)]
    answers = [ended(process) for process in at_once]
    assert len(set(answers)) == 1
    assert answers[0].code == 0
    assert run(EVAL, here) == answers[0]
    names = [path.name for path in (home_of(here) / ".cache" / "roofdsl").iterdir()]
    assert sorted(name.partition("-")[0] for name in names) == ["grammar", "parsed", "parsed"]


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_survived(cache: Path) -> None:
    cache.mkdir()
    cache.chmod(0o500)
    assert parse_without_tests(SUMMA) == parse_without_tests(SUMMA)
    assert not list(cache.iterdir())


def test_a_bundled_file_that_is_changed_is_seen(tmp_path: Path) -> None:
    """As in an editable installation, whose library is a folder that people write in."""
    copy, here = tmp_path / "copy", tmp_path / "here"
    for folder in (copy / "roofdsl", copy / "stdlib", here):
        folder.mkdir(parents=True)
    for path in [*(ROOT / "roofdsl").iterdir(), ROOT / "grammar", ROOT / "machines"]:
        (copy / path.relative_to(ROOT)).symlink_to(path)
    (copy / "roofdsl" / "resources.py").unlink()  # it finds the library beside itself
    for name in ("roofdsl/resources.py", "pyproject.toml"):
        (copy / name).write_bytes((ROOT / name).read_bytes())
    model = copy / "stdlib" / "summa.roof"
    answers = []
    for text in (SUMMA.text, SUMMA.text.replace("2*", "3*"), SUMMA.text):
        model.write_text(text, encoding="utf-8")
        answers.append(run(EVAL, here, PYTHONPATH=str(copy)))
    assert answers[0] != answers[1]
    assert answers[0] == answers[2] == run(EVAL, here)
    assert answers[0].code == 0


# Numbers


@given(st.from_regex(r"[0-9]{1,9}(\.[0-9]{1,9})?([eE][+-]?[0-9]{1,3})?", fullmatch=True))
@example("007")
@example("1e999")
@example("٣")
@example("1_000")
@example("2 ")
@example("1.")
def test_a_plain_number_is_read_as_the_grammar_reads_it(digits: str) -> None:
    source = Source("the value of N", f"N = {digits}", begin=4)
    whole = parser.run(source, "single", 4, len(source.text))
    assert kinds(parse_expression(source)) == kinds(without_tokens(whole))
