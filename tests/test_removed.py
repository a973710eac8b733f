"""A removed name prints one line that says what to use instead."""

from __future__ import annotations

import pytest

from albeit import AlbeitError, metric, removed
from albeit.cli import COMMANDS
from albeit.metrics.registry import names


@pytest.mark.parametrize(
    "name", [*sorted(removed.METRICS), "act(alignment=meaning)", "chrf(order=3)", "ter(old=1)"]
)
def test_a_removed_metric_names_its_replacement(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(removed.PARAMETERS, "chrf(order)", "use char_order")
    monkeypatch.setitem(removed.PARAMETERS, "ter(old=1)", "use chrf")
    with pytest.raises(AlbeitError, match=r"was removed in version 0\.3: use .*\.$"):
        metric(name)


def test_what_is_removed_does_not_exist() -> None:
    assert not {*removed.METRICS} & {*names()}
    assert not {*removed.COMMANDS} & {*COMMANDS}
