"""SymPy symbols with units, units as factors, and the units of formulas read back."""

from __future__ import annotations

import copy
import pickle

import pytest
import sympy

import roofdsl as rd


def test_a_symbol_is_its_name_and_its_kind() -> None:
    held = rd.symbol("V", "B")
    assert held == rd.symbol("V", "B") == copy.deepcopy(held) == pickle.loads(pickle.dumps(held))  # noqa: S301 - ours
    assert hash(held) == hash(rd.symbol("V", "B"))
    assert held not in (sympy.Symbol("V", positive=True), rd.symbol("V", "kB"), rd.symbol("V"))
    assert rd.symbol("n", "integer[2..]").is_integer and not held.is_integer
    assert (str(2 * held), sympy.latex(held), sympy.diff(held**2, held)) == ("2*V", "V", 2 * held)


def test_units_of_symbols_are_checked() -> None:
    held, n = rd.symbol("V", "B"), rd.symbol("n", "integer[2..]")
    for wrong in ({"flops": held}, {"memory": held + n}, {"memory": held**2}):
        with pytest.raises(rd.RoofError, match="R030"):
            rd.model_from_expressions("m", **wrong)
    right = rd.model_from_expressions("m", flops=n * held / rd.unit("B"), memory=n * held)
    karst = rd.load_machine("karst")
    assert right.on(karst).evaluate(n=3, V="2 kB").flops == 6000
    with pytest.raises(rd.RoofError, match="R0405"):
        right.on(karst).evaluate(n=3, V="2 flop")
    with pytest.raises(rd.RoofError, match="R0402"):
        right.on(karst).evaluate(n=1, V="2 kB")


def test_a_symbol_of_two_kinds_is_refused() -> None:
    size, time = rd.symbol("x", "B"), rd.symbol("x", "s")
    wrong: list[dict[str, sympy.Expr]] = [{"memory": size + time}, {"memory": size, "flops": time}]
    for work in wrong:
        with pytest.raises(rd.RoofError, match=r"R0202.*'x' is of two kinds: B and s"):
            rd.model_from_expressions("m", **work)
    n, plain = rd.symbol("n", "integer[2..]"), sympy.Symbol("n", integer=True)
    alike = ({"memory": n, "flops": plain}, {"memory": plain, "flops": n}, {"memory": n + plain})
    for right in alike:
        assert "param n: integer[2..]\n" in rd.model_from_expressions("m", **right).text


def test_a_unit_is_a_factor_of_its_size() -> None:
    held, n = rd.symbol("V", "B"), rd.symbol("n", "integer")
    model = rd.model_from_expressions("m", memory=held + n * rd.unit("KiB"))
    assert model.memory.subs({model.symbols["V"]: 10, model.symbols["n"]: 2}) == 2058
    rate = rd.symbol("r", "GB/s")
    waiting = rd.model_from_expressions("w", memory=rate * rd.unit("ms"))
    assert waiting.on(rd.load_machine("karst")).evaluate(r="3 GB/s").memory == 3e6
    assert waiting.units["r"] == "B/s"


def test_units_of_formulas_are_read_back() -> None:
    summa = rd.load_model("summa").on(rd.load_machine("karst"))
    names = {symbol.name for symbol in summa.time.free_symbols}
    assert names <= summa.units.keys()
    assert {name: summa.units[name] for name in ("time", "N", "word", "karst.memory", "MI")} == {
        "time": "s",
        "N": "",
        "word": "B",
        "karst.memory": "B/s",
        "MI": "",
    }
    network = rd.load_model("resnet50")
    assert network.units["footprint"] == "B" and network.units["multiply_adds"] == "MAC"
    assert rd.load_machine("karst").units["flops"] == "flop/s"


def test_symbols_are_those_of_formulas() -> None:
    summa = rd.load_model("summa")
    assert summa.flops.free_symbols <= {*summa.symbols.values()}
    assert "dtype" not in summa.symbols
