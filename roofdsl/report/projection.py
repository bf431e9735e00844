"""Projections of a profile as text, JSON and CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from io import StringIO

from roofdsl.analysis.projection import Profile, Projection
from roofdsl.report.columns import aligned, indented
from roofdsl.report.json_value import SCHEMA, Json, number
from roofdsl.units.dimension import SECOND
from roofdsl.units.quantity import show_quantity

MOST_ROWS = 20
DIGITS = 5  # a tenth of a second in an hour


def projection_text(name: str, profile: Profile, projections: Sequence[Projection]) -> str:
    """Return the times of each group on every machine, the longest groups first."""
    title, rows = projection_rows(name, profile, projections)
    text = f"{title}\n\n{indented(aligned(rows))}"
    if projections[0].coverage < 1:
        text += f"\n\n  {THE_REST}"
    return text


THE_REST = "the rest is taken to change as the groups do"


def projection_rows(
    name: str, profile: Profile, projections: Sequence[Projection]
) -> tuple[str, list[list[str]]]:
    """Return what the profile covers, and the rows, headings first."""
    first = projections[0]
    order = sorted(range(len(first.groups)), key=lambda place: -first.groups[place][0].time)
    names = [projection.target for projection in projections]
    rows = [["group", "bound", first.source, "share", *names]]
    for place in order[:MOST_ROWS]:
        group, _ = first.groups[place]
        there = [_time(projection.groups[place][1]) for projection in projections]
        share = _percent(group.time, profile.total)
        rows.append([group.name, group.bound or "", _time(group.time), share, *there])
    left = len(order) - MOST_ROWS
    if left > 0:
        rows.append([f"… and {left:,} more", *[""] * (len(rows[0]) - 1)])
    if first.coverage < 1:
        rest = profile.total * (1 - first.coverage)
        there = [_time(projection.time * (1 - first.coverage)) for projection in projections]
        rows.append(["the rest", "", _time(rest), _percent(rest, profile.total), *there])
    rows.append(["all", "", _time(profile.total), "", *(_time(p.time) for p in projections)])
    rows.append(["speed-up", "", "", "", *(f"{p.speedup:.4g}" for p in projections)])
    if any(projection.measured is not None for projection in projections):
        measured = ["" if p.measured is None else _time(p.measured) for p in projections]
        errors = ["" if p.error is None else f"{p.error:+.2f} %" for p in projections]
        rows += [["measured", "", "", "", *measured], ["error", "", "", "", *errors]]
    count = "1 group" if len(first.groups) == 1 else f"{len(first.groups):,} groups"
    covered = f"{count}, {100 * first.coverage:.1f} % of the time"
    return f"{name}, measured on {first.source}: {covered}", rows


def projection_json(name: str, projections: Sequence[Projection]) -> str:
    """Return JSON: times in seconds, errors in percent, `coverage` as a part of 1."""
    first = projections[0]
    document: Json = {
        "schema": SCHEMA,
        "profile": name,
        "source": first.source,
        "total": number(first.total),
        "coverage": number(first.coverage),
        "targets": [_target(projection) for projection in projections],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def projection_csv(projections: Sequence[Projection]) -> str:
    """Return CSV in seconds: a row for each group on each machine, and one without a group."""
    output = StringIO()
    writer = csv.writer(output, lineterminator="\n")
    quantities = ["time", "projected", "speedup", "measured", "error"]
    writer.writerow(["source", "target", "group", "bound", *quantities])
    for projection in projections:
        machines = [projection.source, projection.target]
        for group, time in projection.groups:
            speedup = group.time / time if time else ""
            writer.writerow([*machines, group.name, group.bound, group.time, time, speedup, "", ""])
        measured = "" if projection.measured is None else projection.measured
        error = "" if projection.error is None else projection.error
        times = [projection.total, projection.time, projection.speedup, measured, error]
        writer.writerow([*machines, "", "", *times])
    return output.getvalue().rstrip("\n")


def _target(projection: Projection) -> Json:
    return {
        "machine": projection.target,
        "time": number(projection.time),
        "speedup": number(projection.speedup),
        "measured": number(projection.measured),
        "error": number(projection.error),
        "groups": [
            {
                "name": group.name,
                "bound": group.bound,
                "time": number(group.time),
                "projected": number(time),
            }
            for group, time in projection.groups
        ],
    }


def _time(seconds: float) -> str:
    return show_quantity(seconds, SECOND, DIGITS)


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %"
