"""Jinja templates, the bundled ones and a user's: data goes in, text comes out, nothing else."""

from __future__ import annotations

import re
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from roofdsl import resources
from roofdsl.answer.blocks import Block
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.reading import read_source
from roofdsl.report.notation import CellNotation
from roofdsl.report.view import View, view
from roofdsl.source import Source, Span

if TYPE_CHECKING:
    from jinja2 import TemplateSyntaxError
    from jinja2.runtime import Context
    from jinja2.sandbox import ImmutableSandboxedEnvironment

LARGEST = 400_000_000
"""What a template may write, in characters."""
_GAPS = {"tml": "\n", "tex": "\n\n", ".md": "\n\n"}
"""What is left of empty lines, by the ending of the template."""
_FAILURES = (
    *(ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
    *(MemoryError, RecursionError),
)
"""What an operation in a template ends with that its values do not have."""
_KEPT = ("range", "namespace")
# These mark text as safe, write markup of their own, or show how Python writes an object.
_REMOVED = ("safe", "tojson", "xmlattr", "urlize", "pprint", "striptags", "map", "attr")
_DELIMITERS = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}


def render(
    name: str, notation: CellNotation, data: Mapping[str, View], template: Path | None = None
) -> str:
    """Return what a bundled template, or a user's in its place, makes of a document.

    Raises RoofError where the user's cannot be read, is no template (R1001) or fails (R1002).
    """
    if template is None:
        text = _bundled(name, notation).get_template(name).render(data)
        return re.sub(r"\n{2,}" if name.endswith(".html") else r"\n{3,}", _GAPS[name[-3:]], text)
    return _theirs(_read(template), name, notation, data)


def fragment(blocks: Sequence[Block], name: str, notation: CellNotation) -> str:
    """Return blocks one below the other, as a bundled template has them: a part of a document."""
    shown = [view(block, notation) for block in blocks]
    return render(name, notation, {"blocks_shown": shown}).strip("\n")


def check_template(name: str, notation: CellNotation, template: Path) -> None:
    """Raise RoofError where a user's template cannot be read or is none (R1001)."""
    from jinja2 import TemplateSyntaxError

    source = _read(template)
    try:
        _bundled(name, notation).parse(source.text)
    except TemplateSyntaxError as error:
        raise RoofError([_no_template(source, error)]) from None


def _read(template: Path) -> Source:
    source = read_source(template)
    if isinstance(source, Diagnostic):
        raise RoofError([source])
    return source


def _no_template(source: Source, error: TemplateSyntaxError) -> Diagnostic:
    line = error.lineno if error.name is None else 0
    message = f"this is no template: {_sentence(error.message or 'it cannot be read')}"
    return Diagnostic("R1001", message, _at(source, line))


def _theirs(source: Source, name: str, notation: CellNotation, data: Mapping[str, View]) -> str:
    from jinja2 import TemplateError, TemplateNotFound, TemplateSyntaxError

    environment = _bundled(name, notation)
    try:
        template = environment.from_string(source.text)
        pieces: list[str] = []
        length = 0
        for piece in template.generate(data):
            pieces.append(piece)
            length += len(piece)
            if length > LARGEST:
                message = f"the template writes more than {LARGEST:,} characters"
                raise RoofError([Diagnostic("R1002", message, _at(source, 0))])
        return "".join(pieces)
    except TemplateSyntaxError as error:
        problem = _no_template(source, error)
    except TemplateNotFound as error:
        known = ", ".join(sorted(environment.list_templates()))
        hint = f"a template can extend and include {known}"
        message = f"there is no template '{error.name}'"
        problem = Diagnostic("R1002", message, _at(source, _line_of(error)), hint)
    except (TemplateError, *_FAILURES) as error:
        said = error.message if isinstance(error, TemplateError) else str(error)
        message = f"the template fails: {_sentence(said or type(error).__name__)}"
        problem = Diagnostic("R1002", message, _at(source, _line_of(error)))
    raise RoofError([problem])


def _bundled(name: str, notation: CellNotation) -> ImmutableSandboxedEnvironment:
    """Return an environment that knows the bundled templates, and nothing beyond."""
    from jinja2 import DictLoader, StrictUndefined
    from jinja2.exceptions import SecurityError
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    from markupsafe import Markup

    folder = resources.folder("reports")
    texts = {
        path.name: path.read_text(encoding="utf-8")
        for path in sorted(folder.iterdir())
        if path.suffix in (".html", ".tex", ".md", ".css", ".js")
    }

    def shown(value: object) -> Markup:
        if isinstance(value, Markup):
            return value
        return Markup(notation.text(str(value)))

    class Environment(ImmutableSandboxedEnvironment):
        """The sandbox, without products and powers that fill the memory."""

        intercepted_binops = frozenset(("*", "**"))

        def call_binop(
            self, _context: Context, operator: str, left: object, right: object
        ) -> object:
            if operator == "*" and isinstance(left, int | float) and isinstance(right, int | float):
                return left * right
            raise SecurityError(f"'{operator}' of that is not allowed in templates")

    environment = Environment(
        loader=DictLoader(texts),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **(_DELIMITERS if name.endswith(".tex") else {}),
    )
    environment.globals = {key: environment.globals[key] for key in _KEPT}
    for removed in _REMOVED:
        del environment.filters[removed]
    for escaping in ("e", "escape", "forceescape"):
        environment.filters[escaping] = shown
    return environment


def _line_of(error: BaseException) -> int:
    """Return the line of a template where it failed; Jinja puts it into the traceback."""
    lines = [
        frame.lineno or 0
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == "<template>"
    ]
    return lines[-1] if lines else 0


def _at(source: Source, line: int) -> tuple[Label, ...]:
    if not 1 <= line <= source.line_count:
        return (Label(Span(source, 0, 0)),)
    start = source.offset(line)
    text = source.line(line)
    first = len(text) - len(text.lstrip())
    return (Label(Span(source, start + first, start + max(first + 1, len(text.rstrip())))),)


def _sentence(text: str) -> str:
    """Return what Jinja says without its objects and its capital."""
    text = re.sub(r"\s+", " ", text).strip().rstrip(".")
    text = re.sub(r"'(?:markupsafe\.)?Markup object'", "this text", text)
    objects = r"'(?:dict|list|builtin_function_or_method)(?: object'|' object)"
    text = re.sub(objects, "this part of the document", text)
    return text[:1].lower() + text[1:] if text[1:2].islower() else text
