"""The tree kernel beside a plain recursive one in Python, and beside annotation.

    python benchmarks/kernel.py [--data DIR] [-f text|json] [--pairs N] [--texts N] [--segments N]

All 147,147 translations of WMT12 (49 systems, four language pairs) are compared with their
references by ``dr`` and ``dr-lex``. The recursive version follows the definition with
nothing remembered; it would take minutes to hours, so it runs on an even sample of pairs
(``--pairs``), and both are compared a pair. ``kernel`` starts from encoded trees, on our
side, and from plain trees on the other; ``all`` adds what comes before: encoding here,
building there, each distinct text once. Annotation is timed without its cache in one thread
on an even sample of texts (``--texts``), and scaled to all distinct texts. All times are
processor time of one thread, so that other work on the machine does not count. The trees of the
whole set come through the cache, which the first run fills.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["ALBEIT_THREADS"] = "1"

import time
from collections.abc import Iterator, Sequence
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
from _common import arguments, lines, show, timed

from albeit.metrics.kernel import DUMMY, EncodedTree, Encoder, Handle, similarities
from albeit.metrics.registry import metric
from albeit.metrics.rst import Representation, TreeKernelMetric, grow_tree
from albeit.parsing import annotate
from albeit.parsing.layers import RST, Analysis

Tree = tuple[str, tuple["Tree", ...]]
PAIRS = ("cs-en", "de-en", "es-en", "fr-en")
TREES = frozenset({RST})
cpu = partial(timed, clock=time.process_time)
"""Timed by the processor, so that other programs on the machine do not count."""


def main() -> None:
    """Time both sides and annotation; print one row a metric."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--pairs", type=int, default=2000, metavar="N")
    parser.add_argument("--texts", type=int, default=2000, metavar="N")
    parser.add_argument("--segments", type=int, metavar="N", help="only the first N segments")
    options = parser.parse_args()
    pairs = wmt12(options.data, options.segments)
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    annotate(texts[:10], TREES)
    some = texts[:: max(1, len(texts) // options.texts)]
    found = annotate(texts, TREES)
    cache, os.environ["ALBEIT_CACHE"] = os.environ.get("ALBEIT_CACHE"), "off"
    _, seconds = cpu(lambda: annotate(some, TREES))
    if cache is None:
        del os.environ["ALBEIT_CACHE"]
    else:
        os.environ["ALBEIT_CACHE"] = cache
    annotation = seconds / len(some) * len(texts)
    rows = [
        row(spec, pairs, {text: found[text] for text in texts}, annotation, options.pairs)
        for spec in ("dr", "dr-lex")
    ]
    show(rows, options.format)


def wmt12(data: Path, limit: int | None) -> list[tuple[str, str]]:
    """Every translation with its reference."""
    found: list[tuple[str, str]] = []
    for name in PAIRS:
        folder = data / "wmt12" / name
        reference = lines(folder / "ref.txt", limit)
        for path in sorted((folder / "systems").glob("*.txt")):
            system = lines(path, limit)
            if path.stem == "onlineB":
                system = [unescape(line) for line in system]
            found += zip(system, reference, strict=True)
    return found


def row(
    spec: str,
    pairs: Sequence[tuple[str, str]],
    analyses: dict[str, Analysis],
    annotation: float,
    sample: int,
) -> dict[str, Any]:
    """One metric's times and ratios."""
    chosen = metric(spec)
    if not isinstance(chosen, TreeKernelMetric):
        raise TypeError(f"{spec} compares no trees")
    form, decay = chosen.forms[0]
    encoded, encoding = cpu(lambda: {text: encode(a, form) for text, a in analyses.items()})
    left, right = [encoded[h] for h, _ in pairs], [encoded[r] for _, r in pairs]
    similarities(left[:9], right[:9], decay)
    scores, kernels = cpu(lambda: similarities(left, right, decay), repeat=3)
    at = np.arange(0, len(pairs), max(1, len(pairs) // sample))
    chosen_texts = list(dict.fromkeys(text for i in at for text in pairs[i]))
    trees, building = cpu(lambda: {text: build(analyses[text], form) for text in chosen_texts})
    building *= len(analyses) / len(chosen_texts)
    slow, recursive = cpu(
        lambda: [similarity(trees[pairs[i][0]], trees[pairs[i][1]], decay) for i in at]
    )
    recursive *= len(pairs) / len(at)
    return {
        "metric": str(chosen),
        "pairs": len(pairs),
        "recursive, s": recursive,
        "ours, s": kernels,
        "kernel ×": recursive / kernels,
        "encoding, s": encoding,
        "all ×": (building + recursive) / (encoding + kernels),
        "annotation, s": annotation,
        "of annotation, %": 100 * (encoding + kernels) / annotation,
        "apart": float(np.abs(np.array(slow) - scores[at]).max()),
    }


def encode(analysis: Analysis, form: Representation) -> EncodedTree:
    """Encode the tree of a text, as the metrics do."""
    encoder = Encoder()
    grow_tree(analysis, form, encoder)
    return encoder.tree()


class Plain(Encoder):
    """Build nested tuples (label, children); the root is last."""

    def __init__(self) -> None:
        super().__init__()
        self.trees: list[Tree] = []

    def node(self, label: str, below: tuple[Handle, ...] = ()) -> Handle:
        """Add a node over nodes that exist already."""
        self.trees.append((label, tuple(self.trees[child[1]] for child in below)))
        return label, len(self.trees) - 1

    def words(self, forms: Sequence[str]) -> tuple[Handle, ...]:
        """Add an NGRAM node per word."""
        return tuple(self.node("NGRAM", (self.node(w, (self.node(DUMMY),)),)) for w in forms)


def build(analysis: Analysis, form: Representation) -> Tree:
    """Build the tree of a text as nested tuples."""
    plain = Plain()
    grow_tree(analysis, form, plain)
    return plain.trees[-1]


def similarity(a: Tree, b: Tree, decay: float) -> float:
    """The normalised kernel by its definition."""
    shared = kernel(a, b, decay)
    return shared / (kernel(a, a, decay) * kernel(b, b, decay)) ** 0.5 if shared else 0.0


def kernel(a: Tree, b: Tree, decay: float) -> float:
    """The sum of Δ over all pairs of nodes."""
    return sum(delta(x, y, decay) for x in nodes(a) for y in nodes(b))


def nodes(tree: Tree) -> Iterator[Tree]:
    """Nodes that have children."""
    if tree[1]:
        yield tree
        for child in tree[1]:
            yield from nodes(child)


def delta(a: Tree, b: Tree, decay: float) -> float:
    """What two nodes share."""
    if not a[1] or a[0] != b[0] or [c[0] for c in a[1]] != [c[0] for c in b[1]]:
        return 0.0
    found = decay
    for x, y in zip(a[1], b[1], strict=True):
        found *= 1.0 + delta(x, y, decay)
    return found


if __name__ == "__main__":
    main()
