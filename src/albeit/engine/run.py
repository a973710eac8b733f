"""A kept run on disk: what was scored and how, and its statistics in parts.

    RUN/manifest.json    the format, the set, each metric with its signature, the parts' digests
    RUN/00000-0.npy      the first metric's rows over the first documents: (systems, rows, k)
    RUN/00000-1.npy      the second metric's, and so on
    RUN/00001-0.npy      the first metric's over the next documents

A file is written to a temporary name and renamed, the manifest last: a run with a manifest is
whole. The same run makes the same bytes. Parts are put together in their order. Scores follow from the statistics, so a run can
be opened as a table again, resampled and compared, with no scoring work.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from albeit._version import __version__
from albeit.arrays import FloatArray
from albeit.corpus.evalset import Document
from albeit.errors import InputError
from albeit.metrics.base import Metric
from albeit.metrics.registry import metric as metric_of
from albeit.metrics.signature import Signature
from albeit.metrics.table import Column, ScoreTable

__all__ = ["FORMAT", "Run", "read_run", "write_run"]

FORMAT = "albeit-run/1"
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Run:
    """A run as its manifest tells it; ``told`` are warnings that its user saw."""

    name: str
    languages: tuple[str | None, str]
    systems: tuple[str, ...]
    documents: tuple[Document, ...]
    has_documents: bool
    metrics: tuple[str, ...]
    signatures: tuple[Signature, ...]
    told: tuple[str, ...] = ()
    folder: Path = Path()
    parts: tuple[tuple[str, ...], ...] = ()
    """The digest of each part's file of each metric."""

    @classmethod
    def of(cls, table: ScoreTable, told: Sequence[str] = ()) -> Run:
        """The run whose results are a table's."""
        return cls(
            table.name, table.language_pair, table.systems, table.documents, table.has_documents,
            table.metrics, tuple(c.signature for c in table.columns.values()), tuple(told),
        )  # fmt: skip

    def statistics(self) -> list[FloatArray]:
        """Every metric's rows over the whole set: (systems, rows, k)."""
        return [
            np.concatenate(
                [self._rows(n, place, part[place]) for n, part in enumerate(self.parts)], axis=1
            )
            for place in range(len(self.metrics))
        ]

    def _rows(self, part: int, place: int, digest: str) -> FloatArray:
        path = self.folder / _name(part, place)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}.", path=path) from None
        if _digest(data) != digest:
            raise InputError("is cut short, or of another run.", path=path)
        rows: FloatArray = np.load(io.BytesIO(data), allow_pickle=False)
        return rows

    def table(self, metrics: Sequence[Metric] | None = None) -> ScoreTable:
        """The scores; ``metrics``, if known, save finding them by their names."""
        known = metrics or [metric_of(name) for name in self.metrics]
        columns = {
            name: Column.from_statistics(metric, rows, self.documents, signature)
            for name, metric, rows, signature in zip(
                self.metrics, known, self.statistics(), self.signatures, strict=True
            )
        }
        return ScoreTable(
            self.systems, self.documents, columns, self.name, self.languages, self.has_documents
        )

    def to_json(self) -> dict[str, Any]:
        """The manifest."""
        return {
            "format": FORMAT,
            "albeit": __version__,
            "set": {
                "name": self.name,
                "languages": self.languages,
                "systems": self.systems,
                "documents": [[d.id, d.start, d.stop] for d in self.documents],
                "has_documents": self.has_documents,
            },
            "metrics": [
                {"metric": name, "signature": signature.to_json()}
                for name, signature in zip(self.metrics, self.signatures, strict=True)
            ],
            "told": self.told,
            "parts": self.parts,
        }


def write_run(folder: Path, run: Run, parts: Iterable[Sequence[FloatArray]]) -> None:
    """Write a run: every metric's rows over consecutive documents, part by part."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, arrays in enumerate(parts):
        files = [_packed(rows) for rows in arrays]
        for place, data in enumerate(files):
            _write(folder / _name(number, place), data)
        written.append(tuple(map(_digest, files)))
    manifest = replace(run, parts=tuple(written)).to_json()
    _write(folder / MANIFEST, json.dumps(manifest, indent=1).encode())


def read_run(folder: Path) -> Run:
    """Open a run; a folder that is none, or is not whole, is an error."""
    path = folder / MANIFEST
    try:
        content: Any = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}.", path=path) from None
    except ValueError as error:
        raise InputError(f"is not JSON: {error}.", path=path) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"is not the manifest of a kept run ({FORMAT}).", path=path)
    try:
        about = content["set"]
        source, target = about["languages"]
        return Run(
            about["name"],
            (source, target),
            tuple(about["systems"]),
            tuple(Document(*span) for span in about["documents"]),
            about["has_documents"],
            tuple(each["metric"] for each in content["metrics"]),
            tuple(Signature.from_json(each["signature"]) for each in content["metrics"]),
            tuple(content["told"]),
            folder,
            tuple(map(tuple, content["parts"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"is a damaged manifest: {error!r}.", path=path) from None


def _name(part: int, place: int) -> str:
    return f"{part:05}-{place}.npy"


def _packed(rows: FloatArray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(rows), allow_pickle=False)
    return buffer.getvalue()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _write(path: Path, data: bytes) -> None:
    """All or nothing, whoever else writes the same."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(data)
    temporary.replace(path)
