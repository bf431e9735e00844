"""The figures of a report, drawn while the rest of it is worked out."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING

from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.blocks import Drawing, label
from roofdsl.answer.document.build import Drawn, Subject
from roofdsl.diagnostic import RoofError
from roofdsl.report.inline_svg import Inline, inline_svg

if TYPE_CHECKING:
    from roofdsl.figures.look import Palette
    from roofdsl.figures.picture import Picture

_WIDTH = 6.4


class Studio:
    """Draws in a process of its own where that saves time, else where it is called.

    Matplotlib takes longer to load than a figure takes to draw, and so does SymPy, which the rest
    of a report needs: the two load side by side. A process is split only while neither NumPy nor
    Matplotlib is loaded, for these may have threads that a split process lacks.
    """

    def __init__(self, form: str) -> None:
        self._form = form
        self._folder = TemporaryDirectory(prefix="roofdsl-")
        self._process = 0

    def __enter__(self) -> Studio:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if error is not None and self._process > 0:
            os.kill(self._process, signal.SIGTERM)
        self._wait()
        self._folder.cleanup()

    def draw(self, subjects: Sequence[Subject]) -> Drawn:
        """Begin to draw; return a function that waits for the figures of one model."""
        alone = {"numpy", "matplotlib"}.isdisjoint(sys.modules) and hasattr(os, "fork")
        if alone and any(subject.machines for subject in subjects):
            self._process = os.fork()
            if self._process == 0:
                self._work(subjects)

        def drawn(place: int) -> tuple[Drawing, ...]:
            found = self._read(place) if self._wait() else None
            return drawings(subjects[place], self._form) if found is None else found

        return drawn

    def _work(self, subjects: Sequence[Subject]) -> None:
        """Draw all figures into files and exit; the first process draws again what is missing."""
        status = 1
        try:
            for place, subject in enumerate(subjects):
                if subject.machines:
                    self._write(place, drawings(subject, self._form))
            status = 0
        finally:
            # No clean-up of what belongs to the process this one was split from.
            os._exit(status)

    def _write(self, place: int, found: tuple[Drawing, ...]) -> None:
        folder = Path(self._folder.name)
        texts = [
            [each.caption, each.label, each.alternative, each.svg, each.styles] for each in found
        ]
        for number, each in enumerate(found):
            (folder / f"{place}-{number}.pdf").write_bytes(each.pdf)
        (folder / f"{place}.json").write_text(json.dumps(texts), encoding="utf-8")

    def _read(self, place: int) -> tuple[Drawing, ...] | None:
        folder = Path(self._folder.name)
        path = folder / f"{place}.json"
        if not path.exists():
            return None
        texts = json.loads(path.read_text(encoding="utf-8"))
        return tuple(
            Drawing(
                caption,
                name,
                words,
                svg,
                tuple((each, light, dark) for each, light, dark in styles),
                (folder / f"{place}-{number}.pdf").read_bytes(),
            )
            for number, (caption, name, words, svg, styles) in enumerate(texts)
        )

    def _wait(self) -> bool:
        """Wait for the other process; return whether there was one."""
        if self._process == 0:
            return False
        if self._process > 0:
            os.waitpid(self._process, 0)
            self._process = -1
        return True


def drawings(subject: Subject, form: str) -> tuple[Drawing, ...]:
    """Return the figures of a model: its roofline with all machines, none where there is no roof.

    Where the model sends something and every machine has a network, a second panel is over
    communication intensity.
    """
    from roofdsl.figures.look import Look
    from roofdsl.plots.roofline import pair, roofline

    items = [ModelOnMachine(subject.model, machine) for machine in subject.machines]
    for draw, width, what in (
        (pair, _WIDTH, "Roofline over operational and over communication intensity"),
        (roofline, 0.8 * _WIDTH, "Roofline over operational intensity"),
    ):
        try:
            picture = draw(*items, at=subject.settings, look=Look(width=width, title=""))
        except RoofError:
            continue  # a machine lacks what an axis needs, or there is no such work
        place = label(subject.model.name, "roofline")
        caption = f"{what}: {subject.model.name} on {_names(subject)}{_at(subject)}."
        return (
            Drawing(
                caption,
                place,
                f"{caption} The numbers are in the tables below.",
                *_svg(picture, place, form),
                picture.render("pdf") if form in ("tex", "pdf") else b"",
            ),
        )
    return ()


def _names(subject: Subject) -> str:
    return ", ".join(machine.name for machine in subject.machines)


def _at(subject: Subject) -> str:
    shown = [
        f"{name} = {value:.6g}" if isinstance(value, float) else f"{name} = {value}"
        for name, value in subject.settings.items()
    ]
    return f", at {', '.join(shown)}" if shown else ""


def _svg(picture: Picture, place: str, form: str) -> Inline:
    from roofdsl.figures.look import DARK, LIGHT

    if form not in ("html", "md"):
        return Inline("", ())
    text = picture.render("svg").decode("utf-8")
    if form == "md":
        return Inline(text, ())
    return inline_svg(text, place, pairs(LIGHT, DARK))


def pairs(light: Palette, dark: Palette) -> dict[str, str]:
    """Return the colours of one palette, each with that of the other which plays its part.

    A colour may play several parts: the first in this order counts.
    """
    found: dict[str, str] = {}
    for name in ("paper", "ink", "muted", "faint"):
        found.setdefault(getattr(light, name), getattr(dark, name))
    for one, other in zip(light.series, dark.series, strict=True):
        found.setdefault(one, other)
    for name in ("strong", "tints", "fills"):
        for key, colour in getattr(light, name).items():
            found.setdefault(colour, getattr(dark, name)[key])
    return found
