"""Where it starts, the explorer is a reader as those of tests/agreement, of every bundled model.

And of a file with all constructs at once. By default of some files; `make fuzz` takes all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from roofdsl.explorer.build import Explored, build
from roofdsl.explorer.page import page as page_of
from tests.agreement.everything import everything
from tests.agreement.points import ALL, Point, by_file, files, sample
from tests.agreement.readers import READERS, wrong
from tests.agreement.test_readers import examples, unseen
from tests.explorer.browser import Browser
from tests.explorer.settings import DRIVER, choose

SOME = ("collectives.mpi", "dnn.activation", "dnn.softmax", "linalg.summa", "networks.lenet5")
MOST_MODELS = 16
"""On one page."""


@by_file(files() if ALL else dict.fromkeys([*SOME, *files()[::20]]))
def test_every_model_starts_with_the_numbers_of_python(
    file: str, browser: Browser, tmp_path: Path
) -> None:
    every = [*sample(file, 2, mixed=False)]
    assert differences(every, shown_by_pages(every, browser, tmp_path)) == []


def test_all_constructs_at_once_start_with_the_numbers_of_python(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = everything()
    shown = shown_by_pages(every, browser, tmp_path)
    assert differences(every, shown) == []
    for point in every:
        unanswered = shown[point.name]["unanswered"]
        for name in {item.name for item in point.prediction.model.metrics} & unanswered.keys():
            assert unanswered[name] == f"– ({point.result.unanswered[name]})"
    # nvme 2 MB/(3 GB/s), memory.L2 24 MB/(4 TB/s); the others are hidden behind these two.
    on_node = f"margin {(2e6 / 3e9) / (24e6 / 4e12):.3g} × memory.L2;"
    # 31 messages with 74.4 kB after their start-up of 1 µs; the kernel starts for 1 µs.
    on_fast = f"margin {(1 + 31 * 2 + 74.4e3 / 40e3) / 1:.3g} × startup;"
    for point, margin in zip(every, (on_node, on_fast), strict=False):
        assert margin in shown[point.name]["verdict"]
    forms = [(point, shown[point.name]) for point in every[::4]]
    assert unseen(READERS["explorer"], forms, monkeypatch) == set()


def test_what_is_altered_on_a_page_is_seen(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forms = []
    for point in examples():
        shown = shown_by_page([point], browser, tmp_path / "explore.html")
        forms.append((point, shown[point.name]))
    assert unseen(READERS["explorer"], forms, monkeypatch) == set()


def differences(points: Iterable[Point], shown: Mapping[str, Any]) -> list[str]:
    reader = READERS["explorer"]
    return [f"{x.name}: {each}" for x in points for each in wrong(x, reader, shown[x.name])]


def shown_by_pages(points: Iterable[Point], browser: Browser, folder: Path) -> dict[str, Any]:
    """Return what pages show of each model where it starts: one of each machine, or several."""
    pages: dict[str, list[Point]] = {}
    for point in points:
        pages.setdefault(point.prediction.machine.name, []).append(point)
    shown: dict[str, Any] = {}
    for some in pages.values():
        for start in range(0, len(some), MOST_MODELS):
            on_page = some[start : start + MOST_MODELS]
            shown |= shown_by_page(on_page, browser, folder / "explore.html")
    return shown


def shown_by_page(points: list[Point], browser: Browser, path: Path) -> dict[str, Any]:
    """Return what a page shows of each model where it starts."""
    asked = [Explored(point.prediction.model, point.arguments, {}) for point in points]
    path.write_text(page_of(build(asked, [points[0].prediction.machine])), encoding="utf-8")
    # So low that no figure is in sight: numbers alone are quick.
    page = browser.page(path, height=60, link="#views=surface")
    page.run(DRIVER)
    shown = {}
    for place, point in enumerate(points):
        choose(page, place)
        shown[point.name] = page.run("read()")
        assert shown[point.name]["problems"] == [], point.name
    assert page.problems() == []
    page.close()
    return shown
