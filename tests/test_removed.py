"""A removed name prints one line that says what to use instead."""

from __future__ import annotations

import pytest

from albeit import AlbeitError, metric, removed
from albeit.cli import COMMANDS, main
from albeit.metrics.registry import names


@pytest.mark.parametrize(
    "name", [*sorted(removed.METRICS), "act(alignment=meaning)", "chrf(order=3)", "ter(old=1)"]
)
def test_a_removed_metric_or_parameter_names_its_replacement(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(removed.PARAMETERS, "chrf(order)", "use char_order")
    monkeypatch.setitem(removed.PARAMETERS, "ter(old=1)", "use chrf")
    with pytest.raises(AlbeitError, match=r"was removed in version 0\.3: use .*\.$"):
        metric(name)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("old --anything", "'old' was removed in version 0.3: use score."),
        ("score ref.txt -i a.txt --old=3", "--old=3 was removed in version 0.3: use --new."),
        ("score ref.txt -i a.txt --own 3", "--own was removed in version 0.3: use --new."),
        ("compare ref.txt -i a.txt --own 3", "unrecognized arguments: --own 3"),
        ("act score r -i a --aligner meaning", "--aligner meaning was removed in version 0.3: use"),
    ],
)
def test_a_removed_command_or_option_names_its_replacement(
    command: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(removed.COMMANDS, "old", "use score")
    monkeypatch.setitem(removed.OPTIONS, "--old", "use --new")
    monkeypatch.setitem(removed.OPTIONS, "score --own", "use --new")
    assert main(command.split()) == 2
    assert message in capsys.readouterr().err


def test_what_is_removed_does_not_exist() -> None:
    assert not {*removed.METRICS} & {*names()}
    assert not {*removed.COMMANDS} & {*COMMANDS}
