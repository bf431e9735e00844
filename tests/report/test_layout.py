"""How tables in LaTeX are parted: no wider than a page, and nothing lost."""

from __future__ import annotations

import math
from functools import cache

import pytest

from roofdsl.answer.blocks import Table, tabular
from roofdsl.answer.cells import NOTHING, Cell, Code, Printed, Quantity, Written
from roofdsl.answer.compared import TableAnswer, intensity_formulas, rate_table
from roofdsl.answer.papers import paper_names, paper_table
from roofdsl.expression.tree import Divide, Symbol
from roofdsl.model.library import bundled, find_machine, load_module
from roofdsl.report.latex import REPORT, Latex, written
from roofdsl.report.layout import Page, in_one_unit
from roofdsl.report.markdown import written as markdown
from roofdsl.report.text import written as plain
from roofdsl.units.dimension import BYTE, SECOND
from tests.typeset.writing import formula

PAGE = Page(345.0, 440.0, 245.0)


def rates(*names: str) -> Table:
    return rate_table([find_machine(name)[0] for name in names])


def test_a_wide_table_is_parted_behind_its_first_column() -> None:
    table = rates("karst", "jetstream", "h100_sxm")
    parts = PAGE.parts(table)
    assert len(parts) > 2
    assert all(part.width <= PAGE.width for part in parts)
    said = set()
    for part in parts:
        assert part.table.columns[0].heading == "machine"
        for row in part.table.rows:
            columns = zip(part.table.columns, row, strict=True)
            said |= {(row[0], column.heading) for column, cell in columns if cell != NOTHING}
    stated = {
        (row[0], column.heading)
        for row in table.rows
        for column, cell in zip(table.columns, row, strict=True)
        if cell != NOTHING
    }
    assert said == stated


def test_a_part_has_no_rows_that_say_nothing() -> None:
    parts = PAGE.parts(rates("karst", "jetstream", "h100_sxm"))
    headings = {column.heading: part for part in parts for column in part.table.columns}
    assert [row[0] for row in headings["flops.matrix.fp8"].table.rows] == ["h100_sxm"]


def test_rows_are_known_by_as_many_columns_as_it_takes() -> None:
    rows = [[a, b, *["a text of some length"] * 6] for a in ("x", "y") for b in ("1", "2")]
    table = tabular("t", "t", rows, headings=[f"c{place}" for place in range(8)])
    for part in PAGE.parts(table):
        assert [column.heading for column in part.table.columns[:2]] == ["c0", "c1"]


def test_a_high_table_is_parted_into_pages() -> None:
    rows: list[list[Cell]] = [[f"row {place}", Printed(str(place))] for place in range(100)]
    parts = PAGE.parts(tabular("t", "t", rows, headings=["name", "number"]))
    assert len(parts) == 3
    assert all(part.height <= PAGE.height for part in parts)
    assert [row for part in parts for row in part.table.rows] == [tuple(row) for row in rows]
    high = PAGE._replace(height=math.inf)
    assert len(high.parts(tabular("t", "t", rows, headings=["name", "number"]))) == 1


@pytest.mark.parametrize(
    ("numbers", "unit", "shown"),
    [
        ((13.9e9, 340e6), "GB/s", ["13.9", "0.34"]),
        ((3.35e12, 13.9e9), "GB/s", ["3350", "13.9"]),
        ((999.96e6, 1.5e9), "GB/s", ["1", "1.5"]),
        ((0.0, 2e3), "kB/s", ["0", "2"]),
        ((math.inf, 2e3), "kB/s", ["∞", "2"]),
    ],
)
def test_numbers_of_a_column_have_one_unit(
    numbers: tuple[float, ...], unit: str, shown: list[str]
) -> None:
    rows: list[list[Cell]] = [
        [f"{place}", Quantity(value, BYTE / SECOND)] for place, value in enumerate(numbers)
    ]
    table = in_one_unit(tabular("t", "t", rows, headings=["name", "rate"]))
    assert table.columns[1].unit == unit
    cells = [row[1] for row in table.rows]
    assert [cell.text if isinstance(cell, Printed) else cell for cell in cells] == shown


def test_numbers_that_have_no_unit_in_common_keep_theirs() -> None:
    far: list[list[Cell]] = [["a", Quantity(1e-9, SECOND)], ["b", Quantity(1.0, SECOND)]]
    other: list[list[Cell]] = [["a", Quantity(1.0, BYTE)], ["b", Quantity(1.0, SECOND)]]
    measured = Quantity(1.0, SECOND, remark="(measured)")
    remark: list[list[Cell]] = [["a", measured], ["b", Quantity(1.0, SECOND)]]
    for rows in (far, other, remark):
        table = tabular("t", "t", rows, headings=["name", "value"])
        assert in_one_unit(table) == table


def test_numbers_below_no_heading_keep_their_units() -> None:
    table = tabular("t", "t", [["", ""], ["OI", Quantity(4.5, BYTE)]])
    assert in_one_unit(table) == table
    assert r"OI & \qty{4.5}{B} \\" in written(TableAnswer(table))


def test_what_is_no_number_stands_in_braces_and_a_minus_has_room() -> None:
    rows: list[list[Cell]] = [["a", Quantity(-0.25)], ["b", NOTHING], ["c", Quantity(12.0)]]
    text = written(TableAnswer(tabular("t", "t", rows, headings=["name", "value"])))
    assert "S[table-format=-2.2]" in text
    assert "b & {\\textendash{}} \\\\" in text


