from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from pathlib import Path

import pytest
from pyarrow import parquet

from albeit.data import build_evalset, write
from tests.cli.conftest import Run
from tests.evaluation.toys import Exact

SCORE = ("score", "ref.txt", "-i", "good.txt", "bad.txt")


def test_a_table_in_a_process_of_its_own(files: Path, shell: Run) -> None:
    done = shell(*SCORE, "-m", "bleu", "chrf", "--docs", "docs.txt")
    assert done.status == 0
    assert done.err == ""
    lines = done.out.splitlines()
    assert lines[0].split() == ["System", "bleu", "↑", "chrf", "↑"]
    assert lines[2].split()[0] == "good"
    assert lines[3].split()[0] == "bad"
    assert "\x1b" not in done.out
    assert sum(line.startswith(("bleu|", "chrf|")) for line in lines) == 2


@pytest.mark.usefixtures("files")
def test_json_has_scores_and_signatures(albeit: Run) -> None:
    found = json.loads(albeit(*SCORE, "-m", "exact", "wrong", "-f", "json").out)
    assert found["rows"] == [
        {"system": "good", "exact": 0.75, "wrong": 0.25},
        {"system": "bad", "exact": 0.25, "wrong": 0.75},
    ]
    assert found["signatures"]["exact"].startswith("exact|lowercase:no|weight:1|refs:1|v:")
    assert found["segments"] == 4
    assert found["documents"] is None
    assert found["target_lang"] == "en"


@pytest.mark.usefixtures("files")
def test_several_references_and_names(albeit: Run) -> None:
    done = albeit(
        "score", "A=ref.txt", "B=ref2.txt", "-i", "mine=ref2.txt", "-m", "exact", "-f", "tsv"
    )
    assert done.out == "system\texact\nmine\t1.0\n"


@pytest.mark.usefixtures("files")
def test_levels_have_their_rows(albeit: Run) -> None:
    by_document = albeit(
        *SCORE, "-m", "exact", "opening", "--docs", "docs.txt", "--level", "document", "-f", "tsv"
    ).out
    assert by_document.splitlines()[:3] == [
        "system\tdocument\texact\topening",
        "good\tone\t1.0\t1.0",
        "good\ttwo\t0.5\t1.0",
    ]
    done = albeit(*SCORE, "-m", "opening", "--docs", "docs.txt", "--level", "segment")
    assert done.status == 2
    assert "opening has no segment scores" in done.err


@pytest.mark.usefixtures("files")
def test_scores_into_files(albeit: Run, files: Path) -> None:
    done = albeit(
        *SCORE,
        "-m",
        "exact",
        "opening",
        "--docs",
        "docs.txt",
        "--segment-scores",
        "out/seg.tsv",
        "--document-scores",
        "doc.tsv.gz",
    )
    assert done.status == 0
    assert "albeit: warning: out/seg.tsv: opening: no segment scores; not in the file." in done.err
    lines = (files / "out/seg.tsv").read_text().splitlines()
    assert lines[0] == "system\tdocument\tsegment\texact"
    assert lines[4] == "good\ttwo\t4\t0.0"
    assert len(lines) == 9
    unpacked = gzip.decompress((files / "doc.tsv.gz").read_bytes()).decode()
    assert unpacked.splitlines()[1] == "good\tone\t1.0\t1.0"


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("path", [".", "ref.txt/scores.tsv"])
def test_an_unwritable_file_is_reported_before_work(albeit: Run, path: str) -> None:
    done = albeit(
        "score", "missing.txt", "-i", "missing.txt", "-m", "exact", "--segment-scores", path
    )
    assert done.status == 2
    assert done.err.startswith(f"albeit: error: {path}: ")


@pytest.mark.usefixtures("files")
def test_confidence(albeit: Run) -> None:
    done = albeit(*SCORE, "-m", "exact", "--confidence", "--resamples", "99", "-f", "json")
    found = json.loads(done.out)
    cell = found["rows"][0]["exact"]
    assert cell["low"] <= cell["value"] == 0.75 <= cell["high"]
    assert found["confidence"]["exact"] == {
        "level": 0.95,
        "resamples": 99,
        "seed": 12345,
        "unit": "segment",
    }
    text = albeit(*SCORE, "-m", "exact", "--confidence", "--confidence-level", ".9").out
    assert "90 % confidence, bootstrap, 1,000 resamples over segments, seed 12345" in text
    assert "0.7500 [" in text
    wrong = albeit(
        *SCORE, "-m", "opening", "--docs", "docs.txt", "--confidence", "--unit", "segment"
    )
    assert wrong.status == 2
    assert "opening scores whole documents" in wrong.err


