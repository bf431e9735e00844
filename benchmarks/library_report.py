"""The report of the whole library on three machines: `-m benchmarks.library_report`.

Its size, how long it takes, whether a browser opens it without a word, whether LaTeX sets it; the
last two where Chromium and TeX are installed. Ends with 1 where something is wrong.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.commands import ROOFDSL

MACHINES = ("karst", "blue_waters_xe", "a100_sxm_80gb")
LARGEST = 10_000_000  # bytes
ENGINES = ("pdflatex", "lualatex")
COMPLAINTS = ("! ", "LaTeX Error", "not found", "undefined", "multiply defined", "Missing char")


def main() -> int:
    wrong: list[str] = []
    with TemporaryDirectory(prefix="roofdsl-bench-") as name:
        folder = Path(name)
        page = _made(folder, "html")
        size = page.stat().st_size
        print(f"  {size / 1e6:.2f} MB, at most {LARGEST / 1e6:.0f}")
        if size >= LARGEST:
            wrong.append("the page is too large")
        wrong += _opened(page)
        document = _made(folder, "tex")
        for engine in ENGINES:
            wrong += _compiled(engine, document)
    for each in wrong:
        print(f"WRONG: {each}")
    return int(bool(wrong))


def _made(folder: Path, ending: str) -> Path:
    machines = [word for name in MACHINES for word in ("-m", name)]
    path = folder / f"library.{ending}"
    start = perf_counter()
    command = [ROOFDSL, "report", "--library", *machines, "-o", str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    print(f"library report, {ending}: {perf_counter() - start:.0f} s")
    return path


def _opened(page: Path) -> list[str]:
    from tests.explorer.browser import CHROMIUM, Browser

    if CHROMIUM is None:
        print("  not opened: chromium is not installed")
        return []
    from tests.report.test_html import opened

    browser = Browser()
    try:
        start = perf_counter()
        report = opened(browser, page)
        formulas = report.run("document.querySelectorAll('math').length")
        problems = report.problems()
        print(f"  opened in {perf_counter() - start:.1f} s: {formulas} formulas")
        return [f"in the browser: {problem}" for problem in problems]
    finally:
        browser.close()


def _compiled(engine: str, path: Path) -> list[str]:
    if shutil.which(engine) is None:
        print(f"  not compiled: {engine} is not installed")
        return []
    start = perf_counter()
    for _ in range(2):
        result = subprocess.run(
            [engine, "-no-shell-escape", "-interaction=nonstopmode", path.name],
            cwd=path.parent,
            env={**os.environ, "openin_any": "p", "openout_any": "p", "max_print_line": "1000"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=False,
        )
    print(f"  {engine}, twice: {perf_counter() - start:.0f} s")
    log = path.with_suffix(".log").read_text(encoding="utf-8", errors="replace")
    said = [line for line in log.splitlines() if any(word in line for word in COMPLAINTS)]
    found = [f"{engine}: {line}" for line in said[:5]]
    return found + ([f"{engine} ended with {result.returncode}"] if result.returncode else [])


if __name__ == "__main__":
    sys.exit(main())
