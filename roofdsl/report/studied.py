"""Studies of a prediction: sensitivity, scaling, asymptotics; as text and as JSON."""

from __future__ import annotations

import json

from roofdsl.analysis.asymptotic import Asymptotics, bound_in_words
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.scaling import Isoefficiency, Scaling
from roofdsl.analysis.sensitivity import Sensitivity
from roofdsl.expression.tree import Expression
from roofdsl.report.columns import aligned, indented
from roofdsl.report.json_value import SCHEMA, Json, number
from roofdsl.report.numeric import parameters_text
from roofdsl.typeset.text import text
from roofdsl.units.dimension import SECOND
from roofdsl.units.quantity import show_number, show_quantity


def sensitivity_text(answer: Sensitivity, prediction: Prediction) -> str:
    """Return the elasticities of the time, ranked, each as a sentence."""
    time = show_quantity(answer.time, SECOND)
    lines = [f"{_head(prediction)}   time {time}, bound {answer.bound}", ""]
    rows = []
    for item in answer.elasticities:
        if item.value is None:
            rows.append([item.name, "–", "has no derivative here"])
            continue
        grown = "a 1 % faster" if item.rate else "a 1 % larger"
        change = show_number(abs(item.value), 3)
        effect = "less" if item.value < 0 else "more"
        says = f"{grown} {item.name} gives {change} % {effect} time" if item.value else "no effect"
        rows.append([item.name, show_number(item.value, 4), says])
    return "\n".join([*lines, indented(aligned(rows))])


def sensitivity_json(answer: Sensitivity, prediction: Prediction) -> str:
    """Return the same as JSON, with the formulas."""
    return _dump(
        {
            **_document(prediction),
            "time": number(answer.time),
            "bound": answer.bound,
            "elasticities": [
                {"name": item.name, "value": number(item.value), "formula": _text(item.formula)}
                for item in answer.elasticities
            ],
        }
    )


def scaling_text(answer: Scaling, prediction: Prediction, iso: Isoefficiency | None) -> str:
    """Return speed-up and efficiency by processes, and how many are worth it."""
    lines = [_head(prediction), "", indented(aligned(scaling_rows(answer))), ""]
    lines.append(useful_text(answer))
    if iso is not None:
        lines += ["", efficiency_text(iso), indented(aligned(size_rows(iso)))]
    return "\n".join(lines)


def scaling_rows(answer: Scaling) -> list[list[str]]:
    """Return a row for each count of processes, headings first."""
    rows = [["processes", "time", "speed-up", "efficiency"]]
    for point in answer.points:
        rows.append(
            [
                str(point.processes),
                show_quantity(point.time, SECOND),
                show_number(point.speedup, 4),
                f"{100 * point.efficiency:.3g} %",
            ]
        )
    return rows


def useful_text(answer: Scaling) -> str:
    """Return from which count of processes on more do not help."""
    if not answer.proven:
        return "the most useful count of processes is undecided"
    if answer.most_useful is None:
        return "more processes still make it faster at 10^15 (proven)"
    count = f"{answer.most_useful:,}".replace(",", " ")
    return f"more than {count} processes never make it faster (proven up to 10^15)"


def efficiency_text(iso: Isoefficiency) -> str:
    """Return what the sizes of `size_rows` keep."""
    return f"least size that keeps an efficiency of {float(100 * iso.efficiency):g} %"


def size_rows(iso: Isoefficiency) -> list[list[str]]:
    """Return the least size for each count of processes, headings first."""
    sizes = [[str(p), "none" if n is None else show_number(n, 6)] for p, n in iso.sizes]
    return [["processes", "size"], *sizes]


def scaling_json(answer: Scaling, prediction: Prediction, iso: Isoefficiency | None) -> str:
    """Return the same as JSON."""
    document: dict[str, Json] = {
        **_document(prediction),
        "points": [
            {
                "processes": point.processes,
                "time": number(point.time),
                "speedup": number(point.speedup),
                "efficiency": number(point.efficiency),
            }
            for point in answer.points
        ],
        "most_useful": answer.most_useful,
        "proven": answer.proven,
    }
    if iso is not None:
        document["efficiency"] = float(iso.efficiency)
        document["sizes"] = [{"processes": p, "size": n} for p, n in iso.sizes]
    return _dump(document)


def asymptotics_text(answer: Asymptotics, prediction: Prediction) -> str:
    """Return the leading term of each time, and the bound in the end."""
    name = answer.unknown.name
    rows = [[resource, _shown(tree)] for resource, tree in answer.times.items()]
    bound = bound_in_words(answer.bound, prediction, name)
    lines = [f"{_head(prediction)}   as {name} grows", "", "times, leading terms [s]"]
    return "\n".join([*lines, indented(aligned(rows)), "", f"bound in the end: {bound}"])


def asymptotics_json(answer: Asymptotics, prediction: Prediction) -> str:
    """Return the same as JSON."""
    return _dump(
        {
            **_document(prediction),
            "unknown": answer.unknown.name,
            "times": {name: _text(tree) for name, tree in answer.times.items()},
            "bound": answer.bound,
        }
    )


def _shown(tree: Expression | None) -> str:
    return "no leading term known" if tree is None else text(tree)


def _text(tree: Expression | None) -> str | None:
    return None if tree is None else text(tree)


def _head(prediction: Prediction) -> str:
    settings = parameters_text(prediction)
    return f"{prediction.model.name} on {prediction.machine.name}   {settings}".rstrip()


def _document(prediction: Prediction) -> dict[str, Json]:
    return {
        "schema": SCHEMA,
        "model": prediction.model.name,
        "machine": prediction.machine.name,
    }


def _dump(document: dict[str, Json]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
