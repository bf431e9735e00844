"""Random programs that read, make, keep and hold tensors: inference, and training with repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import TypeAlias

from tests.rules.timeline import Group, Keep, Layer, Model, Step, steps_in

Part: TypeAlias = Step | Group
SIZES = (0, 1, 2, 3, 5, 8, 13, 100)


class Writer:
    """Writes programs; with `overlaps` some parts run at once."""

    def __init__(self, seed: str, overlaps: bool = False) -> None:
        self.random = Random(seed)
        self.overlaps = overlaps
        self.names = 0

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def size(self) -> int:
        return self.random.choice(SIZES)

    def name(self, sort: str) -> str:
        self.names += 1
        return f"{sort}{self.names}"

    def ins(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.size()),) if self.chance(70) else ()

    # What only runs forward

    def inference(self) -> Model:
        return self.whole("main", self.parts(3, []))

    def whole(self, name: str, parts: Sequence[Step | Group]) -> Model:
        ins = self.ins()
        steps = [*steps_in(parts)]
        keeps: list[Keep] = []
        own = [part for part in parts if isinstance(part, Step)]
        if len(own) > 1 and self.chance(40):
            first, last = sorted(self.random.sample(range(len(own)), 2))
            stated = self.size() if self.chance(40) else None
            keeps.append(Keep((own[first].name,), (own[last].name,), stated))
        assert steps
        return Model(name, tuple(parts), ins, tuple(keeps))

    def parts(self, depth: int, known: list[str]) -> list[Step | Group]:
        found: list[Step | Group] = []
        known = list(known)
        for _ in range(self.random.randint(1, 4)):
            part = self.part(depth, known)
            found.append(part)
            known += [step.name for step in steps_in((part,))]
        return found

    def part(self, depth: int, known: list[str]) -> Step | Group:
        if depth and self.chance(35):
            sorts = ["repeat", "repeat", "repeat", "if", "if", "iterate", "wait"]
            sort = self.random.choice(sorts + ["overlap"] * 3 * self.overlaps)
            parts = self.parts(depth - 1, known)
            if sort == "overlap":
                parts = [self.part(depth - 1, known) for _ in range(self.random.randint(1, 3))]
            if sort == "if":
                return Group(sort, tuple(parts), self.random.choice((0, 1)))
            return Group(sort, tuple(parts), max(self.count(), int(sort == "iterate")))
        sources: tuple[str, ...] = ()
        if known and self.chance(35):
            sources = tuple(self.random.choice(known) for _ in range(self.random.choice((1, 2))))
        model: Layer | Model = self.layer()
        if depth and self.chance(30):
            model = self.whole(self.name("m"), self.parts(depth - 1, []))
        in_place = isinstance(model, Layer) and bool(model.ins and model.outs and not sources)
        in_place = in_place and self.chance(25)
        return Step(self.name("s"), model, sources, in_place)

    def count(self) -> int:
        return self.random.choice((0, 1, 1, 2, 2, 3, 4))

    def layer(self, reads: int | None = None, makes: bool = False) -> Layer:
        if reads is None:
            reads = self.random.choice((0, 1, 1, 1, 1, 2))
        ins = (("x", self.size()), ("other", self.size()))[:reads]
        outs: tuple[tuple[str, int], ...] = ()
        views: tuple[tuple[str, str], ...] = ()
        if ins and self.chance(15):
            views = (("y", self.random.choice(ins)[0]),)
        elif makes or self.chance(85):
            outs = (("y", self.size()),)
        tensors = [name for name, _ in (*ins, *outs, *views)]
        keeps = tuple(each for each in tensors if self.chance(40))
        own = (("index", self.size()),) if self.chance(20) else ()
        weights = self.size() if self.chance(40) else 0
        gradients = self.size() if self.chance(20) else 0
        return Layer(self.name("l"), ins, outs, views, keeps, own, weights, gradients)

    # Training

    def training(self) -> Model:
        """Return a network, its loss, the steps that go back over it, and an update."""
        steps, keeps = self.network()
        if self.chance(40):
            count = self.random.choice((1, 2, 3))
            inner = Model("training", tuple(steps), (("x", self.size()),), tuple(keeps))
            sort = self.random.choice(("iterate", "repeat"))
            return Model("main", (Group(sort, (Step("train", inner),), count),))
        return Model("main", tuple(steps), (("x", self.size()),), tuple(keeps))

    def pipeline(self) -> Model:
        """Return runs of a network of which several are kept at once, and what is around them."""
        steps, keeps = self.network()
        count = self.random.choice((1, 2, 2, 3, 4))
        keeping = self.random.randint(1, count)
        ins = (("x", self.size()),) if self.chance(70) else ()
        before = [Step("embed", self.layer(makes=True))] if self.chance(40) else []
        if self.chance(40):
            inner = Model("training", tuple(steps), ins, tuple(keeps))
            steps, keeps = [Step("train", inner)], []
            if self.chance(50):
                steps.insert(0, Step("first", self.layer(1, makes=True)))
        first = steps[0]
        if before and self.chance(50) and isinstance(first, Step):
            steps[0] = Step(first.name, first.model, ("embed",))
        parts: list[Step | Group] = [Group("iterate", tuple(steps), count, keeping)]
        if not keeps and self.chance(50):
            parts = [Group("repeat", tuple(parts), self.random.choice((0, 1, 2, 3)))]
        after = [Step("after", self.layer())] if self.chance(40) else []
        return Model("main", (*before, *parts, *after), ins, tuple(keeps))

    def kept_at_once(self, part: Part) -> Part:
        """Return a part in which several rounds of each `iterate` are kept at once."""
        if isinstance(part, Step):
            model = part.model
            return part if isinstance(model, Layer) else replace(part, model=self.at_once(model))
        keeping = self.random.randint(1, part.count) if part.sort == "iterate" else 1
        return replace(part, parts=tuple(map(self.kept_at_once, part.parts)), keeping=keeping)

    def at_once(self, model: Model) -> Model:
        return replace(model, parts=tuple(map(self.kept_at_once, model.parts)))

    def network(self) -> tuple[list[Step | Group], list[Keep]]:
        forward, backward = self.there_and_back(2, "forward")
        loss = self.layer(1, makes=True)
        steps: list[Step | Group] = [
            Step("forward", forward),
            Step("loss", loss),
            Step("loss_back", self.layer(self.random.choice((0, 1)), makes=True)),
            Step("backward", backward),
        ]
        keeps = [Keep(("forward",), ("backward",))]
        if self.chance(50):
            keeps.append(Keep(("loss",), ("loss_back",)))
        if self.chance(50):
            steps.append(Step("update", Layer("update", weights=self.size())))
        return steps, keeps

    def there_and_back(self, depth: int, name: str) -> tuple[Model, Model]:
        there, back = self.pairs(depth)
        x, dy = (("x", self.size()),), (("dy", self.size()),)
        name = self.name(name)
        return Model(name, tuple(there), x), Model(f"{name}_back", tuple(back), dy)

    def pairs(self, depth: int) -> tuple[list[Step | Group], list[Step | Group]]:
        """Return parts, and those of the same names that go back over them."""
        there: list[Step | Group] = []
        back: list[Step | Group] = []
        for _ in range(self.random.randint(1, 3)):
            steps = [*steps_in(there)]
            if depth and self.chance(35):
                count = self.random.choice((1, 2, 3))
                inside, undone = self.pairs(depth - 1)
                there.append(Group("repeat", tuple(inside), count))
                back.insert(0, Group("repeat", tuple(undone), count))
                continue
            name = self.name("s")
            if depth and self.chance(50):
                model, undo = self.there_and_back(depth - 1, "block")
                if self.chance(30):
                    undo = self.again(model, undo)
                there.append(Step(name, model))
                back.insert(0, Step(name, undo))
                continue
            sources: tuple[str, ...] = ()
            if steps and self.chance(25):
                sources = (steps[-1].name, self.random.choice(steps).name)
            layer = self.layer(2 if sources else 1, makes=True)
            there.append(Step(name, layer, sources, bool(layer.outs) and self.chance(20)))
            if self.chance(90):
                undo_layer = self.layer(1, makes=True)
                undo_layer = Layer(
                    f"{undo_layer.name}_back",
                    undo_layer.ins,
                    undo_layer.outs,
                    undo_layer.views,
                    gradients=undo_layer.gradients,
                )
                back.insert(0, Step(name, undo_layer))
        if not back:
            back.append(Step(self.name("s"), Layer(self.name("l"), (("dy", 2),), (("dx", 3),))))
        if len(back) > 1 and self.chance(15) and all(isinstance(each, Step) for each in back):
            back = back[::-1]
        return there, back

    def again(self, model: Model, undo: Model) -> Model:
        """Return what goes back over a block after computing it again."""
        name = self.name("again")
        return Model(
            name,
            (Group("recompute", (Step("again", model),)), Step("undo", undo, ("dy",))),
            undo.ins,
            (Keep(("again",), ("undo",)),),
        )
