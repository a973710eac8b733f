"""An integrated tree of discourse, syntax, and semantic roles, compared by the kernel of DR-LEX.

    PYTHONPATH=src:research python research/experiments/integrated_tree.py --data DIR --pairs cs-en

Guzmán et al. (2014) name it as future work. The tree of DR-LEX gets, under each EDU, the
constituents inside the EDU; a constituent that is an argument or a predicate has its role as a
child. λ of each tree is chosen on every sixth document of WMT13, as for DR-LEX. The table has
Kendall's τ on WMT12 and on the other documents of WMT13: alone, and the mean gain in uniform
combinations with BLEU, METEOR, chrF, TER, and token similarity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from _common import arguments, publish

from albeit.metaeval import JudgedSet, Task, agreement
from albeit.metrics.base import Batch
from albeit.metrics.kernel import DUMMY, EncodedTree, Encoder, Handle, similarities
from albeit.metrics.rst import _ROLES, TreeKernelMetric
from albeit.parsing.layers import (
    CONSTITUENTS,
    EDUS,
    ROLES,
    RST,
    TOKENS,
    Analysis,
    RstNode,
    compared,
)
from albeit.parsing.layers.trees import Constituent
from albeit.report import Heading, Table
from albeit.reproduce import Work
from albeit.reproduce.guzman2014 import CHOSEN_ON, TAU, _combined
from albeit.reproduce.sets import decimals

LAMBDAS = (0.02, 0.05, 0.1, 0.2, 0.4)
TREES = (
    "discourse",
    "discourse syntax",
    "discourse roles",
    "discourse syntax roles",
    "syntax roles",
)
BASES = ("bleu", "meteor", "chrf", "ter", "sim")
Spans = dict[tuple[int, int], str]


class Grower:
    """Encode the tree of a text with some layers; words are always in it."""

    def __init__(self, analysis: Analysis, layers: str) -> None:
        self.analysis, self.layers, self.encoder = analysis, layers, Encoder()
        self.roles: Spans = {}
        for predicate in analysis[ROLES] if "roles" in layers else ():
            self.roles[predicate.token, predicate.token + 1] = "V"
            self.roles |= {(start, stop): role for role, start, stop in predicate.arguments}

    def words(self, start: int, stop: int) -> list[Handle]:
        """Add the words of a span."""
        return list(self.encoder.words(self.analysis[TOKENS].forms[start:stop]))

    def phrase(self, node: Constituent) -> Handle:
        """Add a constituent, with its role as its first child."""
        role = self.roles.get((node.start, node.stop))
        own = [self.encoder.node("ROLE", (self.encoder.node(role),))] if role else []
        below = [self.phrase(child) for child in node.children]
        return self.encoder.node(node.label, (*own, *(below or self.words(node.start, node.stop))))

    def inside(self, nodes: Sequence[Constituent], start: int, stop: int) -> list[Handle]:
        """Add the largest constituents inside a span."""
        found: list[Handle] = []
        for node in nodes:
            if start <= node.start and node.stop <= stop:
                found.append(self.phrase(node))
            elif node.start < stop and start < node.stop:
                found += self.inside(node.children, start, stop)
        return found

    def unit(self, start: int, stop: int) -> list[Handle]:
        """Add what is below an EDU: constituents, or arguments and words."""
        if "syntax" in self.layers:
            return self.inside(self.analysis[CONSTITUENTS], start, stop)
        marked = [
            self.encoder.node("ROLE", (self.encoder.node(role), *self.words(a, b)))
            for (a, b), role in sorted(self.roles.items())
            if start <= a and b <= stop
        ]
        return [*marked, *self.words(start, stop)]

    def span(self, node: RstNode, role: str) -> Handle:
        """Add a node of the discourse tree, as in DR-LEX."""
        own = [self.encoder.node("NUC", (self.encoder.node(role),))]
        if node.is_leaf:
            edus = self.analysis[EDUS]
            below = self.unit(edus[node.first][0], edus[node.last][1])
            return self.encoder.node("EDU", (*own, *below))
        own.append(self.encoder.node("REL", (self.encoder.node(node.relation),)))
        children = zip(node.children(), _ROLES[node.nuclearity], strict=True)
        return self.encoder.node("SPAN", (*own, *(self.span(child, r) for child, r in children)))

    def tree(self) -> EncodedTree:
        """Return the whole tree."""
        root = self.analysis[RST]
        if root is None:
            self.encoder.node("EMPTY", (self.encoder.node(DUMMY),))
        elif "discourse" in self.layers:
            self.span(root, "R")
        else:
            self.encoder.node("TEXT", tuple(self.unit(0, len(self.analysis[TOKENS]))))
        return self.encoder.tree()


@dataclass(frozen=True)
class Integrated(TreeKernelMetric):
    """The kernel of one tree."""

    name = "integrated"
    summary = "kernel over discourse, syntax, and roles"
    needs = compared(TOKENS, EDUS, RST, CONSTITUENTS, ROLES)

    layers: str = "discourse"
    lambda_: float = 0.05

    @property
    def forms(self) -> Sequence[tuple[str, float]]:  # type: ignore[override]
        """The tree and λ."""
        return ((self.layers, self.lambda_),)

    def by_reference(self, batch: Batch, form: str, decay: float) -> np.ndarray:  # type: ignore[override]
        """Return the similarity to each reference: (references, segments)."""

        def encode(analysis: Analysis) -> EncodedTree:
            return Grower(analysis, form).tree()

        def trees(lines: Sequence[str]) -> list[EncodedTree]:
            return [batch.analyses[n].memoize(("integrated", form), encode) for n in lines]

        hypotheses = trees(batch.hypotheses)
        return np.stack([similarities(hypotheses, trees(r), decay) for r in batch.references])


def part(judged: JudgedSet, chosen: bool) -> JudgedSet:
    """Return every sixth document, or the others."""
    documents = enumerate(judged.evalset.documents)
    kept = [
        n for k, d in documents if (k % CHOSEN_ON == 0) == chosen for n in range(d.start, d.stop)
    ]
    return judged.take(kept)


def scored(work: Work, sets: Sequence[JudgedSet], metrics: Sequence[object]) -> list[Task]:
    """Score the judged translations."""
    return [each.task(work.score_judged(each, metrics), 0.0) for each in sets]  # type: ignore[arg-type]


def mean_tau(tasks: Sequence[Task], name: str) -> float:
    """Return the mean τ of a metric over tasks."""
    return float(np.mean([agreement(task, task.table[name], TAU) for task in tasks]))


def gain(tasks: Sequence[Task], name: str) -> float:
    """Return what the metric adds to another, on average."""
    pairs = [[_combined(tasks, (b, *more), TAU) or 0.0 for more in ((), (name,))] for b in BASES]
    return float(np.mean([both - alone for alone, both in pairs]))


def main() -> None:
    """Choose λ, and print the table."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--pairs", nargs="+", default=["cs-en"])
    args = parser.parse_args()
    work = Work(args.data, args.pairs, args.workers)
    wmt13 = [work.judged(f"wmt13/{pair}") for pair in args.pairs]
    every = {(t, x): Integrated(layers=t, lambda_=x) for t in TREES for x in LAMBDAS}
    dev = scored(work, [part(each, chosen=True) for each in wmt13], list(every.values()))
    best = {t: max(LAMBDAS, key=lambda x, t=t: mean_tau(dev, str(every[t, x]))) for t in TREES}  # type: ignore[misc]
    metrics = [*BASES, "dr-lex", *(every[t, x] for t, x in best.items())]
    tests = {"WMT12": [work.judged(f"wmt12/{pair}") for pair in args.pairs]}
    tests["WMT13, unused"] = [part(each, chosen=False) for each in wmt13]
    tasks = {name: scored(work, sets, metrics) for name, sets in tests.items()}
    rows = []
    for title, name, decay in [("DR-LEX", "dr-lex", 0.05)] + [
        (t.replace(" ", ", ") + ", words", str(every[t, x]), x) for t, x in best.items()
    ]:
        rows.append((title, decay, *(f(t, name) for t in tasks.values() for f in (mean_tau, gain))))
    heads = [Heading("Tree", align="left"), *decimals("λ", digits=2)]
    for test in tests:
        heads += decimals("τ", "mean gain", group=test)
    publish([Table.of(heads, rows, f"Integrated trees, {', '.join(args.pairs)}")], args)


if __name__ == "__main__":
    main()
