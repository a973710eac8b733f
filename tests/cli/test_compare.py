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
    assert same["exact.difference"] == 0
    assert most["exact.p"] < found["corrected"]["exact"]["most"] < 0.05
    assert most["exact.difference"] == {"value": pytest.approx(0.4), "marks": "*"}
    assert most["wrong.difference"] == {"value": pytest.approx(-0.4), "marks": "*"}
    assert found["units"] == {"exact": unit, "wrong": unit}
    assert (found["test"], found["resamples"], found["seed"]) == (test, 499, 12345)


@pytest.mark.usefixtures("many")
def test_text_says_how_it_was_tested(albeit: Run) -> None:
    done = albeit(*COMPARE, "--baseline", "most")
    assert done.status == 0
    assert "-0.4000†" in done.out
    assert (
        "p: paired approximate randomisation, 10,000 trials over segments, seed 12345,"
        " against most. * better, † worse: p < 0.05, corrected for 4 tests (Holm)" in done.out
    )


@pytest.mark.usefixtures("many")
def test_intervals_beside_p_values(albeit: Run) -> None:
    out = albeit(*COMPARE, "--confidence", "--resamples", "99", "-f", "tsv").out
    header = out.splitlines()[0].split("\t")
    assert header[1:5] == ["exact.score", "exact.score.low", "exact.score.high", "exact.difference"]


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


@pytest.mark.usefixtures("files")
def test_marks_say_better_or_worse(albeit: Run, files: Path) -> None:
    line = "one two three four five six seven eight\n"
    worse = "one two four three five nine seven eight\n"
    (files / "r.txt").write_text(line * 40)
    (files / "same.txt").write_text(line * 40)
    (files / "less.txt").write_text(worse * 40)
    given = ("compare", "r.txt", "-i", "less.txt", "same.txt", "-m", "chrf", "ter")
    up = albeit(*given, "-f", "tsv").out.splitlines()
    assert up[0].split("\t") == [
        "system",
        "chrf.score",
        "chrf.difference",
        "chrf.p",
        "ter.score",
        "ter.difference",
        "ter.p",
    ]
    better = json.loads(albeit(*given, "-f", "json").out)["rows"][1]
    assert better["chrf.difference"]["marks"] == better["ter.difference"]["marks"] == "*"
    assert better["ter.difference"]["value"] < 0
    down = json.loads(albeit(*given, "--baseline", "same", "-f", "json").out)["rows"][0]
    assert down["chrf.difference"]["marks"] == down["ter.difference"]["marks"] == "†"


@pytest.mark.usefixtures("files")
def test_all_pairs_and_power(albeit: Run, files: Path) -> None:
    line = "one two three four five six seven eight\n"
    (files / "r.txt").write_text(line * 40)
    (files / "best.txt").write_text(line * 40)
    (files / "mid.txt").write_text(("one two four\n" + line) * 20)
    (files / "mid2.txt").write_text((line + "one two four\n") * 20)
    given = (
        "compare",
        "r.txt",
        "-i",
        "mid.txt",
        "best.txt",
        "mid2.txt",
        "-m",
        "chrf",
        "-f",
        "json",
    )
    clusters, pairs = json.loads(albeit(*given, "--all-pairs").out)
    assert [(row["system"], row["chrf.cluster"]) for row in clusters["rows"]] == [
        ("best", 1),
        ("mid", 2),
        ("mid2", 2),
    ]
    assert [(row["system"], row["than"]) for row in pairs["rows"]] == [
        ("best", "mid"),
        ("best", "mid2"),
        ("mid", "mid2"),
    ]
    assert pairs["rows"][2]["chrf.p"] == 1
    found = json.loads(albeit(*given, "--power").out)["rows"]
    assert [row["chrf.more"] for row in found] == [None, 0, None]
    assert albeit(*given, "--all-pairs", "--power").status == 2


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "more",
    [
        ("compare", "--unit", "document"),
        ("compare", "--unit", "segment", "-m", "opening"),
        ("score", "--confidence", "--confidence-level", "2"),
        ("score", "--level", "segment", "-m", "opening", "--docs", "docs.txt"),
    ],
)
def test_what_cannot_be_resampled_is_reported_before_the_work(
    albeit: Run, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    def worked(*_: object, **__: object) -> None:
        raise AssertionError("scored before refusing")

    monkeypatch.setattr("albeit.evaluation.Evaluation.score", worked)
    command, *rest = more
    assert albeit(command, "ref.txt", "-i", "good.txt", "bad.txt", *rest).status == 2


def test_likely_faults_that_the_baseline_has_not(albeit: Run, files: Path) -> None:
    (files / "ref.txt").write_text("The queen spoke.\nThen she left the old house.\n")
    (files / "good.txt").write_text("The queen spoke.\nThen she left the old house.\n")
    (files / "bad.txt").write_text("The queen spoke.\nThen he left the old house.\n")
    command = ("compare", "ref.txt", "-i", "good.txt", "bad.txt", "-m", "chrf", "--profile")
    done = albeit(*command, "-f", "json", "--faults", "faults.jsonl")
    assert done.status == 0, done.err
    _, pronouns, terms = json.loads(done.out)
    (row,) = pronouns["rows"]
    assert (row["words"], row["suggestion"], row["line"]) == ("he", "she", 2)
    assert (row["text"], row["baseline_text"]) == (
        "Then he left the old house.",
        "Then she left the old house.",
    )
    assert terms["rows"] == []
    (fault,) = map(json.loads, (files / "faults.jsonl").read_text().splitlines())
    assert (fault["system"], fault["line"], fault["start"], fault["end"]) == ("bad", 2, 5, 7)
    back = json.loads(albeit(*command, "--baseline", "bad", "-f", "json").out)
    assert all(table["rows"] == [] for table in back[1:])


def test_likely_faults_are_asked_for_rightly(albeit: Run, files: Path) -> None:
    (files / "ref.txt").write_text("Das Haus.\n")
    command = ("compare", "ref.txt", "-i", "ref.txt", "ref.txt", "-m", "chrf")
    alone = albeit(*command, "--faults", "x.tsv")
    assert alone.status == 2
    assert "--faults goes with --profile" in alone.err
