"""What networks cost by one convention to count and another, against published figures."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from io import StringIO

import pytest

import roofdsl as rd
from roofdsl.analysis.composition import Composed
from roofdsl.analysis.convention import CONVENTIONS, convention_named, count
from roofdsl.cli.main import main
from tests.agreement.points import files, models_of
from tests.dnn.test_traffic import CASES

KARST, NODE = rd.load_machine("karst"), rd.load_machine("dgx_a100")
ON_A_CARD = ("--machine", "a100_sxm_80gb")
# Of families of networks, the sizes that must be given.
SIZES = {"layers": 2, "hidden": 64, "heads": 4, "inner": 96, "vocabulary": 100}
SIZES |= {"batch": 2, "prompt": 16, "output": 4, "kept": 20, "drafted": 3}
SIZES |= {f"draft_{name}": size for name, size in SIZES.items()}


Run = Callable[..., str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit) as left:
            main(["eval", *arguments])
        assert left.value.code == 0
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize(
    ("network", "printed"),
    [("alexnet", 0.71), ("vgg16", 15.47), ("resnet50", 4.09), ("resnet152", 11.51)],
)
def test_what_torchvision_calls_gflops_is_multiply_adds(network: str, printed: float) -> None:
    """torchvision 0.20, documentation of models and weights: the column GFLOPS."""
    result = rd.load_model(network).on(KARST).evaluate(batch=1)
    assert round(result.count("mac") / 1e9, 2) == printed
    assert result.count("product") == 2 * result.count("mac")


def test_twice_as_many_in_the_other_convention() -> None:
    """ResNet-50 costs about 8.2 GFLOP and VGG-16 about 31 where a multiply-add is two."""
    for network, billions in (("resnet50", 8.2), ("vgg16", 30.9)):
        result = rd.load_model(network).on(KARST).evaluate(batch=1)
        assert round(result.count("product") / 1e9, 1) == billions
        assert result.count("flop") == result.flops > result.count("product")


def test_bert_base_of_128_tokens() -> None:
    """24 B·s·h² + 4 B·s²·h flop a block (Narayanan et al. 2021), twelve of them, and the pooler."""
    s, h = 128, 768
    result = rd.load_model("bert_base").on(KARST).evaluate(batch=1, seq=s)
    assert result.count("product") == 12 * (24 * s * h**2 + 4 * s**2 * h) + 2 * h**2


def test_one_layer_by_hand() -> None:
    """Two rows of three features in, five out, with a bias: 30 multiply-adds and 10 additions."""
    result = rd.load_model("linear").on(KARST).evaluate(M=2, I=3, O=5)
    counts = [result.count(convention.name) for convention in CONVENTIONS]
    assert counts == [70, 60, 30, 40]


def taps_on_the_image(size: int, kernel: int, stride: int, padding: int) -> int:
    places = (size + 2 * padding - kernel) // stride + 1
    return sum(
        0 <= place * stride - padding + tap < size
        for place in range(places)
        for tap in range(kernel)
    )


def test_padding_left_out() -> None:
    """VGG-16's convolutions, each tap of each place looked at."""
    layers = [(3, 64, 224), (64, 64, 224), (64, 128, 112), (128, 128, 112), (128, 256, 56)]
    layers += [(256, 256, 56)] * 2 + [(256, 512, 28)] + [(512, 512, 28)] * 2 + [(512, 512, 14)] * 3
    products = 25088 * 4096 + 4096 * 4096 + 4096 * 1000
    for before, after, size in layers:
        products += before * after * taps_on_the_image(size, 3, 1, 1) ** 2
    network = rd.load_model("vgg16").on(KARST)
    assert network.evaluate(batch=1, count_padding=False).count("mac") == products


def test_causal_attention_in_full() -> None:
    """A token's scores with those after it: 2·2·h·s·(s - 1)/2 flop a block, of twelve."""
    network = rd.load_model("gpt2").on(KARST)
    whole, seen = (network.evaluate(batch=1, causal=causal) for causal in (False, True))
    unseen = 12 * 2 * 2 * 768 * 1024 * 1023 // 2
    assert whole.count("product") - seen.count("product") == unseen


def test_the_table_by_layer(run: Run) -> None:
    text = run("resnet50", *ON_A_CARD, "-p", "batch=1", "--convention", "all", "--by", "layer")
    rows = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert "4.089 GMAC" in rows["mac"]
    assert "8.178 GFLOP" in rows["product"]
    heads = rows["layer"].split()
    assert heads[-4:] == ["flop", "product", "mac", "fma"]
    assert rows["conv2d"].endswith("4.087 Gop")
    assert "0 MAC" in rows["batch_norm"]


