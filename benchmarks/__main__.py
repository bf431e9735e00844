"""Measure everything against its bars, or only what is named: `python -m benchmarks sweeps`.

Ends with 1 where a bar is missed, and says which.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

NAMES = (
    "commands",
    "sweeps",
    "networks",
    "solver",
    "verdicts",
    "maps",
    "large",
    "explorer",
    "library_report",
    "measure",
)


def main() -> int:
    names = sys.argv[1:] or NAMES
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        print(f"there is no benchmark '{unknown[0]}'; there are {', '.join(NAMES)}")
        return 2
    if len(names) > 1:  # the peak of memory counts that of the process that started another
        commands = [[sys.executable, "-m", "benchmarks", name] for name in names]
        return max(subprocess.run(command, check=False).returncode for command in commands)
    (name,) = names
    print(f"{name}:", flush=True)
    missed = []
    for figure in import_module(f"benchmarks.{name}").figures():
        print(f"  {figure}", flush=True)
        if figure.missed:
            missed.append(figure.title)
    for title in missed:
        print(f"missed: {name}: {title}")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
