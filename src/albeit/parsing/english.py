"""Annotate English texts with the model: from raw text to packed layers.

Texts are processed in chunks, which limits memory. In a chunk, each distinct sentence is encoded
once. Only the heads of the requested layers are run. Whole documents get coreference and the
antecedents of pronouns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from albeit.data.levels import Unit
from albeit.parsing.annotator import Annotator, Lines, join_lines
from albeit.parsing.layers import (
    ANTECEDENTS,
    COREFERENCE,
    EDUS,
    LINES,
    MODEL_LAYERS,
    SENTENCES,
    TOKENS,
    Analysis,
    AnyLayer,
    Tokens,
)
from albeit.parsing.layers.base import Labels, Numbered, unpack_numbers
from albeit.parsing.sentences import document_words, split_sentences
from albeit.parsing.tokenize import tokenize

if TYPE_CHECKING:
    from albeit.parsing.encoder import Backend, Heads

TOKENIZER_VERSION = "2"
"""Changes whenever words or sentences are split differently: stored layers index words."""


class English(Annotator):
    """The English model, which is loaded on first use; tests and experiments can pass another."""

    name = "english"
    languages = frozenset({"en"})
    layers: tuple[AnyLayer, ...] = MODEL_LAYERS
    at_hand = (SENTENCES,)

    def __init__(self, model: Backend | None = None) -> None:
        self._model = model

    @property
    def model(self) -> Backend:
        """The networks."""
        if self._model is None:
            from albeit.parsing.model import load_model

            self._model = load_model()
        return self._model

    @property
    def labels(self) -> Labels:
        """The meaning of the numbers in records."""
        return self.model.labels

    @property
    def version(self) -> str:  # type: ignore[override]
        """The version of the networks, and of the rules that split words."""
        return f"{self.model.version}-t{TOKENIZER_VERSION}"

    def identity(self, lang: str) -> str:
        """Return the version, because there is one language."""
        return self.version

    def tokenize(self, text: str) -> Tokens:
        """Split words as Universal Dependencies does."""
        return tokenize(text)

    def ground(self, content: str) -> dict[AnyLayer, Any]:
        """Return words and sentences, which are faster to make than to read."""
        tokens = tokenize(content)
        return {TOKENS: tokens, SENTENCES: split_sentences(tokens.forms, tokens.offsets)}

    def records(
        self, contents: Sequence[str], layers: Collection[AnyLayer], lang: str
    ) -> Iterator[tuple[str, dict[AnyLayer, bytes]]]:
        """Yield the output of the networks, without Python objects for trees."""
        from albeit.parsing.pipeline import analyse

        return analyse(contents, layers, self.model)

    def unpack(self, content: Any, records: Mapping[AnyLayer, bytes]) -> Analysis:
        """Return the annotation of packed layers, with labels for numbers."""
        text, values = join_lines(content), self.ground(content)
        for layer, record in records.items():
            if isinstance(layer, Numbered):
                before = Analysis(text, values)
                values[layer] = layer.decode(unpack_numbers(record), before, self.labels)
            else:
                values[layer] = layer.unpack(record)
        return Analysis(text, values)


ENGLISH = English()


class EnglishDocuments(English):
    """The model of sentences and the networks over documents; words index the document."""

    name = "english-documents"
    layers = (EDUS, COREFERENCE, ANTECEDENTS)
    units = frozenset({Unit.DOCUMENT})

    def __init__(self, model: Backend | None = None, networks: Heads | None = None) -> None:
        super().__init__(model)
        self._networks = networks

    @property
    def networks(self) -> Heads:
        """The networks over documents."""
        if self._networks is None:
            from albeit.parsing.model import load_document_model

            self._networks = load_document_model()
        return self._networks

    @property
    def version(self) -> str:  # type: ignore[override]
        """The versions of both models, and of the rules that split words."""
        return f"{super().version}-{self.networks.version}"

    def ground(self, content: Lines) -> dict[AnyLayer, Any]:  # type: ignore[override]
        """Return the lines, and their words and sentences as those of the document."""
        tokens, sentences = document_words(content)
        return {LINES: content, TOKENS: tokens, SENTENCES: sentences}

    def records(  # type: ignore[override]
        self, contents: Sequence[Lines], layers: Collection[AnyLayer], lang: str
    ) -> Iterator[tuple[Lines, dict[AnyLayer, bytes]]]:
        """Yield the layers of each document."""
        from albeit.parsing.coreference import analyse

        return analyse(contents, layers, self.model, self.networks)


ENGLISH_DOCUMENTS = EnglishDocuments()
