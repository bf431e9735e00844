"""What a system's files say of the machine; what they do not say is not guessed."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from roofdsl.measure.bandwidth import between, stream_size, windows
from roofdsl.measure.hardware import Cache, Hardware, hardware


def put(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def cache(index: int, kind: str, level: int, size: str, shared: str) -> dict[str, str]:
    folder = f"sys/devices/system/cpu/cpu0/cache/index{index}"
    named = {"type": kind, "level": str(level), "size": size, "shared_cpu_list": shared}
    return {f"{folder}/{name}": f"{text}\n" for name, text in named.items()}


@pytest.fixture(autouse=True)
def linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "release", lambda: "6.1")


def test_processor_caches_and_memory_are_read(tmp_path: Path) -> None:
    files = {
        "proc/cpuinfo": "processor\t: 0\nmodel name\t: Some   CPU @ 2 GHz\nmodel name : other\n",
        "proc/meminfo": "MemTotal:  16384 kB\nMemFree: 1 kB\nMemAvailable:    8192 kB\n",
        **cache(0, "Data", 1, "32K", "0,8"),
        **cache(1, "Instruction", 1, "32K", "0,8"),
        **cache(2, "Unified", 2, "1024K", "0,8"),
        **cache(3, "Unified", 3, "32M", "0-7,8-15"),
    }
    assert hardware(put(tmp_path, files)) == Hardware(
        "Some CPU @ 2 GHz",
        (Cache(1, 32 << 10, 2), Cache(2, 1 << 20, 2), Cache(3, 32 << 20, 16)),
        16 << 20,
        8 << 20,
        "Linux 6.1",
    )


def test_what_is_not_there_or_odd_is_not_known(tmp_path: Path) -> None:
    assert hardware(tmp_path) == Hardware(platform.machine(), (), None, None, "Linux 6.1")
    files = {
        "proc/cpuinfo": "model name : \n",
        "proc/meminfo": "MemTotal: lots\n",
        **cache(0, "Data", 1, "0K", "0"),
        **cache(1, "Unified", 2, "1024 K", "0"),
        **cache(2, "Unified", 3, "512K", "x"),
        **cache(3, "Unified", 4, "256K", "0"),
    }
    found = hardware(put(tmp_path, files))
    assert found.caches == (Cache(3, 512 << 10, 1),), "each larger than the one before"
    assert (found.processor, found.memory) == (platform.machine(), None)


def test_working_sets_lie_within_their_cache_and_beyond_the_one_before() -> None:
    caches = (Cache(1, 32 << 10, 2), Cache(2, 1 << 20, 2), Cache(3, 32 << 20, 16))
    for threads in (1, 2, 8, 64):
        before = 0
        for each, within in zip(caches, windows(caches, threads), strict=True):
            own = each.size // min(threads, each.shared)
            if within is not None:
                sets = between(within, 5)
                assert sets == sorted(sets)
                assert 2 * before <= sets[0]
                assert sets[-1] <= own / 2
            before = max(before, own)
    assert windows(caches, 64)[2] is None, "2 MiB of each, and 512 KiB before it"


def test_arrays_are_as_large_as_stream_asks_and_fit() -> None:
    machine = Hardware("p", (Cache(3, 100 << 20, 8),), None, 64 << 30, "Linux")
    assert stream_size(machine).caches == pytest.approx(4, rel=1e-6)
    assert stream_size(machine._replace(caches=())).size >= 80_000_000
    small = stream_size(machine._replace(available=1 << 30))
    assert 3 * small.size <= (1 << 30) / 4
    assert stream_size(machine, most=1 << 20).size == 1 << 20
