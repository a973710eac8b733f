"""Define annotators, and find the one for some layers and a language.

An annotator of another package returns values, text by text (:meth:`Annotator.analyse`). This
class packs, stores, and unpacks them. The English model writes records itself, so that 150,000
texts are never in memory as Python objects.

Other packages add annotators, with the layers that they make, in the entry-point group
``albeit.annotators`` (name = "package.module:VALUE"). Built-in annotators come first.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, get_args

from albeit.data.evalset import Unit
from albeit.data.plugins import loaded, plugins
from albeit.errors import AlbeitError, LanguageError
from albeit.languages import normalise
from albeit.parsing import layers as all_layers
from albeit.parsing.content import ALPHABETIC, UNSPACED, WordForm, content_words
from albeit.parsing.layers import LINES, SENTENCES, TOKENS, AnyLayer, DocumentWords, Lines, Numbered
from albeit.parsing.needs import Analysis, Tokens, closure
from albeit.parsing.sentences import document_words, split_sentences, splitter
from albeit.parsing.tokenize import icu_version, tokenize, words_and_marks

if TYPE_CHECKING:
    from albeit.parsing.model import Model, Networks

Layers = Collection[AnyLayer]
Values = Mapping[AnyLayer, Any]
"""The annotation of one text or document, by layer."""


class Annotator(ABC):
    """Makes layers of texts or documents, for some languages.

    ``layers`` are in an order in which each comes after those it rests on. Words are never
    stored: they come from :meth:`tokenize` when they are needed, so it must be fast.
    """

    name: ClassVar[str]
    languages: frozenset[str]
    layers: tuple[AnyLayer, ...]
    at_hand: tuple[AnyLayer, ...] = ()
    """Layers that :meth:`ground` adds to the words, because making them is faster than reading."""
    version: str
    """Changes whenever results do: it is part of signatures and of the store's file name."""
    cached: ClassVar[bool] = True
    """Whether results are stored on disk; not if making them is as fast as reading them."""
    rules: ClassVar[bool] = False
    """Whether results depend on albeit's version only, not on a model or another library."""

    @property
    def units(self) -> frozenset[Unit]:
        """Whether it reads lines, documents, or both."""
        return frozenset(layer.unit for layer in self.layers)

    def identity(self, lang: str) -> str:
        """Return a name for all that results depend on, apart from the text."""
        return f"{self.name}-{self.version}-{lang}"

    def ensure(self) -> None:
        """Raise an error with the installation command if something is not installed."""
        return

    def tokenize(self, text: str) -> Tokens:
        """Return the words of a text; by default runs of letters and digits, and single marks."""
        return words_and_marks(text)

    def analyse(self, texts: Sequence[str], layers: Layers, lang: str) -> Iterable[Values]:
        """Return these layers of each text, in order."""
        raise NotImplementedError(f"{self.name} doesn't read single texts")

    def analyse_documents(
        self, documents: Sequence[Lines], layers: Layers, lang: str
    ) -> Iterable[Values]:
        """Return these layers of each document, in order."""
        raise NotImplementedError(f"{self.name} doesn't read documents")

    def values(
        self, contents: Sequence[Any], layers: Layers, lang: str
    ) -> Iterator[tuple[Any, Values]]:
        """Yield the layers of each text or document."""
        analyse = self.analyse if isinstance(contents[0], str) else self.analyse_documents
        return zip(contents, analyse(contents, layers, lang), strict=True)

    def records(
        self, contents: Sequence[Any], layers: Layers, lang: str
    ) -> Iterator[tuple[Any, dict[AnyLayer, bytes]]]:
        """Yield the packed layers of each text or document."""
        for content, values in self.values(contents, layers, lang):
            yield content, {layer: layer.pack(values[layer]) for layer in layers}

    def ground(self, content: Any) -> dict[AnyLayer, Any]:
        """Return what is always there: the words of a text, or the lines of a document."""
        return {TOKENS: self.tokenize(content)} if isinstance(content, str) else {LINES: content}

    def build(self, content: Any, values: Values) -> Analysis:
        """Return the annotation with these layers."""
        text = content if isinstance(content, str) else "\n".join(content)
        return Analysis(text, self.ground(content) | dict(values))

    def unpack(self, content: Any, records: Mapping[AnyLayer, bytes]) -> Analysis:
        """Return the annotation of packed layers."""
        return self.build(content, {layer: layer.unpack(data) for layer, data in records.items()})


TOKENIZER_VERSION = "2"
"""Changes whenever words or sentences are split differently: stored layers index words."""


