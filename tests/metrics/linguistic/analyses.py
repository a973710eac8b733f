"""A hand-annotated sentence pair for the tests of the linguistic families."""

from __future__ import annotations

from albeit.data.evalset import Document
from albeit.metrics.base import Batch
from albeit.metrics.registry import metric
from albeit.parsing.layers import (
    CONSTITUENTS,
    DEPENDENCIES,
    ROLES,
    TOKENS,
    Analysis,
    Constituent,
    Dependencies,
    Predicate,
    Tokens,
)


def phrase(label: str, *children: Constituent) -> Constituent:
    return Constituent(label, children[0].start, children[-1].stop, children)


def word(label: str, at: int) -> Constituent:
    return Constituent(label, at, at + 1)


def tokens(text: str) -> Tokens:
    forms = tuple(text.split())
    return Tokens(forms, tuple((0, 0) for _ in forms))


REF = Analysis(
    "The bank lent her money",
    {
        TOKENS: tokens("The bank lent her money"),
        DEPENDENCIES: Dependencies(
            ("DET", "NOUN", "VERB", "PRON", "NOUN"),
            (1, 2, -1, 2, 2),
            ("det", "nsubj", "root", "iobj", "obj"),
        ),
        CONSTITUENTS: (
            phrase(
                "S",
                phrase("NP", word("DT", 0), word("NN", 1)),
                phrase(
                    "VP", word("VBD", 2), phrase("NP", word("PRP", 3)), phrase("NP", word("NN", 4))
                ),
            ),
        ),
        ROLES: (Predicate(2, (("ARG0", 0, 2), ("ARG2", 3, 4), ("ARG1", 4, 5))),),
    },
)
HYP = Analysis(
    "the bank gave money",
    {
        TOKENS: tokens("the bank gave money"),
        DEPENDENCIES: Dependencies(
            ("DET", "NOUN", "VERB", "NOUN"), (1, 2, -1, 2), ("det", "nsubj:pass", "root", "obj")
        ),
        CONSTITUENTS: (
            phrase(
                "S",
                phrase("NP", word("DT", 0), word("NN", 1)),
                phrase("VP", word("VBD", 2), phrase("NP", word("NN", 3))),
            ),
        ),
        ROLES: (Predicate(2, (("ARG0", 0, 2), ("ARG1", 3, 4))),),
    },
)
VERBLESS = Analysis(
    "bank money",
    {
        TOKENS: tokens("bank money"),
        DEPENDENCIES: Dependencies(("NOUN", "NOUN"), (1, -1), ("compound", "root")),
        CONSTITUENTS: (phrase("NP", word("NN", 0), word("NN", 1)),),
        ROLES: (),
    },
)
EMPTY = Analysis(
    "", {TOKENS: tokens(""), DEPENDENCIES: Dependencies((), (), ()), CONSTITUENTS: (), ROLES: ()}
)


def score(spec: str, hypothesis: Analysis, *references: Analysis) -> float:
    """The segment score of one pair."""
    batch = Batch(
        [hypothesis.text],
        [[r.text] for r in references],
        None,
        [Document("d", 0, 1)],
        analyses={a.text: a for a in (hypothesis, *references)},
    )
    chosen = metric(spec)
    return float(chosen.segment_score(chosen.statistics(batch, None))[0])
