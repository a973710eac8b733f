"""Write GUM's documents with the states of the parsing model, to train and test coreference.

python -m training documents.data --data ../shared/data --out research/data/documents
"""

from __future__ import annotations

import pickle
import tarfile
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from albeit.parsing.coreference import read_sentences
from albeit.parsing.model import Model
from albeit.parsing.traits import Evidence, evidence
from training.batch import Collator, Subwords
from training.corpora.documents import Document, Mention, read
from training.options import DATA, WEIGHTS
from training.rows import Row

Ints = npt.NDArray[np.int64]
STATUSES = ("new", "giv", "acc")


@dataclass(slots=True)
class Sentence:
    """The states of one sentence.

    ``hidden`` is what the sentence heads read, a row per word; ``ids`` and ``cases`` are the
    encoder's input without special tokens, ``first`` each word's first subword there. Parts of
    speech and heads are the model's own.
    """

    hidden: npt.NDArray[np.float16]
    first: npt.NDArray[np.int32]
    ids: npt.NDArray[np.int32]
    cases: npt.NDArray[np.int8]
    upos: list[str]
    heads: list[int]


@dataclass(slots=True)
class Kept:
    """A document with the states of its sentences."""

    document: Document
    sentences: list[Sentence]


@dataclass(slots=True)
class Arrays:
    """One document as the network reads it. Words and subwords are counted over the document."""

    name: str
    ids: Ints
    cases: Ints
    sentences: Ints
    """Of each subword."""
    first: Ints
    """Of each word its first subword."""
    hidden: npt.NDArray[np.float16]
    starts: Ints
    """Of each sentence its first word, and the number of words."""
    evidence: Evidence
    mentions: dict[int, Mention]
    """By head; one per head."""


def index_mentions(mentions: Sequence[Mention]) -> dict[int, Mention]:
    """Return one mention per head: the one whose entity is mentioned most."""
    sizes = Counter(mention.entity for mention in mentions)
    ordered = sorted(mentions, key=lambda m: (sizes[m.entity], m.start - m.stop))
    return {mention.head: mention for mention in ordered}


def make_arrays(kept: Kept) -> Arrays:
    """Return the arrays of a document."""
    sentences = kept.sentences
    sizes = [len(s.ids) for s in sentences]
    bases = np.cumsum([0, *sizes[:-1]])
    first = [s.first + base for s, base in zip(sentences, bases, strict=True)]
    return Arrays(
        name=kept.document.id,
        ids=np.concatenate([s.ids for s in sentences]).astype(np.int64),
        cases=np.concatenate([s.cases for s in sentences]).astype(np.int64),
        sentences=np.repeat(np.arange(len(sizes)), sizes),
        first=np.concatenate(first).astype(np.int64),
        hidden=np.concatenate([s.hidden for s in sentences]),
        starts=np.array(kept.document.offsets()),
        evidence=evidence(
            [row.words for row in kept.document.rows],
            [s.upos for s in sentences],
            [s.heads for s in sentences],
        ),
        mentions=index_mentions(kept.document.mentions),
    )


def load(path: Path, limit: int | None = None) -> list[Kept]:
    """Read the documents of one file."""
    with path.open("rb") as file:
        kept: list[Kept] = pickle.load(file)
    return kept[:limit]


def compute_states(rows: list[Row], model: Model, collator: Collator) -> list[Sentence]:
    """Return the states of sentences."""
    found = []
    for row, one in zip(
        rows, read_sentences([tuple(row.words) for row in rows], model, tagged=True), strict=True
    ):
        arrays = collator.encode([row])
        inside = slice(1, int(arrays["mask"].sum()) - 1)
        found.append(
            Sentence(
                one.hidden.astype(np.float16),
                (arrays["first"][0] - 1).astype(np.int32),
                arrays["ids"][0, inside].astype(np.int32),
                arrays["cases"][0, inside].astype(np.int8),
                one.upos,
                one.heads,
            )
        )
    return found


def main(
    *, data: Path = DATA, out: Path = Path("research/data/documents"), weights: Path = WEIGHTS
) -> None:
    """Write the documents of each part."""
    model = Model(weights)
    collator = Collator(Subwords(weights / "tokenizer.json"), dict(model.labels))
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(data / "gum.tar.xz") as archive:
            archive.extractall(folder, filter="data")
        for part in ("train", "dev", "test"):
            found = read(Path(folder) / "gum", part)
            kept = [Kept(d, compute_states(d.rows, model, collator)) for d in found]
            with (out / f"{part}.pickle").open("wb") as file:
                pickle.dump(kept, file, protocol=5)
            print(f"{part}: {len(kept)} documents, {sum(len(k.sentences) for k in kept)} sentences")
