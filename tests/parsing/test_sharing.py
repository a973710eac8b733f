"""Layers of one text by several annotators: each metric has one, whoever else is in the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from albeit.data.evalset import EvalSet
from albeit.data.plugins import loaded
from albeit.errors import LanguageError
from albeit.evaluation import Evaluation, score
from albeit.metrics.registry import metric
from albeit.parsing import annotator as registry
from albeit.parsing.annotator import Annotator, Values, find
from albeit.parsing.layers import DEPENDENCIES, ENTITIES, Dependencies, Entity, Tokens


class Trees(Annotator):
    """All words hang on the first."""

    name = "trees"
    languages = frozenset({"sv"})
    layers = (DEPENDENCIES,)
    version = "1"

    def analyse(self, texts: Sequence[str], layers: Any, lang: str) -> Iterator[Values]:
        for text in texts:
            size = len(self.tokenize(text))
            heads = tuple(-1 if i == 0 else 0 for i in range(size))
            yield {DEPENDENCIES: Dependencies(("NOUN",) * size, heads, ("dep",) * size)}


class Names(Annotator):
    """Names are lines, which are one word each."""

    name = "names"
    languages = frozenset({"sv"})
    layers = (ENTITIES,)
    version = "1"

    def tokenize(self, text: str) -> Tokens:
        return Tokens((text,), ((0, len(text)),)) if text else Tokens((), ())

    def analyse(self, texts: Sequence[str], layers: Any, lang: str) -> Iterator[Values]:
        return ({ENTITIES: (Entity("person", 0, 1),)} for _ in texts)


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"trees": Trees(), "names": Names()}
    monkeypatch.setattr(registry, "plugins", lambda group: dict.fromkeys(made, "here:X"))
    monkeypatch.setattr(
        registry, "loaded", lambda kind, name, target: made.get(name) or loaded(kind, name, target)
    )


@pytest.mark.parametrize("cache", [True, False])
def test_two_metrics_by_two_annotators(
    cache: bool, two: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path) if cache else "off")
    evalset = EvalSet(
        {"r": ("Anna går hem", "Bo sover")},
        {"a": ("Anna går hem", "Bo vaknar nu")},
        target_lang="sv",
    )
    wanted = [metric("dp-oc"), metric("ne-oe")]
    assert not Evaluation(evalset).usable(wanted)[1]
    for _ in range(2):
        together = score(evalset, wanted)
        for one in wanted:
            alone = score(evalset, [one])[one]
            found = together[one]
            assert alone.statistics is not None
            assert found.statistics is not None
            assert np.array_equal(alone.statistics, found.statistics, equal_nan=True)
            assert alone.signature == found.signature
    assert "trees-1-sv" in str(together[wanted[0]].signature)
    assert "names-1-sv" in str(together[wanted[1]].signature)


def test_one_metric_has_one_annotator(two: None) -> None:
    assert find(frozenset({ENTITIES}), "sv").name == "names"
    with pytest.raises(LanguageError, match="no dependencies, entities for 'sv'"):
        find(frozenset({DEPENDENCIES, ENTITIES}), "sv")
