"""Annotate texts and documents once, by layers or by the needs of metrics.

Layers of a text index one sequence of words, so those of *one* metric come from one annotator;
those of several metrics can come from several. Which one depends only on what that metric reads,
not on the other metrics of a run or on the cache.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar, cast

from albeit.data.evalset import Unit
from albeit.errors import LanguageError
from albeit.languages import normalise
from albeit.parsing.annotator import Annotator, find
from albeit.parsing.layers import Analysis, AnyLayer, Lines, closure
from albeit.parsing.needs import Need, Side, annotated_needs, layers_of
from albeit.parsing.supplied import check_supplied, select_supplied
from albeit.store import cache_folder

K = TypeVar("K", str, Lines)
"""A line, or the lines of a document."""
_BLOCK = 8192
"""Number of texts that are read from and written to the store together."""


class Analyses(Mapping[K, Analysis], Generic[K]):
    """Annotations by text (or document), packed until they are first read.

    :param values: annotations, or one record per layer of ``layers``
    :param annotator: the annotator that made the records
    """

    def __init__(
        self,
        values: Mapping[K, Analysis | Sequence[bytes]],
        layers: Sequence[AnyLayer],
        annotator: Annotator,
    ) -> None:
        self._values: dict[K, Analysis | Sequence[bytes]] = dict(values)
        self._layers, self._annotator = layers, annotator

    def __getitem__(self, content: K) -> Analysis:
        value = self._values[content]
        if not isinstance(value, Analysis):
            records = dict(zip(self._layers, value, strict=True))
            value = self._values[content] = self._annotator.unpack(content, records)
        return value

    def __iter__(self) -> Iterator[K]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def annotate(
    texts: Sequence[str],
    layers: frozenset[AnyLayer],
    lang: str = "en",
    *,
    given: Mapping[str, Analysis] | None = None,
    annotator: Annotator | None = None,
) -> Mapping[str, Analysis]:
    """Annotate each distinct text once, with at least the given layers.

    Annotations that any process made before come from the store. They are unpacked when they
    are first read.

    :param texts: lines
    :param layers: the layers to make (:mod:`albeit.parsing.layers`)
    :param lang: the language of the texts
    :param given: your own annotations of some texts (:func:`albeit.parsing.supplied.read_supplied`)
    :param annotator: the annotator [default: the first that makes these layers]
    :return: the annotation of each text

    >>> from albeit.parsing import annotate
    >>> from albeit.parsing.layers import EDUS
    >>> line = "We left because it rained."
    >>> len(annotate([line], frozenset({EDUS}))[line][EDUS])
    2
    """
    distinct = list(dict.fromkeys(texts))
    ready: dict[str, Analysis] = {}
    if given is not None:
        check_supplied(distinct, layers, given)
        ready = select_supplied(distinct, given)
        distinct = [text for text in distinct if text not in ready]
    if not distinct:
        return ready
    return _annotate(distinct, layers, lang, annotator or find(layers, lang), ready)


def annotate_documents(
    documents: Sequence[Lines],
    layers: frozenset[AnyLayer],
    lang: str = "en",
    *,
    annotator: Annotator | None = None,
) -> Mapping[Lines, Analysis]:
    """Annotate each distinct document once, with layers of whole documents.

    Layers that no annotator makes together come from several. Each of these adds the words that
    its own layers index.

    :param documents: the lines of each document
    :param layers: the layers to make, layers of documents
    :param lang: the language of the documents
    :param annotator: the annotator [default: the first that makes each layer]
    :return: the annotation of each document

    >>> from albeit.parsing import annotate_documents
    >>> from albeit.parsing.layers import CHAINS
    >>> lines = ("The bridge is old.", "The bridge is closed.")
    >>> annotation = annotate_documents([lines], frozenset({CHAINS}))[lines]
    >>> CHAINS in annotation
    True
    """
    distinct = list(dict.fromkeys(documents))
    shares: dict[Annotator, frozenset[AnyLayer]] = {}
    if annotator is not None or not layers:
        shares[annotator or find(layers, lang, Unit.DOCUMENT)] = layers
    else:
        for layer in sorted(layers):
            one = find(frozenset({layer}), lang, Unit.DOCUMENT)
            shares[one] = shares.get(one, frozenset()) | {layer}
    if not distinct:
        return {}
    parts = [_annotate(distinct, some, lang, one, {}) for one, some in shares.items()]
    if len(parts) == 1:
        return parts[0]
    joined = {}
    for lines in distinct:
        values = {layer: part[lines][layer] for part in parts for layer in part[lines]}
        joined[lines] = Analysis("\n".join(lines), values)
    return joined


def _annotate(
    contents: list[K],
    layers: frozenset[AnyLayer],
    lang: str,
    annotator: Annotator,
    ready: Mapping[K, Analysis],
) -> Analyses[K]:
    """Return the annotations that are ready, and those that the annotator makes."""
    wanted = closure(layers)
    own = [layer for layer in annotator.layers if layer in wanted]
    values: dict[K, Analysis | Sequence[bytes]] = dict(ready)
    code = normalise(lang)
    for start in range(0, len(contents), _BLOCK):
        block = contents[start : start + _BLOCK]
        if not own:
            values.update((content, ()) for content in block)
        elif annotator.cached:
            for content, records in _make_records(block, own, annotator, code).items():
                values[content] = [records[layer] for layer in own]
        else:
            for content, found in annotator.values(block, own, code):
                values[content] = annotator.build(content, found)
    return Analyses(values, own, annotator)


def _make_records(
    contents: Sequence[K], layers: Sequence[AnyLayer], annotator: Annotator, lang: str
) -> dict[K, dict[AnyLayer, bytes]]:
    """Return the packed layers of each text, from the store if it has them."""
    folder = cache_folder()
    if folder is None:
        return dict(annotator.records(contents, layers, lang))
    from albeit.store.records import open_cache  # SQLite is imported only if it is needed

    cache = open_cache(folder, annotator.identity(lang))
    known = cache.layers(contents, layers)
    # texts that lack the same layers are annotated together, for those layers only
    lacking: dict[tuple[AnyLayer, ...], list[K]] = {}
    for content, records in known.items():
        missing = tuple(layer for layer in layers if layer not in records)
        if missing:
            lacking.setdefault(missing, []).append(content)
    for missing, some in lacking.items():
        new = list(annotator.records(some, missing, lang))
        for content, records in new:
            known[content].update(records)
        cache.add(new)
    return known


def version(
    lang: str = "en", layers: frozenset[AnyLayer] = frozenset(), unit: Unit = Unit.SEGMENT
) -> str:
    """Return the annotator and version for lines (or documents) of a language, for signatures."""
    return find(layers, lang, unit).identity(normalise(lang))


def annotate_needs(
    every: Iterable[frozenset[Need]],
    unit: Unit,
    sides: tuple[Side, ...],
    lang: str,
    contents: Callable[[Side], Iterable[K]],
    annotate: Callable[..., Mapping[K, Analysis]],
) -> Mapping[frozenset[Need], Mapping[K, Analysis]]:
    """Annotate the layers that metrics need of lines or documents, of some sides.

    Each annotator reads each text once. The result has the annotations for each metric's needs,
    those that must be annotated.

    :param every: the needs of each metric
    :param contents: returns the texts of a side
    :param annotate: annotates texts with layers, by an annotator (:func:`albeit.parsing.annotate`)
    """
    shares: dict[Annotator | None, set[Need]] = {}
    chosen: dict[frozenset[Need], Annotator | None] = {}
    for needs in every:
        own = annotated_needs(needs, unit, sides)
        if own and own not in chosen:
            try:
                chosen[own] = find(frozenset(need.layer for need in own), lang, unit)
            except LanguageError:
                chosen[own] = None  # all annotations are supplied by the user
            shares.setdefault(chosen[own], set()).update(own)
    parts: dict[Annotator | None, Mapping[K, Analysis]] = {}
    for annotator, share in shares.items():
        # a text of two sides has the layers of both
        wanted: dict[K, frozenset[AnyLayer]] = {}
        for side in sides:
            if layers := layers_of(share, side, unit=unit):
                for content in contents(side):
                    wanted[content] = wanted.get(content, layers) | layers
        groups: dict[frozenset[AnyLayer], list[K]] = {}
        for content, layers in wanted.items():
            groups.setdefault(layers, []).append(content)
        maps = [annotate(some, layers, annotator=annotator) for layers, some in groups.items()]
        parts[annotator] = maps[0] if len(maps) == 1 else ChainMap(*cast("list[Any]", maps))
    return {needs: parts[annotator] for needs, annotator in chosen.items()}
