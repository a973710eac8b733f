"""English documents without annotation to learn from, and places to test in GUM.

Learned from: English references and sources of WMT12, 13, 21, 23, 24, newstest21 and TED talks,
the speeches of Europarl in order, the training parts of GUM and EWT. Never: newstest20, biomedical
abstracts, GUM's development and test parts.
"""

from __future__ import annotations

import gzip
import html
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from albeit.metrics.judge.cloze import CONNECTIVES, KINDS, Target, bare, connectives
from training.cloze.exchange import Exchange
from training.corpora import conllu
from training.corpora.documents import read_connectives, splits

WMT = (
    *("wmt12/de-en/ref.txt", "wmt13/de-en/ref.txt", "wmt21/ru-en/refA.txt", "wmt21/ru-en/refB.txt"),
    *("wmt21/ja-en/refA.txt", "wmt21/is-en/refA.txt"),
    *("ted-mqm/zh-en/ref_ref.txt", "ted-mqm/zh-en/ref_refB.txt"),
    *(f"newstest21-mqm/{name}.txt" for name in ("zh-en/ref", "zh-en/ref-B", "en-de/src")),
    *("wmt23-mqm/zh-en/ref.txt", "wmt23-mqm/en-de/src.txt", "wmt24-esa/en-zh/src.txt"),
)
"""Files of the shared data, and of its archive for discourse."""
LINES = 80
"""The most lines of a document; longer ones are cut."""


@dataclass(slots=True)
class Document:
    """Lines of one text, as words."""

    name: str
    lines: list[list[str]]
    begins: list[int] = field(default_factory=list)
    """The first word of each line."""

    def __post_init__(self) -> None:
        at = 0
        for line in self.lines:
            self.begins.append(at)
            at += len(line)

    @property
    def words(self) -> list[str]:
        """All of them."""
        return [word for line in self.lines for word in line]

    def line_of(self, word: int) -> int:
        """The line in which a word stands."""
        return max(k for k, start in enumerate(self.begins) if start <= word)


@dataclass(frozen=True, slots=True)
class Place:
    """A word of a document that is tested: hidden, is its class likely? `right`: it is as it
    should be."""

    test: str
    document: str
    target: Target
    right: bool
    pair: int = -1
    """Places of one number are the same place, right and wrong."""


def cut(name: str, lines: Sequence[str], ids: Sequence[str]) -> Iterator[Document]:
    """Neighbouring lines with one id."""
    pairs = list(zip(ids, lines, strict=False))
    for number, (one, group) in enumerate(groupby(pairs, key=lambda pair: pair[0])):
        texts = [words for _, line in group if (words := html.unescape(line).split())]
        for part in range(0, len(texts), LINES):
            yield Document(f"{name}:{one}:{number}.{part}", texts[part : part + LINES])


