"""What was measured as the text of a machine, with the tables that stand beside it."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence

from roofdsl.inert import in_a_line, quoted
from roofdsl.measure.found import Card, Found, Measured
from roofdsl.measure.job import Done
from roofdsl.measure.rounding import as_measured
from roofdsl.units.quantity import show_binary


def machine_text(
    measured: Measured, name: str, tables: Mapping[str, str], today: datetime.date
) -> str:
    """Return the text of a machine; `tables` are the files of products by their precision."""
    return "\n".join(_lines(measured, name, tables, today)) + "\n"


def _lines(
    measured: Measured, name: str, tables: Mapping[str, str], today: datetime.date
) -> Iterator[str]:
    yield f"## {in_a_line(measured.hardware.processor)}, as one process sees it: measured."
    yield "##"
    yield "## `matrix` are products of matrices, `vector` other arithmetic, `special` exponentials,"
    yield "## one flop each. Plain `flops` are those of products, the largest that was measured."
    if measured.busy is not None:
        yield "## The machine was busy: these rates may be too low."
    for note in measured.notes:
        yield f"## Note: {in_a_line(note)}."
    yield f"machine {name} {{"
    yield f'    source "measured: {today.isoformat()}"'
    for source in measured.sources:
        yield f"    source {quoted(source)}"
    if measured.busy is not None:
        yield f"    source {quoted(f'the machine was busy: {measured.busy}')}"
    if measured.card is not None:
        yield f"    source {quoted(f'gpu: {measured.card.name}, {measured.card.library}')}"
    yield ""
    yield f"    param cores: integer = {measured.threads}{' ' * 15}## that the rates are of"
    for cache in measured.hardware.caches:
        yield f"    let L{cache.level}_per_core = {show_binary(cache.of_one(cache.shared))}"
    yield ""
    yield from _rates(measured.found)
    for precision, file in tables.items():
        rate = f"flops.matrix.{precision}"
        yield f"    measured {rate} as gemm(m, n, k) from {quoted(file)} interpolate"
    if measured.card is not None:
        yield from _card(measured.card)
    yield "}"


def _rates(found: Sequence[Found]) -> Iterator[str]:
    groups: dict[str, list[Found]] = {}
    for each in found:
        groups.setdefault(each.resource.partition(".")[0], []).append(each)
    for resource, members in groups.items():
        inside = [each for each in members if "." in each.resource]
        if len(inside) < len(members):
            for each in members:
                yield f"    {each.resource} = {_value(each)}"
            continue
        yield f"    {resource} {{"
        for each in inside:
            yield f"        {each.resource.partition('.')[2]} = {_value(each)}"
        for default in _defaults(resource, inside):
            yield f"        default {default}"
        yield "    }"


def _defaults(resource: str, found: Sequence[Found]) -> list[str]:
    """Return the kinds that stand for plain work: products of each precision, and main memory."""
    names = [each.resource.partition(".")[2] for each in found]
    if resource == "flops":
        return [name for name in names if name.startswith("matrix.")]
    return [name for name in names if name == "DRAM"]


def _value(found: Found) -> str:
    value = as_measured(found.rate, found.dimension)
    return f"{value:<32}## {found.note}" if found.note else value


def _card(card: Card) -> Iterator[str]:
    yield "    device gpu {"
    for line in _rates(card.found):
        yield f"    {line}"
    yield "    }"


def table_text(done: Sequence[Done], of: str) -> str:
    """Return a table of products as CSV: the times are medians."""
    lines = [f"# {of}", "m,n,k,time [s]"]
    lines += [f"{','.join(map(str, each.detail))},{each.times.median:.4g}" for each in done]
    return "\n".join(lines) + "\n"
