"""An opened prediction takes over what was placed of the one it is of: that gives the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import islice

from roofdsl.analysis.load import Load
from roofdsl.analysis.node import walk
from roofdsl.analysis.prediction import Prediction, predict
from tests.agreement.points import bundled_machines, by_file, files, is_family, models_of
from tests.counts import ALL, inputs

MACHINES = inputs(1, 100)


def placed(file: str) -> Iterator[Prediction]:
    for model in models_of(file)[-inputs(1, 100) :]:
        if is_family(model) and not ALL:
            continue  # a family of networks, whose instances are looked at
        found = (predict(model, machine, {}) for machine in bundled_machines(file))
        yield from islice((each for each, problems in found if not problems), MACHINES)


def told(load: Load) -> list[object]:
    return [getattr(load, each.name) for each in fields(load)]


@by_file(files())
def test_what_is_opened_is_as_if_placed_anew(file: str) -> None:
    for prediction in placed(file):
        alone = replace(prediction, parts=None)
        for decided in (False, True):
            found, anew = prediction.opened(decided=decided), alone.opened(decided=decided)
            assert found.formulas == anew.formulas
            assert found.kinds == anew.kinds
            assert found.spending == anew.spending
            assert [*map(told, found.placed)] == [*map(told, anew.placed)]
            nodes = zip(walk(found.root), walk(anew.root), strict=True)
            assert all(one.name == other.name and one.start == other.start for one, other in nodes)


def test_a_network_with_its_precisions_known_is_not_placed_twice() -> None:
    (model,) = [each for each in models_of("networks.resnet50") if each.name == "resnet50_training"]
    prediction, problems = predict(model, next(iter(bundled_machines("networks.resnet50"))), {})
    assert not problems
    lent = {id(node.loads) for node in walk(prediction.root)}
    opened = [node for node in walk(prediction.opened(decided=True).root) if node.loads]
    anew = {node.model for node in opened if id(node.loads) not in lent}
    assert anew == {"all_reduce_ring"}, "it alone has the number of ranks"
