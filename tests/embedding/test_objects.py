"""Models, machines, predictions and answers as objects: compared, copied, sent to threads."""

from __future__ import annotations

import copy
import math
import operator
import pickle
import re
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
from roofdsl.analysis.result import evaluated
from roofdsl.model import library
from roofdsl.unchanging import Unchanging, inside_of

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


def test_what_is_of_one_text_is_equal(summa: rd.Prediction, tmp_path: Path) -> None:
    again = rd.load_model("summa").on(rd.load_machine("karst"))
    assert (summa, summa.model, summa.machine) == (again, again.model, again.machine)
    assert len({summa, again}) == len({summa.model, again.model}) == 1
    assert summa != rd.load_model("dgemv").on(summa.machine)
    text = {"used": "function f(N) = N\n", "user": 'use "./used.roof" as used\n'}
    text["user"] += "model copy { param N; flops = used.f(N); memory = 16 B }\n"

    def loaded(**changed: str) -> rd.Model:
        for name, written in {**text, **changed}.items():
            (tmp_path / f"{name}.roof").write_text(written, encoding="utf-8")
        return rd.load_model(tmp_path / "user.roof")

    assert len({loaded(), loaded()}) == 1 and loaded() == sent(loaded())
    assert loaded() != loaded(used="function f(N) = 2*N\n")  # what it uses is another
    assert loaded() != loaded(user=text["user"].replace("16 B", "24 B"))
    assert summa.model != summa.machine and summa.evaluate(N=2, P=1) != summa.sweep(N=[2], P=1)


def test_machines_of_one_table_are_equal(tmp_path: Path) -> None:
    (tmp_path / "m.roof").write_text(
        'machine m { flops = 1 flop/s; measured gemm(n) from "t.csv" }', encoding="utf-8"
    )

    def loaded(row: str) -> rd.Machine:
        (tmp_path / "t.csv").write_text(f"n,time [s]\n{row}\n", encoding="utf-8")
        return rd.load_machine(tmp_path / "m.roof")

    assert loaded("1,2") == loaded("1,2") != loaded("1,3")


@pytest.mark.parametrize("what", ANSWERS)
def test_answers_are_equal_that_say_the_same(what: str, summa: rd.Prediction) -> None:
    told, again = ANSWERS[what](summa), ANSWERS[what](sent(summa))
    assert told == again == copy.copy(told) == copy.deepcopy(told) == sent(told)
    assert hash(told) == hash(again) and told is not again
    dgemv = rd.load_model("dgemv").on(summa.machine)
    assert summa.evaluate(N=2, P=1) != dgemv.evaluate(N=2, P=1) != dgemv.evaluate(N=3, P=1)
    assert summa.sweep(N=[2, 4], P=1) != summa.sweep(N=[2, 6], P=1)


def test_numbers_that_are_undefined_are_equal_too() -> None:
    send = rd.model_from_expressions("send", network="8*n").on(rd.load_machine("karst"))
    result = send.evaluate(n=1)
    assert math.isnan(result.OI) and sent(result) == result


def mappings(made: object) -> Iterator[dict[object, object]]:
    """Yield every mapping inside an answer, but for what it was asked of."""
    if isinstance(made, dict):
        yield made
        made = tuple(made.values())
    if isinstance(made, tuple):
        for item in made:
            yield from mappings(item)
    elif isinstance(made, Unchanging):
        for name in (*getattr(made, "__dataclass_fields__", ()), "margin"):
            if hasattr(made, name):
                yield from mappings(getattr(made, name))


