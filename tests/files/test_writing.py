"""Parts: files that are being written beside those whose places they take."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from roofdsl.diagnostic import RoofError
from roofdsl.writing import check_targets, write_together, write_whole
from tests.files.program import ROOT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links and locks as on POSIX")
SOMEBODY = 12345
PART = ".roofdsl-0123456789abcdef.part"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def given_to_somebody_else(link: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a link another user's, which root can do; others become somebody else themselves."""
    if os.geteuid() == 0:
        os.lchown(link, SOMEBODY, SOMEBODY)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: SOMEBODY)


# Links


def test_a_link_planted_under_an_earlier_name_of_parts_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine", encoding="utf-8")
    (tmp_path / f".a.csv.{os.getpid()}.part").symlink_to(precious)
    write_whole(tmp_path / "a.csv", b"new")
    assert precious.read_text(encoding="utf-8") == "mine"


def test_a_link_in_place_of_a_part_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "urandom", bytes)  # the name is known, and taken
    precious = tmp_path / "precious"
    precious.write_text("mine", encoding="utf-8")
    (tmp_path / f".roofdsl-{'0' * 16}.part").symlink_to(precious)
    with pytest.raises(RoofError):
        write_whole(tmp_path / "a.csv", b"new")
    assert precious.read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "a.csv").exists()


def test_names_of_parts_cannot_be_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def replace(self: Path, _: Path) -> None:
        seen.append(self.name)

    monkeypatch.setattr(Path, "replace", replace)
    for _ in range(20):
        write_whole(tmp_path / "a.csv", b"new")
    assert len(set(seen)) == 20
    assert names(tmp_path) == []


def test_another_users_link_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    precious, link = tmp_path / "precious", tmp_path / "a.csv"
    precious.write_text("mine", encoding="utf-8")
    link.symlink_to(precious)
    given_to_somebody_else(link, monkeypatch)
    with pytest.raises(RoofError, match="it is a link of another user's"):
        write_whole(link, b"new")
    with pytest.raises(RoofError, match="it is a link of another user's"):
        check_targets({"-o": link})
    assert precious.read_text(encoding="utf-8") == "mine"
    assert names(tmp_path) == ["a.csv", "precious"]


def test_another_users_folder_is_not_written_to_by_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is one that we make: that of a report's figures."""
    (tmp_path / "precious").mkdir()
    (tmp_path / "f").symlink_to("precious")
    given_to_somebody_else(tmp_path / "f", monkeypatch)
    with pytest.raises(RoofError, match="it is a link of another user's"):
        write_together({tmp_path / "f" / "a.svg": b"new"}, tmp_path / "f")
    assert names(tmp_path / "precious") == []


def test_ones_own_links_are_followed_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.csv").symlink_to("../c.csv")
    (tmp_path / "a.csv").symlink_to("deep/b.csv")
    write_whole(tmp_path / "a.csv", b"new")
    assert (tmp_path / "c.csv").read_bytes() == b"new"
    assert (tmp_path / "a.csv").is_symlink() and (tmp_path / "deep" / "b.csv").is_symlink()


def test_a_link_to_itself_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").symlink_to("a.csv")
    with pytest.raises(RoofError, match="too many levels"):
        write_whole(tmp_path / "a.csv", b"new")


