"""Calls of every command, mostly right, with options of all kinds and something odd in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import click

from roofdsl.cli.main import cli
from roofdsl.cli.plot_command import _SPECIAL as SPECIAL_KINDS
from roofdsl.cli.plot_command import KINDS
from roofdsl.codes import CODES
from roofdsl.measure.kernels.registry import KERNELS
from tests.fuzz.choices import Seeded
from tests.fuzz.command_lines import CHANGES, NAMES, REFERENCES, VALUES
from tests.fuzz.commands.foreign import ARGUMENTS, certificate, config, measured, traced_script
from tests.fuzz.commands.option_values import (
    CONDITIONS,
    OF_OPTION,
    OUTPUTS,
    QUANTITIES,
    RANGES,
    RANGES_OF_UNITS,
    RELATIONS,
    TEXTS,
    USUAL,
)
from tests.fuzz.commands.roof_files import (
    Parameter,
    changed,
    defined,
    disguised,
    machine_file,
    odd_number,
    roof_file,
    small_model,
)
from tests.fuzz.commands.subjects import HEAVY, bundled_machines, bundled_models
from tests.fuzz.commands.tables import table, template

QUESTIONS = (
    {"--crossover", "--such-that", "--faster"},
    {"--sensitivity", "--scaling", "--asymptotic"},
    {"--rates", "--formulas", "--paper", "--list"},
)
"""Options of which a command takes one."""


class Lines:
    """Writes the arguments of one command, and the files that they name."""

    def __init__(self, choices: Seeded, command: str) -> None:
        self.choices = choices
        self.command = command
        self.files: dict[str, str] = {}
        self.names: list[str] = []
        """Of the parameters of the model that was named last."""
        where = choices.below(10)
        self.odd_files = where < 5
        """The files are what is odd; else, mostly, the line is."""
        self.odd_line = where > 5 or where == 0
        self.small = command in ("solve", "study") and choices.chance(50)
        """Whether models are small and hard to compute."""
        self.rough = command in ("check", "test", "show") or choices.chance(15)
        """Whether files are broken as well as odd."""

    def written(self) -> list[str]:
        line = SKELETONS[self.command](self)
        options = [option for option in options_of(self.command) if self.fits(option, line)]
        for option in self.choices.some(options, self.choices.below(3) if self.odd_line else 1):
            line += self.option(option)
        if self.odd_line and self.choices.chance(20):
            line = self.slipped(line)
        return [_argument(text) for text in line]

    def fits(self, option: click.Option, line: list[str]) -> bool:
        """Whether an option goes with what stands there already; seldom, though it does not."""
        name = max(option.opts, key=len)
        if name in line:
            return option.multiple
        asked = any(name in group and not group.isdisjoint(line) for group in QUESTIONS)
        if self.command == "solve" and name in ("--rates", "--between"):
            asked = "--crossover" not in line
        kinds = SPECIAL_KINDS.get(name.strip("-"), (line[0],)) if self.command == "plot" else ()
        return self.choices.chance(5) or not (asked or (kinds and line[0] not in kinds))

    # What stands for what

    def model(self) -> tuple[str, tuple[Parameter, ...]]:
        choices = self.choices
        if self.odd_files:
            name = choices.pick(("mine.roof", "mine.roof", "yours.roof"))
            text = small_model(choices) if self.small else roof_file(choices, rough=self.rough)
            while not (defined(text).models or choices.chance(10)):
                text = roof_file(choices, rough=self.rough)
            text = self.files.setdefault(name, text)
            models = defined(text).models
            if not models:
                return name, ()
            model = choices.pick([*models])
            self.names = [parameter.name for parameter in models[model]]
            return (name if len(models) == 1 else f"{name}:{model}"), models[model]
        if self.odd_line and choices.chance(10):
            return choices.pick(REFERENCES), ()
        found = choices.pick(bundled_models())
        while found[0].startswith(HEAVY) and choices.chance(90):
            found = choices.pick(bundled_models())
        self.names = [parameter.name for parameter in found[1]]
        return found

    def machine(self) -> str:
        choices = self.choices
        if self.odd_line and choices.chance(5):
            return choices.pick(REFERENCES)
        if self.odd_files and choices.chance(30):
            text = self.files.setdefault("box.roof", machine_file(choices, rough=self.rough))
            own = defined(text).machines
            return f"box.roof:{choices.pick(own)}" if own else "box.roof"
        return choices.pick(bundled_machines())

    def machines(self, least: int = 0, most: int = 2) -> list[str]:
        count = least + self.choices.below(most - least + 1)
        return [part for _ in range(count) for part in ("-m", self.machine())]

    def value(self, parameter: Parameter) -> str:
        choices = self.choices
        if choices.chance(12 if self.odd_line else 3):
            return choices.pick((odd_number(choices), odd_number(choices), choices.pick(VALUES)))
        usual = USUAL.get(parameter.kind, USUAL["real" if parameter.kind else "integer"])
        return choices.pick(usual)

    def values(
        self, parameters: Sequence[Parameter], *, left: int = 0, ranges: int = 0
    ) -> list[str]:
        """Return `-p` options for what has no default, but so many; so many others are ranges."""
        choices = self.choices
        needed = choices.shuffled([each for each in parameters if not each.has_default])[left:]
        others = [each for each in parameters if each.has_default and choices.chance(10)]
        line: list[str] = []
        for place, parameter in enumerate([*needed, *others]):
            ranged = place < ranges and parameter.kind not in ("boolean", "precision")
            usual: Sequence[str] = RANGES if self.odd_line and choices.chance(20) else RANGES[:4]
            usual = RANGES_OF_UNITS.get(parameter.kind, usual)
            text = choices.pick(usual) if ranged else self.value(parameter)
            line += ["-p", f"{parameter.name}={text}"]
        if self.odd_line and choices.chance(10):
            line += ["-p", f"{choices.pick(NAMES)}={choices.pick(VALUES)}"]
        return line

    def rows(self) -> Iterator[str]:
        """Yield options that say which rows of a range are shown, and how."""
        for option in ("--columns", "--sort", "--best"):
            if self.choices.chance(20):
                yield from (option, self.value_for(option))
        if self.choices.chance(50):
            yield "--skip-invalid"

    def table(self, use: str) -> str:
        self.files.setdefault(f"{use}.csv", table(self.choices, use))
        return f"{use}.csv"

    def output(self, *forms: str) -> str:
        if self.odd_line and self.choices.chance(10):
            return self.choices.pick(OUTPUTS)
        return f"out.{self.choices.pick(forms)}"

    def option(self, option: click.Option) -> list[str]:
        """Return an option with a value, if it takes one."""
        choices, name = self.choices, max(option.opts, key=len)
        if option.is_flag:
            return [name]
        if isinstance(option.type, click.Choice):
            return [name, choices.pick([str(each) for each in option.type.choices])]
        if option.nargs == 2:
            return [name, choices.pick(QUANTITIES), choices.pick(QUANTITIES)]
        return [name, self.value_for(name)]

    def value_for(self, name: str) -> str:
        """Return what stands behind an option."""
        choices = self.choices
        match name:
            case "--machine" | "--from" | "--to":
                return self.machine()
            case "--model":
                return self.model()[0]
            case "-p":
                return f"{choices.pick(NAMES)}={choices.pick(VALUES)}"
            case "--set":
                machine = choices.pick(("karst", "jetstream", "haswell", "box0"))
                return f"{machine}.{choices.pick((*CHANGES, f'memory={odd_number(choices)}'))}"
            case "--for" | "--size":
                others = (*NAMES[:10], "karst.network", "karst.flops", "karst.nothing")
                return choices.pick(self.names if self.names and choices.chance(70) else others)
            case "--such-that" if choices.chance(60):
                return choices.pick(CONDITIONS)
            case "--such-that":
                sides = choices.pick(QUANTITIES), choices.pick((*QUANTITIES, odd_number(choices)))
                return choices.pick(RELATIONS).join(sides)
            case "--by":
                return choices.pick((*QUANTITIES, odd_number(choices)))
            case "--output" | "--data" | "--bib":
                return self.output("svg", "html", "csv", "bib", "md")
            case "--template":
                form = choices.pick(("html", "html", "md", "tex"))
                self.files.setdefault(f"mine.{form}", template(choices, form))
                return f"mine.{form}"
            case "--measured" if self.command == "plot":
                return self.table(choices.pick(("kernels", "compared")))
        odd = (odd_number(choices), choices.pick(TEXTS), choices.pick(VALUES))
        usual = OF_OPTION.get(name)
        return choices.pick(usual) if usual and choices.chance(85) else choices.pick(odd)

    def slipped(self, line: list[str]) -> list[str]:
        """Return a line with one slip of the hand."""
        choices = self.choices
        place = choices.below(len(line)) if line else 0
        match choices.below(6):
            case 0:
                return line[:place] + line[place + 1 :]
            case 1:
                return line[:place] + line[place : place + 1] * 2 + line[place + 1 :]
            case 2:
                return [
                    *line,
                    *choices.pick((["--"], ["-p"], ["--help"], ["--nothing"], ["x"], [""])),
                ]
            case 3 if line:
                line[place] = disguised(choices, line[place])
            case 4 if line:
                line[place] = changed(choices, line[place])
            case _:
                return choices.shuffled(line)
        return line


def _argument(text: str) -> str:
    """Return a text as an argument: without null characters, and no path out of the folder."""
    return text.replace("\0", "").replace("..//", "").replace("../", "").lstrip("/~")


@cache
def options_of(command: str) -> tuple[click.Option, ...]:
    """Return the options of a command; a new one is thereby tried too."""
    found: click.Command | None = cli
    for name in command.split():
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), name)
    assert found is not None
    options = (each for each in found.params if isinstance(each, click.Option))
    return tuple(
        each for each in options if each.name != "library"
    )  # long whatever stands beside it


def _eval(lines: Lines) -> list[str]:
    model, parameters = lines.model()
    ranges, left = lines.choices.pick(((0, 0), (0, 0), (1, 0), (2, 0), (0, 1), (0, 2)))
    rows = [*lines.rows()] if ranges else []
    machines = [] if lines.choices.chance(20) else lines.machines(1)
    return [model, *machines, *lines.values(parameters, ranges=ranges, left=left), *rows]


def _solve(lines: Lines) -> list[str]:
    model, parameters = lines.model()
    question = lines.choices.pick(("--crossover", "--crossover", "--such-that", "--faster"))
    both = question == "--faster" and lines.choices.chance(50)
    line = [model, question, *lines.machines(1 + both, 1 + both)]
    if question == "--such-that":
        line.insert(2, lines.value_for(question))
    if question == "--faster" and not both:
        line.insert(1, lines.model()[0])
    if question == "--faster" and lines.choices.chance(40):
        line += ["--by", lines.value_for("--by")]
    ranges = lines.choices.pick((0, 0, 1))
    left = lines.choices.pick((*[1] * 9, 0, 2))
    return [*line, *lines.values(parameters, left=left, ranges=ranges)]


def _study(lines: Lines) -> list[str]:
    model, parameters = lines.model()
    kind = lines.choices.pick(("--sensitivity", "--scaling", "--asymptotic"))
    left = lines.choices.pick((0, 0, 1)) if kind == "--sensitivity" else 1
    ranges = lines.choices.pick((0, 0, 1))
    values = lines.values(parameters, left=left, ranges=ranges)
    return [model, kind, *lines.machines(1, 2), *values]


def _project(lines: Lines) -> list[str]:
    machines = ("blue_waters_xe", "ivy_bridge", "haswell", "broadwell")
    targets = [part for each in lines.choices.some(machines, 3) for part in ("--to", each)]
    source = lines.choices.pick(machines)
    return [
        lines.table("profile"),
        "--from",
        source,
        *targets,
        "--to",
        lines.choices.pick(machines),
    ]


def _fit(lines: Lines) -> list[str]:
    models = lines.choices.some(("summa", "dgemv"), 2) or ["summa"]
    line = [lines.table("runs"), *(part for each in models for part in ("--model", each))]
    line += ["-m", lines.choices.pick(("karst", "jetstream", "haswell"))]
    if lines.choices.chance(50):
        line += ["--constant", lines.value_for("--constant")]
    return [*line, "-o", lines.output("roof")] if lines.choices.chance(30) else line


def _validate(lines: Lines) -> list[str]:
    choices = lines.choices
    machine = choices.pick(("karst", "jetstream")) if choices.chance(70) else lines.machine()
    line = [lines.table("runs"), "-m", machine]
    match choices.below(4):
        case 0:
            model, parameters = lines.model()
            kernel = choices.pick(("summa", "dgemm", "spmv", "", "x"))
            return [*line, "--model", f"{kernel}={model}", *lines.values(parameters)]
        case 1:
            return [*line, "--model", "summa", "-p", f"P={choices.pick(('4', '16', '5'))}"]
    return line


def _plot(lines: Lines) -> list[str]:
    choices = lines.choices
    kind = choices.pick([*KINDS])
    line = [kind]
    if kind == "predicted":
        return [
            *line,
            "--measured",
            lines.table("compared"),
            "-o",
            lines.output("svg", "png", "pdf"),
        ]
    if kind == "perdome":
        line += ["--intensity", "1.7", "--partition", "CP1=0.4,5.4", "-m", "i7_gtx750"]
    elif kind not in ("roofline", "surface") or choices.chance(60):
        for _ in range(choices.pick((1, 1, 2) if kind not in ("regime", "scaling") else (1,))):
            model, parameters = lines.model()
            line += [
                model,
                *lines.values(parameters, ranges=2 if kind == "regime" else choices.below(3)),
            ]
    if kind == "curve":
        line += ["--quantity", lines.value_for("--quantity")]
    line += lines.machines(1, 1 if kind in ("regime", "scaling", "sensitivity") else 2)
    if choices.chance(30):
        line += ["--data", lines.output("csv")]
        return (
            line if choices.chance(30) else [*line, "-o", lines.output("svg", "svg", "png", "pdf")]
        )
    return [*line, "-o", lines.output("svg", "svg", "png", "pdf")]


def _diff(lines: Lines) -> list[str]:
    choices = lines.choices
    model, parameters = lines.model()
    if not lines.odd_files:
        if choices.chance(50):
            return [lines.machine(), lines.machine(), "--model", model, *lines.values(parameters)]
        return [model, lines.model()[0], *lines.machines(), *lines.values(parameters)]
    text = next(iter(lines.files.values()))
    lines.files = {"old.roof": text, "new.roof": changed(choices, text)}
    return ["old.roof", "new.roof", *lines.machines(), *lines.values(parameters)]


def _table(lines: Lines) -> list[str]:
    match lines.choices.below(4):
        case 0:
            return ["--rates", *lines.machines(1, 3)]
        case 1:
            return ["--formulas", lines.model()[0], lines.model()[0]]
        case 2:
            return ["--paper", lines.value_for("--paper")]
    model, parameters = lines.model()
    values = lines.values(parameters, ranges=lines.choices.below(2))
    return [model, *lines.machines(1, 2), *values, *lines.rows()]


def _document(lines: Lines) -> list[str]:
    model, parameters = lines.model()
    forms = ("html",) if lines.command == "explore" else ("html", "md", "tex", "md")
    values = lines.values(parameters, ranges=lines.choices.pick((0, 0, 1)))
    line = [model, *lines.machines(1, 2), *values, "-o", lines.output(*forms)]
    if lines.command == "report":
        line += [] if lines.choices.chance(20) else ["--no-figures"]
        line += ["--bib", "out.bib"] if lines.choices.chance(20) else []
    return line


def _files(lines: Lines) -> list[str]:
    lines.odd_files = True
    names = [lines.model()[0].partition(":")[0] for _ in range(lines.choices.pick((1, 1, 1, 2)))]
    if lines.choices.chance(10):
        return [
            *names,
            lines.choices.pick(("folder", "nothing.roof", "times.csv", "other.roof", "")),
        ]
    return names


def _list(lines: Lines) -> list[str]:
    words = ("all-reduce", "ring", "summa", "gemm", "matrix", "", "(", "α", "karst", *NAMES)
    return lines.choices.some(words, 2)


def _show(lines: Lines) -> list[str]:
    return [lines.model()[0] if lines.choices.chance(70) else lines.machine()]


def _explain(lines: Lines) -> list[str]:
    codes = (*CODES, "R9999", "r0301", "R", "301", "R0301.md", "R٠301", *REFERENCES)
    return [lines.choices.pick(codes)]


def _import(lines: Lines) -> list[str]:
    if lines.choices.chance(50):
        name, text, ending = measured(lines.choices)
        lines.files[name] = text
        return [name] if lines.choices.chance(40) else [name, "-o", lines.output(ending)]
    name = lines.choices.pick(("config.json", "config.json", "net.json", "net"))
    lines.files[name] = config(lines.choices)
    line = [name] if lines.choices.chance(40) else [name, "-o", lines.output("roof")]
    return line if name != "net" else [*line, "--from", "huggingface"]


def _measure(lines: Lines) -> list[str]:
    choices = lines.choices
    part = choices.pick(("machine", "kernels"))
    names = choices.some([*KERNELS], choices.below(3)) if part == "kernels" else []
    written = ["-o", lines.output("roof" if part == "machine" else "csv")]
    line = [part, *names, *(written if choices.chance(60) else [])]
    options = [each for each in options_of(f"measure {part}") if each.name != "output"]
    for option in choices.some(options, choices.below(3)):
        line += lines.option(option)
    return line


def _trace(lines: Lines) -> list[str]:
    choices = lines.choices
    name = choices.pick((*["kernels.py"] * 9, "kernels"))
    lines.files[name] = traced_script(choices)
    usual = [*("double", "softmax", "sweep") * 3, "branch", "endless", "no", ""]
    function = choices.pick(usual)
    arguments = [choices.pick(ARGUMENTS[:4])] if choices.chance(70) else choices.some(ARGUMENTS, 3)
    line = [f"{name}:{function}", *arguments, "--seconds", choices.pick(("1", "0.5"))]
    return line if choices.chance(40) else [*line, "-o", lines.output("roof")]


def _verify(lines: Lines) -> list[str]:
    lines.files["c.json"] = certificate(lines.choices)
    return ["c.json"]


SKELETONS = {
    "eval": _eval,
    "solve": _solve,
    "verify": _verify,
    "study": _study,
    "project": _project,
    "fit": _fit,
    "validate": _validate,
    "plot": _plot,
    "diff": _diff,
    "table": _table,
    "report": _document,
    "explore": _document,
    "measure": _measure,
    "import": _import,
    "trace": _trace,
    "check": _files,
    "test": _files,
    "list": _list,
    "show": _show,
    "explain": _explain,
}
"""What a good call of each command is made of."""
