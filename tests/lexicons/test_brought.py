"""Files of a user's own: DiMLex for either side, beside English."""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit import score
from albeit.corpus.evalset import EvalSet
from albeit.errors import InputError, LanguageError
from albeit.lexicons.brought import brought
from albeit.lexicons.lexicon import Form

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
    known, lexicon = brought(dimlex, ("en", "de"))
    assert "although" in known.connectives
    assert {t.text for t in lexicon.entries["although"]} == {"obwohl", "trotzdem"}
    assert lexicon.senses("since", Form.parse("weil", "de")) == ("Contingency.Cause",)
    assert "ohne Sinn" not in {t.text for _, t in lexicon}


def test_into_english_the_file_lists_what_is_translated(dimlex: str) -> None:
    known, lexicon = brought(dimlex, ("de", "en"))
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
        brought(dimlex, ("de", "fr"))
    empty = tmp_path / "none.xml"
    empty.write_text('<dimlex><entry word="ach"/></dimlex>', encoding="utf-8")
    with pytest.raises(InputError, match="no entry has a sense"):
        brought(str(empty), ("en", "de"))
    with pytest.raises(InputError, match="cannot read"):
        brought(str(tmp_path / "absent.xml"), ("en", "de"))
