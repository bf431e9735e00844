"""roofdsl: a symbolic modelling language for performance.

A model says how much work an algorithm does, a machine how fast it is; everything else is derived.
What the arguments of functions take is the same everywhere, and stands in `roofdsl.contract`.

>>> import roofdsl as rd
>>> summa, karst = rd.load_model("summa"), rd.load_machine("karst")
>>> summa.on(karst).evaluate(N=4096, P=121).bound
'network'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roofdsl.analysis.result import Result
    from roofdsl.analysis.ridge import Ridge
    from roofdsl.contract import budget
    from roofdsl.diagnostic import Diagnostic, RoofError
    from roofdsl.embedding import plot
    from roofdsl.embedding.cards import ShownSweep
    from roofdsl.embedding.combining import Combined, combined
    from roofdsl.embedding.composing import (
        ModelCall,
        Part,
        iterate,
        overlap,
        recompute,
        repeat,
        step,
        wait,
        when,
    )
    from roofdsl.embedding.displayed import ShownResult
    from roofdsl.embedding.exploring import explore
    from roofdsl.embedding.expressions import model_from_expressions
    from roofdsl.embedding.fitting import ShownFit, fit
    from roofdsl.embedding.from_torch import from_torch
    from roofdsl.embedding.machine import Machine, load_machine
    from roofdsl.embedding.making import make_machine, make_mix, make_model
    from roofdsl.embedding.model import Model, load_model
    from roofdsl.embedding.module import Module, load, loads
    from roofdsl.embedding.prediction import Prediction
    from roofdsl.embedding.projecting import Projections, project
    from roofdsl.embedding.shown import (
        ShownAsymptotics,
        ShownCrossovers,
        ShownFaster,
        ShownOrders,
        ShownOverRates,
        ShownRegions,
        ShownScaling,
        ShownSensitivity,
        ShownThresholds,
    )
    from roofdsl.embedding.sweeping import Sweeps, sweep
    from roofdsl.embedding.symbols import symbol, unit
    from roofdsl.embedding.tracing import trace
    from roofdsl.embedding.validating import ShownValidation, validate

# Imported when first used, so that `import roofdsl` costs next to nothing.
_HOMES = {
    "Combined": "roofdsl.embedding.combining",
    "Diagnostic": "roofdsl.diagnostic",
    "Machine": "roofdsl.embedding.machine",
    "Model": "roofdsl.embedding.model",
    "ModelCall": "roofdsl.embedding.composing",
    "Module": "roofdsl.embedding.module",
    "Part": "roofdsl.embedding.composing",
    "Prediction": "roofdsl.embedding.prediction",
    "Projections": "roofdsl.embedding.projecting",
    "Result": "roofdsl.analysis.result",
    "Ridge": "roofdsl.analysis.ridge",
    "RoofError": "roofdsl.diagnostic",
    "ShownAsymptotics": "roofdsl.embedding.shown",
    "ShownCrossovers": "roofdsl.embedding.shown",
    "ShownFaster": "roofdsl.embedding.shown",
    "ShownFit": "roofdsl.embedding.fitting",
    "ShownOrders": "roofdsl.embedding.shown",
    "ShownOverRates": "roofdsl.embedding.shown",
    "ShownRegions": "roofdsl.embedding.shown",
    "ShownResult": "roofdsl.embedding.displayed",
    "ShownScaling": "roofdsl.embedding.shown",
    "ShownSensitivity": "roofdsl.embedding.shown",
    "ShownSweep": "roofdsl.embedding.cards",
    "ShownThresholds": "roofdsl.embedding.shown",
    "ShownValidation": "roofdsl.embedding.validating",
    "Sweeps": "roofdsl.embedding.sweeping",
    "budget": "roofdsl.contract",
    "combined": "roofdsl.embedding.combining",
    "explore": "roofdsl.embedding.exploring",
    "fit": "roofdsl.embedding.fitting",
    "from_torch": "roofdsl.embedding.from_torch",
    "iterate": "roofdsl.embedding.composing",
    "load": "roofdsl.embedding.module",
    "load_ipython_extension": "roofdsl.notebook",
    "load_machine": "roofdsl.embedding.machine",
    "load_model": "roofdsl.embedding.model",
    "loads": "roofdsl.embedding.module",
    "make_machine": "roofdsl.embedding.making",
    "make_mix": "roofdsl.embedding.making",
    "make_model": "roofdsl.embedding.making",
    "model_from_expressions": "roofdsl.embedding.expressions",
    "overlap": "roofdsl.embedding.composing",
    "project": "roofdsl.embedding.projecting",
    "recompute": "roofdsl.embedding.composing",
    "repeat": "roofdsl.embedding.composing",
    "step": "roofdsl.embedding.composing",
    "sweep": "roofdsl.embedding.sweeping",
    "symbol": "roofdsl.embedding.symbols",
    "trace": "roofdsl.embedding.tracing",
    "unit": "roofdsl.embedding.symbols",
    "validate": "roofdsl.embedding.validating",
    "wait": "roofdsl.embedding.composing",
    "when": "roofdsl.embedding.composing",
}

__all__ = [
    "Combined",
    "Diagnostic",
    "Machine",
    "Model",
    "ModelCall",
    "Module",
    "Part",
    "Prediction",
    "Projections",
    "Result",
    "Ridge",
    "RoofError",
    "ShownAsymptotics",
    "ShownCrossovers",
    "ShownFaster",
    "ShownFit",
    "ShownOrders",
    "ShownOverRates",
    "ShownRegions",
    "ShownResult",
    "ShownScaling",
    "ShownSensitivity",
    "ShownSweep",
    "ShownThresholds",
    "ShownValidation",
    "Sweeps",
    "budget",
    "combined",
    "explore",
    "fit",
    "from_torch",
    "iterate",
    "load",
    "load_machine",
    "load_model",
    "loads",
    "make_machine",
    "make_mix",
    "make_model",
    "model_from_expressions",
    "overlap",
    "plot",
    "project",
    "recompute",
    "repeat",
    "step",
    "sweep",
    "symbol",
    "trace",
    "unit",
    "validate",
    "wait",
    "when",
]


if not TYPE_CHECKING:  # a checker is to see that a name is not there

    def __getattr__(name: str) -> object:
        if name == "plot":  # a module, not a name in one
            return import_module("roofdsl.embedding.plot")
        if name not in _HOMES:
            raise AttributeError(f"module 'roofdsl' has no attribute '{name}'")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """What completion in a notebook offers: the public names, loaded or not."""
    return sorted(__all__)
