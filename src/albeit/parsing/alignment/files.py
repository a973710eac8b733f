"""Get alignments from other tools: Pharaoh (``0-0 1-2``) and GIZA++ files, and eflomal.

Lines and indices of files are checked against the texts.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from albeit.data.textio import whole_number
from albeit.errors import InputError, MissingExtraError
from albeit.parsing.alignment.kernels import grow_diag_final_and

Link = tuple[int, int]
"""(source word, target word), both from 0."""
Lines = Sequence[Sequence[str]]
_PAIR = re.compile(r"(\d{1,9})[-p](\d{1,9})\Z")
_GIZA_LIST = re.compile(r" \(\{((?: \d++)*+) \}\)")


def read_alignment(path: str | Path) -> list[list[Link]]:
    """Read a file in either format, which the first line determines."""
    return read_giza(path) if is_giza(path) else read_pharaoh(path)


def is_giza(path: str | Path) -> bool:
    """Return whether a file is GIZA++'s, by its first line."""
    return next(iter(_lines(path)), "").startswith("# Sentence pair")


def read_pharaoh(path: str | Path) -> list[list[Link]]:
    """Read one line per sentence pair: ``source-target`` points from 0, with spaces between."""
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


def read_giza(path: str | Path) -> list[list[Link]]:
    """Read GIZA++'s ``A3.final``, with three lines per sentence pair.

    The third line has the words of the source with the positions (from 1) of the words that each
    generated.
    """
    lines = _lines(path)
    if len(lines) % 3:
        raise InputError(
            f"{len(lines)} lines, but a GIZA++ alignment has three per sentence pair.",
            path=path,
            line=len(lines),
        )
    found: list[list[Link]] = []
    for number in range(0, len(lines), 3):
        if not lines[number].startswith("# Sentence pair"):
            raise InputError("expected a line '# Sentence pair (…)'.", path=path, line=number + 1)
        words = _giza_words(lines[number + 2])
        if not words or words[0][0] != "NULL":
            raise InputError(
                "expected words with their ({ … }) lists, NULL first.",
                path=path,
                line=number + 3,
            )
        pairs = [
            (i, whole_number(j) - 1)
            for i, (_, places) in enumerate(words[1:])
            for j in places.split()
        ]
        if any(j < 0 for _, j in pairs):
            raise InputError("a word's position isn't a number from 1.", path=path, line=number + 3)
        found.append(pairs)
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
            hint="The file must align these texts, line by line.",
        )
    for number, links in enumerate(alignments):
        for i, j in links:
            if i >= source[number] or j >= target[number]:
                raise InputError(
                    f"the point {i}-{j} is outside: the source has {source[number]} words, "
                    f"the target {target[number]}.",
                    path=path,
                    line=number * lines_each + 1,
                    hint="The alignment was made from other texts or another tokenization.",
                )


def _lines(path: str | Path) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"cannot read the alignment: {error.strerror}.", path=path) from None
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}.", path=path) from None


def eflomal_align(source: Lines, target: Lines) -> list[list[Link]]:
    """Return the links of each pair by eflomal: both directions, symmetrized.

    eflomal is somewhat more accurate than the embedded aligner, and slower. It saves no model, so
    all texts are aligned together.
    """
    try:
        from eflomal import Aligner as Eflomal
    except ImportError:
        raise MissingExtraError(
            "eflomal isn't installed. Install it: pip install 'albeit[eflomal]',"
            " or use the embedded aligner (alignment=yes)."
        ) from None
    with tempfile.TemporaryDirectory() as folder:
        paths = Path(folder, "forward"), Path(folder, "backward")
        Eflomal().align(
            _text(source),
            _text(target),
            links_filename_fwd=str(paths[0]),
            links_filename_rev=str(paths[1]),
            quiet=True,
        )
        forward, backward = (read_pharaoh(path) for path in paths)
    return [_merge(*pair) for pair in zip(source, target, forward, backward, strict=True)]


def _text(lines: Lines) -> list[str]:
    return [" ".join(line) + "\n" for line in lines]


def _merge(
    source: Sequence[str], target: Sequence[str], one: list[Link], two: list[Link]
) -> list[Link]:
    said = np.zeros((2, len(target), len(source)), np.bool_)
    for side, links in enumerate((one, two)):
        for i, j in links:
            said[side, j, i] = True
    merged = grow_diag_final_and(said[0], said[1])
    return sorted((int(i), int(j)) for j, i in zip(*np.nonzero(merged), strict=True))
