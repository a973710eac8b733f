"""Annotations that users supply for the texts of a test set: read, joined, checked, signed.

They come from any parser, in the formats of :mod:`albeit.parsing.formats`. An analysis
belongs to a text, wherever it stands; several files may hold different layers of it. The
formats are imported where files are read: most runs have none.
:class:`Supplied` has them as an annotator of the very texts that they are of.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from albeit.data.build import split_name
from albeit.data.evalset import EvalSet
from albeit.data.textio import warn
from albeit.errors import InputError, LanguageError
from albeit.parsing.annotator import Annotator
from albeit.parsing.annotators import find
from albeit.parsing.layers import TOKENS, Analysis, AnyLayer, blank, closure

__all__ = [
    "Annotations",
    "Supplied",
    "check_layers",
    "read_supplied",
    "signed",
    "texts_of",
    "wordy",
]


Annotations = Mapping[str, Analysis]
"""Analyses by text."""


def wordy(analysis: Analysis) -> bool:
    """Whether an analysis has words at all."""
    return bool(analysis.get(TOKENS))


class Supplied(Annotator):
    """Analyses by text, in any language; what is empty in any language needs none."""

    name = "given"
    cached = False

    def __init__(self, given: Annotations) -> None:
        self.given = given

    def reads(self, text: str) -> bool:
        """Whether this text's analysis was supplied, or is plain without one."""
        return text in self.given or not text.strip()

    def check(self, texts: Iterable[str], layers: frozenset[AnyLayer]) -> None:
        """Raise if what was supplied for one of these texts lacks a layer."""
        for text in texts:
            analysis = self.given.get(text)
            if analysis is None or not wordy(analysis):
                continue
            missing = [
                each for each in closure(layers) if not each.derived and each not in analysis
            ]
            if missing:
                names = ", ".join(map(str, sorted(missing)))
                raise InputError(
                    f"the annotations supplied for {text[:40]!r} have no {names}.",
                    hint="Bring annotations with all layers that the metrics need.",
                )

    def analyses(self, texts: Iterable[str]) -> dict[str, Analysis]:
        """The analyses of the texts that were supplied, as they came."""
        known = (text for text in texts if self.reads(text))
        return {text: self._one(text) for text in known}

    def _one(self, text: str) -> Analysis:
        analysis = self.given.get(text)
        return analysis if analysis is not None and wordy(analysis) else blank(text)

    @cached_property
    def version(self) -> str:  # type: ignore[override]
        """A checksum."""
        return self.checksum(self.given)

    def checksum(self, texts: Iterable[str]) -> str:
        """Of the analyses of some texts."""
        from albeit.parsing.formats.jsonl import to_object

        digest = hashlib.sha256()
        for text in sorted(text for text in set(texts) if text in self.given):
            digest.update(json.dumps(to_object(self.given[text]), sort_keys=True).encode())
        return digest.hexdigest()[:8]


def texts_of(evalset: EvalSet) -> list[str]:
    """The distinct texts that metrics compare: references and translations."""
    every = (*evalset.references.values(), *evalset.systems.values())
    return list(dict.fromkeys(line for lines in every for line in lines))


def read_supplied(files: Sequence[str], evalset: EvalSet) -> dict[str, Analysis]:
    """Read files of annotations for the texts of a set.

    ``NAME=FILE`` is for the reference or system of that name: the n-th annotation is of its
    n-th line, empty lines not counted. The annotations of a plain ``FILE`` are for whatever
    texts of the set have the same characters, white space aside.
    """
    if not files:
        return {}
    from albeit.parsing.formats import read_analyses

    found: dict[str, Analysis] = {}
    for file in files:
        name, path = split_name(file)
        analyses = [each for each in read_analyses(path) if wordy(each)]
        if str(path) != file:
            pairs = _by_line(analyses, name, evalset, str(path))
        else:
            pairs = _by_text(analyses, evalset, str(path))
        for analysis in pairs:
            known = found.get(analysis.text)
            found[analysis.text] = _joined(known, analysis, str(path)) if known else analysis
    return found


