"""``albeit score``: what it prints and writes, at once and in batches with ``--out``."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyarrow import parquet
from sacrebleu.metrics.bleu import BLEU

from albeit.data import build_evalset
from albeit.evaluation import score
from albeit.metrics.registry import metric
from tests.cli.conftest import TEXTS, Run, write_files
from tests.conftest import ROOT
from tests.evaluation.toys import Exact
from tests.report.page.conftest import data_of

SCORE = "score ref.txt -i good.txt bad.txt"

pytestmark = pytest.mark.usefixtures("files")


def test_json_has_scores_and_signatures(albeit: Run) -> None:
    found = albeit(f"{SCORE} -m exact wrong -f json").data
    good, bad = (0.75, 0.25), (0.25, 0.75)
    assert [(row["exact"], row["wrong"]) for row in found["rows"]] == [good, bad]
    assert found["signatures"]["exact"].startswith("exact|lowercase:no|weight:1|refs:1|v:")
    facts = [found[key] for key in ("segments", "documents", "target_lang")]
    assert facts == [4, None, "en"]
    assert albeit(f"{SCORE} -m exact wrong -f value").text == "0.75\t0.25\n0.25\t0.75\n"


def test_references_are_checked(albeit: Run) -> None:
    whole, half = "the cat sat on the mat by the door of the house.", "the cat sat on the mat"
    lines = [whole] * 3
    write_files({"full.txt": "\n".join([*lines, ""]), "more.txt": "\n".join([*lines, ""])})
    write_files({"cut.txt": "\n".join([whole, "", half, ""])})
    check = {"reference": "cut", "systems": [], "lines": {"empty": [2], "truncated": [3]}}
    for command in ("score", "compare", "compare --all-pairs"):
        found = albeit(f"{command} cut.txt -i full.txt more.txt -m chrf -f json").data
        found = found[0] if isinstance(found, list) else found
        assert found["reference_check"] == [check]
        assert any("'cut' may be wrong there: 1 truncated (line 3)" in m for m in found["warnings"])
    assert albeit(f"{SCORE} -m chrf -f json").data.get("reference_check") is None
    command = "report cut.txt -i full.txt more.txt -m chrf --profile none -o page.html"
    assert albeit(command).status == 0
    page = data_of(Path("page.html").read_text())
    assert any("1 truncated (line 3)" in message for message in page["warnings"])


def test_details_of_bleu_are_those_of_sacrebleu(albeit: Run) -> None:
    found = albeit("score ref.txt -i bad.txt -m bleu -f json").data["details"]["bleu"]["bad"]
    lines, reference = (TEXTS[name].splitlines() for name in ("bad.txt", "ref.txt"))
    theirs = BLEU().corpus_score(lines, [reference])
    assert found["precisions"] == pytest.approx(theirs.precisions)
    assert found["brevity_penalty"] == theirs.bp
    assert found["length_ratio"] == theirs.sys_len / theirs.ref_len


def test_scores_are_written_as_the_name_says(albeit: Run) -> None:
    for name in ("s.tsv", "s.csv", "s.jsonl", "s.parquet", "s.csv.gz"):
        for _ in ("new", "its own file"):
            assert albeit(f"{SCORE} -m exact --segment-scores {name}").status == 0
    expected = [line.split("\t") for line in Path("s.tsv").read_text().splitlines()]
    assert list(csv.reader(Path("s.csv").read_text().splitlines())) == expected
    assert gzip.decompress(Path("s.csv.gz").read_bytes()) == Path("s.csv").read_bytes()
    records = [json.loads(line) for line in Path("s.jsonl").read_text().splitlines()]
    assert records == parquet.read_table("s.parquet").to_pylist()
    assert [list(map(str, record.values())) for record in records] == expected[1:]
    names = "--segment-scores out/seg.tsv --document-scores doc.tsv"
    done = albeit(f"{SCORE} -m exact opening --docs docs.txt {names}")
    assert "albeit: warning: out/seg.tsv: opening: no segment scores; not in the file." in done.err
    assert "\ngood\ttwo\t4\t0.0\n" in Path("out/seg.tsv").read_text()
    assert "\ngood\tone\t1.0\t1.0\n" in Path("doc.tsv").read_text()
    dash = albeit(f"{SCORE} -m exact --segment-scores - -f tsv").text
    assert dash.startswith(Path("s.tsv").read_text())


@pytest.mark.parametrize("name", ["good.txt", "./bad.txt", "ref.txt", "docs.txt", "link.txt"])
@pytest.mark.parametrize("force", ["", "--force"])
def test_no_output_overwrites_an_input(albeit: Run, name: str, force: str) -> None:
    Path("link.txt").symlink_to("good.txt")
    done = albeit(f"{SCORE} -m exact --docs docs.txt --segment-scores {name} {force}")
    assert "would overwrite an input" in done.refused
    assert {name: Path(name).read_text() for name in TEXTS} == TEXTS


def test_a_file_of_another_program_needs_force(albeit: Run) -> None:
    write_files({"notes.txt": "mine\n"})
    given = f"{SCORE} -m exact --segment-scores notes.txt"
    assert albeit(given).status == 2
    assert Path("notes.txt").read_text() == "mine\n"
    assert albeit(f"{given} --force").status == 0
    assert Path("notes.txt").read_text().startswith("system\tdocument\tsegment\texact\n")
    assert albeit(given).status == 0  # what albeit wrote itself, it may write again
    assert albeit(f"{SCORE} -m exact --document-scores notes.txt").status == 0
    assert albeit(f"{SCORE} -m exact --segment-scores /dev/null").status == 0


def test_standard_input(albeit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(TEXTS["good.txt"].encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    assert albeit("score ref.txt -i - -m exact -f tsv").text == "system\texact\nstdin\t0.75\n"


def test_commands_share_what_one_has_computed(albeit: Run) -> None:
    inputs = "ref.txt -i good.txt bad.txt -m chrf exact"
    first = albeit(f"score {inputs}").text
    assert "statistics: 0.0 MB, 4 systems by a metric" in albeit("cache info").text
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Exact, "statistics", lambda *_: pytest.fail("scored again"))
        assert albeit(f"score {inputs}").text == first
        assert albeit(f"compare {inputs}").status == 0
    assert albeit(f"score {inputs} --no-cache").text == first
    assert albeit("cache clear").status == 0
    assert albeit(f"score {inputs} --no-cache").text == first
    assert "0 systems by" in albeit("cache info").text


def test_warnings_of_many_files_are_two_lines(albeit: Run) -> None:
    names = [f"s{n}.txt" for n in range(9)]
    write_files({name: f"a &amp; b\nit was {name[1]}\nso\nthe end\n" for name in names})
    done = albeit("score ref.txt -m chrf -i", *names)
    assert done.err.splitlines() == [
        "albeit: warning: s0.txt: 1 line with HTML entities (like &quot;), kept as text;"
        " they can be resolved with --unescape.",
        "albeit: warning: 8 similar warnings suppressed: s1.txt, s2.txt, s3.txt ….",
    ]


SET = "ref.txt ref2.txt -i good.txt bad.txt"


def test_ranges_of_batches_are_completed_and_summed(albeit: Run) -> None:
    wanted = f"score {SET} --docs docs.txt -m ter exact opening"
    out = "--out RUN --batch-size 1"
    first = albeit(f"{wanted} {out} --only 2-9")
    assert first.text == ""
    assert "--only 2-9 is done; a last call without --only completes RUN" in first.err
    assert [path.name[:8] for path in Path("RUN/parts").iterdir()] == ["00000001"]
    assert not Path("RUN/manifest.json").exists()
    expected = albeit(wanted).text
    assert albeit(f"{wanted} {out}").text == expected
    assert Path("RUN/manifest.json").is_file()
    assert albeit(f"{wanted} {out} --workers 2").text == expected


def read_rows(name: str) -> list[dict[Any, Any]]:
    """The rows of a file of segments."""
    if ".jsonl" in name:
        return pd.read_json(name, lines=True).to_dict("records")
    if name.endswith(".parquet"):
        return pd.read_parquet(name).to_dict("records")
    return pd.read_csv(name, sep=None, engine="python").to_dict("records")


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz", "out.tsv", "out.csv", "out.parquet"])
def test_segments_with_their_texts(albeit: Run, name: str) -> None:
    wanted = f"{SCORE} --source src.txt --docs docs.txt -m chrf --out RUN"
    assert albeit(f"{wanted} --segment-scores {name}").status == 0
    evalset = build_evalset(["ref.txt"], ["good.txt", "bad.txt"])
    expected = score(evalset, [metric("chrf")])["chrf"].at("segment")
    rows = read_rows(name)
    assert [row["segment"] for row in rows] == [1, 2, 3, 4]
    if ".jsonl" in name:
        assert rows[2] == {
            "segment": 3,
            "doc_id": "two",
            "source": "il dort",
            "references": {"ref": "so it slept"},
            "systems": {"good": "so it slept", "bad": "but it slept"},
            "scores": {"good": {"chrf": 100.0}, "bad": {"chrf": expected[1, 2]}},
        }
        return
    assert [row["chrf:bad"] for row in rows] == expected[1].tolist()
    assert [row["sys:good"] for row in rows] == list(evalset.systems["good"])


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on(files: Path, albeit: Run) -> None:
    """Killed for real, with its workers, as soon as it has made a part more."""
    write_files({"long.txt": "".join(f"line {i} of the set\n" for i in range(300))})
    write_files({"other.txt": "".join(f"line {i} of a set\n" for i in range(300))})
    command = "score long.txt -i other.txt -m ter chrf -f json"
    expected = albeit(command).text
    command += " --out RUN --batch-size 10 --workers 2 -q"
    environ = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    parts = files / "RUN" / "parts"
    for kills in range(3):
        process = subprocess.Popen(
            [sys.executable, "-m", "albeit", *command.split()],
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
    assert albeit(command).text == expected
    assert done <= set(parts.glob("*.part"))
    assert len(list(parts.iterdir())) == 30, "and nothing else is left behind"
