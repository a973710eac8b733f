"""More than English: how well `albeit` cuts words in eight languages.

    PYTHONPATH=src python research/experiments/languages.py

Development sentences of Universal Dependencies, and PUD. How metrics agree with people out of English:
`out_of_english.py`.
"""

from __future__ import annotations

import re
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from _common import arguments, commit

from albeit.annotate.multilingual.words import cut_words
from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading


def treebank(archive: Path) -> Iterator[tuple[str, list[tuple[str, list[str]]]]]:
    """Name, and sentences with their words as written, of the development parts and of PUD."""
    with tarfile.open(archive) as tar:
        for member in tar:
            if not re.search(r"(dev|pud-ud-test)\.conllu$", member.name):
                continue
            handle = tar.extractfile(member)
            assert handle is not None
            blocks = handle.read().decode().split("\n\n")
            yield Path(member.name).stem, [_sentence(block) for block in blocks if "\n1\t" in block]


def _sentence(block: str) -> tuple[str, list[str]]:
    """The text and its words; what is written as one word is one."""
    text, words, last = "", [], 0
    for line in block.splitlines():
        if line.startswith("# text = "):
            text = line.removeprefix("# text = ")
        elif (found := re.match(r"\d+-(\d+)\t([^\t]+)", line)) is not None:
            last = int(found[1])
            words.append(found[2])
        elif (found := re.match(r"(\d+)\t([^\t]+)", line)) is not None and int(found[1]) > last:
            words.append(found[2])
    return text, words


def _places(text: str, words: Sequence[str]) -> set[tuple[int, int]]:
    at, found = 0, set()
    for word in words:
        start = text.find(word, at)
        if start < 0:
            return set()
        at = start + len(word)
        found.add((start, at))
    return found


def cut(data: Path) -> Table:
    """F1 of words, by treebank."""
    rows = []
    for name, sentences in sorted(treebank(data / "ud-multilingual.tar.xz")):
        right = found = gold = 0
        for text, words in sentences:
            true = _places(text, words)
            if true:
                own = set(cut_words(text).offsets)
                right, found, gold = right + len(own & true), found + len(own), gold + len(true)
        rows.append(Row((Cell(name), Cell(200 * right / (found + gold)))))
    heads = (Heading("Treebank", align="left"), Heading("F1", decimals=1))
    return Table(heads, tuple(rows), "Words")


def main() -> None:
    """Print the table."""
    args = arguments(__doc__ or "").parse_args()
    sys.stdout.write(render([cut(args.data)], args.format))
    print(f"commit {commit()}", file=sys.stderr)


if __name__ == "__main__":
    main()