def _by_line(
    analyses: Sequence[Analysis], name: str, evalset: EvalSet, path: str
) -> list[Analysis]:
    named = [texts[name] for texts in (evalset.references, evalset.systems) if name in texts]
    if len(named) != 1:
        what = "both a reference and a system are" if named else "no reference or system is"
        known = ", ".join((*evalset.references, *evalset.systems))
        raise InputError(f"{what} called {name!r}.", path=path, hint=f"There are: {known}.")
    lines = [line for line in named[0] if line.strip()]
    if len(lines) != len(analyses):
        raise InputError(
            f"has {len(analyses)} annotations, but {name!r} has {len(lines)} lines that are not"
            " empty.",
            path=path,
            hint="Give one annotation a line, in the same order.",
        )
    pairs = enumerate(zip(analyses, lines, strict=True), 1)
    return [_on(analysis, line, path, number) for number, (analysis, line) in pairs]


def _by_text(analyses: Sequence[Analysis], evalset: EvalSet, path: str) -> list[Analysis]:
    texts: dict[str, list[str]] = {}
    for text in texts_of(evalset):
        texts.setdefault(_bare(text), []).append(text)
    placed = []
    strangers = 0
    for number, analysis in enumerate(analyses, 1):
        same = texts.get(_bare(analysis.text), [])
        strangers += not same
        placed += [_on(analysis, text, path, number) for text in same]
    if strangers == len(analyses):
        raise InputError(
            "holds no annotation of a text of this test set.",
            path=path,
            hint="Annotations must have the words of their text. If a parser has changed words,"
            " say whose lines these are: NAME=FILE.",
        )
    if strangers:
        what = f"{strangers} of {len(analyses)} annotations are of no text in this test set."
        warn(what, path=path, count=strangers)
    return placed


def _bare(text: str) -> str:
    return "".join(text.split())


def _on(analysis: Analysis, text: str, path: str, number: int) -> Analysis:
    """The analysis laid onto a text, which must have its words."""
    from albeit.parsing.formats.words import attach_numbered

    return analysis if analysis.text == text else attach_numbered(analysis, text, path, number)


def _joined(known: Analysis, other: Analysis, path: str) -> Analysis:
    """The layers of two analyses of one text, which must not contradict each other."""
    for layer in known:
        if layer in other and not layer.same(known[layer], other[layer]):
            raise InputError(
                f"another annotation of {known.text[:40]!r} has other {layer}.",
                path=path,
                hint="All annotations of a text must have the same words, and each layer once.",
            )
    return known.replace(known.text, {layer: other[layer] for layer in other})


def check_layers(
    evalset: EvalSet, layers: frozenset[AnyLayer], given: Annotations | None = None
) -> None:
    """Raise unless every text of the set has these layers, or an annotator can make them."""
    if not layers:
        return
    if not given:
        find(layers, evalset.target_lang)
        return
    texts = texts_of(evalset)
    supplied = Supplied(given)
    supplied.check(texts, layers)
    missing = [text for text in texts if not supplied.reads(text)]
    if missing:
        try:
            find(layers, evalset.target_lang)
        except LanguageError:
            raise LanguageError(
                f"{len(missing)} of {len(texts)} texts have no annotation (the first:"
                f" {missing[0][:40]!r}), and no annotator here makes them for"
                f" {evalset.target_lang!r}. Bring annotations of all references and translations."
            ) from None


def signed(evalset: EvalSet, given: Annotations) -> str:
    """What a signature says of given annotations: a checksum, and whether the model helped out."""
    texts, supplied = texts_of(evalset), Supplied(given)
    alone = all(map(supplied.reads, texts))
    return f"{supplied.name}-{supplied.checksum(texts)}" + ("" if alone else "+model")
