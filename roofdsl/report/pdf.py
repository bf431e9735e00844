"""PDF: LaTeX run where it is installed, in a folder of its own, with no way out of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from roofdsl.answer.document.provenance import moment
from roofdsl.diagnostic import Diagnostic, RoofError

ENGINES = ("pdflatex", "lualatex")
PACKAGES = "texlive-latex-recommended texlive-science texlive-luatex texlive-pictures"
SECONDS = 1200
_OPTIONS = "-no-shell-escape -interaction=nonstopmode -halt-on-error -file-line-error".split()
_MOST_RUNS = 4
_RERUN = re.compile(r"Rerun to get|\(re\)run LaTeX|Table widths have changed|Rerun LaTeX")
_ERROR = re.compile(r"^(?:! |\S+:\d+: )(.*)$", re.MULTILINE)


def pdf(text: str, figures: Mapping[str, bytes], *, ours: bool = True) -> bytes:
    """Return what LaTeX makes of a document and its figures, by file name.

    `ours` says that the template is: of another, lualatex is not run, whose Lua reads any file.

    TeX gets no shell and may neither read nor write files outside its folder (`openin_any=p`,
    `openout_any=p`). Raises RoofError where there is no TeX (R1005), or it stops (R1006).
    """
    program = engine(ours=ours)
    try:
        with TemporaryDirectory(prefix="roofdsl-") as name:
            folder = Path(name)
            (folder / "report.tex").write_text(text, encoding="utf-8")
            for file, data in figures.items():
                (folder / file).parent.mkdir(exist_ok=True)
                (folder / file).write_bytes(data)
            return _run(program, folder)
    except OSError as error:  # of the folder, or of the program
        raise RoofError([_stopped(program, f"cannot be run: {error.strerror}")]) from None


def engine(*, ours: bool = True) -> str:
    """Return the name of the LaTeX that is installed; raise RoofError if none is (R1005)."""
    usable = ENGINES if ours else ENGINES[:1]
    found = next((name for name in usable if shutil.which(name)), None)
    if found is None:
        none = "neither pdflatex nor lualatex is" if ours else "pdflatex is not"
        message = f"PDF needs LaTeX, and {none} installed"
        hint = f"install {PACKAGES} (Debian's names), or write .html"
        raise RoofError([Diagnostic("R1005", message, hint=hint)])
    return found


def _run(program: str, folder: Path) -> bytes:
    command = [program, *_OPTIONS, "report.tex"]
    # The day's midnight: the same bytes all day, and with SOURCE_DATE_EPOCH for good.
    when = moment()
    if "SOURCE_DATE_EPOCH" not in os.environ:
        when = when.replace(hour=0, minute=0, second=0, microsecond=0)
    environment = {
        **os.environ,
        "openin_any": "p",
        "openout_any": "p",
        "SOURCE_DATE_EPOCH": str(int(when.timestamp())),
        "FORCE_SOURCE_DATE": "1",
        "max_print_line": "1000",
    }
    for _ in range(_MOST_RUNS):
        try:
            result = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise RoofError([_stopped(program, f"takes more than {SECONDS} s")]) from None
        path = folder / "report.log"
        log = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        written = folder / "report.pdf"
        if result.returncode or not written.exists():
            said = _ERROR.search(log)
            reason = said[1] if said else "it does not say why"
            raise RoofError([_stopped(program, f"stops: {reason}")])
        if not _RERUN.search(log):
            break
    return written.read_bytes()


def _stopped(program: str, what: str) -> Diagnostic:
    hint = f"packages the report needs: {PACKAGES} (Debian's names)"
    return Diagnostic("R1006", f"{program} {what}", hint=hint)
