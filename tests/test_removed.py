"""A removed name prints one line that says what to use instead."""

from __future__ import annotations

import pytest

import albeit
from albeit import removed
from albeit.cli import COMMANDS, main
from albeit.cli.parser import UsageError, check_value
from albeit.metrics.registry import names


def test_a_removed_metric_names_its_replacement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(removed.METRICS, "old-metric", "use chrf")
    with pytest.raises(albeit.AlbeitError, match=r"'old-metric' was removed .* use chrf\.$"):
        albeit.metric("old-metric")


@pytest.mark.parametrize("name", sorted(removed.METRICS))
def test_every_removed_metric_says_what_to_use(name: str) -> None:
    with pytest.raises(albeit.AlbeitError, match=r"was removed in version 0\.3: use .*\.$"):
        albeit.metric(name)


@pytest.mark.parametrize("key", ["chrf(order)", "chrf(order=3)"])
def test_a_removed_parameter_names_its_replacement(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(removed.PARAMETERS, key, "use char_order")
    with pytest.raises(albeit.AlbeitError, match=r"was removed .* use char_order\.$"):
        albeit.metric("chrf(order=3)")


def test_a_removed_command_names_its_replacement(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(removed.COMMANDS, "old", "use score")
    assert main(["old", "--anything"]) == 2
    assert capsys.readouterr().err.endswith("was removed in version 0.3: use score.\n")


def test_a_removed_option_names_its_replacement(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(removed.OPTIONS, "--old", "use --new")
    monkeypatch.setitem(removed.OPTIONS, "score --own", "use --new")
    assert main(["score", "ref.txt", "-i", "a.txt", "--old=3"]) == 2
    assert "--old=3 was removed in version 0.3: use --new." in capsys.readouterr().err
    assert main(["score", "ref.txt", "-i", "a.txt", "--own", "3"]) == 2
    assert "--own was removed in version 0.3: use --new." in capsys.readouterr().err
    assert main(["compare", "ref.txt", "-i", "a.txt", "--own", "3"]) == 2
    assert "removed" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["judge-facts", "judge-src", "act(alignment=meaning)"])
def test_learned_metrics_over_the_removed_encoder(name: str) -> None:
    with pytest.raises(albeit.AlbeitError, match=r"was removed in version 0\.3: use .*\.$"):
        albeit.metric(name)


def test_a_removed_value_of_an_option_names_its_replacement() -> None:
    with pytest.raises(UsageError, match=r"--aligner meaning was removed .* use --aligner yes"):
        check_value("--aligner", "meaning")
    check_value("--aligner", "yes")


def test_what_is_removed_does_not_exist() -> None:
    assert not {*removed.METRICS} & {*names()}
    assert not {*removed.COMMANDS} & {*COMMANDS}
