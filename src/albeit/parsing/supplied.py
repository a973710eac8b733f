"""Read annotations that users supply for the texts of a test set.

They come from any parser, in the formats of :mod:`albeit.parsing.formats`. An annotation belongs
to a text, and several files can have different layers of it. The formats are imported when files
are read, because most runs have none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

from albeit.data import EvalSet, split_name, warn
from albeit.errors import InputError, LanguageError
from albeit.parsing.annotator import find
from albeit.parsing.layers import TOKENS, Analysis, Annotations, AnyLayer, blank, closure


def wordy(analysis: Analysis) -> bool:
    """Return whether an annotation has words."""
    return bool(analysis.get(TOKENS))


def is_supplied(text: str, given: Annotations) -> bool:
    """Return whether a text has an annotation, or is empty and needs none."""
    return text in given or not text.strip()


def check_supplied(texts: Iterable[str], layers: frozenset[AnyLayer], given: Annotations) -> None:
    """Raise if the annotation of one of these texts lacks a layer."""
    wanted = [each for each in closure(layers) if not each.derived]
    for text in texts:
        analysis = given.get(text)
        known = wanted if analysis is None or not wordy(analysis) else analysis
        missing = [each for each in wanted if each not in known]
        if missing:
            names = ", ".join(map(str, sorted(missing)))
            hint = "Supply annotations with all layers that the metrics need."
            what = f"the annotations supplied for {text[:40]!r} have no {names}."
            raise InputError(what, hint=hint)


def select_supplied(texts: Iterable[str], given: Annotations) -> dict[str, Analysis]:
    """Return the annotations of those of these texts that have one, or are empty."""
    return {
        text: given[text] if text in given and wordy(given[text]) else blank(text)
        for text in texts
        if is_supplied(text, given)
    }


def texts_of(evalset: EvalSet) -> list[str]:
    """Return the distinct texts that metrics compare: references and translations."""
    every = (*evalset.references.values(), *evalset.systems.values())
    return list(dict.fromkeys(line for lines in every for line in lines))


def read_supplied(files: Sequence[str], evalset: EvalSet) -> dict[str, Analysis]:
    """Read files of annotations for the texts of a set.

    ``NAME=FILE`` is for the reference or system of that name: the n-th annotation is of its
    n-th line that isn't empty. The annotations of a plain ``FILE`` are for all texts of the set
    with the same characters, without white space.
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
            found[analysis.text] = _merge(known, analysis, str(path)) if known else analysis
    return found


def _by_line(found: Sequence[Analysis], name: str, evalset: EvalSet, path: str) -> list[Analysis]:
    named = [texts[name] for texts in (evalset.references, evalset.systems) if name in texts]
    if len(named) != 1:
        what = "both a reference and a system are" if named else "no reference or system is"
        known = ", ".join((*evalset.references, *evalset.systems))
        raise InputError(f"{what} called {name!r}.", path=path, hint=f"There are: {known}.")
    lines = [line for line in named[0] if line.strip()]
    if len(lines) != len(found):
        hint = "Supply one annotation per line, in the same order."
        what = f"has {len(found)} annotations, but {name!r} has {len(lines)} lines with text."
        raise InputError(what, path=path, hint=hint)
    pairs = enumerate(zip(found, lines, strict=True), 1)
    return [_attach(analysis, line, path, number) for number, (analysis, line) in pairs]


def _by_text(analyses: Sequence[Analysis], evalset: EvalSet, path: str) -> list[Analysis]:
    texts: dict[str, list[str]] = {}
    for text in texts_of(evalset):
        texts.setdefault(_bare(text), []).append(text)
    placed = []
    unknown = 0
    for number, analysis in enumerate(analyses, 1):
        same = texts.get(_bare(analysis.text), [])
        unknown += not same
        placed += [_attach(analysis, text, path, number) for text in same]
    if unknown == len(analyses):
        hint = (
            "Annotations must have the words of their text. If a parser has changed words, name"
            " the reference or system: NAME=FILE."
        )
        raise InputError("has no annotation of a text of this test set.", path=path, hint=hint)
    if unknown:
        what = f"{unknown} of {len(analyses)} annotations are not of a text in this test set."
        warn(what, path=path, count=unknown)
    return placed


def _bare(text: str) -> str:
    return "".join(text.split())


def _attach(analysis: Analysis, text: str, path: str, number: int) -> Analysis:
    """Return the annotation with the offsets of a text, which must have its words."""
    from albeit.parsing.formats import attach_numbered

    return analysis if analysis.text == text else attach_numbered(analysis, text, path, number)


def _merge(known: Analysis, other: Analysis, path: str) -> Analysis:
    """Return the layers of two annotations of one text, which must not contradict each other."""
    for layer in known:
        if layer in other and known[layer] != other[layer]:
            hint = "All annotations of a text must have the same words, and each layer once."
            what = f"another annotation of {known.text[:40]!r} has other {layer}."
            raise InputError(what, path=path, hint=hint)
    return known.replace(known.text, {layer: other[layer] for layer in other})


def check_layers(evalset: EvalSet, layers: frozenset[AnyLayer], given: Annotations) -> None:
    """Raise unless every text of the set has these layers, or an annotator can make them."""
    texts = texts_of(evalset)
    check_supplied(texts, layers, given)
    missing = [text for text in texts if not is_supplied(text, given)]
    if missing:
        try:
            find(layers, evalset.target_lang)
        except LanguageError:
            raise LanguageError(
                f"{len(missing)} of {len(texts)} texts have no annotation (the first:"
                f" {missing[0][:40]!r}), and no annotator here makes them for"
                f" {evalset.target_lang!r}. Supply annotations of all references and translations."
            ) from None


def signed(evalset: EvalSet, given: Annotations) -> str:
    """Return the part of a signature for supplied annotations: a checksum, and the model's part."""
    from albeit.parsing.formats import to_object

    texts = texts_of(evalset)
    digest = hashlib.sha256()
    for text in sorted(text for text in texts if text in given):
        digest.update(json.dumps(to_object(given[text]), sort_keys=True).encode())
    alone = all(is_supplied(text, given) for text in texts)
    return f"given-{digest.hexdigest()[:8]}" + ("" if alone else "+model")
