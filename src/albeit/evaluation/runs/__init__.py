"""Runs kept on disk or at an address: sets scored in batches, a part each, and put together.

The files of a run, on a disk or at an address (:mod:`albeit.data.files`):

    RUN/run.json            what is scored: the set, each metric with its signature, the batches
    RUN/parts/00000000-….parquet    the statistics of the first batch (or .part), and so on
    RUN/manifest.json       what run.json says, the parts with their digests, and all added up

``run.json`` is written first and never changed. A part's name holds its number and a digest of
what it was made from, so a part that is there is done, whoever made it. All files are written
to a temporary name and renamed; the manifest comes last: a run with a manifest is whole. The
same run makes the same manifest, byte for byte, wherever its parts were made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from albeit._version import __version__
from albeit.data.evalset import Document
from albeit.data.files import Folder
from albeit.errors import InputError, MissingExtraError
from albeit.evaluation.identity import Environment
from albeit.evaluation.runs.parts import DamagedError, Packed, Part, pack_plain, unpack
from albeit.metrics.grammar import Signature
from albeit.metrics.table import Column, ScoreTable

__all__ = ["FORMAT", "MANIFEST", "RUN", "Run", "RunFolder", "stem"]


MANIFEST = "manifest.json"
RUN = "run.json"
_PART = re.compile(r"(\d{8,})-[0-9a-f]{16}\.(parquet|part)$")


def stem(name: str) -> str:
    """A part's name without its ending: its number, and what it was made from."""
    return name.rpartition(".")[0]


class RunFolder:
    """The files of a run, by the folder's path or address."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Folder(folder)
        self.parts = Folder(self.folder.path("parts"))
        self._there: dict[int, str] | None = None

    def begin(self, run: Run) -> Run:
        """Write down what is scored, unless that has been done; what stands there counts."""
        try:
            if RUN not in self.folder.names():
                self.folder.write(RUN, _json(run.to_json()))
        except OSError as error:
            path = self.folder.path(RUN)
            raise InputError(f"cannot be written: {error.strerror}.", path=path) from None
        return self.run()

    def run(self) -> Run:
        """What is scored here."""
        content = self.content(RUN)
        try:
            return Run.from_json(content)
        except (KeyError, TypeError, ValueError) as error:
            what = f"does not describe a run as it should: {error!r}."
            raise InputError(what, path=self.folder.path(RUN)) from None

    def content(self, name: str) -> dict[str, Any]:
        """What ``run.json`` or ``manifest.json`` says."""
        path = self.folder.path(name)
        try:
            content: Any = json.loads(self.folder.read(name))
        except OSError as error:
            raise InputError(
                f"cannot be read: {error.strerror}.",
                path=path,
                hint="A run is a folder that 'albeit score --out RUN' wrote.",
            ) from None
        except ValueError as error:
            raise InputError(f"is not JSON: {error}.", path=path) from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise InputError(f"is not of a kept run ({FORMAT}).", path=path)
        return content

    def has(self, number: int, made_from: str) -> bool:
        """Whether a part is done; one of that number but of another text is an error."""
        if self._there is None:  # listed once: there may be very many
            self._there = {int(name.partition("-")[0]): name for name in self.names()}
        name = self._there.get(number)
        if name is not None and not stem(name).endswith(made_from):
            raise InputError(
                "was made from other texts than those given now.",
                path=self.parts.path(name),
                hint="Did they change since the run began? Give --out another folder.",
            )
        return name is not None

    def add(self, number: int, made_from: str, part: Packed) -> None:
        """Write a part, all or nothing."""
        name = f"{number:08}-{made_from}{part.ending}"
        try:
            self.parts.write(name, part.data)
        except OSError as error:
            raise InputError(
                f"cannot be written: {error.strerror}.",
                path=self.parts.path(name),
                hint="All other parts are kept: mend it, and run again to go on.",
            ) from None

    def add_plain(self, part: Part) -> None:
        """Write a part of a run that nobody but albeit reads."""
        self.parts.write(f"{part.number:08}-{part.digest()}.part", pack_plain(part))

    def names(self) -> list[str]:
        """The parts that are there, in order."""
        try:
            return [name for name in self.parts.names() if _PART.match(name)]
        except OSError as error:
            what = f"cannot be listed: {error.strerror}."
            raise InputError(what, path=str(self.parts)) from None

    def read(self, name: str) -> Part:
        """A part, checked."""
        path = self.parts.path(name)
        try:
            return unpack(self.parts.read(name))
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}.", path=path) from None
        except ImportError:
            raise MissingExtraError(
                f"{path} is Parquet. Install what reads it: pip install 'albeit[scale]'"
            ) from None
        except DamagedError as error:
            raise InputError(
                f"is cut short or damaged ({error}).",
                path=path,
                hint="Delete it and run again: only what is missing is made.",
            ) from None

    def read_all(self) -> Iterator[Part]:
        """The parts that are there, in order, one in memory at a time."""
        return map(self.read, self.names())

    def finish(self, run: Run, parts: dict[str, str], rest: dict[str, Any]) -> None:
        """Write the manifest: the run is whole. What killed processes left behind goes."""
        for name in self.parts.names():
            if name.startswith("."):
                self.parts.remove(name)
        self.folder.write(MANIFEST, _json(run.to_json() | {"parts": parts} | rest))


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"


FORMAT = "albeit-run/2"


@dataclass(frozen=True)
class Run:
    """What is scored, and how; ``warned`` are warnings that its user saw."""

    name: str
    languages: tuple[str | None, str]
    systems: tuple[str, ...]
    has_documents: bool
    metrics: tuple[str, ...]
    signatures: tuple[Signature, ...]
    warned: tuple[str, ...] = ()
    batch: int = 0
    """Segments that a batch holds at least; 0 where the whole set is one."""
    key: str = ""
    """A digest of all that makes its statistics, but for the texts."""
    environment: Environment | None = None
    """That of whoever began it."""

    @classmethod
    def of(cls, table: ScoreTable, warned: Sequence[str] = ()) -> Run:
        """The run whose results are a table's."""
        return cls(
            table.name,
            table.language_pair,
            table.systems,
            table.has_documents,
            table.metrics,
            tuple(c.signature for c in table.columns.values()),
            tuple(warned),
        )

    def table(self, documents: Sequence[Document], columns: dict[str, Column]) -> ScoreTable:
        """Its results."""
        return ScoreTable(
            self.systems, documents, columns, self.name, self.languages, self.has_documents
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "format": FORMAT,
            "albeit": __version__,
            "key": self.key,
            "set": {
                "name": self.name,
                "languages": self.languages,
                "systems": self.systems,
                "has_documents": self.has_documents,
            },
            "metrics": [
                {"metric": name, "signature": signature.to_json()}
                for name, signature in zip(self.metrics, self.signatures, strict=True)
            ],
            "batch": self.batch,
            "told": self.warned,
            "environment": None if self.environment is None else self.environment.to_json(),
        }

    @classmethod
    def from_json(cls, content: Any) -> Run:
        """From those plain values."""
        about = content["set"]
        source, target = about["languages"]
        made = content["environment"]
        return cls(
            about["name"],
            (source, target),
            tuple(about["systems"]),
            about["has_documents"],
            tuple(each["metric"] for each in content["metrics"]),
            tuple(Signature.from_json(each["signature"]) for each in content["metrics"]),
            tuple(content["told"]),
            content["batch"],
            content["key"],
            None if made is None else Environment.from_json(made),
        )