def _read(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8-sig").removesuffix("\n").split("\n")


def news(data: Path, discourse: Path) -> Iterator[Document]:
    """WMT's sets with documents; a text that is there twice counts once."""
    seen: set[str] = set()
    for path in WMT:
        folder, _, file = path.rpartition("/")
        inside = (data if folder.startswith(("wmt1", "wmt21", "ted")) else discourse) / folder
        if not (inside / file).exists():
            continue
        known = inside / "docids.txt"
        lines = _read(inside / file)
        ids = [i.split("\t")[0] for i in _read(known)] if known.exists() else [folder] * len(lines)
        for one in cut(f"{folder}/{file}", lines, ids):
            key = " ".join(one.words[:60])
            if key not in seen:
                seen.add(key)
                yield one


def parliament(data: Path, pairs: Sequence[str]) -> Iterator[Document]:
    """Speeches, in order."""
    for pair in pairs:
        folder = data / "bitext" / pair
        texts, ids = (
            gzip.decompress((folder / name).read_bytes()).decode().removesuffix("\n").split("\n")
            for name in ("en.txt.gz", "docids.txt.gz")
        )
        kept = [(i, t) for i, t in zip(ids, texts, strict=True) if "\ufffd" not in t]
        names = [" ".join(i.split("\t")[:2]) for i, _ in kept]
        yield from cut(pair, [text for _, text in kept], names)


def treebanks(gum: Path, ewt: Path) -> Iterator[Document]:
    """The training parts of GUM and EWT, as they are spaced."""
    for name in splits(gum / "splits.md")["train"]:
        yield gum_document(gum, name)
    folder = ewt / "not-to-release"
    for name in (folder / "file-lists/files.train").read_text(encoding="utf-8").split():
        sentences = conllu.read(folder / "sources" / name)
        lines = [s.comments.get("text", " ".join(s.words)).split() for s in sentences]
        yield Document(f"ewt:{name}", [line for line in lines if line])


def gum_document(gum: Path, name: str) -> Document:
    """A text of GUM."""
    lines = [s.comments["text"].split() for s in conllu.read(gum / "dep" / f"{name}.conllu")]
    return Document(f"gum:{name}", [line for line in lines if line])


def senses(gum: Path) -> dict[str, dict[str, float]]:
    """The share of each top-level sense of a connective in GUM's training part."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name in splits(gum / "splits.md")["train"]:
        words = [w for s in conllu.read(gum / "dep" / f"{name}.conllu") for w in s.words]
        for start, stop, sense in read_connectives(gum / "rst/gdtb/pdtb/gold/00" / name):
            form = " ".join(words[start:stop]).lower()
            if form in CONNECTIVES:
                counts[form][sense.split(".")[0]] += 1
    return {
        form: {sense: n / sum(of.values()) for sense, n in of.most_common()}
        for form, of in counts.items()
    }


def swapped(
    gum: Path, part: str, of: dict[str, dict[str, float]], seed: int = 15
) -> tuple[list[Document], list[Place]]:
    """Connectives of a part of GUM exchanged for others of another top-level sense, about as
    frequent;
    of each pair of senses as many one way as the other."""
    rng = random.Random(seed)
    sense = {form: next(iter(shares)) for form, shares in of.items() if max(shares.values()) >= 0.6}
    found: dict[tuple[str, str], list[tuple[Document, Target, str]]] = defaultdict(list)
    documents = [gum_document(gum, name) for name in splits(gum / "splits.md")[part]]
    every = [(d, t) for d in documents for t in connectives(d.words) if t.name in sense]
    frequency = Counter(t.name for _, t in every)
    for one, target in every:
        others = [f for f in sense if sense[f] != sense[target.name] and frequency[f]]
        if others:
            near = sorted(others, key=lambda f: (abs(frequency[f] - frequency[target.name]), f))
            new = rng.choice(near[:4])
            found[sense[target.name], sense[new]].append((one, target, new))
    test = f"connectives {part}"
    places: list[Place] = []
    made: list[Document] = []
    for a, b in sorted(found):
        count = min(len(found[a, b]), len(found.get((b, a), [])))
        for one, target, new in rng.sample(found[a, b], count):
            places.append(Place(test, one.name, target, True, len(made)))
            wrong = _with(one, target, new, f"{one.name}>{len(made)}:{part}c")
            places.append(Place(test, wrong.name, _moved(target, new), False, len(made)))
            made.append(wrong)
    return [*documents, *made], places


def _moved(target: Target, new: str) -> Target:
    return Target(target.start, target.start + len(new.split()), new)


def _with(one: Document, target: Target, new: str, name: str) -> Document:
    """The document with other words at a place; case and punctuation stay."""
    line = one.line_of(target.start)
    at = target.start - one.begins[line]
    old = one.lines[line]
    first, last = old[at], old[at + target.stop - target.start - 1]
    words = new.split()
    head = first[: len(first) - len(first.lstrip("\"'“‘(["))]
    tail = last[len(last.rstrip(".,;:!?\"'”’)]")) :]
    upper = first[len(head) : len(head) + 1].isupper()
    words[0] = head + (words[0].capitalize() if upper else words[0])
    words[-1] += tail
    changed = [*old[:at], *words, *old[at + target.stop - target.start :]]
    return Document(name, [*one.lines[:line], changed, *one.lines[line + 1 :]])


def exchanged(part: str, exchanges: Sequence[Exchange]) -> tuple[list[Document], list[Place]]:
    """Return the texts of exchanged pronouns, and every place where both texts differ."""
    documents, places = [], []
    test = f"pronouns {part}"
    for number, each in enumerate(exchanges):
        good, bad = (
            Document(f"{each.document}>{number}:{part}{kind}", [line.split() for line in lines])
            for kind, lines in (("g", each.good), ("b", each.bad))
        )
        documents += [good, bad]
        for right, one, other in ((True, good, bad), (False, bad, good)):
            both = zip(one.words, other.words, strict=True)
            for k, (mine, theirs) in enumerate(both):
                if mine != theirs and bare(mine) in KINDS:
                    target = Target(k, k + 1, KINDS[bare(mine)])
                    places.append(Place(test, one.name, target, right, number))
    return documents, places
