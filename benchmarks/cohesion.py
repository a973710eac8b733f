"""Document cohesion at scale: time beside plain splitting at spaces, and memory.

    python benchmarks/cohesion.py [--data DIR] [-f text|json] [--documents N] [--workers N]

Documents of 20 sentences are drawn at random from WMT12 French-English: the reference, and
one system after another as translation. Everything from text to scores is timed, first for a
tenth of the documents, then for all, so that growing memory would show. ``times floor`` is
the time against one process that cuts the same lines at spaces and does nothing with the
words. Memory is the peak of the parent with the test set.
"""

from __future__ import annotations

import resource
import sys
import warnings

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
                "parent MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                "score": float(table[chosen].system[0]),
            }
        )
    show(rows, options.format)


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
