"""``albeit explain`` with the shipped model: trees in every format, and mistakes told."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.cli.conftest import Run

REFERENCE = "Analysts suggest the bank should lend, because markets would welcome it."
GOOD = "Analysts suggest that the bank should lend, because markets would like it."
BAD = "The bank analysts lend."


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three files of two lines; nothing is kept in the user's cache."""
    for name, line in {"ref": REFERENCE, "good": GOOD, "bad": BAD}.items():
        (tmp_path / f"{name}.txt").write_text(f"It rained.\n{line}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALBEIT_CACHE", "off")
    return tmp_path


def losses(text: str) -> list[float]:
    """What the text says was lost, node by node."""
    return [float(n) for n in re.findall(r"^ +(-?\d\.\d{4})  ", text, re.MULTILINE)]


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize("metric", ["dr", "dr-lex"])
def test_trees_side_by_side_and_where_the_score_was_lost(albeit: Run, metric: str) -> None:
    done = albeit("explain", "ref.txt", "-i", "good.txt", "bad.txt", "-n", "2", "-m", metric)
    assert done.status == 0
    good, bad = done.out.split("== bad")
    assert good.startswith("== good, segment 2")
    scores = [float(n) for n in re.findall(rf"^{metric} = (\S+)", done.out, re.MULTILINE)]
    assert scores[0] > scores[1]
    for part, score in zip((good, bad), scores, strict=True):
        assert sum(losses(part)) == pytest.approx(1 - score, abs=5e-3)
    assert "The bank analysts lend ." in bad


@pytest.mark.usefixtures("texts")
def test_the_same_text_loses_nothing(albeit: Run) -> None:
    done = albeit("explain", "ref.txt", "-i", "ref.txt", "-n", "2")
    assert "dr = 1.0000" in done.out
    assert "≠" not in done.out


@pytest.mark.usefixtures("texts")
def test_pictures(albeit: Run) -> None:
    command = ("explain", "ref.txt", "-i", "good.txt", "-n", "2", "-f")
    picture = albeit(*command, "svg").out
    assert ET.fromstring(picture).tag.endswith("svg")
    assert "markets" in picture
    page = albeit(*command, "html").out
    assert page.lower().startswith("<!doctype html>")
    assert "<svg" in page


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-n", "3"), "there is no segment 3"),
        (("-n", "2", "-m", "bleu"), "compares no discourse trees"),
        (("-n", "2", "-m", "discotk-light"), "several tree forms"),
        (("-n", "2", "--lang", "de"), "de"),
    ],
)
def test_mistakes_are_told(albeit: Run, arguments: tuple[str, ...], message: str) -> None:
    done = albeit("explain", "ref.txt", "-i", "good.txt", *arguments)
    assert done.status != 0
    assert done.out == ""
    assert message in done.err