def test_the_steps_add_up_in_json(run: Run) -> None:
    text = run(
        "resnet50_training", *ON_A_CARD, "-p", "batch=2", "--convention", "all", "--format", "json"
    )
    answer = json.loads(text)
    assert set(answer["counts"]) == {"flop", "product", "mac", "fma"}

    def leaves(node: dict[str, object], name: str, times: float = 1.0) -> float:
        children = node.get("children")
        counts, runs = node["counts"], node["count"]
        assert isinstance(counts, dict)
        assert isinstance(runs, float)
        assert isinstance(children, list)
        if not children:
            return times * float(counts[name])
        return sum(leaves(child, name, times * runs) for child in children)

    for name, total in answer["counts"].items():
        assert leaves(answer["breakdown"], name) == total


def test_a_column_of_csv_for_each_point(run: Run) -> None:
    text = run(
        "gpt2", *ON_A_CARD, "-p", "batch=1,2", "--format", "csv", "--convention", "mac"
    )  # fmt: skip
    rows = list(csv.DictReader(StringIO(text)))
    first, second = (int(row["counted_mac"]) for row in rows)
    assert second == 2 * first == 2 * rd.load_model("gpt2").on(KARST).evaluate(batch=1).count("mac")


def test_several_machines_count_the_same(run: Run) -> None:
    text = run(
        "lenet5", "--machine", "v100", "--machine", "p100", "-p", "batch=1", "--convention", "mac"
    )
    row = next(line for line in text.splitlines() if line.strip().startswith("counted as mac"))
    assert row.split()[3:] == ["416.5", "kMAC", "416.5", "kMAC"]


def test_formulas_while_the_batch_is_free(run: Run) -> None:
    """784 × 50 and 50 × 10 multiply-adds an input."""
    text = run("mlp", *ON_A_CARD, "--convention", "product", "--format", "json")
    counted = json.loads(text)["counts"]["product"]
    assert counted["full"] == "2*batch*hidden*(inputs + outputs)"
    assert counted["numbers"] == "79400*batch"
    assert "39700*batch" in run("mlp", *ON_A_CARD, "--convention", "mac")


def _networks() -> list[str]:
    """Return the bundled networks: what takes a batch."""
    bundled = [file for file in files() if file.startswith("networks.")]
    models = [model for file in bundled for model in models_of(file)]
    return [x.name for x in models if any(p.name == "batch" for p in x.parameters)]


@pytest.mark.parametrize("layer", CASES)
def test_every_layer_is_counted_by_every_convention(layer: str) -> None:
    """Those without products have none of them, and are not refused."""
    values = CASES[layer][0].values
    result = rd.load_model(layer).on(KARST).evaluate(**values)
    _check_counts(result)
    without = ("activation", "norm", "pool", "dropout", "loss", "update", "embedding")
    if any(word in layer for word in without):
        assert result.count("mac") == 0


@pytest.mark.parametrize("network", _networks())
def test_every_network_is_counted_by_every_convention(network: str) -> None:
    model = rd.load_model(network)
    opened = {each.name for each in model.definition.parameters if each.default is None}
    sizes = {name: size for name, size in SIZES.items() if name in opened}
    _check_counts(model.on(NODE).evaluate(**sizes))


def _check_counts(result: rd.Result) -> None:
    """Each convention by its weights; that of the whole is the sum over its steps."""
    products = result.tallies["multiply_adds"]
    expected = {"flop": result.flops, "product": 2 * products, "mac": products}
    expected["fma"] = result.flops - products
    for convention in CONVENTIONS:
        assert result.count(convention.name) == expected[convention.name]
        assert _over_steps(result, convention.name) == pytest.approx(
            expected[convention.name], rel=1e-12
        )


def _over_steps(result: rd.Result, name: str) -> float:
    """The sum over all kernels, each as often as it runs."""
    convention = convention_named(name)

    def total(part: Composed[float], times: float) -> float:
        if not part.children:
            return times * count(convention, part.counted.get("flops", 0.0), part.tallies)
        return sum(total(child, times * part.count) for child in part.children)

    return total(result.breakdown, 1.0)


@pytest.mark.parametrize("layer", ["relu", "batch_norm", "max_pool2d_backward", "adam"])
def test_a_layer_without_products_alone(run: Run, layer: str) -> None:
    values = [f"{name}={value}" for name, value in CASES[layer][0].values.items()]
    words = [word for value in values for word in ("-p", value)]
    text = run(layer, *ON_A_CARD, *words, "--convention", "product", "--format", "json")
    assert json.loads(text)["counts"] == {"product": 0}
