"""Quantities with their forms as lines of text: in full, as they grow, with numbers."""

from __future__ import annotations

from collections.abc import Sequence

from roofdsl.answer import blocks
from roofdsl.report.fitting import aligned
from roofdsl.report.plain import PLAIN
from roofdsl.typeset.wrapping import wrapped

HANGING = " " * 6
"""What stands before the second line of a formula, and those below."""
LONGEST_NAME = 16
"""The forms of a quantity with a longer name stand below it, those of others beside."""


def equation_lines(items: Sequence[blocks.Equation], width: int) -> list[str]:
    """Return equations in lines, broken where they need more characters than `width`."""
    if any(item.remark for item in items) and all(len(item.lines) == 1 for item in items):
        rows = [[_beside(item) + _shown(item.lines[0]), _unit(item), item.remark] for item in items]
        used = [at for at in range(3) if any(row[at] for row in rows)]
        lines = ["  " + "".join(x) for x in aligned([[row[at] for at in used] for row in rows], 3)]
        if max(map(len, lines)) <= width:
            return lines
    return [line for item in items for line in _lines(item, width)]


def _lines(item: blocks.Equation, width: int) -> list[str]:
    """Return a quantity with its forms; those of a long name stand below it."""
    name = PLAIN.cell(item.name)
    if len(name) > LONGEST_NAME or not item.lines:
        title = f"{name:<10} {_unit(item)}".rstrip()
        head = f"  {title}   {item.remark}".rstrip()
        return [head, *(line for form in item.lines for line in form_lines(form, " " * 4, width))]
    named = f"  {_beside(item)}"
    told = "   ".join(text for text in (_unit(item), item.remark) if text)
    first, *others = item.lines
    lines = [line for form in others for line in form_lines(form, " " * len(named), width)]
    return [*form_lines(first, named, width, told), *lines]


def _beside(item: blocks.Equation) -> str:
    """Return the name of a quantity as it stands before its first form."""
    return f"{PLAIN.cell(item.name):<10} "


def _unit(item: blocks.Equation) -> str:
    return f"[{item.unit}]" if item.unit else ""


def _shown(line: blocks.Form) -> str:
    number = "" if line.number is None else f" {line.comes_to} {PLAIN.cell(line.number)}"
    remark = f"   {line.remark}" if line.remark else ""
    return f"{line.relation} {PLAIN.cell(line.value)}{number}{remark}"


def form_lines(line: blocks.Form, before: str, width: int, told: str = "") -> list[str]:
    """Return the lines of a form: what stands before it, and what is told of it behind."""
    whole = "   ".join(text for text in (before + _shown(line), told) if text)
    if len(whole) <= width:
        return [whole]
    start = f"{before}{line.relation} "
    formula = PLAIN.cell(line.value)
    behind = whole[len(start) + len(formula) :]
    first, *others = wrapped(formula, width - len(HANGING), width - len(start))
    lines = [start + first, *(HANGING + other for other in others)]
    if len(lines[-1]) + len(behind) > width:
        return [*lines, HANGING + behind.strip()]
    return [*lines[:-1], lines[-1] + behind]
