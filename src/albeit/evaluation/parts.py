"""The files of a run: its description, and the statistics of each partition.

    RUN/run.json                what is scored: the set, the metrics with their signatures
    RUN/parts/00000000-….part   the statistics of the first partition, and so on
    RUN/manifest.json           the same as run.json, the digests of all parts, and the sums

A part is a line of JSON and the rows of each metric; its digest doesn't depend on the machine that
computed it. Files are written under a temporary name and renamed.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from albeit._version import __version__
from albeit.data.evalset import Document
from albeit.data.files import Folder
from albeit.errors import InputError
from albeit.evaluation import identity
from albeit.evaluation.scoring import Part, pack_rows, unpack_rows
from albeit.metrics.table import Column, ScoreTable

MANIFEST, RUN = "manifest.json", "run.json"
OTHER_TEXTS = "was made from other texts than those given now."
OTHER_FOLDER = "Did the input change since the run began? Give --out another folder."
_FORMAT = "albeit-run/3"
_MAGIC = b"albeit-part/3\n"
_PART = re.compile(r"\d{8,}-[0-9a-f]{16}\.part$")


def pack(part: Part) -> bytes:
    """Return the bytes of a part; equal parts have equal bytes."""
    environment = part.environment or identity.environment()
    header = _describe_part(part) | {"digest": digest_part(part), "environment": environment}
    return _MAGIC + zlib.compress(pack_rows(header, part.statistics), 1)


def unpack(data: bytes) -> Part:
    """Return the part of a file's bytes; raise ``ValueError`` if it isn't whole."""
    try:
        if not data.startswith(_MAGIC):
            raise ValueError("it doesn't begin as a part does")
        content, rows = unpack_rows(zlib.decompress(data[len(_MAGIC) :]))
        digest = content.pop("digest")
        for key in ("documents", "left_out"):
            content[key] = tuple(Document(*span) for span in content[key])
        part = Part(**content, statistics=rows)
        if digest_part(part) != digest:
            raise ValueError("its rows are not those that were written")
    except Exception as error:  # everything that a reader raises for changed bytes
        raise ValueError(str(error) or repr(error)) from None
    return part


def digest_part(part: Part) -> str:
    """Return a digest of everything but the environment."""
    digest = hashlib.sha256(json.dumps(_describe_part(part)).encode())
    for rows in part.statistics:
        digest.update(repr(rows.shape).encode())
        digest.update(np.ascontiguousarray(rows, dtype="<f8").tobytes())
    return digest.hexdigest()[:16]


def _describe_part(part: Part) -> dict[str, Any]:
    content = {name: getattr(part, name) for name in ("run", "number", "first", "size", "last")}
    for name in ("documents", "left_out"):
        content[name] = [[d.id, d.start, d.stop] for d in getattr(part, name)]
    return content


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
    key: str
    """A digest of everything that the statistics depend on, except the texts."""

    def table(self, documents: Sequence[Document], columns: dict[str, Column]) -> ScoreTable:
        """Return a table of its results."""
        source, target = self.languages
        languages = (source, target or "en")
        systems, has_documents = tuple(self.systems), self.has_documents
        return ScoreTable(systems, documents, columns, self.name, languages, has_documents)

    def to_json(self, **more: Any) -> bytes:
        """Return the content of ``run.json``, or of the manifest with ``more`` values."""
        content = {"format": _FORMAT, "albeit": __version__, **asdict(self), **more}
        return json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"


@contextmanager
def _report(verb: str, path: str, hint: str = "") -> Iterator[None]:
    """Raise an ``InputError`` if a file can't be read or written."""
    try:
        yield
    except OSError as error:
        what = f"cannot be {verb}: {error.strerror}."
        raise InputError(what, path=path, hint=hint) from None


class RunFolder:
    """The files of a run, on a disk or at an address."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Folder(folder)
        self.parts = Folder(self.folder.path("parts"))

    def begin(self, run: Run, *, allow_mixed: bool) -> None:
        """Write ``run.json``; if it exists, raise unless it is of the same run."""
        if RUN not in self.folder.names():
            with _report("written", self.folder.path(RUN)):
                self.folder.write(RUN, run.to_json())
        begun = self.run()
        if run.key != begun.key:
            names = [f.name for f in fields(Run) if f.name not in ("key", "environment")]
            unlike = [name for name in names if getattr(run, name) != getattr(begun, name)]
            listed = ", ".join(unlike) or "files that metrics read"
            what, hint = f"holds a run of another kind: {listed} differ.", OTHER_FOLDER
            raise InputError(what, path=str(self.folder), hint=hint)
        first = ("the machine that began the run", begun.environment)
        identity.require_one([first, ("this machine", run.environment)], allow_mixed=allow_mixed)

    def run(self) -> Run:
        """Return what is scored here."""
        return self.read_description(RUN)[0]

    def read_description(self, name: str) -> tuple[Run, dict[str, Any]]:
        """Return the run in ``run.json`` or ``manifest.json``, and the rest of the file."""
        path = self.folder.path(name)
        with _report("read", path, "A run is a folder that 'albeit score --out RUN' wrote."):
            data = self.folder.read(name)
        try:
            content: Any = json.loads(data)
        except ValueError as error:
            raise InputError(f"is not JSON: {error}.", path=path) from None
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            hint = "Runs of other versions of albeit can't be read: score again into a new folder."
            raise InputError(f"is not a run of format {_FORMAT}.", path=path, hint=hint)
        try:
            return Run(**{each.name: content.pop(each.name) for each in fields(Run)}), content
        except KeyError as error:
            raise InputError(f"is damaged: {error} is missing.", path=path) from None

    def has(self, name: str) -> bool:
        """Return whether a part is done; a part of the same number from other texts is an error."""
        number, _, _ = name.partition("-")
        done = self._done.get(number, name)
        if done != name:
            raise InputError(OTHER_TEXTS, path=self.parts.path(done), hint=OTHER_FOLDER)
        return number in self._done

    @cached_property
    def _done(self) -> dict[str, str]:
        """The parts that existed at first, by number; listed once, as there may be very many."""
        return {name.partition("-")[0]: name for name in self.names()}

    def add(self, name: str, data: bytes) -> None:
        """Write a part."""
        hint = "All other parts are kept: fix the cause, and run again to go on."
        with _report("written", self.parts.path(name), hint):
            self.parts.write(name, data)

    def names(self) -> list[str]:
        """Return the parts that exist, in order."""
        with _report("listed", str(self.parts)):
            return list(filter(_PART.match, self.parts.names()))

    def read(self, name: str) -> Part:
        """Return a part."""
        path = self.parts.path(name)
        with _report("read", path):
            data = self.parts.read(name)
        try:
            return unpack(data)
        except ValueError as error:
            hint = "Delete it and run again: only missing parts are computed."
            raise InputError(f"is cut short or damaged ({error}).", path=path, hint=hint) from None

    def read_all(self) -> Iterator[Part]:
        """Yield the parts that exist, in order."""
        return map(self.read, self.names())
