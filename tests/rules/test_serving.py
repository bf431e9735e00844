"""Which rate serves which flops, on all machines of a few rates, by the table of the language."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.model.library import check_text
from roofdsl.model.types import Module
from roofdsl.source import Source

RATES = {
    "flops": 1,
    "flops.bf16": 2,
    "flops.matrix": 4,
    "flops.matrix.bf16": 8,
    "flops.vector": 16,
    "flops.vector.bf16": 32,
    "flops.vector.fp64": 64,
}
ASKED = (
    *RATES,
    *("flops.fp64", "flops.special.fp64", "flops.special", "flops.matrix.fp64"),
)


def serving(asked: str, rates: list[str], default: str) -> str | None:
    """Return the rate that the table names, None where work does not know its rate."""
    if asked in rates:
        return asked
    unit, kind = parts(asked)
    units = [each for each in rates if parts(each)[0]]
    everything = "flops" if rates == ["flops"] else None
    if not unit and not kind:
        alone = rates[0] if len(rates) == 1 and parts(rates[0])[0] != "matrix" else None
        return default or alone
    if not unit:
        if kind == parts(default)[1]:
            return default
        having = [each for each in rates if parts(each)[1] == kind]
        if having:
            return having[0] if having == [f"flops.vector.{kind}"] else None
        return everything
    for each in dict.fromkeys((unit, "vector")):
        inside = [key for key in units if parts(key)[0] == each]
        if kind:
            named = [key for key in (f"flops.{each}.{kind}", f"flops.{each}") if key in inside]
        else:
            whole = [key for key in inside if not parts(key)[1]]
            named = whole or ([default] if default in inside else inside)
            named = named if len(named) == 1 else []
        if named:
            return named[0]
    if kind and f"flops.{kind}" in rates:
        return f"flops.{kind}"
    return everything


def parts(key: str) -> tuple[str, str]:
    """Return the unit and the kind that a name has."""
    _, *named = key.split(".")
    unit = named.pop(0) if named and named[0] in ("matrix", "vector", "special") else ""
    return unit, "".join(named)


def machine(rates: list[str], default: str) -> Module | None:
    """Return a machine of some rates, and a model of each work; None for what is refused."""
    lines = [f"{key} = {RATES[key]} flop/s" for key in rates if key == "flops"]
    inside = [f"{k.removeprefix('flops.')} = {RATES[k]} flop/s" for k in rates if k != "flops"]
    inside += [f"default {default.removeprefix('flops.')}"] if default else []
    lines += [f"flops {{ {'; '.join(inside)} }}"] if inside else []
    models = [f"model m{place} {{ {asked} = 64 }}" for place, asked in enumerate(ASKED)]
    text = "\n".join([*models, f"machine box {{ {'; '.join(lines)} }}"])
    module, problems = check_text(Source("serving.roof", text))
    return None if any(each.severity == "error" for each in problems) else module


def wrong(module: Module, asked: str, rates: list[str], default: str) -> Iterator[str]:
    key = serving(asked, rates, default)
    here = f"{asked} on {rates}, default {default or 'none'}"
    model = module.models[f"m{ASKED.index(asked)}"]
    prediction, refused = predict(model, module.machines["box"], {})
    if refused:
        yield from [f"{here}: refused, not {key}"] if key else []
        return
    answer = evaluated(prediction)
    if key is None:
        yield f"{here}: takes {answer.time} s, and knows no rate"
    elif answer.time != 64 / RATES[key]:
        yield f"{here}: takes {answer.time} s, not at {key}"
    elif not (asked == key or (asked == "flops" and len(rates) == 1) or answer.notes):
        yield f"{here}: not a word of {key}"


def test_every_kind_is_served_as_the_table_says() -> None:
    found, machines = [], 0
    for count in (1, 2, 3):
        for rates in map(list, combinations(RATES, count)):
            kinds = [key for key in rates if key != "flops"]
            for default in dict.fromkeys(("", *kinds[:1], *kinds[-1:])):
                module = machine(rates, default)
                if module is not None:
                    machines += 1
                    found += [x for each in ASKED for x in wrong(module, each, rates, default)]
    assert not found, "\n".join([str(len(found)), *found])
    assert machines > len(RATES)
