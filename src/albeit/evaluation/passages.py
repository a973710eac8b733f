"""Passages of a set, segments or documents, and their lines beside each other, ready to be read.

Passages are taken in blocks, so that each text is analysed once for all metrics, and memory
holds one block, however many passages there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from albeit.arrays import FloatArray
from albeit.data.evalset import Document, EvalSet
from albeit.data.levels import Unit
from albeit.errors import InputError, MetricError
from albeit.evaluation.plan import ANNOTATED_PORTION_LINES, Job, Plan
from albeit.evaluation.work import analysed, statistics
from albeit.metrics.base import Batch, Metric

__all__ = ["Block", "Passage", "blocks", "chosen_documents", "passages"]


@dataclass(frozen=True)
class Passage:
    """A segment, named by its number from 1, or a document, named by its id; and where it is."""

    name: int | str
    span: Document


def passages(
    evalset: EvalSet, metric: Metric, segments: Sequence[int], documents: Sequence[str]
) -> list[Passage]:
    """What a metric can explain of these segments (numbers from 1) and documents (ids).

    A metric that scores segments explains a document segment by segment; one that scores
    documents explains only those.
    """
    whole = chosen_documents(evalset, documents)
    if metric.unit is Unit.DOCUMENT:
        if segments:
            raise MetricError(f"{metric} scores documents, not segments: name one (--document ID).")
        return [Passage(document.id, document) for document in whole]
    for number in segments:
        if not 1 <= number <= len(evalset):
            raise InputError(f"there is no segment {number}: the set has {len(evalset)}.")
    ids = evalset.document_ids()
    numbers = [
        *segments,
        *(n + 1 for document in whole for n in range(document.start, document.stop)),
    ]
    return [Passage(number, Document(ids[number - 1], number - 1, number)) for number in numbers]


def chosen_documents(evalset: EvalSet, names: Sequence[str]) -> list[Document]:
    """The documents of these ids."""
    known = {document.id: document for document in evalset.documents}
    for name in names:
        if name not in known:
            listed = ", ".join(list(known)[:5]) + (" …" if len(known) > 5 else "")
            raise InputError(f"there is no document {name!r}; there are {len(known)}: {listed}.")
    return [known[name] for name in names]


@dataclass(frozen=True)
class Block:
    """Some passages with the analyses of all their texts."""

    passages: Sequence[Passage]
    shared: Batch
    """All lines of the block but a system's; its documents are the passages."""
    hypotheses: Sequence[Sequence[str]]

    def batch(self, number: int, system: int) -> Batch:
        """One passage, by its number in the block, in the translation of one system."""
        at = self.shared.documents[number]
        sources = self.shared.sources
        return replace(
            self.shared,
            hypotheses=self.hypotheses[system][at.rows],
            references=tuple(lines[at.rows] for lines in self.shared.references),
            sources=None if sources is None else sources[at.rows],
            documents=(Document(at.id, 0, len(at)),),
            system=system,
        )

    def rows(self, job: Job, system: int) -> list[FloatArray]:
        """The statistics of each metric of a job: a row for each passage, in their order."""
        lines = self.hypotheses[system]
        return statistics(job, replace(self.shared, hypotheses=lines, system=system))


def blocks(plan: Plan, chosen: Sequence[Passage]) -> Iterator[Block]:
    """The passages in order, in blocks of a bounded number of lines (or of one long passage)."""
    texts = len(plan.evalset.systems) + len(plan.evalset.references)
    block: list[Passage] = []
    size = 0
    for passage in chosen:
        lines = len(passage.span) * texts
        if block and size + lines > ANNOTATED_PORTION_LINES:
            yield _block(plan, block)
            block, size = [], 0
        block.append(passage)
        size += lines
    if block:
        yield _block(plan, block)


def _block(plan: Plan, chosen: Sequence[Passage]) -> Block:
    portion = plan.portion([passage.span for passage in chosen])
    return Block(tuple(chosen), analysed(plan.job, portion), portion.hypotheses)
