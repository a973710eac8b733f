"""Raw text with gold words and sentences, from GUM's and EWT's development parts."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from albeit.parsing.formats.treebanks import read_conllu
from albeit.parsing.layers import SENTENCES, TOKENS, Analysis
from albeit.parsing.sentences import split_sentences
from albeit.parsing.tokenize import tokenize

EWT_LIST = "ewt-propbank/not-to-release/file-lists/files.dev"
EWT_SOURCES = "ewt-propbank/not-to-release/sources/"


def _gum(data: Path) -> Iterator[str]:
    with tarfile.open(data / "gum.tar.xz") as archive:
        texts = {
            member.name: archive.extractfile(member).read().decode()  # type: ignore[union-attr]
            for member in archive
            if member.name.endswith((".conllu", "splits.md"))
        }
    dev = texts["gum/splits.md"].partition("## dev")[2].partition("\n## ")[0]
    for name in re.findall(r"GUM_\w+", dev):
        if f"gum/dep/{name}.conllu" in texts:
            yield texts[f"gum/dep/{name}.conllu"]


def _ewt(data: Path) -> Iterator[str]:
    with tarfile.open(data / "ewt-propbank.tar.xz") as archive:
        texts = {
            member.name: archive.extractfile(member).read().decode()  # type: ignore[union-attr]
            for member in archive
            if member.name.endswith((".conllu", "files.dev"))
        }
    for name in texts[EWT_LIST].split():
        yield texts[EWT_SOURCES + name]


def _f1(right: int, ours: int, gold: int) -> float:
    return round(200 * right / max(1, ours + gold), 2)


def score_words(data: Path) -> Iterator[dict[str, Any]]:
    """Token F1 on sentences, and F1 of the sentence starts inside paragraphs."""
    for corpus, documents in (("GUM", _gum(data)), ("EWT", _ewt(data))):
        token = [0, 0, 0]
        start = [0, 0, 0]
        sentences = 0
        for document in documents:
            for paragraph in read_conllu(document):
                sentences += len(paragraph.get(SENTENCES) or ())
                _count_words(paragraph, token)
                _count_starts(paragraph, start)
        yield {
            "corpus": f"{corpus} dev",
            "sentences": sentences,
            "words": token[2],
            "token F1": _f1(*token),
            "starts inside paragraphs": start[2],
            "sentence start F1": _f1(*start),
        }


def _count_words(paragraph: Analysis, counts: list[int]) -> None:
    tokens = paragraph[TOKENS]
    for first, stop in paragraph.get(SENTENCES) or ():
        begin = tokens.offsets[first][0]
        text = paragraph.text[begin : tokens.offsets[stop - 1][1]]
        gold = {(a - begin, b - begin) for a, b in tokens.offsets[first:stop]}
        ours = set(tokenize(text).offsets)
        for i, n in enumerate((len(gold & ours), len(ours), len(gold))):
            counts[i] += n


def _count_starts(paragraph: Analysis, counts: list[int]) -> None:
    tokens = paragraph[TOKENS]
    gold = {tokens.offsets[first][0] for first, _ in (paragraph.get(SENTENCES) or ())[1:]}
    mine = tokenize(paragraph.text)
    spans = split_sentences(mine.forms, mine.offsets)
    ours = {mine.offsets[first][0] for first, _ in spans[1:]}
    for i, n in enumerate((len(gold & ours), len(ours), len(gold))):
        counts[i] += n
