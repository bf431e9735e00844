"""Reports: documents of models on machines, with their figures, in HTML, LaTeX, Markdown, PDF."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from zlib import crc32

from roofdsl.analysis.binding import Arguments
from roofdsl.answer.blocks import label
from roofdsl.answer.document.bibliography import bibtex
from roofdsl.answer.document.build import build
from roofdsl.answer.document.report import Report
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.embedding.report_figures import drawing
from roofdsl.model.types import MachineDefinition, ModelDefinition, Module
from roofdsl.report.html import Html
from roofdsl.report.latex import REPORT, Latex
from roofdsl.report.markdown import Markdown
from roofdsl.report.notation import CellNotation
from roofdsl.report.pdf import engine, pdf
from roofdsl.report.templates import check_template, render
from roofdsl.report.view import figure_styles, view
from roofdsl.writing import write_together

FORMS: dict[str, tuple[str, CellNotation]] = {
    "html": ("report.html", Html()),
    "tex": ("report.tex", Latex(REPORT, math.inf)),
    "md": ("report.md", Markdown()),
    "pdf": ("report.tex", Latex(REPORT, math.inf)),
}
"""Each format's template and notation."""


def form_of(path: Path) -> str:
    """Return the format of a report from its file's ending; raise RoofError for another (R1003).

    >>> form_of(Path("summa.HTML"))
    'html'
    """
    form = path.suffix.removeprefix(".").lower()
    if form in FORMS:
        return form
    known = ", ".join(f".{name}" for name in FORMS)
    what = f"'{form}' is no format for reports" if form else f"'{path}' has no ending"
    raise RoofError([Diagnostic("R1003", what, hint=f"reports are written as {known}")])


def check(form: str, template: Path | None) -> None:
    """Raise RoofError for a template or a missing LaTeX, before long work is done."""
    if form == "pdf":
        engine(ours=template is None)
    if template is not None:
        check_template(*FORMS[form], template)


def report(
    models: Sequence[tuple[ModelDefinition, Module]],
    machines: Sequence[tuple[MachineDefinition, Module]],
    given: Mapping[str, Arguments],
    *,
    title: str = "",
    form: str = "html",
    figures: bool = True,
    done: Callable[[str], None] = lambda _: None,
) -> Report:
    """Return the report of models on machines; `given` holds values by model."""
    if not figures:
        return build(models, machines, given, title=title, done=done)
    with drawing(form) as draw:
        return build(models, machines, given, title=title, draw=draw, done=done)


def write(
    report: Report, path: Path, form: str, template: Path | None = None, bib: Path | None = None
) -> None:
    """Write a report, its figures beside it where they are files, and its references as BibTeX.

    The document itself comes last, so that it is never there without its figures.
    """
    name, notation = FORMS[form]
    ending = "svg" if form == "md" else "pdf"
    folder = "figures" if form == "pdf" else _folder_of(path.stem)
    figures = {}
    if form != "html":
        drawn = [figure for model in report.models for figure in model.figures]
        figures = {figure.label: figure for figure in drawn}
    files = {key: f"{folder}/{key}.{ending}" for key in figures}
    data = {
        files[key]: figure.svg.encode("utf-8") if form == "md" else figure.pdf
        for key, figure in figures.items()
    }
    seen = {"report": view(report, notation, files), "figure_styles": figure_styles(report)}
    text = render(name, notation, seen, template)
    written = {bib: bibtex(report.sources).encode("utf-8")} if bib is not None else {}
    if form == "pdf":
        write_together(written | {path: pdf(text, data, ours=template is None)})
        return
    written |= {path.parent / file: content for file, content in data.items()}
    written[path] = text.encode("utf-8")
    write_together(written, path.parent / folder if data else None)


def _folder_of(stem: str) -> str:
    """Return the name of the folder for a document's figures, which every notation can refer to.

    Where that is not the document's own name, a number of that keeps apart what is left of several.

    >>> _folder_of("summa"), _folder_of("a b"), _folder_of("ä")
    ('summa-figures', 'a-b-806c5cd3-figures', 'part-70b5f183-figures')
    """
    own = label(stem)
    if own != stem:
        own += f"-{crc32(os.fsencode(stem)):08x}"
    return f"{own}-figures"
