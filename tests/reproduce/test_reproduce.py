"""``albeit reproduce``: tables of toy sets in the papers' form, and what is refused."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from albeit.errors import InputError, MissingExtraError
from albeit.reproduce import PAPERS, Work, gong2015, guzman2014, hajlaoui2013
from albeit.reproduce.papers import load
from albeit.reproduce.sets import published
from tests.cli.conftest import DEMO, Run

HEAD = "judgeId,srcIndex," + ",".join(f"system{k}Id,system{k}rank" for k in range(1, 5))
RANKS = {"careful": 1, "blunt": 2, "shuffled": 3, "scattered": 3}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The demo as two test sets of WMT with rankings."""
    for place in ("wmt12/cs-en", "wmt13/cs-en"):
        folder = tmp_path / place
        (folder / "systems").mkdir(parents=True)
        for name in ("src.txt", "docids.txt", *(f"systems/{system}.txt" for system in RANKS)):
            (folder / name).write_bytes((DEMO / name).read_bytes())
        (folder / "ref.txt").write_bytes((DEMO / "ref.A.txt").read_bytes())
        ranks = ",".join(f"{system},{rank}" for system, rank in RANKS.items())
        rows = [f"j,{line},{ranks}" for line in range(1, 25)]
        (folder / "judgments.csv").write_text("\n".join([HEAD, *rows]) + "\n")
    return tmp_path


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of metrics that need no model; chrF and ROUGE-W play DR and DR-LEX."""
    groups = {"I: discourse": ("chrf", "rouge-w"), "II: WMT12": ("meteor",)}
    monkeypatch.setattr(guzman2014, "DISCOURSE", ("chrf", "rouge-w"))
    monkeypatch.setattr(guzman2014, "GROUPS", groups | {"III: other metrics": ("ter", "bleu")})

    def absent(path: object = None) -> Path:
        raise MissingExtraError("not installed.")

    monkeypatch.setattr(guzman2014, "find_paraphrases", absent)


@pytest.mark.usefixtures("light")
def test_tables_of_the_first_paper(data: Path, albeit: Run) -> None:
    run = albeit(f"reproduce guzman2014 --table 2 3 ter --pairs cs-en --data {data} -f json -q")
    systems, segments, variants = run.data
    rows = {row["metric"]: row for row in segments["rows"]}
    tau = f"metaeval {data}/wmt12/cs-en -m ter bleu --statistic tau-wmt12 -f json -q"
    expected = {row["metric"]: row["value"] for row in albeit(tau).data["rows"]}
    assert {name: rows[name.upper()]["ours.original"] for name in expected} == expected
    names = ("METEOR", "TER", "BLEU")
    mean = np.mean([rows[name]["ours.+DR-LEX"] for name in names])
    assert rows["average of the rows that both have"]["ours.+DR-LEX"] == pytest.approx(mean)
    mean = np.mean([rows[name]["paper.original"] for name in names if name != "TER"])
    assert rows["average without TER"]["paper.original"] == pytest.approx(mean)
    groups = {row["metric"]: row["group"] for row in systems["rows"]}
    assert groups["TER"] == groups["BLEU"] == "II: WMT12"
    assert any("pip install --no-deps pycocoevalcap" in note for note in systems["notes"])
    shown = {row["Variant"]: row for row in variants["rows"]}
    assert shown["the paper's TER"]["Table 3, τ.original"] == 0.217
    own = shown["ter"]
    (task,) = guzman2014._load(Work(data, quiet=True), [("wmt12", "cs-en")], ["ter"])
    pairs, scores = task.decided, task.table["ter"].segment
    assert scores is not None
    gap = scores[pairs.right, pairs.segment] - scores[pairs.left, pairs.segment]
    half = np.mean(np.sign(gap) * pairs.preference)
    assert own["τ, ties as half errors.original"] == pytest.approx(half)
    assert own["original.ties"] == pytest.approx(np.mean(gap == 0))


@pytest.mark.usefixtures("light")
def test_documents_that_served_choices_are_left_out(data: Path) -> None:
    work = Work(data, quiet=True)
    whole = work.judged("wmt13/cs-en")
    task = guzman2014._held_out(work, "wmt13", "cs-en", ["ter"])
    kept = [document.id for document in task.table.documents]
    assert kept == [document.id for k, document in enumerate(whole.evalset.documents) if k % 6]
    assert len(kept) < len(whole.evalset.documents)


def test_one_set_alone_tunes_cohesion_on_its_other_half() -> None:
    rng = np.random.default_rng(1)
    human = rng.random((5, 20))
    metrics = {"bleu": rng.random((5, 20)), "cohesion": human}
    one = gong2015.DocumentSet("is-en", human, metrics)
    mixed = gong2015._hybrid([one], one, "bleu", "cohesion")
    assert one.agreement(mixed)[0] > 0.99 > one.agreement(metrics["bleu"])[0]
    low, high = gong2015._resampled(one, mixed, metrics["bleu"])
    assert 0 < low < one.agreement(mixed)[0] - one.agreement(metrics["bleu"])[0] < high


@pytest.mark.shared
def test_act_is_close_to_the_published_values(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hajlaoui2013, "CLASSIC", hajlaoui2013.POSITION)
    (table,) = hajlaoui2013.make(Work(shared_data, ["en-de"], quiet=True), ["1"])
    rows = {str(row.cells[0].value): [cell.value for cell in row.cells[1:]] for row in table.rows}
    assert rows["average"][0] == pytest.approx(0.697, abs=5e-4)
    assert rows["Pearson's r"][1] > 0.95  # type: ignore[operator]
    assert rows["mean absolute difference"][1] <= 0.018  # type: ignore[operator]
    a, a56, most = rows["cu-zeman.2724"][2:]
    assert a < most < 1  # type: ignore[operator]
    assert a < a56  # type: ignore[operator]


def test_published_values_are_complete(albeit: Run) -> None:
    text: dict[str, Any] = published("guzman2014")
    assert {tuple(map(len, row)) for row in text["rows"].values()} == {(3, 3, 4, 4), (3, 3, 4, 0)}
    listed = albeit("reproduce --list").text
    assert all(paper in listed for paper in PAPERS)
    assert all(
        set(published(paper)["captions"]) >= {*load(paper).TABLES} - {"5"} for paper in PAPERS
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("guzman2014", "name a paper and its data"),
        ("guzman2014 --data nowhere", "--data: there is no folder 'nowhere'"),
        ("guzman2014 --data .", "has no wmt12/cs-en, wmt12/de-en"),
        ("all --data . --table 3", "--table and --pairs choose from one paper"),
        ("hajlaoui2013 --data . --table 1", "Get the set from statmt.org/wmt13/results.html"),
        ("gong2015 --data . --pairs xx-en", "no language pair in gong2015 xx-en; there are ru-en"),
        ("guzman2014 --data . --table 7", "no table in guzman2014 7; there are 2, 3, 4, 5, ter"),
    ],
)
def test_refused(
    albeit: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    error = albeit(f"reproduce {words}").refused
    assert message in error
    assert error.count("\n") == 1


def test_sets_of_archives(tmp_path: Path) -> None:
    own = tmp_path / "own" / "judgments" / "some-mqm" / "en-de"
    own.mkdir(parents=True)
    (own / "src.txt").write_text("One.\n")
    with tarfile.open(tmp_path / "judgments.tar.xz", "w:xz") as archive:
        archive.add(tmp_path / "own" / "judgments", "judgments")
    work = Work(tmp_path)
    assert (work.folder("judgments/some-mqm/en-de") / "src.txt").read_text() == "One.\n"
    (tmp_path / "discourse.tar.xz").write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"discourse\.tar\.xz: is not a whole archive"):
        work.require(["discourse/other/en-de"])
