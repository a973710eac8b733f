"""Numbers in files that Python would take and no array can hold, or that are none to a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit.combine import Model
from albeit.data.judgment_files import read_judgments
from albeit.data.textio import whole_number
from albeit.errors import InputError
from albeit.metrics.external import read_external
from albeit.parsing.alignment import read_alignment
from albeit.parsing.formats import read_analyses
from tests.data.test_fuzz import SET

ODD = ["9" * 30, "9" * 5000, "²", "٣", "1_0", "-2", "", "1e3"]


def test_whole_numbers() -> None:
    assert {whole_number(text) for text in ODD} == {-1}
    assert [whole_number(text) for text in ("0", "7", "007", "123456789")] == [0, 7, 7, 123456789]


@pytest.mark.parametrize("number", ODD)
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("pairs.tsv", "segment\tbetter\tworse\n{}\tx\ty\n"),
        ("ratings.tsv", "system\tsegment\tmqm\nx\t{}\t-1.5\n"),
        ("r.csv", "line0,judgeId,system1Id,system2Id,system1rank,system2rank\n{},j,x,y,1,2\n"),
    ],
)
def test_judgments(tmp_path: Path, name: str, content: str, number: str) -> None:
    path = tmp_path / name
    path.write_text(content.format(number), encoding="utf-8")
    with pytest.raises(InputError, match=":2: "):
        read_judgments(path)


@pytest.mark.parametrize("number", ODD)
def test_submissions(tmp_path: Path, number: str) -> None:
    path = tmp_path / "m.txt"
    path.write_text(f"m\tde-en\tsmall\tx\t{number}\t0.5\n", encoding="utf-8")
    with pytest.raises(InputError, match="not the number of a segment"):
        read_external(path, SET)


@pytest.mark.parametrize("number", ["9" * 30, "9" * 5000, "²"])
@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.conllu", "1\ta\ta\tX\t_\t_\t{}\troot\t_\t_\n", "isn't a head"),
        (
            "a.conllu",
            "1-{}\tab" + "\t_" * 8 + "\n1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n",
            "isn't a range",
        ),
        ("a.dis", "( Root (leaf {}) (text _!a_!) )\n", "a leaf's number"),
    ],
)
def test_analyses(tmp_path: Path, name: str, content: str, told: str, number: str) -> None:
    path = tmp_path / name
    path.write_text(content.format(number), encoding="utf-8")
    with pytest.raises(InputError, match=told):
        read_analyses(path)


@pytest.mark.parametrize("number", ["1e999", "9" * 5000])
def test_numbers_in_json(tmp_path: Path, number: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(f'{{"text": "a", "tokens": ["a"], "offsets": [[0, {number}]]}}\n')
    with pytest.raises(InputError, match=r"not an analysis|not JSON"):
        read_analyses(path)


@pytest.mark.parametrize("number", ["9" * 30, "9" * 5000])
@pytest.mark.parametrize(
    "content",
    [
        "0-{}\n",
        "# Sentence pair (1) source length 1 target length 1\na\nNULL ({{ }}) b ({{ {} }})\n",
    ],
)
def test_alignments(tmp_path: Path, content: str, number: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(content.format(number))
    with pytest.raises(InputError, match=r"alignment point|position"):
        read_alignment(path)


def test_a_saved_model(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(f'{{"format": {"9" * 5000}}}')
    with pytest.raises(InputError, match="is not JSON"):
        Model.load(path)
