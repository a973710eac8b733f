"""One spelling of a language, whatever its tag."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.data import EvalSet, read
from albeit.errors import InputError, LanguageError
from albeit.languages import COMMON, normalise

SPELLINGS = {
    "zh": "zh-CN zh_Hant ZH cmn zh-cmn-Hans",
    "en": "eng en-GB English",
    "de": "ger deu",
    "he": "iw",
    "hr": "hr",
    "id": "id",
    "ha": "hau",
    "ckb": "ckb",
    "pt": "pt_BR",
}
MISTAKES = {"jp": "ja", "cz": "cs", "gr": "el", "ua": "uk", "jp-JP": "ja", "Englsh": "en"}


@pytest.mark.parametrize("code", SPELLINGS)
def test_spellings(code: str) -> None:
    assert {normalise(tag) for tag in (code, *SPELLINGS[code].split())} == {code}


@pytest.mark.parametrize(("tag", "meant"), MISTAKES.items())
def test_a_suggestion(tag: str, meant: str) -> None:
    with pytest.raises(
        LanguageError, match=f"{tag!r} isn't a language code. Did you mean {meant!r}"
    ):
        normalise(tag)


@pytest.mark.parametrize("tag", ["", "x", "xx", "zz", "en de", "e", "-", "qqqqqqqqq"])
def test_no_language(tag: str) -> None:
    with pytest.raises(LanguageError) as raised:
        normalise(tag)
    assert "Did you mean" not in str(raised.value)


def test_common_codes_are_what_the_registry_says() -> None:
    import langcodes

    assert {langcodes.standardize_tag(code, macro=True) for code in COMMON} == COMMON


@given(st.text(max_size=12))
def test_any_text_is_a_code_or_an_error(tag: str) -> None:
    try:
        code = normalise(tag)
    except LanguageError:
        return
    assert normalise(code) == code


def test_a_set_has_one_spelling() -> None:
    evalset = EvalSet({"r": ("a",)}, {"s": ("a",)}, source_lang="eng", target_lang="zh_CN")
    assert (evalset.source_lang, evalset.target_lang) == ("en", "zh")
    assert evalset.relabel(target_lang="en-GB").target_lang == "en"
    with pytest.raises(LanguageError, match="Did you mean 'ja'"):
        evalset.relabel(target_lang="jp")


def test_a_tag_in_a_file_is_told_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text('{"systems": {"x": "a"}}\n{"systems": {"x": "b"}, "target_lang": "jp"}\n')
    with pytest.raises(InputError, match=r"set\.jsonl:2: 'jp' isn't a language code"):
        read(path)
