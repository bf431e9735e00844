"""Certificates on the command line: of what they are, and whether that has changed since."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from roofdsl.analysis.open_machine import asked_on
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.crossovers import CrossoverAnswer
from roofdsl.answer.places import shown as shown_place
from roofdsl.cli.options import Asked, model_named
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.units.quantity import show_given

if TYPE_CHECKING:
    from roofdsl.analysis.unknown import Unknown
    from roofdsl.verify.certificate import Certificate

_SET = "--set "


def check_package() -> None:
    """Raise RoofError where the arithmetic of certificates is not installed (R1304)."""
    if find_spec("flint") is None:
        message = "certificates need the package 'python-flint', which is not installed"
        raise RoofError([Diagnostic("R1304", message, hint="pip install 'roofdsl[verify]'")])


def write_certificate(path: str, reference: str, asked: Asked, answer: object) -> None:
    """Write the certificate of an answer; raise RoofError where none is found (R1303)."""
    from roofdsl.analysis import certificate as certificates
    from roofdsl.analysis.certificate_nodes import NoCertificate
    from roofdsl.writing import write_whole

    if not isinstance(answer, CrossoverAnswer):
        raise _none_of_open(answer)
    try:
        parameters = {name: value.body.strip() for name, value in asked.values().items()}
        for change in asked.changes:
            name, _, value = change.partition("=")
            parameters[_SET + name.strip()] = value.strip()
        question = certificates.Asked(
            reference, asked.names[0], parameters, _digests(reference, asked)
        )
        found = certificates.certified(answer.prediction, answer.found, question)
    except NoCertificate as error:
        message = f"no certificate is written: {error}"
        hint = "a smaller --range may have one"
        raise RoofError([Diagnostic("R1303", message, hint=hint)]) from None
    write_whole(Path(path), certificates.as_json(found))


def _none_of_open(answer: object) -> RoofError:
    """Return why there is no certificate of an answer for all values of what is open (R1303)."""
    from roofdsl.answer.open_crossovers import OpenCrossoverAnswer
    from roofdsl.answer.open_orders import OpenOrdersAnswer

    if isinstance(answer, OpenCrossoverAnswer):
        names = answer.found.other.name
    else:
        assert isinstance(answer, OpenOrdersAnswer)
        names = " and ".join(each.name for each in answer.found.others)
    message = f"no certificate is written: the answer is for any {names}"
    return RoofError([Diagnostic("R1303", message, hint=f"give {names} a value")])


def _digests(reference: str, asked: Asked) -> dict[str, str]:
    """Return the digests of the texts of a model and a machine, and of all that they use."""
    (machine,) = asked.machines()
    return {
        "model": model_named(reference)[0].span.source.digest,
        "machine": sha256(repr(machine.identity).encode()).hexdigest(),
    }


def compare_with_today(certificate: Certificate) -> tuple[str, Callable[[Fraction], str]]:
    """Return a sentence on the model and machine of a certificate as they are today.

    And what shows a value of its unknown: in the units of today, in SI base units without any
    where the model or the machine is not at hand.

    Raises RoofError where they are not those it is about, or their formulas are not its (R1305).
    """
    from roofdsl.analysis.certificate import listed

    changes = {n.removeprefix(_SET): v for n, v in certificate.parameters.items() if _SET in n}
    settings = {n: v for n, v in certificate.parameters.items() if _SET not in n}
    asked = Asked((certificate.machine,), _joined(settings), _joined(changes))
    try:
        digests = _digests(certificate.model, asked)
        model, (machine,) = model_named(certificate.model)[0], asked.machines()
    except RoofError:
        said = "the model or the machine is not at hand: the digests are not compared"
        return said, str
    if changed := [sort for sort, each in digests.items() if each != certificate.digests.get(sort)]:
        of = " and ".join(changed)
        raise _stale(f"the text of the {of} is another than that of the certificate")
    machine, unknown = asked_on(certificate.unknown, model, machine, closed=True)
    prediction = ModelOnMachine(model, machine).bound(asked.values(), unknown.free)
    nodes, rivals = listed(prediction, unknown)
    own = [(kind, of, text if kind == "number" else "") for kind, of, text in nodes]
    given = [*certificate.rivals.items()], [*certificate.nodes[: len(own)]]
    if ([*rivals.items()], own) != given:
        raise _stale("the formulas are others than those of the model on the machine")
    said = "model and machine are the same today, and so are the formulas that roofdsl makes of "
    return f"{said}them", _shown_of(unknown)


def _shown_of(unknown: Unknown) -> Callable[[Fraction], str]:
    """Return what shows a value exactly where it is whole or a float, else as near as these are."""
    dimension = unknown.dimension

    def shown(value: Fraction) -> str:
        if value.denominator == 1 and unknown.integer:
            return shown_place(value.numerator, unknown)
        if value.denominator == 1:
            return show_given(value, dimension)
        with suppress(OverflowError):
            near = float(value)
            if Fraction(repr(near)) == value:
                return show_given(near, dimension)
        return f"about {show_given(value, dimension)}"

    return shown


def _joined(values: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for name, value in values.items())


def _stale(message: str) -> RoofError:
    hint = "solve again with --certificate to have one of today"
    return RoofError([Diagnostic("R1305", message, hint=hint)])
