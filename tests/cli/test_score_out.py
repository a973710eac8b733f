"""``score --out``, as a user calls it."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyarrow import parquet

from albeit.data import build_evalset
from albeit.evaluation import score
from albeit.metrics.registry import metric
from tests.cli.conftest import Run
from tests.conftest import ROOT

SET = ("ref.txt", "ref2.txt", "-i", "good.txt", "bad.txt")


def test_the_same_bytes_as_without(files: Path, albeit: Run) -> None:
    wanted = (*SET, "-m", "chrf", "ter", "bleu", "-f", "json")
    expected = albeit("score", *wanted)
    found = albeit("score", *wanted, "--out", "RUN", "--batch-size", "1")
    assert found.status == 0, found.err
    assert found.out == expected.out
    assert len(list((files / "RUN" / "parts").iterdir())) == 4
    again = albeit("score", *wanted, "--out", "RUN", "--batch-size", "1", "--workers", "2")
    assert again.out == expected.out


def test_ranges_of_batches_are_completed_and_summed(files: Path, albeit: Run) -> None:
    wanted = (*SET, "--docs", "docs.txt", "-m", "ter", "exact", "opening")
    out = ("--out", "RUN", "--batch-size", "1")
    first = albeit("score", *wanted, *out, "--only", "2-9")
    assert (first.status, first.out) == (0, "")
    assert "--only 2-9 is done; a last call without --only completes RUN" in first.err
    assert [path.name[:8] for path in (files / "RUN" / "parts").iterdir()] == ["00000001"]
    assert not (files / "RUN" / "manifest.json").exists()
    assert albeit("score", *wanted, *out).out == albeit("score", *wanted).out
    assert (files / "RUN" / "manifest.json").is_file()


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz", "out.tsv", "out.parquet"])
def test_segments_stand_beside_their_texts(files: Path, albeit: Run, name: str) -> None:
    wanted = ("ref.txt", "-i", "good.txt", "bad.txt", "--source", "src.txt", "--docs", "docs.txt")
    done = albeit("score", *wanted, "-m", "chrf", "--out", "RUN", "--segment-scores", name)
    assert done.status == 0, done.err
    evalset = build_evalset(["ref.txt"], ["good.txt", "bad.txt"])
    expected = score(evalset, [metric("chrf")])["chrf"].segment
    assert expected is not None
    if ".jsonl" in name:
        data = Path(name).read_bytes()
        text = gzip.decompress(data) if name.endswith("gz") else data
        rows = [json.loads(line) for line in text.splitlines()]
        assert rows[2] == {
            "segment": 3,
            "doc_id": "two",
            "source": "il dort",
            "references": {"ref": "so it slept"},
            "systems": {"good": "so it slept", "bad": "but it slept"},
            "scores": {"good": {"chrf": 100.0}, "bad": {"chrf": expected[1, 2]}},
        }
        assert len(rows) == 4
        return
    if name == "out.tsv":
        head, *lines = (line.split("\t") for line in Path(name).read_text().splitlines())
        rows = [dict(zip(head, line, strict=True)) for line in lines]
    else:
        rows = parquet.read_table(name).to_pylist()
    assert [float(row["chrf:bad"]) for row in rows] == expected[1].tolist()
    assert [row["sys:good"] for row in rows] == list(evalset.systems["good"])
    assert [int(row["segment"]) for row in rows] == [1, 2, 3, 4]


def test_without_a_reference_for_filtering(files: Path, albeit: Run) -> None:
    """One system beside its source."""
    done = albeit(
        "score",
        "-i",
        "mt=good.txt",
        "--source",
        "src.txt",
        "--source-lang",
        "fr",
        "-m",
        "reader",
        "--out",
        "RUN",
        "--segment-scores",
        "new/kept.jsonl",
    )
    assert done.status == 0, done.err
    first = json.loads(Path("new/kept.jsonl").read_text().splitlines()[0])
    assert first["source"] == "le chat"
    assert first["scores"] == {"mt": {"reader": 1.0}}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--only", "1"], "--only goes with --out"),
        (["--batch-size", "7"], "--batch-size goes with --out"),
        (["--out", "RUN", "--confidence"], "--confidence needs the whole set at once"),
        (["--out", "RUN", "--level", "segment"], "go to a file: --segment-scores"),
        (["--out", "RUN", "--segment-scores", "x.doc"], "has no ending of a format"),
        (
            ["--out", "RUN", "--only", "3-2"],
            "argument --only: must be a batch, or a first",
        ),
        (
            ["--out", "RUN", "--only", "0"],
            "argument --only: must be a batch, or a first",
        ),
        (
            ["--out", "RUN", "--only", "1/2"],
            "argument --only: must be a batch, or a first",
        ),
        (
            ["--out", "RUN", "--only", "1", "--segment-scores", "x.tsv"],
            "--segment-scores needs all batches",
        ),
        (["--out", "RUN", "--only", "1", "--fail-under", "chrf=1"], "--fail-under needs all"),
        (["--out", "RUN", "--shard", "1/2"], "--shard was removed in version 0.3: use --only 1-8"),
        (
            ["--out", "RUN", "--segment-scores", "s3://bucket/x.tsv"],
            "s3://bucket/x.tsv: is an address, and --segment-scores writes files of this machine",
        ),
        (["--out", "."], "exists already, and is not a run"),
        (["--out", "ref.txt"], "ref.txt: is a file. Name another folder"),
    ],
)
def test_what_does_not_go_together_is_reported(
    files: Path, albeit: Run, arguments: list[str], said: str
) -> None:
    found = albeit("score", "ref.txt", "-i", "good.txt", *arguments)
    assert found.status == 2
    assert said in found.err
    assert not (files / "RUN" / "parts").exists()


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on(files: Path, albeit: Run) -> None:
    """Killed for real, with its workers, as soon as it has made a part more."""
    lines = [f"line {i} of the set" for i in range(300)]
    (files / "long.txt").write_text("\n".join(lines))
    command = ["score", "long.txt", "-i", "long.txt", "-m", "ter", "chrf", "-f", "json"]
    expected = albeit(*command).out
    command += ["--out", "RUN", "--batch-size", "10", "--workers", "2", "-q"]
    environ = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    parts = files / "RUN" / "parts"
    for kills in range(3):
        process = subprocess.Popen(
            [sys.executable, "-m", "albeit", *command],
            cwd=files,
            env=environ,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        until = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < until:
            if parts.exists() and len(list(parts.glob("*.part"))) > 4 * kills:
                break
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    done = set(parts.glob("*.part"))
    assert done
    found = albeit(*command)
    assert found.out == expected
    assert done <= set(parts.glob("*.part"))
    assert len(list(parts.iterdir())) == 30, "and nothing else is left behind"
