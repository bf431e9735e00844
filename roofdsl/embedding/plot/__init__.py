"""Figures in Python: `rd.plot.roofline(…)` and its like return a matplotlib figure.

A figure shows itself in a notebook, `savefig` writes it with the same bytes each time, and
`figure.table` holds the data behind it. No figure is ever shown, or kept, by pyplot.

All take `at`, the values of parameters by name: numbers, texts of the language, or arrays; and
`look`, a `Look`: dark, powers of two on the axes, inches, a title.
"""

from roofdsl.embedding.figure_data.measured import Measured, read_comparison, read_measured
from roofdsl.embedding.plot.charts import communication, pair, roofline
from roofdsl.embedding.plot.comparisons import perdome, predicted
from roofdsl.embedding.plot.planes import regime, ridgeline, surface
from roofdsl.embedding.plot.times import breakdown, perfbound, scaling, sensitivity
from roofdsl.figures.look import Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.predicted import Comparison
from roofdsl.figures.saving import save, save_data

__all__ = [
    "Comparison",
    "Look",
    "Measured",
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
