"""JSON with places: it reads what Python's own reader does, and knows where each value stands."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofdsl.diagnostic import Diagnostic
from roofdsl.located_json import DEEPEST, MOST_VALUES, Located, read_json
from roofdsl.source import Source

PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = st.recursive(
    PLAIN, lambda x: st.lists(x, max_size=4) | st.dictionaries(st.text(), x), max_leaves=20
)


def plain(found: Located) -> object:
    match found.value:
        case tuple():
            return [plain(each) for each in found.value]
        case Mapping():
            return {name: plain(each) for name, each in found.value.items()}
    return found.value


def read(text: str) -> object:
    found = read_json(Source("x.json", text))
    assert isinstance(found, Located), found
    return plain(found)


def problem(text: str) -> Diagnostic:
    found = read_json(Source("x.json", text))
    assert isinstance(found, Diagnostic), found
    return found


@given(VALUES, st.sampled_from([None, 0, 2]), st.booleans())
def test_it_reads_what_was_written(value: object, indent: int | None, escaped: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escaped)
    assert read(text) == value
    assert repr(read(text)) == repr(json.loads(text))  # 1 and 1.0 are two numbers


@given(VALUES)
def test_every_value_is_the_text_at_its_place(value: object) -> None:
    source = Source("x.json", json.dumps(value, indent=1))

    def check(found: Located) -> None:
        assert json.loads(found.span.text) == plain(found)
        if isinstance(found.value, tuple):
            for each in found.value:
                check(each)
        elif isinstance(found.value, Mapping):
            for name, each in found.value.items():
                assert each.key is not None
                assert json.loads(each.key.text) == name
                check(each)

    whole = read_json(source)
    assert isinstance(whole, Located)
    check(whole)


def test_a_changed_text_is_read_as_python_reads_it_or_refused_by_both() -> None:
    choices = random.Random("json")
    pieces = '{}[]",: \n\\0123456789.eE+-truefalsnaN/*\x00\x7fé'
    good = json.dumps({"a": [1, -2.5e3, "x\\n\u00e9", None, True], "b": {"c": {}}, "d": []})
    refused = 0
    for _ in range(5000):
        text = list(good)
        for _ in range(choices.randint(1, 3)):
            place = choices.randrange(len(text) + 1)
            text[place : place + choices.randint(0, 1)] = choices.choice(pieces)
        changed = "".join(text)
        try:
            expected = json.loads(changed, object_pairs_hook=_once, parse_constant=_none)
        except (ValueError, RecursionError):
            assert problem(changed).code in ("R1202", "R1203")
            refused += 1
        else:
            found = read_json(Source("x.json", changed))
            if isinstance(found, Diagnostic):  # beyond all floats, which Python reads as infinite
                assert "too large" in found.message
            else:
                assert plain(found) == expected
    assert 1000 < refused < 4900


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError
    return dict(pairs)


def _none(_: str) -> object:
    raise ValueError


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_nesting_is_bounded(opening: str) -> None:
    closing = "]" if opening == "[" else "}"
    inside = opening * (DEEPEST - 1) + "[]" + closing * (DEEPEST - 1)
    assert read(inside) is not None
    assert str(DEEPEST) in problem(opening * (DEEPEST + 1)).message
    assert str(DEEPEST) in problem(opening * 1_000_000).message


def test_the_number_of_values_is_bounded() -> None:
    assert read(f"[{'1,' * (MOST_VALUES - 2)}1]") is not None
    assert f"{MOST_VALUES:,}" in problem(f"[{'1,' * (MOST_VALUES - 1)}1]").message


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "x.json:1:1"),
        ("{", "x.json:1:1"),
        ('{"a":\n', "x.json:1:5"),
        ('{"a": 1\n "b": 2}', "x.json:2:2"),
        ("[1,\n]", "x.json:2:1"),
        ("[NaN]", "x.json:1:2"),
        ('{"a": 1, "a": 2}', "x.json:1:10"),
        ("[01]", "x.json:1:2"),
        ("[1] 2", "x.json:1:5"),
        ('["a\n"]', "x.json:1:2"),
    ],
)
def test_a_problem_stands_at_its_place(text: str, place: str) -> None:
    assert str(problem(text).span) == place


def test_halves_of_a_character_make_one_and_a_half_alone_is_shown() -> None:
    assert read(r'"\ud83d\ude00"') == "😀"
    assert read(r'"a\ud83d"') == "a\N{REPLACEMENT CHARACTER}"
