"""What a user's template may do: Jinja's sandbox, with all of its work counted.

Every body of a loop, branch or macro that is gone through, every value that an expression looks up
or makes, and all text that is put together are charged to one count, in characters and items. What
grows with a number (a width, a product) is refused before it is made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.runtime import BlockReference, Context, LoopContext, Macro, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

LARGEST = 100_000_000
"""What a template may work through and write, in characters and items.

A report of the whole library has nine million characters, which pass through some macros.
"""
_BODY = 10
"""What each statement counts that is gone through."""
_BITS = 1024
"""What a whole number in a template may have."""
_WIDTH = re.compile(r"%(?:\([^)]*\))?[^a-zA-Z%]*?(?:\*|\d{4})")
_METHODS = frozenset(
    [
        *("lower", "upper", "title", "capitalize", "strip", "lstrip", "rstrip", "startswith"),
        *("endswith", "split", "find", "count", "index", "items", "keys", "values", "get"),
        *("cycle", "changed"),
    ]
)
"""What may be called of texts and collections: none of it makes more than it gets."""
_SMALL = frozenset(("length", "count", "first", "last", "default", "d", "items"))
"""Filters that make nothing, and do not go through what is in a value."""


class TooMuch(SecurityError):
    """Raised where a template has done all that it may."""

    def __init__(self, limit: int) -> None:
        message = f"it works through or writes more than {limit:,} characters and items"
        super().__init__(message)


class _Counting(CodeGenerator):
    """Writes the code of a template with a charge for what it does."""

    def blockvisit(self, nodes: Iterable[nodes.Node], frame: Frame) -> None:
        statements = [*nodes]
        size = sum(1 + len([*each.iter_child_nodes()]) for each in statements)
        self.writeline(f"environment.spend({_BODY * (1 + size)})")
        super().blockvisit(statements, frame)

    def visit_Name(self, node: nodes.Name, frame: Frame) -> None:
        if node.ctx != "load":
            super().visit_Name(node, frame)
            return
        self.write("environment.weighed(")
        super().visit_Name(node, frame)
        self.write(")")

    def visit_List(self, node: nodes.List, frame: Frame) -> None:
        self._deep(super().visit_List, node, frame)

    def visit_Tuple(self, node: nodes.Tuple, frame: Frame) -> None:
        if node.ctx == "load":
            self._deep(super().visit_Tuple, node, frame)
        else:
            super().visit_Tuple(node, frame)

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:
        self._deep(super().visit_Dict, node, frame)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        self.write("(markup_join if context.eval_ctx.autoescape else str_join)(")
        self.write("environment.deep((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write(")))")

    def _deep(self, visit: Callable[..., None], node: nodes.Node, frame: Frame) -> None:
        self.write("environment.deep(")
        visit(node, frame)
        self.write(")")


class Sandbox(ImmutableSandboxedEnvironment):
    """The sandbox; one is for one template, and `left` what it may still do."""

    code_generator_class = _Counting
    intercepted_binops = frozenset(("*", "**", "%", "+"))
    left = LARGEST

    def count_filters(self) -> None:
        """Charge what filters make, and refuse what would be too long."""
        for name, function in self.filters.items():
            if name not in _SMALL:
                self.filters[name] = self._counted(name, function)

    def spend(self, amount: int) -> None:
        """Charge some work; raise TooMuch where it is more than is left."""
        self.left -= amount
        if self.left < 0:
            raise TooMuch(LARGEST)

    def concat(self, parts: Iterable[str]) -> str:
        """Return parts as one text: what a macro, a block or a `set` block has written."""
        return "".join(self._charged(parts))

    def _charged(self, parts: Iterable[str]) -> Iterator[str]:
        for part in parts:
            self.spend(1 + len(part))
            yield part

    def weighed(self, value: object) -> object:
        """Return a value, charged with its characters or items."""
        if isinstance(value, str | list | tuple | dict | range):
            self.spend(1 + len(value))
        return value

    def deep(self, value: object) -> object:
        """Return a value, charged with all that is in it."""
        self._size(value)
        return value

    def _size(self, value: object) -> int:
        """Return how long a value is as text, about, charging it; refuse what has no text."""
        self.spend(2 * _BODY)
        if isinstance(value, str):
            self.spend(len(value))
            return 1 + len(value)
        if isinstance(value, Mapping):
            return sum((self._size(key) + self._size(item) for key, item in value.items()), 2)
        if isinstance(value, list | tuple | range):
            return sum((self._size(item) for item in value), 2)
        if isinstance(value, Namespace):
            raise SecurityError("a namespace is no value")
        return 20

    def getattr(self, obj: object, attribute: str) -> object:
        """Return an attribute or item, charged."""
        return self.weighed(super().getattr(obj, attribute))

    def getitem(self, obj: object, argument: object) -> object:
        """Return an item or attribute, charged."""
        return self.weighed(super().getitem(obj, argument))

    def is_safe_callable(self, obj: object) -> bool:
        """Return whether something may be called: what is Jinja's, or makes nothing larger."""
        if isinstance(obj, Macro | LoopContext | BlockReference | Undefined):
            return True
        known = obj in self.globals.values() or getattr(obj, "__name__", "") in _METHODS
        return known and super().is_safe_callable(obj)

    def call(self, context: Context, obj: object, /, *args: object, **kwargs: object) -> object:
        """Call something, its result charged."""
        if not self.is_safe_callable(obj):
            name = getattr(obj, "__name__", "this")
            raise SecurityError(f"'{name}' cannot be called in templates")
        return self.weighed(super().call(context, obj, *args, **kwargs))

    def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
        """Return what an operator makes of two values: numbers of some size, or texts."""
        numbers = isinstance(left, int | float) and isinstance(right, int | float)
        if operator == "**" or (operator == "*" and not numbers):
            raise SecurityError(f"'{operator}' of that is not allowed in templates")
        if not numbers:
            sizes = self._size(left), self._size(right)
            self._refuse_longer(*sizes if operator == "%" else (sum(sizes), 0))
        if operator == "%" and isinstance(left, str):
            _refuse_wide(left)
        made = super().call_binop(context, operator, left, right)
        if isinstance(made, int) and made.bit_length() > _BITS:
            raise SecurityError("a number is too large for templates")
        return self.weighed(made)

    def _counted(self, name: str, function: Callable[..., object]) -> Callable[..., object]:
        """Return a filter that is charged; none makes more than its value times its arguments."""

        @wraps(function)
        def counted(*args: object, **kwargs: object) -> object:
            # Some get the environment or a context first.
            first, *others = [*args, *kwargs.values()][hasattr(function, "jinja_pass_arg") :]
            if name == "format" and isinstance(first, str):
                _refuse_wide(first)
            sizes = [self._size(first)]
            sizes += [abs(each) if isinstance(each, int) else self._size(each) for each in others]
            if len(sizes) > 1:
                self._refuse_longer(sizes[0], sum(sizes[1:]))
            made = function(*args, **kwargs)
            if isinstance(made, Iterator):
                made = [*self._items(made)]
            return self.weighed(made)

        return counted

    def _items(self, made: Iterator[object]) -> Iterator[object]:
        for item in made:
            self.deep(item)
            yield item

    def _refuse_longer(self, size: int, times: int) -> None:
        if (1 + size) * (1 + times) > LARGEST:
            raise TooMuch(LARGEST)


def _refuse_wide(pattern: str) -> None:
    if _WIDTH.search(pattern):
        raise SecurityError("a width of four digits, or one that is given, is not allowed")
