"""Charges put into a user's template: each body charges itself whenever it is gone through.

A body is charged for all that is in it, also for branches that are not taken, as names in them are
looked up before. What in it may be gone through more than once is a body of its own. What Jinja has
no hook for (comparisons, slices, keys, values spread out, texts joined by `~`) becomes a filter.
"""

from __future__ import annotations

from math import inf

from jinja2 import TemplateSyntaxError, nodes
from jinja2.visitor import NodeTransformer

from roofdsl.allowance import operations
from roofdsl.report.template_work import CALL, COPIED

GONE_THROUGH, WEIGHED = "gone through", "weighed once"
"""Filters of our own, by names that no template can write."""
_PART, _BODY = 1 / 4, 2
"""The operations for a name or a tag of a body, and for the body itself."""
_SLOW = (
    *(nodes.CallBlock, nodes.FilterBlock, nodes.Macro, nodes.Include, nodes.Import),
    *(nodes.FromImport, nodes.Extends, nodes.List, nodes.Tuple, nodes.Dict, nodes.Pair),
)
"""Parts that load a template, or make something for Python to keep."""


class Charges(NodeTransformer):
    """Puts the charges into a parsed template, in place."""

    parts = 0.0
    names = 0

    def visit(self, node: nodes.Node, *_: object, **__: object) -> nodes.Node:
        before = self.parts
        if isinstance(node, nodes.Template):
            self.names = sum(name.ctx != "load" for name in node.find_all(nodes.Name))
        if isinstance(node, nodes.Include | nodes.Import | nodes.FromImport | nodes.Block):
            self.parts += self.names  # which it may be given, each time
        given = isinstance(node, nodes.Name) and node.ctx == "param"
        self.parts += CALL if isinstance(node, _SLOW) else CALL / 2 if given else _PART
        self.generic_visit(node)
        match node:
            case nodes.Template() | nodes.Block() | nodes.Macro() | nodes.CallBlock() | nodes.For():
                parts = _BODY + self.parts - before
                operations().spend(CALL * parts)
                nothing = nodes.Const(None, lineno=node.lineno)
                charge = _filtered(GONE_THROUGH, nothing, parts)
                node.body.insert(0, nodes.ExprStmt(charge, lineno=node.lineno))
                if isinstance(node, nodes.For) and node.test is not None:
                    inside = sum(1 for _ in node.test.find_all(nodes.Node))
                    node.test = _filtered(GONE_THROUGH, node.test, _BODY + inside)
            case nodes.Const(value=value) if value == inf:
                raise TemplateSyntaxError("a number is too large", node.lineno)
            case nodes.Concat():
                return _filtered("join", nodes.Tuple(node.nodes, "load", lineno=node.lineno))
            case nodes.Compare() if not all(isinstance(op.expr, nodes.Const) for op in node.ops):
                node.expr = _filtered(WEIGHED, node.expr)
                for op in node.ops:
                    op.expr = _filtered(WEIGHED, op.expr)
            case nodes.Pair() if not isinstance(node.key, nodes.Const):
                node.key = _filtered(WEIGHED, node.key)
            case nodes.Getitem() if isinstance(node.arg, nodes.Slice):
                node.node = _filtered(WEIGHED, node.node, COPIED)
            case nodes.Call() | nodes.Filter() | nodes.Test():
                if node.dyn_args is not None:
                    node.dyn_args = _filtered("list", node.dyn_args)
                if node.dyn_kwargs is not None:
                    node.dyn_kwargs = _filtered(WEIGHED, node.dyn_kwargs, COPIED)
        return node


def _filtered(name: str, value: nodes.Node, *given: object) -> nodes.Filter:
    args = [nodes.Const(each, lineno=value.lineno) for each in given]
    return nodes.Filter(value, name, args, [], None, None, lineno=value.lineno)
