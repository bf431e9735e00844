"""Hints for units spelt in ways the language refuses, because they are wrong or ambiguous."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.diagnostic import did_you_mean
from roofdsl.units.unit import (
    IEC_PREFIXES,
    SI_PREFIXES,
    UNITS,
    Unit,
    prefix_factor,
    prefixed,
    unit_named,
)

LONGEST_NAME = 40

# Spelling without its prefix to the units it may mean; looked up as written, then in lower case.
_MEANT: dict[str, tuple[str, ...]] = {
    "B": ("B",),
    "b": ("bit", "B"),
    "Bps": ("B/s",),
    "bps": ("bit/s",),
    "BPS": ("B/s", "bit/s"),
    "FLOPS": ("FLOPS",),
    "flop": ("flop",),
    "flops": ("flop", "flop/s"),
    **dict.fromkeys(("byte", "bytes"), ("B",)),
    **dict.fromkeys(("bit", "bits"), ("bit",)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("s",)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), ("min",)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), ("h",)),
    **dict.fromkeys(("j", "joule", "joules"), ("J",)),
    **dict.fromkeys(("w", "watt", "watts"), ("W",)),
    **dict.fromkeys(("hz", "hertz"), ("Hz",)),
    **dict.fromkeys(("cycle", "cycles"), ("cycle",)),
    **dict.fromkeys(("message", "messages", "msg", "msgs"), ("message",)),
}

_WORDS = "pico nano micro milli kilo mega giga tera peta exa kibi mebi gibi tebi pebi exbi"
_SYMBOLS = "p n u m k M G T P E Ki Mi Gi Ti Pi Ei"

# Prefix in lower case to the prefixes it may mean.
_PREFIXES: dict[str, tuple[str, ...]] = {
    "": ("",),
    "\u00b5": ("u",),
    "\u03bc": ("u",),
    **{prefix: (prefix,) for prefix in "nuk"},
    **{prefix.lower(): (prefix,) for prefix in "GTE"},
    "m": ("M", "m"),
    "p": ("P", "p"),
    **{prefix.lower(): (prefix,) for prefix in IEC_PREFIXES},
    **{word: (prefix,) for word, prefix in zip(_WORDS.split(), _SYMBOLS.split(), strict=True)},
}

_PURPOSES = {
    "B": "bytes",
    "bit": "bits",
    "B/s": "bytes per second",
    "bit/s": "bits per second",
    "flop": "an amount",
    "flop/s": "a rate",
}

_BYTES_OR_BITS = ("B", "bit", "B/s", "bit/s")

_OTHERS = {
    "": "a unit is written like 'GB/s' or 'flop^2/B'",
    "1": "write an inverse as a power, like 's^-1'",
    **dict.fromkeys(("d", "day", "days"), "a day is 24 h"),
    **dict.fromkeys(("week", "weeks"), "a week is 168 h"),
    **dict.fromkeys(("month", "months"), "months differ: declare yours, `unit month = 730 h`"),
    **dict.fromkeys(("year", "years"), "years differ: declare yours, `unit year = 8760 h`"),
    "Wh": "1 Wh is 3600 J",
    "kWh": "1 kWh is 3.6 MJ",
}


def hint_for(name: str, declared: Mapping[str, Unit], *, alone: bool) -> str | None:
    """Return what to write instead of an unknown unit name, or None if nothing comes near.

    `alone`: the unit is this name and nothing else, so that `GFLOPs` may have meant a rate.

    >>> hint_for("Gbps", {}, alone=True), hint_for("GFLOPs", {}, alone=True)
    ("write 'Gbit/s'", "write 'GFLOP' for an amount or 'GFLOP/s' for a rate")
    """
    if name in _OTHERS:
        return _OTHERS[name]
    if name == "K" or name in SI_PREFIXES or name in IEC_PREFIXES:
        return _bare_prefix_hint(name)
    if len(name) > LONGEST_NAME:
        return None
    if not name.replace("_", "a").isalnum():
        return "a unit has no spaces, brackets or '*': write it like 'GB/s' or 'flop^2/B'"
    for cut in range(len(name)):
        written, rest = name[:cut], name[cut:]
        prefixes = _PREFIXES.get(written.lower())
        targets = _MEANT.get(rest) or _MEANT.get(rest.lower())
        if prefixes and targets:
            meant = [target for target in targets if alone or target != "flop/s"]
            hint = _choice_hint(written, prefixes, meant)
            if hint:
                return hint
    prefixed_units = (
        prefix + unit for unit, (_, _, prefixes) in UNITS.items() for prefix in prefixes
    )
    return did_you_mean(name, (*declared, *UNITS, *prefixed_units))


def _choice_hint(written: str, prefixes: tuple[str, ...], targets: list[str]) -> str | None:
    """Return the hint that offers every target with the prefix that was meant."""
    if written == "K" and targets[0] in _BYTES_OR_BITS and len(targets) == 1:
        return f"k{targets[0]} is 1000 {_PURPOSES[targets[0]]}, Ki{targets[0]} is 1024"
    options = {}
    for target in targets:
        name, slash, rest = target.partition("/")
        allowed = [prefix for prefix in prefixes if unit_named(prefixed(prefix, name))]
        if allowed:
            prefix = written if written in allowed else allowed[0]
            options[target] = f"'{prefixed(prefix, name)}{slash}{rest}'"
    if len(options) > 1:
        choices = [f"{text} for {_PURPOSES[target]}" for target, text in options.items()]
        return f"write {' or '.join(choices)}"
    return f"write {next(iter(options.values()))}" if options else None


def _bare_prefix_hint(name: str) -> str:
    prefix = "k" if name == "K" else name
    if prefix in IEC_PREFIXES:
        return f"'{name}' is a prefix, not a unit; write {prefix_factor(prefix)}"
    return f"'{name}' is a prefix, not a unit; write 1e{SI_PREFIXES[prefix]}"
