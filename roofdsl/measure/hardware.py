"""What this machine is made of, as its system says it: its processor, caches and memory."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

_LONGEST = 100
"""Characters of a processor's name that are told."""
_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}


class Cache(NamedTuple):
    """A cache of data: its level, its bytes, and how many processors share it."""

    level: int
    size: int
    shared: int = 1

    def of_one(self, threads: int) -> int:
        """Return the bytes of it that one of so many threads has."""
        return self.size // max(1, min(threads, self.shared))


class Hardware(NamedTuple):
    """What a machine is made of. Sizes are bytes; what the system does not say is None."""

    processor: str
    caches: tuple[Cache, ...]
    memory: int | None
    available: int | None
    """Memory that is not in use."""
    system: str

    @property
    def last_cache(self) -> int | None:
        """The size of the largest cache."""
        return max((cache.size for cache in self.caches), default=None)


def _numbers(release: str) -> str:
    """Return the numbers that a release begins with; what follows may name whose build it is.

    >>> _numbers("6.1.0-18-cloud-amd64"), _numbers("23.1.0")
    ('6.1.0', '23.1.0')
    """
    match = re.match(r"[0-9.]*[0-9]", release)
    return match[0] if match else ""


def hardware(root: Path = Path("/")) -> Hardware:
    """Return what this machine is made of; `root` is where the system's files are."""
    system = f"{platform.system()} {_numbers(platform.release())}".strip()
    if platform.system() == "Darwin":
        return _by_sysctl(system)
    memory = _fields(root / "proc/meminfo")
    name = _fields(root / "proc/cpuinfo").get("model name") or platform.machine()
    return Hardware(
        _one_line(name),
        _caches(root / "sys/devices/system/cpu/cpu0/cache"),
        _kilobytes(memory.get("MemTotal")),
        _kilobytes(memory.get("MemAvailable")),
        system,
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST] or "unknown"


def _fields(path: Path) -> dict[str, str]:
    """Return the fields of a file of lines `name: value`, each as it stands first."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            text = file.read(100_000)
    except OSError:
        return {}
    found = dict[str, str]()
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            found.setdefault(name.strip(), value.strip())
    return found


def _kilobytes(text: str | None) -> int | None:
    match = re.fullmatch(r"(\d{1,15}) kB", text or "")
    return int(match[1]) * 1024 if match else None


def _caches(folder: Path) -> tuple[Cache, ...]:
    found = list[Cache]()
    for place in sorted(folder.glob("index*")):
        try:
            kind, level, size, sharing = (
                (place / name).read_text(encoding="ascii").strip()
                for name in ("type", "level", "size", "shared_cpu_list")
            )
        except (OSError, ValueError):
            continue
        match = re.fullmatch(r"(\d{1,9})([KMG]?)", size)
        if kind in ("Data", "Unified") and level.isdecimal() and match and int(match[1]):
            shared = sum(_counts(sharing))
            found.append(Cache(int(level), int(match[1]) * _UNITS[match[2]], max(1, shared)))
    return _ascending(found)


def _counts(listed: str) -> Iterable[int]:
    """Yield how many processors each part of a list such as `0-3,8` names."""
    for part in listed.split(","):
        if match := re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part.strip()):
            yield int(match[2] or match[1]) - int(match[1]) + 1


def _ascending(caches: Iterable[Cache]) -> tuple[Cache, ...]:
    """Return the caches by their levels, one of each, each larger than the one before."""
    kept = list[Cache]()
    for cache in sorted(caches):
        if not kept or (cache.level > kept[-1].level and cache.size > kept[-1].size):
            kept.append(cache)
    return tuple(kept)


def _by_sysctl(system: str) -> Hardware:
    names = ("machdep.cpu.brand_string", "hw.l1dcachesize", "hw.l2cachesize", "hw.memsize")
    try:
        run = subprocess.run(
            ["/usr/sbin/sysctl", *names], capture_output=True, text=True, timeout=10, check=False
        )
        text = run.stdout
    except (OSError, subprocess.SubprocessError):
        text = ""
    found = {name: value.strip() for name, _, value in (r.partition(":") for r in text.split("\n"))}
    sizes = {name: int(value) for name, value in found.items() if value.isdecimal()}
    # The second level is that of a cluster of cores.
    shared = max(1, (os.cpu_count() or 1) // 2)
    caches = [
        Cache(level, size, sharing)
        for level, name, sharing in ((1, names[1], 1), (2, names[2], shared))
        if (size := sizes.get(name, 0))
    ]
    memory = sizes.get(names[3])
    processor = _one_line(found.get(names[0]) or platform.machine())
    return Hardware(processor, _ascending(caches), memory, memory, system)
