"""Random settings of an explorer, driven through its sliders and fields, and what Python says."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.rates import has_limit, machine_rates
from roofdsl.analysis.result import Result, evaluated
from roofdsl.answer.margins import percent_below
from roofdsl.answer.point import peak_share
from roofdsl.diagnostic import RoofError
from roofdsl.expression.condition import truth
from roofdsl.expression.construct import multiply
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.types import MachineDefinition, ModelDefinition, Rate
from tests.agreement.values import three_digits
from tests.explorer.browser import Page

Move = tuple[str, str, str | int | bool]
"""The key of a control, how it is moved (slide, type, tick, choose), and to what."""

# Moves controls one after another, then waits for the frame and reads what the page shows.
DRIVER = """
// Frames as fast as they come, not as fast as a screen shows them.
{
  const waiting = [];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => waiting.shift()(performance.now());
  globalThis.requestAnimationFrame = (act) => {
    waiting.push(act);
    port2.postMessage(0);
    return 0;
  };
}
globalThis.drive = async (moves) => {
  const drawn = () => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(done)));
  const tell = (input, name) => input.dispatchEvent(new Event(name, { bubbles: true }));
  for (const [key, how, value] of moves) {
    const box = [...document.querySelectorAll(".control")].find((each) => each.dataset.key === key);
    const field = box.querySelector(".field");
    if (how === "slide") {
      const slider = box.querySelector(".slider");
      slider.value = String(value);
      tell(slider, "input");
    } else if (how === "type") {
      field.value = value;
      tell(field, "change");
    } else if (how === "tick") {
      const input = box.querySelector("input");
      input.checked = value;
      tell(input, "change");
    } else {
      const select = box.querySelector("select");
      select.value = value;
      tell(select, "change");
    }
  }
  await drawn();
  return globalThis.read();
};
globalThis.read = () => ({
  controls: Object.fromEntries([...document.querySelectorAll(".control")].map((box) =>
    [box.dataset.key, [box.dataset.value, box.classList.contains("set")]])),
  numbers: Object.fromEntries([...document.querySelectorAll("#numbers tr[data-name]")].map((row) =>
    [row.dataset.name, row.querySelector("data").value])),
  unanswered: Object.fromEntries([...document.querySelectorAll("#numbers td.why")].map((cell) =>
    [cell.parentElement.querySelector(".name").textContent, cell.textContent])),
  bound: document.querySelector("#verdict .bound").dataset.bound,
  verdict: document.querySelector("#verdict").textContent,
  sentence: document.querySelector("#verdict .bound").textContent,
  problems: [...document.querySelectorAll("#problems:not([hidden]) li")].map((item) =>
    item.textContent),
});
true
"""


def moves(random: Random, data: Any, place: int) -> list[Move]:
    """Return random moves of every parameter of a model, and of the rates of the first machine."""
    model = data["models"][place]
    found: list[Move] = []
    for parameter in model["parameters"]:
        key = f"model.{parameter['name']}"
        if parameter["kind"] == "boolean":
            found.append((key, "tick", random.random() < 0.5))
        elif parameter["kind"] == "precision":
            code = random.choice(_precisions(model, parameter))
            found.append((key, "choose", str(int(code))))
        elif parameter["start"] is not None or random.random() < 0.5:
            found.append(_number(random, key, parameter["quantity"], integer=parameter["integer"]))
    for rate in data["machines"][0]["rates"]:
        if random.random() < 0.6:
            found.append(_number(random, f"A.{rate['name']}", rate["quantity"], integer=False))
    return found


def _precisions(model: Any, parameter: Any) -> list[float]:
    placement = model["placements"][0]
    place = model["parameters"].index(parameter)
    if place not in placement["chosen_by"]:  # any: it is bytes of an element alone
        return [code for code, *_ in parameter["choices"]]
    at = placement["chosen_by"].index(place)
    return sorted({float(key.split(",")[at]) for key in placement["variants"]})


def _number(random: Random, key: str, quantity: Any, *, integer: bool) -> Move:
    if random.random() < 0.5:
        return key, "slide", random.randrange(0, 1001)
    low, high, logarithmic = quantity["slider"]
    value = low + (high - low) * random.random()
    if logarithmic:
        value = low * (high / low) ** random.random()
    if integer:
        return key, "type", str(round(value))
    seen = 1 / value if quantity["inverse"] else value
    if not quantity["spellings"]:
        return key, "type", f"{seen:.5g}"
    unit, factor = random.choice(quantity["spellings"])
    return key, "type", f"{seen / factor:.6g} {unit}"


def choose(page: Page, place: int) -> None:
    """Choose a model by its place."""
    page.run(
        f"{{ const select = document.getElementById('model'); select.selectedIndex = {place};"
        "select.dispatchEvent(new Event('change')); true }"
    )
    page.settle()


def drive(page: Page, moved: Sequence[Move]) -> dict[str, Any]:
    found = page.run(f"drive({json.dumps([*moved])})")
    assert isinstance(found, dict)
    return found


def expected(
    model: ModelDefinition, machine: MachineDefinition, controls: Mapping[str, tuple[str, bool]]
) -> Result | None:
    """Return what Python makes of what the controls were set to; None where it refuses that."""
    arguments: dict[str, tuple[Expression, None]] = {}
    for parameter in model.parameters:
        text, is_set = controls[f"model.{parameter.name}"]
        if is_set:
            boolean = truth(text == "true")
            exact = boolean if parameter.kind == "boolean" else Number(Fraction(text))
            arguments[parameter.name] = (exact, None)
    try:
        target = _with_rates(machine, controls)
        prediction, problems = predict(model, target, arguments)
        return None if problems else evaluated(prediction)
    except RoofError:
        return None


def _with_rates(
    machine: MachineDefinition, controls: Mapping[str, tuple[str, bool]], device: str = ""
) -> MachineDefinition:
    own = {each.key for each in machine.operation_rates}

    def changed(rate: Rate) -> Rate:
        text, is_set = controls.get(f"A.{device}{rate.key}", ("", False))
        if not is_set or rate.value is None:
            return rate
        new = Number(Fraction(text))
        if not has_limit(rate):  # the page has it as a scale
            return rate._replace(value=multiply(new, rate.value))
        varies = rate.parameters or rate.key in own
        return rate._replace(most=new) if varies else rate._replace(value=new)

    rates = tuple(map(changed, machine.rates))
    devices = {
        name: _with_rates(inner, controls, f"{name}.") for name, inner in machine.devices.items()
    }
    return replace(machine, rates=rates, devices=devices)


def differences(found: dict[str, Any], result: Result, machine: MachineDefinition) -> list[str]:
    """Return where the page's numbers are not Python's, to 1e-12."""
    wanted: dict[str, float] = {
        "time": result.time,
        "attainable": result.attainable,
        "OI": result.OI,
        "CAI": result.CAI,
        "MI": result.MI,
        **result.work,
        **{f"time on {name}": time for name, time in result.times.items()},
        **result.tallies,
        **result.spending,
        **{
            name: value
            for name, value in result.named.items()
            if name not in result.parameters and not isinstance(value, bool)
        },
    }
    if result.processes > 1 and result.total_attainable is not None:
        wanted["attainable by all"] = result.total_attainable
        wanted["total flops"] = result.totals["flops"]
    for name in ("OI", "CAI", "MI"):
        corner = getattr(result.ridge, name)
        wanted[f"{name}*"] = math.nan if corner is None else corner
    assert machine_rates(machine) or machine.devices
    numbers = found["numbers"]
    wrong = [
        f"{name}: {numbers.get(name)} is not {value!r}"
        for name, value in wanted.items()
        if name not in numbers or not same(_float(numbers[name]), value)
    ]
    if "attainable by all" in numbers.keys() - wanted.keys():
        wrong.append("attainable by all: the model does not say")
    for name, fits in result.fits.items():
        stated = "tensors" if name == "peak_memory" else name
        if f"stated {stated} {'within' if fits else 'beyond'} the capacity" not in found["verdict"]:
            wrong.append(f"{name} within the capacity: {fits}")
    if result.bound is not None and found["bound"] != result.bound:
        wrong.append(f"bound: {found['bound']} is not {result.bound}")
    if len(result.ties) > 1 and f"bound by {' and '.join(result.ties)}" not in found["verdict"]:
        wrong.append(f"ties: {result.ties}")
    assert result.rivalry is not None
    kinds = {
        load.name
        for load in result.rivalry.prediction.placed
        if load.group == result.bound
        and load.resource.name == "flops"
        and result.work.get(load.name)
    }
    kind = f"most of it {result.bound_kind}" if len(kinds) > 1 else "most of it"
    if (kind in found["verdict"]) != (len(kinds) > 1):
        wrong.append(f"kind: {result.bound_kind} of {kinds}")
    margin = result.margin
    if (margin is None or margin.ratio is None) != ("margin" not in found["verdict"]):
        wrong.append(f"margin: {margin}")
    elif margin is not None and margin.ratio is not None:
        said = f"margin {three_digits(margin.ratio)} × {margin.next}"
        if said not in found["verdict"]:
            wrong.append(f"'{said}' is not said")
        if within := re.search(r"off by less than (\S+) %", found["verdict"]):
            # Of a kernel it is the tolerance; of a composition intervals may prove less.
            most = math.inf if margin.turned is None else 100 * margin.turned.change
            rivalry = result.rivalry
            rates_alone = rivalry.prediction.by_rates
            kernel = rates_alone and result.breakdown.arrangement == "kernel"
            same_as_text = f"{within[1]} %" == percent_below(margin.tolerance)
            if not (same_as_text if kernel else float(within[1]) <= most):
                wrong.append(f"{within[0]}: {margin}")
    peak = peak_share(result)
    if peak is not None and result.flops and 1e-3 < peak < 0.9995:
        said = f"{100 * peak:.3g} % of the peak"
        if said not in found["verdict"]:
            wrong.append(f"'{said}' is not said")
    return wrong


def same(one: float, other: float) -> bool:
    if math.isnan(other):
        return math.isnan(one)
    return math.isclose(one, other, rel_tol=1e-12, abs_tol=0.0)


def _float(text: str) -> float:
    return float(text.replace("Infinity", "inf"))
