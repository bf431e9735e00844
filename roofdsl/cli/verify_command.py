"""`roofdsl verify`: check a certificate that `solve` wrote."""

from __future__ import annotations

from pathlib import Path

import click

from roofdsl.cli.call import Call
from roofdsl.cli.certificates import check_package, compare_with_today
from roofdsl.cli.formats import say
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.inert import in_a_line
from roofdsl.reading import as_text, read_bytes

_NOT_PROVEN = (
    "not proven here: that these are the formulas of the model on the machine; that follows from "
    "the law of composition, which roofdsl applies"
)


@click.command("verify", cls=Call)
@click.argument("file", metavar="FILE")
def command(file: str) -> None:
    """Check a certificate that `roofdsl solve --crossover --certificate FILE` wrote.

    What is asked, the formulas that are compared, and the answer are printed; then each box is
    checked by interval arithmetic that shares no code with the search. Where the model and the
    machine are at hand, their texts and formulas are compared with those of the certificate.

    \b
    Example:
      roofdsl verify summa.certificate.json
    """
    check_package()
    from roofdsl.verify.certificate import HINT, read_certificate
    from roofdsl.verify.check import check
    from roofdsl.verify.text import answer, formulas, question

    data = read_bytes(Path(file), file, of_folder="name a file in it", of_larger=None)
    source = data if isinstance(data, Diagnostic) else as_text(data, Path(file), file)
    if isinstance(source, Diagnostic):
        raise RoofError([source])
    certificate = read_certificate(source)
    today, shown = compare_with_today(certificate)
    parts = {
        "question": question(certificate, shown),
        "formulas": formulas(certificate),
        "answer": answer(certificate, shown),
    }
    for name, lines in parts.items():
        say(name)
        for line in lines:
            say(f"  {in_a_line(line)}")
    failed = check(certificate)
    if failed is not None:
        message = f"'{file}' does not hold: {in_a_line(failed)}"
        raise RoofError([Diagnostic("R1302", message, hint=HINT)])
    say("accepted: the boxes prove the answer for these formulas, wherever they have a value")
    say(today)
    say(_NOT_PROVEN)
