"""Two ways of writing one thing: prefixed units and plain ones, functions written out."""

from __future__ import annotations

import re
from fractions import Fraction

from hypothesis import assume, given
from hypothesis import strategies as st

from roofdsl.model.library import check_text
from roofdsl.source import Source
from roofdsl.units.unit import UNITS, Unit, prefixed, read_unit
from tests.fuzz.choices import Drawn
from tests.fuzz.formulas import Formulas

# From the definitions of SI and IEC 80000-13, not from the table.
FACTORS = {
    "p": Fraction(1, 10**12), "n": Fraction(1, 10**9), "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18,
    "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60,
}  # fmt: skip
PREFIXED = [
    (prefixed(prefix, name), name, FACTORS[prefix])
    for name, (_, _, prefixes) in UNITS.items()
    for prefix in prefixes
    if prefix in FACTORS
]
digits = st.from_regex(r"\A(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?(e-?[0-9]{1,2})?\Z")


def meaning_of(statements: str) -> list[object]:
    """Return the values of a model's `let`s and work, in SI base units."""
    text = f"unit element\nmodel m {{\n param N\n param outer\n param word = 8 B\n{statements}\n}}"
    module, diagnostics = check_text(Source("equal.roof", text))
    # What has no value whatever its names stand for, such as 1/0, is refused in both forms.
    assume(not any(diagnostic.code == "R0407" for diagnostic in diagnostics))
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
    assert not errors, f"{text}\n{errors[0]}"
    model = module.models["m"]
    lets = [(item.name, item.formula) for item in model.intermediates if item.name != "named"]
    return [*lets, *((work.key, work.value) for work in model.work)]


@given(st.sampled_from(PREFIXED), digits)
def test_a_prefix_is_a_factor(unit: tuple[str, str, Fraction], digits: str) -> None:
    prefixed_name, name, factor = unit
    number = Fraction(digits) * factor
    exact = f"{number.numerator} {name} / {number.denominator}"
    assert meaning_of(f"let x = {digits} {prefixed_name}") == meaning_of(f"let x = {exact}")
    squared = f"{digits} * {factor} * {factor} * 1 {name}^2"
    assert meaning_of(f"let x = {digits} {prefixed_name}^2") == meaning_of(f"let x = {squared}")


def test_every_prefix_is_tried() -> None:
    assert {factor for _, _, factor in PREFIXED} == set(FACTORS.values())
    assert len(PREFIXED) > 60
    assert all(isinstance(read_unit(text), Unit) for text, _, _ in PREFIXED)


@given(st.data())
def test_memory_in_kilobytes_is_memory_in_bytes(data: st.DataObject) -> None:
    writer = Formulas(Drawn(data.draw), slips=False)  # type: ignore[arg-type] # draws as `draw` does
    writer.names = {"N": "1", "word": "B"}
    count = writer.value("1", 2)
    in_kilobytes = meaning_of(f"memory = ({count}) * 3 kB\nnetwork = 0.5 KiB * ({count})")
    in_bytes = meaning_of(f"memory = ({count}) * 3000 B\nnetwork = 512 B * ({count})")
    assert in_kilobytes == in_bytes


def test_a_latency_is_the_inverse_of_a_rate() -> None:
    text = (
        "machine m { memory = 0.5 ns/B; flops = 1 / 4 ps * 1 flop }\nmachine n { memory = 2 GB/s }"
    )
    module, diagnostics = check_text(Source("equal.roof", text))
    assert not diagnostics
    rates = [machine.rates[0].value for machine in module.machines.values()]
    assert rates[0] == rates[1]


@given(st.data())
def test_a_function_is_what_it_stands_for(data: st.DataObject) -> None:
    writer = Formulas(Drawn(data.draw), slips=False)  # type: ignore[arg-type] # draws as `draw` does
    writer.names = {"first": "1", "second": "1"}
    body = writer.value("1", 3)
    writer.names = {"outer": "1"}  # which no index in the body is called
    given_values = {"first": writer.value("1", 1), "second": writer.value("1", 1)}
    written_out = re.sub(r"\b(first|second)\b", lambda name: f"({given_values[name[0]]})", body)
    function = f"function f(first, second) = {body}"
    calls = (
        "f({first}, {second})",
        "f(first = {first}, second = {second})",
        "f(second = {second}, first = {first})",
        "f({first}, second = {second})",
    )
    expected = meaning_of(f"flops = {written_out}")
    for call in calls:
        assert meaning_of(f"{function}\nflops = {call.format(**given_values)}") == expected


@given(st.data())
def test_a_let_is_what_it_stands_for(data: st.DataObject) -> None:
    writer = Formulas(Drawn(data.draw), slips=False)  # type: ignore[arg-type] # draws as `draw` does
    writer.names = {"N": "1", "word": "B"}
    value = writer.value("B", 2)
    writer.names = {"named": "B", "N": "1", "word": "B"}  # which no index in it is called
    formula = writer.value("B", 2)
    written_out = re.sub(r"\bnamed\b", f"({value})", formula)
    assert meaning_of(f"let named = {value}\nmemory = {formula}") == meaning_of(
        f"memory = {written_out}"
    )