def test_fractions_have_room_between_rows() -> None:
    tree = formula("(N + 1)/P")
    assert isinstance(tree, Divide)
    for cell, room in ((tree, True), (Symbol("N"), False)):
        rows = [["a", cell], ["b", cell]]
        text = written(TableAnswer(tabular("t", "t", rows, headings=["name", "formula"])))
        assert ("\\addlinespace" in text) == room


def test_a_formula_is_as_wide_as_its_table_leaves_room_for() -> None:
    tree = formula("(N^3 + N^2*P + N*P^2 + P^3 + N^2 + P^2)*(N + P)/(N^2 + P + 1)")
    rows = [["a", tree]]
    table = tabular("t", "t", rows, headings=["name", "formula"])
    wide, narrow = (written(TableAnswer(table), width) for width in (345.0, 150.0))
    assert "aligned" not in wide
    assert "aligned" in narrow
    assert "\\ldots" not in narrow


WIDTHS = [round(72.27 * tenths / 10, 2) for tenths in range(25, 71)]
"""From 2.5 inches to 7, in steps of 0.1."""


def test_a_table_of_a_paper_has_all_its_formulas_at_every_width() -> None:
    table = paper_table("cardwell2019:2.4")
    for width in WIDTHS:
        assert "ldots" not in written(TableAnswer(table), width), width


@cache
def compared() -> Table:
    names = {"summa", "cannon", "johnson", "mst", "sparse_lu", "hpcg"}
    paths = [path for path in bundled("model").values() if path.stem in names]
    models = [model for path in paths for model in load_module(path).models.values()]
    return intensity_formulas(models)


@cache
def papers_tables() -> list[Table]:
    return [compared(), *map(paper_table, paper_names())]


def has_formulas(table: Table) -> bool:
    texts = str | Code | Printed | Quantity | Written
    return any(not isinstance(cell, texts) for row in table.rows for cell in row)


def left_out(table: Table, width: float) -> set[tuple[int, int]]:
    notation = Latex(width).grids(table)[0].notation
    assert notation is not None
    return {
        (line, place)
        for line, row in enumerate(table.rows)
        for place, cell in enumerate(row)
        if notation.left_out(cell)
    }


def test_what_fits_into_a_table_fits_into_a_wider_one_and_what_does_not_is_said() -> None:
    # Only a formula is ever left out.
    formulas = [table for table in papers_tables() if has_formulas(table)]
    assert len(formulas) > 1
    for table in formulas:
        before = left_out(table, WIDTHS[0])
        for width in WIDTHS[1:]:
            now = left_out(table, width)
            assert now <= before, (table.label, width, now - before)
            before = now
    for table in papers_tables():
        for width in (WIDTHS[0], 240.0, WIDTHS[-1]):
            text = written(TableAnswer(table), width)
            note = "stands for a formula that is too long" in text
            assert note == bool(left_out(table, width)), (table.label, width)
    # The formulas of two models have thousands of digits; those of all others are there.
    cells = {table.rows[line][0] for table in [compared()] for line, _ in left_out(table, 240.0)}
    assert cells == {"sparse_lu", "hpcg"}


def test_a_formula_left_out_is_said_in_every_notation() -> None:
    answer = TableAnswer(compared())
    for text in (plain(answer), markdown(answer), written(answer)):
        assert "stands for a formula that is too long" in text


def wide_tables() -> list[Table]:
    rows: list[list[Cell]] = [
        [model, machine, f"N = {size}, P = 121", *[Quantity(7.5)] * 6, "network"]
        for model in ("summa", "a_model_with_a_long_name")
        for machine in ("karst", "a100_sxm_80gb")
        for size in (242, 61952)
    ]
    headings = ("model", "machine", "at", *(f"quantity {place}" for place in range(6)), "bound")
    some = [tabular("t", "t", rows[:count], headings=headings) for count in (1, 2, 4, 8)]
    return [*some, *papers_tables(), rates("karst", "jetstream", "h100_sxm")]


def test_rows_of_every_part_are_told_apart() -> None:
    for table in wide_tables():
        if len(set(map(str, table.rows))) < len(table.rows):
            continue
        for width in WIDTHS:
            page = Page(0.98 * width, 440.0, width / 2).beside_keys(table)
            parts = page.parts(table)
            assert all(part.width <= page.width for part in parts), (table.label, width)
            headings = [part.table.columns for part in parts]
            keys = [each for each in headings[0] if all(each in part for part in headings)]
            for part in parts:
                places = [part.table.columns.index(key) for key in keys]
                known = {tuple(map(str, (row[at] for at in places))) for row in part.table.rows}
                assert len(known) == len(part.table.rows), (table.label, width)


def test_a_column_that_is_the_same_in_all_rows_is_not_repeated() -> None:
    page = Page(0.98 * 238.0, 440.0, 119.0)
    table = wide_tables()[1]
    first, *others = page.parts(table)
    assert [column.heading for column in first.table.columns[:3]] == ["model", "machine", "at"]
    assert [part.table.columns[0].heading for part in others] == ["at"] * len(others)
    narrow = Page(0.98 * 180.0, 440.0, 90.0).parts(wide_tables()[3])
    assert {part.table.columns[0].heading for part in narrow} == {"row"}


def test_a_formula_behind_a_long_name_has_less_of_the_page() -> None:
    """18 letters and 17 plus signs, some 300 pt, have room behind 4 characters, not behind 40."""
    tree = formula(" + ".join("abcdefghijklmnopqr"))
    notation = Latex(REPORT)
    assert "aligned" not in notation.display(tree, 4)
    assert "aligned" in notation.display(tree, 40)
