"""The page says to three digits what `eval` says of how far rates may be off."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.answer.margins import margin_text
from tests.agreement.points import by_file, sample
from tests.explorer.browser import Browser
from tests.explorer.conftest import Write
from tests.explorer.test_every_model import shown_by_pages

# What is (1 + x)/(1 - x) times as long is reached by x: 1178/822 by 17.8 %, 3 by 50 %.
BODIES = {
    "kernel": ("flops = 1178*N; memory = 822 B*N", "less than 17.8 %"),
    "steps": (
        "step a { flops = 1178*N; memory = 1 B }; step b { memory = 822 B*N }",
        "less than 17.8 %",
    ),
    "below": ("flops = 1177.999999*N; memory = 822 B*N", "less than 17.7 %"),
    "above": ("flops = 1178.000001*N; memory = 822 B*N", "less than 17.8 %"),
    "jump": ("step a { flops = 3*N; memory = 1 B*N }; step b { memory = 1 B }", "less than 50 %"),
    "constant": ("step a { flops = 4.23*N }; step b { time = 1 ns*N }", "up to 4.23 × as fast"),
    "stated": ("step a { flops = N }; step b { time = 3 ns*N }", "less than 66.6 %"),
    "idle": ("wait 3 { step a { memory = 1 B*N } }; step b { time = 1 ns*N }", "up to 3 × as fast"),
}
TEXT = "machine box { flops = 1 GFLOP/s; memory = 1 GB/s }\n" + "".join(
    f"model {name} {{ param N: integer = 1000; {body} }}\n" for name, (body, _) in BODIES.items()
)


@pytest.mark.parametrize("name", BODIES)
def test_how_far_rates_may_be_off_is_rounded_as_eval_rounds_it(
    name: str, browser: Browser, write: Write
) -> None:
    written = write([name], ["box"], TEXT)
    margin = evaluated(predict(written.models[0], written.machines[0], {})[0]).margin
    assert margin is not None
    page = browser.page(written.path, height=60, link="#views=surface")
    said = margin_text(margin, latencies=False).partition(", then")[0]
    assert said.endswith(BODIES[name][1])
    assert said in page.run("document.querySelector('#verdict').textContent")
    assert page.problems() == []
    page.close()


@by_file(["dnn.conv2d", "dnn.linear", "dnn.attention", "dnn.optimizer"])
def test_so_it_is_of_compositions(file: str, browser: Browser, tmp_path: Path) -> None:
    every = [*sample(file, 2, mixed=False)]
    shown = shown_by_pages(every, browser, tmp_path)
    margins = [(point.name, point.result.margin) for point in every]
    for name, margin in margins:
        if margin is not None and margin.ratio is not None:
            said = margin_text(margin, latencies=False).partition(", then")[0]
            assert said.partition("; with")[0] in shown[name]["verdict"]
