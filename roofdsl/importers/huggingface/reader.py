"""Read a `config.json`: the network that it describes, as instances of a family of the library."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.diagnostic import Diagnostic, closest, listing
from roofdsl.importers.given import Given, Import, Imported
from roofdsl.importers.huggingface.architecture import Architecture
from roofdsl.importers.huggingface.fields import Fields
from roofdsl.importers.huggingface.foreign import notes_on, refuse_foreign
from roofdsl.importers.huggingface.known import ARCHITECTURES
from roofdsl.importers.instance import Network, free_name, is_free, misfits, written
from roofdsl.located_json import read_json
from roofdsl.reading import as_text

LARGEST = 4_000_000
_LONGEST_NAME = 100
_WITHOUT_SCORES = {"": "features of each token"}
"""The phases of what is neither trained nor generates by itself."""


def recognises(name: str, data: bytes) -> bool:
    """Whether a file is meant: JSON by its name, or by how it begins."""
    return name.endswith(".json") or data[:100].lstrip().startswith(b"{")


def read(given: Given) -> Import:
    """Return the network as the text of a `.roof` file, or what is wrong with the file."""
    source = as_text(given.data, given.path, given.shown)
    if isinstance(source, Diagnostic):
        return None, (source,)
    whole = read_json(source)
    if isinstance(whole, Diagnostic):
        return None, (whole,)
    if not isinstance(whole.value, Mapping):
        message = "a config.json is one object, and this is another value"
        return None, (Diagnostic.at("R1205", message, whole.span),)
    fields = Fields(whole.value, whole.span)
    notes: list[str] = []
    network = _network(given, fields, notes)
    if network is None or fields.problems:
        return None, tuple(fields.problems)
    if problems := misfits(network):
        return None, problems
    return Imported(written(network), tuple(notes)), ()


def _network(given: Given, fields: Fields, notes: list[str]) -> Network | None:
    kind = fields.word("model_type")
    if fields.problems:
        return None
    architecture = ARCHITECTURES.get(kind)
    if architecture is None:
        near = closest(kind, ARCHITECTURES, 0.8)
        hint = f"known are {listing(ARCHITECTURES, limit=40)}"
        hint = f"did you mean '{near}'? {hint}" if near else hint
        fields.refuse("model_type", f"networks of the type '{kind[:60]}' are not known", hint)
        return None
    head = _head(fields, architecture)
    if head is None:
        return None
    refuse_foreign(fields)
    arguments = architecture.arguments(fields, head, notes)
    notes.extend(notes_on(fields))
    phases = architecture.phases if arguments.get("head", True) else _WITHOUT_SCORES
    called = _called(fields)
    title = called.rstrip("/").rpartition("/")[2]
    stem = given.path.stem if given.path.stem != "config" else kind
    name = given.name or free_name(title or stem, architecture.family, phases)
    if not is_free(name, architecture.family, phases):
        message = f"'{name}' is the model of the library that this network is made from"
        fields.problems.append(Diagnostic("R1207", message, hint="give it another --name"))
    return Network(
        name,
        title or name,
        architecture.family,
        phases,
        arguments,
        (f"{given.source}: {', '.join(filter(None, (called, head)))}", architecture.source),
        fields.places(),
        architecture.fixed_for(arguments),
    )


def _called(fields: Fields) -> str:
    """Return what the file calls the network: the name of a repository, or a path."""
    found = fields.at("_name_or_path")
    return found.value[:_LONGEST_NAME] if found and isinstance(found.value, str) else ""


def _head(fields: Fields, architecture: Architecture) -> str | None:
    """Return the class of the network, which says what its last layer is."""
    classes = fields.words("architectures")
    some = listing(architecture.heads)
    if fields.problems:
        return None
    if not classes:
        message = "the field 'architectures' is missing: it says which last layer the network has"
        fields.refuse("architectures", message, f"write one of {some}")
    elif len(classes) > 1:
        message = f"'architectures' names {len(classes)} classes, and a network is one of them"
        fields.refuse("architectures", message, "keep the one that is meant")
    elif classes[0] not in architecture.heads:
        message = f"networks of the class '{classes[0][:60]}' are not known"
        fields.refuse("architectures", message, f"known here are {some}")
    else:
        return classes[0]
    return None