@pytest.mark.parametrize("what", ANSWERS)
def test_what_answers_hold_does_not_change(what: str, summa: rd.Prediction) -> None:
    told = ANSWERS[what](summa)
    shown = str(told)
    found = [*mappings(told)]
    assert found or what in ("crossovers", "regions", "thresholds", "elasticities")
    for each in found:
        assert repr(copy.deepcopy(each)) == repr(each) == repr(sent(each)) == repr({**each})
        assert type(each | {}) is dict and (what == "sweep" or hash(each) == hash(sent(each)))
        for change in (
            partial(operator.setitem, each, "N", 1),
            partial(operator.delitem, each, next(iter(each), "N")),
            partial(operator.ior, each, {"N": 1}),
            partial(each.update, N=1),
            partial(each.setdefault, "N"),
            partial(each.pop, "N"),
            each.popitem,
            each.clear,
        ):
            with pytest.raises(TypeError, match=r"^what an answer holds cannot be changed"):
                change()
    assert str(told) == shown


def test_arrays_of_a_sweep_do_not_change(summa: rd.Prediction) -> None:
    sweep = summa.sweep(N=[242, 4096], P=121)
    for array in (sweep.time, sweep.flops, sweep.times["network"], sweep.parameters["N"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_what_is_named_are_numbers() -> None:
    linear = rd.load_model("linear").on(rd.load_machine("h100_sxm"))
    result = linear.evaluate(M=64, I=64, O=64)
    assert result.parameters["dtype"] == "fp32" and "dtype" not in result.named
    assert result.named["e"] == 4


def test_completion_offers_public_names() -> None:
    assert dir(rd.plot) == sorted(rd.plot.__all__)


@pytest.mark.parametrize("what", ["model", "machine", "prediction", "module", *ANSWERS])
def test_completion_offers_what_is_told_of(what: str, summa: rd.Prediction) -> None:
    others = {"model": summa.model, "machine": summa.machine, "prediction": summa}
    made = {**others, "module": rd.load("collectives.mpi")}.get(what) or ANSWERS[what](summa)
    page = (Path(rd.__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {type(made).__name__}\n")[2].partition("\n## ")[0]
    rows, _, own = section.partition("\nFields: ")
    told = {*re.findall(r"^\| `(\w+)", rows, re.MULTILINE), *re.findall(r"`(\w+)`", own)}
    assert {*dir(made)} == told
    for name in inside_of(type(made)) & {"blocks", "prediction", "definition", "rivalry", "asked"}:
        assert getattr(made, name) is not None  # it is there for all that


def test_what_is_made_does_not_change(summa: rd.Prediction) -> None:
    for made, name in (
        (summa, "model"),
        (summa.model, "definition"),
        (summa.evaluate(N=2, P=1), "time"),
    ):
        with pytest.raises(FrozenInstanceError):
            setattr(made, name, None)


@pytest.mark.parametrize(
    "what", ["prediction", "model", "machine", "ridge", "crossover", "plain", "problem", *ANSWERS]
)
def test_what_would_change_something_is_refused_in_words(what: str, summa: rd.Prediction) -> None:
    crossings = summa.crossovers(P=121)
    assert isinstance(crossings, Crossovers)
    others = {
        "prediction": summa,
        "model": summa.model,
        "machine": summa.machine,
        "ridge": summa.ridge,
        "crossover": crossings.crossovers[0],
        "plain": evaluated(summa.asked.bound({"N": 2, "P": 1})),
        "problem": rd.Diagnostic("R0404", "N is none"),
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


def test_the_copy_of_an_answer_of_steps_says_how_firm_its_bound_is() -> None:
    cannon = rd.load_model("cannon").on(rd.load_machine("xeon_e5630"))
    told = cannon.evaluate(N=2000, B=200, P=16)
    # Copied before it is worked out, and all at once: formulas of the copy are other objects.
    for other in (sent(told), copy.deepcopy(told), copy.copy(told)):
        assert other.margin == told.margin is not None
        assert other == told and str(other) == str(told)
        assert other.to_dict() == told.to_dict()


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
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("roofdsl.answer.asked.predict", interrupted)
    for ask in ANSWERS.values():
        with pytest.raises(KeyboardInterrupt):
            ask(summa)
