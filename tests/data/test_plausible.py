"""Texts that are plainly not what they are said to be."""

from __future__ import annotations

import warnings

import pytest

from albeit.data.evalset import EvalSet
from albeit.data.plausible import looks_like, warn_if_implausible
from albeit.errors import AlbeitWarning

ENGLISH = ("The house is old, but it has been kept well by the people who live in it.",) * 6
GERMAN = ("Das Haus ist alt, aber es wurde von den Leuten, die darin wohnen, gut erhalten.",) * 6
CZECH = ("Dům je starý, ale lidé, kteří v něm bydlí, se o něj dobře starají po celá léta.",) * 6
RUSSIAN = ("Дом старый, но люди, которые в нём живут, хорошо за ним ухаживают.",) * 6
CHINESE = ("房子很旧，但是住在里面的人把它保养得很好。",) * 6
JAPANESE = ("家は古いですが、住んでいる人たちがよく手入れをしています。",) * 6


@pytest.mark.parametrize(
    ("lines", "said", "found"),
    [
        (GERMAN, "en", "de"),
        (CZECH, "en", "??"),
        (RUSSIAN, "en", "CYRILLIC"),
        (CHINESE, "en", "zh"),
        (JAPANESE, "en", "ja"),
        (ENGLISH, "zh", "en"),
        (CHINESE, "zh", None),
        (CHINESE, "ja", None),
        (CZECH, "cs", None),
        (GERMAN, "xh", None),
        (("ok",), "zh", None),
    ],
)
def test_languages(lines: tuple[str, ...], said: str, found: str | None) -> None:
    assert looks_like(lines, said) == found


def told(evalset: EvalSet) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AlbeitWarning)
        warn_if_implausible(evalset)
    return [str(each.message) for each in caught]


def test_each_text_is_told_with_what_to_give() -> None:
    found = told(EvalSet({"r": GERMAN}, {"s": ENGLISH}, GERMAN, source_lang="en"))
    assert len(found) == 2
    assert found[0].startswith("reference 'r' does not look like 'en': it looks like 'de'")
    assert "--lang de" in found[0]
    assert found[1].startswith("the source ")
    assert "--source-lang de" in found[1]
    assert not told(EvalSet({"r": GERMAN}, {"s": GERMAN}, target_lang="de"))


@pytest.mark.parametrize(("text", "lang"), [(ENGLISH, "en"), (CHINESE, "zh")])
def test_documents_a_line(text: tuple[str, ...], lang: str) -> None:
    line = " ".join(text * 6)
    (found,) = told(EvalSet({"r": (line,) * 3}, {"s": (line,) * 3}, target_lang=lang))
    assert "--resegment" in found
    assert "cohesion" in found
    assert not told(EvalSet({"r": text}, {"s": text}, target_lang=lang))
