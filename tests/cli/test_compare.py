"""``albeit compare``, ``albeit report``, and ``albeit profile`` give the same numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit.cli import command_parser
from albeit.stats import DEFAULT_SEED
from tests.cli.conftest import DEMO, Run, read_report

SYSTEMS = [DEMO / "systems" / f"{name}.txt" for name in ("blunt", "careful")]
GIVEN = f"ref.A.txt --docs docids.txt -i {SYSTEMS[0]} {SYSTEMS[1]}"


@pytest.mark.parametrize("metrics", ["chrf bleu", "chrf"])
def test_report_says_what_compare_says(
    albeit: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, metrics: str
) -> None:
    monkeypatch.chdir(DEMO)
    blunt, careful = (path.read_text().splitlines() for path in SYSTEMS)
    pairs = enumerate(zip(blunt, careful, strict=True))
    mixed = tmp_path / "mixed.txt"
    mixed.write_text("".join(f"{one if i % 2 else other}\n" for i, (one, other) in pairs))
    given, out = f"{GIVEN} {mixed} -m {metrics}", str(tmp_path / "r.html")
    assert albeit(f"report {given} --explain none --profile none -o {out}").status == 0
    shown = read_report(out)
    clusters, pairwise = albeit(f"compare {given} --all-pairs -f json").data
    alone = albeit(f"compare {given} -f json").data["rows"]
    assert len(shown["tests"]) == len(metrics.split())
    for test in shown["tests"]:
        name, at = test["metric"], shown["systems"].index
        assert "paired approximate randomization, 10,000 trials over segments" in test["note"]
        assert "corrected for the number of pairs (3; Holm)" in test["note"]
        for row in clusters["rows"]:
            assert test["clusters"][at(row["system"])] == row[f"{name}.cluster"]
        for row in pairwise["rows"]:
            i, j = at(row["system"]), at(row["than"])
            assert test["p"][i][j] == test["p"][j][i] == pytest.approx(row[f"{name}.p"], abs=1e-6)
        for row in alone[1:]:
            assert test["p"][0][at(row["system"])] == pytest.approx(row[f"{name}.p"], abs=1e-6)


def test_profile_says_what_compare_says(albeit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DEMO)
    rows = albeit(f"profile {GIVEN} --worst 0 -f json").data["rows"]
    metrics = " ".join(f"'{row['metric']}'" for row in rows)
    found = albeit(f"compare {GIVEN} -m {metrics} -f json --decimals 3").data
    second = found["rows"][1]
    names = [key.removesuffix(".p") for key in second if key.endswith(".p")]
    for row, name in zip(rows, names, strict=True):
        if "p" in row["systems"][1]:
            assert row["systems"][1]["p"] == second[f"{name}.p"]
            corrected = found["corrected"][name][second["system"]]
            assert row["systems"][1]["corrected"] == corrected
        assert "corrected for" in row["test"]


def test_commands_start_from_the_seed_that_python_does() -> None:
    for name in ("compare", "report", "profile", "metaeval", "score"):
        assert command_parser(name).get_default("seed") == DEFAULT_SEED, name
