"""Values of the wrong kind are one clear error, wherever they come from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import albeit
from albeit.data.evalset import Document, EvalSet
from albeit.errors import AlbeitError, InputError
from albeit.metrics.base import LONGEST
from albeit.metrics.connectives.build import check
from albeit.metrics.connectives.load import inventory, read_dimlex


@pytest.mark.parametrize(
    ("references", "systems", "says"),
    [
        ({"r": "one string"}, {}, "reference 'r' is str, not a list of lines"),
        ({"r": None}, {}, "reference 'r' is None, not a list"),
        (["a"], {}, "references are given as list"),
        ({"r": ["a"]}, {"s": [None]}, "system 's', segment 1: None is no text"),
        ({"r": ["a", "b"]}, {"s": ["a", float("nan")]}, "segment 2: nan is no text"),
        ({"r": ["a"]}, {"s\n": ["a"]}, r"a system is called 's\\n'"),
        ({"r\x1b[2J": ["a"]}, {}, "a reference is called"),
        ({3: ["a"]}, {}, "a reference is called 3"),
    ],
)
def test_texts(references: Any, systems: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        EvalSet(references, systems)


def test_names_of_documents() -> None:
    with pytest.raises(InputError, match=re.escape(r"a document is called 'a\x07'")):
        EvalSet({"r": ("a",)}, {}, documents=(Document("a\a", 0, 1),))


@pytest.mark.parametrize("metrics", [3, [None], [3.5], ["bleu", ["chrf"]]])
def test_metrics(metrics: Any) -> None:
    with pytest.raises(AlbeitError):
        albeit.score(EvalSet({"r": ("a",)}, {"s": ("a",)}), metrics)
    unread: Any = "ref.txt"
    with pytest.raises(InputError, match="no EvalSet"):
        albeit.score(unread)


@pytest.mark.parametrize("name", ["chrf(char_order=100000000)", "bleu(max_ngram=1000000)"])
def test_orders_have_a_bound(name: str) -> None:
    with pytest.raises(AlbeitError, match="100"):
        albeit.metric(name)


@pytest.mark.parametrize("name", ["ter", "rouge-l", "rouge-w", "sim", "dr", "dr-lex"])
def test_a_line_that_cannot_be_compared(name: str) -> None:
    long = "word " * (LONGEST + 1)
    evalset = EvalSet({"r": ("a", "b")}, {"s": ("a", long)})
    with pytest.raises(InputError, match="system 's', line 2: a line of 5,001 words"):
        albeit.score(evalset, [name])


@pytest.mark.parametrize("name", ["act", "act-free", "pronouns", "terms"])
def test_a_line_that_cannot_be_aligned(name: str) -> None:
    long = "While he sleeps " * 334
    evalset = EvalSet(
        {"r": ("a", "b")}, {"s": ("a", "b")}, ("a", long), (Document("d", 0, 2),), "en", "de"
    )
    with pytest.raises(InputError, match="the source, line 2: a line of 1,002 words is too long"):
        albeit.score(evalset, [name])


def test_lexicons_that_are_none(tmp_path: Path) -> None:
    binary = tmp_path / "x.tsv"
    binary.write_bytes(bytes(range(256)))
    with pytest.raises(InputError, match="not UTF-8"):
        check(binary, inventory("en"))
    bomb = tmp_path / "x.xml"
    bomb.write_text('<!DOCTYPE dimlex [<!ENTITY a "lol">]><dimlex>&a;</dimlex>')
    with pytest.raises(InputError, match="declares entities"):
        read_dimlex(bomb, "de")
