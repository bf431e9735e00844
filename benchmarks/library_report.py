"""The report of the whole library on three machines.

Its size, what a browser says of it, what LaTeX says of it; the last two where Chromium and TeX are
installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.ratios import ROOFDSL, Figure, run

MACHINES = ("karst", "blue_waters_xe", "a100_sxm_80gb")
ENGINES = ("pdflatex", "lualatex")
COMPLAINTS = ("! ", "LaTeX Error", "not found", "undefined", "multiply defined", "Missing char")


def figures() -> Iterator[Figure]:
    with TemporaryDirectory(prefix="roofdsl-bench-") as name:
        page, document = (Path(name, f"library.{ending}") for ending in ("html", "tex"))
        machines = [word for machine in MACHINES for word in ("-m", machine)]
        for path in (page, document):
            run([ROOFDSL, "report", "--library", *machines, "-o", str(path)])
        yield Figure("report of the library: MB of the page", page.stat().st_size / 1e6, 10)
        problems = _in_browser(page)
        yield Figure("report of the library: problems in a browser", len(problems), 0)
        for engine in ENGINES:
            found = _compiled(engine, document)
            problems += found
            yield Figure(f"report of the library: complaints of {engine}", len(found), 0)
    for problem in problems:
        print(f"    {problem}")


def _in_browser(page: Path) -> list[str]:
    from tests.explorer.browser import CHROMIUM, Browser

    if CHROMIUM is None:
        print("  not opened: chromium is not installed")
        return []
    from tests.report.opened import opened

    browser = Browser()
    try:
        return list(opened(browser, page).problems())
    finally:
        browser.close()


def _compiled(engine: str, path: Path) -> list[str]:
    if shutil.which(engine) is None:
        print(f"  not compiled: {engine} is not installed")
        return []
    for _ in range(2):
        result = subprocess.run(
            [engine, "-no-shell-escape", "-interaction=nonstopmode", path.name],
            cwd=path.parent,
            env={**os.environ, "openin_any": "p", "openout_any": "p", "max_print_line": "1000"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=False,
        )
    log = path.with_suffix(".log").read_text(encoding="utf-8", errors="replace")
    said = [line for line in log.splitlines() if any(word in line for word in COMPLAINTS)]
    return said[:5] + ([f"{engine} ended with {result.returncode}"] if result.returncode else [])
