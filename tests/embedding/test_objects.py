"""Models, machines, predictions and answers as objects: compared, copied, sent to threads."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import TypeVar

import numpy as np
import pytest

import roofdsl as rd
from roofdsl.analysis.crossover import Crossovers
from roofdsl.model import library

T = TypeVar("T")
ANSWERS: dict[str, Callable[[rd.Prediction], object]] = {
    "result": lambda p: p.evaluate(N=4096, P=121),
    "crossovers": lambda p: p.crossovers(P=121),
    "regions": lambda p: p.crossovers("N"),
    "thresholds": lambda p: p.where("time < 1 s", "N", P=121),
    "rates": lambda p: p.over_rates(0.1, "N", P=121),
    "elasticities": lambda p: p.sensitivity(N=4096, P=121),
    "scaling": lambda p: p.scaling(N=4096),
    "sweep": lambda p: p.sweep(N=[242, 4096], P=121),
}


@pytest.fixture
def summa() -> rd.Prediction:
    return rd.load_model("summa").on(rd.load_machine("karst"))


def test_what_is_of_one_definition_is_equal(summa: rd.Prediction, tmp_path: Path) -> None:
    again = rd.load_model("summa").on(rd.load_machine("karst"))
    assert (summa, summa.model, summa.machine) == (again, again.model, again.machine)
    assert len({summa, again}) == len({summa.model, again.model}) == 1
    assert summa != rd.load_model("dgemv").on(summa.machine)
    path = tmp_path / "copy.roof"
    path.write_text("model copy { memory = 16 B }\n", encoding="utf-8")
    assert rd.load_model(path) != rd.load_model(path)  # the file may have changed between


def test_what_is_made_does_not_change(summa: rd.Prediction) -> None:
    for made, name in (
        (summa, "model"),
        (summa.model, "definition"),
        (summa.evaluate(N=2, P=1), "time"),
    ):
        with pytest.raises(FrozenInstanceError):
            setattr(made, name, None)


@pytest.mark.parametrize("what", ["prediction", "model", "machine", "ridge", "crossover", *ANSWERS])
def test_what_would_change_something_is_refused_in_words(what: str, summa: rd.Prediction) -> None:
    crossings = summa.crossovers(P=121)
    assert isinstance(crossings, Crossovers)
    others = {
        "prediction": summa,
        "model": summa.model,
        "machine": summa.machine,
        "ridge": summa.ridge,
        "crossover": crossings.crossovers[0],
    }
    made = others[what] if what in others else ANSWERS[what](summa)
    for name in (*(name for name in dir(made) if not name.startswith("_")), "foo"):
        for change in (partial(setattr, made, name, 1), partial(delattr, made, name)):
            with pytest.raises(FrozenInstanceError, match=f"^'{type(made).__name__}' cannot be"):
                change()


def sent(made: T) -> T:
    """Return what another process would get."""
    found: T = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own
    return found


@pytest.mark.parametrize("what", ANSWERS)
def test_objects_are_copied_and_pickled(what: str, summa: rd.Prediction) -> None:
    told = ANSWERS[what](summa)
    for made in (summa, summa.model, summa.machine, told):
        for other in (sent(made), copy.copy(made), copy.deepcopy(made)):
            assert type(other) is type(made) and repr(other) == repr(made)
            if not isinstance(made, rd.Model | rd.Machine | rd.Prediction) and what != "sweep":
                assert str(other) == str(made)
    assert repr(ANSWERS[what](sent(summa))) == repr(told)


@pytest.mark.parametrize("what", ANSWERS)
def test_what_is_shown_of_an_object_is_short(what: str, summa: rd.Prediction) -> None:
    shown = repr(ANSWERS[what](summa))
    assert shown.startswith("<Shown") and "summa on karst" in shown and len(shown) < 80


def test_a_result_says_its_time_and_bound(summa: rd.Prediction) -> None:
    shown = repr(summa.evaluate(N=4096, P=121))
    assert shown == "<ShownResult summa on karst: 70.35 ms, bound by network>"
    assert repr(summa.sweep(N=[242, 4096], P=[[1], [4]])).endswith(": 4 points>")


@pytest.fixture
def hurried() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def at_once(work: Callable[[int], object], count: int = 4) -> list[object]:
    start = Barrier(count)

    def one(number: int) -> object:
        start.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return [*pool.map(one, range(count))]


@pytest.mark.usefixtures("hurried")
def test_threads_load_one_model_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for table in ("_LOADED", "_PIECEWISE"):
        monkeypatch.setattr(library, table, {})
    found = at_once(lambda _: rd.load_model("resnet50"))
    assert len({*found}) == 1


@pytest.mark.usefixtures("hurried")
def test_threads_ask_one_prediction(summa: rd.Prediction) -> None:
    sizes = [np.arange(2 + number, 2002 + number) for number in range(4)]
    alone = [summa.sweep(N=each, P=4).time for each in sizes]

    def ask(number: int) -> object:
        for word in range(8, 20):
            assert (summa.sweep(N=sizes[number], P=4).time == alone[number]).all()
            summa.sweep(N=sizes[number], P=4, word=word + number)
        return [str(ANSWERS[what](summa)) for what in ("result", "crossovers", "elasticities")]

    told = at_once(ask)
    assert told == [told[0]] * 4


def test_an_interrupt_passes(summa: rd.Prediction, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("roofdsl.answer.asked.predict", interrupted)
    for ask in ANSWERS.values():
        with pytest.raises(KeyboardInterrupt):
            ask(summa)
