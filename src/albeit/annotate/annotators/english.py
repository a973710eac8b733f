"""The English model: EDUs, trees, dependencies, constituents, roles, connectives, entities, vectors."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from albeit.annotate import records
from albeit.annotate.annotator import Annotator, text_of
from albeit.annotate.layer import Analysis, AnyLayer, Labels, Numbered
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
    Tokens,
)
from albeit.annotate.sentences import split_sentences
from albeit.annotate.tokenize import tokenize

if TYPE_CHECKING:
    from albeit.annotate.encoder import Backend

__all__ = ["ENGLISH", "MODEL_LAYERS", "TOKENIZER_VERSION", "English"]

TOKENIZER_VERSION = "2"
"""Goes up whenever words or sentences are cut differently: cached layers count words."""
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
"""Layers that the model makes; words and sentences follow from the text by rule."""


class English(Annotator):
    """The shipped model, or one that a test or an experiment gives; loaded when first used."""

    name = "english"
    languages = frozenset({"en"})
    layers = MODEL_LAYERS
    at_hand = (SENTENCES,)

    def __init__(self, model: Backend | None = None) -> None:
        self._model = model

    @property
    def model(self) -> Backend:
        """The networks."""
        if self._model is None:
            from albeit.annotate.model import load_model

            self._model = load_model()
        return self._model

    @property
    def labels(self) -> Labels:
        """What the numbers in records mean."""
        return self.model.labels

    @property
    def version(self) -> str:  # type: ignore[override]
        """Of the networks, and of the rules that cut words."""
        return f"{self.model.version}-t{TOKENIZER_VERSION}"

    def identity(self, lang: str) -> str:
        """There is but one language."""
        return self.version

    def tokenize(self, text: str) -> Tokens:
        """As Universal Dependencies cuts words."""
        return tokenize(text)

    def ground(self, content: str) -> dict[AnyLayer, Any]:
        """Words and sentences: quicker made than read."""
        tokens = tokenize(content)
        return {TOKENS: tokens, SENTENCES: split_sentences(tokens.forms, tokens.offsets)}

    def records(
        self, contents: Sequence[str], layers: Collection[AnyLayer], lang: str
    ) -> Iterator[tuple[str, dict[AnyLayer, bytes]]]:
        """Straight from the networks, without a Python object for each tree."""
        from albeit.annotate.pipeline import analyse

        return analyse(contents, layers, self.model)

    def unpack(self, content: str, found: Mapping[AnyLayer, bytes]) -> Analysis:
        """Numbers become labels of the model's inventory."""
        text, values = text_of(content), self.ground(content)
        for layer, record in found.items():
            if isinstance(layer, Numbered):
                before = Analysis(text, values)
                values[layer] = layer.decode(records.unpack(record), before, self.labels)
            else:
                values[layer] = layer.unpack(record)
        return Analysis(text, values)


ENGLISH = English()
