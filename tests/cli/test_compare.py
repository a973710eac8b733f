from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def many(files: Path) -> Path:
    """Enough segments for a difference to show."""
    reference = [f"line {i}" for i in range(60)]
    half = [line if i % 2 else "no" for i, line in enumerate(reference)]
    most = [line if i % 10 else "no" for i, line in enumerate(reference)]
    texts = {"ref": reference, "half": half, "same": half, "most": most}
    for name, lines in texts.items():
        (files / f"{name}.txt").write_text("\n".join(lines) + "\n")
    (files / "ids.txt").write_text("".join(f"d{i // 6}\n" for i in range(60)))
    return files


COMPARE = ("compare", "ref.txt", "-i", "half.txt", "same.txt", "most.txt", "-m", "exact", "wrong")


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
@pytest.mark.parametrize("unit", ["segment", "document"])
def test_marks_what_differs(albeit: Run, test: str, unit: str) -> None:
    run = (*COMPARE, "--test", test, "--unit", unit, "--docs", "ids.txt", "--resamples", "499")
    found = json.loads(albeit(*run, "-f", "json").out)
    base, same, most = found["rows"]
    assert base["exact.p"] is None
    assert same["exact.p"] == 1.0
    assert "marks" not in same["exact.score"]
    assert most["exact.p"] < 0.05
    assert most["exact.score"]["marks"] == "*"
    assert most["exact.score"]["difference"] == pytest.approx(0.4)
    assert most["wrong.score"]["difference"] == pytest.approx(-0.4)
    assert found["units"] == {"exact": unit, "wrong": unit}
    assert (found["test"], found["resamples"], found["seed"]) == (test, 499, 12345)


@pytest.mark.usefixtures("many")
def test_text_says_how_it_was_tested(albeit: Run) -> None:
    done = albeit(*COMPARE, "--baseline", "most")
    assert done.status == 0
    assert "0.5000*" in done.out
    assert (
        "p: paired approximate randomisation, 10,000 trials over segments, seed 12345,"
        " against most. * p < 0.05" in done.out
    )


@pytest.mark.usefixtures("many")
def test_intervals_beside_p_values(albeit: Run) -> None:
    out = albeit(*COMPARE, "--confidence", "--resamples", "99", "-f", "tsv").out
    header = out.splitlines()[0].split("\t")
    assert header[1:5] == ["exact.score", "exact.score.low", "exact.score.high",
                           "exact.score.difference"]  # fmt: skip


@pytest.mark.usefixtures("many")
def test_seeds_repeat(albeit: Run) -> None:
    run = (*COMPARE, "--resamples", "50", "-f", "tsv", "--seed")
    assert albeit(*run, "1").out == albeit(*run, "1").out


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "ref.txt", "-i", "half.txt", "-m", "exact"), "needs at least two systems"),
        ((*COMPARE, "--baseline", "none"), "no system 'none'"),
        ((*COMPARE, "--unit", "document"), "one document alone cannot be resampled"),
        ((*COMPARE, "--resamples", "0"), "must be at least 1, not 0"),
    ],
)
def test_mistakes(albeit: Run, arguments: tuple[str, ...], message: str) -> None:
    done = albeit(*arguments)
    assert done.status == 2
    assert message in done.err
