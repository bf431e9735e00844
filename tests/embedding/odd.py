"""Values that may be given where others are meant, by what they could pass for."""

from __future__ import annotations

import datetime
import enum
from array import array
from collections import UserList, deque
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import sympy


class Series:
    """What NumPy makes an array of, as the series of a data frame are."""

    def __init__(self, *values: object) -> None:
        self.values = np.array(values)

    ndim = 1

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return self.values

    def __len__(self) -> int:
        return len(self.values)


class Made:
    """What only makes an array."""

    def __init__(self, *values: object) -> None:
        self.values = np.array(values)

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return self.values


class Held:
    """What only says where an array's memory is."""

    def __init__(self, *values: object) -> None:
        self.values = np.array(values)
        self.__array_interface__ = self.values.__array_interface__


class Mute:
    """An object that cannot show itself, and is equal to nothing."""

    def __repr__(self) -> str:
        raise ValueError("no words")

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        raise ValueError("no equal")

    __hash__ = None  # type: ignore[assignment]  # it is what is tried


class Colour(enum.Enum):
    RED = 1


def _circle() -> list[object]:
    found: list[object] = []
    found.append(found)
    return found


def _nested(depth: int) -> list[object]:
    found: list[object] = [64]
    for _ in range(depth - 1):
        found = [found]
    return found


masked = np.ma.array([16.0, 64.0], mask=[False, True])
records = np.array([(16, 4.0)], dtype=[("a", int), ("b", float)])

NUMBERS: dict[str, object] = {
    "int": 64,
    "float": 64.0,
    "Fraction": Fraction(64),
    "Decimal": Decimal("64"),
    "int8": np.int8(64),
    "int64": np.int64(64),
    "uint64": np.uint64(64),
    "float16": np.float16(64),
    "float32": np.float32(64),
    "float64": np.float64(64),
    "longdouble": np.longdouble(64),
    "array without dimensions": np.array(64),
    "masked array without a masked value": np.ma.array(64, mask=False),
}
"""The number 64 in every form that is a number."""
BEYOND: dict[str, object] = {
    "nan": float("nan"),
    "inf": float("inf"),
    "minus inf": np.float32("-inf"),
    "Decimal nan": Decimal("nan"),
    "Decimal snan": Decimal("snan"),
    "Decimal inf": Decimal("inf"),
    "Decimal of a billion digits": Decimal("1e999999999"),
    "Decimal near nothing": Decimal("1e-999999999"),
    "10**400": 10**400,
    "10**10000": 10**10000,
    "1/10**5000": Fraction(1, 10**5000),
    "array of nan": np.array(float("nan")),
    "long double": np.longdouble("1e400"),
}
"""Numbers that no parameter can have."""
TRUTHS: dict[str, object] = {
    "True": True,
    "bool_": np.bool_(False),
    "array of bool": np.array(True),
}
TEXTS: dict[str, object] = {
    "nothing": "",
    "a name": "karst",
    "a number": "64",
    "a quantity": "64 B",
    "two lines": "a\nb",
    "a null": "a\0b",
    "a lone surrogate": "\ud800",
    "a formula": "N +",
    "code": "__import__('os')",
    "str_": np.str_("karst"),
    "a long text": "x" * 100_000,
    "braces": "{0} %s {N}",
}
PATHS: dict[str, object] = {"Path": Path("nowhere.roof")}
SEVERAL: dict[str, object] = {
    "list": [16, 64],
    "tuple": (16.0, 64.0),
    "range": range(16, 80, 48),
    "array": np.array([16, 64]),
    "array of float32": np.array([16, 64], dtype=np.float32),
    "series": Series(16, 64),
    "list of NumPy's": [np.int32(16), np.float64(64)],
    "list of Decimals": [Decimal(16), Fraction(64)],
    "array of objects": np.array([Fraction(16), 64], dtype=object),
    "what makes an array": Made(16, 64),
    "what has an array's memory": Held(16, 64),
    "array of the standard library": array("l", [16, 64]),
    "memoryview of an array": memoryview(array("l", [16, 64])),
    "UserList": UserList([16, 64]),
    "deque": deque([16, 64]),
    "matrix": sympy.Matrix([16, 64]),
}
"""16 and 64 in every form that is several numbers."""
NOT_SEVERAL: dict[str, object] = {
    "list with nan": [16, float("nan")],
    "list with 10**400": [16, 10**400],
    "list with None": [16, None],
    "list with True": [16, True],
    "list of bools": [True, False],
    "list of texts": ["many", "few"],
    "ragged list": [[16, 64], [16]],
    "circle": _circle(),
    "masked array": masked,
    "records": records,
    "dates": np.array(["2026-01-01"], dtype="datetime64[D]"),
    "time spans": np.array([3, 4], dtype="timedelta64[s]"),
    "complex array": np.array([16 + 0j]),
    "bytes array": np.array([b"16"]),
    "array of objects": np.array([object()]),
    "list of lists of lists": [[[object]]],
    "objects": [object(), object()],
    "nested 33 deep": _nested(33),
    "nested 60 deep": _nested(60),
    "nested 70 deep": _nested(70),
    "keys": {"N": 64}.keys(),
}
MAPPINGS: dict[str, object] = {"dict": {"N": 64}}
NOTHING: dict[str, object] = {
    "None": None,
    "bytes": b"4096",
    "bytearray": bytearray(b"4"),
    "memoryview": memoryview(b"4"),
    "complex": 64 + 0j,
    "complex64": np.complex64(64),
    "datetime64": np.datetime64("2026-11-22"),
    "timedelta64": np.timedelta64(64, "s"),
    "date": datetime.date(2026, 11, 22),
    "object": object(),
    "class": int,
    "function": len,
    "module": np,
    "lambda": lambda: 64,
    "set": {16, 64},
    "Enum": Colour.RED,
    "NotImplemented": NotImplemented,
    "Ellipsis": ...,
    "slice": slice(3),
    "masked": np.ma.masked,
    "void": records[0],
    "str class": str,
    "mute": Mute(),
    "exception": ValueError("64"),
    "SymPy's nan": sympy.nan,
    "SymPy's function": sympy.sin(sympy.Symbol("N")),
}

GROUPS: Mapping[str, Mapping[str, object]] = {
    "number": NUMBERS,
    "beyond": BEYOND,
    "truth": TRUTHS,
    "text": TEXTS,
    "path": PATHS,
    "several": SEVERAL,
    "not several": NOT_SEVERAL,
    "mapping": MAPPINGS,
    "nothing": NOTHING,
}
