"""One question, one answer: what ``compare``, ``report`` and ``profile`` say of the same data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from albeit.cli import command_parser
from albeit.stats import DEFAULT_SEED
from tests.cli.conftest import Run
from tests.report.page.conftest import data_of

DEMO = Path(__file__).parents[2] / "examples" / "demo"
SETS = ("ref.A.txt", "--docs", "docids.txt")


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The demonstration set, and a third system that mixes the two."""
    monkeypatch.chdir(DEMO)
    return [str(DEMO / "systems" / f"{name}.txt") for name in ("blunt", "careful")]


def mixed(tmp_path: Path, demo: list[str]) -> str:
    blunt, careful = (Path(path).read_text().splitlines() for path in demo)
    lines = [
        one if i % 2 else other for i, (one, other) in enumerate(zip(blunt, careful, strict=True))
    ]
    path = tmp_path / "mixed.txt"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.mark.parametrize("metrics", [("chrf", "bleu"), ("chrf",)])
def test_report_says_what_compare_says(
    albeit: Run, tmp_path: Path, demo: list[str], metrics: tuple[str, ...]
) -> None:
    systems = [*demo, mixed(tmp_path, demo)]
    given = (*SETS, "-i", *systems, "-m", *metrics)
    out = tmp_path / "r.html"
    assert (
        albeit("report", *given, "--explain", "none", "--profile", "none", "-o", str(out)).status
        == 0
    )
    shown = data_of(out.read_text(encoding="utf-8"))
    clusters, pairs = json.loads(albeit("compare", *given, "--all-pairs", "-f", "json").out)
    alone = json.loads(albeit("compare", *given, "-f", "json").out)["rows"]
    assert len(shown["tests"]) == len(metrics)
    for test in shown["tests"]:
        name, at = test["metric"], shown["systems"].index
        assert "paired approximate randomisation, 10,000 trials over segments" in test["note"]
        assert "corrected for the number of pairs (3; Holm)" in test["note"]
        for row in clusters["rows"]:
            assert test["clusters"][at(row["system"])] == row[f"{name}.cluster"]
        for row in pairs["rows"]:
            i, j = at(row["system"]), at(row["than"])
            assert test["p"][i][j] == test["p"][j][i] == pytest.approx(row[f"{name}.p"], abs=1e-6)
        for row in alone[1:]:
            assert test["p"][0][at(row["system"])] == pytest.approx(row[f"{name}.p"], abs=1e-6)


def test_profile_says_what_compare_says(albeit: Run, demo: list[str]) -> None:
    given = (*SETS, "-i", *demo)
    rows = json.loads(albeit("profile", *given, "--worst", "0", "-f", "json").out)["rows"]
    metrics = [row["metric"] for row in rows]
    done = albeit("compare", *given, "-m", *metrics, "-f", "json", "--decimals", "3")
    found = json.loads(done.out)
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
        parser = command_parser(name)
        assert parser.get_default("seed") == DEFAULT_SEED, name
