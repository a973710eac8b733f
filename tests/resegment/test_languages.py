"""Cutting by meaning in languages of the multilingual encoder."""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit.resegment.segment import segment_text

REFERENCE = (
    "Die Katze schlief tief auf dem Sofa.",
    "Der Bahnhof war wegen Bauarbeiten geschlossen.",
    "Die Regierung erhöht im Januar die Steuern.",
    "Im Finale gewann Brasilien gegen Italien.",
)
PIECES = (
    "Ein Kater hat auf der Couch geschlummert.",
    "Züge hielten nicht, denn man renovierte die Station.",
    "Ab Neujahr müssen Bürger mehr Abgaben zahlen, so das Kabinett.",
    "Brasilianische Fußballer siegten im Endspiel über die Italiener.",
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path))


def test_other_languages_go_by_the_multilingual_encoder() -> None:
    found = segment_text(REFERENCE, " ".join(PIECES), "de")
    assert found.way == "meaning"
    assert found.pieces() == PIECES


def test_a_segment_without_words_takes_nothing_away() -> None:
    found = segment_text((*REFERENCE, "\u200f"), " ".join(PIECES), "de", "meaning")
    assert " ".join(filter(None, found.pieces())) == " ".join(PIECES)
