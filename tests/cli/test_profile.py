"""``albeit profile`` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.conftest import ROOT
from tests.report.page.conftest import data_of

DEMO = ROOT / "examples" / "demo"
SYSTEMS = ["careful", "scattered", "blunt", "shuffled"]
COMMAND = (
    "profile",
    str(DEMO / "ref.A.txt"),
    "-i",
    *(str(DEMO / f"systems/{name}.txt") for name in SYSTEMS),
    "--docs",
    str(DEMO / "docids.txt"),
)
SCATTERED = (DEMO / "systems/scattered.txt").read_text(encoding="utf-8").splitlines()
SOURCE = ("--source", str(DEMO / "src.txt"), "--source-lang", "de")


def test_json(albeit: Run) -> None:
    done = albeit(*COMMAND, *SOURCE, "--worst", "2", "-f", "json")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert (found["systems"], found["baseline"]) == (SYSTEMS, "careful")
    rows = {row["name"]: row for row in found["rows"]}
    assert {
        "pronouns",
        "pronouns in context",
        "terms",
        "coreference",
        "lexical cohesion",
        "discourse trees",
    } <= set(rows)
    careful, scattered, *_ = rows["terms"]["systems"]
    assert careful["score"] > 0.9 > scattered["score"]
    assert scattered["interval"][0] <= scattered["score"] <= scattered["interval"][1]
    assert careful["p"] is None
    assert scattered["p"] == pytest.approx(0.125, abs=0.02)  # four documents cannot show more
    assert scattered["instances"] > 0
    worst = [one for one in rows["terms"]["worst"] if one["system"] == "scattered"]
    assert 0 < len(worst) <= 2
    sources = (DEMO / "src.txt").read_text(encoding="utf-8").splitlines()
    for one in worst:
        at = one["segment"] - 1
        assert (one["text"], one["source"]) == (SCATTERED[at], sources[at])
        assert one["context"] == SCATTERED[at - len(one["context"]) : at]
        assert one["likely"] or one["lost"] > 0


def test_likely_faults_come_first_with_evidence_and_are_written(files: Path, albeit: Run) -> None:
    lines = ["Kadyrov left in May.", "Then Kadyrov was seen.", "Kadyrov was freed in August."]
    (files / "ref.txt").write_text("\n".join(lines) + "\n")
    (files / "good.txt").write_text("\n".join(lines) + "\n")
    (files / "bad.txt").write_text("\n".join([*lines[:2], "Kaduro was freed in August."]) + "\n")
    (files / "d.txt").write_text("d\n" * 3)
    command = ("profile", "ref.txt", "-i", "good.txt", "bad.txt", "--docs", "d.txt")
    done = albeit(*command, "-f", "json", "--faults", "faults.tsv")
    assert done.status == 0, done.err
    rows = {row["name"]: row for row in json.loads(done.out)["rows"]}
    good, bad = (one["likely_faults"] for one in rows["terms"]["systems"])
    assert (good["count"], bad["count"]) == (0, 1)
    low, high = bad["interval"]
    assert low <= bad["per_thousand_words"] <= high
    first = rows["terms"]["worst"][0]
    assert first["likely"]
    assert (first["system"], first["segment"], first["suggestion"]) == ("bad", 3, "Kadyrov")
    assert first["marks"]["text"] == [[0, 6]]
    assert {"systems", "gain"} <= set(first["evidence"])
    written = (files / "faults.tsv").read_text(encoding="utf-8").splitlines()
    assert written[1].split("\t")[:6] == ["bad", "d", "3", "0", "6", "terms"]
    assert rows["coreference"]["differences_only"]
    text = albeit(*command).out
    assert "'Kaduro' here, 'Kadyrov' elsewhere in this text" in text
    assert "no likely fault" not in text.split("TERMS")[1].split("COREFERENCE")[0]


def test_where_likely_faults_cannot_be_written(albeit: Run) -> None:
    done = albeit(*COMMAND, "--faults", "faults.csv")
    assert done.status == 2
    assert "faults.csv: likely faults are written as .tsv or .jsonl" in done.err


def test_text_and_html(albeit: Run) -> None:
    text = albeit(*COMMAND, "--baseline", "scattered", "--worst", "1")
    assert text.status == 0, text.err
    assert "better, † worse than scattered" in text.out
    assert "not measured: connectives: act needs the source text" in text.out
    assert "TERMS  " in text.out
    page = albeit(*COMMAND, "--worst", "1", "-f", "html")
    data = data_of(page.out)
    assert data["systems"] == SYSTEMS
    terms = next(row for row in data["profile"] if row["name"] == "terms")
    worst, *_ = (one for one in terms["worst"] if one["system"] == "scattered")
    at = worst["segment"] - 1
    assert worst["text"] == SCATTERED[at]
    assert worst["context"] == SCATTERED[max(0, at - 2) : at]
    assert "act needs the source text" in data["left_out"]["connectives"]


def test_texts_are_never_markup(files: Path, albeit: Run) -> None:
    (files / "ref.txt").write_text("The <b>bank</b> closed.\nThe bank opened.\n")
    (files / "one.txt").write_text("The <b>bank</b> closed.\nThe <i>shop</i> opened.\n")
    (files / "d.txt").write_text("d\nd\n")
    page = albeit("profile", "ref.txt", "-i", "one.txt", "--docs", "d.txt", "-f", "html")
    assert page.status == 0, page.err
    assert "<b>bank" not in page.out
    texts = [one["text"] for row in data_of(page.out)["profile"] for one in row["worst"]]
    assert "The <i>shop</i> opened." in texts


def test_one_system_of_another_language(files: Path, albeit: Run) -> None:
    (files / "de.txt").write_text("Die Bank schließt.\nSie ist klein.\nDie Bank öffnet.\n")
    (files / "d.txt").write_text("d\nd\nd\n")
    done = albeit(
        "profile", "de.txt", "-i", "de.txt", "--lang", "de", "--docs", "d.txt", "-f", "json"
    )
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert [row["name"] for row in found["rows"]] == ["pronouns", "terms", "lexical cohesion"]
    assert all(row["systems"][0]["score"] == 1 for row in found["rows"])
    assert "interval" not in found["rows"][0]["systems"][0]  # one document cannot be resampled
    assert "coreference" in found["left_out"]


def test_mistakes(files: Path, albeit: Run) -> None:
    (files / "fi.txt").write_text("Se on.\n")
    nothing = albeit("profile", "fi.txt", "-i", "fi.txt", "--lang", "fi")
    assert nothing.status == 2
    assert "nothing of a profile can be measured" in nothing.err
    unknown = albeit(*COMMAND, "--baseline", "nobody")
    assert unknown.status == 2
    assert "nobody" in unknown.err


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_documents_given(files: Path, albeit: Run, form: str) -> None:
    (files / "ref.txt").write_text("It rains.\n\nThe road is wet.\n")
    done = albeit("profile", "ref.txt", "-i", "ref.txt", "-f", form)
    assert done.status == 0, done.err
    assert "nothing says where they begin" in done.out
    assert "discourse trees" in done.out


def test_scores_of_other_tools_stand_beside_the_places(files: Path, albeit: Run) -> None:
    (files / "ref.txt").write_text("The bank closed.\nThe bank opened.\nThe bank is small.\n")
    (files / "one.txt").write_text("The bank closed.\nThe shop opened.\nThe store is small.\n")
    (files / "d.txt").write_text("d\nd\nd\n")
    (files / "COMET.seg.score").write_text("one\t1.5\none\t2.5\none\t3.5\n")
    (files / "TER.sys.score").write_text("one\t1.5\n")
    command = ("profile", "ref.txt", "-i", "one.txt", "--docs", "d.txt", "--scores")
    done = albeit(*command, "COMET.seg.score", "-f", "json")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert found["others"] == ["COMET|read from a file"]
    worst = [one for row in found["rows"] for one in row["worst"]]
    assert worst
    assert all(one["other_scores"] == {"COMET": one["segment"] + 0.5} for one in worst)
    text = albeit(*command, "COMET.seg.score").out
    assert "COMET|read from a file" in text
    assert "d, segment 1, COMET 1.5000: " in text
    data = data_of(albeit(*command, "COMET.seg.score", "-f", "html").out)
    assert "COMET|read from a file" in data["profile_notes"]
    assert [one for row in data["profile"] for one in row["worst"]] == worst
    none = albeit(*command, "TER.sys.score")
    assert none.status == 2
    assert "TER has no segment scores" in none.err
