"""Lexicons read backwards, by hand.

Files of a user's own: DiMLex for either side, beside English.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit import score
from albeit.data.evalset import EvalSet
from albeit.errors import InputError, LanguageError
from albeit.metrics.connectives.lexicons import Form, Lexicon, Translation
from albeit.metrics.connectives.lexicons.directions import (
    TURNED,
    classic,
    direction,
    supplied,
    turned,
)


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


XML = """<?xml version="1.0"?>
<dimlex>
<entry word="obwohl"><syn><sem><pdtb3_relation sense="comparison:concession:arg1-as-denier"/></sem></syn></entry>
<entry word="trotzdem"><syn><sem><pdtb3_relation sense="comparison:concession:arg2-as-denier"/></sem></syn></entry>
<entry word="weil"><syn><sem><pdtb3_relation sense="contingency:cause:reason"/></sem></syn></entry>
<entry word="ohne Sinn"/>
</dimlex>"""
ENGLISH = ("Although it rained, we left.", "He stayed, since he was ill.", "We slept.")
GERMAN = ("Obwohl es regnete, gingen wir.", "Er blieb, weil er krank war.", "Wir schliefen.")
WORSE = ("Weil es regnete, gingen wir.", "Er blieb, weil er krank war.", "Wir schliefen.")


@pytest.fixture
def dimlex(tmp_path: Path) -> str:
    path = tmp_path / "de.xml"
    path.write_text(XML, encoding="utf-8")
    return str(path)


def test_out_of_english_the_file_lists_translations(dimlex: str) -> None:
    known, lexicon = supplied(dimlex, ("en", "de"))
    assert "although" in known.connectives
    assert {t.text for t in lexicon.entries["although"]} == {"obwohl", "trotzdem"}
    assert lexicon.senses("since", Form.parse("weil", "de")) == ("Contingency.Cause",)
    assert "ohne Sinn" not in {t.text for _, t in lexicon}


def test_into_english_the_file_lists_what_is_translated(dimlex: str) -> None:
    known, lexicon = supplied(dimlex, ("de", "en"))
    assert set(known.connectives) == {"obwohl", "trotzdem", "weil", "ohne Sinn"}
    assert "although" in {t.text for t in lexicon.entries["obwohl"]}
    assert "since" in {t.text for t in lexicon.entries["weil"]}
    assert "ohne Sinn" not in lexicon.entries


def test_act_scores_by_it_in_both_directions(dimlex: str) -> None:
    name = f"act(lexicon={dimlex},alignment=no,connectives=all)"
    out = EvalSet(
        {"ref": GERMAN}, {"good": GERMAN, "bad": WORSE}, ENGLISH, source_lang="en", target_lang="de"
    )
    (found,) = score(out, metrics=[name]).columns.values()
    assert found.at("system").tolist() == [1.0, 0.5]
    back = ENGLISH, ("Because it rained, we left.", *ENGLISH[1:])
    into = EvalSet(
        {"ref": ENGLISH},
        {"good": back[0], "bad": back[1]},
        GERMAN,
        source_lang="de",
        target_lang="en",
    )
    (found,) = score(into, metrics=[name]).columns.values()
    assert found.at("system").tolist() == [1.0, 0.5]


def test_without_an_english_side_or_a_shared_sense_it_is_refused(
    dimlex: str, tmp_path: Path
) -> None:
    with pytest.raises(LanguageError, match=r"de-fr has no English side.*induce --dimlex"):
        supplied(dimlex, ("de", "fr"))
    empty = tmp_path / "none.xml"
    empty.write_text('<dimlex><entry word="ach"/></dimlex>', encoding="utf-8")
    with pytest.raises(InputError, match="no entry has a sense"):
        supplied(str(empty), ("en", "de"))
    with pytest.raises(InputError, match="cannot read"):
        supplied(str(tmp_path / "absent.xml"), ("en", "de"))
