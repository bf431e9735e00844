"""All forms of an answer say the same of a file with all constructs at once, and of its mix.

The explorer does in tests/explorer/test_every_model.py, which has a browser.
"""

from __future__ import annotations

import pytest

from tests.agreement.everything import everything
from tests.agreement.points import Point
from tests.agreement.readers import READERS, differences
from tests.agreement.test_agreement import over_a_range
from tests.agreement.test_energy import wrong
from tests.agreement.test_readers import unseen


@pytest.mark.parametrize("point", everything(), ids=lambda point: point.name)
def test_all_forms_say_the_same(point: Point) -> None:
    assert differences(point) == []
    if point.prediction.machine.name == "node":  # how firm a bound is takes long on 'fast'
        assert [*over_a_range(point)] == []
    assert [*wrong(point.prediction, point.result)] == []


@pytest.mark.parametrize("name", [name for name, reader in READERS.items() if reader.make])
def test_what_is_altered_in_a_form_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make = READERS[name].make
    assert make is not None
    forms = [(point, make(point)) for point in everything()[::4]]
    assert unseen(READERS[name], forms, monkeypatch) == set()
