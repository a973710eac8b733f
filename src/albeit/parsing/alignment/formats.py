"""Alignments from files of other tools: Pharaoh (``0-0 1-2``) and GIZA++ (``A3.final``).

Lines and indices are checked against the texts; nothing is cut or filled up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from albeit.data.textio import whole_number
from albeit.errors import InputError
from albeit.parsing.alignment.aligner import Link

__all__ = ["check_links", "is_giza", "read_alignment", "read_giza", "read_pharaoh", "write_pharaoh"]

_PAIR = re.compile(r"(\d{1,9})[-p](\d{1,9})\Z")
_GIZA_LIST = re.compile(r" \(\{((?: \d++)*+) \}\)")


def read_alignment(path: str | Path) -> list[list[Link]]:
    """Read a file in either format, recognised by its first line."""
    return read_giza(path) if is_giza(path) else read_pharaoh(path)


def is_giza(path: str | Path) -> bool:
    """Whether a file is GIZA++'s, by its first line."""
    return next(iter(_lines(path)), "").startswith("# Sentence pair")


def read_pharaoh(path: str | Path) -> list[list[Link]]:
    """A line per sentence pair: ``source-target`` pairs, 0-based, with spaces between."""
    found: list[list[Link]] = []
    for number, line in enumerate(_lines(path), 1):
        links: list[Link] = []
        for item in line.split():
            match = _PAIR.match(item)
            if not match:
                raise InputError(
                    f"{item!r} is not an alignment point.",
                    path=path,
                    line=number,
                    hint="Write points as 0-0 1-2, source word first, counted from 0.",
                )
            links.append((int(match[1]), int(match[2])))
        found.append(links)
    return found


def read_giza(path: str | Path, *, source_first: bool = True) -> list[list[Link]]:
    """GIZA++'s ``A3.final``: three lines a sentence pair.

    The third line lists the words of the conditioning side with the positions (from 1) of
    the words each generated; ``source_first`` says that this side is our source.
    """
    lines = _lines(path)
    if len(lines) % 3:
        raise InputError(
            f"{len(lines)} lines, but a GIZA++ alignment has three a sentence pair.",
            path=path,
            line=len(lines),
        )
    found: list[list[Link]] = []
    for number in range(0, len(lines), 3):
        if not lines[number].startswith("# Sentence pair"):
            raise InputError(
                "a line '# Sentence pair (…)' belongs here.", path=path, line=number + 1
            )
        words = _giza_words(lines[number + 2])
        if not words or words[0][0] != "NULL":
            raise InputError(
                "the words with their ({ … }) lists belong here, NULL first.",
                path=path,
                line=number + 3,
            )
        pairs = [
            (i, whole_number(j) - 1)
            for i, (_, places) in enumerate(words[1:])
            for j in places.split()
        ]
        if any(j < 0 for _, j in pairs):
            raise InputError(
                "a word's position is no number counted from 1.", path=path, line=number + 3
            )
        found.append(pairs if source_first else sorted((j, i) for i, j in pairs))
    return found


def _giza_words(line: str) -> list[tuple[str, str]]:
    """Return each word of a line with the positions in its list.

    Find the lists first: a pattern that starts with the word scans a long word again from
    each of its characters.
    """
    words: list[tuple[str, str]] = []
    end = 0
    for match in _GIZA_LIST.finditer(line):
        before = match.start()
        if before > end and not line[before - 1].isspace():
            words.append((line[end:before].split()[-1], match[1]))
            end = match.end()
    return words


def write_pharaoh(alignments: Sequence[Sequence[Link]], path: str | Path) -> None:
    """Write alignments, a line per sentence pair."""
    text = "".join(" ".join(f"{i}-{j}" for i, j in links) + "\n" for links in alignments)
    Path(path).write_text(text, encoding="utf-8")


def check_links(
    alignments: Sequence[Sequence[Link]],
    source: Sequence[int],
    target: Sequence[int],
    path: str | Path | None = None,
    lines_each: int = 1,
) -> None:
    """Check alignments against the lengths of the texts' lines, in words."""
    if len(alignments) != len(source):
        raise InputError(
            f"{len(alignments)} alignments for {len(source)} sentence pairs.",
            path=path,
            line=min(len(alignments), len(source)) * lines_each + 1,
            hint="The file must align these very texts, line by line.",
        )
    for number, links in enumerate(alignments):
        for i, j in links:
            if i >= source[number] or j >= target[number]:
                raise InputError(
                    f"the point {i}-{j} lies outside: the source has {source[number]} words, "
                    f"the target {target[number]}.",
                    path=path,
                    line=number * lines_each + 1,
                    hint="The alignment was made from other texts or another tokenisation.",
                )


def _lines(path: str | Path) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"cannot read the alignment: {error.strerror}.", path=path) from None
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}.", path=path) from None
