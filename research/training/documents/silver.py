"""Documents without discourse annotation, for teachers to annotate: web texts, news, parliament.

    python -m training.documents.silver --data ../shared/data --out research/data/documents/silver.pickle

Web texts are EWT's training part, news is WMT13's reference, parliament a sample of Europarl; no
text that a metric is tested on.
"""

from __future__ import annotations

import argparse
import html
import pickle
import tarfile
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from training import compat

compat.ensure()

from training.corpora import conllu, dis  # noqa: E402
from training.corpora.documents import Document  # noqa: E402
from training.corpora.plain import tokenise  # noqa: E402
from training.documents.kept import Kept  # noqa: E402
from training.documents.states import model, states  # noqa: E402
from training.rows import Row  # noqa: E402
from training.unlabelled import lines  # noqa: E402

LEAST, MOST = 5, 60
"""Sentences of a document; longer ones are cut."""


def web(root: Path) -> Iterator[tuple[str, list[Row]]]:
    """The files of EWT's training part."""
    folder = root / "ewt-propbank/not-to-release"
    for name in (folder / "file-lists/files.train").read_text(encoding="utf-8").split():
        yield (
            name.removesuffix(".xml.conllu"),
            [
                Row(sentence.comments["sent_id"], "ewt", "web", sentence.words)
                for sentence in conllu.read(folder / "sources" / name)
            ],
        )


def plain(name: str, texts: list[str], documents: list[str]) -> Iterator[tuple[str, list[Row]]]:
    """Neighbouring lines of one document."""
    pairs = list(zip(documents, texts, strict=False))
    for number, (document, group) in enumerate(groupby(pairs, key=lambda pair: pair[0])):
        rows = [
            Row(f"{name}-{document}-{k}", name, name, words)
            for k, (_, text) in enumerate(group)
            if (words := tokenise(html.unescape(text))) and "\ufffd" not in text
        ]
        yield f"{name}-{document}-{number}", rows


def chosen(found: Iterator[tuple[str, list[Row]]], limit: int) -> Iterator[Document]:
    """Documents of enough sentences, until there are ``limit`` sentences."""
    total = 0
    for name, rows in found:
        short = [row for row in rows if len(row.words) <= 150]
        for at in range(0, len(short), MOST):
            part = short[at : at + MOST]
            if len(part) >= LEAST and total < limit:
                total += len(part)
                yield Document(
                    f"{name}/{at}", "silver", part, dis.Tree(0, 0, "Root", "span", []), []
                )


def main() -> None:
    """Keep the states of these documents."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("research/data/documents/silver.pickle"))
    parser.add_argument("--web", type=int, default=7000, help="sentences")
    parser.add_argument("--parliament", type=int, default=3000, help="sentences")
    args = parser.parse_args()
    backend, collator = model()
    news = args.data / "wmt13/cs-en"
    parliament = args.data / "bitext/en-de"
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(args.data / "ewt-propbank.tar.xz") as archive:
            archive.extractall(folder, filter="data")
        found = [
            *chosen(plain("news", lines(news / "ref.txt"), _first(news / "docids.txt", 1)), 10**9),
            *chosen(web(Path(folder)), args.web),
            *chosen(
                plain(
                    "parliament",
                    lines(parliament / "en.txt.gz"),
                    _first(parliament / "docids.txt.gz", 2),
                ),
                args.parliament,
            ),
        ]
        print(f"{len(found)} documents, {sum(len(d.rows) for d in found)} sentences", flush=True)
        kept = [
            Kept(document, states(document.rows, backend, collator, brief=True))
            for document in found
        ]
    with args.out.open("wb") as file:
        pickle.dump(kept, file, protocol=5)


def _first(path: Path, columns: int) -> list[str]:
    return ["-".join(line.split("\t")[:columns]) for line in lines(path)]


if __name__ == "__main__":
    main()
