"""Why DR gains more than DR-LEX at system level, unlike in Guzmán et al. (2014), Table 2.

    PYTHONPATH=src:research python research/experiments/system_level.py --data DIR -f markdown

Three explanations are tested on WMT12: the kernel's λ; segments with several sentences, which have
one tree here and a tree per sentence in the paper (DR of segments with one sentence only); and the
quality of the parser (a share of the nodes gets a random relation and nuclearity). The gain is the
mean over the rows of Table 2 that the paper has, as in ``albeit reproduce guzman2014 --table 2``.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from _common import arguments, publish

from albeit.evaluation import Evaluation
from albeit.metaeval import JudgedSet, Task
from albeit.metrics.table import Column
from albeit.parsing import annotate
from albeit.parsing.layers import EDUS, RST, TOKENS, Analysis, RstNode
from albeit.parsing.sentences import splitter
from albeit.parsing.supplied import texts_of
from albeit.report import Heading, Table
from albeit.reproduce import Work
from albeit.reproduce.guzman2014 import DISCOURSE, PAIRS, PLAIN, SPEARMAN, _combined, lines
from albeit.reproduce.sets import decimals, published

LAMBDAS = {"dr": (0.1, 0.3, 0.5, 0.9), "dr-lex": (0.1, 0.2, 0.4)}
SHARES = (0.25, 0.5, 1.0)


def gain(tasks: Sequence[Task], name: str) -> tuple[float, float]:
    """Return ρ of a metric alone, and its mean gain over the paper's rows of Table 2."""
    printed = published("guzman2014")["rows"]
    rows = [row for row in lines() if row.key in printed and row.group != PLAIN]
    gains = []
    for row in rows:
        if row.key not in DISCOURSE:
            alone, both = (
                _combined(tasks, (*row.metrics, *more), SPEARMAN) for more in ((), (name,))
            )
            gains.append((both or 0.0) - (alone or 0.0))
    return _combined(tasks, (name,), SPEARMAN) or 0.0, float(np.mean(gains))


def with_column(task: Task, name: str, column: Column, system: np.ndarray | None = None) -> Task:
    """Add scores of systems under another name."""
    scores = column.system if system is None else system
    made = column._replace(name=name, system=scores, document=None, segment=None)
    return replace(task, table=task.table.with_columns([made]))


def one_sentence(task: Task, judged: JudgedSet) -> Task:
    """Add DR and DR-LEX over segments whose reference has one sentence."""
    split = splitter("en")
    (reference,) = judged.evalset.references.values()
    single = np.array([len(split(line)) == 1 for line in reference])
    print(f"{task.name}: {single.mean():.3f} of the segments have one sentence")
    for name in DISCOURSE:
        column = task.table[name]
        task = with_column(
            task, f"{name} one", column, column.at("segment")[:, single].mean(axis=1)
        )
    return task


def degraded(analysis: Analysis, share: float, labels: Sequence[tuple[str, str]]) -> Analysis:
    """Give a share of the nodes a relation and nuclearity of other texts."""
    rng = random.Random(" ".join(analysis[TOKENS].forms))

    def change(node: RstNode | None) -> RstNode | None:
        if node is None or node.is_leaf:
            return node
        children = {"left": change(node.left), "right": change(node.right)}
        chosen = (node.relation, str(node.nuclearity))
        relation, nuclearity = rng.choice(labels) if rng.random() < share else chosen
        return replace(node, relation=relation, nuclearity=nuclearity, **children)  # type: ignore[arg-type]

    kept = {layer: analysis[layer] for layer in (TOKENS, EDUS)}
    return Analysis(analysis.text, {**kept, RST: change(analysis[RST])})


def with_worse_parser(task: Task, judged: JudgedSet, given: Mapping[str, Analysis]) -> Task:
    """Add DR and DR-LEX with labels of a worse parser."""
    trees = [tree for analysis in given.values() if (tree := analysis[RST])]
    labels = [(n.relation, str(n.nuclearity)) for t in trees for n in t.walk() if not n.is_leaf]
    for share in SHARES:
        worse = {text: degraded(analysis, share, labels) for text, analysis in given.items()}
        table = Evaluation(judged.evalset, worse).score(list(DISCOURSE))
        for name in DISCOURSE:
            task = with_column(task, f"{name} {share}", table[name])
    return task


def main() -> None:
    """Score, and print the table."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--pairs", nargs="+", default=list(PAIRS))
    args = parser.parse_args()
    work = Work(args.data, args.pairs, args.workers)
    forms = [f"{name}(lambda={value})" for name in DISCOURSE for value in LAMBDAS[name]]
    tasks = []
    for pair in args.pairs:
        judged = work.judged(f"wmt12/{pair}")
        metrics = [*DISCOURSE, *forms, *(m for row in lines() for m in row.metrics)]
        task = one_sentence(judged.task(work.score(judged.evalset, metrics), 0.0), judged)
        texts = [text for text in texts_of(judged.evalset) if text.strip()]
        found = annotate(texts, frozenset({RST, EDUS, TOKENS}), "en")
        tasks.append(with_worse_parser(task, judged, {text: found[text] for text in texts}))
    names = {"as shipped": DISCOURSE, "segments of one sentence": [f"{n} one" for n in DISCOURSE]}
    names |= {
        f"random labels: {share:.0%}": [f"{n} {share}" for n in DISCOURSE] for share in SHARES
    }
    names |= {form: [form] for form in forms}
    rows = []
    for title, own in names.items():
        cells = [gain(tasks, name) for name in own]
        pad = [(None, None)] if len(own) == 1 else []
        sides = [*pad, *cells] if title.startswith("dr-lex") else [*cells, *pad]
        rows.append((title, *(value for side in sides for value in side)))
    heads = [Heading("Variant", align="left")]
    for side in ("DR", "DR-LEX"):
        heads += decimals("ρ", "mean gain", group=side)
    publish([Table.of(heads, rows, f"Table 2 of Guzmán et al., {', '.join(args.pairs)}")], args)


if __name__ == "__main__":
    main()
