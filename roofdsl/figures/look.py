"""How figures look: size, light or dark, colours; and the settings that make their bytes repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

import matplotlib as mpl
from matplotlib.colors import to_hex, to_rgb

from roofdsl.contract import constructed
from roofdsl.diagnostic import Diagnostic, RoofError, did_you_mean
from roofdsl.figures.style import STYLES, Style, fonts
from roofdsl.model.given import Reader, as_text, as_truth, double_in
from roofdsl.units.quantity import show_number

P = ParamSpec("P")
R = TypeVar("R")

LABEL_SIZE = 8.0
TICK_SIZE = 7.0
NOTE_SIZE = 7.0
TITLE_SIZE = 8.5
LARGEST = 30.0
# Of filled areas: fills differ in lightness, edges in hue.
EDGE_WIDTH = 0.6
# The least contrast of a text with its ground (WCAG 2.1, AA).
_READABLE = 4.5


class Shades(NamedTuple):
    """The colours of one resource: of edges, lines and texts, of regions, of areas."""

    strong: str
    tint: str
    fill: str


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a figure, as `#rrggbb`.

    `series` tells kernels apart, in the hues of Okabe and Ito (2008): people with any sort of
    colour vision can, and in grey each has a lightness of its own. The contrast with the paper and
    the tints is 3 at least. `tints` shade regions behind lines, `fills` colour them where nothing
    else does; the fills differ in lightness too, so that they can be told apart in grey. `own` are
    the colours of resources that files declare, in the order they turn up.
    """

    paper: str
    ink: str
    muted: str
    faint: str
    series: tuple[str, ...]
    strong: dict[str, str]
    tints: dict[str, str]
    fills: dict[str, str]
    own: tuple[Shades, ...]

    def fill(self, resource: str, order: tuple[str, ...] = ()) -> str:
        """Return the colour of an area that stands for a resource; `order` as in `edge`."""
        return self._shade(self.fills, "fill", resource, order)

    def edge(self, resource: str, order: tuple[str, ...] = ()) -> str:
        """Return the colour of a resource's edges, lines and texts: `gpu.memory.L2` is a `memory`.

        Of several levels in `order`, the second and third are paler. Resources that files declare
        have colours of their own by their place in `order`, and so has what is no resource.
        """
        return self._shade(self.strong, "strong", resource, order)

    def tint(self, resource: str, order: tuple[str, ...] = ()) -> str:
        """Return the colour of a region behind lines; `order` as in `edge`."""
        return self._shade(self.tints, "tint", resource, order)

    def _shade(
        self, known: dict[str, str], part: str, resource: str, order: tuple[str, ...]
    ) -> str:
        root = root_of(resource) or _sort_of(resource)
        alike = [name for name in order if (root_of(name) or _sort_of(name)) == root]
        place = alike.index(resource) if resource in alike else 0
        if root in known:
            return mixed(known[root], "#808080", min(0.45 * place, 0.8))
        if root == _OWN:
            return str(getattr(self.own[place % len(self.own)], part))
        return _OTHERS[place % len(_OTHERS)]


LIGHT = Palette(
    paper="#ffffff",
    ink="#1b1f24",
    muted="#5b6570",
    faint="#e6e9ec",
    series=("#0072b2", "#d15101", "#036c4f", "#c4679b", "#691b01", "#373795", "#1b1f24", "#4e5501"),
    strong={"flops": "#0072b2", "memory": "#b36b00", "network": "#00795a"},
    tints={"flops": "#eaf2f9", "memory": "#fdf1de", "network": "#e0f2ea"},
    fills={"flops": "#e6f1fa", "memory": "#f3c881", "network": "#86bfaa"},
    own=(
        Shades("#8f2d74", "#f6eaf3", "#c08cb6"),
        Shades("#2b2f6b", "#e8eaf5", "#6f7cb4"),
        Shades("#7d2a0e", "#f8eae5", "#8f4a34"),
        Shades("#777d87", "#eceef0", "#3b4250"),
    ),
)

DARK = Palette(
    paper="#111418",
    ink="#e9ebee",
    muted="#a3acb6",
    faint="#262c33",
    series=("#56b4e9", "#ed7e3a", "#46d1a1", "#fcb6db", "#efdd4e", "#b96829", "#e9ebee", "#7b82f0"),
    strong={"flops": "#6cb8ee", "memory": "#f0b429", "network": "#3fcf9f"},
    tints={"flops": "#15212c", "memory": "#2a2114", "network": "#12261f"},
    fills={"flops": "#386c97", "memory": "#6f4a10", "network": "#0f3a2e"},
    own=(
        Shades("#f4b6e6", "#2a1a27", "#b573aa"),
        Shades("#8f96f5", "#1a1d33", "#979ee0"),
        Shades("#ff7f5c", "#301a14", "#f0ac94"),
        Shades("#8f96a0", "#22262b", "#e3e7ec"),
    ),
)

# What takes time and is no resource with a roof, in the order it turns up.
_NO_ROOF = frozenset(("messages", "startup", "time", "wait"))
_OWN = "own"
_OTHERS = ("#bd5e97", "#3c88c4", "#8c7a00", "#d55e00", "#7a7f86")


def _inches(least: float) -> Reader[float]:
    """Return what reads a length; 0 is a figure's own."""
    read = double_in()

    def inches(name: str, value: object) -> float:
        found = read(name, value)
        _check_length(name, found, least)
        return found

    return inches


