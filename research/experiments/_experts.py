"""What experts marked in translations: is a flag supported, and how often is any word of its class?

newstest20 gives the words of a span, not its place: spans that occur twice in the line are left
out, so are omissions, punctuation and spans of more than five words. A flag is *supported* when
at least two of the three experts marked a span that overlaps it.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from albeit.data import EvalSet
from albeit.diagnose.candidates import TERMS
from albeit.diagnose.pronouns import pronouns_of
from albeit.parsing.content import content_words

__all__ = ["Marks", "class_words", "first_half", "marks_of", "support"]

LONGEST = 5
_LEFT_OUT = ("omission", "punctuation", "no-error", "non-translation")
Marks = Mapping[tuple[str, int], Mapping[str, list[tuple[int, int]]]]
"""By system and line (from 0): the characters that each expert marked."""


def marks_of(folder: Path, evalset: EvalSet, longest: int = LONGEST) -> Marks:
    """The marks of a set's ``errors.tsv`` that can be placed."""
    found: dict[tuple[str, int], dict[str, list[tuple[int, int]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    unsure = _uncertain(folder)
    with (folder / "errors.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            system, line = row["system"], int(row["segment"]) - 1
            if system not in evalset.systems or (system, line) in unsure:
                continue
            if row.get("side", "target") != "target":
                continue
            told = f"{row['category']}/{row.get('subcategory') or ''}".lower()
            span, text = row["span"].strip(), evalset.systems[system][line]
            if (
                not span
                or any(name in told for name in _LEFT_OUT)
                or len(span.split()) > longest
                or not any(map(str.isalnum, span))
                or text.count(span) != 1
            ):
                continue
            start = text.index(span)
            found[system, line][row["rater"]].append((start, start + len(span)))
    return found


def _uncertain(folder: Path) -> set[tuple[str, int]]:
    path = folder / "uncertain.tsv"
    if not path.exists():
        return set()
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return {(row["system"], int(row["segment"]) - 1) for row in rows}


def support(marks: Marks, system: str, line: int, start: int, end: int) -> int:
    """How many experts marked something that overlaps these characters."""
    return sum(
        any(a < end and b > start for a, b in spans)
        for spans in marks.get((system, line), {}).values()
    )


def first_half(document: str) -> bool:
    """Whether a document belongs to the half that is learnt from, by its name alone."""
    return hashlib.sha256(document.encode()).digest()[0] % 2 == 0


def class_words(kind: str, evalset: EvalSet) -> Iterator[tuple[str, int, int, int]]:
    """All words of a flag's class: pronouns, repeated content words."""
    for system, lines in evalset.systems.items():
        if kind != TERMS:
            for n, line in enumerate(lines):
                for word in pronouns_of(line):
                    yield system, n, word.start, word.end
            continue
        for document in evalset.documents:
            yield from _recurring(system, document.start, lines[document.rows])


def _recurring(
    system: str, first: int, lines: tuple[str, ...] | list[str]
) -> Iterator[tuple[str, int, int, int]]:
    key = content_words("en").key
    found = [
        (key(m.group()), n, m.start(), m.end())
        for n, line in enumerate(lines)
        for m in re.finditer(r"\w+(?:['’-]\w+)*", line)
        if len(m.group()) > 2
    ]
    where: dict[str, set[int]] = defaultdict(set)
    for own, n, _, _ in found:
        where[own].add(n)
    for own, n, a, b in found:
        if own and len(where[own]) > 1:
            yield system, first + n, a, b
