"""Profiles that were measured on one machine, projected to others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from roofdsl.analysis.projection import Profile, Projection, measured_time
from roofdsl.analysis.projection import project as projected
from roofdsl.answer.contest import refuse_one_name
from roofdsl.answer.plain import Json
from roofdsl.answer.projected import ProjectionAnswer
from roofdsl.contract import as_given, public
from roofdsl.diagnostic import Diagnostic, RoofError, listing, raise_if_any
from roofdsl.embedding.displayed import Listed
from roofdsl.embedding.machine import A_MACHINE, Machine
from roofdsl.importers.profile_csv import read_profile
from roofdsl.model.given import by_name, number_in, one_of, one_or_more, said, some
from roofdsl.model.types import Definition, MachineDefinition
from roofdsl.units.dimension import SECOND

if TYPE_CHECKING:
    from roofdsl.answer.asked import Numeric

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Projections(Listed):
    """A profile on other machines: `projections`, one for each, and all of them as one table.

    Each has the `time` of the whole there [s], its `speedup`, the `coverage` of the groups that
    were projected, and where a time was measured the `error` in percent.
    """

    name: str
    profile: Profile
    projections: tuple[Projection, ...]
    machines: tuple[MachineDefinition, ...]

    def answer(self) -> ProjectionAnswer:
        return ProjectionAnswer(self.name, self.profile, self.projections)

    def rows(self) -> list[dict[str, Json]]:
        """Return a row for each group on each machine, and one without a group for the whole."""
        return self.answer().rows()

    def _of(self) -> tuple[Definition, ...]:
        return self.machines

    def __repr__(self) -> str:
        names = ", ".join(each.target for each in self.projections)
        return f"<{type(self).__name__} {self.name} on {names}>"


@public(
    origin=one_of(Machine, wanted=A_MACHINE),
    targets=some(one_or_more(one_of(Machine, wanted=A_MACHINE)), "target"),
    measured=by_name(as_given),
)
def project(
    profile: str | os.PathLike[str],
    origin: Machine,
    targets: Machine | Iterable[Machine],
    *,
    measured: Mapping[str, Numeric | str] = _NOTHING,
) -> Projections:
    """Project the times of a profile, a CSV file, from the machine of its origin to others.

    It answers as `roofdsl project` does. `measured` says how long the program took there, by the
    machines' names: seconds, or texts with their unit. Raises RoofError for a profile that has
    mistakes (R0911 to R0916), a machine without the rate that bounds a group (R0917), no target
    (R0404), a name that is none of the targets' (R0207), and different machines of one (R0202).

    >>> import roofdsl as rd
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> here, there = rd.load_machine("blue_waters_xe"), rd.load_machine("ivy_bridge")
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "profile.csv")
    ...     _ = path.write_text("group,time [s],kind\\nall,100,threaded\\n")
    ...     found = rd.project(path, here, there, measured={"ivy_bridge": "70 s"})
    >>> isinstance(found, rd.Projections)
    True
    >>> [(round(x.time, 2), round(x.speedup, 2), round(x.error, 1)) for x in found.projections]
    [(66.95, 1.49, -4.4)]
    """
    machines = [targets] if isinstance(targets, Machine) else [*targets]
    refuse_one_name(each.definition for each in (origin, *machines))
    names = [each.name for each in machines]
    for name in measured:
        if name not in names:
            hint = f"the profile is projected to {listing(names)}"
            message = f"{said(name)} has a measured time, and is none of the targets"
            raise RoofError([Diagnostic("R0207", message, hint=hint)])
    shown = os.fspath(profile)
    read, problems = read_profile(Path(shown), shown)
    raise_if_any(problems)
    assert read is not None  # else there are problems
    times = {name: _time(name, value) for name, value in measured.items()}
    found = (
        projected(read, origin.definition, each.definition, times.get(each.name))
        for each in machines
    )
    definitions = tuple(each.definition for each in (origin, *machines))
    return Projections(shown, read, tuple(found), definitions)


def _time(name: str, value: object) -> float:
    """Read a measured time [s]."""
    which = f"measured[{said(name)}]"
    return measured_time(number_in(SECOND)(which, value), which)