def _check_length(name: str, found: float, least: float) -> None:
    """Refuse a length [in] that is neither 0 nor from `least` to `LARGEST` (R0807)."""
    if found and not least <= found <= LARGEST:
        message = f"{name} = {show_number(found, 6)} is no size of a figure"
        hint = f"it has {least:.3g} to {LARGEST:g} inches, or 0 for its own"
        raise RoofError([Diagnostic("R0807", message, hint=hint)])


def _style(name: str, value: object) -> str:
    """Read the name of a style; "" is a figure's own."""
    found = as_text(name, value)
    if not found or found in STYLES:
        return found
    hint = did_you_mean(found, STYLES) or f"there are {', '.join(STYLES)}"
    raise RoofError([Diagnostic("R0807", f"'{found}' is no style of a figure", hint=hint)])


@constructed(dark=as_truth, log2=as_truth, width=_inches(1.5), height=_inches(1.0), style=_style)
@dataclass(frozen=True, slots=True)
class Look:
    """What a caller may choose: dark, powers of two on the axes, inches, a title, and a style.

    `width` 0 and `height` 0 mean the figure's own; `title` None the figure's own, "" none. `style`
    is where it will be printed or shown: nature, ieee, acm, slides or poster; "" for its own.

    >>> Look(dark=True).palette.paper
    '#111418'
    """

    dark: bool = False
    log2: bool = False
    width: float = 0.0
    height: float = 0.0
    title: str | None = None
    style: str = ""

    def __post_init__(self) -> None:
        """Refuse a size that has no room for the letters of the style (R0807)."""
        _check_length("width", self.width, 1.5 * max(1.0, self.styled.scale))
        _check_length("height", self.height, max(1.0, self.styled.scale))

    @property
    def styled(self) -> Style:
        return STYLES[self.style] if self.style else _OWN_STYLE

    @property
    def palette(self) -> Palette:
        return DARK if self.dark else LIGHT

    @property
    def base(self) -> int:
        return 2 if self.log2 else 10


_OWN_STYLE = Style()
PLAIN = Look()


def _sort_of(resource: str) -> str:
    """Return whether what is none of the three is a resource of one's own: "" where it is not."""
    return "" if _NO_ROOF.intersection(resource.split(".")) else _OWN


def root_of(resource: str) -> str:
    """Return what a resource's full name is about: `gpu.memory.L2` is a `memory`; "" for others."""
    parts = resource.split(".")
    return next((name for name in ("flops", "memory", "network") if name in parts), "")


def mixed(colour: str, other: str, part: float) -> str:
    """Return a colour with a part of another in it.

    >>> mixed("#000000", "#ffffff", 0.5)
    '#808080'
    """
    pairs = zip(to_rgb(colour), to_rgb(other), strict=True)
    red, green, blue = (first * (1 - part) + second * part for first, second in pairs)
    return to_hex((red, green, blue))


@contextmanager
def settings(style: Style = _OWN_STYLE) -> Iterator[None]:
    """Put matplotlib's own defaults, ours and a style's in force, whatever a matplotlibrc says.

    Bytes repeat: names inside an SVG are salted with a constant, its texts stay texts.
    """
    # A plain dict, since the names matplotlib allows are typed one by one.
    wanted: dict[Any, Any] = {
        key: value for key, value in mpl.rcParamsDefault.items() if key not in _SESSION
    }
    wanted |= {
        "svg.hashsalt": "roofdsl",
        "svg.fonttype": "none",
        "pdf.fonttype": 42,
        "font.size": LABEL_SIZE,
        "font.family": fonts(style.families),
        "mathtext.fontset": style.math,
        "text.parse_math": False,
        "axes.unicode_minus": True,
        "lines.solid_capstyle": "round",
        "savefig.dpi": "figure",
    }
    with mpl.rc_context(wanted):
        yield


def in_its_look(draw: Callable[P, R]) -> Callable[P, R]:
    """Make a function that draws a figure measure and set its texts as its `Look` asks."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> R:
        look = next(each for each in (*args, *kwargs.values()) if isinstance(each, Look))
        with settings(look.styled):
            return draw(*args, **kwargs)

    return drawn


# Settings that belong to the session, not to a figure.
_SESSION = frozenset(
    "backend backend_fallback interactive toolbar timezone datapath tk.window_focus date.epoch "
    "webagg.port webagg.address webagg.open_in_browser webagg.port_retries savefig.directory "
    "figure.max_open_warning pgf.texsystem pgf.rcfonts pgf.preamble".split()
)


def lettering_colour(colour: str, palette: Palette) -> str:
    """Return the colour of a text about what has a palette's colour: enough of the ink in it.

    It can be read on the paper and on all tints; on fills, `readable_on` says the colour.

    >>> lettering_colour("#0072b2", LIGHT), lettering_colour("#d15101", LIGHT)
    ('#016eab', '#ad4708')
    """
    inks = (*palette.series, *palette.strong.values(), *(each.strong for each in palette.own))
    if colour not in inks:
        return colour
    own = (each.tint for each in palette.own)
    grounds = (palette.paper, *palette.tints.values(), *own)
    for part in range(20):
        found = mixed(colour, palette.ink, part / 20)
        if all(_contrast(found, ground) >= _READABLE for ground in grounds):
            return found
    return palette.ink


def _contrast(first: str, second: str) -> float:
    """Return the contrast of two colours, 1 to 21 (WCAG 2.1)."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in to_rgb(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def readable_on(colour: str) -> str:
    """Return the ink, dark or light, that is read more easily on a colour.

    >>> readable_on("#ffffff"), readable_on("#175443")
    ('#10161c', '#f4f6f8')
    """
    return max(("#10161c", "#f4f6f8"), key=lambda ink: _contrast(ink, colour))