# Modes and names


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_mode_that_new_files_have(mask: int, tmp_path: Path) -> None:
    before = os.umask(mask)
    try:
        write_whole(tmp_path / "a.csv", b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.csv").stat().st_mode) == 0o666 & ~mask


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o666, 0o200])
def test_a_part_is_never_more_open_than_its_target(
    mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"old")
    path.chmod(mode)
    seen: list[int] = []
    opened = os.open

    def noted(name: Path, flags: int, wanted: int = 0o777) -> int:
        if str(name).endswith(".part"):
            seen.append(wanted)
        return opened(name, flags, wanted)

    monkeypatch.setattr(os, "open", noted)
    write_whole(path, b"new")
    assert seen == [mode]
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"old")
    path.chmod(0o400)
    with pytest.raises(RoofError, match="permission denied"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("name", ["ü" * 120, "😀" * 60, "a b\nc.csv", "-", "~", "a:b.csv"])
def test_any_name_that_a_file_may_have_will_do(name: str, tmp_path: Path) -> None:
    write_whole(tmp_path / name, b"new")
    write_whole(tmp_path / name, b"newer")
    assert (tmp_path / name).read_bytes() == b"newer"
    assert names(tmp_path) == [name]


# Together


def failing(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_where_one_cannot_be_written_none_is_changed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"old")
    with pytest.raises(RoofError, match=r"nowhere/b\.csv"):
        write_together({tmp_path / "a.csv": b"new", tmp_path / "nowhere" / "b.csv": b"new"})
    assert (tmp_path / "a.csv").read_bytes() == b"old"
    assert names(tmp_path) == ["a.csv"]


def test_a_folder_made_for_nothing_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(RoofError, match="no space left"):
        write_together({tmp_path / "f" / "a.csv": b"new"}, tmp_path / "f")
    assert names(tmp_path) == []


def test_bytes_are_on_the_disk_before_names_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    synced, replaced = os.fsync, Path.replace

    def sync(handle: int) -> None:
        done.append("sync")
        synced(handle)

    def replace(part: Path, target: Path) -> None:
        done.append("name")
        replaced(part, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", replace)
    write_together({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert done == ["sync", "sync", "name", "name", "sync"]  # the last of the folder


def hard_link(path: Path, other: Path) -> None:
    path.touch()
    other.hardlink_to(path)


SAME: dict[str, Callable[[Path, Path], object]] = {
    "another spelling": lambda _, __: None,
    "a link": lambda path, other: other.symlink_to(path),
    "a hard link": hard_link,
    "a link to what is not there": lambda path, other: other.symlink_to(path.name),
}


@pytest.mark.parametrize("way", SAME)
def test_two_names_of_one_file_are_one(way: str, tmp_path: Path) -> None:
    path, other = tmp_path / "z.html", tmp_path / "other.html"
    SAME[way](path, other)
    if way == "another spelling":
        other = tmp_path / "." / ".." / tmp_path.name / "z.html"
    with pytest.raises(RoofError, match="asked for by -o and by --bib"):
        check_targets({"-o": path, "--bib": other})
    if path.exists():
        with pytest.raises(RoofError, match="read by this command"):
            check_targets({"-o": path}, [other])


def test_two_outputs_may_go_nowhere() -> None:
    check_targets({"-o": Path("/dev/null"), "--bib": Path("/dev/null")})


# Stale parts


def test_a_part_of_a_killed_process_goes_at_the_next_write(tmp_path: Path) -> None:
    """The process is killed while it holds a part, which is then nobody's."""
    code = (
        "import os, signal; from pathlib import Path; from roofdsl.writing import write_whole\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_whole(Path('a.csv'), b'new')"
    )
    killed = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    (left,) = names(tmp_path)
    assert left.startswith(".roofdsl-") and left.endswith(".part")
    write_whole(tmp_path / "b.csv", b"new")
    assert names(tmp_path) == ["b.csv"]


def test_a_part_in_use_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one file is written, another is, into the same folder: both come to be."""
    synced = os.fsync

    def meanwhile(handle: int) -> None:
        monkeypatch.setattr(os, "fsync", synced)
        write_whole(tmp_path / "b.csv", b"other")
        synced(handle)

    monkeypatch.setattr(os, "fsync", meanwhile)
    write_whole(tmp_path / "a.csv", b"new")
    assert names(tmp_path) == ["a.csv", "b.csv"]


@pytest.mark.parametrize("already", [True, False])
def test_a_part_taken_for_a_stale_one_is_written_again(
    already: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process locks it after it is made and before its writer does, and removes it."""
    locked = fcntl.flock
    others: list[int] = []

    def late(handle: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", locked)
        (part,) = tmp_path.glob(".roofdsl-*.part")
        if already:
            part.unlink()
        else:
            others.append(os.open(part, os.O_WRONLY))
            locked(others[0], fcntl.LOCK_EX)
        locked(handle, how)

    monkeypatch.setattr(fcntl, "flock", late)
    write_whole(tmp_path / "a.csv", b"new")
    for handle in others:
        os.close(handle)
    assert (tmp_path / "a.csv").read_bytes() == b"new"
    assert names(tmp_path) == ["a.csv"]


def test_a_file_system_without_locks_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", none)
    write_whole(tmp_path / "a.csv", b"new")
    assert names(tmp_path) == ["a.csv"]


OTHERS: dict[str, Callable[[Path], object]] = {
    ".a.csv.part": Path.touch,
    ".roofdsl-x.part": Path.touch,
    ".roofdsl-0123456789abcdef.partial": Path.touch,
    PART: lambda path: path.symlink_to("precious"),
    f"{PART[:-6]}0.part": os.mkfifo,
    f"{PART[:-6]}1.part": Path.mkdir,
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_part_of_ours_stays(name: str, tmp_path: Path) -> None:
    (tmp_path / "precious").touch()
    OTHERS[name](tmp_path / name)
    write_whole(tmp_path / "a.csv", b"new")
    assert names(tmp_path) == sorted([name, "a.csv", "precious"])


def test_another_users_part_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / PART).touch()
    given_to_somebody_else(tmp_path / PART, monkeypatch)
    write_whole(tmp_path / "a.csv", b"new")
    assert PART in names(tmp_path)


def test_many_at_once_on_one_target(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    texts = [bytes([65 + place]) * 100_000 for place in range(8)]

    def write(text: bytes) -> None:
        for _ in range(10):
            write_whole(path, text)

    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    seen = set()
    while any(thread.is_alive() for thread in threads):
        if path.exists():
            seen.add(path.read_bytes())
    assert seen <= set(texts)
    assert names(tmp_path) == ["a.csv"]
