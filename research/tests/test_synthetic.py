"""Synthetic errors: one test per type, and how they are drawn."""

from __future__ import annotations

import random
from collections import Counter
from itertools import takewhile

import pytest

from training.synthetic import POINTS, SHARES, ErrorMaker, Vocabulary, align_words, by_quota

TEXTS = [
    "On Monday the minister met Anna Novak in Prague, before the vote in the evening.",
    "In Oslo the minister met Peter Novak in Prague, and Peter left after the vote in the evening.",
    "Then Anna Novak flew to Oslo, and Peter Smith stayed; Smith and Anna met in Oslo.",
    "The demonstration, which the situation and the negotiation made large, ended in the morning.",
    "The situation changed the negotiation and the demonstration, and the situation grew.",
]
EXAMPLES = {
    "antonym": "It was easy to accept the higher price.",
    "negation": "The minister has accepted the new plan of the city.",
    "number": "He sold 250 cars on that day in the city.",
    "name": "Yesterday evening the old minister met Novak again.",
    "dropped clause": "He said, although he was tired that day, that he would come.",
    "quantifier": "It takes at least ten days until they come.",
    "untranslated word": "The old castle is in the middle of the town.",
    "wrong word": "They spoke about the recommendation of the old country.",
    "repetition": "They spoke about the situation of the old country.",
    "connective": "They stayed at home because it was raining all day.",
    "pronoun": "He said that the plan was not his own idea.",
    "person": "In the end we will pay for our own mistakes.",
    "gender": "The woman said that he had lost his keys.",
    "addition": "They spoke about the situation of the country, and left.",
    "dropped word": "They spoke about the situation of the country again.",
    "tense": "The house is at the end of the street.",
    "word order": "They spoke about the situation of the country again.",
    "remark": "They spoke about the situation of the country.",
    "function word": "They spoke about the situation in the country.",
    "inflection": "They spoke about the houses of the country.",
    "misspelling": "They spoke about the houses of the country.",
    "doubled word": "They spoke about the houses of the country.",
    "casing": "Anna Novak spoke about the houses of the country.",
    "markup": "They spoke about the houses of the country.",
    "punctuation": "They spoke about the houses, and about the country.",
    "truncation": "They spoke about the houses, and about the country.",
}
LEXICON = {"castle": "Schloss"}


def maker(seed: int = 1) -> ErrorMaker:
    return ErrorMaker(random.Random(seed), Vocabulary(TEXTS * 2), "en")


def made(kind: str, text: str, tries: int = 60) -> set[str]:
    found = {maker(seed).make(text, kind, LEXICON) for seed in range(tries)}
    return {one for one in found if one is not None}


def test_every_type_has_points_and_an_example() -> None:
    assert set(maker().types) | {"non-translation"} == set(POINTS)
    assert set(EXAMPLES) == set(maker().types)


@pytest.mark.parametrize("kind", sorted(EXAMPLES))
def test_a_type_changes_its_example_in_one_place(kind: str) -> None:
    text = EXAMPLES[kind]
    found = made(kind, text)
    assert found
    for one in found:
        assert one != text
        if kind in ("casing", "markup", "remark"):
            continue
        before, after = text.split(), one.split()
        start, end = (
            len(list(takewhile(lambda pair: pair[0] == pair[1], zip(*both, strict=False))))
            for both in ((before, after), (before[::-1], after[::-1]))
        )
        changed = len(before) - start - end
        assert changed <= (9 if kind in ("truncation", "dropped clause") else 3), one


DAYS = ("Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
READ_LIKE: list[tuple[str, str, set[str]]] = [
    (
        "antonym",
        "That was an easy way to accept it.",
        {"That was a difficult way to accept it.", "That was an easy way to reject it."},
    ),
    (
        "antonym",
        "Please answer as soon as possible today, New York!",
        {"Please answer as soon as possible tomorrow, New York!"},
    ),
    ("negation", "They won't sell the old house now.", {"They will sell the old house now."}),
    ("negation", "He did not only sell the old house.", set()),
    ("negation", "Why is that your greatest success here?", set()),
    ("negation", "The mayor had two old houses there.", set()),
    (
        "number",
        "They met on Monday in the city.",
        {f"They met on {day} in the city." for day in DAYS},
    ),
    (
        "name",
        "Yesterday the minister met Novak, again there.",
        {f"Yesterday the minister met {n}, again there." for n in ("Anna", "Peter", "Smith")},
    ),
    (
        "dropped clause",
        "He said, although he was tired, that it rained.",
        {"He said, that it rained.", "He said, although he was tired."},
    ),
    ("quantifier", "It takes at least ten days, then.", {"It takes at most ten days, then."}),
    ("quantifier", "Only a few people came back that day.", set()),
    ("untranslated word", "The old castle is in the town.", {"The old Schloss is in the town."}),
    (
        "pronoun",
        "They can not get it done this week.",
        {f"They can not get {p} done this week." for p in ("him", "them")},
    ),
    ("person", "The US army left the city again yesterday.", set()),
    (
        "gender",
        "They gave her car to him on Friday.",
        {"They gave his car to him on Friday.", "They gave her car to her on Friday."},
    ),
    ("gender", "The woman left the house on Friday.", {"The man left the house on Friday."}),
    (
        "connective",
        "Unless it rains, they will go home.",
        {f"{word} it rains, they will go home." for word in ("Because", "Although")},
    ),
    (
        "tense",
        "The bridge will be closed on that day.",
        {"The bridge had been closed on that day."},
    ),
    ("casing", "they left the house in Prague again.", set()),
]


@pytest.mark.parametrize(("kind", "text", "expected"), READ_LIKE)
def test_errors_read_like_errors_of_their_type(kind: str, text: str, expected: set[str]) -> None:
    assert made(kind, text) == expected


def test_types_are_drawn_by_their_shares() -> None:
    rng, counts = random.Random(1), Counter[str]()
    for _ in range(2700):
        counts[by_quota(counts, POINTS, rng)[0]] += 1
    assert counts["antonym"] == pytest.approx(2 * counts["tense"], rel=0.1)
    assert counts["casing"] == pytest.approx(SHARES["casing"] * counts["tense"], rel=0.1)


def test_words_are_aligned_by_how_often_they_occur_together() -> None:
    pairs = [
        ("Das Schloss ist alt", "The castle is old"),
        ("Mein Schloss brennt", "My castle burns down"),
        ("Das Wetter bleibt", "The weather stays"),
        ("Das Wetter wechselt", "The weather changes"),
    ]
    found = align_words(pairs, "en")
    assert found[0] == {"castle": "Schloss"}
    assert found[2] == {"weather": "Wetter"}
    (chinese,) = align_words([("总理昨天前往华沙", "The chancellor traveled yesterday")], "en")
    assert set(chinese) == {"chancellor", "traveled", "yesterday"}
    assert set(chinese.values()) <= {"总理昨天", "前往华沙"}
