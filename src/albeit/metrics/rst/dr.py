"""DR and DR-LEX: how similar the discourse trees of a translation and its reference are.

Both are the normalized all-subtree kernel of :mod:`albeit.metrics.rst.kernel`. In DR, the
label of a node is its nuclearity in its parent and the relation between its children. In
DR-LEX, the skeleton has SPAN and EDU only. Nuclearity and relation are children (SPAN: both,
EDU: nuclearity), so that trees with different labels share their skeleton, and words are
children of EDUs. The score of a segment is in [0, 1]; that of a document or system is the
mean of its segments, as in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from albeit.data.evalset import EvalSet
from albeit.errors import MetricError
from albeit.metrics.base import (
    Batch,
    Context,
    FloatArray,
    MeanMetric,
    check_lengths,
    mean_statistics,
)
from albeit.metrics.rst.kernel import DUMMY, EncodedTree, Encoder, Handle, similarities
from albeit.metrics.view import View
from albeit.parsing.layers import EDUS, RST, TOKENS, Analysis, RstNode
from albeit.parsing.needs import Need, compared

__all__ = ["DiscoTkLight", "Dr", "DrLex", "Representation", "TreeKernelMetric", "grow_tree"]

Labels = Literal["both", "nuclearity", "relation", "none"]
Representation = Labels | Literal["words"]
"""The tree that is compared: DR's with these labels, or DR-LEX's with words."""

_ROLES = {"NS": ("N", "S"), "SN": ("S", "N"), "NN": ("N", "N"), "": ()}


def grow_tree(analysis: Analysis, form: Representation, encoder: Encoder) -> list[int]:
    """Encode the discourse tree of a text; return the indexes of its nodes, children first.

    An empty text has a tree that matches only another empty text's. A bare EDU has a dummy
    leaf, so that a sentence of one EDU doesn't score 0 against itself. There is no recursion,
    because the tree of a long text can be deep.
    """
    tree = analysis[RST]
    if tree is None:
        encoder.node("EMPTY", (encoder.node(DUMMY),))
        return []
    edus, forms = analysis[EDUS], analysis[TOKENS].forms
    lexical = form == "words"
    todo: list[tuple[RstNode, str, tuple[Handle, ...] | None]] = [(tree, "R", None)]
    done: list[Handle] = []
    indexes: list[int] = []
    while todo:
        node, role, properties = todo.pop()
        nuclearity = role if form in ("both", "nuclearity", "words") else ""
        if node.is_leaf:
            below: tuple[Handle, ...] = ()
            if lexical:
                words = forms[edus[node.first][0] : edus[node.last][1]]
                below = (encoder.node("NUC", (encoder.node(role),)), *encoder.words(words))
            label = "EDU" if lexical else f"{nuclearity}:EDU"
            done.append(encoder.node(label, below or (encoder.node(DUMMY),)))
            indexes.append(done[-1][1])
        elif properties is None:
            own = (("NUC", role), ("REL", node.relation)) if lexical else ()
            made = tuple(encoder.node(name, (encoder.node(value),)) for name, value in own if value)
            todo.append((node, role, made))
            children = zip(node.children(), _ROLES[node.nuclearity], strict=True)
            todo += [(child, child_role, None) for child, child_role in children][::-1]
        else:
            relation = node.relation if form in ("both", "relation") else ""
            label = "SPAN" if lexical else f"{nuclearity}:{relation}"
            done[-2:] = [encoder.node(label, (*properties, done[-2], done[-1]))]
            indexes.append(done[-1][1])
    return indexes


@dataclass(frozen=True)
class TreeKernelMetric(MeanMetric):
    """Base of the tree-kernel metrics: the mean over :attr:`forms`, by the best reference."""

    @property
    def forms(self) -> Sequence[tuple[Representation, float]]:
        """The trees that are compared, each with its λ."""
        raise NotImplementedError

    @property
    def needs(self) -> frozenset[Need]:
        """Trees and words."""
        return compared(TOKENS, EDUS, RST)

    def check(self, evalset: EvalSet) -> None:
        """Raise for lines that are too long: trees are compared node by node."""
        super().check(evalset)
        check_lengths(self, evalset)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return (similarity, 1) per segment."""
        scores = [np.max(self.by_reference(batch, *form), axis=0) for form in self.forms]
        return mean_statistics(np.mean(scores, axis=0))

    def by_reference(self, batch: Batch, form: Representation, decay: float) -> FloatArray:
        """Return the similarity to each reference: (references, segments)."""

        def encode(analysis: Analysis) -> EncodedTree:
            encoder = Encoder()
            grow_tree(analysis, form, encoder)
            return encoder.tree()

        def trees(lines: Sequence[str]) -> list[EncodedTree]:
            return [batch.analyses[line].memoize(("rst", form), encode) for line in lines]

        hypotheses = trees(batch.hypotheses)
        return np.stack([similarities(hypotheses, trees(r), decay) for r in batch.references])

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Show both trees, and the loss at each node of the reference's."""
        from albeit.metrics.rst.explain import explain_trees

        best = [int(self.by_reference(batch, *form)[:, 0].argmax()) for form in self.forms]
        hypothesis, *references = (
            batch.analyses[lines[0]] for lines in (batch.hypotheses, *batch.references)
        )
        return explain_trees(self, row, hypothesis, references, self.forms, best)


@dataclass(frozen=True)
class _DecayedKernelMetric(TreeKernelMetric):
    """A metric of one tree, whose λ is a parameter."""

    lambda_: float

    def __post_init__(self) -> None:
        if not 0 < self.lambda_ <= 1:
            raise MetricError(f"{self.name}: lambda must be above 0 and at most 1.")


@dataclass(frozen=True)
class Dr(_DecayedKernelMetric):
    """DR: discourse structure without words; λ was chosen on WMT13."""

    name: ClassVar[str] = "dr"
    summary: ClassVar[str] = (
        "RST trees without words, by an all-subtree kernel (Guzmán et al. 2014)"
    )

    lambda_: float = 0.7
    labels: Labels = "both"

    @property
    def forms(self) -> Sequence[tuple[Representation, float]]:
        """One tree without words."""
        return ((self.labels, self.lambda_),)


@dataclass(frozen=True)
class DrLex(_DecayedKernelMetric):
    """DR-LEX: discourse structure with labels as properties and words under the EDUs.

    λ is small, because with the usual 0.4 long identical EDUs dominate the score. It and one
    NGRAM per word were chosen on WMT13.
    """

    name: ClassVar[str] = "dr-lex"
    summary: ClassVar[str] = "RST trees with words, by an all-subtree kernel (Guzmán et al. 2014)"

    lambda_: float = 0.05

    @property
    def forms(self) -> Sequence[tuple[Representation, float]]:
        """One tree with words."""
        return (("words", self.lambda_),)


@dataclass(frozen=True)
class DiscoTkLight(TreeKernelMetric):
    """DiscoTK-light: the mean over five trees, from the bare skeleton to all labels and words."""

    name: ClassVar[str] = "discotk-light"
    summary: ClassVar[str] = "mean of five RST tree kernels, from bare skeleton to lexicalised"

    @property
    def forms(self) -> Sequence[tuple[Representation, float]]:
        """Skeleton, nuclearity, relation, all labels, all labels with words."""
        labels: tuple[Labels, ...] = ("none", "nuclearity", "relation", "both")
        return (*((each, Dr.lambda_) for each in labels), ("words", DrLex.lambda_))
