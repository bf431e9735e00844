"""A network as instances of a family of the library: `model mine = decoder with { … }`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from roofdsl.analysis.binding import Arguments, bind
from roofdsl.diagnostic import Diagnostic
from roofdsl.expression.condition import truth
from roofdsl.expression.tree import Expression, Number
from roofdsl.importers.written import as_comment, as_name, as_text
from roofdsl.model.library import find_model
from roofdsl.model.types import ModelDefinition
from roofdsl.source import Span

Argument: TypeAlias = bool | int


class Network(NamedTuple):
    """A network: `family` is the model of the library, `phases` what is added to the names of it.

    `title` says what it is, `sources` where its numbers come from, `places` where those of some
    arguments stand.
    """

    name: str
    title: str
    family: str
    phases: Mapping[str, str]
    arguments: Mapping[str, Argument]
    sources: Sequence[str]
    places: Mapping[str, Span] = {}


def is_free(name: str, family: str, phases: Iterable[str]) -> bool:
    """Whether models by this name, and those of its phases, are none of the family's own.

    >>> [is_free(name, "bert", ("", "_training")) for name in ("mine", "bert", "bert_training")]
    [True, False, False]
    """
    suffixes = [*phases]
    own = {family + suffix for suffix in suffixes}
    return own.isdisjoint(name + suffix for suffix in suffixes)


def free_name(text: str, family: str, phases: Iterable[str]) -> str:
    """Return a name of the language that is like a text, and free.

    >>> [free_name(text, "bert", ("", "_training")) for text in ("BERT", "bert-large")]
    ['network_bert', 'bert_large']
    """
    name = as_name(text)
    return name if is_free(name, family, phases) else f"network_{name}"


def misfits(network: Network) -> tuple[Diagnostic, ...]:
    """Return what the family refuses of the arguments, at their places in the file."""
    return bind(find_model(network.family)[0], _given(network))[1]


def written(network: Network) -> str:
    """Return the network as the text of a `.roof` file, one declaration for each phase.

    What is a default of the family is left out; it may hang on other arguments, as `4*hidden` does.

    >>> sizes = {"layers": 2, "hidden": 64, "heads": 4, "inner": 256, "vocabulary": 9}
    >>> both = sizes | {"pooled": False}
    >>> print(written(Network("mine", "Mine", "bert", {"": "forward"}, both, ["a file"])))
    ## Mine: forward.
    model mine = bert with {
        source "a file"
        let layers = 2
        let hidden = 64
        let heads = 4
        let vocabulary = 9
        let pooled = false
    }
    <BLANKLINE>
    """
    return "\n".join(_declarations(network))


def _declarations(network: Network) -> Iterator[str]:
    sources = [f"    source {as_text(source)}" for source in network.sources]
    given = _given(network)
    for suffix, what in network.phases.items():
        family = find_model(f"{network.family}{suffix}")[0]
        yield as_comment(f"{network.title}: {what}.")
        yield f"model {network.name}{suffix} = {family.name} with {{"
        yield from sources
        for name in _needed(family, given):
            yield f"    let {name} = {_value(network.arguments[name])}"
        yield "}\n"


def _needed(family: ModelDefinition, given: Arguments) -> list[str]:
    """Return the arguments that are not the family's defaults, in its order."""
    order = [parameter.name for parameter in family.parameters if parameter.name in given]
    values = bind(family, given)[0].values
    for name in reversed(order):
        rest = {other: value for other, value in given.items() if other != name}
        if bind(family, rest)[0].values.get(name) == values.get(name):
            given = rest
    return [name for name in order if name in given]


def _given(network: Network) -> Arguments:
    return {
        name: (_tree(value), network.places.get(name)) for name, value in network.arguments.items()
    }


def _tree(value: Argument) -> Expression:
    return truth(value) if isinstance(value, bool) else Number(Fraction(value))


def _value(value: Argument) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value}"
