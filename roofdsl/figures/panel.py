"""A panel: axes of a fixed size in points, what is drawn in them, and where labels fit."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import nan

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.lines import Line2D
from matplotlib.markers import TICKDOWN, TICKLEFT, MarkerStyle
from matplotlib.patches import Polygon
from matplotlib.ticker import NullLocator
from numpy.typing import ArrayLike, NDArray

from roofdsl.figures.crowd import Crowd, Led
from roofdsl.figures.lettering import extent, printable, shortened, typeset
from roofdsl.figures.look import (
    EDGE_WIDTH,
    LABEL_SIZE,
    NOTE_SIZE,
    TICK_SIZE,
    Look,
    lettering_colour,
)
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import Picture
from roofdsl.figures.placement import DEAREST, FINE_COST, LINE_COST, Box, Subject, around
from roofdsl.figures.scale import CategoryScale, LogScale

# An axis label may be so much longer than its axis; above an upright one there may be a letter.
_LABEL_OVER, _UPRIGHT_OVER = 15.0, 5.0
_DOTTED = (1.0, 1.8)
# How much of a line shows through the ground of a label that lies on it: the rest of 1.
_GROUND = 0.8


class Panel:
    """Axes of a fixed size in points, and what already stands in them."""

    def __init__(
        self,
        picture: Picture,
        look: Look,
        plan: PanelPlan,
        width: float,
        height: float,
        urgent: Collection[str] = (),
    ) -> None:
        self.plan, self.look, self.palette = plan, look, look.palette
        self.width, self.height = width, height
        self.crowd = Crowd(width, height)
        # The labels that are not to be left out and have no place, and those that had none before.
        self.missing: list[str] = []
        self.urgent = urgent
        self._said: set[tuple[str, int, int]] = set()
        self.axes = picture.add_axes((0.0, 0.0, 1.0, 1.0))
        self._dress()

    def _dress(self) -> None:
        axes, palette, plan = self.axes, self.palette, self.plan
        axes.set_facecolor("none")
        if plan.bare:
            axes.set_axis_off()
            axes.set(xlim=(plan.x.low, plan.x.high), ylim=(plan.y.low, plan.y.high))
            return
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        for side in ("left", "bottom"):
            axes.spines[side].set(color=palette.muted, linewidth=0.7)
        axes.set_axisbelow(True)
        sizes = ("x", plan.x, self.width), ("y", plan.y, self.height)
        for (name, scale, reach), gap in zip(sizes, plan.gaps, strict=True):
            axis = axes.xaxis if name == "x" else axes.yaxis
            if isinstance(scale, LogScale):
                axes.set(**{f"{name}scale": "log"})
                self._small_ticks(name, scale.small_ticks(reach))
            axes.set(**{f"{name}lim": (scale.low, scale.high)})
            ticks = scale.ticks(reach, gap)
            labels = [printable(label) for _, label in ticks]
            axis.set_ticks([value for value, _ in ticks], labels=labels)
            axis.set_minor_locator(NullLocator())
            axis.set_tick_params(
                which="both", color=palette.muted, labelcolor=palette.ink, labelsize=TICK_SIZE
            )
            length = 0.0 if isinstance(scale, CategoryScale) else 3.0
            axis.set_tick_params(which="major", length=length, width=0.7, pad=5.5 - length)
            if plan.grid and not isinstance(scale, CategoryScale):
                axis.grid(True, which="major", color=palette.faint, linewidth=0.5)
        x_label = shortened(printable(plan.x_label), self.width + _LABEL_OVER, LABEL_SIZE)
        y_label = shortened(printable(plan.y_label), self.height + _UPRIGHT_OVER, LABEL_SIZE)
        axes.set_xlabel("", fontsize=LABEL_SIZE, color=palette.ink, labelpad=3.0)
        axes.set_ylabel("", fontsize=LABEL_SIZE, color=palette.ink, labelpad=4.0)
        axes.xaxis.label.set(**typeset(x_label))
        axes.yaxis.label.set(**typeset(y_label))
        if plan.turned:
            axes.tick_params(axis="x", labelrotation=90.0)
        if plan.no_y:
            axes.yaxis.set_visible(False)
            axes.spines["left"].set_visible(False)
        if plan.bare_y:
            axes.tick_params(axis="y", which="both", labelleft=False)

    def _small_ticks(self, name: str, values: list[float]) -> None:
        """Draw the small ticks as the markers of one line: a tick of matplotlib's own is slow."""
        across, nothing = name == "x", [0.0] * len(values)
        xs, ys = (values, nothing) if across else (nothing, values)
        axes = self.axes
        ticks = Line2D(
            xs,
            ys,
            linestyle="None",
            marker=MarkerStyle(TICKDOWN if across else TICKLEFT),
            markersize=1.6,
            markeredgewidth=0.5,
            color=self.palette.muted,
            transform=axes.get_xaxis_transform() if across else axes.get_yaxis_transform(),
            clip_on=False,
            gid=f"ticks:{name}",
        )
        axes.add_artist(ticks)

    def at(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Return where values stand in the panel, in points from its lower left corner (n × 2)."""
        across = np.atleast_1d(self.plan.x.place(x)) * self.width
        up = np.atleast_1d(self.plan.y.place(y)) * self.height
        return np.stack(np.broadcast_arrays(across, up), axis=-1)

    def at_foot(self, x: float, size: tuple[float, float], ups: Iterable[float]) -> list[Box]:
        """Return places for a label on both sides of a vertical line, so far above the axis."""
        ((foot, _),) = self.at(x, self.plan.y.low)
        away = size[0] / 2 + 2.5
        return [Box(foot + side * away, up + size[1] / 2, *size) for up in ups for side in (1, -1)]

    def value(self, x: float, y: float) -> tuple[float, float]:
        """Return the values that stand at a place in points."""
        return self.plan.x.value(x / self.width), self.plan.y.value(y / self.height)

    def line(
        self,
        x: ArrayLike,
        y: ArrayLike,
        colour: str,
        *,
        name: str,
        width: float = 1.0,
        dash: tuple[float, ...] = (),
        order: float = 2.0,
        cost: float = LINE_COST,
    ) -> Line2D:
        """Draw a line through values; `cost` says how much labels keep off it."""
        xs, ys = np.atleast_1d(np.asarray(x, float)), np.atleast_1d(np.asarray(y, float))
        (drawn,) = self.axes.plot(xs, ys, color=colour, dashes=dash, zorder=order, gid=name)
        drawn.set(linewidth=width, solid_capstyle="projecting")
        places = self.at(xs, ys)
        self.crowd.add_line(places[np.isfinite(places).all(axis=1)], name, cost)
        return drawn

    def through(
        self,
        places: NDArray[np.float64],
        colour: str,
        *,
        name: str,
        width: float = 0.5,
        dash: tuple[float, ...] = (),
        order: float = 0.3,
        cost: float = 0.0,
    ) -> Line2D:
        """Draw a line through values (n × 2), by default a faint one that labels may lie on."""
        x, y = places.T
        return self.line(x, y, colour, name=name, width=width, dash=dash, order=order, cost=cost)

    def guide(self, x: ArrayLike, y: ArrayLike, colour: str, *, name: str) -> Line2D | None:
        """Draw a dotted line behind the others, such as from a ridge point to an axis.

        It is interrupted by the labels that stand; None if they cover all of it.
        """
        parts = self.crowd.gaps(self.at(x, y))
        if not parts:
            return None
        places = np.concatenate([np.append(part, [[nan, nan]], axis=0) for part in parts])[:-1]
        values = [self.value(*place) for place in places.tolist()]
        xs, ys = zip(*values, strict=True)
        for part in parts:
            self.crowd.add_line(part, name, FINE_COST)
        return self.line(xs, ys, colour, name=name, width=0.8, dash=_DOTTED, order=1.5, cost=0.0)

    def area(
        self, corners: ArrayLike, colour: str, *, name: str, order: float = 0.2, edge: str = ""
    ) -> Polygon:
        """Fill a polygon of values (n × 2); `edge` is the colour around it, if it has one."""
        polygon = Polygon(
            np.asarray(corners, float),
            closed=True,
            facecolor=colour,
            edgecolor=edge or "none",
            linewidth=EDGE_WIDTH,
            zorder=order,
            gid=name,
        )
        self.axes.add_patch(polygon)
        return polygon

    def markers(
        self,
        x: ArrayLike,
        y: ArrayLike,
        colour: str,
        *,
        name: str,
        shape: str = "o",
        filled: bool = True,
        face: str = "",
        size: ArrayLike = 5.0,
        opacity: float = 1.0,
        order: float = 4.0,
    ) -> PathCollection:
        """Draw markers at values; `size` is their diameter in points.

        One that is not filled has the colour `face` inside, or the ground's.
        """
        diameters = np.asarray(size, dtype=float)
        drawn = self.axes.scatter(
            x,
            y,
            s=diameters**2,
            marker=shape,
            facecolors=colour if filled else face or self.palette.paper,
            edgecolors=self.palette.paper if filled else colour,
            linewidths=0.5 if filled else 1.0,
            alpha=opacity,
            zorder=order,
            clip_on=False,
            gid=name,
        )
        self.crowd.add_markers(self.at(x, y), diameters / 2 + 0.5)
        return drawn

    def says(self, text: str, place: ArrayLike) -> bool:
        """Whether this was asked before: a label of this text for a point at this place.

        Trajectories of several levels or models may end at one point.
        """
        x, y = np.asarray(place, dtype=float).tolist()
        said = (text, round(x / 4), round(y / 4))
        if said in self._said:
            return True
        self._said.add(said)
        return False

    def write(
        self,
        text: str,
        candidates: Iterable[Box],
        colour: str,
        *,
        name: str,
        size: float = NOTE_SIZE,
        bold: bool = False,
        dearest: float = DEAREST,
        grounded: bool = False,
        about: Subject | None = None,
    ) -> bool:
        """Write a label at the best of the places given; return whether there was one.

        One that lies on a line has a ground of its own, as has a `grounded` one. What it is `about`
        may reach farther than the places: a thin line then leads to the label.
        """
        chosen, aside = self.crowd.place(candidates, dearest, about), 0
        if chosen is None and about is not None and about.reach:
            led = self.crowd.lead(extent(text, size, bold), about)
            if led is not None:
                self._lead(led, colour, f"leader:{name}")
                chosen, aside = led.box, led.aside
        if chosen is None:
            return False
        # Letters are not as wide as they say: they begin where a line leads to them.
        x, y = self.value(chosen.x - aside * chosen.width / 2, chosen.y)
        label = self.axes.text(
            x,
            y,
            "",
            color=lettering_colour(colour, self.palette),
            fontsize=size,
            fontweight="bold" if bold else "normal",
            ha={0: "center", 1: "left", -1: "right"}[aside],
            va="center",
            rotation=chosen.angle,
            rotation_mode="anchor",
            zorder=6.0,
            gid=name,
        )
        label.set(**typeset(text))
        if grounded or self.crowd.cost(chosen) > 0:
            ground = {"facecolor": self.palette.paper, "edgecolor": "none", "pad": 0.6}
            label.set_bbox({**ground, "alpha": _GROUND})
        return True

    def _lead(self, led: Led, colour: str, name: str) -> None:
        """Draw the line that leads to a label."""
        xs, ys = zip(*(self.value(*place) for place in (led.start, led.end)), strict=True)
        drawn = Line2D(
            xs,
            ys,
            color=lettering_colour(colour, self.palette),
            linewidth=0.5,
            marker="o",
            markevery=[0],
            markersize=2.0 if led.dotted else 0.0,
            zorder=5.5,
            gid=name,
        )
        self.axes.add_line(drawn)

    def label(
        self,
        text: str,
        place: ArrayLike,
        colour: str,
        *,
        name: str,
        away: float = 4.5,
        side: str = "E",
        bold: bool = False,
        dearest: float = DEAREST,
        grounded: bool = False,
        about: Subject | None = None,
    ) -> bool:
        """Write a label `away` points from a place of the panel, at a compass `side` first.

        It is about what stands at this place, if nothing else is said.
        """
        boxes = around(place, extent(text, NOTE_SIZE, bold), away, side)
        x, y = np.asarray(place, float).tolist()
        about = about or Subject(point=(x, y), rivals="trajectory:")
        return self.write(
            text,
            boxes,
            colour,
            name=name,
            bold=bold,
            dearest=dearest,
            grounded=grounded,
            about=about,
        )

    def centred(
        self,
        text: str,
        place: ArrayLike,
        colour: str,
        *,
        name: str,
        dearest: float = 9.0,
    ) -> bool:
        """Write a label with its middle at a place of the panel, whatever else is there."""
        x, y = np.asarray(place, float).tolist()
        box = Box(x, y, *extent(text))
        return self.write(text, [box], colour, name=name, dearest=dearest)

    def beside(self, text: str, y: float, room: float, colour: str, *, name: str) -> None:
        """Write a text right of the panel, right-aligned `room` points from its edge."""
        self.axes.annotate(
            printable(text),
            (1.0, y / self.height),
            xycoords="axes fraction",
            xytext=(room, 0.0),
            textcoords="offset points",
            color=colour,
            fontsize=NOTE_SIZE,
            ha="right",
            va="center",
            annotation_clip=False,
            gid=name,
        )
