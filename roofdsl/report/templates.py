"""Jinja templates, the bundled ones and a user's: data goes in, text comes out, nothing else."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from roofdsl import resources
from roofdsl.allowance import Exhausted, computing, counting
from roofdsl.answer.blocks import Block
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.reading import read_source
from roofdsl.report.notation import CellNotation
from roofdsl.report.view import View, view
from roofdsl.source import Source, Span

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    from roofdsl.report.sandbox import Sandbox

    _Kind = TypeVar("_Kind", bound=ImmutableSandboxedEnvironment)

_GAPS = {"tml": "\n", "tex": "\n\n", ".md": "\n\n"}
"""What is left of empty lines, by the ending of the template."""
_FAILURES = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError),
    *(MemoryError, RuntimeError, TypeError, ValueError),
)
"""What an operation in a template ends with that its values do not have."""
_LONGEST = 300
"""What is told of a failure, in characters; there may be a text of the template's in it."""
_KEPT = ("range", "namespace")
# These mark text as safe, write markup of their own, show how Python writes an object, or differ
# from run to run.
_REMOVED = ("safe", "tojson", "xmlattr", "urlize", "pprint", "striptags", "map", "attr", "random")
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
        text = _ours(name, notation.text).get_template(name).render(data)
        return re.sub(r"\n{2,}" if name.endswith(".html") else r"\n{3,}", _GAPS[name[-3:]], text)
    return _theirs(_read(template), name, notation, data)


def fragment(blocks: Sequence[Block], name: str, notation: CellNotation) -> str:
    """Return blocks one below the other, as a bundled template has them: a part of a document."""
    shown = [view(block, notation) for block in blocks]
    return render(name, notation, {"blocks_shown": shown}).strip("\n")


def check_template(name: str, notation: CellNotation, template: Path) -> None:
    """Raise RoofError where a user's template cannot be read or is none (R1001)."""
    source = _read(template)
    with counting(afresh=True), computing("the template", _place(source, 0)):
        _compiled(source, _counted(name, notation))


def _read(template: Path) -> Source:
    source = read_source(template)
    if isinstance(source, Diagnostic):
        raise RoofError([source])
    return source


def _compiled(source: Source, environment: Sandbox) -> Template:
    from jinja2 import TemplateSyntaxError

    line = 0
    try:
        return environment.compiled(source.text)
    except TemplateSyntaxError as error:
        line, said = error.lineno, error.message or "it cannot be read"
    except (MemoryError, RecursionError, SyntaxError):  # of Python's, from what Jinja writes
        said = "it is nested too deeply"
    except ValueError as error:  # a number of more digits than Python reads
        said = str(error)
    raise RoofError(
        [Diagnostic("R1001", f"this is no template: {_sentence(said)}", _at(source, line))]
    )


def _theirs(source: Source, name: str, notation: CellNotation, data: Mapping[str, View]) -> str:
    from jinja2 import TemplateError, TemplateNotFound

    environment = _counted(name, notation)
    with counting(afresh=True), computing("the template", _place(source, 0)):
        template = _compiled(source, environment)
        try:
            return environment.concat(template.generate(data))
        except Exhausted as error:
            error.what, error.place = "the template", _place(source, _line_of(error))
            raise
        except TemplateNotFound as error:
            known = ", ".join(sorted(environment.list_templates()))
            hint = f"a template can extend and include {known}"
            message = f"there is no template '{_sentence(str(error.name))}'"
            problem = Diagnostic("R1002", message, _at(source, _line_of(error)), hint)
        except (TemplateError, *_FAILURES) as error:
            said = error.message if isinstance(error, TemplateError) else str(error)
            if isinstance(error, RecursionError):
                said = "it is nested too deeply"
            message = f"the template fails: {_sentence(said or type(error).__name__)}"
            problem = Diagnostic("R1002", message, _at(source, _line_of(error)))
    raise RoofError([problem])


def _counted(name: str, notation: CellNotation) -> Sandbox:
    from roofdsl.report.sandbox import Sandbox

    environment = _environment(Sandbox, name, notation.text)
    environment.charge_all()
    return environment


@lru_cache(maxsize=8)
def _ours(name: str, written: Callable[[str], str]) -> ImmutableSandboxedEnvironment:
    """Return the environment of a bundled template, which keeps what it has compiled."""
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return _environment(ImmutableSandboxedEnvironment, name, written)


def _environment(kind: type[_Kind], name: str, written: Callable[[str], str]) -> _Kind:
    """Return an environment that knows the bundled templates, and nothing beyond."""
    from jinja2 import StrictUndefined
    from markupsafe import Markup

    from roofdsl.report.sandbox import Texts

    folder = resources.folder("reports")
    texts = {
        path.name: path.read_text(encoding="utf-8")
        for path in sorted(folder.iterdir())
        if path.suffix in (".html", ".tex", ".md", ".css", ".js")
    }

    def shown(value: object) -> Markup:
        if isinstance(value, Markup):
            return value
        return Markup(written(str(value)))

    environment = kind(
        loader=Texts(texts),
        autoescape=True,
        finalize=shown,
        # What is worked out before a template runs is not counted.
        optimized=False,
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
    """Return the line of a user's template where it failed; Jinja puts it into the traceback."""
    lines = [
        frame.lineno or 0
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == "<template>"
    ]
    return lines[-1] if lines else 0


def _at(source: Source, line: int) -> tuple[Label, ...]:
    return (Label(_place(source, line)),)


def _place(source: Source, line: int) -> Span:
    if not 1 <= line <= source.line_count:
        return Span(source, 0, 0)
    start = source.offset(line)
    text = source.line(line)
    first = len(text) - len(text.lstrip())
    return Span(source, start + first, start + max(first + 1, len(text.rstrip())))


def _sentence(text: str) -> str:
    """Return what Jinja says without its objects and its capital."""
    text = re.sub(r"\s+", " ", text[:_LONGEST]).strip().rstrip(".")
    text = re.sub(r"'(?:markupsafe\.)?Markup object'", "this text", text)
    objects = r"'(?:dict|list|builtin_function_or_method)(?: object'|' object)"
    text = re.sub(objects, "this part of the document", text)
    return text[:1].lower() + text[1:] if text[1:2].islower() else text
