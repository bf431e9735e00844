"""`roofdsl import`: what another tool's file describes, as a `.roof` file."""

from __future__ import annotations

from pathlib import Path

import click

from roofdsl.cli.call import Call
from roofdsl.cli.formats import check_ending, say, say_written
from roofdsl.cli.options import check_outputs
from roofdsl.diagnostic import raise_if_any
from roofdsl.importers.formats import FORMATS, read_file
from roofdsl.inert import visible


@click.command("import", cls=Call)
@click.argument("file")
@click.option("-o", "--output", metavar="FILE", help="a .roof file; without it, it is printed")
@click.option(
    "--from", "form", type=click.Choice([*FORMATS]), help="the format; by default FILE's own"
)
@click.option("--name", metavar="NAME", help="of the model; by default as FILE calls it")
def command(file: str, output: str | None, form: str | None, name: str | None) -> None:
    """Write the network that FILE describes as models in the language, ready for `eval`.

    FILE is the config.json of a network of Hugging Face, or a graph of ONNX. Nothing is guessed:
    what is not known is refused, or named in a note.

    \b
    Examples:
      roofdsl import config.json -o mine.roof
      roofdsl import config.json --name mine
      roofdsl import resnet50.onnx -o resnet50.roof
    """
    if name is not None:
        from roofdsl.embedding.formulas import a_name

        name = a_name("--name", name, "a model")
    if output is not None:
        check_outputs({"-o": output}, (), file)
        check_ending(output, "a model", [".roof"])
    imported, problems = read_file(Path(file), file, form, name)
    raise_if_any(problems)
    assert imported is not None  # else there are problems
    if output is None:
        click.echo(visible(imported.text.rstrip("\n")))  # a file: its lines stay whole
    else:
        from roofdsl.writing import write_whole

        write_whole(Path(output), imported.text.encode())
        say_written([output])
    for note in imported.notes:
        say(f"note: {note}", err=True)
