"""The English model: EDUs, trees, dependencies, constituents, roles, connectives, entities, vectors.

On whole documents: coreference and the antecedents of pronouns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from albeit.data.levels import Unit
from albeit.parsing.annotator import Annotator, Lines, text_of
from albeit.parsing.layer import Analysis, AnyLayer, Labels, Numbered, unpack_numbers
from albeit.parsing.layers import (
    ANTECEDENTS,
    COREFERENCE,
    EDUS,
    LINES,
    MODEL_LAYERS,
    SENTENCES,
    TOKENS,
    Tokens,
)
from albeit.parsing.sentences import document_words, split_sentences
from albeit.parsing.tokenize import tokenize

if TYPE_CHECKING:
    from albeit.parsing.documents.document import Heads
    from albeit.parsing.encoder import Backend

__all__ = [
    "ENGLISH",
    "ENGLISH_DOCUMENTS",
    "TOKENIZER_VERSION",
    "English",
    "EnglishDocuments",
]


TOKENIZER_VERSION = "2"
"""Goes up whenever words or sentences are cut differently: cached layers count words."""


class English(Annotator):
    """The shipped model, or one that a test or an experiment gives; loaded when first used."""

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
        from albeit.parsing.pipeline import analyse

        return analyse(contents, layers, self.model)

    def unpack(self, content: str, found: Mapping[AnyLayer, bytes]) -> Analysis:
        """Numbers become labels of the model's inventory."""
        text, values = text_of(content), self.ground(content)
        for layer, record in found.items():
            if isinstance(layer, Numbered):
                before = Analysis(text, values)
                values[layer] = layer.decode(unpack_numbers(record), before, self.labels)
            else:
                values[layer] = layer.unpack(record)
        return Analysis(text, values)


ENGLISH = English()


class EnglishDocuments(English):
    """The sentence model with the networks over documents; words are counted over the document."""

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
    def labels(self) -> Labels:
        """Those of the networks over documents."""
        return self.networks.labels

    @property
    def version(self) -> str:  # type: ignore[override]
        """Of both models, and of the rules that cut words."""
        return f"{super().version}-{self.networks.version}"

    def ground(self, content: Lines) -> dict[AnyLayer, Any]:  # type: ignore[override]
        """The lines, and their words and sentences counted over the document."""
        tokens, sentences = document_words(content)
        return {LINES: content, TOKENS: tokens, SENTENCES: sentences}

    def records(  # type: ignore[override]
        self, contents: Sequence[Lines], layers: Collection[AnyLayer], lang: str
    ) -> Iterator[tuple[Lines, dict[AnyLayer, bytes]]]:
        """Document by document."""
        from albeit.parsing.documents.pipeline import analyse

        return analyse(contents, layers, self.model, self.networks)


ENGLISH_DOCUMENTS = EnglishDocuments()
