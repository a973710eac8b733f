"""Text files side by side, one line a segment, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from albeit.corpus.build import BLANK_LINES, name_of, named_path
from albeit.corpus.lines import LineReader, files_of
from albeit.corpus.openings import STDIN, shown
from albeit.corpus.streams.batches import Head, Row
from albeit.errors import InputError

__all__ = ["TextRows"]


class TextRows:
    """References, systems, perhaps a source and document ids, in lockstep."""

    def __init__(
        self,
        refs: Sequence[str | Path],
        systems: Sequence[str | Path],
        *,
        source: str | Path | None = None,
        docs: str | Path | None = None,
        unescape: bool = False,
    ) -> None:
        self._docs = None if docs is None else str(docs)
        self._texts: dict[tuple[str, str], list[str]] = {}
        for kind, arguments in (("reference", refs), ("system", systems)):
            for argument in arguments:
                name, path = named_path(argument)
                files = files_of(path)
                self._add(kind, name or name_of(files[0]), files)
        if source is not None:
            self._add("source", "source", files_of(source))
        if not self._texts:
            raise InputError("no text is given: no source, reference or system.")
        self.head = Head(tuple(self._texts), self._docs is not None)
        self._readers = [LineReader(files, unescape=unescape) for files in self._texts.values()]
        if self._docs not in (None, BLANK_LINES):
            self._readers.append(LineReader(files_of(str(docs)), plain=False))
        if sum(files == [STDIN] for files in (*self._texts.values(), [self._docs])) > 1:
            raise InputError(
                "standard input is named more than once.", hint="Only one text can be -."
            )

    def _add(self, kind: str, name: str, files: list[str]) -> None:
        if (kind, name) in self._texts:
            raise InputError(
                f"there is a {kind} {name!r} already, from {self._texts[kind, name][0]}.",
                path=files[0],
                hint="Give each its own name: NAME=FILE.",
            )
        self._texts[kind, name] = files

    @property
    def share(self) -> float:
        """As far as the first text is read."""
        return self._readers[0].share

    def place(self) -> tuple[str, int]:
        """Where the document ids stand, or else the first text."""
        reader = self._readers[-1] if self._docs not in (None, BLANK_LINES) else self._readers[0]
        return shown(reader.path), reader.line

    def read(self) -> Iterator[Row]:
        """All segments from the first on."""
        self._readers = [reader.again() for reader in self._readers]
        if self._docs is None:
            return (("", *texts) for texts in self._together())
        return self._by_blank_lines() if self._docs == BLANK_LINES else self._with_ids()

    def _together(self) -> Iterator[tuple[str, ...]]:
        """A line of each text, which must end together."""
        for lines in zip_longest(*self._readers):
            if None in lines:
                ended = self._readers[lines.index(None)]
                going = next(
                    r for r, line in zip(self._readers, lines, strict=True) if line is not None
                )
                raise InputError(
                    f"has no line beside line {going.line} of {shown(going.path)}:"
                    f" it ends after {ended.line}.",
                    path=shown(ended.path),
                    line=ended.line + 1,
                    hint="Every text needs one line a segment.",
                )
            yield lines

    def _with_ids(self) -> Iterator[Row]:
        for *texts, first in self._together():
            name = first.split("\t", 1)[0]
            if not name.strip():
                raise self._readers[-1].error("the line has no document id.")
            yield (name, *texts)

    def _by_blank_lines(self) -> Iterator[Row]:
        """Documents are numbered; an empty line must be one in all texts."""
        number, inside = 1, False
        for lines in self._together():
            if lines[0].strip():
                inside = True
                yield (str(number), *lines)
                continue
            number, inside = number + inside, False
            for reader, line in zip(self._readers, lines, strict=True):
                if line.strip():
                    raise reader.error(
                        f"the line is not empty, but ends a document in {shown(self._readers[0].path)}.",
                        "Empty lines must stand in the same places in every text.",
                    )
