"""What a text means: the layers of an analysis, the annotators that make them, the cache."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Generic

from albeit.data.levels import Unit
from albeit.languages import normalise
from albeit.parsing.annotator import Annotator, Lines
from albeit.parsing.annotators import find, made_by, makers_of
from albeit.parsing.layer import Analysis, AnyLayer, joined
from albeit.parsing.supplied import Supplied
from albeit.store import Content, cache_folder, open_cache

__all__ = ["Analyses", "annotate", "annotate_documents", "version"]


_BLOCK = 8192
"""How many texts are looked up in and written to the cache together."""


class Analyses(Mapping[Content, Analysis], Generic[Content]):
    """The result of annotating: analyses by text (or document), kept packed until they are asked for;
    then the same object.

    ``packed`` holds, for each, one record a layer of ``layers``, which ``annotator`` made; ``ready``
    holds analyses that are there already.
    """

    def __init__(
        self,
        packed: Mapping[Content, Sequence[bytes]],
        layers: Sequence[AnyLayer],
        annotator: Annotator,
        ready: Mapping[Content, Analysis],
    ) -> None:
        self._packed: Mapping[Content, Sequence[bytes]] = packed
        self._layers, self._annotator = tuple(layers), annotator
        self._ready: dict[Content, Analysis] = dict(ready)
        self._contents = dict.fromkeys([*packed, *ready])

    def __getitem__(self, content: Content) -> Analysis:
        analysis = self._ready.get(content)
        if analysis is None:
            found = dict(zip(self._layers, self._packed[content], strict=True))
            analysis = self._annotator.unpack(content, found)
            analysis = self._ready.setdefault(content, analysis)
        return analysis

    def __iter__(self) -> Iterator[Content]:
        return iter(self._contents)

    def __len__(self) -> int:
        return len(self._contents)


def annotate(
    texts: Sequence[str],
    layers: frozenset[AnyLayer],
    lang: str = "en",
    *,
    given: Mapping[str, Analysis] | None = None,
    annotator: Annotator | None = None,
) -> Mapping[str, Analysis]:
    """Analyse each distinct text once, with at least the layers asked for.

    Analyses are unpacked when they are first looked at. What was analysed before, by whichever
    process, comes from the cache.

    :param texts: lines
    :param layers: what is wanted of them (:mod:`albeit.parsing.layers`)
    :param lang: their language
    :param given: analyses of some texts from elsewhere (``read_annotations``), used in place of ours
    :param annotator: who analyses, where it should not be the first that can
    :return: a text to its analysis

    >>> from albeit.parsing import annotate
    >>> from albeit.parsing.layers import EDUS
    >>> line = "We left because it rained."
    >>> len(annotate([line], frozenset({EDUS}))[line][EDUS])
    2
    """
    distinct = list(dict.fromkeys(texts))
    ready: dict[str, Analysis] = {}
    if given is not None:
        supplied = Supplied(given)
        supplied.check(distinct, layers)
        ready = supplied.analyses(distinct)
        distinct = [text for text in distinct if text not in ready]
    return _annotated(distinct, layers, lang, Unit.SEGMENT, annotator, ready)


def annotate_documents(
    documents: Sequence[Lines],
    layers: frozenset[AnyLayer],
    lang: str = "en",
    *,
    annotator: Annotator | None = None,
) -> Mapping[Lines, Analysis]:
    """Analyse each distinct document once: layers of whole documents, by their lines in order.

    Layers that no annotator makes together come from several, each with the words that its own
    layers point into.

    :param documents: the lines of each document
    :param layers: what is wanted of them, layers of documents
    :param lang: their language
    :param annotator: who analyses, where it should not be the first that can
    :return: a document's lines to its analysis

    >>> from albeit.parsing import annotate_documents
    >>> from albeit.parsing.layers import CHAINS
    >>> lines = ("The bridge is old.", "The bridge is closed.")
    >>> found = annotate_documents([lines], frozenset({CHAINS}))[lines]
    >>> CHAINS in found
    True
    """
    distinct = list(dict.fromkeys(documents))
    shares = makers_of(layers, lang) if annotator is None else {annotator: layers}
    parts = [
        _annotated(distinct, some, lang, Unit.DOCUMENT, one, {}) for one, some in shares.items()
    ]
    if len(parts) == 1:
        return parts[0]
    return {lines: joined([part[lines] for part in parts]) for lines in distinct}


def _annotated(
    contents: list[Content],
    layers: frozenset[AnyLayer],
    lang: str,
    unit: Unit,
    annotator: Annotator | None,
    ready: dict[Content, Analysis],
) -> Mapping[Content, Analysis]:
    """What is ready, and the rest by an annotator of that language."""
    if not contents:
        return ready
    chosen = annotator or find(layers, lang, unit)
    made = made_by(chosen, layers)
    code = normalise(lang)
    packed: dict[Content, Sequence[bytes]] = {}
    for start in range(0, len(contents), _BLOCK):
        block = contents[start : start + _BLOCK]
        if not made:
            packed.update((content, ()) for content in block)
        elif chosen.cached:
            packed.update(_packed(block, made, chosen, code))
        else:
            ready.update(chosen.values(block, made, code))
    return Analyses(packed, made, chosen, ready)


def _packed(
    contents: Sequence[Content], layers: Sequence[AnyLayer], annotator: Annotator, lang: str
) -> dict[Content, Sequence[bytes]]:
    """A record a layer, from the cache where it has them."""
    folder = cache_folder()
    if folder is None:
        fresh = annotator.records(contents, layers, lang)
        return {content: [found[layer] for layer in layers] for content, found in fresh}
    cache = open_cache(folder, annotator.identity(lang))
    known = cache.layers(contents, layers)
    # texts that lack the same layers are analysed together, for those layers only
    lacking: dict[tuple[AnyLayer, ...], list[Content]] = {}
    for content, found in known.items():
        missing = tuple(layer for layer in layers if layer not in found)
        if missing:
            lacking.setdefault(missing, []).append(content)
    for missing, some in lacking.items():
        made = dict(annotator.records(some, missing, lang))
        for content, found in made.items():
            known[content].update(found)
        cache.add(made.items())
    return {content: [found[layer] for layer in layers] for content, found in known.items()}


def version(
    lang: str = "en", layers: frozenset[AnyLayer] = frozenset(), unit: Unit = Unit.SEGMENT
) -> str:
    """Which annotator, in which version, analyses lines (or documents) of this language, for signatures."""
    return find(layers, lang, unit).identity(normalise(lang))
