"""A kept run on disk: what was scored and how, and its statistics in parts.

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
import os
import platform
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from albeit._version import __version__
from albeit.corpus.evalset import Document
from albeit.engine.environment import Environment
from albeit.engine.parts import DamagedError, Part, joined, pack_parquet, pack_plain, unpack
from albeit.errors import InputError, MissingExtraError
from albeit.metrics.base import Metric
from albeit.metrics.registry import metric as metric_of
from albeit.metrics.signature import Signature
from albeit.metrics.table import Column, ScoreTable

__all__ = ["FORMAT", "MANIFEST", "Kept", "Run", "RunFolder", "read_part", "read_run", "write_run"]

FORMAT = "albeit-run/2"
MANIFEST = "manifest.json"
_RUN = "run.json"
_ENDINGS = (".parquet", ".part")
_NAME = re.compile(r"\d{8,}-[0-9a-f]{16}$")


@dataclass(frozen=True)
class Run:
    """What is scored, and how; ``told`` are warnings that its user saw."""

    name: str
    languages: tuple[str | None, str]
    systems: tuple[str, ...]
    has_documents: bool
    metrics: tuple[str, ...]
    signatures: tuple[Signature, ...]
    told: tuple[str, ...] = ()
    batch: int = 0
    """Segments that a batch holds at least; 0 where the whole set is one."""
    key: str = ""
    """A digest of all that makes its statistics, but for the texts."""
    environment: Environment | None = None
    """That of whoever began it."""

    @classmethod
    def of(cls, table: ScoreTable, told: Sequence[str] = ()) -> Run:
        """The run whose results are a table's."""
        return cls(
            table.name, table.language_pair, table.systems, table.has_documents,
            table.metrics, tuple(c.signature for c in table.columns.values()), tuple(told),
        )  # fmt: skip

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
            "told": self.told,
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


class RunFolder:
    """The files of a run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.parts = folder / "parts"
        self._there: dict[int, Path] | None = None

    def begin(self, run: Run) -> Run:
        """Write down what is scored, unless that has been done; what stands there counts."""
        path = self.folder / _RUN
        try:
            if not path.exists():
                write_file(path, _json(run.to_json()))
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}.", path=path) from None
        return self.run()

    def run(self) -> Run:
        """What is scored here."""
        content = _read_json(self.folder / _RUN)
        try:
            return Run.from_json(content)
        except (KeyError, TypeError, ValueError) as error:
            what = f"does not tell of a run as it should: {error!r}."
            raise InputError(what, path=self.folder / _RUN) from None

    def has(self, number: int, made_from: str) -> bool:
        """Whether a part is done; one of that number but of another text is an error."""
        if self._there is None:  # listed once: there may be very many
            self._there = {int(path.stem.partition("-")[0]): path for path in self.paths()}
        path = self._there.get(number)
        if path is not None and not path.stem.endswith(made_from):
            raise InputError(
                "was made from other texts than those given now.",
                path=path,
                hint="Did they change since the run began? Give --out another folder.",
            )
        return path is not None

    def add(self, part: Part, made_from: str, run: Run, metrics: Sequence[Metric]) -> None:
        """Write a part, all or nothing."""
        name = f"{part.number:08}-{made_from}"
        try:
            data, ending = pack_parquet(part, run.systems, metrics), ".parquet"
        except ImportError:
            data, ending = pack_plain(part), ".part"
        try:
            write_file(self.parts / (name + ending), data)
        except OSError as error:
            raise InputError(
                f"cannot be written: {error.strerror}.",
                path=self.parts / (name + ending),
                hint="All other parts are kept: mend it, and run again to go on.",
            ) from None

    def add_plain(self, part: Part) -> None:
        """Write a part of a run that nobody but albeit reads."""
        write_file(self.parts / f"{part.number:08}-{part.digest()}.part", pack_plain(part))

    def paths(self) -> list[Path]:
        """The parts that are there, in order."""
        found = self.parts.glob("[0-9]*-*")
        return sorted(path for path in found if path.suffix in _ENDINGS and _NAME.match(path.stem))

    def read(self) -> Iterator[Part]:
        """The parts that are there, in order, one in memory at a time."""
        return (read_part(path) for path in self.paths())

    def finish(self, run: Run, parts: dict[str, str], rest: dict[str, Any]) -> None:
        """Write the manifest: the run is whole. What killed processes left behind goes."""
        for path in self.parts.glob(".*"):
            path.unlink(missing_ok=True)
        write_file(self.folder / MANIFEST, _json(run.to_json() | {"parts": parts} | rest))


@dataclass(frozen=True)
class Kept:
    """A run that is whole, as its manifest tells."""

    folder: RunFolder
    run: Run
    parts: dict[str, str]

    def table(self, metrics: Sequence[Metric] | None = None) -> ScoreTable:
        """The scores; ``metrics``, if known, save finding them by their names.

        All statistics are read into memory, so that scores can be resampled and compared.
        """
        found = {path.stem: path for path in self.folder.paths()}
        read = []
        for name, digest in self.parts.items():
            if name not in found:
                raise InputError("a part is missing.", path=self.folder.parts / name)
            read.append(read_part(found[name]))
            if read[-1].digest() != digest:
                raise InputError("is cut short, or of another run.", path=found[name])
        whole = joined(read)
        known = metrics or [metric_of(name) for name in self.run.metrics]
        try:
            columns = {
                name: Column.from_statistics(metric, rows, whole.documents, signature)
                for name, metric, rows, signature in zip(
                    self.run.metrics, known, whole.statistics, self.run.signatures, strict=True
                )
            }
        except ValueError as error:
            what = f"does not fit its statistics ({error})."
            raise InputError(what, path=self.folder.folder / MANIFEST) from None
        return ScoreTable(
            self.run.systems, whole.documents, columns, self.run.name, self.run.languages,
            self.run.has_documents,
        )  # fmt: skip


def write_run(folder: Path, table: ScoreTable, told: Sequence[str] = ()) -> None:
    """Keep a table's statistics as a run of one part."""
    run, files = Run.of(table, told), RunFolder(folder)
    rows = tuple(c.statistics for c in table.columns.values() if c.statistics is not None)
    documents = tuple(Document(d.id, d.start, d.stop) for d in table.documents)
    part = Part("", 0, 0, len(table), documents, rows, last=True)
    files.add_plain(part)
    files.finish(run, {f"{0:08}-{part.digest()}": part.digest()}, {})


def read_run(folder: Path) -> Kept:
    """Open a run; a folder that is none, or is not whole, is an error."""
    path = folder / MANIFEST
    content = _read_json(path)
    try:
        return Kept(RunFolder(folder), Run.from_json(content), dict(content["parts"]))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"is a damaged manifest: {error!r}.", path=path) from None


def read_part(path: Path) -> Part:
    """A part, checked."""
    try:
        return unpack(path.read_bytes())
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


def _read_json(path: Path) -> Any:
    try:
        content: Any = json.loads(path.read_bytes())
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


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"


def write_file(path: Path, data: bytes) -> None:
    """All or nothing, whoever else writes the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{platform.node()}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
