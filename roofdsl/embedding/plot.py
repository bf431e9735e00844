"""Figures in Python: `rd.plot.roofline(…)` and its like return a matplotlib figure.

A figure shows itself in a notebook, `savefig` writes it with the same bytes each time, and
`figure.table` holds the data behind it. No figure is ever shown, or kept, by pyplot.

All take `at`, the values of parameters by name: numbers, texts of the language, or arrays; and
`look`, a `Look`: dark, powers of two on the axes, inches, a title.
"""

from __future__ import annotations

from roofdsl.figures import predicted as predicted_figure
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.predicted import MeasuredAgainstPredicted
from roofdsl.figures.saving import save, save_data
from roofdsl.plots.breakdown import breakdown
from roofdsl.plots.measured import MeasuredKernel, read_comparison, read_measured
from roofdsl.plots.perdome import perdome
from roofdsl.plots.perfbound import perfbound
from roofdsl.plots.planes import ridgeline, surface
from roofdsl.plots.regime import regime
from roofdsl.plots.roofline import communication, pair, roofline
from roofdsl.plots.scaling import scaling
from roofdsl.plots.sensitivity import sensitivity

__all__ = [
    "Look",
    "MeasuredAgainstPredicted",
    "MeasuredKernel",
    "Picture",
    "breakdown",
    "communication",
    "pair",
    "perdome",
    "perfbound",
    "predicted",
    "read_comparison",
    "read_measured",
    "regime",
    "ridgeline",
    "roofline",
    "save",
    "save_data",
    "scaling",
    "sensitivity",
    "surface",
]


def predicted(comparison: MeasuredAgainstPredicted, title: str = "", look: Look = PLAIN) -> Picture:
    """Draw measured against predicted values with the errors 100·(predicted − measured)/measured.

    >>> import numpy as np
    >>> measured, guessed = np.array([1e-4, 3e-5]), np.array([1.4e-4, 3e-5])
    >>> times = MeasuredAgainstPredicted(("fc1", "relu"), measured, guessed)
    >>> [round(row[4], 6) for row in predicted(times).table.rows]
    [40.0, 0.0]
    """
    return predicted_figure.predicted(comparison, look, title)
