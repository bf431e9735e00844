"""Answers of the solver: regimes, crossovers, thresholds, who is faster; as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from roofdsl.analysis.contest import Faster
from roofdsl.analysis.crossover import Crossover, Crossovers
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import setting
from roofdsl.analysis.threshold import Interval, Thresholds
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.tree import Expression
from roofdsl.numeric.crossover import Regime
from roofdsl.numeric.search import Place
from roofdsl.report.columns import aligned, indented
from roofdsl.report.json_value import SCHEMA, Json, number, plain
from roofdsl.report.numeric import parameters_text
from roofdsl.typeset.text import text
from roofdsl.units.quantity import show_number, show_quantity


def crossovers_text(answer: Crossovers, prediction: Prediction) -> str:
    """Return the regimes and every crossover as a page of text."""
    unknown = answer.unknown
    lines = [_title("crossovers", answer, prediction), ""]
    lines.append(indented(aligned(regime_rows(answer.regimes, unknown))))
    whole = [crossover for crossover in answer.crossovers if crossover.step is None]
    if not whole:
        span = f"{_place(answer.low, unknown)} .. {_place(answer.high, unknown)}"
        lines += ["", f"no crossover in {unknown.name} over {span}"]
    for crossover in whole:
        lines += ["", *_crossover_lines(crossover, unknown)]
    steps = [crossover for crossover in answer.crossovers if crossover.step is not None]
    if steps:
        lines += ["", "where the bound of one step changes"]
        for crossover in steps:
            lines += [indented(line) for line in _crossover_lines(crossover, unknown)]
    lines += ["", _proof(answer.complete, answer.proven_up_to, unknown)]
    return "\n".join(lines)


def regime_rows(regimes: Sequence[Regime], unknown: Unknown) -> list[list[str]]:
    """Return one row a regime: what binds, and from where to where."""
    rows = []
    for regime in regimes:
        if regime.kind == "band":
            what = f"now {', now '.join(regime.labels)}"
        elif regime.kind == "undecided":
            what = f"undecided: {' or '.join(regime.labels)}"
        else:
            what = f"{' and '.join(regime.labels)}-bound"
        rows.append([what, _span(regime.first, regime.last, unknown)])
    return rows


def _span(first: Place, last: Place, unknown: Unknown) -> str:
    low, high = _place(first, unknown), _place(last, unknown)
    if first == last:
        return f"at {unknown.name} = {low}"
    return f"for {low} ≤ {unknown.name} ≤ {high}"


def crossovers_json(answer: Crossovers, prediction: Prediction) -> str:
    """Return the same as JSON."""
    document: dict[str, Json] = {
        **_head(answer.unknown, prediction),
        "range": [number(answer.low), number(answer.high)],
        "regimes": [
            {"from": r.first, "to": r.last, "bound": list(r.labels), "kind": r.kind}
            if len(r.labels) > 1
            else {"from": r.first, "to": r.last, "bound": r.labels[0]}
            for r in answer.regimes
        ],
        "crossovers": [_crossover_json(crossover) for crossover in answer.crossovers],
        "complete": answer.complete,
    }
    if not answer.complete:
        document["proven_up_to"] = answer.proven_up_to
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def boundary_text(
    title: str, swept: Sequence[str], points: Sequence[tuple[list[str], Crossovers]]
) -> str:
    """Return the crossovers at many points of other parameters, one row each."""
    rows, roots = boundary_rows(swept, points)
    complete = all(answer.complete for _, answer in points)
    forms = [f"{name}* = {text(root)}" for root, name in roots.items()]
    lines = [title, "", indented(aligned(rows))]
    if forms:
        lines += ["", *forms]
    return "\n".join([*lines, "", "proven" if complete else "not all proven"])


def boundary_rows(
    swept: Sequence[str], points: Sequence[tuple[list[str], Crossovers]]
) -> tuple[list[list[str]], dict[Expression, str]]:
    """Return the rows, headings first, and the closed forms with the name of the unknown."""
    rows = [[*swept, "from", "to", "at", "kind"]]
    forms: dict[Expression, str] = {}
    for values, answer in points:
        unknown = answer.unknown
        for crossover in answer.crossovers:
            before, after = " and ".join(crossover.before), " and ".join(crossover.after)
            where = _where(crossover.enclosure, crossover.first_integer, unknown)
            rows.append([*values, before, after, where, crossover.kind])
            if crossover.closed_form is not None:
                forms.setdefault(crossover.closed_form, unknown.name)
        if not answer.crossovers:
            bound = " and ".join(answer.regimes[0].labels)
            rows.append([*values, bound, bound, "everywhere", "none"])
    return rows, forms


def boundary_json(
    _title: str, swept: Sequence[str], points: Sequence[tuple[list[str], Crossovers]]
) -> str:
    """Return the same as JSON."""
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "points": [
            {
                "params": dict(zip(swept, values, strict=True)),
                "crossovers": [_crossover_json(crossover) for crossover in answer.crossovers],
                "complete": answer.complete,
            }
            for values, answer in points
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def thresholds_text(answer: Thresholds, prediction: Prediction) -> str:
    """Return where a condition holds as a page of text."""
    unknown = answer.unknown
    lines = [_title(f"such that {answer.condition.text}", answer, prediction), ""]
    if not answer.intervals:
        lines.append("  holds nowhere in the range")
    for interval in answer.intervals:
        lines.append(f"  holds {_span(interval.first, interval.last, unknown)}")
        if interval.first_valid is not None and interval.first_valid != interval.first:
            valid = _place(interval.first_valid, unknown)
            lines.append(f"    first {unknown.name} that the model allows: {valid}")
        lines += _closed_lines(interval.closed_form, interval.closed_form_value, unknown)
    lines += ["", _proof(answer.complete, answer.proven_up_to, unknown)]
    return "\n".join(lines)


def thresholds_json(answer: Thresholds, prediction: Prediction) -> str:
    """Return the same as JSON."""
    document: dict[str, Json] = {
        **_head(answer.unknown, prediction),
        "condition": answer.condition.text,
        "range": [number(answer.low), number(answer.high)],
        "holds": [_interval_json(interval) for interval in answer.intervals],
        "complete": answer.complete,
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def faster_text(answer: Faster, title: str) -> str:
    """Return who is fastest where, as text."""
    unknown = answer.unknown
    rows = lead_rows(answer)
    lines = [title, "", indented(aligned(rows))]
    for crossing, root, value in answer.changes:
        where = _where(crossing.enclosure, crossing.first_integer, unknown)
        lines += ["", f"{' and '.join(crossing.before)} → {' and '.join(crossing.after)} {where}"]
        lines += _closed_lines(root, value, unknown)
    lines += ["", _proof(answer.complete, None, unknown)]
    return "\n".join(lines)


def lead_rows(answer: Faster) -> list[list[str]]:
    """Return who is fastest from where to where, a row each."""
    unknown = answer.unknown
    rows = []
    for lead in answer.leads:
        who = " and ".join(lead.fastest)
        verdict = f"{who} equally fast" if len(lead.fastest) > 1 else f"{who} is faster"
        if not lead.proven:
            verdict = f"undecided: {' or '.join(lead.fastest)}"
        rows.append([verdict, _span(lead.first, lead.last, unknown)])
    return rows


def faster_json(answer: Faster, names: Sequence[str]) -> str:
    """Return the same as JSON."""
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "contenders": list(names),
        "unknown": answer.unknown.name,
        "range": [number(answer.low), number(answer.high)],
        "fastest": [
            {"from": lead.first, "to": lead.last, "fastest": list(lead.fastest)}
            for lead in answer.leads
        ],
        "changes": [
            {
                "before": list(crossing.before),
                "after": list(crossing.after),
                "enclosure": [number(end) for end in crossing.enclosure],
                "first_integer": crossing.first_integer,
                "closed_form": None if root is None else text(root),
                "closed_form_value": number(value),
            }
            for crossing, root, value in answer.changes
        ],
        "complete": answer.complete,
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def _title(what: str, answer: Crossovers | Thresholds, prediction: Prediction) -> str:
    unknown = answer.unknown
    low, high = _place(answer.low, unknown), _place(answer.high, unknown)
    settings = parameters_text(prediction, without=unknown.name)
    head = f"{prediction.model.name} on {prediction.machine.name}: {what}, {unknown.name} in "
    return f"{head}{low} .. {high}   {settings}".rstrip()


def _head(unknown: Unknown, prediction: Prediction) -> dict[str, Json]:
    values = prediction.binding.values
    return {
        "schema": SCHEMA,
        "model": prediction.model.name,
        "machine": prediction.machine.name,
        "params": {
            parameter.name: plain(setting(parameter, values[parameter.name]))
            for parameter in prediction.model.parameters
            if parameter.name in values
        },
        "unknown": unknown.name,
    }


def _crossover_lines(crossover: Crossover, unknown: Unknown) -> list[str]:
    before, after = " and ".join(crossover.before), " and ".join(crossover.after)
    step = f"{crossover.step}: " if crossover.step else ""
    where = _where(crossover.enclosure, crossover.first_integer, unknown)
    note = {
        "tie": ", after an exact tie",
        "touch": ", where the two only touch",
        "jump": ", by a jump",
        "band": ", by jumps too dense to list",
        "switch": "",
    }[crossover.kind]
    change = f"{before} → {after}" if before != after else f"{before}"
    lines = [f"{step}{change} {where}{note}"]
    valid = crossover.first_valid
    if valid is not None and valid != crossover.first_integer:
        lines.append(f"  first {unknown.name} that the model allows: {_place(valid, unknown)}")
    return lines + _closed_lines(crossover.closed_form, crossover.closed_form_value, unknown)


def _where(enclosure: tuple[float, float], first: int | None, unknown: Unknown) -> str:
    low, high = enclosure
    if first is not None:
        return f"from {unknown.name} = {_place(first, unknown)}"
    if high - low > 1e-9 * abs(high):
        return f"between {unknown.name} = {_real(low, unknown)} and {_real(high, unknown)}"
    return f"at {unknown.name} = {_real(low, unknown)}"


def _closed_lines(root: Expression | None, value: float | None, unknown: Unknown) -> list[str]:
    if root is None or value is None:
        return []
    return [f"  {unknown.name}* = {text(root)}", f"     = {_real(value, unknown)}"]


def _crossover_json(crossover: Crossover) -> Json:
    document: dict[str, Json] = {
        "before": _names(crossover.before),
        "after": _names(crossover.after),
        "kind": crossover.kind,
        "enclosure": [number(end) for end in crossover.enclosure],
        "first_integer": crossover.first_integer,
        "first_valid": crossover.first_valid,
        "closed_form": None if crossover.closed_form is None else text(crossover.closed_form),
        "closed_form_value": number(crossover.closed_form_value),
    }
    if crossover.step is not None:
        document["step"] = crossover.step
    return document


def _interval_json(interval: Interval) -> Json:
    return {
        "from": interval.first,
        "to": interval.last,
        "first_valid": interval.first_valid,
        "closed_form": None if interval.closed_form is None else text(interval.closed_form),
        "closed_form_value": number(interval.closed_form_value),
    }


def _names(names: tuple[str, ...]) -> Json:
    return names[0] if len(names) == 1 else list(names)


def _proof(complete: bool, proven_up_to: Place | None, unknown: Unknown) -> str:
    if complete:
        return "proven over the whole range"
    if proven_up_to is None:
        return "not proven: the search stopped at its limit of work"
    return (
        f"proven up to {unknown.name} = {_place(proven_up_to, unknown)}; the search stopped there"
    )


def _place(value: Place, unknown: Unknown) -> str:
    if isinstance(value, int) and unknown.integer:
        exponent = len(str(value)) - 1
        if exponent >= 15 and value == 10**exponent:
            return f"10^{exponent}"
        return f"{value:,}".replace(",", " ") if value >= 10_000 else str(value)
    return _real(float(value), unknown)


def _real(value: float, unknown: Unknown) -> str:
    if unknown.integer:
        return show_number(value, 7)
    return show_quantity(value, unknown.dimension, 7)
