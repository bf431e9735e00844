"""The bound of one resource is the law of composition over a model that asks for nothing else.

That holds for random programs and for the library: by default for one machine each; `make fuzz`
takes every machine a model runs on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isclose, isnan

from roofdsl.analysis.node import STATED, Node
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.ratio import ratio
from roofdsl.analysis.result import Result, evaluated
from roofdsl.plots.breakdown import root_of_name
from roofdsl.plots.perfbound import bounds_of
from tests.agreement.points import ALL, by_file, everywhere, files, sample
from tests.analysis.programs import programs
from tests.analysis.test_law import built, prediction_at


@by_file(files())
def test_each_resource_alone_follows_the_law(file: str) -> None:
    found: list[str] = []
    for point in everywhere(file) if ALL else sample(file, 1):
        known = point.result.processes == 1 or "flops" in point.result.totals
        wrong = _wrong(point.prediction, point.result) if known else ()
        found += [f"{point.name}: {each}" for each in wrong]
    assert found == []


def test_in_random_programs_too() -> None:
    for program in programs("alone", 200):
        prediction = prediction_at(built(program), 3)
        assert list(_wrong(prediction, evaluated(prediction))) == [], program.text()


def _wrong(prediction: Prediction, result: Result) -> Iterator[str]:
    flops = result.totals.get("flops", result.flops)
    for resource, (drawn,) in bounds_of([result], ["here"], [None], "").bounds.items():
        root = _only(prediction.root, resource)
        expected = ratio(flops, evaluated(replace(prediction, root=root)).time)
        same = drawn == expected or isclose(drawn, expected, rel_tol=1e-12)
        if not (same or (isnan(drawn) and isnan(expected))):
            yield f"{resource} alone allows {expected}, not {drawn}"


def _only(node: Node, resource: str) -> Node:
    """Return a tree in which only one resource is asked for, with the times stated for it.

    The start-up of kernels is a resource like others.
    """
    loads = tuple(load for load in node.loads if root_of_name(load.group) == resource)
    named = loads or (resource == STATED and not node.loads)
    children = tuple(_only(child, resource) for child in node.children)
    stated = node.stated if named else None
    own = node.start is not None and root_of_name(node.start.name) == resource
    start = node.start if own else None
    return replace(node, loads=loads, stated=stated, start=start, children=children, together=None)
