"""Reports: documents of models on machines, with their figures, in HTML, LaTeX, Markdown, PDF."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.result import Setting
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.embedding.machine import Machine
from roofdsl.embedding.model import Model
from roofdsl.model.types import MachineDefinition, ModelDefinition, Module
from roofdsl.report.document.bibliography import bibtex
from roofdsl.report.document.build import Asked, build
from roofdsl.report.document.content import Drawing, label
from roofdsl.report.document.report import Report
from roofdsl.report.typesetting.html import Html
from roofdsl.report.typesetting.latex import Latex
from roofdsl.report.typesetting.markdown import Markdown
from roofdsl.report.typesetting.notation import CellNotation
from roofdsl.report.typesetting.templates import render
from roofdsl.report.typesetting.view import view
from roofdsl.writing import write_whole

FORMS: dict[str, tuple[str, CellNotation]] = {
    "html": ("report.html", Html()),
    "tex": ("report.tex", Latex()),
    "md": ("report.md", Markdown()),
    "pdf": ("report.tex", Latex()),
}
"""Each format's template and notation."""
_WIDE = 6.4


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
    draw = partial(drawings, svg=form in ("html", "md"), pdf=form in ("tex", "pdf"))
    return build(Asked(models, machines, given, title), draw if figures else None, done)


def write(report: Report, path: Path, form: str, template: Path | None = None) -> list[Path]:
    """Write a report, and its figures beside it where they are files; return what was written.

    The document itself comes last, so that it is never there without its figures.
    """
    name, notation = FORMS[form]
    files: dict[str, str] = {}
    text = render(name, notation, {"report": view(report, notation, files)}, template)
    write_whole(path, text.encode("utf-8"))
    return [path]


def write_bib(report: Report, path: Path) -> Path:
    """Write the references of a report as BibTeX."""
    write_whole(path, bibtex(report.references).encode("utf-8"))
    return path


def drawings(
    model: ModelDefinition,
    machines: Sequence[MachineDefinition],
    settings: Mapping[str, Setting],
    *,
    svg: bool = True,
    pdf: bool = False,
) -> tuple[Drawing, ...]:
    """Return the figures of a model: its roofline with all machines, none where there is no roof.

    Where the model sends something and every machine has a network, the second panel is over
    communication intensity.
    """
    from roofdsl.embedding import plot
    from roofdsl.figures.look import Look
    from roofdsl.report.typesetting.inline_svg import inline_svg

    predictions = [Model(model).on(Machine(machine)) for machine in machines]
    names = ", ".join(machine.name for machine in machines)
    place = label(model.name, "roofline")
    for draw, width, what in (
        (plot.pair, _WIDE, "Roofline over operational and over communication intensity"),
        (plot.roofline, _WIDE * 0.8, "Roofline over operational intensity"),
    ):
        try:
            picture = draw(*predictions, at=settings, look=Look(width=width, title=""))
        except RoofError:
            continue
        at = ", ".join(
            f"{name} = {value:.6g}" if isinstance(value, float) else f"{name} = {value}"
            for name, value in settings.items()
        )
        caption = f"{what}: {model.name} on {names}" + (f", at {at}." if at else ".")
        return (
            Drawing(
                caption,
                place,
                f"{caption} The numbers are in the tables below.",
                inline_svg(picture.render("svg").decode("utf-8"), place) if svg else "",
                picture.render("pdf") if pdf else b"",
            ),
        )
    return ()
