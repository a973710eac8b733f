"""Alignment by meaning: links of a single sentence, without training."""

from __future__ import annotations

from albeit.annotate.alignment.meaning import meaning_align


def test_words_that_mean_the_same_are_linked_across_languages() -> None:
    english = ["However", ",", "the", "black", "cat", "did", "not", "sleep", "."]
    for other, expected in (
        ("Die schwarze Katze schlief jedoch nicht .", {(4, 2), (3, 1), (0, 4), (6, 5), (8, 6)}),
        ("但是 黑 猫 没有 睡觉 。", {(0, 0), (3, 1), (4, 2), (8, 5)}),
    ):
        (links,) = meaning_align([english], [other.split()])
        assert expected <= set(links)
        assert len({i for i, _ in links}) == len(links) == len({j for _, j in links})


def test_empty_lines_have_no_links_and_company_changes_nothing() -> None:
    source = [["cat"], [], ["the", "dog"], ["\u200b"]]
    target = [["Katze"], ["x"], ["der", "Hund"], ["y"]]
    found = list(meaning_align(source, target))
    assert found[0] == [(0, 0)]
    assert found[1] == []
    assert found[2] == [(0, 0), (1, 1)]
    assert found[2] == next(meaning_align(source[2:3], target[2:3]))
