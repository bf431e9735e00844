"""Certificates of random models, and what becomes of them when somebody changes one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from roofdsl.analysis.certificate import Asked, as_json, certified
from roofdsl.analysis.certificate_nodes import NoCertificate
from roofdsl.analysis.crossover import Crossovers, find_regimes
from roofdsl.analysis.open_machine import asked_on, open_domain
from roofdsl.analysis.prediction import Prediction
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.cli.solve_range import read_range
from roofdsl.diagnostic import RoofError
from roofdsl.model.library import load_module
from roofdsl.source import Source
from roofdsl.verify.certificate import Certificate, digest_of, read_certificate
from roofdsl.verify.check import check
from roofdsl.verify.text import answer, formulas, question
from tests.oracle.families import FAMILIES, case
from tests.oracle.model import Case
from tests.oracle.questions import settings

FAMILIES_ASKED = tuple(name for name in FAMILIES if name not in ("open", "grids"))
"""Those that leave no other parameter open."""
DIGESTS = {"model": "a" * 64, "machine": "b" * 64}


class Found(NamedTuple):
    """A random model, its certificate's text, or why it has none."""

    case: Case
    text: str
    none: str = ""


def random_certificates(seed: str, most: int, folder: Path) -> Iterator[Found]:
    """Yield so many certificates, those that are not found among them, family by family."""
    path, made = folder / "m.roof", 0
    for number in count():
        for family in FAMILIES_ASKED:
            made_case = case(family, seed, number)
            path.write_text(made_case.text(), encoding="utf-8")
            try:
                prediction, crossovers = _solved(made_case, path)
            except RoofError:
                continue  # the model is refused there
            if not crossovers.complete:
                continue  # nothing is proven all over the range
            try:
                asked = Asked("m", "box", {"P": "4"}, DIGESTS)
                certificate = certified(prediction, crossovers, asked)
                yield Found(made_case, as_json(certificate).decode())
            except NoCertificate as error:
                yield Found(made_case, "", str(error))
            made += 1
            if made == most:
                return


def _solved(made_case: Case, path: Path) -> tuple[Prediction, Crossovers]:
    """Return what binds where, without closed forms, which take most of the time."""
    module = load_module(path)
    model, machine = module.models["m"], module.machines["box"]
    machine, unknown = asked_on(made_case.unknown, model, machine, closed=True)
    values = {name: Source("a value", str(value)) for name, value in made_case.given.items()}
    prediction = ModelOnMachine(model, machine).bound(values, unknown.free)
    ends = settings(made_case, path)
    text = ends[ends.index("--range") + 1] if "--range" in ends else None
    low, high = read_range(text, open_domain(prediction, unknown))
    found = find_regimes(prediction, unknown, low, high)
    return prediction, Crossovers(unknown, low, high, found.regimes, (), found.proof, ())


def read(text: str) -> Certificate:
    return read_certificate(Source("a certificate", text))


def said(certificate: Certificate) -> list[str]:
    """Return what `roofdsl verify` prints of a certificate."""
    return [line for part in (question, formulas, answer) for line in part(certificate)]


def outcome(text: str, original: list[str]) -> str:
    """Return what becomes of a changed certificate: refused, of another statement, or as good."""
    try:
        certificate = read(text)
        printed = said(certificate)
        refused = check(certificate) is not None
    except RoofError:
        return "refused"
    if refused:
        return "refused"
    same = [line for line in printed if "sha256 of the certificate" not in line]
    if printed == original:
        return "as it was"
    return (
        "another proof"
        if same == [*filter(lambda line: line in same, original)]
        else "another statement"
    )


def _number(random: Random, text: str) -> str:
    """Return another number, near or far."""
    if "/" in text or "e" in text or "." in text:
        return text + random.choice(("1", "7")) if "e" not in text else "1" + text
    value = int(text)
    return str(random.choice((value + 1, value - 1, value * 2, value * 10 + 3)))


def _nodes(random: Random, data: Any) -> None:
    node = random.choice(data["nodes"])
    if node[0] == "number":
        node[1] = _number(random, node[1])
    elif len(node) > 1:
        place = random.randrange(1, len(node))
        node[place] = max(0, node[place] + random.choice((-2, -1, 1)))
    else:
        node[:] = ["number", "7"]


def _operators(random: Random, data: Any) -> None:
    node = random.choice([node for node in data["nodes"] if node[0] in "+*/^"] or [["+"]])
    node[0] = random.choice([each for each in "+*/^" if each != node[0]])


def _box(random: Random, data: Any) -> Any:
    return random.choice(random.choice(data["comparisons"])["boxes"])


def _ends(random: Random, data: Any) -> None:
    box = _box(random, data)
    end = random.randrange(2)
    box[end] = _number(random, box[end])


def _states(random: Random, data: Any) -> None:
    box = _box(random, data)
    box[2] = random.choice([s for s in ("above", "not below", "equal", "x") if s != box[2]])


def _reasons(random: Random, data: Any) -> None:
    box = _box(random, data)
    box[3] = random.choice([s for s in ("values", "slopes", "point", "same") if s != box[3]])


def _margins(random: Random, data: Any) -> None:
    box = _box(random, data)
    box[4:] = [_number(random, box[4])] if len(box) > 4 else ["1"]


def _thresholds(random: Random, data: Any) -> None:
    regime = random.choice(data["regimes"])
    end = random.randrange(2)
    regime[end] = _number(random, regime[end])


def _labels(random: Random, data: Any) -> None:
    regime = random.choice(data["regimes"])
    regime[3:] = [random.choice([*data["rivals"]])]
    regime[2] = random.choice(("largest", "at least", "largest"))


def _dropped(random: Random, data: Any) -> None:
    rows = [data["comparisons"], *(each["boxes"] for each in data["comparisons"])]
    row = random.choice([*rows, data["regimes"], data["nodes"]])
    row.pop(random.randrange(len(row)))


def _swapped(random: Random, data: Any) -> None:
    rows = [*(each["boxes"] for each in data["comparisons"]), data["regimes"], data["nodes"]]
    row = random.choice([row for row in rows if len(row) > 1])
    one, other = random.sample(range(len(row)), 2)
    row[one], row[other] = row[other], row[one]


def _pairs(random: Random, data: Any) -> None:
    compared = random.choice(data["comparisons"])
    compared["of"] = random.choice((compared["of"][::-1], [compared["of"][0], 0]))


def _digest(random: Random, data: Any) -> None:
    key = random.choice(("model", "machine"))
    data["sha256"][key] = "c" + data["sha256"][key][:-1]


def _question(random: Random, data: Any) -> None:
    asked = data["question"]
    key = random.choice(("parameters", "range", "unknown", "whole", "model", "machine"))
    if key == "parameters":
        asked[key] = {"P": "5"}
    elif key == "range":
        end = random.randrange(2)
        asked[key][end] = _number(random, asked[key][end])
    elif key == "whole":
        asked[key] = not asked[key]
    else:
        asked[key] += "2"


CHANGES: tuple[Callable[[Random, Any], None], ...] = (
    *(_nodes, _operators, _ends, _states, _reasons, _margins, _thresholds, _labels),
    *(_dropped, _swapped, _pairs, _digest, _question),
)


def changed(text: str, random: Random, change: Callable[[Random, Any], None]) -> str:
    """Return a certificate with one thing changed, and its digest that of what it says now."""
    original = json.loads(text)
    while True:
        data = deepcopy(original)
        change(random, data)
        if data != original:
            # Who deceives mends the digest.
            data["sha256"]["certificate"] = digest_of(data)
            return json.dumps(data)
