"""Words that begin a statement are names wherever a name can stand; only some are reserved."""

from __future__ import annotations

import pytest

from roofdsl.source import Source
from roofdsl.syntax import nodes, tensor_nodes
from roofdsl.syntax.expressions import MachineValue, Member
from roofdsl.syntax.nodes import Declaration
from roofdsl.syntax.parse import parse, parse_expression, parse_without_tests
from roofdsl.syntax.plain import declarations_of, plain
from roofdsl.syntax.tokens import (
    BEFORE_A_BRACE,
    BEFORE_A_COUNT,
    BEFORE_A_NAME,
    BEFORE_A_TEXT,
    BEGINS_BRACES,
    BETWEEN_COUNTS,
    BETWEEN_NAMES,
)

WORDS = sorted(
    BEFORE_A_NAME
    | BEFORE_A_COUNT
    | BEFORE_A_TEXT
    | BEFORE_A_BRACE
    | BEGINS_BRACES
    | BETWEEN_NAMES
    | {"here", "place", BETWEEN_COUNTS}
)


def declared(text: str) -> tuple[Declaration, ...]:
    declarations, problems = parse(Source("test", text))
    assert problems == (), problems
    return declarations


def items(text: str, inside: str = "model m") -> tuple[object, ...]:
    (declaration,) = declared(f"{inside} {{ {text} }}")
    assert isinstance(declaration, nodes.ModelDeclaration | nodes.MachineDeclaration)
    return declaration.items


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_a_name_elsewhere(word: str) -> None:
    declared(f"""
        unit {word}
        function {word}({word}) = {word} + 1
        model {word} {{
            param {word}: integer = 3
            let {word} = {word} +
                {word} - (
                {word} / 2)
            tally {word}: {word}/s = {word}
            {word} = {word}({word} = {word})
            {word}.{word} = 2
            {word} {{ {word} = 3; {word}.L2 = 4 }}
            step {word} {{ {word} = 2 }}
            step b = {word}(a = {word}) on {word}
            step d = {word}(a = {word}) from {word}, {word}
            step e = {word}() from {word} in place
            in {word} = {word}
            out {word} = {word}
            hold {word} = {word} from here
            keep {word}, {word}
            keep {word} = {word} from {word} to {word}.{word}
            keep {word} to {word}
            recompute {{ step f = {word}() }}
            repeat {word} {{ step c = {word}() }}
            iterate {word} {{ step g = {word}() }}
            iterate {word}*{word}(3) keeping {word} - 1 {{ step h = {word}() }}
        }}
        machine {word} {{
            {word} = 3
            {word} {{ L2 = 4; default L2 }}
            device {word} = {word}
        }}
        test "it" {{
            let {word} = {word}({word} = 2) on {word}
            expect {word}.{word} == {word}
        }}
    """)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("text", ["{}", "{} + 1", "({} + 1)", "{}(2)", "{}.time", "-{}"])
def test_a_word_is_a_name_in_an_expression(word: str, text: str) -> None:
    node = parse_expression(Source("test", text.format(word)))
    assert not hasattr(node, "code"), node


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("metric a: token/s = 1 / time", nodes.MetricStatement),
        ("metric a = bound is flops", nodes.MetricStatement),
        ("metric metric = total*job", nodes.MetricStatement),
        ("iterate n { step a = b() }", nodes.LoopStatement),
        ("iterate (n + 1) { step a = b() }", nodes.LoopStatement),
        ("iterate 2*n { step a = b() }", nodes.LoopStatement),
        ("iterate n keeping min(n, p) { step a = b() }", nodes.LoopStatement),
        ("iterate 12 keeping 4 { step a = b() }", nodes.LoopStatement),
        ("wait (p - 1)/2 { step a = b() }", nodes.LoopStatement),
        ("wait wait { step a = b() }", nodes.LoopStatement),
        ("if n > 2 { step a = b() }", nodes.IfStatement),
        ("if (n > 2) { step a = b() } else { }", nodes.IfStatement),
        ("if not wait\n{ step a = b() }\nelse\n{ step c = b() }", nodes.IfStatement),
        ("if if a then b else c { step a = b() } else if d { step c = b() }", nodes.IfStatement),
        ("step a { overlap { step b { flops = 2 }; step c { memory = 3 } } }", nodes.StepInPlace),
        ("step a { require n > 1; tally b: B = 3; as gemm(m = 3); flops = 2 }", nodes.StepInPlace),
        ("step a { in x = 3 B; out y = x; keep x; hold w = 3 B; flops = 2 }", nodes.StepInPlace),
        ("step a = b(n = 2) on gpu\n    from c, x in place", nodes.StepCall),
        ("in x", tensor_nodes.TensorStatement),
        ("in x = 8 B*n", tensor_nodes.TensorStatement),
        ("in in_ = 8 B\n    *n", tensor_nodes.TensorStatement),
        ("out y = x", tensor_nodes.TensorStatement),
        ("out out = if n > 1 then 8 B else 4 B", tensor_nodes.TensorStatement),
        ("hold weights = 4 B*n", tensor_nodes.TensorStatement),
        ("hold gradients = 4 B from here", tensor_nodes.TensorStatement),
        ("hold hold = 4 B*n from here", tensor_nodes.TensorStatement),
        ("keep x", tensor_nodes.KeptStatement),
        ("keep x, y", tensor_nodes.KeptStatement),
        ("keep x,\n    keep", tensor_nodes.KeptStatement),
        ("keep index = 8 B*n", tensor_nodes.KeepStatement),
        ("keep hidden = 8 B from relu to back.relu", tensor_nodes.KeepStatement),
        ("keep hidden = 8 B*n from to to to", tensor_nodes.KeepStatement),
        ("keep forward to backward", tensor_nodes.KeepToStatement),
        ("keep forward.loss to backward.loss", tensor_nodes.KeepToStatement),
        ("keep to to to", tensor_nodes.KeepToStatement),
        ("recompute { step a = b() }", nodes.RecomputeStatement),
        ("recompute { overlap { step a = b() } }", nodes.RecomputeStatement),
        ("recompute { if n > 2 { step a = b() } }", nodes.RecomputeStatement),
    ],
)
def test_statements_of_models(text: str, kind: type) -> None:
    assert [type(item) for item in items(text)] == [kind]
    assert [type(item) for item in items(f"\n{text}\n")] == [kind]


