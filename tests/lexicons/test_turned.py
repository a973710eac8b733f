"""Lexicons read backwards, by hand."""

from __future__ import annotations

import pytest

from albeit.errors import LanguageError
from albeit.lexicons import Form, Lexicon, Translation
from albeit.lexicons.turned import TURNED, classic, direction, turned


def form(text: str) -> Form:
    return Form.parse(text, "de")


FORWARD = Lexicon(
    "en",
    "de",
    {
        "although": (
            Translation("obwohl", form("obwohl"), ("Comparison.Concession",), 180),
            Translation("aber", form("aber"), ("Comparison.Contrast",), 36),
        ),
        "but": (
            Translation("aber", form("aber"), ("Comparison.Contrast", "Comparison.Concession")),
            Translation("also", form("also"), ("Contingency.Cause",), 1, doubtful=True),
        ),
    },
    (form("wenn aber"),),
    "7",
)


def test_by_hand() -> None:
    known, back = turned(FORWARD)
    assert (back.source_lang, back.target_lang, back.version) == ("de", "en", "7")
    assert {name: [t.text for t in found] for name, found in back.entries.items()} == {
        "obwohl": ["although"],
        "aber": ["although", "but"],
    }  # "also" is doubtful
    assert back.senses("aber", Form.parse("but", "en")) == FORWARD.senses("but", form("aber"))
    assert known.connectives["aber"].senses == ("Comparison.Contrast", "Comparison.Concession")
    assert "wenn aber" in known.connectives  # takes its words from "aber", and is no entry itself
    assert classic(back) == ("obwohl", "aber")


@pytest.mark.parametrize("language", TURNED)
def test_every_language(language: str) -> None:
    known, back = direction(language, "en")
    assert known.language == language
    assert set(back.entries) <= set(known.connectives)
    assert len(back.entries) > 50
    assert all(t.form.parts for _, t in back)


def test_other_directions() -> None:
    assert direction("en", "de")[1].target_lang == "de"
    with pytest.raises(LanguageError, match="de-en, fr-en, it-en"):
        direction("en", "cs")
    with pytest.raises(LanguageError):
        direction("ar", "en")
