import pytest

from albeit.flags.text.names import alike, names_in
from albeit.flags.text.pinyin import is_pinyin, nearest, read_in
from albeit.flags.text.words import distance, is_english, script_of, words_in


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("Merkel", "Mekrel", 1), ("Obama", "Osama", 1), ("", "abc", 3), ("kitten", "sitting", 3)],
)
def test_distance_counts_exchanged_neighbours_as_one(one: str, other: str, expected: int) -> None:
    assert distance(one, other) == distance(other, one) == expected


@pytest.mark.parametrize(
    ("one", "other", "langs"),
    [
        ("Jelzin", "Jelzin", ("de", "en")),
        ("Chodorkowski", "Khodorkovsky", ("de", "en")),
        ("Nikolaïev", "Nikolajew", ("fr", "de")),
        ("Merkels", "Merkel", ("de", "en")),
        ("Föderaler", "Föderalen", ("de",)),
        ("Obamovi", "Obama", ("cs", "en")),
        ("Škoda", "Skoda", ("cs", "en")),
    ],
)
def test_one_name_in_two_spellings(one: str, other: str, langs: tuple[str, ...]) -> None:
    assert alike(one, other, langs)


@pytest.mark.parametrize(("one", "other"), [("Merkel", "Mekrel"), ("Merkel", "Johnson")])
def test_misspellings_are_not_alike(one: str, other: str) -> None:
    assert not alike(one, other, ("de", "en"))


def test_names_of_a_line_are_capitalised_words_without_possessive() -> None:
    found = names_in("In Berlin, Angela Merkel’s CDU-Chef met a@b.de")
    assert [word.form for word in found] == ["In", "Berlin", "Angela", "Merkel", "CDU", "Chef"]
    assert all("In Berlin, Angela Merkel’s CDU-Chef"[w.start : w.end] == w.form for w in found)


def test_chinese_names_are_found_by_how_they_are_read() -> None:
    assert read_in("Jinping", "国家主席习近平说")
    assert not read_in("Jinpign", "国家主席习近平说")
    assert nearest("Jinpign", "国家主席习近平说", "Xi") == ("近平", "jinping", 1)
    assert is_pinyin("Qinghai")
    assert not is_pinyin("Merkel")


def test_words_leave_out_addresses_and_code() -> None:
    assert [w.form for w in words_in("See www.albeit.org or `run` on file.txt, x_y")] == [
        "See",
        "or",
        "on",
    ]


def test_english_words_and_scripts() -> None:
    assert is_english("governments")
    assert is_english("well-known")
    assert not is_english("Bundesverfassungsgericht")
    assert [script_of(c) for c in "aжあ中1µ"] == ["LATIN", "CYRILLIC", "HIRAGANA", "CJK", "", ""]
