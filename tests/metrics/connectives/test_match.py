from __future__ import annotations

import pytest

from albeit.metrics.connectives.lexicons import CLASSIC, Lexicon, inventory, lexicon
from albeit.metrics.connectives.lexicons.find import Detector
from albeit.metrics.connectives.lexicons.words import cut
from albeit.metrics.connectives.match import Decision, Links, Matcher, Reason

DETECT = Detector(inventory("en"), CLASSIC)


def decide(
    source: str,
    target: str,
    language: str,
    links: Links | None = None,
    *,
    careful: bool = False,
    own: Lexicon | None = None,
) -> list[Decision]:
    words = cut(source, "en")
    matcher = Matcher(own or lexicon("en", language), careful=careful)
    return matcher(DETECT(words), words, cut(target, language), links)


@pytest.mark.parametrize(
    ("source", "target", "language", "form"),
    [
        ("although it rains", "Bien qu'il pleuve", "fr", "bien que"),
        ("although it rains", "même s'il pleut", "fr", "même si"),
        ("since the start", "dall'inizio", "it", "da"),
        ("since it rains", "dal momento che piove", "it", "da momento che"),
        ("while it is true", "Das ist zwar wahr, aber neu", "de", "zwar … aber"),
        ("OBWOHL? although", "OBWOHL es regnet", "de", "obwohl"),
        ("although it rains", "en dépit du fait qu'il pleut", "fr", "en dépit de fait que"),
        ("though it rains", "malgré le fait qu&apos;il pleut", "fr", "malgré le fait que"),
        ("however, I think it rains", "J'estime cependant qu'il pleut", "fr", "cependant"),
        ("since it rains", "parce qu'il pleut", "fr", "parce que"),
        ("although it rains", "wobei es regnet", "de", "wobei"),
        ("although it rains", "es regnet aber auch dort", "de", "aber"),
        ("it has since rained", "inzwischen hat es geregnet", "de", "inzwischen"),
        ("however it rains", "cionondimeno piove", "it", "cionondimeno"),
        ("while it rains", "mentre piove", "it", "mentre"),
        ("although it rains", "برغم أنه يمطر", "ar", "برغم ان"),
        ("since it rains", "نظرا لأنها تمطر", "ar", "نظرا لان"),
        ("it does not rain yet", "لا تمطر حتى الآن", "ar", "حتي الان"),
        ("although it rains", "على الرغم من المطر", "ar", "علي الرغم من"),
        ("however it rains", "ولكنه يمطر", "ar", "لكن"),
        ("since he came", "منذ أن جاء", "ar", "منذ ان"),
    ],
)
def test_forms_of_four_languages(source: str, target: str, language: str, form: str) -> None:
    assert decide(source, target, language)[0].name == form


def test_substrings_do_not_match() -> None:
    assert decide("since 1990", "Madagascar", "fr")[0].reason is Reason.ABSENT


def test_the_papers_example_needs_alignment() -> None:
    source = "it was not so bad although we had storms"
    target = "ce n'était pas si mauvais même si nous avons eu des tempêtes"
    words = cut(target, "fr").forms
    at = words.index("même")
    found = decide(source, target, "fr", [(5, at)])[0]
    assert found.name == "même si"
    assert found.reason is Reason.ALIGNED


def test_nearest_to_the_aligned_word_then_to_the_source_place() -> None:
    source = "however we go"
    target = "aber wir gehen doch heim"
    assert decide(source, target, "de")[0].name == "aber"
    near = decide(source, target, "de", [(0, 4)])[0]
    assert (near.name, near.reason) == ("doch", Reason.NEAR_ALIGNED)


def test_each_connective_gets_its_own_words() -> None:
    source = "since 2004 and since 2005"
    target = "seit 2004 und seit 2005"
    hits = [d.hit for d in decide(source, target, "de")]
    assert [h.tokens if h else None for h in hits] == [(0,), (3,)]
    only = decide(source, "seit 2004 und 2005", "de")
    assert [d.hit is not None for d in only] == [True, False]
    assert only[1].reason is Reason.TAKEN


def test_care_rejects_what_translates_other_words() -> None:
    source = "but though it rains we go"
    target = "doch wenn es regnet gehen wir"
    links = [(0, 0), (3, 3), (2, 2)]
    assert decide(source, target, "de", links)[0].name == "doch"
    careful = decide(source, target, "de", links, careful=True)[0]
    assert careful.hit is None
    assert careful.reason is Reason.REJECTED


def test_care_lets_a_neighbour_share() -> None:
    source = "particularly since it rains"
    found = decide(source, "zumal es regnet", "de", [(0, 0), (2, 1), (3, 2)], careful=True)[0]
    assert found.name == "zumal"


def test_an_empty_translation() -> None:
    assert decide("although it rains", "", "de")[0].reason is Reason.ABSENT
