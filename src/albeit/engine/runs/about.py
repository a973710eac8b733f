"""What a run is about: what is scored and how, as ``run.json`` and ``manifest.json`` say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from albeit._version import __version__
from albeit.engine.workers.environment import Environment
from albeit.metrics.signature import Signature
from albeit.metrics.table import ScoreTable

__all__ = ["FORMAT", "Run"]

FORMAT = "albeit-run/2"


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
            table.name,
            table.language_pair,
            table.systems,
            table.has_documents,
            table.metrics,
            tuple(c.signature for c in table.columns.values()),
            tuple(told),
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
