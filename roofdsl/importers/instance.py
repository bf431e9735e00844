"""A network as instances of a family of the library: `model mine = decoder with { … }`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from roofdsl.importers.written import as_comment, as_text

Argument: TypeAlias = bool | int


class Network(NamedTuple):
    """A network: `family` is the model of the library, `phases` what is added to the names of it.

    `title` says what it is, `sources` where its numbers come from.
    """

    name: str
    title: str
    family: str
    phases: Mapping[str, str]
    arguments: Mapping[str, Argument]
    sources: Sequence[str]


def written(network: Network) -> str:
    """Return the network as the text of a `.roof` file, one declaration for each phase.

    >>> print(written(Network("mine", "Mine", "gpt", {"": "forward"}, {"layers": 2}, ["a file"])))
    ## Mine: forward.
    model mine = gpt with {
        source "a file"
        let layers = 2
    }
    <BLANKLINE>
    """
    return "\n".join(_declarations(network))


def _declarations(network: Network) -> Iterator[str]:
    values = [f"    let {name} = {_value(value)}" for name, value in network.arguments.items()]
    sources = [f"    source {as_text(source)}" for source in network.sources]
    for suffix, what in network.phases.items():
        yield as_comment(f"{network.title}: {what}.")
        yield f"model {network.name}{suffix} = {network.family}{suffix} with {{"
        yield from sources
        yield from values
        yield "}\n"


def _value(value: Argument) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value}"
