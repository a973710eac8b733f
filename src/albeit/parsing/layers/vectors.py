"""Contextual vectors, a row a subword. NumPy is imported where it is used: names come cheap."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from albeit.parsing.layer import Analysis, Layer
from albeit.parsing.layers.text import TOKENS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["VECTORS", "Vectors"]


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Contextual vectors of the subword tokens, unit length, one row a subword.

    ``words`` gives the token index each row belongs to.
    """

    rows: npt.NDArray[np.float32]
    words: npt.NDArray[np.int32]


class _Vectors(Layer[Vectors]):
    """Packed in half precision, which is all that callers ever see."""

    name = "vectors"
    rests_on = (TOKENS,)

    def empty(self) -> Vectors:
        import numpy as np

        return Vectors(np.zeros((0, 0), np.float32), np.zeros(0, np.int32))

    def pack(self, value: Vectors) -> bytes:
        import numpy as np

        head = np.array(value.rows.shape, dtype="<u4")
        words, rows = value.words.astype("<u4"), value.rows.astype("<f2")
        return head.tobytes() + words.tobytes() + rows.tobytes()

    def unpack(self, record: bytes) -> Vectors:
        import numpy as np

        count, width = (int(n) for n in np.frombuffer(record, "<u4", 2))
        words = np.frombuffer(record, "<u4", count, offset=8).astype(np.int32)
        rows = np.frombuffer(record, "<f2", count * width, offset=8 + 4 * count)
        return Vectors(rows.reshape(count, width).astype(np.float32), words)

    def to_json(self, value: Vectors) -> Any:
        import numpy as np

        rows = np.ascontiguousarray(value.rows, dtype="<f4")
        return {
            "words": value.words.tolist(),
            "shape": list(rows.shape),
            "float32": base64.b64encode(rows.tobytes()).decode("ascii"),
        }

    def from_json(self, data: Any) -> Vectors:
        import numpy as np

        rows = np.frombuffer(base64.b64decode(data["float32"]), dtype="<f4").reshape(data["shape"])
        return Vectors(rows.astype(np.float32), np.asarray(data["words"], dtype=np.int32))

    def draw(self, value: Vectors, analysis: Analysis) -> Iterator[str]:
        count, width = value.rows.shape
        yield f"{count} vectors of {width} numbers (see -f json)"

    def same(self, ours: Vectors, theirs: Vectors) -> bool:
        import numpy as np

        return np.array_equal(ours.rows, theirs.rows) and np.array_equal(ours.words, theirs.words)


VECTORS = _Vectors()