class English(Annotator):
    """The English model, which is loaded on first use; tests and experiments can pass another.

    Only the heads of the requested layers are run.
    """

    name = "english"
    languages = frozenset({"en"})
    layers: tuple[AnyLayer, ...] = all_layers.MODEL_LAYERS
    at_hand = (SENTENCES,)

    def __init__(self, model: Model | None = None) -> None:
        if model is not None:
            self.model = model

    @cached_property
    def model(self) -> Model:
        """The networks."""
        from albeit.parsing.model import load_model

        return load_model()

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
        self, contents: Sequence[str], layers: Layers, lang: str
    ) -> Iterator[tuple[str, dict[AnyLayer, bytes]]]:
        """Yield the output of the networks, without Python objects for trees."""
        from albeit.parsing.pipeline import analyse

        return analyse(contents, layers, self.model)

    def unpack(self, content: Any, records: Mapping[AnyLayer, bytes]) -> Analysis:
        """Return the annotation of packed layers, with labels for numbers."""
        known = self.build(content, {})
        for layer, record in records.items():
            if isinstance(layer, Numbered):
                value = layer.decode(all_layers.unpack_numbers(record), known, self.model.labels)
            else:
                value = layer.unpack(record)
            known = known.replace(known.text, {layer: value})
        return known


class EnglishDocuments(English):
    """The model of sentences and the networks over documents; words index the document."""

    name = "english-documents"
    layers = (all_layers.EDUS, all_layers.COREFERENCE, all_layers.ANTECEDENTS)
    units = frozenset({Unit.DOCUMENT})

    def __init__(self, model: Model | None = None, networks: Networks | None = None) -> None:
        super().__init__(model)
        if networks is not None:
            self.networks = networks

    @cached_property
    def networks(self) -> Networks:
        """The networks over documents."""
        from albeit.parsing.model import load_document_model

        return load_document_model()

    @property
    def version(self) -> str:  # type: ignore[override]
        """The versions of both models, and of the rules that split words."""
        return f"{super().version}-{self.networks.version}"

    def ground(self, content: Lines) -> dict[AnyLayer, Any]:  # type: ignore[override]
        """Return the lines, and their words and sentences as those of the document."""
        tokens, sentences = document_words(content)
        return {LINES: content, TOKENS: tokens, SENTENCES: sentences}

    def records(  # type: ignore[override]
        self, contents: Sequence[Lines], layers: Layers, lang: str
    ) -> Iterator[tuple[Lines, dict[AnyLayer, bytes]]]:
        """Yield the layers of each document."""
        from albeit.parsing.coreference import analyse

        return analyse(contents, layers, self.model, self.networks)


WORD_LAYERS = (all_layers.STEMS, all_layers.LEMMAS, all_layers.WORDS)
FORMS: dict[AnyLayer, WordForm] = dict(zip(WORD_LAYERS, get_args(WordForm), strict=True))


class Plain(Annotator):
    """Content words by stop lists and stemmers, and sentences by punctuation.

    It needs no model, and reads every language with a stop list.
    """

    name = "plain"
    languages = ALPHABETIC
    layers = WORD_LAYERS
    version = "1"
    cached = False
    rules = True

    def analyse_documents(
        self, documents: Sequence[Lines], layers: Layers, lang: str
    ) -> Iterator[Values]:
        """Yield the content words of each document."""
        split = splitter(lang)
        readers = {layer: content_words(lang, FORMS[layer]).keys for layer in layers}
        for lines in documents:
            sentences = [split(line) for line in lines]
            yield {
                layer: DocumentWords(tuple([[*map(keys, line)] for line in sentences]))
                for layer, keys in readers.items()
            }


class UnspacedPlain(Plain):
    """The same, with words from ICU's dictionaries, which an extra installs."""

    name = "plain-unspaced"
    languages = UNSPACED
    rules = False

    @cached_property
    def version(self) -> str:  # type: ignore[override]
        """The version, with that of the dictionaries."""
        return f"2-icu{icu_version()}"

    def ensure(self) -> None:
        """Raise an error if the extra with the dictionaries isn't installed."""
        icu_version()


ENGLISH, ENGLISH_DOCUMENTS = English(), EnglishDocuments()
BUILTIN: dict[str, Annotator] = {
    each.name: each for each in (ENGLISH, ENGLISH_DOCUMENTS, Plain(), UnspacedPlain())
}


def annotators() -> Iterator[Annotator]:
    """Yield all annotators, built-in ones first."""
    yield from BUILTIN.values()
    for name, target in plugins("albeit.annotators").items():
        value = loaded("annotator", name, target)
        if not isinstance(value, Annotator):
            raise AlbeitError(f"the plug-in {target!r} for annotator {name!r} isn't an Annotator.")
        if name not in BUILTIN:
            yield value


def find(layers: frozenset[AnyLayer], lang: str, unit: Unit = Unit.SEGMENT) -> Annotator:
    """Return the first annotator that makes all these layers of lines, or of documents.

    All layers that a metric reads come from one annotator, because they index the same words.
    """
    code = normalise(lang)
    wanted = {each for each in closure(layers) if not each.derived} - {TOKENS, LINES}
    fit = [a for a in annotators() if unit in a.units and wanted <= {*a.layers, *a.at_hand}]
    for one in fit:
        if code in one.languages:
            one.ensure()
            return one
    known = frozenset[str]().union(*(one.languages for one in fit))
    names = ", ".join(map(str, sorted(layers))) or "annotation"
    others = f"annotators here make it for {', '.join(sorted(known))}" if known else "none makes it"
    raise LanguageError(
        f"no {names} for {code!r}: {others}. Omit the metrics that need it, supply your own"
        " annotations (--annotations FILE), or install an annotator (docs/annotate.md)."
    )
