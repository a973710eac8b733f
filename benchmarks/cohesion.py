"""Document cohesion at scale: time beside plain splitting at spaces, and memory.

    python benchmarks/cohesion.py [--data DIR] [-f text|json] [--documents N] [--workers N]

Documents of 20 sentences are drawn at random from WMT12 French-English: the reference, and
one system after another as translation. Everything from text to scores is timed, first for a
tenth of the documents, then for all, so that growing memory would show. ``times floor`` is
the time against one process that cuts the same lines at spaces and does nothing with the
words. Memory is the peak of the largest worker, and of the parent with the test set.
"""

from __future__ import annotations

import multiprocessing
import re
import resource
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
from _common import arguments, lines, show, timed

from albeit.data.evalset import Document, EvalSet
from albeit.errors import AlbeitWarning
from albeit.evaluation import score
from albeit.metrics.registry import metric

SENTENCES = 20
SEED = 12345


def main() -> None:
    """Score a tenth of the documents, then all."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--documents", type=int, default=100_000, metavar="N")
    parser.add_argument("--workers", type=int, default=2, metavar="N")
    parser.add_argument("--metric", default="cohesion", metavar="METRIC")
    options = parser.parse_args()
    if options.documents < 10:
        sys.exit("give at least 10 documents")
    folder = options.data / "wmt12" / "fr-en"
    reference = lines(folder / "ref.txt")
    systems = [lines(path) for path in sorted((folder / "systems").glob("*.txt"))]
    chosen = metric(options.metric)
    rows = []
    warnings.simplefilter("ignore", AlbeitWarning)
    for count in (options.documents // 10, options.documents):
        evalset = documents(reference, systems, count)
        with Peak() as peak:
            table, seconds = timed(lambda e=evalset: score(e, [chosen], workers=options.workers))
        floor = timed(lambda e=evalset: split_at_spaces(e))[1]
        rows.append(
            {
                "metric": str(chosen),
                "documents": count,
                "workers": options.workers,
                "seconds": seconds,
                "documents a second": count / seconds,
                "floor seconds": floor,
                "times floor": seconds / floor,
                "worker MiB": peak.mebibytes,
                "parent MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                "score": float(table[chosen].system[0]),
            }
        )
    show(rows, options.format)


class Peak:
    """The peak memory of any child process, read from Linux's /proc while they run.

    Not from ``getrusage``: that counts what a child was before it started its own program,
    a copy of its parent.
    """

    def __enter__(self) -> Peak:
        self.mebibytes = 0.0
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._look)
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._watch.join()

    def _look(self) -> None:
        while not self._over.wait(0.2):
            for child in multiprocessing.active_children():
                status = Path(f"/proc/{child.pid}/status")
                found = re.search(r"VmHWM:\s+(\d+)", status.read_text() if status.exists() else "")
                if found:
                    self.mebibytes = max(self.mebibytes, int(found[1]) / 1024)


def documents(reference: list[str], systems: list[list[str]], count: int) -> EvalSet:
    """A set of documents whose sentences are drawn at random."""
    random = np.random.default_rng(SEED)
    drawn = random.integers(len(reference), size=(count, SENTENCES))
    translated = [systems[i % len(systems)] for i in range(count)]
    return EvalSet(
        {"ref": tuple(reference[i] for row in drawn for i in row)},
        {
            "system": tuple(
                text[i] for text, row in zip(translated, drawn, strict=True) for i in row
            )
        },
        documents=tuple(Document(str(i), SENTENCES * i, SENTENCES * (i + 1)) for i in range(count)),
    )


def split_at_spaces(evalset: EvalSet) -> int:
    """The least that any metric over words must do."""
    texts = (*evalset.references.values(), *evalset.systems.values())
    return sum(len(line.split()) for text in texts for line in text)


if __name__ == "__main__":
    main()
