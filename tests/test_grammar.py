"""The grammar has no conflict, and its saved tables parse as fresh ones do."""

from __future__ import annotations

import functools
import os
import pickle
import stat
import zlib
from collections.abc import Callable
from pathlib import Path

import lark
import pytest

from roofdsl import resources
from roofdsl.source import Source
from roofdsl.syntax import grammar_cache, kept
from roofdsl.syntax.builder import Builder
from roofdsl.syntax.tokens import StatementEnds

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
    """Return a parser that comes from no cache, built once for all these tests."""
    return BUILD(GRAMMAR, transformer=BUILDER, postlex=StatementEnds())


def load() -> lark.Lark:
    return grammar_cache.load(transformer=BUILDER, postlex=StatementEnds())


def saved(cache: Path) -> Path:
    (path,) = cache.iterdir()
    return path


# Conflicts


def test_the_grammar_has_no_conflict() -> None:
    grammar_cache.build(GRAMMAR, postlex=StatementEnds(), strict=True)


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
        grammar_cache.build(grammar, postlex=StatementEnds(), strict=True)


# Saved tables


@pytest.mark.usefixtures("cache")
def test_saved_tables_parse_as_fresh_ones(builds: list[str]) -> None:
    load()
    from_cache = load()
    assert len(builds) == 1
    assert from_cache is not fresh()
    assert len(BUNDLED) > 5
    for source in BUNDLED:
        BUILDER.source = source
        tree: object = fresh().parse(source.text, start="start")
        assert tree
        assert from_cache.parse(source.text, start="start") == tree  # spans too


def test_tables_are_built_once(cache: Path, builds: list[str]) -> None:
    for _ in range(3):
        load()
    assert len(builds) == 1
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert stat.S_IMODE(saved(cache).stat().st_mode) == 0o600


def summed(tables: bytes) -> bytes:
    """Return what stands in a file for tables, whatever they are."""
    return zlib.crc32(tables).to_bytes(4, "big") + tables


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "four zeros": lambda _: bytes(4),
    "five zeros": lambda _: bytes(5),
    "a page of zeros": lambda data: bytes(len(data)),
    "no tables, with their checksum": lambda _: summed(b""),
    "another pickle, with its checksum": lambda _: summed(pickle.dumps({"parser": None})),
    "no pickle, with its checksum": lambda _: summed(b"not a pickle"),
    "half of the tables, with their checksum": lambda data: summed(data[4 : len(data) // 2]),
    "20 bytes": lambda data: data[:20],
    "half": lambda data: data[: len(data) // 2],
    "one byte short": lambda data: data[:-1],
    "a bit flipped": lambda data: data[:500] + bytes([data[500] ^ 1]) + data[501:],
    "another pickle": lambda _: b"\x80\x04N.",
    "text": lambda _: b"not a pickle",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_tables_are_built_anew(
    damage: Callable[[bytes], bytes], cache: Path, builds: list[str]
) -> None:
    load()
    path = saved(cache)
    path.write_bytes(damage(path.read_bytes()))
    assert load().parse("", start="start") == ()
    assert len(builds) == 2
    load()
    assert len(builds) == 2


def test_tables_cut_short_anywhere_are_seen(cache: Path, builds: list[str]) -> None:
    load()
    path = saved(cache)
    whole = path.read_bytes()
    assert kept.read(path) == whole[4:]
    for length in [*range(300), *range(300, len(whole), 97), len(whole) - 1]:
        path.write_bytes(whole[:length])
        assert kept.read(path) is None, length
    for place in range(0, len(whole), 211):
        path.write_bytes(
            whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :]
        )
        assert kept.read(path) is None, place
    assert len(builds) == 1


IN_ITS_PLACE: dict[str, Callable[[Path], object]] = {
    "a folder": Path.mkdir,
    "a FIFO": os.mkfifo,
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to nothing": lambda path: path.symlink_to("nothing"),
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.mark.skipif(os.name != "posix", reason="files as on POSIX")
@pytest.mark.parametrize("what", IN_ITS_PLACE)
def test_what_is_no_file_in_its_place_is_survived(
    what: str, cache: Path, builds: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    load()
    path = saved(cache)
    path.unlink()
    IN_ITS_PLACE[what](path)
    for _ in range(2):
        assert load().parse("", start="start") == ()
    # All but a folder gives way to the tables.
    assert len(builds) == (3 if what == "a folder" else 2)
    assert capfd.readouterr() == ("", "")
    assert list(cache.iterdir()) == [path]


def test_tables_that_others_could_write_are_replaced(cache: Path, builds: list[str]) -> None:
    load()
    saved(cache).chmod(0o622)
    for _ in range(2):
        load()
    assert len(builds) == 2
    assert stat.S_IMODE(saved(cache).stat().st_mode) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_somebody_elses_tables_are_not_trusted(cache: Path, builds: list[str]) -> None:
    load()
    os.chown(saved(cache), 12345, -1)
    load()
    assert len(builds) == 2
    os.chown(cache, 12345, -1)
    load()
    assert len(builds) == 3


def test_tables_of_another_grammar_are_left_alone(
    cache: Path, monkeypatch: pytest.MonkeyPatch, builds: list[str]
) -> None:
    load()
    monkeypatch.setattr(lark, "__version__", "0.0.0")
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
        assert load().parse("", start="start") == ()
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


@pytest.mark.parametrize(
    "home", [None, "", "relative", ".", "~", "/", "/nowhere/at/all", "x" * 5000]
)
@pytest.mark.parametrize("base", [None, "", "relative", "./here", "~/there", "/"])
def test_without_a_home_no_folder_is_made(
    home: str | None,
    base: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    builds: list[str],
) -> None:
    for name, value in (("HOME", home), ("XDG_CACHE_HOME", base)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    before = sorted(Path("/").iterdir())
    load()
    assert len(builds) == 1
    assert list(tmp_path.iterdir()) == []
    assert sorted(Path("/").iterdir()) == before


@pytest.mark.parametrize("base", [None, "relative"])
def test_a_home_keeps_the_tables(
    base: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, builds: list[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if base is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", base)
    for _ in range(2):
        load()
    assert len(builds) == 1
    assert saved(tmp_path / ".cache" / "roofdsl").is_file()


def test_nothing_half_written_is_left_behind(
    cache: Path, monkeypatch: pytest.MonkeyPatch, builds: list[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "replace", full)
    load()
    assert len(builds) == 1
    assert not list(cache.iterdir())