@pytest.mark.parametrize(
    ("text", "times", "keeping"),
    [
        ("n keeping 3", "n", "3"),
        ("12 keeping 4", "12", "4"),
        ("1e2keeping (n + 1)/2", "1e2", "(n + 1)/2"),
        ("f(3) keeping(n)", "f(3)", "(n)"),
        (
            "if a then 6 else 5 keeping if a then 2 else 1",
            "if a then 6 else 5",
            "if a then 2 else 1",
        ),
        ("keeping keeping keeping", "keeping", "keeping"),
        ("keeping", "keeping", ""),
        ("2*keeping", "2*keeping", ""),
        ("keeping(3) - keeping", "keeping(3) - keeping", ""),
        ("6 keeping/(3 keeping)", "6 keeping/(3 keeping)", ""),
    ],
)
def test_what_is_kept_at_once_stands_behind_the_count(text: str, times: str, keeping: str) -> None:
    (loop,) = items(f"iterate {text} {{ step a = b() }}")
    assert isinstance(loop, nodes.LoopStatement)
    assert loop.times.span.text == times
    assert (loop.keeping.span.text if loop.keeping else "") == keeping


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("energy flops.bf16 = 0.6 pJ/flop", nodes.EnergyStatement),
        ("energy { flops = 1 pJ/flop; memory = 2 pJ/B }", nodes.BlockStatement),
        ("energy = 3", nodes.Assignment),
        ("startup network = 10 us", nodes.StartupStatement),
        ("startup = 10 us", nodes.Assignment),
        ("memory(w) = 3 GB/s * w/(w + 1 MB)", nodes.RateStatement),
        ("flops.matrix.bf16 as gemm(m, n, k) = 3 GFLOP/s * k", nodes.RateStatement),
        ("serial issue, memory.L2", nodes.SerialStatement),
        ("serial serial, memory", nodes.SerialStatement),
        ("concurrent flops.matrix, flops.vector", nodes.ConcurrentStatement),
        ('measured gemm(m, n, k) from "a.csv"', nodes.MeasuredStatement),
        ('measured flops as gemm(m)\nfrom "a.csv" interpolate', nodes.MeasuredStatement),
        ('measured memory.L2(w) from "a.csv" interpolate', nodes.MeasuredStatement),
        ("device cpu { flops = 1 GFLOP/s; capacity memory = 2 GB }", nodes.DeviceStatement),
        ("device gpu = a100 with { startup = 5 us }", nodes.DeviceStatement),
        ("device gpu = a100", nodes.DeviceStatement),
    ],
)
def test_statements_of_machines(text: str, kind: type) -> None:
    assert [type(item) for item in items(text, "machine a")] == [kind]
    assert [type(item) for item in items(f"\n{text}\n", "machine a = b.c with")] == [kind]


def test_what_a_rate_and_a_table_are_of() -> None:
    rate, table, old = items(
        "memory(w, messages) = w; measured flops.fp16 as gemm(m, n) from 'a.csv' interpolate\n"
        "measured gemm(m) from 'a.csv'".replace("'", '"'),
        "machine a",
    )
    assert isinstance(rate, nodes.RateStatement)
    assert isinstance(table, nodes.MeasuredStatement)
    assert isinstance(old, nodes.MeasuredStatement)
    assert (rate.path.text, rate.operation) == ("memory", None)
    assert [name.name for name in rate.parameters] == ["w", "messages"]
    assert table.operation is not None
    assert (table.path.text, table.operation.name, table.interpolate) == (
        "flops.fp16", "gemm", True,
    )  # fmt: skip
    assert (old.path.text, old.operation, old.interpolate) == ("gemm", None, False)


