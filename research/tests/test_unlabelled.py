"""Unannotated texts: what is taken of each kind, and how it is cut."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from training import unlabelled


def test_definitions_are_taken_from_wordnets_files_with_their_examples(tmp_path: Path) -> None:
    folder = tmp_path / "wndb/dict"
    folder.mkdir(parents=True)
    for part in ("noun", "verb", "adj", "adv"):
        (folder / f"data.{part}").write_text("  1 a licence\n", encoding="utf-8")
    line = '00001740 29 v 01 take_a_breath 0 000 | draw air in; "I can breathe again"; "He did"  \n'
    (folder / "data.verb").write_text(line, encoding="utf-8")
    told, *examples = unlabelled.definitions(tmp_path)
    assert told.endswith("draw air in")
    assert examples == ["I can breathe again", "He did"]


def test_licences_come_by_paragraphs(tmp_path: Path) -> None:
    folder = tmp_path / "spdx/licenses"
    folder.mkdir(parents=True)
    text = "Permission is\nhereby granted.\n\nNo warranty."
    (folder / "X.json").write_text(json.dumps({"licenseText": text}), encoding="utf-8")
    assert list(unlabelled.licenses(tmp_path)) == ["Permission is hereby granted.", "No warranty."]


def test_manuals_are_prose_of_docstrings_of_named_packages(tmp_path: Path) -> None:
    for name in ("numpy", "scipy"):
        (tmp_path / name).mkdir()
        text = f'"""About {name}.\n\nUse it::\n\n    >>> 1\n\nAnd\nso on."""\n'
        (tmp_path / name / "a.py").write_text(text, encoding="utf-8")
    found = list(unlabelled.manuals(tmp_path))
    assert found == ["About numpy.", "And so on.", "About scipy.", "And so on."]


def test_a_missing_package_of_manuals_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="numpy is not there"):
        list(unlabelled.manuals(tmp_path))


def test_a_text_is_cut_as_the_package_cuts_it() -> None:
    item = unlabelled.make_item("a", "news", "It wasn't late. He left, though.")
    assert item is not None
    assert [row.words for row in item.rows] == [
        ["It", "was", "n't", "late", "."],
        ["He", "left", ",", "though", "."],
    ]
    assert unlabelled.make_item("a", "news", "one") is None
    assert unlabelled.make_item("a", "news", "broken \ufffd text here") is None


def test_no_text_comes_twice_and_no_kind_too_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(unlabelled.SIZES, "news", 2)
    texts = ["A first line .", "A first line .", "A second line .", "A third line .", ""]
    assert len(unlabelled.sample([("news", texts), ("talks", texts)], 1)) == 2 + 3
