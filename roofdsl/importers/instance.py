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
_WIDTH = 100


class Network(NamedTuple):
    """A network: `family` is the model of the library, `phases` what is added to the names of it.

    `title` says what it is, `sources` where its numbers come from, `places` where those of some
    arguments stand. `fixed` are parameters that are of the network too: what is not among the
    arguments stays as the family has it.
    """

    name: str
    title: str
    family: str
    phases: Mapping[str, str]
    arguments: Mapping[str, Argument]
    sources: Sequence[str]
    places: Mapping[str, Span] = {}
    fixed: Sequence[str] = ()


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

    What differs from the family's defaults comes first; a default may hang on other arguments.

    >>> sizes = {"layers": 2, "hidden": 64, "heads": 4, "inner": 256, "vocabulary": 9}
    >>> made = Network("mine", "Mine", "bert", {"": "forward"}, sizes, ["a file"])
    >>> print(written(made._replace(fixed=["inner", "pooled", "tied"])))
    ## Mine: forward.
    model mine = bert with {
        source "a file"
        let layers = 2
        let hidden = 64
        let heads = 4
        let vocabulary = 9
    <BLANKLINE>
        # as the family has it
        let inner = 4*hidden; let pooled = true; let tied = true
    }
    <BLANKLINE>
    """
    return "\n".join(_declarations(network))


def _declarations(network: Network) -> Iterator[str]:
    sources = [f"    source {as_text(source)}" for source in network.sources]
    given = _given(network)
    for suffix, what in network.phases.items():
        family = find_model(f"{network.family}{suffix}")[0]
        needed = _needed(family, given)
        yield as_comment(f"{network.title}: {what}.")
        yield f"model {network.name}{suffix} = {family.name} with {{"
        yield from sources
        yield from (f"    let {name} = {_value(network.arguments[name])}" for name in needed)
        rest = [
            f"let {parameter.name} = {' '.join(parameter.written.split())}"
            for parameter in family.parameters
            if parameter.name in {*network.fixed, *given} and parameter.name not in needed
        ]
        if rest:
            yield "\n    # as the family has it"
            yield from _in_lines(rest)
        yield "}\n"


def _in_lines(statements: Iterable[str]) -> Iterator[str]:
    """Yield lines of several statements each."""
    line = ""
    for statement in statements:
        longer = f"{line}; {statement}" if line else f"    {statement}"
        if len(longer) > _WIDTH and line:
            yield line
            longer = f"    {statement}"
        line = longer
    yield line


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
