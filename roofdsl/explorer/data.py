"""What the page of an explorer knows: frozen, and written into it as JSON.

Numbers are in SI base units. A formula is the place of a function in the table of its model or
machine; those functions take the values of the `symbols` there, in that order.
"""

from __future__ import annotations

from dataclasses import dataclass

Units = tuple[tuple[int, str], ...]
"""Exponents of ten with the unit that shows a number so large: (9, "GB/s")."""


@dataclass(frozen=True, slots=True)
class Display:
    """How to show, read and slide a number.

    `spellings` are units that can be typed, with their factors; `inverse` says that what people see
    is one over the number, as a latency is. `slider` is its least and largest value and whether it
    is logarithmic.
    """

    units: Units
    spellings: tuple[tuple[str, float], ...]
    inverse: bool
    slider: tuple[float, float, bool]


@dataclass(frozen=True, slots=True)
class ParameterControl:
    """A parameter of a model or machine; `start` is what it is set to, None for its default.

    `choices` are the precisions there are to choose from: codes, names, bytes of an element.
    """

    name: str
    kind: str
    integer: bool
    doc: str
    written: str
    quantity: Display
    low: int | None
    low_open: bool
    high: int | None
    default: int | None
    start: float | bool | None
    choices: tuple[tuple[float, str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class RateControl:
    """A limited rate of a machine; `default` is the formula of its parameters."""

    name: str
    resource: str
    device: str
    doc: str
    quantity: Display
    default: int


@dataclass(frozen=True, slots=True)
class RoofLines:
    """The lines that make the roof of a machine, or of a device: places among the machine's rates.

    `main` are the rates that plain `flops`, `memory` and `network` mean, or -1.
    """

    device: str
    flops: tuple[int, ...]
    memory: tuple[int, ...]
    network: tuple[int, ...]
    main: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class ExploredMachine:
    """A machine: `order` is that in which parameters follow from one another."""

    name: str
    doc: str
    sources: tuple[str, ...]
    symbols: tuple[str, ...]
    parameters: tuple[ParameterControl, ...]
    order: tuple[int, ...]
    rates: tuple[RateControl, ...]
    capacity: int | None
    roofs: tuple[RoofLines, ...]
    tables: tuple[Measurements, ...]
    functions: int


@dataclass(frozen=True, slots=True)
class Named:
    """A quantity that a model names: a `let`, a `require`, a tally."""

    name: str
    function: int
    units: Units = ()


@dataclass(frozen=True, slots=True)
class Key:
    """A resource that kernels work on: its name, the group its time adds to, the machine's rate.

    `rate` is -1 where nothing limits it, -2 where the machine has none; `roof` is the rate of flops
    that bounds it even where its time was measured, or -1; `measured` is the place of a lookup, or
    -1.
    """

    name: str
    group: str
    resource: str
    rate: int
    roof: int
    device: str
    units: Units
    measured: int


@dataclass(frozen=True, slots=True)
class Measurements:
    """Measured times [s] of an operation by its arguments."""

    name: str
    rows: tuple[tuple[tuple[float, ...], float], ...]
    interpolate: bool


UNKNOWN, EVEN = -1, -2
"""What stands for the total of a model that states none, or whose processes all do the same."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A model on a machine, for one choice of its precisions.

    `tree` is a place in the model's trees; `loads` are what the kernels there mean by their
    numbers: a key, a formula, and whether it counts as the kernel's work on the resource. `lookups`
    are the measured times: one of the machine's tables, and the formulas of its arguments. `total`
    is the formula of the flops of all processes, or `EVEN` or `UNKNOWN`; `formulas` are shown, by
    the quantity's name and the place of the template.
    """

    tree: int
    keys: tuple[Key, ...]
    loads: tuple[tuple[int, int, int], ...]
    lookups: tuple[tuple[int, tuple[int, ...]], ...]
    lets: tuple[Named, ...]
    requirements: tuple[Named, ...]
    tallies: tuple[Named, ...]
    total: int
    roof: tuple[int, int, int]
    notes: tuple[str, ...]
    formulas: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """A model on a machine: the defaults there, the order they follow in, and the variants.

    Variants go by the codes of the precisions: `2`, or `2,1`.
    """

    defaults: tuple[int | None, ...]
    order: tuple[int, ...]
    variants: dict[str, Variant]


@dataclass(frozen=True, slots=True)
class StepTree:
    """A node of a composition: its arrangement, name, model, the formula of how often it runs.

    A kernel has `loads`, and `stated` where its time is.
    """

    arrangement: str
    name: str
    model: str
    times: int | None
    stated: int | None
    loads: tuple[int, ...]
    children: tuple[StepTree, ...]


@dataclass(frozen=True, slots=True)
class ExploredModel:
    """A model with its placements on the machines; `trees` are shared by its variants.

    `symbols` are the names that formulas take: parameters, `size(dtype)`, `machine:parameter`.
    """

    name: str
    doc: str
    sources: tuple[str, ...]
    symbols: tuple[str, ...]
    parameters: tuple[ParameterControl, ...]
    kernel: bool
    trees: tuple[StepTree, ...]
    placements: tuple[Placement, ...]
    functions: int


@dataclass(frozen=True, slots=True)
class Explorer:
    """All of it; `units` are those of intensities by name, and of other numbers by their unit."""

    title: str
    models: tuple[ExploredModel, ...]
    machines: tuple[ExploredMachine, ...]
    units: dict[str, Units]
