"""The evaluation data beside the checkout: every folder reads, and has the size it should."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path

import pytest

from albeit.data import EvalSet, build_evalset, read
from albeit.data.files import open_file
from albeit.errors import AlbeitWarning

pytestmark = pytest.mark.shared

# folder: segments, documents, systems, references
SIZES = {
    "wmt12/cs-en": (3003, 99, 6, 1),
    "wmt12/de-en": (3003, 99, 16, 1),
    "wmt12/es-en": (3003, 99, 12, 1),
    "wmt12/fr-en": (3003, 99, 15, 1),
    "wmt13/cs-en": (3000, 52, 12, 1),
    "wmt13/de-en": (3000, 52, 23, 1),
    "wmt13/es-en": (3000, 52, 17, 1),
    "wmt13/fr-en": (3000, 52, 19, 1),
    "wmt13/en-de": (3000, 52, 21, 1),
    "wmt13/en-fr": (3000, 52, 23, 1),
    "wmt21/ru-en": (1000, 107, 10, 2),
    "wmt21/ja-en": (1005, 81, 16, 1),
    "wmt21/is-en": (1000, 47, 10, 1),
    "ted-mqm/zh-en": (529, 5, 13, 2),
    "ted-mqm/en-de": (529, 5, 13, 1),
}


def read_quietly(path: Path) -> tuple[EvalSet, list[AlbeitWarning]]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        evalset = read(path)
    messages = [w.message for w in told if isinstance(w.message, AlbeitWarning)]
    assert len(messages) == len(told)
    return evalset, messages


@pytest.mark.parametrize("folder", sorted(SIZES))
def test_every_folder(shared_data: Path, folder: str) -> None:
    evalset, _ = read_quietly(shared_data / folder)
    found = (len(evalset), len(evalset.documents), len(evalset.systems), len(evalset.references))
    assert found == SIZES[folder]
    assert f"{evalset.source_lang}-{evalset.target_lang}" == folder.split("/")[1]
    assert evalset.name == folder.split("/")[0]


def test_traps_are_told_of(shared_data: Path) -> None:
    evalset, told = read_quietly(shared_data / "wmt13" / "en-de")
    assert [Path(w.path or "").name for w in told] == ["PROMT.2789.txt"]
    assert "byte-order mark" in told[0].what
    assert not evalset.systems["PROMT.2789"][0].startswith("\ufeff")
    evalset, told = read_quietly(shared_data / "wmt12" / "de-en")
    counts = {Path(w.path or "").stem: w.count for w in told}
    assert (counts["onlineB"] or 0) > 500
    assert sum(line == "" for line in evalset.systems["UG-WMT12"]) == 2


def test_unescaped_text_has_no_entities(shared_data: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evalset = read(shared_data / "wmt12" / "cs-en", unescape=True)
    assert not any("&quot;" in line for line in evalset.systems["onlineB"])


def test_compressed_bitext(shared_data: Path) -> None:
    folder = shared_data / "bitext" / "en-it"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        evalset = build_evalset(
            [folder / "it.txt.gz"],
            [],
            source=folder / "en.txt.gz",
            docs=folder / "docids.txt.gz",
            source_lang="en",
            target_lang="it",
        )
    assert len(evalset) == 60_000


def test_a_large_folder_is_read_once(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shared_data / "wmt13" / "en-de"
    times: Counter[Path] = Counter()

    def counted(path: str | Path) -> object:
        times[Path(path)] += 1
        return open_file(path)

    monkeypatch.setattr("albeit.data.files.open_file", counted)
    read_quietly(folder)
    assert len([path for path in times if path.parent.name == "systems"]) == 21
    assert set(times.values()) == {1}
