"""Lexical chains side by side, as a view and as a table in any format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from albeit.evaluation import Evaluation
from albeit.evaluation.checks import chosen_documents
from albeit.metrics.cohesion.cohesion import Cohesion
from albeit.metrics.view import Chain, Chains, View
from albeit.parsing.needs import Side
from albeit.report.table import Cell, Heading, Row, Table

__all__ = ["chain_notes", "chain_table", "side_by_side"]

_GAP = "·"
_GROUPS = {Side.REFERENCE: "references", Side.HYPOTHESIS: "systems", Side.SOURCE: "source"}
_HEADINGS = {
    "matching": "matching: in a reference and in a system",
    "missed": "missed: in references only",
    "false": "false: in systems only",
}
_REFERENCE_HEADINGS = {
    "matching": "matching: in all references",
    "missed": "in some references",
}


def side_by_side(
    evaluation: Evaluation, metric: Cohesion, documents: Sequence[str]
) -> Iterator[View]:
    """The chains of these documents, by id, in all references and systems."""
    evalset = evaluation.evalset
    for document in chosen_documents(evalset, documents):
        batch = evaluation.batch([metric], [document])
        systems = {name: lines[document.rows] for name, lines in evalset.systems.items()}
        view = metric.side_by_side(batch, systems, tuple(evalset.references))
        yield replace(view, place=document.id)


def chain_table(view: View, scores: Mapping[str, float] | None = None) -> Table:
    """A chain a row, a text a column; matching chains on top, false ones below.

    A cell shows the chain's positions in that text, each beneath the same position of the
    other texts, with a dot where another text has the word and this one does not. Chains
    that agree fully with a reference are bold, false ones italic.
    """
    chains = view.chains or Chains(0, 0, ())
    columns = [Heading("Chain", key="chain", align="left")]
    columns += [Heading(text.name, group=_GROUPS[text.side], align="left") for text in view.texts]
    alone = all(text.side == Side.REFERENCE for text in view.texts)
    headings = _REFERENCE_HEADINGS if alone else _HEADINGS
    rows = [
        Row(
            (Cell(row.word), *(_cell(view, row, n) for n in range(len(view.texts)))),
            headings[row.kind],
        )
        for row in chains.rows
    ]
    notes = [*chain_notes(chains), *view.notes]
    meta = {"document": view.place, "metric": view.metric, "scores": dict(scores or {})}
    return Table(
        tuple(columns), tuple(rows), f"Chains of document {view.place}", tuple(notes), meta
    )


def chain_notes(chains: Chains) -> list[str]:
    """What positions are."""
    if not chains.rows:
        return ["No text has a content word in two sentences."]
    if chains.length == chains.segments:
        return [f"Positions are segments, 1 to {chains.segments}."]
    return [
        f"Positions are sentences, 1 to {chains.length}, in {chains.segments} segments;"
        " sentences of a segment were matched in order with those of the first reference."
    ]


def _cell(view: View, row: Chain, text: int) -> Cell:
    mine = row.positions[text]
    if not mine:
        return Cell("–")
    known = sorted({place for places in row.positions for place in places})
    shown = " ".join(str(p) if p in mine else _GAP * len(str(p)) for p in known)
    wanted = _wanted(view, row)
    if view.texts[text].side != Side.HYPOTHESIS or wanted is None:
        return Cell(shown)
    score = max((len(set(mine) & set(theirs)) / len(theirs) for theirs in wanted), default=0.0)
    return Cell(shown, bold=score == 1.0, italic=row.kind == "false", details={"score": score})


def _wanted(view: View, row: Chain) -> list[tuple[int, ...]] | None:
    """The chain's positions in the references that have it; ``None`` without references."""
    references = [n for n, text in enumerate(view.texts) if text.side == Side.REFERENCE]
    if not references:
        return None
    return [row.positions[n] for n in references if row.positions[n]]
