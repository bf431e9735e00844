"""Certificates of crossovers: boxes that prove what binds where, for a checker of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from json import dumps
from typing import NamedTuple

from roofdsl.analysis.certificate_boxes import Boxes, made_of
from roofdsl.analysis.certificate_nodes import Listing, NoCertificate, shown
from roofdsl.analysis.composition import composed
from roofdsl.analysis.crossover import Crossovers
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.regimes import IDLE
from roofdsl.analysis.unknown import Unknown
from roofdsl.numeric.place import Place
from roofdsl.numeric.regime import Regime as Found
from roofdsl.verify.certificate import (
    FORMAT,
    STATES,
    Certificate,
    Comparison,
    Item,
    Node,
    Regime,
    digest_of,
)
from roofdsl.verify.check import check, claims
from roofdsl.verify.forms import TooMuchError

_KINDS = {"largest": "largest", "shared": "at least", "tie": "tie", "band": "one of"}


class Asked(NamedTuple):
    """What a certificate says of its question: names as they were given, values, digests."""

    model: str
    machine: str
    parameters: Mapping[str, str]
    digests: Mapping[str, str]


def listed(prediction: Prediction, unknown: Unknown) -> tuple[list[Node], dict[str, int]]:
    """Return the formulas that compete for the bound, by the law of composition, and their places.

    0 is one of them: what binds takes more time than nothing.
    """
    listing = Listing(unknown.name, unknown.known(prediction.rates))
    rivals = {**composed(prediction.root, listing).rivals, IDLE: listing.zero}
    # What comes of the law besides, such as the charges of a kernel, is left out.
    kept = sorted(made_of(listing.nodes, rivals.values()))
    places = {old: new for new, old in enumerate(kept)}
    nodes = [listing.nodes[old] for old in kept]
    moved = [each._replace(operands=tuple(places[o] for o in each.operands)) for each in nodes]
    return moved, {label: places[old] for label, old in rivals.items()}


def certified(prediction: Prediction, found: Crossovers, asked: Asked) -> Certificate:
    """Return a certificate of what binds where, which the checker has accepted.

    Raises NoCertificate where something is undecided, or no boxes are found for it.
    """
    unknown = found.unknown
    nodes, rivals = listed(prediction, unknown)
    regimes = tuple(_regimes(found.regimes))
    nodes += {
        Node("pick", tuple(rivals[label] for label in each.labels) * 2): None
        for each in regimes
        if each.kind == "one of"
    }
    low, high = place(found.low), place(found.high)
    certificate = Certificate(
        *asked[:3],
        unknown=unknown.name,
        whole=unknown.integer,
        low=low,
        high=high,
        digests=asked.digests,
        nodes=tuple(nodes),
        rivals=rivals,
        comparisons=(),
        regimes=regimes,
    )
    try:
        certificate = certificate._replace(comparisons=_comparisons(certificate))
        failed = check(certificate)
    except TooMuchError:
        raise NoCertificate("it takes more work than is done for one") from None
    if failed is not None:
        raise NoCertificate(failed)
    return certificate


def place(value: Place) -> Fraction:
    """Return a place as certificates state it: of a real unknown, the number that is printed."""
    return Fraction(value) if isinstance(value, int) else Fraction(repr(value))


def _regimes(found: Sequence[Found]) -> Iterator[Regime]:
    for each in found:
        ends = place(each.first), place(each.last)
        if each.kind == "undecided":
            raise NoCertificate(f"what binds is undecided from {each.first} to {each.last}")
        if each.kind == "refused":
            yield Regime(*ends, "no value", ())
        elif each.kind == "idle":
            yield Regime(*ends, "at least", (IDLE,))
        else:
            yield Regime(*ends, _KINDS[each.kind], each.labels)


def _comparisons(certificate: Certificate) -> tuple[Comparison, ...]:
    boxes = Boxes(certificate.nodes, certificate.low, certificate.high, integer=certificate.whole)
    boxes.choices(made_of(certificate.nodes, certificate.rivals.values(), in_sums=False))
    found: dict[tuple[int, int], list[Item]] = {}
    for regime in certificate.regimes:
        # Labels of one formula, such as those of what takes no time, make one claim.
        asked = {(left, right): state for left, right, state, _ in claims(certificate, regime)}
        for pair, state in asked.items():
            if pair[0] != pair[1]:
                shown_by = boxes.regime(*pair, STATES[state], *regime[:2])
                found.setdefault(pair, []).extend(shown_by)
    own = [Comparison(*pair, tuple(items)) for pair, items in found.items()]
    return (*boxes.comparisons, *own)


def as_json(certificate: Certificate) -> bytes:
    """Return a certificate as its file has it."""
    c = certificate
    question = {
        "model": c.model,
        "machine": c.machine,
        "parameters": dict(c.parameters),
        "unknown": c.unknown,
        "whole": c.whole,
        "range": [shown(c.low), shown(c.high)],
    }
    nodes = [[kind, text] if kind == "number" else [kind, *of] for kind, of, text in c.nodes]
    comparisons = [
        {"of": [left, right], "boxes": [_box(item) for item in items]}
        for left, right, items in c.comparisons
    ]
    regimes = [
        [shown(first), shown(last), kind, *labels] for first, last, kind, labels in c.regimes
    ]
    fields: dict[str, object] = {
        "format": FORMAT,
        "question": question,
        "sha256": dict(c.digests),
        "nodes": nodes,
        "rivals": dict(c.rivals),
        "comparisons": comparisons,
        "regimes": regimes,
    }
    fields["sha256"] = {**c.digests, "certificate": digest_of(fields)}
    lines = [f"{dumps(name)}: {_lines(value)}" for name, value in fields.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _lines(value: object) -> str:
    """Return JSON with each member of a list in a line of its own."""
    if isinstance(value, list):
        return "[\n" + ",\n".join(dumps(each) for each in value) + "\n]"
    return dumps(value)


def _box(item: Item) -> list[str]:
    margin = [shown(item.margin)] if item.reason in ("values", "slopes") else []
    return [shown(item.first), shown(item.last), item.state, item.reason, *margin]
