"""Things that were wrong where there were two ways to one answer, one test for each.

Only the command line and public names are used, so that the tests can run against another
checkout, in which they fail, up to commit 649f5da:

    pytest -o 'pythonpath=. ../before/src' tests/test_one_path.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

import albeit as api
from albeit.arrays import FloatArray
from albeit.metrics.base import mean_score, mean_statistics
from albeit.metrics.registry import metric
from albeit.parsing.layers import TEXT
from tests.conftest import ROOT
from tests.stranger.install import install

DEMO = ROOT / "examples" / "demo"
SYSTEMS = ("careful", "blunt", "scattered", "shuffled")
TEXTS = (
    *(str(DEMO / name) for name in ("ref.A.txt", "ref.B.txt")),
    *("-i", *(str(DEMO / "systems" / f"{name}.txt") for name in SYSTEMS)),
    *("--source", str(DEMO / "src.txt"), "--source-lang", "de", "--lang", "en"),
)
DOCUMENTS = ("--docs", str(DEMO / "docids.txt"))


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str

    @property
    def rows(self) -> Any:
        assert self.status == 0, self.err
        found = json.loads(self.out)
        return (found[0] if isinstance(found, list) else found)["rows"]


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run albeit, the one that was imported here, in a folder that holds a stranger's package."""
    site, source = (
        install(tmp_path / "site", without="albeit.formats"),
        Path(api.__file__).parents[1],
    )

    def run(*arguments: str) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "albeit", *arguments],
            capture_output=True,
            check=False,
            cwd=tmp_path,
            encoding="utf-8",
            env=os.environ
            | {
                "ALBEIT_CACHE": str(tmp_path / "cache"),
                "PYTHONPATH": f"{source}{os.pathsep}{site}",
                "PYTHONUTF8": "1",
            },
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="module")
def demo() -> api.EvalSet:
    return api.build_evalset(
        [DEMO / "ref.A.txt"],
        [DEMO / "systems" / f"{name}.txt" for name in SYSTEMS],
        source=DEMO / "src.txt",
        docs=DEMO / "docids.txt",
        source_lang="de",
        target_lang="en",
    )


def test_1_every_score_of_a_network_has_a_tolerance() -> None:
    for name in ("judge", "judge-small", "dr", "sim"):
        assert not metric(name).exact, name
    for name in ("bleu", "chrf", "ter", "meteor"):
        assert metric(name).exact, name


def test_3_what_is_cached_does_not_decide_whether_a_command_works(run: Run, tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("STOP there\nno\n")
    given = ("score", "lines.txt", "-i", "lines.txt", "-f", "json")
    cold = run(*given, "-m", "shouting", "dp-or", "--no-cache")
    for name in ("shouting", "dp-or"):
        assert run(*given, "-m", name).status == 0
    warm = run(*given, "-m", "shouting", "dp-or")
    assert warm.rows == cold.rows
    refused = run(*given, "-m", "shouting", "dp-or", "--lang", "sv")
    assert refused.status == 2
    assert "shouting" in refused.err


def test_4_a_strangers_layer_does_not_stop_parse(run: Run, tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("We left, because it rained.\n")
    done = run("parse", "lines.txt", "-f", "json")
    assert done.status == 0, done.err


@pytest.mark.slow
def test_5_profile_and_report_take_annotations(run: Run, tmp_path: Path) -> None:
    lines = "Er ging, weil es goss.\nUnd nun?\n"
    for name in ("ref", "good"):
        (tmp_path / f"{name}.txt").write_text(lines)
    (tmp_path / "en.txt").write_text(lines)
    made = run("parse", "en.txt", "-f", "json", "-l", "rst")
    assert made.status == 0, made.err
    (tmp_path / "trees.json").write_text(made.out)
    (tmp_path / "docs.txt").write_text("one\none\n")
    given = ("ref.txt", "-i", "good.txt", "--lang", "de", "--annotations", "trees.json")
    for command in (
        ("profile", *given, "--docs", "docs.txt"),
        ("report", *given, "--profile", "quick"),
    ):
        done = run(*command)
        assert done.status == 0, done.err


FORMAT = """\
from albeit import EvalSet, Format
from albeit.data import read_lines


def read(path, *, unescape=False):
    left, right = zip(*(line.split(" ||| ") for line in read_lines(path, unescape=unescape)))
    return EvalSet({"ref": left}, {"mt": right})


BITEXT = Format("reference ||| translation", read, suffixes=(".bitext",))
"""


@pytest.mark.slow
def test_7_parquet_and_formats_of_others_are_read_everywhere(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    (tmp_path / "site" / "bitext.py").write_text(FORMAT)
    with (tmp_path / "site" / "stranger-1.0.dist-info" / "entry_points.txt").open("a") as points:
        points.write("[albeit.formats]\nbitext = bitext:BITEXT\n")
    (tmp_path / "set.bitext").write_text("One. ||| One.\nTwo. ||| Too.\n")
    whole = run("score", "set.bitext", "-m", "chrf", "-f", "json")
    evalset = api.EvalSet({"ref": ("One.", "Two.")}, {"mt": ("One.", "Too.")})
    api.write(evalset, tmp_path / "set.parquet")
    for name in ("set.bitext", "set.parquet"):
        assert run("score", name, "-m", "chrf", "-f", "json").rows == whole.rows
        out = ("--out", f"{name}.run", "--batch-size", "1")
        assert run("score", name, "-m", "chrf", "-f", "json", *out).rows == whole.rows


@dataclass(frozen=True)
class Peeping(api.Metric):
    """Counts the references that it receives, and needs none."""

    name: ClassVar[str] = "peeping"
    summary: ClassVar[str] = "references that aren't in the needs"

    @property
    def needs(self) -> frozenset[api.Need]:
        return frozenset({api.Need(TEXT, api.Side.HYPOTHESIS)})

    def statistics(self, batch: api.Batch, context: Any) -> FloatArray:
        return mean_statistics([float(len(batch.references))] * len(batch))

    def score(self, sums: FloatArray) -> FloatArray:
        return mean_score(sums)


def test_9_a_metric_sees_what_it_asked_for(demo: api.EvalSet) -> None:
    assert demo.references
    assert not api.score(demo, [Peeping()])["peeping"].system.any()
    assert any(need.side is api.Side.REFERENCE for need in metric("terms").needs)
    said = [
        str(api.score(each, ["terms"])["terms"].signature)
        for each in (demo, replace(demo, references={}))
    ]
    assert said[0] != said[1]


def test_11_a_strangers_document_metric_asks_for_documents(run: Run) -> None:
    done = run("score", *TEXTS, "-m", "kept", "-f", "json")
    assert done.status == 2
    assert "--docs" in done.err
    assert run("score", *TEXTS, *DOCUMENTS, "-m", "kept", "-f", "json").status == 0
