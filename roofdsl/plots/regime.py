"""Regimes over two unknowns: what is proven of the plane, as a picture."""

from __future__ import annotations

from roofdsl.answer.mapping import map_of
from roofdsl.figures import regime as regime_figure
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.plots import cases


def regime(
    prediction: cases.PredictionLike,
    x: tuple[str, float, float],
    y: tuple[str, float, float],
    at: cases.Settings = cases.NOWHERE,
    look: Look = PLAIN,
) -> Picture:
    """Draw which resource binds over two unknowns, each a name and the ends of its range.

    An unknown is a parameter or a rate of the machine (`karst.network`). The regions are proven
    cell by cell, and the boundaries enclosed; below stands how much of the plane that is.

    >>> from roofdsl.embedding.machine import load_machine
    >>> from roofdsl.embedding.model import load_model
    >>> prediction = load_model("summa").on(load_machine("karst"))
    >>> figure = regime(prediction, x=("P", 4, 10_000), y=("N", 2, 1_000_000))
    >>> [row[1] for row in figure.table.rows][:1]
    ['network → flops']
    """
    asked = cases.asked_of(prediction)
    values = cases.one_value_each(at, "a map has its own two ranges")
    data = map_of(asked, x, y, values)
    return regime_figure.regime(data, look, *cases.titles([asked], at))
