"""Write digests of all references that a shipped judge learned from next to its weights.

    python -m training judge.seen --discourse UNPACKED --out small|wide [--marks FILE ...]
    python -m training judge.seen --discourse UNPACKED --judgments UNPACKED --out many

`judge` reads them to warn when a set that it scores was in its training. `judge-many` has learned
from sources too. `--marks` are references of sets whose marks alone were learned.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

from albeit.metrics.judge import WEIGHTS
from albeit.metrics.judge.metric import SEEN, digest_lines
from training.judge.segments import lines, read_all, read_languages
from training.options import DATA


def main(
    *,
    data: Path = DATA,
    discourse: Path,
    judgments: Path | None = None,
    marks: list[Path] | None = None,
    out: Literal["small", "wide", "many"],
) -> None:
    """Read the sets of the training, and keep what their references hash to."""
    if out == "many":
        assert judgments, "judge-many needs --judgments"
        segments = [segment for _, segment in read_languages(data, discourse, judgments)]
        known = [segment.source for segment in segments]
    else:
        segments, known = read_all(data, discourse), []
    known += [text for segment in segments for text in segment.references.values()]
    known += [line for path in marks or () for line in lines(path)]
    digests = digest_lines(known)
    np.save(WEIGHTS / out / SEEN, digests)
    print(f"{len(digests)} references, {digests.nbytes} bytes")
