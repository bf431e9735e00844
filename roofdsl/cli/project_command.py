"""`roofdsl project`: how long a profiled program would take on another machine."""

from __future__ import annotations

from pathlib import Path

import click

from roofdsl.analysis.projection import measured_time, project
from roofdsl.answer.projected import ProjectionAnswer
from roofdsl.cli.call import Call
from roofdsl.cli.formats import echo, format_option, say
from roofdsl.cli.options import machine_named, refuse_several, set_option, typed, with_changes
from roofdsl.cli.sweep_values import is_range
from roofdsl.diagnostic import Label, raise_if_any
from roofdsl.importers.profile_csv import read_profile
from roofdsl.model.arguments import read_number
from roofdsl.source import Span
from roofdsl.units.dimension import SECOND


@click.command("project", cls=Call)
@click.argument("profile")
@click.option("--from", "origin", required=True, metavar="NAME", help="where it was measured")
@click.option("--to", "targets", multiple=True, required=True, metavar="NAME", help="a machine")
@click.option(
    "--measured", multiple=True, metavar="NAME=TIME", help='how long it took there: "haswell=9 s"'
)
@set_option
@format_option("json", "csv")
def command(
    profile: str,
    origin: str,
    targets: tuple[str, ...],
    measured: tuple[str, ...],
    changes: tuple[str, ...],
    form: str,
) -> None:
    """Project the times of PROFILE, a CSV file, to other machines.

    The columns are group, time [s] and kind. A group is `threaded`, and takes as many times longer
    as a node's memory is slower there, or `serial`, and has the memory of one NUMA domain; without
    a kind it is not projected. A column `bound` names another rate, such as memory.L2. Points, with
    columns flops and memory, are bound by what of their work takes longest. What is not projected
    is taken to change as the rest does. A row Total says how long all of it took.

    With --set, a machine that is both --from and --to is changed as the one of --to alone.

    \b
    Examples:
      roofdsl project profile.csv --from blue_waters_xe --to ivy_bridge --to haswell
      roofdsl project profile.csv --from blue_waters_xe --to haswell --measured "haswell=1293 s"
      roofdsl project profile.csv --from haswell --to haswell --set haswell.memory=1x,1.5x,2x
    """
    read, problems = read_profile(Path(profile), profile)
    raise_if_any(problems)
    assert read is not None  # else there are problems
    source, *machines = (machine_named(name)[0] for name in (origin, *targets))
    if any(machine.name == source.name for machine in machines):
        machines = with_changes(machines, changes, swept=True)
        for change in changes:
            if change.strip().startswith(f"{source.name}."):
                note = f"'--set {change}' changes the machine of --to, not the one of --from"
                say(f"note: {note}", err=True)
    else:
        own = (text for text in changes if text.strip().startswith(f"{source.name}."))
        several = [("--set ", text) for text in own if is_range(text.partition("=")[2])]
        refuse_several(several, "the profile was measured on one machine")
        source, *machines = with_changes([source, *machines], changes, swept=True)
    times = dict(_measured(text, [machine.name for machine in machines]) for text in measured)
    projections = tuple(project(read, source, m, times.get(m.name)) for m in machines)
    echo(ProjectionAnswer(profile, read, projections), form)


def _measured(text: str, machines: list[str]) -> tuple[str, float]:
    """Read `NAME=TIME`; raise a usage error or RoofError for what is neither."""
    name, equals, written = text.partition("=")
    name = name.strip()
    if not equals or name not in machines:
        known = ", ".join(machines)
        raise click.UsageError(
            f"'--measured {text}' is not of the form NAME=TIME, with one of: {known}"
        )
    place = typed(f"--measured {name}=", written)
    which = f"the measured time on {name}"
    label = Label(Span(place, place.begin, len(place.text)))
    return name, measured_time(read_number(place, which, SECOND), which, label)
