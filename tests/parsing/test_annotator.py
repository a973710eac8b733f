"""Annotators as values: found by language, added by other packages, several in one run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from albeit.data import EvalSet
from albeit.data.evalset import Unit
from albeit.data.plugins import loaded
from albeit.errors import AlbeitError, LanguageError
from albeit.evaluation import Evaluation, score
from albeit.metrics.registry import metric
from albeit.parsing import annotate, annotate_documents, version
from albeit.parsing import annotator as registry
from albeit.parsing import layers as kinds
from albeit.parsing.annotator import BUILTIN, ENGLISH, ENGLISH_DOCUMENTS, Annotator, Values, find
from albeit.parsing.layers import DEPENDENCIES, ENTITIES, RST, STEMS, TOKENS, Tokens
from albeit.parsing.sentences import document_words

SWEDISH = "Nils reste med gässen ."
DOCUMENT = ("Nils reste .", "Gässen och Nils .")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path))
    return tmp_path


def test_annotators_are_found_by_language_and_layer() -> None:
    assert find(frozenset({RST, kinds.DRS}), "en-GB") is ENGLISH
    assert find(frozenset({kinds.CHAINS}), "de-AT", Unit.DOCUMENT) is BUILTIN["plain"]
    assert find(frozenset({kinds.CHAINS}), "zh-CN", Unit.DOCUMENT) is BUILTIN["plain-unspaced"]
    assert ENGLISH.units == {Unit.SEGMENT}
    assert BUILTIN["plain"].units == {Unit.DOCUMENT}
    assert find(frozenset({kinds.COREFERENCE}), "en", Unit.DOCUMENT) is ENGLISH_DOCUMENTS
    assert version("eng") == ENGLISH.version


@pytest.mark.parametrize(
    ("wanted", "lang", "unit", "message"),
    [
        ({RST}, "sv", Unit.SEGMENT, "no rst for 'sv': annotators here make it for en"),
        ({TOKENS}, "sw", Unit.SEGMENT, "no tokens for 'sw'"),
        ({STEMS}, "en", Unit.SEGMENT, "no stems for 'en': none makes it"),
        ({RST}, "en", Unit.DOCUMENT, "no rst for 'en': none makes it"),
        ({STEMS}, "sv", Unit.DOCUMENT, "no stems for 'sv': annotators here make it for ar, de"),
        ({RST}, "jp", Unit.SEGMENT, "Did you mean 'ja'"),
    ],
)
def test_what_none_make(wanted: set[kinds.Layer[Any]], lang: str, unit: Unit, message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        find(frozenset(wanted), lang, unit)


def test_a_plug_in_that_is_no_annotator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "plugins", lambda group: {"odd": "albeit.errors:AlbeitError"})
    with pytest.raises(AlbeitError, match="'odd' isn't an Annotator"):
        find(frozenset({RST}), "sv")


@pytest.mark.usefixtures("stranger")
def test_a_strangers_annotator_serves_its_language() -> None:
    found = annotate([SWEDISH, SWEDISH], frozenset({DEPENDENCIES, ENTITIES}), "swe")[SWEDISH]
    assert found[TOKENS].forms == ("Nils", "reste", "med", "gässen", ".")
    assert found[DEPENDENCIES].upos == ("PROPN", "NOUN", "NOUN", "NOUN", "NOUN")
    assert [entity.start for entity in found[ENTITIES]] == [0]
    assert version("sv") == "toy-swedish-1.0-sv"
    with pytest.raises(LanguageError, match="no rst for 'sv'"):
        annotate([SWEDISH], frozenset({RST}), "sv")


@pytest.mark.usefixtures("stranger")
def test_metrics_score_a_strangers_language_and_its_results_are_kept(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evalset = EvalSet({"r": (SWEDISH,)}, {"s": ("Nils reste .",)}, target_lang="sv-SE")
    table = score(evalset, ["dp-or", "ne-oe"])
    assert 0 < table.score("dp-or", "s").value < 1
    assert table.score("ne-oe", "s").value == 1
    assert "|annotator:toy-swedish-1.0-sv|" in str(table.score("dp-or", "s").signature)
    (file,) = own_cache.glob("layers-*.sqlite")
    assert file.name.startswith("layers-toy-swedish-1.0-sv")
    monkeypatch.setattr(type(find(frozenset({DEPENDENCIES}), "sv")), "analyse", None)
    assert annotate([SWEDISH], frozenset({DEPENDENCIES}), "sv")[SWEDISH][DEPENDENCIES].upos


class Reader(Annotator):
    """One chain of all words with a capital, over whole documents."""

    name, version = "reader", "1"
    languages = frozenset({"sv"})
    layers = (kinds.COREFERENCE,)
    documents = 0

    def analyse_documents(self, documents: Sequence[kinds.Lines], *_: Any) -> Iterator[Values]:
        for lines in documents:
            self.documents += 1
            words = enumerate(document_words(lines)[0].forms)
            mentions = tuple(kinds.Mention(n, n + 1, n) for n, form in words if form[0].isupper())
            yield {kinds.COREFERENCE: (kinds.Cluster("person", "", "", "", mentions),)}


def test_documents_are_kept_by_their_lines_in_order() -> None:
    reader = Reader()
    turned, joined = DOCUMENT[::-1], (" ".join(DOCUMENT),)
    documents, wanted = [DOCUMENT, turned, DOCUMENT, joined], frozenset({kinds.COREFERENCE})
    found = annotate_documents(documents, wanted, "sv", annotator=reader)
    assert reader.documents == 3
    for lines, heads in ((DOCUMENT, [0, 3, 5]), (turned, [0, 2, 4]), (joined, [0, 3, 5])):
        assert (found[lines][kinds.LINES], found[lines].text) == (lines, "\n".join(lines))
        assert [mention.head for mention in found[lines][kinds.COREFERENCE][0].mentions] == heads


class Trees(Annotator):
    """All words depend on the first."""

    name, version = "trees", "1"
    languages = frozenset({"sv"})
    layers = (DEPENDENCIES,)

    def analyse(self, texts: Sequence[str], *_: Any) -> Iterator[Values]:
        for size in map(len, map(self.tokenize, texts)):
            heads = (-1, *(0,) * (size - 1))
            yield {DEPENDENCIES: kinds.Dependencies(("NOUN",) * size, heads, ("dep",) * size)}


class Names(Annotator):
    """Names are lines, which are one word each."""

    name, version = "names", "1"
    languages = frozenset({"sv"})
    layers = (ENTITIES,)

    def tokenize(self, text: str) -> Tokens:
        return Tokens((text,), ((0, len(text)),))

    def analyse(self, texts: Sequence[str], *_: Any) -> Iterator[Values]:
        return ({ENTITIES: (kinds.Entity("person", 0, 1),)} for _ in texts)


@pytest.mark.parametrize("cache", [True, False])
def test_each_metric_has_its_own_annotator(cache: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not cache:
        monkeypatch.setenv("ALBEIT_CACHE", "off")
    made = {"trees": Trees(), "names": Names()}
    monkeypatch.setattr(registry, "plugins", lambda group: dict.fromkeys(made, "here:X"))
    monkeypatch.setattr(
        registry, "loaded", lambda kind, name, target: made.get(name) or loaded(kind, name, target)
    )
    assert find(frozenset({ENTITIES}), "sv").name == "names"
    with pytest.raises(LanguageError, match="no dependencies, entities for 'sv'"):
        find(frozenset({DEPENDENCIES, ENTITIES}), "sv")
    systems = {"a": ("Anna går hem", "Bo vaknar nu")}
    evalset = EvalSet({"r": ("Anna går hem", "Bo sover")}, systems, target_lang="sv")
    wanted = [metric("dp-oc"), metric("ne-oe")]
    assert not Evaluation(evalset).usable(wanted)[1]
    for _ in range(2):
        together = score(evalset, wanted)
        for one, annotator in zip(wanted, made, strict=True):
            alone, found = score(evalset, [one])[one], together[one]
            np.testing.assert_array_equal(alone.at("segment"), found.at("segment"))
            assert alone.signature == found.signature
            assert f"{annotator}-1-sv" in str(found.signature)


def test_content_words_need_no_model_and_no_cache(own_cache: Path) -> None:
    found = annotate_documents([("Les chats dorment.",)], frozenset({STEMS}), "fr")
    assert list(found[("Les chats dorment.",)][STEMS].keys()) == ["chat", "dorment"]
    assert not list(own_cache.glob("layers-*"))
    with pytest.raises(LanguageError, match="no lemmas for 'fr'"):
        annotate_documents([("Les chats.",)], frozenset({kinds.LEMMAS}), "fr")
