"""GUM's mentions, named entities, and connectives, and its official parts.

A mention is a token range of the document with its head word, the number of its entity (mentions
of one entity corefer), and GUM's entity type. Its head is the word in it that depends on a word
outside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from training.corpora import conllu
from training.rows import Span

IGNORED = "reddit"
"""The genre whose texts GUM does not hold."""
SENSE_DEPTH = 2
"""How many levels of PDTB 3's sense hierarchy are kept: `Comparison.Concession`."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One mention: words ``start`` to ``stop`` of the document, half open."""

    start: int
    stop: int
    head: int
    entity: int
    kind: str = ""


def splits(path: Path) -> dict[str, list[str]]:
    """The documents of GUM's official parts, from its `splits.md`."""
    found: dict[str, list[str]] = {}
    part = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            part = line[3:].strip()
        elif (name := line.strip().removeprefix("* ")).startswith("GUM_") and IGNORED not in name:
            found.setdefault(part, []).append(name)
    return found


def head_word(start: int, stop: int, heads: list[int]) -> int:
    """The first word of a range that hangs on a word outside it (``heads`` from 1, 0 the root)."""
    outside = (word for word in range(start, stop) if not start < heads[word] <= stop)
    return next(outside, start)


def mentions(sentence: conllu.Sentence, offset: int = 0) -> list[Mention]:
    """The mentions of one sentence whose first word is the document's word ``offset``."""
    opened: dict[str, list[tuple[int, list[str]]]] = {}
    found: list[Mention] = []
    for word, column in enumerate(sentence.misc):
        value = next((part[7:] for part in column.split("|") if part.startswith("Entity=")), "")
        for match in re.finditer(r"\(([^()]+)(\))?|([^()]+)\)", value):
            begun, closed, ended = match.groups()
            if begun is not None:
                fields = begun.split("-")
                opened.setdefault(fields[0], []).append((word, fields))
            if closed or ended:
                number = ended or begun.split("-")[0]
                start, fields = opened[number].pop()
                head = offset + head_word(start, word + 1, sentence.heads)
                span = offset + start, offset + word + 1
                found.append(Mention(*span, head, int(number), fields[1]))
    if any(opened.values()):
        raise ValueError(f"{sentence.comments.get('sent_id')}: a mention is never closed")
    return found


def named_entities(sentence: conllu.Sentence) -> list[Span]:
    """The flat named entities of one sentence: the outermost of those that nest.

    A mention is named if its head is a proper noun, or if it is a time with a number in it."""
    kept = [
        (m.start, m.stop, m.kind)
        for m in mentions(sentence)
        if sentence.upos[m.head] == "PROPN"
        or (m.kind == "time" and "NUM" in sentence.upos[m.start : m.stop])
    ]
    flat: list[Span] = []
    for span in sorted(kept, key=lambda s: (s[0], -s[1])):
        if not flat or span[0] >= flat[-1][1]:
            flat.append(span)
    return flat


def _numbers(text: str) -> list[int]:
    """`3-5,9` → [2, 3, 4, 8]: GUM counts a document's words from 1."""
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers.extend(range(int(first) - 1, int(last or first)))
    return numbers


def read_connectives(path: Path) -> list[Span]:
    """The explicit connectives of a document, as spans over its words, in order.

    The parts of a discontinuous connective (`if … then`) are spans of their own with one sense;
    if two relations share a connective, the first sense counts.
    """
    spans: dict[tuple[int, int], str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.split("|")
        if fields[0] != "Explicit":
            continue
        words = line.rsplit("GDTB::", 1)[1].strip().rstrip("|").split(":", 1)[1].split(";")[1]
        if words == "_":
            continue
        sense = ".".join(fields[8].split(".")[:SENSE_DEPTH]).replace("+belief", "")
        start = previous = -1
        for word in [*_numbers(words), -9]:
            if word != previous + 1 or previous < 0:
                if start >= 0:
                    spans.setdefault((start, previous + 1), sense)
                start = word
            previous = word
    return sorted((start, end, sense) for (start, end), sense in spans.items())
