"""Every folder of the evaluation data is read with its judgments, unaided."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from albeit.data.judgments import Pairs
from albeit.errors import AlbeitWarning
from albeit.metaeval import read_judged

pytestmark = pytest.mark.shared

# folder: segments, documents, systems, references, judgments, what people gave
SIZES = {
    "wmt12/cs-en": (3003, 99, 6, 1, 12775, "pairs"),
    "wmt12/de-en": (3003, 99, 16, 1, 14138, "pairs"),
    "wmt12/es-en": (3003, 99, 12, 1, 11286, "pairs"),
    "wmt12/fr-en": (3003, 99, 15, 1, 13822, "pairs"),
    "wmt13/cs-en": (3000, 52, 11, 1, 85469, "pairs"),
    "wmt13/de-en": (3000, 52, 17, 1, 128668, "pairs"),
    "wmt13/es-en": (3000, 52, 12, 1, 67832, "pairs"),
    "wmt13/fr-en": (3000, 52, 13, 1, 80741, "pairs"),
    "wmt21/is-en": (1000, 47, 10, 1, 8903, "z"),
    "wmt21/ja-en": (1005, 81, 16, 1, 14482, "z"),
    "wmt21/ru-en": (1000, 107, 10, 2, 8926, "z"),
    "ted-mqm/en-de": (529, 5, 13, 1, 6877, "mqm_avg"),
    "ted-mqm/zh-en": (529, 5, 13, 2, 6877, "mqm_avg"),
}
DISCOURSE = {
    "wmt23-mqm/zh-en": (1976, 179, 15, 1, 17655, "mqm"),
    "wmt23-mqm/en-de": (557, 192, 12, 1, 5520, "mqm"),
    "newstest21-mqm/zh-en": (648, 51, 13, 2, 8302, "mqm_penalty"),
    "newstest21-mqm/en-de": (526, 32, 13, 4, 6822, "mqm_penalty"),
    "wmt24-esa/en-zh": (997, 170, 12, 1, 8049, "esa"),
    "diabla/fr-en": (2883, 144, 1, 1, 2878, "judgment"),
    "diabla/en-fr": (2865, 144, 1, 1, 2860, "judgment"),
}


@pytest.mark.parametrize("folder", sorted(SIZES | DISCOURSE))
def test_every_folder(shared_data: Path, folder: str, request: pytest.FixtureRequest) -> None:
    of_sets = folder in DISCOURSE
    path = (request.getfixturevalue("discourse_data") if of_sets else shared_data) / folder
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = read_judged(path)
    assert all(isinstance(w.message, AlbeitWarning) for w in told)
    evalset, judgments = found.evalset, found.judgments
    kind = "pairs" if isinstance(judgments, Pairs) else judgments.kind
    sizes = (len(evalset), len(evalset.documents), len(evalset.systems), len(evalset.references))
    assert (*sizes, len(judgments), kind) == (SIZES | DISCOURSE)[folder]
    assert judgments.systems == tuple(evalset.systems)
    assert not any(name.startswith("synthetic") for name in evalset.references)
    assert [evalset.source_lang, evalset.target_lang] == path.name.split("-")[-2:]
