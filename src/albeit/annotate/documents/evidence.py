"""What words themselves say of whether two mentions corefer: classes, forms, modifiers.

All of it is arrays a word, made once a document from forms and the predicted dependency tree, so
that the evidence of a pair is a matter of looking up and comparing numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    """A row a word of the document."""

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
    total = sum(map(len, sentences))
    numbers: dict[str, int] = {}
    classes, forms, stems, parents, where = (np.zeros(total, np.int64) for _ in range(5))
    sets = np.zeros((total, SET), np.int64)
    used = np.ones(total, np.int64)
    definite, indefinite = np.zeros(total, np.bool_), np.zeros(total, np.bool_)
    base = 0
    for number, (words, tags, tree) in enumerate(zip(sentences, upos, heads, strict=True)):
        for k, (word, tag) in enumerate(zip(words, tags, strict=True)):
            at = base + k
            form = word.lower()
            proper = PROPER if tag == "PROPN" else 0
            classes[at] = CLASS.get(form, 0) if tag in ("PRON", "DET") else proper
            forms[at] = numbers.setdefault(form, len(numbers) + 1)
            stems[at] = numbers.setdefault(stem(form), len(numbers) + 1)
            sets[at, 0] = stems[at]
            parents[at] = base + tree[k] - 1 if tree[k] else -1
            where[at] = number
        for k, (word, tag) in enumerate(zip(words, tags, strict=True)):
            on = parents[base + k]
            if on < 0:
                continue
            if tag in CONTENT and abs(on - base - k) <= SET and used[on] < SET:
                sets[on, used[on]] = stems[base + k]
                used[on] += 1
            form = word.lower()
            definite[on] |= form in DEFINITE or (tag == "PRON" and form in CLASS and on > base + k)
            indefinite[on] |= form in ("a", "an")
        base += len(words)
    return Evidence(classes, forms, stems, sets, definite, indefinite, parents, where)


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
