"""What a certificate asks, the formulas it compares, and its answer, as text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from roofdsl.verify.certificate import Certificate, Node, Shown, span

_PLAIN = re.compile(r"[\w.]+(\([^()]*\))?")
_SAID = {
    "largest": "{} is the largest",
    "at least": "{} is the largest, or one of several that are equal",
    "tie": "{} are equal, and the largest",
    "one of": "now one, now another of {} is the largest",
    "no value": "nothing is said: the model has no value there",
}


def question(c: Certificate, shown: Shown = str) -> Iterator[str]:
    """Yield what a certificate asks, and of what."""
    kind = "whole" if c.whole else "real"
    yield f"which of {', '.join(c.rivals)} is the largest for every {kind} {c.unknown}?"
    yield f"{c.unknown} from {shown(c.low)} to {shown(c.high)}"
    yield from (f"{name} = {value}" for name, value in c.parameters.items())
    yield f"model {c.model}, machine {c.machine}"
    yield from (f"sha256 of the {name}: {digest}" for name, digest in c.digests.items())


def formulas(certificate: Certificate) -> Iterator[str]:
    """Yield every formula that is compared; one used in several places has a name of its own."""
    used = Counter(each for node in certificate.nodes for each in node.operands)
    texts: list[str] = []
    for place, node in enumerate(certificate.nodes):
        named = {"x": certificate.unknown, "index": f"k{place}", "number": node.text}
        text = named.get(node.kind) or _written(node, [texts[each] for each in node.operands])
        if used[place] > 1 and node.operands:
            yield f"f{place} = {text}"
            text = f"f{place}"
        texts.append(text)
    yield from (f"{label}: {texts[place]}" for label, place in certificate.rivals.items())


def answer(c: Certificate, shown: Shown = str) -> Iterator[str]:
    """Yield what is the largest where, and the gaps between these of which nothing is proven."""
    before = c.low
    for regime in c.regimes:
        if not c.whole and before < regime.first:
            yield f"{c.unknown} between {shown(before)} and {shown(regime.first)}: not proven"
        yield f"{span(c, regime, shown)}: {_SAID[regime.kind].format(', '.join(regime.labels))}"
        before = regime.last
    counts = [len(each.items) for each in c.comparisons]
    yield f"by {sum(counts)} boxes in {len(counts)} comparisons"


def _written(node: Node, texts: Sequence[str]) -> str:
    if node.kind in ("+", "*", "/", "^"):
        sign = f" {node.kind} " if node.kind == "+" else node.kind
        return sign.join(each if _PLAIN.fullmatch(each) else f"({each})" for each in texts)
    half = len(texts) // 2
    match node.kind:
        case "pick" if node.operands[:half] == node.operands[half:]:
            return f"max({', '.join(texts[:half])})"
        case "pick":
            return f"by_largest({', '.join(map('{}: {}'.format, texts, texts[half:]))})"
        case "sum":
            return "sum({1} for {0} in {2}..{3})".format(*texts)
        case "if <" | "if <=" | "if ==":
            return f"if({texts[0]} {node.kind[3:]} {texts[1]}: {texts[2]}, else {texts[3]})"
    return f"{node.kind}({', '.join(texts)})"
