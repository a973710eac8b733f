"""``albeit compare``, and conditions that end a command with status 3."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from albeit.cli import command_parser
from albeit.stats import DEFAULT_SEED
from tests.cli.conftest import DEMO, Run, read_report, write_files

COMPARE = "compare ref.txt -i half.txt same.txt most.txt -m exact wrong"


@pytest.fixture
def many(files: Path) -> None:
    """Enough segments for a difference to show."""
    reference = [f"line {i}" for i in range(60)]
    half = [line if i % 2 else "no" for i, line in enumerate(reference)]
    most = [line if i % 10 else "no" for i, line in enumerate(reference)]
    texts = {"ref": reference, "half": half, "same": half, "most": most}
    texts["ids"] = [f"d{i // 6}" for i in range(60)]
    write_files({f"{name}.txt": "\n".join(lines) + "\n" for name, lines in texts.items()})


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
@pytest.mark.parametrize("unit", ["segment", "document"])
def test_marks_what_differs(albeit: Run, test: str, unit: str) -> None:
    options = f"--test {test} --unit {unit} --docs ids.txt --resamples 499"
    found = albeit(COMPARE, options, "-f json").data
    base, same, most = found["rows"]
    assert base["exact.p"] is None
    assert same["exact.p"] == 1.0
    assert same["exact.difference"] == 0
    assert most["exact.p"] < found["corrected"]["exact"]["most"] < 0.05
    assert most["exact.difference"] == {"value": pytest.approx(0.4), "marks": "*"}
    assert most["wrong.difference"] == {"value": pytest.approx(-0.4), "marks": "*"}
    assert found["units"] == {"exact": unit, "wrong": unit}
    assert (found["test"], found["resamples"], found["seed"]) == (test, 499, 12345)


@pytest.mark.usefixtures("files")
def test_flagged_errors_that_the_baseline_does_not_have(albeit: Run) -> None:
    right = "The queen spoke.\nThen she left the old house.\n"
    write_files({"ref.txt": right, "good.txt": right, "bad.txt": right.replace("she", "he")})
    command = "compare ref.txt -i good.txt bad.txt -m chrf --profile -f json"
    _, pronouns, terms = albeit(f"{command} --faults faults.jsonl").data
    (row,) = pronouns["rows"]
    assert (row["words"], row["suggestion"], row["line"]) == ("he", "she", 2)
    assert row["text"] == "Then he left the old house."
    assert row["baseline_text"] == "Then she left the old house."
    assert terms["rows"] == []
    (fault,) = map(json.loads, Path("faults.jsonl").read_text().splitlines())
    assert (fault["system"], fault["line"], fault["start"], fault["end"]) == ("bad", 2, 5, 7)
    back = albeit(f"{command} --baseline bad").data
    assert all(table["rows"] == [] for table in back[1:])


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
        assert "paired approximate randomisation, 10,000 trials over segments" in test["note"]
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
