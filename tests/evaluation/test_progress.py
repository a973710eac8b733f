from __future__ import annotations

import io

import pytest

from albeit.evaluation import ProgressLine, scoring
from albeit.evaluation.scoring import describe_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("done", "seconds", "text"),
    [
        (0, 5.0, "0 of 3,000 segments (0 %)"),
        (1200, 4.0, "1,200 of 3,000 segments (40 %), 300 per second, 6 s left"),
        (10, 10.0, "10 of 3,000 segments (0 %), 1.0 per second, 49 min 50 s left"),
        (1, 10.0, "1 of 3,000 segments (0 %), 0.1 per second, 8 h 19 min left"),
    ],
)
def test_says_rate_and_time_left(done: int, seconds: float, text: str) -> None:
    assert describe_progress(done, 3000, seconds, "segments") == text


def test_a_terminal_has_one_line_that_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "INTERVAL", 0.0)
    out = Terminal()
    with ProgressLine(out=out) as line:
        line(0, 10)
        line(5, 10)
    assert "\r0 of 10 segments (0 %)" in out.getvalue()
    assert "\r5 of 10 segments (50 %)" in out.getvalue()
    assert "\n" not in out.getvalue()
    assert out.getvalue().endswith(" \r")


def test_a_log_has_only_long_work_and_quiet_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    with ProgressLine(out=out) as line:
        line(0, 10)
        line(10, 10)
    assert out.getvalue() == ""
    monkeypatch.setattr(scoring, "LOG_INTERVAL", 0.0)
    with ProgressLine(out=out) as line:
        line(5, 10)
    assert out.getvalue().endswith("\n")
    silent = io.StringIO()
    with ProgressLine(out=silent, quiet=True) as line:
        line(5, 10)
    assert silent.getvalue() == ""
