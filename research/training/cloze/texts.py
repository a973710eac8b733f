"""English documents without annotation that cloze heads learn from.

Learned from: English references and sources of WMT12, 13, 21, 23, 24, newstest21 and TED talks,
the speeches of Europarl in order, the training parts of GUM and EWT. Never: newstest20, biomedical
abstracts, GUM's development and test parts.
"""

from __future__ import annotations

import gzip
import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from training.corpora import conllu
from training.corpora.documents import splits
from training.judge.segments import lines

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

    @property
    def words(self) -> list[str]:
        """All of them."""
        return [word for line in self.lines for word in line]


def cut(name: str, own: Sequence[str], ids: Sequence[str]) -> Iterator[Document]:
    """Neighbouring lines with one id."""
    pairs = list(zip(ids, own, strict=False))
    for number, (one, group) in enumerate(groupby(pairs, key=lambda pair: pair[0])):
        texts = [words for _, line in group if (words := html.unescape(line).split())]
        for part in range(0, len(texts), LINES):
            yield Document(f"{name}:{one}:{number}.{part}", texts[part : part + LINES])


def news(data: Path, discourse: Path) -> Iterator[Document]:
    """WMT's sets with documents; a text that is there twice counts once."""
    seen: set[str] = set()
    for path in WMT:
        folder, _, file = path.rpartition("/")
        inside = (data if folder.startswith(("wmt1", "wmt21", "ted")) else discourse) / folder
        if not (inside / file).exists():
            continue
        known = inside / "docids.txt"
        texts = lines(inside / file)
        ids = [i.split("\t")[0] for i in lines(known)] if known.exists() else [folder] * len(texts)
        for one in cut(f"{folder}/{file}", texts, ids):
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
        yield read_spaced(f"gum:{name}", gum / "dep" / f"{name}.conllu")
    folder = ewt / "not-to-release"
    for name in (folder / "file-lists/files.train").read_text(encoding="utf-8").split():
        yield read_spaced(f"ewt:{name}", folder / "sources" / name)


def read_spaced(name: str, path: Path) -> Document:
    """A text of a treebank, as it is spaced."""
    texts = [s.comments.get("text", " ".join(s.words)).split() for s in conllu.read(path)]
    return Document(name, [words for words in texts if words])
