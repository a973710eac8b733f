"""Values and numbers of the wrong kind are one clear error, wherever they come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import albeit
from albeit.combine import Model
from albeit.data.evalset import Document, EvalSet
from albeit.data.judgment_files import read_judgments
from albeit.data.textio import whole_number
from albeit.errors import AlbeitError, InputError
from albeit.metrics.base import LONGEST
from albeit.metrics.connectives.load import read_dimlex
from albeit.metrics.external import read_external
from albeit.parsing.alignment import read_alignment
from albeit.parsing.formats import read_analyses
from tests.data.test_fuzz import SET


@pytest.mark.parametrize("metrics", [3, [None], [3.5], ["bleu", ["chrf"]]])
def test_metrics(metrics: Any) -> None:
    with pytest.raises(AlbeitError):
        albeit.score(EvalSet({"r": ("a",)}, {"s": ("a",)}), metrics)


@pytest.mark.parametrize("name", ["chrf(char_order=100000000)", "bleu(max_ngram=1000000)"])
def test_orders_have_a_bound(name: str) -> None:
    with pytest.raises(AlbeitError, match="100"):
        albeit.metric(name)


@pytest.mark.parametrize("name", ["ter", "rouge-l", "rouge-w", "sim", "dr", "dr-lex"])
def test_a_line_that_cannot_be_compared(name: str) -> None:
    evalset = EvalSet({"r": ("a", "b")}, {"s": ("a", "word " * (LONGEST + 1))})
    with pytest.raises(InputError, match="system 's', line 2: a line of 5,001 words"):
        albeit.score(evalset, [name])


@pytest.mark.parametrize("name", ["act", "act-free", "pronouns", "terms"])
def test_a_line_that_cannot_be_aligned(name: str) -> None:
    lines, documents = ("a", "While he sleeps " * 334), (Document("d", 0, 2),)
    evalset = EvalSet({"r": ("a", "b")}, {"s": ("a", "b")}, lines, documents, "en", "de")
    with pytest.raises(InputError, match="the source, line 2: a line of 1,002 words is too long"):
        albeit.score(evalset, [name])


def test_a_lexicon_that_declares_entities(tmp_path: Path) -> None:
    bomb = tmp_path / "x.xml"
    bomb.write_text('<!DOCTYPE dimlex [<!ENTITY a "lol">]><dimlex>&a;</dimlex>')
    with pytest.raises(InputError, match="declares entities"):
        read_dimlex(bomb, "de")


def test_whole_numbers() -> None:
    """Python would take these, but no array can hold them, or they aren't numbers to a person."""
    odd = ["9" * 30, "9" * 5000, "²", "٣", "1_0", "-2", "", "1e3"]
    assert {whole_number(text) for text in odd} == {-1}
    assert [whole_number(text) for text in ("0", "7", "007", "123456789")] == [0, 7, 7, 123456789]


CSV = "line0,judgeId,system1Id,system2Id,system1rank,system2rank\n{},j,x,y,1,2\n"
GIZA = "# Sentence pair (1) source length 1 target length 1\na\nNULL ({{ }}) b ({{ {} }})\n"
METRIC = "m\tde-en\tsmall\tx\t{}\t0.5\n"
RANGE = "1-{}\tab" + "\t_" * 8 + "\n1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n"


@pytest.mark.parametrize("number", ["9" * 30, "9" * 5000])
@pytest.mark.parametrize(
    ("read", "name", "text", "told"),
    [
        (read_judgments, "pairs.tsv", "segment\tbetter\tworse\n{}\tx\ty\n", ":2: "),
        (read_judgments, "ratings.tsv", "system\tsegment\tmqm\nx\t{}\t-1.5\n", ":2: "),
        (read_judgments, "r.csv", CSV, ":2: "),
        (lambda path: read_external(path, SET), "m", METRIC, "not the num"),
        (read_analyses, "a.conllu", "1\ta\ta\tX\t_\t_\t{}\troot\t_\t_\n", "isn't a head"),
        (read_analyses, "a.conllu", RANGE, "isn't a range"),
        (read_analyses, "a.dis", "( Root (leaf {}) (text _!a_!) )\n", "a leaf's number"),
        (read_analyses, "a.json", '{{"tokens": ["a"], "offsets": [[0, {}]]}}\n', "not an? |not J"),
        (read_alignment, "a.txt", "0-{}\n", "alignment point"),
        (read_alignment, "a.txt", GIZA, "position"),
        (Model.load, "m.json", '{{"format": {}', "is not JSON"),
    ],
)
def test_huge(tmp_path: Path, read: Any, name: str, text: str, told: str, number: str) -> None:
    path = tmp_path / name
    path.write_text(text.format(number), encoding="utf-8")
    with pytest.raises(InputError, match=told):
        read(path)
