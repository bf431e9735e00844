"""Characters beyond ASCII in LaTeX: what they are in text and in mathematics."""

from __future__ import annotations

from unicodedata import normalize

_GREEK = {
    "αβγδεζηθ": r"\alpha \beta \gamma \delta \varepsilon \zeta \eta \theta",
    "ικλμνξπρ": r"\iota \kappa \lambda \mu \nu \xi \pi \rho",
    "ςστυφχψω": r"\varsigma \sigma \tau \upsilon \varphi \chi \psi \omega",
    "ϑϕϖϱϵ": r"\vartheta \phi \varpi \varrho \epsilon",
    "ΓΔΘΛΞΠΣΥΦΨΩ": r"\Gamma \Delta \Theta \Lambda \Xi \Pi \Sigma \Upsilon \Phi \Psi \Omega",
    # Letters that look like Latin ones have no command.
    "οΑΒΕΖΗΙΚΜΝΟΡΤΧ": r"o \mathrm{A} \mathrm{B} \mathrm{E} \mathrm{Z} \mathrm{H} \mathrm{I} "
    r"\mathrm{K} \mathrm{M} \mathrm{N} \mathrm{O} \mathrm{P} \mathrm{T} \mathrm{X}",
}
GREEK = {
    letter: command
    for letters, commands in _GREEK.items()
    for letter, command in zip(letters, commands.split(), strict=True)
}
"""Each Greek letter's command in mathematics."""

RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n", strict=True))
"""Each superscript, and what is raised."""

_SIGNS = {
    "×÷·∙⋅±∓−∗": r"\times \div \cdot \cdot \cdot \pm \mp - \ast",
    "≤≥≠≈≡∼∝≪≫": r"\leq \geq \neq \approx \equiv \sim \propto \ll \gg",
    "→←↔⇒⇐⇔↑↓↦": r"\to \gets \leftrightarrow \Rightarrow \Leftarrow \Leftrightarrow "
    r"\uparrow \downarrow \mapsto",
    "∞√∑∏∫∂∇∅": r"\infty \surd \sum \prod \int \partial \nabla \emptyset",
    "∈∉⊂⊆∪∩∀∃": r"\in \notin \subset \subseteq \cup \cap \forall \exists",
    "∧∨¬⊕⊗": r"\land \lor \neg \oplus \otimes",
    "⌈⌉⌊⌋⟨⟩‖": r"\lceil \rceil \lfloor \rfloor \langle \rangle \Vert",
    "ℤℝℕℚℓ": r"\mathbf{Z} \mathbf{R} \mathbf{N} \mathbf{Q} \ell",
    "′″°µ": r"{}' {}'' {}^{\circ} \mu",
    "".join(RAISED): " ".join(f"{{}}^{{{sign}}}" for sign in RAISED.values()),
    "₀₁₂₃₄₅₆₇₈₉₊₋": " ".join(f"{{}}_{{{sign}}}" for sign in "0123456789+-"),
    "¼½¾": r"\frac{1}{4} \frac{1}{2} \frac{3}{4}",
}
_MATHEMATICS = GREEK | {
    sign: command
    for signs, commands in _SIGNS.items()
    for sign, command in zip(signs, commands.split(), strict=True)
}

_TEXT = {
    "\u00a0": "~",
    "\u2009": r"\,",
    "\u202f": r"\,",
    "‐": "-",
    "‑": "-",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "‘": r"\textquoteleft{}",
    "’": r"\textquoteright{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
    "…": r"\ldots{}",
    "•": r"\textbullet{}",
    "©": r"\copyright{}",
    "§": r"\S{}",
    "¶": r"\P{}",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "å": r"\aa{}",
    "Å": r"\AA{}",
}

_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
}


def latex_character(character: str) -> str:
    """Return a character beyond ASCII as LaTeX text, made of what every installation has.

    One that LaTeX's own fonts lack is shown by its number in Unicode, and so is one that cannot be
    seen, such as a right-to-left mark.

    >>> [latex_character(char) for char in "é≤中"]
    ["\\\\'{e}", '$\\\\leq$', '\\\\texttt{U+4E2D}']
    """
    if character in _TEXT:
        return _TEXT[character]
    if character in _MATHEMATICS:
        return f"${_MATHEMATICS[character]}$"
    parts = normalize("NFD", character)
    if len(parts) == 2 and parts[1] in _ACCENTS and parts[0].isascii() and parts[0].isalpha():
        return f"\\{_ACCENTS[parts[1]]}{{{parts[0]}}}"
    return rf"\texttt{{U+{ord(character):04X}}}"
