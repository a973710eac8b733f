"""What must be known to get a score again, as a value: a name and ordered fields.

Printed as ``bleu|tokenize:13a|refs:2|v:0.1.0``. A field may hold the signatures of a
metric's parts, printed as ``parts:[cohesion|…;bleu|…]``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from albeit._version import __version__

__all__ = ["Signature"]

Value = str | tuple["Signature", ...]


@dataclass(frozen=True)
class Signature:
    """A name, fields in order, and the version of albeit, which is printed last.

    A field without a value prints its key alone; an empty version is not printed: scores
    that another tool made have none.
    """

    name: str
    fields: tuple[tuple[str, Value], ...] = ()
    version: str = __version__

    def with_(self, key: str, value: Value) -> Signature:
        """The same with one more field, or with another value where the field is there."""
        if any(known == key for known, _ in self.fields):
            return self._each(lambda k, v: (k, value if k == key else v))
        return replace(self, fields=(*self.fields, (key, value)))

    def without(self, key: str) -> Signature:
        """The same without a field, in the signatures of parts too."""
        kept = replace(self, fields=tuple(field for field in self.fields if field[0] != key))
        return kept._each(
            lambda k, v: (k, v if isinstance(v, str) else tuple(part.without(key) for part in v))
        )

    def _each(self, change: Callable[[str, Value], tuple[str, Value]]) -> Signature:
        return replace(self, fields=tuple(change(*field) for field in self.fields))

    def __str__(self) -> str:
        """All of it on one line."""
        shown = [f"{key}:{_text(value)}" if value else key for key, value in self.fields]
        return "|".join([self.name, *shown, *([f"v:{self.version}"] if self.version else [])])

    def to_json(self) -> list[Any]:
        """Plain values, for a file."""
        fields = [
            [key, value if isinstance(value, str) else [part.to_json() for part in value]]
            for key, value in self.fields
        ]
        return [self.name, fields, self.version]

    @classmethod
    def from_json(cls, content: Any) -> Signature:
        """From those plain values."""
        name, fields, version = content
        return cls(
            name,
            tuple(
                (key, value if isinstance(value, str) else tuple(map(cls.from_json, value)))
                for key, value in fields
            ),
            version,
        )


def _text(value: Value) -> str:
    return value if isinstance(value, str) else f"[{';'.join(map(str, value))}]"
