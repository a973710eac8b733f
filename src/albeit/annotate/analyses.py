"""The result of annotating: a mapping from text to analysis that unpacks on first look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from albeit.annotate import records
from albeit.annotate.layers import Analysis, Layer
from albeit.annotate.records import Labels
from albeit.annotate.sentences import split_sentences
from albeit.annotate.tokenize import tokenize

__all__ = ["MODEL_LAYERS", "Analyses"]

MODEL_LAYERS = (
    Layer.EDUS,
    Layer.RST,
    Layer.DEPENDENCIES,
    Layer.CONSTITUENTS,
    Layer.ROLES,
    Layer.CONNECTIVES,
    Layer.ENTITIES,
    Layer.VECTORS,
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
        layers: Sequence[Layer],
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


def build(text: str, found: Mapping[Layer, bytes], labels: Labels) -> Analysis:
    """One analysis from its text and records."""
    tokens = tokenize(text)
    size = len(tokens)
    numbers = {k: records.unpack(v) for k, v in found.items() if k is not Layer.VECTORS}
    edus = rst = deps = trees = roles = connectives = entities = vectors = None
    if Layer.EDUS in numbers:
        edus = records.to_edus(numbers[Layer.EDUS], size)
    if Layer.RST in numbers and edus is not None:
        rst = records.to_rst(numbers[Layer.RST], len(edus), labels)
    if Layer.DEPENDENCIES in numbers:
        deps = records.to_dependencies(numbers[Layer.DEPENDENCIES], size, labels)
    if Layer.CONSTITUENTS in numbers:
        trees = records.to_constituents(numbers[Layer.CONSTITUENTS], size, labels)
    if Layer.ROLES in numbers:
        roles = records.to_roles(numbers[Layer.ROLES], labels)
    if Layer.CONNECTIVES in numbers:
        connectives = records.to_connectives(numbers[Layer.CONNECTIVES], labels)
    if Layer.ENTITIES in numbers:
        entities = records.to_entities(numbers[Layer.ENTITIES], labels)
    if Layer.VECTORS in found:
        vectors = records.to_vectors(found[Layer.VECTORS])
    sentences = split_sentences(tokens.forms, tokens.offsets)
    return Analysis(
        text,
        tokens,
        sentences,
        edus,
        rst,
        deps,
        trees,
        roles,
        connectives,
        entities,
        vectors,
    )
