"""The figures of a report, drawn while the rest of it is worked out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import get_context
from shutil import rmtree
from typing import TYPE_CHECKING

from roofdsl.allowance import counting
from roofdsl.answer.blocks import Drawing, label
from roofdsl.answer.document.build import Draw, Drawn, Subject
from roofdsl.report.inline_svg import Inline, inline_svg

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from roofdsl.embedding.chosen_figures import Chosen
    from roofdsl.figures.picture import Picture

_LONGEST_END = 5  # seconds


@contextmanager
def drawing(form: str) -> Iterator[Draw]:
    """Give what draws: in a process of its own where that saves time, else where it is called.

    Matplotlib takes longer to load than a figure takes to draw: it does so while the rest of the
    report is worked out. A process is split only while neither NumPy nor Matplotlib is loaded, for
    these may have threads that a split process lacks.
    """
    with ExitStack() as ending:

        def draw(subjects: Sequence[Subject]) -> Drawn:
            alone = {"numpy", "matplotlib"}.isdisjoint(sys.modules) and hasattr(os, "fork")
            if not alone or not any(subject.asked for subject in subjects):
                return lambda place: drawings(subjects[place], form)
            forking = get_context("fork")
            receiver, sender = forking.Pipe(duplex=False)
            given = receiver, sender, subjects, form
            process = forking.Process(target=_send, args=given, daemon=True)
            try:
                process.start()
            except OSError:  # there are too many processes already
                return lambda place: drawings(subjects[place], form)
            ending.callback(_stop, process)
            sender.close()
            found: list[tuple[Drawing, ...]] = []

            def drawn(place: int) -> tuple[Drawing, ...]:
                if not found:
                    with suppress(EOFError):  # or what is missing is drawn here
                        found.extend(receiver.recv())
                return found[place] if found else drawings(subjects[place], form)

            return drawn

        yield draw


def _send(receiver: Connection, sender: Connection, subjects: Sequence[Subject], form: str) -> None:
    receiver.close()  # else what nobody reads any more would wait for ever
    home = os.environ.get("MPLCONFIGDIR")
    try:
        with suppress(BaseException):  # it is seen again where they are drawn instead
            sender.send([drawings(each, form) if each.asked else () for each in subjects])
    finally:
        # A folder that matplotlib made for a while goes with Python, not with a split process.
        if (made := os.environ.get("MPLCONFIGDIR")) is not None and made != home:
            rmtree(made, ignore_errors=True)


def _stop(process: BaseProcess) -> None:
    process.terminate()  # so that it removes what matplotlib has made for it
    process.join(_LONGEST_END)
    process.kill()
    process.join()


@counting(afresh=True)
def drawings(subject: Subject, form: str) -> tuple[Drawing, ...]:
    """Return the figures of a model that are chosen for what it is."""
    from roofdsl.embedding.chosen_figures import chosen

    found = [*chosen(subject)]
    dark = chosen(subject, dark=True) if form == "html" else found
    return tuple(_drawn(*both, subject, form) for both in zip(found, dark, strict=True))


def _drawn(each: Chosen, dark: Chosen, subject: Subject, form: str) -> Drawing:
    place = label(subject.model.name, each.name)
    return Drawing(
        each.caption,
        place,
        f"{each.caption} The numbers are in the tables of this part.",
        *_svg(each.picture, dark.picture, place, form),
        each.picture.render("pdf") if form in ("tex", "pdf") else b"",
        each.shows,
    )


def _svg(picture: Picture, dark: Picture, place: str, form: str) -> Inline:
    if form not in ("html", "md"):
        return Inline("", ())
    text = picture.render("svg").decode("utf-8")
    if form == "md":
        return Inline(text, ())
    shown = inline_svg(text, place, dark.render("svg").decode("utf-8"))
    width = 72 * picture.get_figwidth()  # letters are to stay as large as they can be read
    return shown._replace(svg=shown.svg.replace("<svg", f'<svg style="--width:{width:g}"', 1))
