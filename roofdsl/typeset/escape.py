"""Texts of users made safe: whatever they hold comes out as text, never as markup or a command."""

from __future__ import annotations

import re
from html import escape

from roofdsl.inert import visible
from roofdsl.typeset.characters import RAISED, latex_character

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\symbol{34}",
}
# Two of these in a row would become another character: a dash, a quotation mark.
_LIGATURES = "-,'"
# At the start of a paragraph, the first item of a numbered list.
_LIST_ITEM = re.compile(r"^(\d+)([.)])(?=\s|$)")


def escape_html(text: str) -> str:
    """Return a text for HTML and XML, in an element or in a quoted attribute.

    Characters that cannot be seen or that turn the direction of writing are shown by number.

    >>> escape_html("<script>alert('a & b')")
    '&lt;script&gt;alert(&#x27;a &amp; b&#x27;)'
    """
    return escape(visible(text), quote=True)


def escape_latex(text: str) -> str:
    r"""Return a text for LaTeX's text mode, in ASCII; line breaks become spaces.

    It is safe in an argument, a table's cell and `\text{…}`, and needs no package.

    >>> print(escape_latex(r"\input{secret} 50 % of O(N²)"))
    \textbackslash{}input\{secret\} 50 \% of O(N${}^{2}$)
    """
    pieces: list[str] = []
    previous = ""
    for char in " ".join(text.split()):
        if char == previous and char in _LIGATURES:
            pieces.append(r"{\kern0pt}")  # LuaLaTeX joins them over "{}" too
        if char in RAISED and previous in RAISED:  # 10⁻⁷ has one exponent
            pieces[-1] = f"{pieces[-1][:-2]}{RAISED[char]}}}$"
        elif " " <= char <= "~":
            pieces.append(_LATEX.get(char, char))
        else:
            pieces.append(latex_character(char))
        previous = char
    shown = "".join(pieces)
    # Behind a line break in a table these would be its argument.
    return "{}" + shown if shown.startswith(("[", "*")) else shown


_MARKDOWN = str.maketrans({char: f"\\{char}" for char in "\\`*_[]{}|#~$!"})


def escape_markdown(text: str) -> str:
    r"""Return a text for Markdown, in a paragraph or a table's cell; line breaks become spaces.

    Characters that cannot be seen or that turn the direction of writing are shown by number.

    >>> print(escape_markdown("<script> *x* | {{ y }} 50 %"))
    &lt;script&gt; \*x\* \| \{\{ y \}\} 50 %
    """
    shown = escape_html(" ".join(text.split(" "))).translate(_MARKDOWN)
    shown = shown.replace("&\\#x27;", "'").replace("\n", " ").replace("\t", " ")
    if shown.startswith(("-", "+", "=", ">")):
        return "\\" + shown
    return _LIST_ITEM.sub(r"\1\\\2", shown)
