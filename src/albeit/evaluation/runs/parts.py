"""A part of a run: the statistics of one batch, and all that is needed to put it in its place.

A part is a file in one of two forms. *Plain* (``.part``): a line of JSON, then each metric's
rows in NumPy's format. *Parquet* (``.parquet``, with pyarrow): a table of system, document,
segment, and each metric's score and statistics, to be read by anything that reads Parquet; the
same JSON stands in its metadata. Both hold a digest of their content, which does not depend on
the form, the machine, or who made it.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import Document
from albeit.data.levels import Unit
from albeit.evaluation.identity import Environment
from albeit.metrics.base import Metric

__all__ = [
    "DamagedError",
    "Packed",
    "Part",
    "joined",
    "pack",
    "pack_parquet",
    "pack_plain",
    "unpack",
]

_MAGIC = b"PAR1"
_KEY = b"albeit"


class DamagedError(ValueError):
    """These are not the bytes of a whole part."""


@dataclass(frozen=True, eq=False)
class Part:
    """The statistics of a batch of documents.

    ``first`` is the place of its first segment in the set, ``size`` its number of segments.
    ``documents`` are those that were scored, at their places among the rows; ``left_out`` those
    that were not, at their places in the set.
    """

    run: str
    number: int
    first: int
    size: int
    documents: tuple[Document, ...]
    statistics: tuple[FloatArray, ...]
    """Each metric's rows: (systems, rows, k); none where all was left out."""
    left_out: tuple[Document, ...] = ()
    last: bool = False
    environment: Environment | None = None

    def places(self) -> list[int]:
        """The places in the set of the segments that were scored."""
        gone = {place for d in self.left_out for place in range(d.start, d.stop)}
        return [p for p in range(self.first, self.first + self.size) if p not in gone]

    def digest(self) -> str:
        """A digest of all but who made it."""
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

    def header(self) -> bytes:
        """All but the rows, as JSON."""
        made = None if self.environment is None else self.environment.to_json()
        return json.dumps(self._content() | {"digest": self.digest(), "environment": made}).encode()

    @classmethod
    def of(cls, header: bytes, statistics: Sequence[FloatArray]) -> Part:
        """From those; rows that are not what the header says are an error."""
        content: Any = json.loads(header)
        made = content["environment"]
        part = cls(
            content["run"],
            content["number"],
            content["first"],
            content["size"],
            tuple(Document(*span) for span in content["documents"]),
            tuple(statistics),
            tuple(Document(*span) for span in content["left_out"]),
            content["last"],
            None if made is None else Environment.from_json(made),
        )
        if part.digest() != content["digest"]:
            raise DamagedError("its rows are not those that were written")
        return part


def unpack(data: bytes) -> Part:
    """A part from a file's bytes, in whichever form; raises :class:`DamagedError`."""
    try:
        return _unpack_parquet(data) if data[:4] == _MAGIC else _unpack_plain(data)
    except ImportError:
        raise
    except Exception as error:  # whatever a reader says of bytes that are cut or changed
        raise DamagedError(str(error) or repr(error)) from None


@dataclass(frozen=True)
class Packed:
    """A part's bytes, and how a file that holds them ends."""

    data: bytes
    ending: str


def pack(part: Part, systems: Sequence[str], metrics: Sequence[Metric]) -> Packed:
    """A part as Parquet, or plain where there is no pyarrow."""
    try:
        return Packed(pack_parquet(part, systems, metrics), ".parquet")
    except ImportError:
        return Packed(pack_plain(part), ".part")


def pack_plain(part: Part) -> bytes:
    """A part as a line of JSON and NumPy arrays; the same part is the same bytes."""
    buffer = io.BytesIO()
    buffer.write(part.header() + b"\n")
    for rows in part.statistics:
        np.save(buffer, np.ascontiguousarray(rows), allow_pickle=False)
    return buffer.getvalue()


def _unpack_plain(data: bytes) -> Part:
    header, _, rest = data.partition(b"\n")
    file = io.BytesIO(rest)
    statistics: list[FloatArray] = []
    while file.tell() < len(rest):
        statistics.append(np.load(file, allow_pickle=False))
    return Part.of(header, statistics)


def pack_parquet(part: Part, systems: Sequence[str], metrics: Sequence[Metric]) -> bytes:
    """A part as a Parquet table: one row per system and segment, in that order.

    A document metric's score and statistics stand at the document's first segment.
    """
    import pyarrow as pa
    from pyarrow import parquet

    places = part.places()
    documents = [d.id for d in part.documents for _ in range(len(d))]
    columns: dict[str, Any] = {
        "system": pa.array(np.repeat(np.array(systems, dtype=object), len(places)), pa.string()),
        "document": pa.array(documents * len(systems), pa.string()),
        "segment": pa.array(np.tile(np.array(places, dtype=np.int64) + 1, len(systems))),
    }
    starts = np.array([d.start for d in part.documents], dtype=np.int64)
    for metric, rows in zip(metrics, part.statistics, strict=bool(part.statistics)):
        taken = None if metric.unit is Unit.SEGMENT else starts
        scores = metric.segment_score(rows)[..., None]
        columns[str(metric)] = _column(scores, taken, len(places))
        columns[f"{metric} statistics"] = _column(rows, taken, len(places), lists=True)
    table = pa.table(columns).replace_schema_metadata({_KEY: part.header()})
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def _column(rows: FloatArray, places: Any, length: int, *, lists: bool = False) -> Any:
    """Rows as a column of numbers, or of lists of them: one at each place, or everywhere."""
    import pyarrow as pa

    systems, _, width = rows.shape
    missing = None
    if places is not None:
        filled = np.full((systems, length, width), np.nan)
        filled[:, places] = rows
        there = np.zeros(length, dtype=bool)
        there[places] = True
        rows, missing = filled, np.tile(~there, systems)
    flat = np.ascontiguousarray(rows).reshape(-1)
    if not lists:
        return pa.array(flat, mask=missing)
    values, mask = pa.array(flat), None if missing is None else pa.array(missing)
    return pa.FixedSizeListArray.from_arrays(values, width, mask=mask)


def _unpack_parquet(data: bytes) -> Part:
    from pyarrow import parquet

    # Without Arrow's threads: they gain nothing here, and may be alive when the process ends.
    table = parquet.ParquetFile(io.BytesIO(data), pre_buffer=False).read(use_threads=False)
    header: bytes = table.schema.metadata[_KEY]
    systems = len(table["system"].unique())
    statistics = []
    for name in table.column_names:
        if name.endswith(" statistics"):
            lists = table[name].combine_chunks()
            values = lists.flatten().to_numpy(zero_copy_only=False)
            width = lists.type.list_size
            statistics.append(values.reshape(systems, -1, width))
    return Part.of(header, statistics)


def joined(parts: Sequence[Part]) -> Part:
    """Parts in order as one, as if the whole set had been one batch."""
    documents: list[Document] = []
    before = 0
    for part in parts:
        documents += (Document(d.id, d.start + before, d.stop + before) for d in part.documents)
        before += part.documents[-1].stop if part.documents else 0
    if documents and len({d.id for d in documents}) == 1:  # no documents: stretches of one
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
