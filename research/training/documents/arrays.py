"""Kept documents as the arrays that the network reads and learns from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from albeit.parsing.traits import Evidence, evidence
from training.corpora.documents import Mention
from training.documents import units
from training.documents.kept import Kept
from training.rows import Node

Ints = npt.NDArray[np.int64]
STATUSES = ("new", "giv", "acc")


@dataclass(slots=True)
class Arrays:
    """One document. Words and subwords are counted over the document."""

    name: str
    ids: Ints
    middle: npt.NDArray[np.float16]
    cases: Ints
    sentences: Ints
    """Of each subword."""
    first: Ints
    """Of each word its first subword."""
    hidden: npt.NDArray[np.float16]
    starts: Ints
    """Of each sentence its first word, and the number of words."""
    salient: Ints
    """Of each sentence the EDU that its tree's nuclei lead to: first word, word after the last."""
    tree: list[Node]
    evidence: Evidence
    mentions: dict[int, Mention]
    """By head; one a head."""


def salient(tree: Sequence[Node]) -> int:
    """The EDU that the nuclei of a sentence's tree lead to (0 where there is but one)."""
    spans = {(a, b): (m, nuclearity) for a, b, m, nuclearity, _ in tree}
    a, b = (0, max((b for _, b in spans), default=0))
    while a != b:
        m, nuclearity = spans[a, b]
        a, b = (m + 1, b) if nuclearity == "SN" else (a, m)
    return a


def by_head(mentions: Sequence[Mention]) -> dict[int, Mention]:
    """One mention a head: of those that share one, the one whose entity is mentioned most."""
    sizes = Counter(mention.entity for mention in mentions)
    found: dict[int, Mention] = {}
    for mention in sorted(mentions, key=lambda m: (sizes[m.entity], m.start - m.stop)):
        found[mention.head] = mention
    return found


def arrays(kept: Kept) -> Arrays:
    """The arrays of a document."""
    document = kept.document
    sizes = [len(s.middle) for s in kept.sentences]
    bases = np.concatenate([[0], np.cumsum(sizes)])
    starts = np.array(document.offsets())
    spans = []
    for sentence, base, row in zip(kept.sentences, starts, document.rows, strict=False):
        edus = [*sentence.edus, len(row.words)]
        chosen = salient(sentence.tree)
        spans.append((base + edus[chosen], base + edus[chosen + 1]))
    return Arrays(
        name=document.id,
        ids=np.concatenate([s.ids for s in kept.sentences]).astype(np.int64),
        middle=np.concatenate([s.middle for s in kept.sentences]),
        cases=np.concatenate([s.cases for s in kept.sentences]).astype(np.int64),
        sentences=np.repeat(np.arange(len(sizes)), sizes),
        first=np.concatenate(
            [s.first + b for s, b in zip(kept.sentences, bases, strict=False)]
        ).astype(np.int64),
        hidden=np.concatenate([s.hidden for s in kept.sentences]),
        starts=starts,
        salient=np.array(spans),
        tree=units.projected(document.tree, edu_sentences(kept)) if document.mentions else [],
        evidence=evidence(
            [row.words for row in document.rows],
            [s.upos for s in kept.sentences],
            [s.heads for s in kept.sentences],
        ),
        mentions=by_head(document.mentions),
    )


def edu_sentences(kept: Kept) -> list[int]:
    """The sentence of each gold EDU."""
    return [k for k, row in enumerate(kept.document.rows) for _ in row.edus or []]
