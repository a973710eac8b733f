"""The evaluation data that isn't part of the repository; metaeval reads the judged folders."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path

import pytest

from albeit.data import EvalSet, build_evalset, read
from albeit.data.files import open_file
from albeit.errors import AlbeitWarning

pytestmark = pytest.mark.shared


def read_quietly(path: Path) -> tuple[EvalSet, list[AlbeitWarning]]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        evalset = read(path)
    messages = [w.message for w in told if isinstance(w.message, AlbeitWarning)]
    assert len(messages) == len(told)
    return evalset, messages


def test_a_folder_without_judgments(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte-order mark has a warning, and each file is read once."""
    times: Counter[Path] = Counter()

    def counted(path: str | Path) -> object:
        times[Path(path)] += 1
        return open_file(path)

    monkeypatch.setattr("albeit.data.files.open_file", counted)
    evalset, told = read_quietly(shared_data / "wmt13" / "en-de")
    assert (len(evalset), len(evalset.documents), len(evalset.systems)) == (3000, 52, 21)
    assert [Path(w.path or "").name for w in told] == ["PROMT.2789.txt"]
    assert "byte-order mark" in told[0].what
    assert not evalset.systems["PROMT.2789"][0].startswith("\ufeff")
    assert len([path for path in times if path.parent.name == "systems"]) == 21
    assert set(times.values()) == {1}


def test_entities_and_empty_lines(shared_data: Path) -> None:
    evalset, told = read_quietly(shared_data / "wmt12" / "de-en")
    counts = {Path(w.path or "").stem: w.count for w in told}
    assert (counts["onlineB"] or 0) > 500
    assert sum(line == "" for line in evalset.systems["UG-WMT12"]) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evalset = read(shared_data / "wmt12" / "cs-en", unescape=True)
    assert not any("&quot;" in line for line in evalset.systems["onlineB"])


def test_compressed_bitext(shared_data: Path) -> None:
    it, en, ids = (shared_data / "bitext" / "en-it" / f"{n}.txt.gz" for n in ("it", "en", "docids"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(build_evalset([it], [], source=en, docs=ids, target_lang="it")) == 60_000
