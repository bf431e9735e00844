"""Figures in Python: `rd.plot.roofline(…)` and its like return a matplotlib figure.

A figure shows itself in a notebook, `savefig` writes it with the same bytes each time, and
`figure.table` holds the data behind it. No figure is ever shown, or kept, by pyplot.

All take `at`, the values of parameters by name: numbers, texts of the language, or arrays; and
`look`, a `Look`: dark, powers of two on the axes, inches, a title.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from roofdsl.contract import as_given, public
from roofdsl.diagnostic import Diagnostic, RoofError, did_you_mean
from roofdsl.embedding.machine import A_MACHINE, Machine
from roofdsl.embedding.prediction import Prediction
from roofdsl.figures import predicted as predicted_figure
from roofdsl.figures import saving
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.predicted import MeasuredAgainstPredicted
from roofdsl.model.given import (
    as_part,
    as_text,
    as_truth,
    by_name,
    double_in,
    each,
    in_turn,
    one_of,
)
from roofdsl.plots import breakdown as breakdowns
from roofdsl.plots import curve as curves
from roofdsl.plots import energy as energies
from roofdsl.plots import icicle as icicles
from roofdsl.plots import measured, planes
from roofdsl.plots import perdome as perdomes
from roofdsl.plots import perfbound as perfbounds
from roofdsl.plots import regime as regimes
from roofdsl.plots import roofline as rooflines
from roofdsl.plots import scaling as scalings
from roofdsl.plots import sensitivity as sensitivities
from roofdsl.plots.measured import MeasuredKernel, measure
from roofdsl.units.dimension import BYTE, FLOP, SECOND

__all__ = [
    "Look",
    "MeasuredAgainstPredicted",
    "MeasuredKernel",
    "Picture",
    "breakdown",
    "communication",
    "curve",
    "energy",
    "icicle",
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


def __dir__() -> list[str]:
    """What completion offers: the public names."""
    return sorted(__all__)


_A_PREDICTION = "a Prediction, which model.on(machine) makes"
_PREDICTION = one_of(Prediction, wanted=_A_PREDICTION)
_KERNELS = each(one_of(MeasuredKernel, wanted="a MeasuredKernel"))
_INTENSITY = double_in(FLOP / BYTE)


def _performances(name: str, value: object) -> object:
    """Read performances [flop/s] by name, or in a row, None where there is none."""
    read = measure(FLOP / SECOND)
    if isinstance(value, Mapping):
        return by_name(read)(name, value)
    return each(lambda place, item: None if item is None else read(place, item))(name, value)


def _form(name: str, value: object) -> str:
    """Read how a breakdown is drawn."""
    found, known = as_text(name, value), ("bars", "tree", "seconds")
    if found in known:
        return found
    hint = did_you_mean(found, known) or f"there are {', '.join(known)}"
    raise RoofError([Diagnostic("R0807", f"'{found}' is no form of a breakdown", hint=hint)])


_figure = partial(
    public,
    at=by_name(as_given),
    look=one_of(Look, wanted="a Look, such as Look(dark=True)"),
    resource=as_text,
    each_machine=as_truth,
    prediction=_PREDICTION,
    predictions=each(_PREDICTION),
    items=each(one_of(Machine, Prediction, wanted=f"{A_MACHINE}, or {_A_PREDICTION}")),
)
breakdown = _figure(form=_form)(breakdowns.breakdown)
curve = _figure(quantities=each(as_text))(curves.curve)
energy = _figure()(energies.energy)
icicle = _figure()(icicles.icicle)
communication = _figure(measured=_KERNELS)(rooflines.communication)
pair = _figure(measured=_KERNELS)(rooflines.pair)
roofline = _figure(measured=_KERNELS)(rooflines.roofline)
perdome = _figure(
    machine=one_of(Machine, wanted=A_MACHINE),
    whole=_INTENSITY,
    partitions=by_name(in_turn(_INTENSITY, _INTENSITY)),
    measured=by_name(measure(FLOP / SECOND)),
)(perdomes.perdome)
perfbound = _figure(measured=_performances)(perfbounds.perfbound)
surface = _figure(cut=in_turn(_INTENSITY, _INTENSITY))(planes.surface)
ridgeline = _figure()(planes.ridgeline)
regime = _figure(x=in_turn(as_text, as_given, as_given), y=in_turn(as_text, as_given, as_given))(
    regimes.regime
)
scaling = _figure(isoefficiency=each(as_part))(scalings.scaling)
sensitivity = _figure()(sensitivities.sensitivity)
read_measured = public()(measured.read_measured)
read_comparison = public()(measured.read_comparison)
_A_PICTURE = one_of(Picture, wanted="a Picture, which is what is drawn")
save = public(picture=_A_PICTURE, form=as_text)(saving.save)
save_data = public(picture=_A_PICTURE)(saving.save_data)


@_figure(
    comparison=one_of(
        MeasuredAgainstPredicted,
        wanted="a MeasuredAgainstPredicted, such as read_comparison(path) reads",
    )
)
def predicted(comparison: MeasuredAgainstPredicted, title: str = "", look: Look = PLAIN) -> Picture:
    """Draw measured against predicted values with the errors 100·(predicted − measured)/measured.

    >>> import numpy as np
    >>> measured, guessed = np.array([1e-4, 3e-5]), np.array([1.4e-4, 3e-5])
    >>> times = MeasuredAgainstPredicted(("fc1", "relu"), measured, guessed)
    >>> [round(row[4], 6) for row in predicted(times).table.rows]
    [40.0, 0.0]
    """
    return predicted_figure.predicted(comparison, look, title)
