"""A package of a stranger adds a metric of documents, a format, a report and a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

POINTS = """\
[albeit.metrics]
openings = stranger:Openings
[albeit.formats]
bitext = stranger:BITEXT
lines = stranger:LINES
gone = stranger:NOTHING
[albeit.reports]
shout = stranger:shout
[albeit.commands]
count = stranger_count
lost = no_such_module
"""
PACKAGE = """\
from dataclasses import dataclass
from typing import ClassVar

from albeit import Batch, EvalSet, Metric
from albeit.corpus import Format, Head, read_lines
from albeit.corpus.levels import Unit
from albeit.metrics.base import mean_score, mean_statistics


@dataclass(frozen=True)
class Openings(Metric):
    name: ClassVar[str] = "openings"
    summary: ClassVar[str] = "documents that open as the reference does"
    unit: ClassVar[Unit] = Unit.DOCUMENT

    def statistics(self, batch: Batch, context):
        own, other = batch.hypotheses, batch.references[0]
        return mean_statistics([float(own[d.start] == other[d.start]) for d in batch.documents])

    def score(self, sums):
        return mean_score(sums)


def read(path, *, unescape=False):
    left, right = zip(*(line.split(" ||| ") for line in read_lines(path, unescape=unescape)))
    return EvalSet({"ref": left}, {"mt": right})


BITEXT = Format("reference ||| translation, a line per segment", read, suffixes=(".bitext",))


class Rows:
    \"\"\"The same, one segment at a time.\"\"\"

    head = Head((("reference", "ref"), ("system", "mt")), has_documents=False)
    share = 0.0

    def __init__(self, paths, *, unescape=False):
        (self.path,) = paths

    def place(self, row):
        return self.path, row + 1

    def blocks(self):
        for line in read_lines(self.path):
            left, right = line.split(" ||| ")
            yield [""], [left], [right]


LINES = Format("the same, a segment at a time", rows=Rows, suffixes=(".pairs",))


def shout(tables):
    return "\\n".join(str(row.cells[1].value) for t in tables for row in t.rows) + "!"
"""
COMMAND = """\
\"\"\"Count the segments of a set.\"\"\"

import albeit


def configure(parser):
    parser.add_argument("path")


def run(args):
    print(len(albeit.read(args.path)))
"""


@pytest.fixture
def stranger(files: Path) -> str:
    (files / "stranger.py").write_text(PACKAGE)
    (files / "stranger_count.py").write_text(COMMAND)
    for name in ("set.bitext", "set.pairs"):
        (files / name).write_text("One. ||| One.\nTwo. ||| Too.\n")
    metadata = files / "stranger-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(POINTS.replace("gone = stranger:NOTHING\n", ""))
    return str(files)


def test_all_of_them_at_once(shell: Run, stranger: str) -> None:
    done = shell("score", "set.bitext", "-m", "chrf", "-f", "shout", path=stranger)
    assert (done.status, done.err) == (0, "")
    assert done.out.endswith("!\n")
    done = shell(
        "score",
        "ref.txt",
        "-i",
        "good.txt",
        "-m",
        "openings",
        "--docs",
        "docs.txt",
        "-f",
        "tsv",
        path=stranger,
    )
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[0] == "system\topenings"
    done = shell("count", "set.bitext", path=stranger)
    assert (done.status, done.out) == (0, "2\n")
    assert "count" in shell("--help", path=stranger).out


def test_a_format_is_read_in_batches_too(shell: Run, stranger: str) -> None:
    whole = shell("score", "set.bitext", "-m", "chrf", path=stranger)
    for name in ("set.bitext", "set.pairs"):
        assert shell("score", name, "-m", "chrf", path=stranger).out == whole.out
        done = shell(
            "score", name, "-m", "chrf", "--out", f"{name}.run", "--batch-size", "1", path=stranger
        )
        assert (done.status, done.out) == (0, whole.out)


def test_what_cannot_be_loaded_is_one_message(shell: Run, stranger: str, files: Path) -> None:
    done = shell("lost", path=stranger)
    assert done.status == 2
    assert "command 'lost' cannot be loaded from no_such_module" in done.err
    (files / "stranger-1.0.dist-info" / "entry_points.txt").write_text(POINTS)
    done = shell("count", "set.bitext", path=stranger)
    assert done.status == 2
    assert "format 'gone' cannot be loaded from stranger:NOTHING" in done.err
    assert "Traceback" not in done.err
