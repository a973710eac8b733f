"""The result of annotating: a mapping from text to analysis that unpacks on first look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from albeit.annotate import records
from albeit.annotate.layer import Labels, Numbered
from albeit.annotate.layers import (
    CONNECTIVES,
    CONSTITUENTS,
    DEPENDENCIES,
    EDUS,
    ENTITIES,
    ROLES,
    RST,
    SENTENCES,
    TOKENS,
    VECTORS,
    Analysis,
    AnyLayer,
)
from albeit.annotate.sentences import split_sentences
from albeit.annotate.tokenize import tokenize

__all__ = ["MODEL_LAYERS", "Analyses"]

MODEL_LAYERS: tuple[AnyLayer, ...] = (
    EDUS,
    RST,
    DEPENDENCIES,
    CONSTITUENTS,
    ROLES,
    CONNECTIVES,
    ENTITIES,
    VECTORS,
)
"""Layers that the model makes; the others follow from the text by rule."""


class Analyses(Mapping[str, Analysis]):
    """Analyses by text, kept packed until they are asked for; the same object every time.

    ``packed`` holds, for each text, one record a layer of ``layers``; ``ready`` holds
    analyses that are there already (a user's own).
    """

    def __init__(
        self,
        packed: Mapping[str, Sequence[bytes]],
        layers: Sequence[AnyLayer],
        labels: Labels,
        ready: Mapping[str, Analysis] | None = None,
    ) -> None:
        self._packed = packed
        self._layers = tuple(layers)
        self._labels = labels
        self._ready: dict[str, Analysis] = dict(ready or {})
        self._texts = dict.fromkeys([*packed, *self._ready])

    def __getitem__(self, text: str) -> Analysis:
        analysis = self._ready.get(text)
        if analysis is None:
            found = dict(zip(self._layers, self._packed[text], strict=True))
            analysis = self._ready[text] = build(text, found, self._labels)
        return analysis

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def build(text: str, found: Mapping[AnyLayer, bytes], labels: Labels) -> Analysis:
    """One analysis from its text and records; a layer's record comes after those it rests on."""
    tokens = tokenize(text)
    values: dict[AnyLayer, Any] = {
        TOKENS: tokens,
        SENTENCES: split_sentences(tokens.forms, tokens.offsets),
    }
    for layer, record in found.items():
        if isinstance(layer, Numbered):
            before = Analysis(text, values)
            values[layer] = layer.decode(records.unpack(record), before, labels)
        else:
            values[layer] = layer.unpack(record)
    return Analysis(text, values)
