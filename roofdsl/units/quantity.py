"""Numbers with units, as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

from roofdsl.units.dimension import CYCLE, JOULE, SECOND, Dimension
from roofdsl.units.unit import IEC_PREFIXES, SI_PREFIXES, UNITS, prefix_factor, prefixed

# From here on a number that is not whole is shown as 1.2e6; a whole one only from `_WHOLE` on,
# since a matrix order or a count of processes should be seen to the last digit.
_LARGE_EXPONENT = 6
_SMALL_EXPONENT = -5
_WHOLE = 1e9
_LONGEST_POSITIONAL = 15
_BITS_OF_5 = math.log2(5)


def show_number(value: float | Fraction, digits: int = 4) -> str:
    """Return a plain number to `digits` significant digits, or with its whole part if longer.

    Very large and very small numbers take an exponent, as in a `.roof` file; it may be beyond
    those of floats.

    >>> [show_number(x) for x in (11.5789, 61952, 0.0, 1.2e30, float("inf"), float("nan"))]
    ['11.58', '61952', '0', '1.2e30', '∞', 'undefined']
    >>> show_number(Fraction(10**400, 3))
    '3.333e399'
    """
    if isinstance(value, Fraction):
        if value and not 1e-300 < abs(value) < 1e300:
            short = Context(digits).divide(Decimal(value.numerator), Decimal(value.denominator))
            mantissa, exponent = _rounded(short, digits)
            return f"{_without_zeros(mantissa)}e{exponent}"
        value = float(value)
    if 1e-4 <= abs(value) < 10 ** min(digits - 1, 5):  # as most are
        return f"{value:.{digits}g}"
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if abs(value) < _WHOLE and value == int(value):
        return str(int(value))
    mantissa, exponent = _rounded(value, digits)
    if not _SMALL_EXPONENT < exponent < _LARGE_EXPONENT:
        return f"{_without_zeros(mantissa)}e{exponent}"
    return _without_zeros(f"{value:.{max(0, digits - 1 - exponent)}f}")


def show_quantity(value: float | Fraction, dimension: Dimension, digits: int = 4) -> str:
    """Return a number of SI base units with its unit, and an SI prefix where one is usual.

    Amounts, rates, times and energies take one (`13.9 GB/s`, `65.9 ps/B`, `20 pJ/flop`);
    intensities do not (`1583 flop/B`).

    >>> from roofdsl.units.dimension import BYTE, FLOP, SECOND
    >>> show_quantity(13.9e9, BYTE / SECOND), show_quantity(22e9, FLOP / SECOND)
    ('13.9 GB/s', '22 GFLOP/s')
    >>> show_quantity(999.96e6, BYTE), show_quantity(18.333, FLOP / BYTE)
    ('1 GB', '18.33 flop/B')
    """
    units = prefixed_units(dimension)
    if isinstance(value, Fraction):
        if value and not 1e-300 < abs(value) < 1e300:
            return f"{show_number(value, digits)} {units[0]}".rstrip()
        value = float(value)
    if math.isnan(value):
        return "undefined"
    if len(units) > 1 and value and math.isfinite(value):
        mantissa, exponent = _rounded(value, digits)
        shift = _closest_shift(units, exponent)
        if shift:
            # Shifting the rounded text, not the number, keeps 999.96 MB/s from becoming 1000.
            point = exponent - shift + 1
            if 0 < point < digits and value > 0:  # as most are: the point moves to the right
                figures = mantissa.replace(".", "")
                number = _without_zeros(f"{figures[:point]}.{figures[point:]}")
            else:
                number = show_number(float(f"{mantissa}e{exponent - shift}"), digits)
            return f"{number} {units[shift]}"
    return f"{show_number(value, digits)} {units[0]}".rstrip()


def show_percent(part: float, digits: int = 3) -> str:
    """Return a part of a whole in per cent, to `digits` significant digits.

    >>> show_percent(0.12345), show_percent(1.0), show_percent(12.345)
    ('12.3 %', '100 %', '1234 %')
    """
    return f"{show_number(100 * part, digits)} %"


def show_binary(value: float) -> str:
    """Return a number of bytes with a prefix of 1024s.

    >>> show_binary(64.0 * 2**30), show_binary(1536.0), show_binary(80e9), show_binary(3.0)
    ('64 GiB', '1.5 KiB', '74.51 GiB', '3 B')
    """
    names = ["B", *(prefixed(prefix, "B") for prefix in IEC_PREFIXES)]
    power = min(len(names) - 1, max(0, (math.frexp(value)[1] - 1) // 10)) if value else 0
    return f"{show_number(value / 1024**power)} {names[power]}"


def show_given(value: int | float | Fraction, dimension: Dimension) -> str:
    """Return a number that was given, in SI base units, with all its digits and its unit.

    It takes the prefix that `show_quantity` gives it. Of a float, the digits are the fewest that
    read back to it.

    >>> from roofdsl.units.dimension import BYTE, DIMENSIONLESS, SECOND
    >>> show_given(9007199254740993, DIMENSIONLESS), show_given(0.1, DIMENSIONLESS)
    ('9007199254740993', '0.1')
    >>> show_given(1099511627776, BYTE), show_given(6.59e-11, SECOND / BYTE)
    ('1.099511627776 TB', '65.9 ps/B')
    """
    if isinstance(value, Fraction):
        if value.denominator != 1:  # which a float may be too short for
            return show_quantity(value, dimension, 15)
        value = value.numerator
    exactly = Fraction(str(value))
    units = prefixed_units(dimension)
    shift = 0
    if len(units) > 1 and value:
        shift = _closest_shift(units, Decimal(str(value)).adjusted())
    return f"{_decimal(exactly / Fraction(10) ** shift)} {units[shift]}".rstrip()


def decimal_places(value: Fraction) -> int | None:
    """Return how many places a number has behind the decimal point, None where they never end.

    >>> decimal_places(Fraction(1, 8)), decimal_places(Fraction(1, 3))
    (3, None)
    """
    twos = (value.denominator & -value.denominator).bit_length() - 1
    rest = value.denominator >> twos
    # Whichever power of 5 has as many bits: one division by 5 after the other would take long.
    fives = round((rest.bit_length() - 1) / _BITS_OF_5)
    return max(twos, fives) if 5**fives == rest else None


@lru_cache(maxsize=256)
def prefixed_units(dimension: Dimension) -> Mapping[int, str]:
    """Return the units that `show_quantity` shows a dimension in, by their exponents of ten.

    >>> from roofdsl.units.dimension import FLOP, MESSAGE, SECOND
    >>> prefixed_units(MESSAGE / SECOND), prefixed_units(FLOP / SECOND)[9]
    ({0: 'message/s'}, 'GFLOP/s')
    """
    name, rest = _parts(dimension)
    units = {0: name + rest}
    if _takes_prefix(name, rest):
        for prefix in UNITS[name][2]:
            if prefix in SI_PREFIXES and prefix not in "u\u03bc":
                units[SI_PREFIXES[prefix]] = prefixed(prefix, name) + rest
    return dict(sorted(units.items()))


def show_uncertain(value: float, relative: float, dimension: Dimension, digits: int = 6) -> str:
    """Return a number of SI base units with its uncertainty, which is given relative to it.

    The uncertainty has half as many digits.

    >>> from roofdsl.units.dimension import FLOP, SECOND
    >>> show_uncertain(22e9, 0.4 / 22, FLOP / SECOND)
    '22 ± 0.4 GFLOP/s'
    """
    number, _, unit = show_quantity(value, dimension, digits).partition(" ")
    return f"{number} ± {show_number(float(number) * relative, digits // 2)} {unit}".rstrip()


def show_exact(value: Fraction, dimension: Dimension) -> str:
    """Return the shortest text that reads back to exactly this many SI base units.

    A number with no finite decimal form is written as a quotient, for which the caller may need
    parentheses. A dimension no unit text can express (`B^(1/2)`) is shown but does not read back.

    >>> from roofdsl.units.dimension import BYTE, DIMENSIONLESS, SECOND
    >>> show_exact(Fraction(16384), BYTE), show_exact(Fraction(64), BYTE)
    ('16 KiB', '64 B')
    >>> show_exact(Fraction(13_900_000_000), BYTE / SECOND)
    '13.9 GB/s'
    >>> show_exact(Fraction(1, 3), DIMENSIONLESS), show_exact(Fraction(10**9, 3), BYTE)
    ('1/3', '1 GB / 3')
    """
    if not dimension.powers:
        return _decimal(value) or str(value)
    name, rest = _parts(dimension)
    texts = []
    for prefix in _exact_prefixes(name, rest):
        count = value / prefix_factor(prefix) if prefix else value
        number = _decimal(count)
        if number is None:
            return f"{show_exact(Fraction(value.numerator), dimension)} / {value.denominator}"
        text = f"{number} {prefixed(prefix, name)}{rest}"
        texts.append((len(text), not 1 <= abs(count) < 1000, text))
    # Shortest first, then a count from 1 to 1000; SI comes before IEC, as the prefixes do.
    return min(texts, key=lambda item: item[:2])[2]


@lru_cache(maxsize=256)
def _parts(dimension: Dimension) -> tuple[str, str]:
    """Return the unit text in two: the name a prefix goes in front of, and what follows it."""
    if dimension == JOULE / SECOND:
        return "W", ""
    if dimension == CYCLE / SECOND:
        return "Hz", ""
    if not dimension.powers:
        return "", ""
    name, slash, rest = str(dimension).partition("/")
    return name, slash + rest


def _takes_prefix(name: str, rest: str) -> bool:
    if name in ("B", "flop"):
        return rest in ("", "/s", "/J")
    return name in ("s", "J", "W", "Hz")


def _closest_shift(units: Mapping[int, str], exponent: int) -> int:
    """Return the exponent of ten of the unit that leaves 1 to 3 digits before the point.

    0 at the end of the row, when even its last unit leaves a very long or small number.
    """
    shift = exponent // 3 * 3
    if shift in units:
        return shift
    shift = max(min(units), min(max(units), shift))
    return shift if -3 <= exponent - shift <= 3 else 0


def _exact_prefixes(name: str, rest: str) -> Iterator[str]:
    yield ""
    if _takes_prefix(name, rest):
        prefixes = UNITS[name][2]
        yield from (p for p in prefixes if p in SI_PREFIXES and p not in "u\u03bc")
        yield from (p for p in prefixes if p in IEC_PREFIXES)


def _rounded(value: float | Decimal, digits: int) -> tuple[str, int]:
    """Return the mantissa's text and the exponent of ten of a finite number, rounded."""
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    return mantissa, int(exponent)


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _decimal(value: Fraction) -> str | None:
    """Return a fraction in decimal notation, all digits, or None if they never end."""
    places = decimal_places(value)
    if places is None:
        return None
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    whole, fraction = digits[: len(digits) - places], digits[len(digits) - places :]
    text = f"{whole}.{fraction}" if fraction else whole
    if len(text) > _LONGEST_POSITIONAL:
        significant = digits.lstrip("0")
        mantissa = _without_zeros(f"{significant[0]}.{significant[1:]}")
        text = min(text, f"{mantissa}e{len(significant) - 1 - places}", key=len)
    return f"-{text}" if value < 0 else text