def test_machines_and_devices_made_of_others() -> None:
    variant, plain = declared(
        "machine fast = my.karst with { ranks = 3; device g = h with { a = 1 } }\nmachine slow { }"
    )
    assert isinstance(variant, nodes.MachineDeclaration)
    assert isinstance(plain, nodes.MachineDeclaration)
    assert variant.base is not None
    assert (variant.name.name, variant.base.text, len(variant.items)) == ("fast", "my.karst", 2)
    assert (plain.base, plain.items) == (None, ())
    device = variant.items[1]
    assert isinstance(device, nodes.DeviceStatement)
    assert device.path is not None
    assert (device.path.text, device.items is not None and len(device.items)) == ("h", 1)


def test_models_and_mixes_made_of_others() -> None:
    model, plain, mix = declared(
        "model a = my.b with { let n = 3; m = 4 }\nmodel with { let with = 3 }\n"
        "mix c = d with { let n = 3 }"
    )
    assert isinstance(model, nodes.ModelDeclaration)
    assert isinstance(plain, nodes.ModelDeclaration)
    assert isinstance(mix, nodes.MixDeclaration)
    assert model.base is not None
    assert mix.base is not None
    assert (model.name.name, model.base.text, len(model.items)) == ("a", "my.b", 2)
    assert (plain.name.name, plain.base, len(plain.items)) == ("with", None, 1)
    assert (mix.name.name, mix.base.text, len(mix.items)) == ("c", "d", 1)


def test_mixes_and_units() -> None:
    text = "mix month { param n = 3; job a = n * cg(N = 2); metric m = time }\nunit t\nunit k = 3 t"
    for source in (text, f"test 'a' {{ }}\n{text}".replace("'", '"')):
        found = parse_without_tests(Source("test", source))
        assert found is not None
        mix, unit, defined = found
        assert isinstance(mix, nodes.MixDeclaration)
        assert [type(item).__name__ for item in mix.items] == [
            "ParameterStatement", "JobStatement", "MetricStatement",
        ]  # fmt: skip
        assert isinstance(unit, nodes.UnitDeclaration)
        assert isinstance(defined, nodes.UnitDeclaration)
        assert unit.measure is None
        assert defined.measure is not None
        assert (defined.measure.digits, defined.measure.unit) == ("3", "t")


def test_capacity_can_stand_behind_a_point() -> None:
    node = parse_expression(Source("test", "machine.capacity.memory"))
    assert isinstance(node, Member)
    assert isinstance(node.value, MachineValue)
    assert (node.value.name.name, node.name.name) == ("capacity", "memory")


TENSORS = """
model m {
    in x
    out y = x
    hold gradients = 4 B from here
    keep x, y
    keep index = 8 B
    keep hidden = 8 B from a to b.c
    keep a to b.c
    step a = f() on gpu from x, y in place
    recompute { step again = f() }
}
"""


def test_what_tensor_statements_say() -> None:
    x, y, gradients, kept, index, hidden, between, step, again = items(TENSORS[10:-2])
    assert isinstance(x, tensor_nodes.TensorStatement)
    assert (x.word, x.name.name, x.value, x.since) == ("in", "x", None, None)
    assert isinstance(y, tensor_nodes.TensorStatement)
    assert (y.word, y.name.name) == ("out", "y")
    assert isinstance(gradients, tensor_nodes.TensorStatement)
    assert gradients.since is not None
    assert (gradients.word, gradients.since.name) == ("hold", "here")
    assert isinstance(kept, tensor_nodes.KeptStatement)
    assert [name.name for name in kept.names] == ["x", "y"]
    assert isinstance(index, tensor_nodes.KeepStatement)
    assert (index.name.name, index.begins, index.ends) == ("index", None, None)
    assert isinstance(hidden, tensor_nodes.KeepStatement)
    assert hidden.begins is not None
    assert hidden.ends is not None
    assert (hidden.name.name, hidden.begins.text, hidden.ends.text) == ("hidden", "a", "b.c")
    assert isinstance(between, tensor_nodes.KeepToStatement)
    assert (between.begins.text, between.ends.text) == ("a", "b.c")
    assert isinstance(step, nodes.StepCall)
    assert step.sources is not None
    assert step.place is not None
    assert [path.text for path in step.sources.paths] == ["x", "y"]
    assert step.place.name == "place"
    assert isinstance(again, nodes.RecomputeStatement)
    assert len(again.parts) == 1


def test_tensor_statements_are_kept_as_plain_data() -> None:
    source = Source("test", TENSORS)
    found, problems = parse(source)
    assert problems == ()
    assert declarations_of(plain(found), source) == found
