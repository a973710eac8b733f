"""Annotators as values: found by language, added by other packages, for lines and documents."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import albeit
from albeit.data import EvalSet
from albeit.data.evalset import Unit
from albeit.errors import AlbeitError, LanguageError
from albeit.parsing import annotate, annotate_documents, version
from albeit.parsing import annotator as registry
from albeit.parsing.annotator import BUILTIN, ENGLISH, ENGLISH_DOCUMENTS, Annotator, find
from albeit.parsing.layers import (
    CHAINS,
    COREFERENCE,
    DEPENDENCIES,
    DRS,
    ENTITIES,
    LEMMAS,
    LINES,
    RST,
    STEMS,
    TOKENS,
    Analysis,
    Layer,
    Lines,
    Tokens,
)
from albeit.parsing.supplied import is_supplied, select_supplied

SWEDISH = "Nils reste med gässen ."
DOCUMENT = ("Nils reste .", "Gässen och Nils .")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path))
    return tmp_path


def test_annotators_are_found_by_language_and_layer() -> None:
    assert find(frozenset({RST, DRS}), "en-GB") is ENGLISH
    assert find(frozenset({CHAINS}), "de-AT", Unit.DOCUMENT) is BUILTIN["plain"]
    assert find(frozenset({CHAINS}), "zh-CN", Unit.DOCUMENT) is BUILTIN["plain-unspaced"]
    assert ENGLISH.units == {Unit.SEGMENT}
    assert BUILTIN["plain"].units == {Unit.DOCUMENT}
    assert find(frozenset({COREFERENCE}), "en", Unit.DOCUMENT) is ENGLISH_DOCUMENTS
    assert version("eng") == ENGLISH.version


@pytest.mark.parametrize(
    ("layers", "lang", "unit", "message"),
    [
        ({RST}, "sv", Unit.SEGMENT, "no rst for 'sv': annotators here make it for en"),
        ({TOKENS}, "sw", Unit.SEGMENT, "no tokens for 'sw'"),
        ({STEMS}, "en", Unit.SEGMENT, "no stems for 'en': none makes it"),
        ({RST}, "en", Unit.DOCUMENT, "no rst for 'en': none makes it"),
        ({STEMS}, "sv", Unit.DOCUMENT, "no stems for 'sv': annotators here make it for ar, de"),
        ({RST}, "jp", Unit.SEGMENT, "Did you mean 'ja'"),
    ],
)
def test_what_nobody_makes(layers: set[Layer[Any]], lang: str, unit: Unit, message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        find(frozenset(layers), lang, unit)


def test_a_plug_in_that_is_no_annotator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "plugins", lambda group: {"odd": "albeit.errors:AlbeitError"})
    with pytest.raises(AlbeitError, match="'odd' isn't an Annotator"):
        find(frozenset({RST}), "sv")


def test_a_strangers_annotator_serves_its_language(stranger: ModuleType) -> None:
    found = annotate([SWEDISH, SWEDISH], frozenset({DEPENDENCIES, ENTITIES}), "swe")[SWEDISH]
    assert found[TOKENS].forms == ("Nils", "reste", "med", "gässen", ".")
    assert found[DEPENDENCIES].upos == ("PROPN", "NOUN", "NOUN", "NOUN", "NOUN")
    assert [entity.start for entity in found[ENTITIES]] == [0]
    assert version("sv") == "toy-swedish-1.0-sv"
    with pytest.raises(LanguageError, match="no rst for 'sv'"):
        annotate([SWEDISH], frozenset({RST}), "sv")


def test_metrics_score_a_strangers_language(stranger: ModuleType) -> None:
    evalset = EvalSet({"r": (SWEDISH,)}, {"s": ("Nils reste .",)}, target_lang="sv-SE")
    table = albeit.score(evalset, ["dp-or", "ne-oe"])
    assert 0 < table.score("dp-or", "s").value < 1
    assert table.score("ne-oe", "s").value == 1
    assert "|annotator:toy-swedish-1.0-sv|" in str(table.score("dp-or", "s").signature)


def test_a_strangers_results_are_kept(stranger: ModuleType, own_cache: Path) -> None:
    wanted = frozenset({DEPENDENCIES})
    first = annotate([SWEDISH], wanted, "sv")[SWEDISH]
    (file,) = own_cache.glob("layers-*.sqlite")
    assert file.name.startswith("layers-toy-swedish-1.0-sv")
    again = annotate([SWEDISH], wanted, "sv", annotator=Tired())[SWEDISH]
    assert again[DEPENDENCIES] == first[DEPENDENCIES]


class Tired(Annotator):
    """As the toy, but it will not work: all must come from the cache."""

    name = "toy-swedish"
    languages = frozenset({"sv"})
    layers = (DEPENDENCIES, ENTITIES)
    version = "1.0"


class Names(Layer[dict[str, int]]):
    """A layer of documents: the line in which a name is first met."""

    name = "names"
    unit = Unit.DOCUMENT

    def empty(self) -> dict[str, int]:
        return {}

    def to_json(self, value: dict[str, int]) -> Any:
        return value

    def from_json(self, data: Any) -> dict[str, int]:
        return dict(data)


NAMES = Names()


class Reader(Annotator):
    """Reads whole documents."""

    name = "reader"
    languages = frozenset({"sv"})
    layers = (NAMES,)
    version = "1"

    def __init__(self) -> None:
        self.read = 0

    def analyse_documents(
        self, documents: Sequence[Lines], layers: Collection[Layer[Any]], lang: str
    ) -> Iterator[dict[Layer[Any], Any]]:
        for lines in documents:
            self.read += 1
            found: dict[str, int] = {}
            for number, line in enumerate(lines):
                for word in self.tokenize(line).forms:
                    if word[0].isupper():
                        found.setdefault(word, number)
            yield {NAMES: found}


def test_documents_are_kept_by_their_lines_in_order() -> None:
    wanted = frozenset({NAMES})
    reader = Reader()
    turned = DOCUMENT[::-1]
    joined = (" ".join(DOCUMENT),)
    documents = [DOCUMENT, turned, DOCUMENT, joined]
    found = annotate_documents(documents, wanted, "sv", annotator=reader)
    assert found[DOCUMENT][NAMES] == {"Nils": 0, "Gässen": 1}
    assert found[turned][NAMES] == {"Gässen": 0, "Nils": 0}
    assert found[joined][NAMES] == {"Nils": 0, "Gässen": 0}
    assert found[DOCUMENT][LINES] == DOCUMENT
    assert found[DOCUMENT].text == "\n".join(DOCUMENT)
    assert reader.read == 3
    again = annotate_documents([turned, DOCUMENT], wanted, "sv", annotator=reader)
    assert again[DOCUMENT] == found[DOCUMENT]
    assert reader.read == 3


def test_content_words_need_no_model_and_no_cache(own_cache: Path) -> None:
    found = annotate_documents([("Les chats dorment.",)], frozenset({STEMS}), "fr")
    assert list(found[("Les chats dorment.",)][STEMS].keys()) == ["chat", "dorment"]
    assert not list(own_cache.glob("layers-*"))
    with pytest.raises(LanguageError, match="no lemmas for 'fr'"):
        annotate_documents([("Les chats.",)], frozenset({LEMMAS}), "fr")


def test_supplied_annotations() -> None:
    own = Analysis("Da .", {TOKENS: Tokens(("Da", "."), ((0, 2), (3, 4)))})
    given = {"Da .": own}
    assert [is_supplied(text, given) for text in ("Da .", "  ", "Njet .")] == [True, True, False]
    assert select_supplied(["Da .", " ", "Njet ."], given)["Da ."] is own


def test_the_page_shows_the_strangers_annotator() -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs" / "annotate.md").read_text(encoding="utf-8")
    code = (root / "tests" / "parsing" / "stranger" / "albeit_toy.py").read_text(encoding="utf-8")
    assert "\n".join(f"    {line}" if line else "" for line in code.rstrip().split("\n")) in page
