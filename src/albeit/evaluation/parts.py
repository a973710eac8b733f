"""The files of a run: its description, and the statistics of each partition.

    RUN/run.json                what is scored: the set, the metrics with their signatures
    RUN/parts/00000000-….part   the statistics of the first partition, and so on
    RUN/manifest.json           the same as run.json, the digests of all parts, and the sums

A part is a line of JSON and the rows of each metric. Its digest doesn't depend on the machine that
computed it.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from albeit._version import __version__
from albeit.arrays import FloatArray
from albeit.data.evalset import Document
from albeit.data.files import Folder
from albeit.errors import InputError
from albeit.evaluation.identity import Environment
from albeit.metrics.table import Column, ScoreTable

_MAGIC = b"albeit-part/3\n"


class DamagedError(ValueError):
    """Bytes that aren't a whole part."""


@dataclass(frozen=True, eq=False)
class Part:
    """The statistics of a partition.

    ``first`` is the index of its first segment in the set, ``size`` its number of segments.
    ``documents`` were scored, with their positions among the rows; ``left_out`` were not, with
    their positions in the set.
    """

    run: str
    number: int
    first: int
    size: int
    documents: tuple[Document, ...]
    statistics: tuple[FloatArray, ...]
    """The rows of each metric: (systems, rows, k); none if all documents were skipped."""
    left_out: tuple[Document, ...] = ()
    last: bool = False
    environment: Environment | None = None

    def places(self) -> list[int]:
        """Return the indexes in the set of the segments that were scored."""
        skipped = {place for d in self.left_out for place in range(d.start, d.stop)}
        return [p for p in range(self.first, self.first + self.size) if p not in skipped]

    def digest(self) -> str:
        """Return a digest of everything but the environment."""
        content = hashlib.sha256(json.dumps(self._content()).encode())
        for rows in self.statistics:
            content.update(repr(rows.shape).encode())
            content.update(np.ascontiguousarray(rows, dtype="<f8").tobytes())
        return content.hexdigest()[:16]

    def _content(self) -> dict[str, Any]:
        return {
            "run": self.run,
            "number": self.number,
            "first": self.first,
            "size": self.size,
            "last": self.last,
            "documents": [[d.id, d.start, d.stop] for d in self.documents],
            "left_out": [[d.id, d.start, d.stop] for d in self.left_out],
        }


def pack(part: Part) -> bytes:
    """Return the bytes of a part; equal parts have equal bytes."""
    made = None if part.environment is None else part.environment.to_json()
    header = part._content() | {"digest": part.digest(), "environment": made}
    buffer = io.BytesIO()
    buffer.write(json.dumps(header).encode() + b"\n")
    for rows in part.statistics:
        np.save(buffer, np.ascontiguousarray(rows), allow_pickle=False)
    return _MAGIC + zlib.compress(buffer.getvalue(), 1)


def unpack(data: bytes) -> Part:
    """Return the part of a file's bytes; raise :class:`DamagedError` if it isn't whole."""
    try:
        if not data.startswith(_MAGIC):
            raise ValueError("it doesn't begin as a part does")
        header, _, rest = zlib.decompress(data[len(_MAGIC) :]).partition(b"\n")
        content: Any = json.loads(header)
        file = io.BytesIO(rest)
        rows: list[FloatArray] = []
        while file.tell() < len(rest):
            rows.append(np.load(file, allow_pickle=False))
        digest, made = content.pop("digest"), content.pop("environment")
        for key in ("documents", "left_out"):
            content[key] = tuple(Document(*span) for span in content[key])
        environment = None if made is None else Environment.from_json(made)
        part = Part(**content, statistics=tuple(rows), environment=environment)
        if part.digest() != digest:
            raise ValueError("its rows are not those that were written")
    except Exception as error:  # everything that a reader raises for changed bytes
        raise DamagedError(str(error) or repr(error)) from None
    return part


def join_parts(parts: Sequence[Part]) -> Part:
    """Join parts in order, as if the whole set had been one partition."""
    documents: list[Document] = []
    before = 0
    for part in parts:
        documents += (Document(d.id, d.start + before, d.stop + before) for d in part.documents)
        before += part.documents[-1].stop if part.documents else 0
    if documents and len({d.id for d in documents}) == 1:  # a set without documents
        documents = [Document(documents[0].id, 0, before)]
    columns = zip(*(part.statistics for part in parts if part.statistics), strict=True)
    return replace(
        parts[0],
        size=sum(part.size for part in parts),
        documents=tuple(documents),
        statistics=tuple(np.concatenate(rows, axis=1) for rows in columns),
        left_out=tuple(each for part in parts for each in part.left_out),
        last=parts[-1].last,
    )