@pytest.mark.usefixtures("files")
def test_options_reach_the_metrics_that_have_them(albeit: Run, files: Path) -> None:
    (files / "loud.txt").write_text((files / "ref.txt").read_text().upper())
    plain = ("score", "ref.txt", "-i", "loud.txt", "-f", "tsv", "-m")
    assert albeit(*plain, "exact").out == "system\texact\nloud\t0.0\n"
    lower = albeit(*plain, "exact", "--lowercase").out
    assert lower == "system\texact(lowercase=yes)\nloud\t1.0\n"
    kept = albeit(*plain, "exact(lowercase=no)", "--lowercase").out
    assert kept == "system\texact\nloud\t0.0\n"
    done = albeit(*plain, "exact", "--tokenize", "char")
    assert done.status == 2
    assert "--tokenize has no effect: exact has no such parameter" in done.err
    bleu = albeit(*plain, "bleu", "exact", "--tokenize", "char").out
    assert bleu.startswith("system\tbleu(tokenize=char)\texact\n")


@pytest.mark.usefixtures("files")
def test_empty_lines_are_scored_and_counted(albeit: Run, files: Path) -> None:
    (files / "gaps.txt").write_text("the cat sat\n\n \nthe end came\n")
    run = ("score", "ref.txt", "-i", "good.txt", "gaps.txt", "-m", "exact", "-f", "tsv")
    done = albeit(*run)
    assert done.out.endswith("gaps\t0.5\n")
    assert done.err == (
        "albeit: warning: system 'gaps': 2 of 4 lines are empty;"
        " they are scored as empty translations.\n"
    )
    assert albeit(*run, "--quiet").err == ""


