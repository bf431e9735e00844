"""Tensors: what a model reads, makes, keeps for its gradients, and holds all the time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.diagnostic import Label, did_you_mean, listing
from roofdsl.expression.construct import add
from roofdsl.expression.tree import ZERO, Expression
from roofdsl.model import mismatch
from roofdsl.model.elaborate import fits, value
from roofdsl.model.kept import Keep, Tensor
from roofdsl.model.scope import Scope
from roofdsl.model.tally import ACTIVATIONS, FOOTPRINT, PEAK_MEMORY, steps_in
from roofdsl.model.types import Formula, Part, Tally
from roofdsl.source import Span
from roofdsl.syntax import expressions, nodes, tensor_nodes
from roofdsl.syntax.comments import doc_comment
from roofdsl.units.dimension import BYTE

_Word: TypeAlias = Literal["in", "out", "hold", "keep"]
_RESULTS = (FOOTPRINT, ACTIVATIONS, PEAK_MEMORY)


class Memory(NamedTuple):
    """The tensors of a model, and what it keeps from one of its steps to another."""

    tensors: tuple[Tensor, ...]
    keeps: tuple[Keep, ...]

    def tallied(self, tallies: tuple[Tally, ...], scope: Scope) -> tuple[Tally, ...]:
        """Return tallies with those of what is held: each by its name, and all in `footprint`."""
        held = [each for each in self.tensors if each.word == "hold"]
        if not held:
            return tallies
        taken = {tally.name: tally.span for tally in tallies}
        own: list[Tally] = []
        for each in held:
            first = taken.get(each.name) or scope.place(each.name)
            if first is not None:
                _twice(each.name, each.span, first, scope)
            formula = Formula(each.size or ZERO, BYTE)
            own.append(Tally(each.name, formula, each.doc, each.span))
        stated = next((each for each in tallies if each.name == FOOTPRINT), None)
        sizes = [each.formula.tree for each in (*own, *((stated,) if stated else ()))]
        whole = Tally(
            FOOTPRINT,
            Formula(add(*sizes), BYTE),
            stated.doc if stated else "",
            stated.span if stated else held[0].span,
        )
        return (*(each for each in tallies if each is not stated), *own, whole)


def memory_of(items: Sequence[object], parts: tuple[Part, ...], scope: Scope) -> Memory:
    """Return the tensors that statements describe; report what is wrong with them."""
    tensors: dict[str, Tensor] = {}
    stated = [item for item in items if isinstance(item, tensor_nodes.TensorStatement)]
    for each in sorted(stated, key=lambda x: ("in", "out", "hold").index(x.word)):
        if not (parts and _of_a_kernel(each, scope)):
            _declare(each, each.word, tensors, scope, composed=bool(parts))
    kept = [
        item for item in items if isinstance(item, tensor_nodes.KeepStatement) and not item.begins
    ]
    for made in kept:
        if not (parts and _of_a_kernel(made, scope)):
            _declare(made, "keep", tensors, scope)
    for item in items:
        if isinstance(item, tensor_nodes.KeptStatement):
            for name in item.names:
                _keep(name, tensors, parts, scope)
    _check_sources(parts, tensors, scope)
    keeps = [keep for item in items if (keep := _kept_between(item, parts, scope)) is not None]
    return Memory(tuple(tensors.values()), tuple(keeps))


def explain_names(items: Iterable[object], scope: Scope) -> None:
    """Let a scope say of the names of tensors why they mean nothing in formulas."""
    for item in items:
        if isinstance(item, tensor_nodes.TensorStatement | tensor_nodes.KeepStatement):
            hint = f"'{item.name.name}' is a tensor; name its bytes with `let`, and use that"
            scope.explain(item.name.name, hint)


def _of_a_kernel(
    item: tensor_nodes.TensorStatement | tensor_nodes.KeepStatement, scope: Scope
) -> bool:
    """Whether a statement belongs in a model with work of its own; report it."""
    if isinstance(item, tensor_nodes.KeepStatement):
        message = f"nothing says from where to where '{item.name.name}' is kept"
        hint = f"between steps, say so: `keep {item.name.name} = … from first to last`"
    elif item.word == "out":
        message = "what steps make is stated in them: `out` says nothing around them"
        hint = "the result of a model of steps is what its last step makes"
    elif item.word == "hold" and item.since is not None:
        message = "what is held `from here` is stated in a step"
        hint = "move it into the step from which on it is there"
    else:
        return False
    scope.refuse("R0230", message, item.name.span, hint=hint)
    return True


def _declare(
    item: tensor_nodes.TensorStatement | tensor_nodes.KeepStatement,
    word: _Word,
    tensors: dict[str, Tensor],
    scope: Scope,
    *,
    composed: bool = False,
) -> None:
    name, doc = item.name.name, doc_comment(item.span)
    since = item.since if isinstance(item, tensor_nodes.TensorStatement) else None
    if since is not None and (since.name != "here" or word != "hold"):
        message = f"`from {since.name}` says nothing here"
        hint = "`hold gradients = … from here` is there from its step on"
        scope.refuse("R0230", message, since.span, hint=hint)
    if word == "hold" and name in _RESULTS:
        message = f"'{name}' is worked out of what is held"
        scope.refuse("R0218", message, item.name.span, hint="choose another name")
        return
    if name in tensors:
        _twice(name, item.name.span, tensors[name].span, scope)
        return
    if word == "out" and isinstance(item.value, expressions.NameUse):
        source = tensors.get(item.value.name)
        if source is not None and source.word == "in":
            span = item.name.span
            tensors[name] = Tensor(word, name, source.size, False, False, source.name, doc, span)
            return
    if item.value is None and word == "in" and composed:
        span = item.name.span
        tensors[name] = Tensor(word, name, None, False, False, "", doc, span)
        return
    if item.value is None:
        message = f"'{name}' has no size"
        hint = f"say how many bytes it has: `{word} {name} = 4 B * N`"
        scope.refuse("R0230", message, item.name.span, hint=hint)
        size = None
    else:
        size = _bytes(f"'{name}'", item.value, item.name.span, scope)
    # Of a size that is refused it is a tensor all the same: what names it is right.
    here, kept = since is not None, word == "keep"
    tensors[name] = Tensor(word, name, size or ZERO, kept, here, "", doc, item.name.span)


def _bytes(
    what: str, node: expressions.ExpressionSyntax, place: Span, scope: Scope
) -> Expression | None:
    formula = value(node, scope)
    if formula is None:
        return None
    if not fits(formula, BYTE):
        mismatch.assigned(what, formula, node.span, BYTE, place, scope)
        return None
    return formula.tree


def _keep(
    name: expressions.Identifier,
    tensors: dict[str, Tensor],
    parts: tuple[Part, ...],
    scope: Scope,
) -> None:
    found = tensors.get(name.name)
    if parts:
        message = f"nothing says from where to where '{name.name}' is kept"
        hint = "between steps, say so: `keep forward to backward`"
        scope.refuse("R0230", message, name.span, hint=hint)
        return
    if found is not None and found.word != "hold":
        tensors[name.name] = found._replace(kept=True)
        return
    known = [each.name for each in tensors.values() if each.word != "hold"]
    if found is not None:
        message = f"'{name.name}' is held all the time, so it need not be kept"
        hint = "keep what the model reads or makes"
    else:
        message = f"there is no tensor '{name.name}' to keep"
        stated = f"there are {listing(known)}" if known else "state one: `in x = bytes`"
        hint = did_you_mean(name.name, known) or stated
    scope.refuse("R0230", message, name.span, hint=hint)


def _check_sources(parts: tuple[Part, ...], tensors: dict[str, Tensor], scope: Scope) -> None:
    known = [each.name for each in tensors.values() if each.word == "in"]
    steps = steps_in(parts)
    later = {step.name for step in steps}
    for step in steps:
        for source in step.sources:
            if source.name not in known:
                message = f"'{step.name}' cannot read '{source.name}'"
                hint = did_you_mean(source.name, known)
                if source.name in later:
                    hint = "a step reads what steps before it make"
                elif not hint and known:
                    hint = f"before it there are {listing(known)}"
                elif not hint:
                    hint = "before it there is no step; state what is there: `in x = bytes`"
                scope.refuse("R0230", message, source.span, hint=hint)
        known.append(step.name)


def _kept_between(item: object, parts: tuple[Part, ...], scope: Scope) -> Keep | None:
    name, size = "", None
    if isinstance(item, tensor_nodes.KeepStatement) and item.begins is not None:
        name, size = (
            item.name.name,
            _bytes(f"'{item.name.name}'", item.value, item.name.span, scope),
        )
        begins, ends = item.begins, item.ends
        if size is None:
            return None
    elif isinstance(item, tensor_nodes.KeepToStatement):
        begins, ends = item.begins, item.ends
    else:
        return None
    assert ends is not None  # the grammar has both
    first, last = _path(begins, parts, scope), _path(ends, parts, scope)
    if first is None or last is None:
        return None
    if not _comes_after(last, first, parts):
        message = f"'{ends.text}' does not come after '{begins.text}'"
        hint = "what is kept is kept until a later step has used it"
        scope.refuse("R0230", message, ends.span, hint=hint)
        return None
    return Keep(name, size, first, last, item.span)


def _comes_after(last: Sequence[str], first: Sequence[str], parts: tuple[Part, ...]) -> bool:
    """Whether the step of one path is another than that of the other, and comes after it."""
    for one, other in zip(first, last, strict=False):
        steps = steps_in(parts)
        if one != other:
            order = [step.name for step in steps]
            return order.index(one) < order.index(other)
        parts = next(step.model.parts for step in steps if step.name == one)
    return False


def _path(
    path: expressions.PathSyntax, parts: tuple[Part, ...], scope: Scope
) -> tuple[str, ...] | None:
    names, inside = tuple(each.name for each in path.names), parts
    for name in names:
        steps = {step.name: step for step in steps_in(inside)}
        if name not in steps:
            message = f"there is no step '{name}'"
            hint = did_you_mean(name, steps)
            if not hint and steps:
                hint = f"there are {listing([*steps])}"
            elif not hint:
                whole = f"'{path.text.rpartition('.')[0]}'" if len(names) > 1 else "the model"
                hint = f"{whole} has no steps"
            scope.refuse("R0230", message, path.span, hint=hint)
            return None
        inside = steps[name].model.parts
    return names


def _twice(name: str, place: Span, first: Span, scope: Scope) -> None:
    labels = Label(place, "again here"), Label(first, "first here")
    message, hint = f"'{name}' is defined twice", "rename one of them"
    scope.refuse("R0202", message, *labels, hint=hint)


def sources_of(statement: nodes.StepCall, scope: Scope) -> tuple[expressions.Identifier, ...]:
    """Return what a step reads, as named; report what is no name of one step."""
    if statement.sources is None:
        return ()
    found: list[expressions.Identifier] = []
    for path in statement.sources.paths:
        if len(path.names) > 1:
            message = f"'{path.text}' is inside another step"
            hint = f"a step reads what '{path.names[0].name}' makes: write that"
            scope.refuse("R0230", message, path.span, hint=hint)
        found.append(path.names[0])
    return tuple(found)


def overwrites(statement: nodes.StepCall, scope: Scope) -> bool:
    """Whether a step's result takes the place of what it reads: `in place`."""
    if statement.place is None:
        return False
    if statement.place.name != "place":
        message = f"`in {statement.place.name}` says nothing here"
        hint = "a result that takes the place of what is read is made `in place`"
        scope.refuse("R0230", message, statement.place.span, hint=hint)
    return True
