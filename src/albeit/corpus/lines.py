"""Lines of a text as they are read, for texts too long for memory; checked as all others are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from albeit.corpus.entities import count_entity_lines, unescape_line
from albeit.corpus.openings import STDIN, opened, readable, shown
from albeit.corpus.textio import counted, decode, warn
from albeit.errors import InputError
from albeit.places import matching, size_of

__all__ = ["LineReader", "files_of"]

_BLOCK = 1 << 18
"""About how many bytes are read at once."""


def files_of(path: str | Path) -> list[str]:
    """The files that a path names: wildcards stand for several, in the order of their names."""
    text = str(path)
    if text == STDIN or Path(text).exists() or not any(c in text for c in "*?["):
        return [text]
    with readable(text):
        found = matching(text)
    if not found:
        raise InputError("no file has such a name.", path=text)
    return found


class LineReader:
    """The lines of one or more files, one after the other, as one text.

    Iterating reads; what is told of a whole file (CRLF, HTML entities) is told at its end.
    ``share`` is how much of the bytes has been read, ``place`` where the last line stands.
    """

    def __init__(self, paths: Sequence[str], *, unescape: bool = False, plain: bool = True) -> None:
        self.paths, self._unescape, self._plain = paths, unescape, plain
        self._sizes = [0 if path == STDIN else size_of(path) for path in paths]
        self._before = 0
        self._read = 0
        self.path, self.line = paths[0], 0
        self._begun = False

    @property
    def share(self) -> float:
        """How much of the bytes has been read; 0 where that is not known."""
        whole = sum(self._sizes)
        return min(1.0, (self._before + self._read) / whole) if whole else 0.0

    def error(self, what: str, hint: str = "") -> InputError:
        """Something wrong with the line that was read last."""
        return InputError(what, path=shown(self.path), line=self.line, hint=hint)

    def again(self) -> LineReader:
        """The same from the beginning, which standard input does not allow once it is read."""
        if self._begun and STDIN in self.paths:
            raise InputError(
                "can be read only once, but this takes two passes.",
                path=shown(STDIN),
                hint="Write it to a file first.",
            )
        return LineReader(self.paths, unescape=self._unescape, plain=self._plain)

    def __iter__(self) -> Iterator[str]:
        self._begun = True
        for path, size in zip(self.paths, self._sizes, strict=True):
            self.path, self.line = path, 0
            for block in self._blocks(path):
                for line in block:
                    self.line += 1
                    yield line
            self._before, self._read = self._before + size, 0

    def _blocks(self, path: str) -> Iterator[list[str]]:
        offset = first = crlf = entities = 0
        with opened(path) as (data, file):
            while block := data.read(_BLOCK):
                block += data.readline()
                found = _lines(block, path, first, offset)
                offset, first = offset + len(block), first + len(found)
                crlf += block.count(b"\r\n") if b"\r" in block else 0
                if self._unescape:
                    found = [unescape_line(line) for line in found]
                elif self._plain and b"&" in block:
                    entities += count_entity_lines(found)
                if path != STDIN:
                    self._read = file.tell()
                yield found
        if not offset:
            raise InputError("is empty.", path=shown(path), hint="Was it written to the end?")
        _tell(path, crlf, entities)


def _lines(block: bytes, path: str, first: int, offset: int) -> list[str]:
    """The lines of some bytes that end where a line does; what is wrong with them is told.

    One at a time they are decoded twice as fast as all at once: most are plain ASCII.
    """
    if offset and b"\0" not in block:  # a file may begin with a byte-order mark
        with suppress(UnicodeDecodeError):
            whole = block.replace(b"\r\n", b"\n") if b"\r" in block else block
            return [line.decode() for line in whole.removesuffix(b"\n").split(b"\n")]
    text = decode(block, path, line=first + 1, offset=offset).replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n")


def _tell(path: str, crlf: int, entities: int) -> None:
    """What a reader of the whole file is told, too."""
    if crlf:
        warn(
            f"{counted(crlf, 'line')} with CRLF; the CR was not taken as text.",
            path=shown(path),
            count=crlf,
        )
    if entities:
        warn(
            f"{counted(entities, 'line')} with HTML entities (like &quot;), kept as text;"
            " they can be resolved with --unescape.",
            path=shown(path),
            count=entities,
        )
