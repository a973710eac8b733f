"""Write documents with the states of the parsing model, to train and test coreference.

    python -m training.documents.data --data ../shared/data --out research/data/documents
    python -m training.documents.data --silver ...

Without ``--silver``: the parts of GUM. With it, documents without annotation for teachers: web
texts are EWT's training part, news is WMT13's reference, parliament a sample of Europarl. No text
that a metric is tested on.
"""

from __future__ import annotations

import html
import json
import pickle
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt

from albeit.parsing.traits import Evidence, evidence
from training.batch import Collator, Subwords
from training.corpora import conllu
from training.corpora.documents import Document, Mention, read
from training.corpora.umuc import tokenize
from training.options import DATA, WEIGHTS, read_options
from training.predict import Analyser, OnnxBackend
from training.rows import Item, Row
from training.unlabelled import lines

Ints = npt.NDArray[np.int64]
STATUSES = ("new", "giv", "acc")
LEAST, MOST = 5, 60
"""Sentences of a document without annotation; longer ones are cut."""
LONGEST = 150
"""Words of a sentence of such a document."""
SENTENCES = {"web": 7000, "parliament": 3000}


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


class _Tags(Analyser):
    """Leaves out the layers that coreference doesn't read."""

    def _constituents(self, *_: object) -> None: ...

    def _roles(self, *_: object) -> None: ...


def compute_states(rows: list[Row], backend: OnnxBackend, collator: Collator) -> list[Sentence]:
    """Return the states of sentences, each computed alone."""
    sentences = []
    for row, analysed in zip(
        rows, _Tags(backend, collator)([Item([r]) for r in rows]), strict=True
    ):
        arrays = collator.encode([row])
        hidden, _ = backend.encode(arrays["ids"], arrays["mask"], arrays["cases"])
        first = arrays["first"][0, : len(row.words)].astype(np.int64)
        inside = slice(1, int(arrays["mask"][0].sum()) - 1)
        sentences.append(
            Sentence(
                hidden[0, first].astype(np.float16),
                (first - 1).astype(np.int32),
                arrays["ids"][0, inside].astype(np.int32),
                arrays["cases"][0, inside].astype(np.int8),
                analysed.rows[0].upos or [],
                analysed.rows[0].heads or [],
            )
        )
    return sentences


def read_web(root: Path) -> Iterator[tuple[str, list[Row]]]:
    """Yield the files of EWT's training part."""
    folder = root / "ewt-propbank/not-to-release"
    for name in (folder / "file-lists/files.train").read_text(encoding="utf-8").split():
        sentences = conllu.read(folder / "sources" / name)
        yield name, [Row(s.comments["sent_id"], "ewt", "web", s.words) for s in sentences]


def read_plain(name: str, texts: Path, documents: Path) -> Iterator[tuple[str, list[Row]]]:
    """Yield neighboring lines of one document."""
    ids = ["-".join(line.split("\t")[:2]) for line in lines(documents)]
    pairs = zip(ids, lines(texts), strict=False)
    for number, (document, group) in enumerate(groupby(pairs, key=lambda pair: pair[0])):
        words = [tokenize(html.unescape(text)) for _, text in group if "\ufffd" not in text]
        rows = [Row(f"{name}-{document}-{k}", name, name, w) for k, w in enumerate(words) if w]
        yield f"{name}-{document}-{number}", rows


def choose(found: Iterator[tuple[str, list[Row]]], limit: float) -> Iterator[Document]:
    """Yield documents of enough sentences, until there are ``limit`` sentences."""
    total = 0
    for name, rows in found:
        short = [row for row in rows if len(row.words) <= LONGEST]
        for at in range(0, len(short), MOST):
            part = short[at : at + MOST]
            if len(part) >= LEAST and total < limit:
                total += len(part)
                yield Document(f"{name}/{at}", "silver", part, [])


def read_silver(data: Path, unpacked: Path) -> Iterator[Document]:
    """Yield the documents without annotation."""
    news, parliament = data / "wmt13/cs-en", data / "bitext/en-de"
    yield from choose(read_plain("news", news / "ref.txt", news / "docids.txt"), float("inf"))
    yield from choose(read_web(unpacked), SENTENCES["web"])
    files = parliament / "en.txt.gz", parliament / "docids.txt.gz"
    yield from choose(read_plain("parliament", *files), SENTENCES["parliament"])


def main(
    *,
    data: Path = DATA,
    out: Path = Path("research/data/documents"),
    weights: Path = WEIGHTS,
    silver: bool = False,
) -> None:
    """Write the documents of each part."""
    labels = json.loads((weights / "meta.json").read_text(encoding="utf-8"))["labels"]
    backend = OnnxBackend(weights)
    collator = Collator(Subwords(weights / "tokenizer.json"), labels)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(data / f"{'ewt-propbank' if silver else 'gum'}.tar.xz") as archive:
            archive.extractall(folder, filter="data")
        for part in ("silver",) if silver else ("train", "dev", "test"):
            gum = Path(folder) / "gum"
            found = read_silver(data, Path(folder)) if silver else read(gum, part)
            kept = [Kept(d, compute_states(d.rows, backend, collator)) for d in found]
            with (out / f"{part}.pickle").open("wb") as file:
                pickle.dump(kept, file, protocol=5)
            print(f"{part}: {len(kept)} documents, {sum(len(k.sentences) for k in kept)} sentences")


if __name__ == "__main__":
    read_options(main)
