"""The text of a model that was made of a graph."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from roofdsl.importers.graph.composer import Composer, LeftOut, Step
from roofdsl.importers.graph.folding import READ, Block, folded
from roofdsl.importers.graph.values import Value
from roofdsl.importers.written import as_comment, as_text
from roofdsl.inert import in_a_line

_WIDTH = 100
_DOC_AT = 45
OTHERS = "other_parameters"
"""The step of parameters that no layer reads."""


class Written(NamedTuple):
    """What the text of a network is made of; `held` are parameters that no step counts."""

    name: str
    heading: tuple[str, ...]
    source: str
    sizes: Mapping[str, str]
    composer: Composer
    held: Mapping[str, int]


def text_of(of: Written) -> str:
    """Return the file of one model."""
    composer = of.composer
    lines = ["unit element", "unit MAC"]
    if composer.left_out:
        lines.append("unit operator")
    lines += ["", as_comment(of.heading[0])]
    for note in of.heading[1:]:
        lines += ["##", as_comment(f"{note[0].upper()}{note[1:]}.")]
    items = folded(composer.steps, composer.names, [each.place for each in composer.left_out])
    lines.append(f"model {of.name} {{")
    lines += [f"    source {as_text(of.source)}", ""]
    lines += list(_parameters(of, None))
    lines += [_given(name, value) for name, value in composer.given.items()]
    if composer.left_out:
        count = len(composer.left_out)
        stated = f"    tally left_out: operator = {count}"
        lines.append(_documented(stated, "operators without a rule: in no number"))
    lines.append("")
    lines += list(_steps(of, items))
    lines += [*_held(of.held), "}", ""]
    for _, item in items:
        if isinstance(item, Block):
            lines += list(_model_of(of, item))
    return "\n".join(lines)


def _parameters(of: Written, used: set[str] | None) -> Iterator[str]:
    """Yield the parameters of the network, or of a block those that it uses."""
    for name, documentation in of.sizes.items():
        if used is None or name in used:
            yield _documented(f"    param {name}: integer", documentation)
    for name, documentation in of.composer.options.items():
        if used is None or name in used:
            yield _documented(f"    param {name} = true", documentation)
    stated = f"    param dtype: precision = {of.composer.dtype}"
    yield _documented(stated, "of the tensors, and of the arithmetic")
    yield ""


def _given(name: str, value: Value) -> str:
    size = "size(dtype)" if value.is_real else value.bytes_of_one
    elements = "1" if value.shape is None else str(value.elements)
    return f"    in {name} = {size}*{elements}"


def _steps(of: Written, items: Sequence[tuple[int, Step | Block]]) -> Iterator[str]:
    gaps: dict[int, list[LeftOut]] = {}
    for each in of.composer.left_out:
        gaps.setdefault(each.place, []).append(each)
    before: tuple[str, ...] = tuple(of.composer.given)
    for place, item in items:
        yield from map(_comment, gaps.get(place, ()))
        if isinstance(item, Block):
            given = ", ".join(f"{name} = {name}" for name in [*_asked(of, item), "dtype"])
            yield f"    repeat {item.rounds} {{"
            yield f"        step {item.name} = {_name_of(of, item)}({given})"
            yield "    }"
        else:
            yield _step(item, before)
        before = (item.name,)
    yield from map(_comment, gaps.get(len(of.composer.steps), ()))


def _model_of(of: Written, block: Block) -> Iterator[str]:
    """Yield the model of one round of a block."""
    yield f"## One of {block.rounds} such blocks of '{of.name}'."
    yield f"model {_name_of(of, block)} {{"
    yield f"    source {as_text(of.source)}"
    yield ""
    yield from _parameters(of, set(_asked(of, block)))
    yield f"    in {READ}"
    yield ""
    before: tuple[str, ...] = (READ,)
    for step in block.steps:
        yield _step(step, before)
        before = (step.name,)
    yield "}"
    yield ""


def _name_of(of: Written, block: Block) -> str:
    return f"{of.name}_{block.name}"


def _asked(of: Written, block: Block) -> list[str]:
    """Return the parameters that the steps of a block use."""
    words = {
        word
        for step in block.steps
        for _, value in step.arguments
        for word in re.findall(r"[A-Za-z_]\w*", value)
    }
    return [name for name in [*of.sizes, *of.composer.options] if name in words]


def _step(step: Step, before: tuple[str, ...]) -> str:
    words = [f"{key} = {value}," for key, value in step.arguments]
    words[-1] = words[-1].removesuffix(",") + ")"
    if step.sources != before:
        words += [f"from {step.sources[0]},", *(f"{each}," for each in step.sources[1:])]
        words[-1] = words[-1].removesuffix(",")
    line, lines = f"    step {step.name} = {step.layer}({words[0]}", list[str]()
    for word in words[1:]:
        if len(line) + 1 + len(word) > _WIDTH:
            lines.append(line)
            line = f"        {word}"
        else:
            line += f" {word}"
    return "\n".join([*lines, line])


def _comment(left_out: LeftOut) -> str:
    why = f": {left_out.reason}" if left_out.reason else ""
    text = f"{left_out.kind} '{left_out.name}' to {left_out.shape}{why}"
    return f"    # left out, in no number: {in_a_line(text)}"


def _held(held: Mapping[str, int]) -> Iterator[str]:
    if not held:
        return
    total = sum(held.values())
    yield ""
    names = ", ".join(list(held)[:8]) + (", …" if len(held) > 8 else "")
    yield f"    # Parameters that no layer here reads: {in_a_line(names)}"
    yield f"    step {OTHERS} {{"
    yield f"        hold weights = size(dtype)*{total}"
    yield f"        tally parameters: element = {total}"
    yield "    }"


def _documented(statement: str, documentation: str) -> str:
    return f"{statement.ljust(_DOC_AT - 1)} ## {documentation}"
