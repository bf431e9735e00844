"""What a user's template may do: Jinja's sandbox, with all of its work counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import TypeAlias, cast

from jinja2 import BaseLoader, Environment, Template, TemplateNotFound, nodes, pass_eval_context
from jinja2.exceptions import SecurityError
from jinja2.nodes import EvalContext
from jinja2.runtime import BlockReference, Context, LoopContext, Macro, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace
from markupsafe import Markup

from roofdsl.allowance import operations
from roofdsl.report.template_bodies import GONE_THROUGH, WEIGHED, Charges
from roofdsl.report.template_work import (
    CALL,
    COLLECTION,
    COPIED,
    ESCAPED,
    LOOKUP,
    METHODS,
    bounded,
    charge,
    refuse_text,
    room_of,
    weighed,
)

_TOKEN = 100
"""The operations for a token of a template: it is parsed and compiled."""
_CHARACTER, _LINE = 10, 100
"""Those for a character and a line of one, as Jinja's lexer and its tracebacks take memory."""
_MAKING = 5
_PIECE = 1 / 4
"""Those for a piece of text that is written."""
_UNCHARGED = frozenset(("default", "d", "length", "count", "first", "last"))
"""Filters that take the same for any value."""
_GOING_THROUGH = frozenset(
    "== != < <= > >= eq equalto ne lt lessthan le gt greaterthan ge in lower upper odd even"
    " divisibleby".split()
)
"""Tests whose work depends on the value."""
_SCOPES = ("_loop_vars", "_block_vars")
"""Arguments of Jinja's own."""
_Function: TypeAlias = Callable[..., object]


class Texts(BaseLoader):
    """Knows templates by name; each that is asked for is charged."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts

    def get_source(
        self, _environment: Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        """Return a template and, for tracebacks to tell it from a user's, its name as its file."""
        operations().spend(_TOKEN)
        if template not in self.texts:
            raise TemplateNotFound(template)
        return self.texts[template], template, lambda: True

    def list_templates(self) -> list[str]:
        """Return the names."""
        return sorted(self.texts)


class _Context(Context):
    """The names of a template, which an include or a block copies."""

    def get_all(self) -> dict[str, object]:
        count = operations()
        if count.left:  # else it is Jinja that asks, to tell where they were used up
            count.spend(LOOKUP * (len(self.parent) + len(self.vars) + len(self.blocks)))
        return super().get_all()


class Sandbox(ImmutableSandboxedEnvironment):
    """The sandbox, which charges all work to the operations that are open."""

    intercepted_binops = frozenset(("+", "-", "*", "/", "//", "%", "**"))
    context_class = _Context

    def charge_all(self) -> None:
        """Charge what filters, tests and values that are written do."""
        for name in self.filters.keys() - _UNCHARGED:
            self.filters[name] = _charged(name, self.filters[name])
        for name in self.tests.keys() & _GOING_THROUGH:
            self.tests[name] = _weighing(name, cast("_Function", self.tests[name]))
        self.filters |= {GONE_THROUGH: _gone_through, WEIGHED: weighed}
        shown = self.filters["escape"]

        # With the context, so that it is not called before the template runs.
        @pass_eval_context
        def written(_: EvalContext, value: object) -> object:
            return value if isinstance(value, Markup) else shown(value)

        self.finalize = written

    def compiled(self, text: str) -> Template:
        """Return a template of a user's."""
        operations().spend(_CHARACTER * len(text) + _LINE * text.count("\n"))
        for _ in self.lex(text):
            operations().spend(_TOKEN)
        return self.from_string(text)

    def _generate(
        self,
        source: nodes.Template,
        name: str | None,
        filename: str | None,
        defer_init: bool = False,
    ) -> str:
        """Generate the code of a template in which each body charges itself; a hook of Jinja's."""
        Charges().visit(source)
        source.set_environment(self)
        return super()._generate(source, name, filename, defer_init)

    def concat(self, pieces: Iterable[str]) -> str:
        """Return what a template, a macro or a block has written as one text."""
        charged = []
        for piece in pieces:
            operations().spend(_PIECE + COPIED * room_of(piece))
            charged.append(piece)
        return "".join(charged)

    def getattr(self, obj: object, attribute: str) -> object:
        """Return an attribute or item."""
        if isinstance(obj, str):  # for `format` Jinja makes a function
            operations().spend(CALL * (_MAKING if attribute.startswith("format") else 1))
        else:
            operations().spend(LOOKUP if isinstance(obj, dict) else CALL / 2)
        return super().getattr(obj, attribute)

    def getitem(self, obj: object, argument: object) -> object:
        """Return an item or attribute; what it is looked up by is gone through."""
        operations().spend(CALL * _MAKING if isinstance(obj, str) else LOOKUP)
        return super().getitem(obj, weighed(argument) if isinstance(argument, tuple) else argument)

    def call(self, context: Context, obj: object, /, *args: object, **kwargs: object) -> object:
        """Call what a template may call: what is its own, or a method that is charged."""
        # `format` comes in a function of Jinja's.
        function = obj if hasattr(obj, "__self__") else getattr(obj, "__wrapped__", obj)
        owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
        if isinstance(obj, Macro | BlockReference | LoopContext | Undefined) or not callable(obj):
            operations().spend(CALL / 2 + LOOKUP * (len(args) + len(kwargs)))
        elif obj is Namespace or obj is self.globals["range"]:
            copied = sum(len(each) for each in args if isinstance(each, dict | list | tuple))
            operations().spend(CALL + LOOKUP * (copied + len(kwargs)))
        elif name in METHODS and isinstance(owner, LoopContext | str | list | tuple | dict | range):
            kwargs = {key: each for key, each in kwargs.items() if key not in _SCOPES}
            first = () if isinstance(owner, LoopContext) else owner
            charge(f".{name}", first, [*args, *kwargs.values()])
        else:
            raise SecurityError(f"'{name}' cannot be called in templates")
        return bounded(super().call(context, obj, *args, **kwargs))

    def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
        """Return what an operator makes of two values, which is charged."""
        operations().spend(CALL)
        collections = isinstance(left, COLLECTION) or isinstance(right, COLLECTION)
        if operator == "%" and isinstance(left, str):
            charge("format", left, right if isinstance(right, tuple) else (right,))
        elif operator == "**":
            raise SecurityError("'**' is not allowed in templates")
        elif collections and operator != "+":
            raise SecurityError(f"'{operator}' of a text or list is not allowed in templates")
        elif collections:
            sizes = [len(each) for each in (left, right) if isinstance(each, COLLECTION)]
            operations().spend(ESCAPED * COPIED * sum(sizes))
        return bounded(super().call_binop(context, operator, left, right))


def _charged(name: str, function: _Function) -> _Function:
    """Return a filter that is charged."""

    @wraps(function)
    def charged(*args: object, **kwargs: object) -> object:
        first, *others = args[isinstance(args[0], Context | EvalContext | Environment) :]
        charge(name, first, [*others, *kwargs.values()])
        return bounded(function(*args, **kwargs))

    return charged


def _weighing(name: str, test: _Function) -> _Function:
    """Return a test that is charged."""

    @wraps(test)
    def weighing(value: object, *args: object, **kwargs: object) -> object:
        refuse_text(name, value)
        for each in (value, *args, *kwargs.values()):
            weighed(each)
        return test(value, *args, **kwargs)

    return weighing


def _gone_through(value: object, parts: float) -> object:
    operations().spend(parts)
    return value
