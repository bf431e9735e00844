"""How the options of a call are given: each once, and each with its value."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import click
from click.core import augment_usage_errors

_SEVERAL = {
    "--columns": "write a list with commas: --columns time,bound",
    "--sort": "write a list with commas: --sort bound,time",
    "--rates": "write a list with commas: --rates ±5%,±10%",
    "--such-that": 'join conditions with `and`: --such-that "time <= 10 s and bound = flops"',
}
"""What is written instead where more than one is meant."""
_OWN_WORDS = frozenset(("--title", "--such-that", "--between"))
"""An empty value of these is meant, or told in words of their own."""


class Call(click.Command):
    """A command whose options with one value are given once, and never another option as value.

    Of one that may be repeated no value is given twice.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:  # which is to complete a call that is not yet whole
            with augment_usage_errors(ctx):
                given, _, order = self.make_parser(ctx).parse_args(args=[*args])
            for option, times in Counter(order).items():
                if isinstance(option, click.Option) and not option.is_flag:
                    _check(ctx, option, given[option.name or ""], times)
        return super().parse_args(ctx, args)


def _check(ctx: click.Context, option: click.Option, value: object, times: int) -> None:
    name = option.opts[0]
    short = {each for other in ctx.command.params for each in other.opts if len(each) == 2}
    taken = short if not (option.metavar or "").startswith("[-]") else ()  # -m: the most of m
    texts = [*_texts(value)]
    choices = option.type.choices if isinstance(option.type, click.Choice) else ("VALUE",)
    written = f"{name} {option.metavar or '|'.join(choices)}"
    for text in texts:
        if text.startswith("--") or text in taken:
            ctx.fail(f"{name} lacks its value: {text} stands behind it; write {written}")
    if option.multiple:
        if name != "--set" and (again := [each for each, n in Counter(texts).items() if n > 1]):
            ctx.fail(f"{name} {again[0]} is given twice")  # two changes of 2x are one of 4x
        return
    if times > 1:
        ctx.fail(f"{name} is given twice; {_SEVERAL.get(name, 'give it once')}")
    if name not in _OWN_WORDS and not all(map(str.strip, texts)):
        ctx.fail(f"{name} is given an empty value; write {written}")


def nearest_choice(error: click.UsageError) -> str | None:
    """Return which of an option's choices was meant, None where none is near."""
    if not isinstance(error, click.BadParameter) or error.param is None:
        return None
    written = re.match(r"'(.*)' is not one of", error.message, re.DOTALL)
    if written is None or not isinstance(error.param.type, click.Choice):
        return None
    from roofdsl.diagnostic import did_you_mean

    return did_you_mean(written[1], error.param.type.choices)


def _texts(value: object) -> Iterable[str]:
    """Yield the texts of a value, or of several, each of which may be of several."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
