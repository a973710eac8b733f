"""DR and DR-LEX: how alike the discourse trees of a translation and its reference are.

Both are the normalised all-subtree kernel of :mod:`albeit.metrics.rst.kernel`; they differ
in the tree they compare (:mod:`albeit.metrics.rst.trees`). The score of a segment lies in
[0, 1]; that of a document or system is the mean of its segments, as in the paper.
"""

from __future__ import annotations

from abc import abstractmethod
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
    check_english,
    mean_statistics,
)
from albeit.metrics.lengths import check_lengths
from albeit.metrics.rst.explain import Pair, explain_trees
from albeit.metrics.rst.kernel import EncodedTree, similarities
from albeit.metrics.rst.trees import Grouping, Labels, Layout, Representation, Words
from albeit.metrics.view import View
from albeit.parsing.layers import DEPENDENCIES, EDUS, RST, TOKENS
from albeit.parsing.needs import Need, compared

__all__ = ["DiscoTkLight", "Dr", "DrLex", "TreeKernelMetric"]

Consensus = Literal["best", "mean"]


@dataclass(frozen=True)
class TreeKernelMetric(MeanMetric):
    """What the tree-kernel metrics share; each says which tree forms it compares."""

    lambda_: float
    consensus: Consensus = "best"

    def __post_init__(self) -> None:
        if not 0 < self.lambda_ <= 1:
            raise MetricError(f"{self.name}: lambda must be above 0 and at most 1.")
        if self.consensus not in ("best", "mean"):
            raise MetricError(f"{self.name}: consensus is best or mean, not {self.consensus!r}.")

    @property
    @abstractmethod
    def representations(self) -> Sequence[Representation]:
        """The tree forms compared; the score is the mean over them."""

    @property
    def needs(self) -> frozenset[Need]:
        """Trees; words or parts of speech where they hang in them."""
        tagged = any(form.words == "pos" for form in self.representations)
        return compared(TOKENS, EDUS, RST, *([DEPENDENCIES] if tagged else []))

    def check(self, evalset: EvalSet) -> None:
        """Stems are those of English; trees are compared node by node."""
        super().check(evalset)
        check_lengths(self, evalset)
        if any(form.words == "stem" for form in self.representations):
            check_english(
                self,
                evalset,
                "its stems are English; use words=lower with annotations of your own (--annotations)",
            )

    def decay(self, form: Representation) -> float:
        """λ for a tree form."""
        return self.lambda_

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """(similarity, 1) a segment."""
        scores = [self._similarities(batch, form) for form in self.representations]
        return mean_statistics(np.mean(scores, axis=0))

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Both trees, and what was lost at each node of the reference's."""
        pairs = []
        for form in self.representations:
            scores = self._by_reference(batch, form)[:, 0]
            weights = np.full(len(scores), 1 / len(scores))
            if self.consensus == "best":
                weights = np.eye(len(scores))[scores.argmax()]
            pairs += [
                Pair(form, self.decay(form), r, float(weights[r]) / len(self.representations))
                for r in np.flatnonzero(weights).tolist()
            ]
        ours, *theirs = (
            batch.analyses[lines[0]] for lines in (batch.hypotheses, *batch.references)
        )
        return explain_trees(self, row, ours, theirs, pairs)

    def _similarities(self, batch: Batch, form: Representation) -> FloatArray:
        """One similarity a segment, over all references: the best, or the mean."""
        scores = self._by_reference(batch, form)
        return np.asarray(
            np.max(scores, axis=0) if self.consensus == "best" else np.mean(scores, axis=0)
        )

    def _by_reference(self, batch: Batch, form: Representation) -> FloatArray:
        """The similarity to each reference: (references, segments)."""
        decay = self.decay(form)

        def trees(lines: Sequence[str]) -> list[EncodedTree]:
            return [batch.analyses[line].memoize(form, form.encode) for line in lines]

        ours = trees(batch.hypotheses)
        return np.stack([similarities(ours, trees(lines), decay) for lines in batch.references])


@dataclass(frozen=True)
class Dr(TreeKernelMetric):
    """DR: discourse structure alone, without words; λ was chosen on WMT13."""

    name: ClassVar[str] = "dr"
    safe_for_untrusted: ClassVar[bool] = True
    summary: ClassVar[str] = (
        "RST trees without words, by an all-subtree kernel (Guzmán et al. 2014)"
    )

    lambda_: float = 0.7
    labels: Labels = "both"
    layout: Layout = "joint"

    @property
    def representations(self) -> Sequence[Representation]:
        """One tree without words."""
        return (Representation(self.layout, self.labels),)


@dataclass(frozen=True)
class DrLex(TreeKernelMetric):
    """DR-LEX: discourse structure with labels as properties and words under the EDUs.

    λ is small, because the usual .4 lets long EDUs that are word for word the same outweigh
    everything else; it, the words as written and one NGRAM a word were chosen on WMT13.
    """

    name: ClassVar[str] = "dr-lex"
    safe_for_untrusted: ClassVar[bool] = True
    summary: ClassVar[str] = "RST trees with words, by an all-subtree kernel (Guzmán et al. 2014)"

    lambda_: float = 0.05
    labels: Labels = "both"
    words: Words = "form"
    grouping: Grouping = "word"

    @property
    def representations(self) -> Sequence[Representation]:
        """One tree with words."""
        return (Representation("split", self.labels, self.words, self.grouping),)


@dataclass(frozen=True)
class DiscoTkLight(TreeKernelMetric):
    """Five tree forms in one: from the bare skeleton to all labels and words.

    ``lambda_`` is for the trees without words, ``words_lambda`` for the one with words.
    """

    name: ClassVar[str] = "discotk-light"
    safe_for_untrusted: ClassVar[bool] = True
    summary: ClassVar[str] = "mean of five RST tree kernels, from bare skeleton to lexicalised"

    lambda_: float = Dr.lambda_
    words_lambda: float = DrLex.lambda_

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.words_lambda <= 1:
            raise MetricError(f"{self.name}: words_lambda must be above 0 and at most 1.")

    def decay(self, form: Representation) -> float:
        """λ by whether the form has words."""
        return self.lambda_ if form.words == "none" else self.words_lambda

    @property
    def representations(self) -> Sequence[Representation]:
        """Skeleton, nuclearity, relation, all labels, all labels with words."""
        return (
            Representation("joint", "none"),
            Representation("joint", "nuclearity"),
            Representation("joint", "relation"),
            Representation("joint", "both"),
            *DrLex().representations,
        )
