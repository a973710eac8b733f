"""DR and DR-LEX over the tree of a whole document, which its sentences are subtrees of.

The kernel of two long trees is next to nothing unless they are the same from the root down:
its largest subtrees outweigh all others. So by default the tree is compared in parts: every
node over two lines or more, and over at most ``lines``, is compared with the node that the
other text has over the same lines, and the similarities are added up over the nodes of both.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from albeit.annotate.layers import EDUS, LINES, RST_DOCUMENT, TOKENS, Analysis, RstNode
from albeit.annotate.needs import Need
from albeit.corpus.evalset import EvalSet
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Context, FloatArray, check_english
from albeit.metrics.documents import DocumentMetric, document_needs, texts_of
from albeit.metrics.rst.kernel import EncodedTree, similarities
from albeit.metrics.rst.subtrees import Run, cut, explain_subtrees, subtrees
from albeit.metrics.rst.trees import Grouping, Labels, Layout, Representation
from albeit.metrics.view import View

__all__ = ["DocumentWords", "DrDoc", "DrLexDoc"]

DocumentWords = Literal["none", "form", "lower", "stem"]
WHOLE: Run = (0, -1)
"""The lines of a whole document, however many there are."""


@dataclass(frozen=True)
class DocumentKernelMetric(DocumentMetric):
    """What both share: which parts of a document's tree are compared.

    ``lines`` is the most lines (segments) that a part may have, 0 for the whole document as
    one. ``depth`` is how many levels of each part count, 0 for all; what lies lower is one
    unit with all its words.
    """

    needs: ClassVar[frozenset[Need]] = document_needs(LINES, TOKENS, EDUS, RST_DOCUMENT)
    """Trees over documents, and their words."""

    lambda_: float
    lines: int = 8
    depth: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.lambda_ <= 1:
            raise MetricError(f"{self.name}: lambda must be above 0 and at most 1.")
        if self.lines < 0 or self.lines == 1:
            raise MetricError(f"{self.name}: lines is 2 or more, or 0 for the whole document.")
        if not 0 <= self.depth <= 100:
            raise MetricError(f"{self.name}: depth is between 0 (all levels) and 100.")

    @property
    @abstractmethod
    def form(self) -> Representation:
        """The tree form compared."""

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """(similarities of the parts of both texts, their number) a document, by its best reference."""
        rows = np.zeros((len(batch.references), len(batch.documents), 2))
        places: list[tuple[int, int]] = []
        left: list[EncodedTree] = []
        right: list[EncodedTree] = []
        for d, document in enumerate(batch.documents):
            hypothesis, references = texts_of(batch, document)
            ours = self._encoded(hypothesis)
            for r, reference in enumerate(references):
                theirs = self._encoded(reference)
                rows[r, d, 1] = len(ours) + len(theirs)
                both = [run for run in ours if run in theirs]
                places += [(r, d)] * len(both)
                left += [ours[run] for run in both]
                right += [theirs[run] for run in both]
        for (r, d), alike in zip(places, similarities(left, right, self.lambda_), strict=True):
            rows[r, d, 0] += 2 * alike
        return self.best_rows(rows)

    def score(self, sums: FloatArray) -> FloatArray:
        """The mean over all parts of both texts; 1 where neither has any, for there is nothing to keep."""
        count = sums[..., 1]
        return np.asarray(np.where(count > 0, sums[..., 0] / np.maximum(count, 1), 1.0))

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Both trees down to their lines, and what was lost at each part."""
        hypothesis, references = texts_of(batch, batch.documents[0])
        ours = self._encoded(hypothesis)
        scored = [self._alike(ours, self._encoded(reference)) for reference in references]
        counts = [len(ours) + len(self._encoded(reference)) for reference in references]
        sums = np.array([(2 * sum(a.values()), n) for a, n in zip(scored, counts, strict=True)])
        best = int(self.score(sums).argmax())
        parts = [self.parts(analysis) for analysis in (hypothesis, references[best])]
        texts = hypothesis, references[best]
        return explain_subtrees(self, row, texts, (parts[0], parts[1]), scored[best], best)

    def parts(self, analysis: Analysis) -> dict[Run, RstNode]:
        """What is compared of a text, by its lines."""
        tree = analysis[RST_DOCUMENT]
        if self.lines:
            return subtrees(analysis, self.lines)
        return {} if tree is None else {WHOLE: tree}

    def _encoded(self, analysis: Analysis) -> Mapping[Run, EncodedTree]:
        """The same as the kernel reads it; made once per text."""

        def encode(text: Analysis) -> dict[Run, EncodedTree]:
            kept = {
                run: cut(part, self.depth) if self.depth else part
                for run, part in self.parts(text).items()
            }
            return {run: self.form.encode_tree(part, text) for run, part in kept.items()}

        return analysis.draw((self.form, self.lines, self.depth), encode)

    def _alike(
        self, ours: Mapping[Run, EncodedTree], theirs: Mapping[Run, EncodedTree]
    ) -> dict[Run, float]:
        """How alike the parts are that both texts have."""
        both = [run for run in ours if run in theirs]
        found: Sequence[float] = similarities(
            [ours[run] for run in both], [theirs[run] for run in both], self.lambda_
        ).tolist()
        return dict(zip(both, found, strict=True))


@dataclass(frozen=True)
class DrDoc(DocumentKernelMetric):
    """Document structure alone, without words."""

    name: ClassVar[str] = "dr-doc"
    safe_for_untrusted: ClassVar[bool] = True
    summary: ClassVar[str] = "RST trees over whole documents, without words (document)"

    lambda_: float = 0.7
    labels: Labels = "both"
    layout: Layout = "joint"

    @property
    def form(self) -> Representation:
        """A tree without words."""
        return Representation(self.layout, self.labels)


@dataclass(frozen=True)
class DrLexDoc(DocumentKernelMetric):
    """Document structure with words under the EDUs."""

    name: ClassVar[str] = "dr-lex-doc"
    safe_for_untrusted: ClassVar[bool] = True
    summary: ClassVar[str] = "RST trees over whole documents, with words (document)"

    lambda_: float = 0.05
    labels: Labels = "both"
    words: DocumentWords = "form"
    grouping: Grouping = "word"

    def check(self, evalset: EvalSet) -> None:
        """Stems are those of English."""
        super().check(evalset)
        if self.words == "stem":
            check_english(self, evalset, "its stems are English; use words=lower")

    @property
    def form(self) -> Representation:
        """A tree with words."""
        return Representation("split", self.labels, self.words, self.grouping)
