"""What words themselves say of whether two mentions corefer: classes, forms, modifiers.

All of it is arrays per word, made once per document from forms and the predicted dependency tree, so
that the evidence of a pair is a matter of looking up and comparing numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

PRONOUNS = (
    "i me my mine myself",
    "you your yours yourself yourselves",
    "he him his himself",
    "she her hers herself",
    "it its itself",
    "they them their theirs themselves themself",
    "we us our ours ourselves",
    "this that",
    "these those",
    "who whom whose which",
)
CLASS = {form: k for k, forms in enumerate(PRONOUNS, 1) for form in forms.split()}
PROPER = len(PRONOUNS) + 1
CLASSES = PROPER + 1
SET = 6
"""How many words of a mention are compared: its head and its modifiers."""
CONTENT = frozenset(("NOUN", "PROPN", "ADJ", "NUM"))
DEFINITE = frozenset(["the", "this", "that", "these", "those"])
GAP_STEPS = np.array([1, 2, 3, 4, 5, 8, 16, 32, 64])
FEATURES = 12


@dataclass(slots=True)
class Evidence:
    """A row per word of the document."""

    classes: Ints
    forms: Ints
    stems: Ints
    sets: Ints
    definite: npt.NDArray[np.bool_]
    indefinite: npt.NDArray[np.bool_]
    parents: Ints
    sentences: Ints


def stem(form: str) -> str:
    """A form without a plural's or a possessive's ending."""
    if len(form) > 4 and form.endswith("ies"):
        return form[:-3] + "y"
    return form[:-1] if len(form) > 3 and form.endswith("s") and not form.endswith("ss") else form


def evidence(
    sentences: Sequence[Sequence[str]],
    upos: Sequence[Sequence[str]],
    heads: Sequence[Sequence[int]],
) -> Evidence:
    """The evidence of a document's words; ``heads`` count from 1 in each sentence, 0 is the root."""
    sizes = [len(words) for words in sentences]
    lower = [word.lower() for words in sentences for word in words]
    tags = [tag for each in upos for tag in each]
    hung = np.array([head for each in heads for head in each], np.int64)
    base = np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)
    at = np.arange(len(lower))
    parents = np.where(hung > 0, base + hung - 1, -1)
    numbers: dict[str, int] = {}
    forms, stems = (
        np.array([numbers.setdefault(form, len(numbers) + 1) for form in every], np.int64)
        for every in (lower, map(stem, lower))
    )
    pairs = list(zip(lower, tags, strict=True))

    def hang(chosen: Iterable[bool]) -> Ints:
        """The chosen words that hang on another."""
        return np.flatnonzero(np.fromiter(chosen, np.bool_, len(lower)) & (parents >= 0))

    definite, indefinite = np.zeros(len(at), np.bool_), np.zeros(len(at), np.bool_)
    definite[parents[hang(form in DEFINITE for form in lower)]] = True
    owners = hang(tag == "PRON" and form in CLASS for form, tag in pairs)
    definite[parents[owners[parents[owners] > owners]]] = True
    indefinite[parents[hang(form in ("a", "an") for form in lower)]] = True
    modifiers = hang(tag in CONTENT for tag in tags)
    return Evidence(
        classes=np.array([_class(form, tag) for form, tag in pairs], np.int64),
        forms=forms,
        stems=stems,
        sets=_sets(stems, parents, modifiers),
        definite=definite,
        indefinite=indefinite,
        parents=parents,
        sentences=np.repeat(np.arange(len(sizes)), sizes),
    )


def _class(form: str, tag: str) -> int:
    """The class of a pronoun or name; 0 for all other words."""
    if tag in ("PRON", "DET"):
        return CLASS.get(form, 0)
    return PROPER if tag == "PROPN" else 0


def _sets(stems: Ints, parents: Ints, modifiers: Ints) -> Ints:
    """Each word's stem and those of the first few modifiers that stand near it, [words, SET]."""
    near = modifiers[np.abs(parents[modifiers] - modifiers) <= SET]
    near = near[np.argsort(parents[near], kind="stable")]
    on = parents[near]
    place = 1 + np.arange(len(on)) - np.searchsorted(on, on)
    kept = place < SET
    found = np.zeros((len(stems), SET), np.int64)
    found[:, 0] = stems
    found[on[kept], place[kept]] = stems[near[kept]]
    return found


def pair_codes(found: Evidence, words: Ints, mine: Ints, theirs: Ints) -> Ints:
    """Classes of pairs of mentions (rows of ``words``, in order): gap, sentence gap, word classes."""
    i, j = words[mine], words[theirs]
    gap = np.searchsorted(GAP_STEPS, mine - theirs, side="right")
    far = np.searchsorted(GAP_STEPS, found.sentences[i] - found.sentences[j], side="right")
    return np.column_stack([gap, far, found.classes[i] * CLASSES + found.classes[j]])


def pair_features(found: Evidence, i: Ints, j: Ints) -> Floats:
    """What is compared between the words ``i`` and ``j``, row by row."""
    one, other = found.sets[i], found.sets[j]
    same = (one[:, :, None] == other[:, None, :]) & (one > 0)[:, :, None]
    shared = same.any(2).sum(1)
    sizes, others = (one > 0).sum(1), (other > 0).sum(1)
    heads = one[:, 0] == other[:, 0]
    modified = heads & (sizes > 1) & (others > 1) & (shared <= 1)
    proper = (found.classes[i] == PROPER) & (found.classes[j] == PROPER)
    hung = (found.parents[i] == j) | (found.parents[j] == i)
    columns = [
        *(found.forms[i] == found.forms[j], heads),
        *(same[:, 0, :].any(1), same[:, :, 0].any(1)),
        *(shared / np.minimum(sizes, others), (shared == sizes) & (shared == others)),
        *(modified, proper, found.definite[i], found.indefinite[i], hung),
        np.log1p(np.abs(i - j)) / 6,
    ]
    return np.column_stack(columns).astype(np.float32)
