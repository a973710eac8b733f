"""Dictionaries of the original ACT program, as files of Perl assignments."""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit import EvalSet, score
from albeit.errors import InputError, LanguageError
from albeit.metrics.connectives import Form
from albeit.metrics.connectives.load import supplied

FILE = """#!/usr/bin/perl
use utf8;
my $althoughCONCESSION = "obwohl|(auch|selbst) wenn|^trotz(dem| allem)";
$althoughCONTRAST = "während| aber |";   # a comment
$although="obwohl|zwar";
$eventhough = '^Auch wenn';
$sinceTEMPORAL = "seit|
  seitdem";
$sinceCAUSAL = "da|seit";
$notyet = "noch (nicht|kein(|e|en))";
$yetADVERB = "noch|^aber";
$yetCONTRAST = " aber ";
$meanwhileTEMPORAL = "";
1;
"""


def write(tmp_path: Path, text: str) -> str:
    path = tmp_path / "dictionary.pl"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_names_groups_and_senses(tmp_path: Path) -> None:
    known, found = supplied(write(tmp_path, FILE), ("en", "de"))
    listed = {name: {str(t.form): t.senses for t in ts} for name, ts in found.entries.items()}
    contrast, concession = ("Comparison.Contrast",), ("Comparison.Concession",)
    obwohl = {
        **dict.fromkeys(("obwohl", "auch wenn", "selbst wenn", "trotzdem"), concession),
        "trotz allem": concession,
        **dict.fromkeys(("während", "aber"), contrast),
        "zwar": concession + contrast,
    }
    assert listed["although"] == obwohl
    assert listed["even though"] == {"auch wenn": concession + contrast}
    assert listed["since"]["seit"] == ("Temporal.Asynchronous", "Contingency.Cause")
    assert [*listed["not yet"]] == ["noch nicht", "noch kein", "noch keine", "noch keinen"]
    assert "meanwhile" not in listed
    assert known.connectives["not yet"].senses == ("Other.Adverb",)
    assert found.name == "en-de.original:dictionary.pl"


def test_anchors_are_borders(tmp_path: Path) -> None:
    _, found = supplied(write(tmp_path, FILE), ("en", "de"))
    forms = {str(t.form): t.form.initial for ts in found.entries.values() for t in ts}
    assert {form for form, initial in forms.items() if initial} == {
        "trotzdem",
        "trotz allem",
        "auch wenn",
    }
    source = ("Although it rains, we go.", "We go even though it rains.", "We do not yet go.")
    systems = {
        "same": ("Obwohl es regnet, gehen wir.", "Auch wenn es regnet: los.", "Noch nicht."),
        "other": ("Es regnet, trotzdem geht es.", "Wir gehen, auch wenn es regnet.", "Aber nie."),
    }
    evalset = EvalSet({"ref": systems["same"]}, systems, source, (), "en", "de")
    name = f"act(preset=classic,alignment=no,lexicon={tmp_path / 'dictionary.pl'})"
    assert score(evalset, [name])[name].system.tolist() == [1.0, 0.0]


def test_a_form_is_the_same_with_and_without_an_anchor(tmp_path: Path) -> None:
    text = '$yetADVERB = "^doch|aber";\n$yetCONTRAST = "doch|^aber|^nur";\n'
    _, found = supplied(write(tmp_path, text), ("en", "de"))
    doch, aber, nur = found.entries["yet"]
    assert (doch.form.initial, aber.form.initial, nur.form.initial) == (False, False, True)
    assert nur.form == Form.parse("nur", "de")
    assert doch.senses == aber.senses == ("Other.Adverb", "Comparison.Contrast")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('\n$since = "da"\n$yet = "doch";', ":2: is not a Perl assignment"),
        ('$since = "da;\n$yet = "doch";', ":1: is not a Perl assignment"),
        ('$since = "da";\nyet = "doch";', ":2: is not a Perl assignment"),
        ('$since = "da";\n$because = "weil";', ":2: .because is not a connective of ACT"),
        ('$sinceTIME = "seit";', ":1: .sinceTIME is not a connective"),
        ('# x\n$since = "(da|weil";', ":2: a parenthesis is not closed"),
        ('$since = "da)|weil";', ":1: a parenthesis is not open"),
        ('$since = "da ^weil";', ":1: the form 'da .weil' has a character"),
        ('$since = "da.*";', ":1: the form 'da..' has a character"),
        ('$since = "' + "(a|b|c|d)" * 9 + '";', ":1: the groups make more than 10000 forms"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=r"dictionary.pl" + message):
        supplied(write(tmp_path, text), ("en", "de"))


def test_only_from_english(tmp_path: Path) -> None:
    with pytest.raises(LanguageError, match="no list of connectives for source language 'de'"):
        supplied(write(tmp_path, FILE), ("de", "en"))