@pytest.mark.usefixtures("files")
def test_standard_input_and_gz(albeit: Run, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (files / "good.txt").read_bytes()
    (files / "packed.txt.gz").write_bytes(gzip.compress(text))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    done = albeit("score", "ref.txt", "-i", "-", "packed.txt.gz", "-m", "exact", "-f", "tsv")
    assert done.out == "system\texact\nstdin\t0.75\npacked\t0.75\n"


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", ["set.jsonl", "set.tsv", "set.xml", "folder"])
def test_a_whole_test_set_as_one_argument(albeit: Run, name: str) -> None:
    evalset = build_evalset(
        ["ref.txt"], ["good.txt", "bad.txt"], source="src.txt", docs="docs.txt", source_lang="fr"
    )
    write(evalset, name)
    lines = albeit("score", name, "-m", "exact", "opening", "-f", "tsv").out.splitlines()
    assert lines[0] == "system\texact\topening"
    assert sorted(lines[1:]) == ["bad\t0.25\t0.0", "good\t0.75\t1.0"]
    some = albeit("score", name, "-m", "exact", "-f", "tsv", "--systems", "bad").out
    assert some == "system\texact\nbad\t0.25\n"
    chosen = albeit("score", name, "-m", "exact", "-f", "tsv", "--refs", "nobody")
    assert chosen.status == 2
    assert "'nobody'" in chosen.err
    other = albeit("score", name, "-i", "mine=ref.txt", "-m", "exact", "-f", "tsv").out
    assert sorted(other.splitlines()[1:]) == ["bad\t0.25", "good\t0.75", "mine\t1.0"]


BAD = {
    "no text": (("score",), "no text given"),
    "no references": (
        ("score", "-i", "good.txt", "-m", "chrf", "exact"),
        "chrf needs at least one reference translation.\nexact needs",
    ),
    "wrong path": (
        ("score", "nowhere.txt", "-i", "good.txt"),
        "nowhere.txt: cannot be read: No such",
    ),
    "chosen references": ((*SCORE, "--refs", "A"), "--refs chooses from a test set"),
    "no systems": (("score", "ref.txt"), "looks like plain text"),
    "unequal lines": (
        ("score", "ref.txt", "-i", "short.txt"),
        "short.txt:3: has 2 lines, but ref.txt has 4",
    ),
    "empty file": (("score", "ref.txt", "-i", "empty.txt"), "empty.txt: is empty"),
    "not UTF-8": (("score", "ref.txt", "-i", "latin.txt"), "latin.txt:2: byte 0xE9"),
    "same name": (
        ("score", "ref.txt", "-i", "good.txt", "./good.txt"),
        "there is a system 'good' already",
    ),
    "unknown system": ((*SCORE, "--systems", "ugly"), "no system 'ugly'"),
    "short docids": ((*SCORE, "--docs", "short.txt"), "short.txt:3: has 2 lines"),
    "unknown metric": ((*SCORE, "-m", "blue"), "unknown metric 'blue'. Did you mean bleu"),
    "unknown parameter": ((*SCORE, "-m", "exact(x=1)"), "exact has no parameter 'x'"),
    "bad parameter": (
        (*SCORE, "-m", "exact(weight=heavy)"),
        "exact: weight takes float, not 'heavy'",
    ),
    "bad expression": ((*SCORE, "-m", "exact(weight"), "cannot read metric 'exact(weight'"),
    "metric twice": ((*SCORE, "-m", "exact", "exact"), "exact is given twice"),
    "bad tokeniser": ((*SCORE, "-m", "bleu", "--tokenize", "klingon"), "bleu: tokenize takes"),
    "unknown format": ((*SCORE, "--input-format", "pdf"), "unknown format 'pdf'"),
    "bad level": (
        (*SCORE, "-m", "exact", "--confidence", "--confidence-level", "95"),
        "between 0 and 1",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_mistake_is_one_message(files: Path, albeit: Run, case: str) -> None:
    (files / "short.txt").write_text("one\ntwo\n")
    (files / "empty.txt").write_text("")
    (files / "latin.txt").write_bytes("a\ncaf\xe9\nc\nd\n".encode("latin-1"))
    arguments, message = BAD[case]
    done = albeit(*arguments)
    assert done.status == 2
    assert done.out == ""
    assert done.err.startswith("albeit: error: ")
    assert message in done.err
    assert "Traceback" not in done.err


@pytest.mark.usefixtures("files")
def test_commands_share_what_one_has_computed(albeit: Run) -> None:
    inputs = ("ref.txt", "-i", "good.txt", "bad.txt", "-m", "chrf", "exact")
    first = albeit("score", *inputs)
    assert "statistics: 0.0 MB, 4 systems by a metric" in albeit("cache", "info").out
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Exact, "statistics", lambda *_: pytest.fail("scored again"))
        assert albeit("score", *inputs).out == first.out
        assert albeit("compare", *inputs).status == 0
    assert albeit("score", *inputs, "--no-cache").out == first.out
    albeit("cache", "clear")
    assert "0 systems by" in albeit("cache", "info").out
    albeit("score", *inputs, "--no-cache")
    assert "0 systems by" in albeit("cache", "info").out


@pytest.mark.usefixtures("files")
def test_metrics_that_need_no_reference_ask_for_none(albeit: Run) -> None:
    done = albeit("score", "-i", "good.txt", "bad.txt", "--docs", "docs.txt", "-m", "rc", "lc")
    assert (done.status, done.err) == (0, "")
    signatures = json.loads(
        albeit("score", "-i", "good.txt", "--docs", "docs.txt", "-m", "rc", "-f", "json").out
    )["signatures"]
    assert "refs" not in signatures["rc"]


@pytest.mark.usefixtures("files")
def test_scores_are_written_as_the_name_says(albeit: Run, files: Path) -> None:
    """All of them were TSV, whatever the name."""
    for name in ("s.tsv", "s.csv", "s.jsonl", "s.parquet", "s.csv.gz"):
        assert albeit(*SCORE, "-m", "exact", "--segment-scores", name).status == 0
        assert albeit(*SCORE, "-m", "exact", "--segment-scores", name).status == 0, "its own file"
    expected = [line.split("\t") for line in (files / "s.tsv").read_text().splitlines()]
    assert list(csv.reader((files / "s.csv").read_text().splitlines())) == expected
    assert gzip.decompress((files / "s.csv.gz").read_bytes()) == (files / "s.csv").read_bytes()
    records = [json.loads(line) for line in (files / "s.jsonl").read_text().splitlines()]
    assert records == parquet.read_table(files / "s.parquet").to_pylist()
    assert [list(map(str, record.values())) for record in records] == expected[1:]
    wrong = albeit("score", "no.txt", "-i", "no.txt", "-m", "exact", "--segment-scores", "s.xlsx")
    assert wrong.status == 2
    assert "End it in .tsv, .csv, .jsonl or .parquet" in wrong.err
    dash = albeit(*SCORE, "-m", "exact", "--segment-scores", "-", "-f", "tsv")
    assert dash.out.startswith((files / "s.tsv").read_text())
    kept = albeit(*SCORE, "-m", "exact", "--out", "run", "--segment-scores", "o.csv")
    assert kept.status == 0
    assert next(csv.reader((files / "o.csv").read_text().splitlines()))[0] == "segment"
