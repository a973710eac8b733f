"""``albeit profile`` from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from albeit import Evaluation, read
from albeit.diagnose.profile import KINDS, gather
from tests.cli.conftest import DEMO, Run, write_files
from tests.report.page.conftest import data_of

SYSTEMS = ["careful", "scattered", "blunt", "shuffled"]
FILES = " ".join(str(DEMO / "systems" / f"{name}.txt") for name in SYSTEMS)
COMMAND = f"profile {DEMO / 'ref.A.txt'} -i {FILES} --docs {DEMO / 'docids.txt'}"
SCATTERED = (DEMO / "systems/scattered.txt").read_text(encoding="utf-8").splitlines()
SOURCE = f"--source {DEMO / 'src.txt'} --source-lang de"


def test_json(albeit: Run) -> None:
    found = albeit(COMMAND, SOURCE, "--worst 2 -f json").data
    assert (found["systems"], found["baseline"]) == (SYSTEMS, "careful")
    rows = {row["name"]: row for row in found["rows"]}
    measured = {"pronouns", "pronouns in context", "terms", "coreference"}
    assert measured | {"lexical cohesion", "discourse trees"} <= set(rows)
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


def test_text_and_html(albeit: Run) -> None:
    text = albeit(COMMAND, "--baseline scattered --worst 1 --all").text
    assert "better, † worse than scattered" in text
    assert "not measured: connectives: act needs the source text" in text
    assert "TERMS  " in text
    assert "LEXICAL COHESION  " in text
    short = albeit(COMMAND, "--worst 1").text
    assert "LEXICAL COHESION  " not in short
    assert "differences, of which" not in short
    data = data_of(albeit(COMMAND, "--worst 1 -f html").text)
    assert data["systems"] == SYSTEMS
    assert all(row["worst"] for row in data["profile"] if row["name"] == "terms")


@pytest.mark.usefixtures("files")
def test_flagged_errors_come_first_with_evidence_and_are_written(albeit: Run) -> None:
    right = "Kadyrov left in May.\nThen Kadyrov was seen.\nKadyrov was freed in August.\n"
    wrong = right.replace("Kadyrov was freed", "Kaduro was freed")
    write_files({"ref.txt": right, "good.txt": right, "bad.txt": wrong, "d.txt": "d\n" * 3})
    command = "profile ref.txt -i good.txt bad.txt --docs d.txt"
    found = albeit(f"{command} -f json --errors faults.tsv").data
    rows = {row["name"]: row for row in found["rows"]}
    good, bad = (one["likely_faults"] for one in rows["terms"]["systems"])
    assert (good["count"], bad["count"]) == (0, 1)
    low, high = bad["interval"]
    assert low <= bad["per_thousand_words"] <= high
    first = rows["terms"]["worst"][0]
    assert first["likely"]
    assert (first["system"], first["segment"], first["suggestion"]) == ("bad", 3, "Kadyrov")
    assert first["marks"]["text"] == [[0, 6]]
    assert {"systems", "gain"} <= set(first["evidence"])
    written = Path("faults.tsv").read_text(encoding="utf-8").splitlines()
    assert written[1].split("\t")[:6] == ["bad", "d", "3", "0", "6", "terms"]
    assert rows["coreference"]["differences_only"]
    text = albeit(command, "--errors faults.jsonl").text
    (flagged,) = map(json.loads, Path("faults.jsonl").read_text(encoding="utf-8").splitlines())
    assert (flagged["system"], flagged["line"], flagged["end"]) == ("bad", 3, 6)
    assert "'Kaduro' here, 'Kadyrov' elsewhere in this text" in text
    assert "COREFERENCE" not in text


def test_explanations_have_progress_and_are_made_only_if_asked_for() -> None:
    evaluation = Evaluation(read(DEMO))
    kinds = [kind for kind in KINDS if kind.name in ("terms", "lexical cohesion")]
    table = evaluation.score([kind.metric for kind in kinds])
    seen: list[tuple[int, int]] = []
    told: dict[str, Any] = {"explaining": lambda *step: seen.append(step)}
    short = gather(evaluation, table, kinds, {}, seed=1, differences=False, **told)
    assert not seen
    assert all(one.likely for row in short.rows for one in row.instances)
    full = gather(evaluation, table, kinds, {}, seed=1, worst=2, **told)
    assert any(not one.likely for row in full.rows for one in row.instances)
    assert seen == sorted(seen)
    assert 0 < seen[-1][0] <= seen[-1][1] == len(kinds) * 2 * len(SYSTEMS)
