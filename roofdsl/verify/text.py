"""What a certificate asks, the formulas it compares, and its answer, as text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from roofdsl.verify.certificate import Certificate, Node, span

_PLAIN = re.compile(r"[\w.]+(\([^()]*\))?")
_SAID = {
    "largest": "{} is the largest",
    "at least": "{} is the largest, or one of several that are equal",
    "tie": "{} are equal, and the largest",
    "one of": "now one, now another of {} is the largest",
    "no value": "nothing is said: the model has no value there",
}


def question(c: Certificate) -> Iterator[str]:
    """Yield what a certificate asks, and of what."""
    kind = "whole" if c.whole else "real"
    yield f"which of {', '.join(c.rivals)} is the largest for every {kind} {c.unknown}?"
    yield f"{c.unknown} from {c.low} to {c.high}"
    yield from (f"{name} = {value}" for name, value in c.parameters.items())
    yield f"model {c.model}, machine {c.machine}"
    yield from (f"sha256 of the {name}: {digest}" for name, digest in c.digests.items())


def formulas(certificate: Certificate) -> Iterator[str]:
    """Yield every formula that is compared; one used in several places has a name of its own."""
    used = Counter(each for node in certificate.nodes for each in node.operands)
    texts: list[str] = []
    for place, node in enumerate(certificate.nodes):
        text = _written(node, [texts[each] for each in node.operands])
        if node.kind in ("x", "index"):
            text = certificate.unknown if node.kind == "x" else f"k{place}"
        if used[place] > 1 and node.operands:
            yield f"f{place} = {text}"
            text = f"f{place}"
        texts.append(text)
    yield from (f"{label}: {texts[place]}" for label, place in certificate.rivals.items())


def answer(certificate: Certificate) -> Iterator[str]:
    """Yield what is the largest where."""
    for regime in certificate.regimes:
        said = _SAID[regime.kind].format(", ".join(regime.labels))
        yield f"{span(certificate, regime)}: {said}"
    count = sum(len(each.items) for each in certificate.comparisons)
    yield f"by {count} boxes in {len(certificate.comparisons)} comparisons"


def _written(node: Node, texts: Sequence[str]) -> str:
    if node.kind in ("+", "*", "/", "^"):
        sign = f" {node.kind} " if node.kind == "+" else node.kind
        return sign.join(each if _PLAIN.fullmatch(each) else f"({each})" for each in texts)
    half = len(texts) // 2
    match node.kind:
        case "number":
            return node.text
        case "pick" if node.operands[:half] == node.operands[half:]:
            return f"max({', '.join(texts[:half])})"
        case "pick":
            cases = zip(texts[:half], texts[half:], strict=True)
            return f"by_largest({', '.join(map(': '.join, cases))})"
        case "sum":
            return "sum({1} for {0} in {2}..{3})".format(*texts)
        case "if <" | "if <=" | "if ==":
            return f"if({texts[0]} {node.kind[3:]} {texts[1]}: {texts[2]}, else {texts[3]})"
    return f"{node.kind}({', '.join(texts)})"
