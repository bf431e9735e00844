"""Spellings the language refuses, each with what it says to write instead."""

from __future__ import annotations

import re

import pytest

from roofdsl.units.dimension import Dimension
from roofdsl.units.unit import Unit, UnknownUnit, counts_in, read_unit

FORM = "a unit has no spaces, brackets or '*': write it like 'GB/s' or 'flop^2/B'"

HINTS: dict[str, str | None] = {
    # Kilo
    "KB": "kB is 1000 bytes, KiB is 1024",
    "KB/s": "kB is 1000 bytes, KiB is 1024",
    "Kbit": "kbit is 1000 bits, Kibit is 1024",
    "Kbyte": "kB is 1000 bytes, KiB is 1024",
    "KBps": "kB/s is 1000 bytes per second, KiB/s is 1024",
    "Kbps": "kbit/s is 1000 bits per second, Kibit/s is 1024",
    "Kb": "write 'kbit' for bits or 'kB' for bytes",
    "KHz": "write 'kHz'",
    "KW": "write 'kW'",
    "KFLOPS": "write 'kFLOPS'",
    # Bits and bytes
    "gb": "write 'Gbit' for bits or 'GB' for bytes",
    "Gb": "write 'Gbit' for bits or 'GB' for bytes",
    "Gb/s": "write 'Gbit' for bits or 'GB' for bytes",
    "mb": "write 'Mbit' for bits or 'MB' for bytes",
    "pb": "write 'Pbit' for bits or 'PB' for bytes",
    "b": "write 'bit' for bits or 'B' for bytes",
    "Gib": "write 'Gibit' for bits or 'GiB' for bytes",
    "kib": "write 'Kibit' for bits or 'KiB' for bytes",
    "gB": "write 'GB'",
    "mB": "write 'MB'",
    "kiB": "write 'KiB'",
    "GIB": "write 'GiB'",
    "byte": "write 'B'",
    "bytes": "write 'B'",
    "Byte/s": "write 'B'",
    "MByte": "write 'MB'",
    "gigabytes": "write 'GB'",
    "kibibytes": "write 'KiB'",
    "bits": "write 'bit'",
    # Rates run together
    "Gbps": "write 'Gbit/s'",
    "gbps": "write 'Gbit/s'",
    "bps": "write 'bit/s'",
    "MBps": "write 'MB/s'",
    "GiBps": "write 'GiB/s'",
    "GBPS": "write 'GB/s' for bytes per second or 'Gbit/s' for bits per second",
    # Amounts and rates of flop
    "GFLOPs": "write 'GFLOP' for an amount or 'GFLOP/s' for a rate",
    "FLOPs": "write 'flop' for an amount or 'flop/s' for a rate",
    "flops": "write 'flop' for an amount or 'flop/s' for a rate",
    "Gflops": "write 'GFLOP' for an amount or 'GFLOP/s' for a rate",
    "teraflops": "write 'TFLOP' for an amount or 'TFLOP/s' for a rate",
    "GFLOPs/s": "write 'GFLOP'",
    "MFlops/s": "write 'MFLOP'",
    "TFLOPs/B": "write 'TFLOP'",
    "pJ/FLOPs": "write 'flop'",
    "Flop": "write 'flop'",
    "MFlop": "write 'MFLOP'",
    "gFLOPS": "write 'GFLOPS'",
    "mFLOPS": "write 'MFLOPS'",
    # Time
    "sec": "write 's'",
    "seconds": "write 's'",
    "S": "write 's'",
    "msec": "write 'ms'",
    "MSEC": "write 'ms'",
    "usec": "write 'us'",
    "µsec": "write 'us'",
    "μsec": "write 'us'",
    "nanoseconds": "write 'ns'",
    "microseconds": "write 'us'",
    "mins": "write 'min'",
    "minutes": "write 'min'",
    "hours": "write 'h'",
    "hr": "write 'h'",
    "d": "a day is 24 h",
    "days": "a day is 24 h",
    "week": "a week is 168 h",
    "months": "months differ: declare yours, `unit month = 730 h`",
    "year": "years differ: declare yours, `unit year = 8760 h`",
    # Energy, frequency, counts
    "joule": "write 'J'",
    "pj": "write 'pJ'",
    "watts": "write 'W'",
    "mw": "write 'mW'",
    "Mw": "write 'MW'",
    "kWh": "1 kWh is 3.6 MJ",
    "Wh": "1 Wh is 3600 J",
    "ghz": "write 'GHz'",
    "GHZ": "write 'GHz'",
    "mHz": "write 'MHz'",
    "megahertz": "write 'MHz'",
    "cycles": "write 'cycle'",
    "messages": "write 'message'",
    "msgs": "write 'message'",
    # A prefix alone
    "G": "'G' is a prefix, not a unit; write 1e9",
    "K": "'K' is a prefix, not a unit; write 1e3",
    "m": "'m' is a prefix, not a unit; write 1e-3",
    "Ki": "'Ki' is a prefix, not a unit; write 1024",
    "Mi": "'Mi' is a prefix, not a unit; write 1048576",
    # Not of the form of a unit
    "1/s": "write an inverse as a power, like 's^-1'",
    "/s": "a unit is written like 'GB/s' or 'flop^2/B'",
    "B//s": "a unit is written like 'GB/s' or 'flop^2/B'",
    "": "a unit is written like 'GB/s' or 'flop^2/B'",
    "GB /s": FORM,
    "GB/ s": FORM,
    "flop*B": FORM,
    "flop·B": FORM,
    "s/(B)": FORM,
    # Near misses
    "elements": "did you mean 'element'?",
    "elemnt": "did you mean 'element'?",
    "Element": "did you mean 'element'?",
    "mesage": "did you mean 'message'?",
    "TFLPOS": "did you mean 'TFLOPS'?",
    # Nothing near
    "word": None,
    "x": None,
    "n_ranks": None,
    "y" * 100_000: None,
}


@pytest.mark.parametrize("text", HINTS, ids=lambda text: text[:20])
def test_refused_with_its_hint(text: str) -> None:
    unknown = read_unit(text, counts_in(Dimension.base("element")))
    assert isinstance(unknown, UnknownUnit)
    assert unknown.hint == HINTS[text]


@pytest.mark.parametrize("hint", sorted({hint for hint in HINTS.values() if hint}))
def test_what_a_hint_proposes_can_be_read(hint: str) -> None:
    quoted = re.findall(r"'([^']+)'", hint) if hint != FORM else ["GB/s", "flop^2/B"]
    for text in quoted:
        if "prefix" not in hint:
            assert isinstance(read_unit(text, counts_in(Dimension.base("element"))), Unit), text
    for text in re.findall(r"\b([kK]i?(?:B|bit)(?:/s)?) is", hint):
        assert isinstance(read_unit(text), Unit), text
