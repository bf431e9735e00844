"""The page of an explorer: one file with everything in it, which asks nothing of a network."""

from __future__ import annotations

import base64
import hashlib
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.explorer.build import Built
from roofdsl.typeset.escape import escape_html
from roofdsl.typeset.javascript import exact_prelude, prelude

_FOLDER = Path(__file__).with_name("page")
# In the order in which they build on one another.
SCRIPTS = (
    "look quantity state values lookup joints measure result margin checks crossings proofs "
    "controls presets current changes edges steps table light axes charts moving pulls labels "
    "marks plane roofline ridgeline surface regime regions numbers formulas card link scenarios "
    "caption print undo export layout main"
).split()


def page(built: Built) -> str:
    """Return the page as HTML.

    Texts of users are JSON in it, which the scripts only ever show as text, and no script runs but
    those that are here: the page names their hashes. Raises RoofError without Plotly (R1102).
    """
    library = _library()
    code = script(built)
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hash(library)} {_hash(code)}",
            "style-src 'unsafe-inline'",
            "img-src data: blob:",
            "form-action 'none'",
            "base-uri 'none'",
        ]
    )
    parts = {
        "policy": policy,
        "title": escape_html(built.title),
        "style": _text("style.css"),
        "templates": built.templates,
        "data": inert(built.json),
        "library": library,
        "code": code,
    }
    pieces = _text("page.html").split("@@")
    return "".join(parts.get(piece, piece) for piece in pieces)


def script(built: Built) -> str:
    """Return the page's own code: the formulas with the functions they call, and the glue.

    The formulas stand there twice: of floats, and of fractions for what these cannot decide.
    """
    glue = "\n".join(_text(f"{name}.js") for name in SCRIPTS)
    tables = f"functions: [\n{built.functions}\n]"
    algebra = "exactly, total, multiply, divide, order"
    exact = f"(() => {{\n{exact_prelude()}\nreturn {{ {algebra}, {tables} }};\n}})()"
    known = f"EXACT: {exact}, total, extendedValue"
    floats = f"(() => {{\n{prelude()}\nreturn {{ {known}, {tables} }};\n}})()"
    declared = f"const {{ functions: FUNCTIONS, EXACT, total, extendedValue }} = {floats};"
    return f'"use strict";\n(() => {{\n{declared}\n{glue}\n}})();\n'


def inert(text: str) -> str:
    r"""Return JSON in which nothing means anything to HTML.

    >>> print(inert('{"doc":"</script>"}'))
    {"doc":"\u003c/script\u003e"}
    """
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _library() -> str:
    with suppress(OSError, ValueError):  # a module that was taken away has no place
        found = find_spec("plotly")
        for folder in (found and found.submodule_search_locations) or ():
            text = Path(folder, "package_data", "plotly.min.js").read_text(encoding="utf-8")
            return text.replace("</script", r"<\/script")
    message = "the explorer's figures are drawn by Plotly, which is not installed"
    hint = "install it: pip install 'roofdsl[explore]'"
    raise RoofError([Diagnostic("R1102", message, hint=hint)])


def _hash(code: str) -> str:
    digest = hashlib.sha256(code.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