FORMAT = "albeit-run/3"
MANIFEST = "manifest.json"
RUN = "run.json"
_PART = re.compile(r"\d{8,}-[0-9a-f]{16}\.part$")


@dataclass(frozen=True)
class Run:
    """What is scored; all values are those of JSON."""

    name: str
    languages: list[str | None]
    systems: list[str]
    has_documents: bool
    metrics: list[str]
    signatures: list[Any]
    batch: int
    """The minimum number of segments of a partition."""
    environment: dict[str, Any]
    """The environment that began the run."""
    key: str = ""
    """A digest of everything that the statistics depend on, except the texts."""

    def table(self, documents: Sequence[Document], columns: dict[str, Column]) -> ScoreTable:
        """Return a table of its results."""
        source, target = self.languages
        languages = (source, target or "en")
        return ScoreTable(
            tuple(self.systems), documents, columns, self.name, languages, self.has_documents
        )


class RunFolder:
    """The files of a run, on a disk or at an address."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Folder(folder)
        self.parts = Folder(self.folder.path("parts"))
        self._done: dict[int, str] | None = None

    def begin(self, run: Run) -> Run:
        """Write ``run.json`` unless it exists; return its content."""
        if RUN not in self.folder.names():
            self._write(self.folder, RUN, _json(_describe(run)))
        return self.run()

    @staticmethod
    def _write(folder: Folder, name: str, data: bytes, hint: str = "") -> None:
        try:
            folder.write(name, data)
        except OSError as error:
            what = f"cannot be written: {error.strerror}."
            raise InputError(what, path=folder.path(name), hint=hint) from None

    def run(self) -> Run:
        """Return what is scored here."""
        return self.read_description(RUN)[0]

    def read_description(self, name: str) -> tuple[Run, dict[str, Any]]:
        """Return the run in ``run.json`` or ``manifest.json``, and the rest of the file."""
        path = self.folder.path(name)
        try:
            content: Any = json.loads(self.folder.read(name))
        except OSError as error:
            hint = "A run is a folder that 'albeit score --out RUN' wrote."
            what = f"cannot be read: {error.strerror}."
            raise InputError(what, path=path, hint=hint) from None
        except ValueError as error:
            raise InputError(f"is not JSON: {error}.", path=path) from None
        version = content.get("format") if isinstance(content, dict) else None
        if version != FORMAT:
            hint = "Runs of other versions of albeit can't be read: score again into a new folder."
            raise InputError(f"is not a run of format {FORMAT}.", path=path, hint=hint)
        try:
            run = Run(**{each.name: content.pop(each.name) for each in fields(Run)})
        except KeyError as error:
            raise InputError(f"is damaged: {error} is missing.", path=path) from None
        return run, content

    def has(self, number: int, made_from: str) -> bool:
        """Return whether a part is done; a part of the same number from other texts is an error."""
        if self._done is None:  # listed once: there may be very many
            self._done = {int(name.partition("-")[0]): name for name in self.names()}
        name = self._done.get(number)
        if name is not None and made_from not in name:
            what = "was made from other texts than those given now."
            hint = "Did they change since the run began? Give --out another folder."
            raise InputError(what, path=self.parts.path(name), hint=hint)
        return name is not None

    def add(self, number: int, made_from: str, data: bytes) -> None:
        """Write a part."""
        hint = "All other parts are kept: fix the cause, and run again to go on."
        self._write(self.parts, f"{number:08}-{made_from}.part", data, hint)

    def names(self) -> list[str]:
        """Return the parts that exist, in order."""
        try:
            return [name for name in self.parts.names() if _PART.match(name)]
        except OSError as error:
            what = f"cannot be listed: {error.strerror}."
            raise InputError(what, path=str(self.parts)) from None

    def read(self, name: str) -> Part:
        """Return a part."""
        path = self.parts.path(name)
        try:
            return unpack(self.parts.read(name))
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}.", path=path) from None
        except DamagedError as error:
            hint = "Delete it and run again: only missing parts are computed."
            raise InputError(f"is cut short or damaged ({error}).", path=path, hint=hint) from None

    def read_all(self) -> Iterator[Part]:
        """Yield the parts that exist, in order."""
        return map(self.read, self.names())

    def finish(self, run: Run, rest: dict[str, Any]) -> None:
        """Write the manifest, and delete temporary files of killed processes."""
        for name in self.parts.names():
            if name.startswith("."):
                self.parts.remove(name)
        self.folder.write(MANIFEST, _json(_describe(run) | rest))


def _describe(run: Run) -> dict[str, Any]:
    return {"format": FORMAT, "albeit": __version__, **asdict(run)}


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"
