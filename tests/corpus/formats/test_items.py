"""Test sets in tables whose rows bring sentence and context."""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit.corpus import EvalSet, read, write
from albeit.corpus.front import detect
from albeit.corpus.judgments import Pairs, Ratings, read_judgments
from albeit.errors import AlbeitWarning, InputError


def put(path: Path, *rows: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(row.replace("·", "\t") + "\n" for row in rows), encoding="utf-8")
    return path


CONTRASTIVE = (
    "id·src_lang·context·source·reference·good·bad·src_context",
    "a·de·One. || Two.·Drei.·3.·Three.·Tree.·Eins. || Zwei.",
    "b·de·One and two.·Drei.·3.·Three &amp; four.·Trees.·Eins. || Zwei.",
    "a·de··Vier.·4.·Four.·For.·",
)


def test_right_and_wrong_translations(tmp_path: Path) -> None:
    table = put(tmp_path / "toy-x-en" / "contrastive.tsv", *CONTRASTIVE)
    assert detect(table) == detect(table.parent) == "contrastive"
    with pytest.warns(AlbeitWarning, match="1 line with HTML entities"):
        found = read(table.parent)
    assert (found.name, found.source_lang, found.target_lang) == ("toy", "de", "en")
    assert [d.id for d in found.documents] == ["a", "b", "a#2"]
    assert found.systems["bad"] == ("One.", "Two.", "Tree.", "One and two.", "Trees.", "For.")
    assert found.references["ref"] == ("One.", "Two.", "3.", "One and two.", "3.", "4.")
    assert found.source == ("Eins.", "Zwei.", "Drei.", "Eins. Zwei.", "Drei.", "Vier.")
    assert read(table, unescape=True).systems["good"][4] == "Three & four."
    pairs = read_judgments(table)
    assert isinstance(pairs, Pairs)
    assert pairs.systems == ("good", "bad")
    assert pairs.segment.tolist() == [2, 4, 5]
    assert pairs.preference.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("references", "says"),
    [
        (("Three.", "Four."), "the reference is the translation 'good' itself"),
        (("3.", ""), "only 1 of 2 items have a reference"),
    ],
)
def test_references_that_are_none(tmp_path: Path, references: tuple[str, str], says: str) -> None:
    rows = (f"{references[0]}·Three.·Tree.", f"{references[1]}·Four.·For.")
    table = put(tmp_path / "contrastive.tsv", "reference·good·bad", *rows)
    with pytest.warns(AlbeitWarning, match=says):
        found = read(table)
    assert found.references == {}
    assert found.source is None


ITEMS = (
    "docid·doc_line·source·reference_tok·ref_context·system·hypothesis_tok·zpr·score",
    "d·1·Eins·One .·Zero.·x·one .·0·4",
    "d·1·Eins·One .·Zero.·y·won .·-1·2",
    "d·1·Eins·One .·Zero.·x·one .·0·5",
    "d·2·Zwei·Two .··x·two .·0·5",
    "d·2·Zwei·Two .··y·too .·0·1",
)


def test_judged_translations_with_their_texts(tmp_path: Path) -> None:
    table = put(tmp_path / "zero-zh-en" / "judgments.tsv", *ITEMS)
    assert detect(table) == detect(table.parent) == "items"
    with pytest.warns(AlbeitWarning, match="the context of 1 item has no source"):
        found = read(table.parent)
    assert found.systems == {"x": ("Zero.", "one .", "two ."), "y": ("Zero.", "won .", "too .")}
    assert found.source == ("", "Eins", "Zwei")
    ratings = read_judgments(table)
    assert isinstance(ratings, Ratings)
    assert ratings.matrix(3)[:, 1:].tolist() == [[4.5, 5.0], [2.0, 1.0]]
    other = read_judgments(table, column="zpr")
    assert isinstance(other, Ratings)
    assert other.score.tolist() == [0, -1, 0, 0, 0]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ((*ITEMS, "d·3·Drei·Three .··x·three .·0·1"), "'y' has no translation of item 3, 'Drei'"),
        ((*ITEMS, "d·2·Zwei·Two .··y·to .·0·1"), r":7: 'y' translates this sentence otherwise"),
        (ITEMS[:1], "has a header but no translations"),
        (("good·bad", "same·same"), ":2: the good and the bad translation are the same"),
        (("good·bad",), "has a header but no items"),
    ],
)
def test_mistakes(tmp_path: Path, rows: tuple[str, ...], says: str) -> None:
    with pytest.raises(InputError, match=says):
        read(put(tmp_path / "table.tsv", *rows))


def test_these_are_only_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="format 'items' is only read"):
        write(EvalSet({}, {"x": ("a",)}), tmp_path / "a.tsv", "items")
