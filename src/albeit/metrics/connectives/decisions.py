"""What was decided for each connective, as a record for tables and as a view for readers."""

from __future__ import annotations

from collections.abc import Sequence

from albeit.metrics.base import Batch, FloatArray, Metric
from albeit.metrics.connectives.assess import Case, Verdict
from albeit.metrics.view import Link, Loss, Place, View, compare_lines
from albeit.parsing.needs import Side

__all__ = ["CASE_NAMES", "Record", "decision", "decisions_view"]

CASE_NAMES = ("same", "synonym", "incompatible", "only ref", "only cand", "neither")
Record = dict[str, str | float]
_SAID = {
    Case.SAME: "{found} here, as in the reference",
    Case.SYNONYM: "{found} here, which says the same as {wanted} in the reference",
    Case.INCOMPATIBLE: "{found} here, which says something else than {wanted} in the reference",
    Case.ONLY_REFERENCE: "nothing found here, {wanted} in the reference",
    Case.ONLY_CANDIDATE: "{found} here, nothing found in the reference",
    Case.NEITHER: "nothing found here or in the reference",
}
"""What each case says to a reader."""


def decision(verdict: Verdict) -> Record:
    """One connective: its case and credit, what was found in reference and candidate, and why."""
    return {
        "connective": verdict.connective.name,
        "case": int(verdict.case),
        "credit": verdict.credit,
        "reference": verdict.in_reference.name,
        "reference reason": str(verdict.in_reference.reason),
        "candidate": verdict.in_candidate.name,
        "candidate reason": str(verdict.in_candidate.reason),
    }


def decisions_view(
    metric: Metric,
    row: FloatArray,
    batch: Batch,
    verdicts: Sequence[Verdict],
    counted: Sequence[Verdict],
    thing: str = "connective",
) -> View:
    """The verdicts on some segments, of which some count; what is translated wrongly is lost.

    Texts are hypothesis, references, source, in this order. Without a source the words in
    question are those of the reference itself.
    """
    sides = [(Side.HYPOTHESIS, batch.hypotheses, 0)]
    sides += [(Side.REFERENCE, lines, number) for number, lines in enumerate(batch.references)]
    if batch.sources is not None:
        sides.append((Side.SOURCE, batch.sources, 0))
    texts, bases = zip(
        *(
            compare_lines(side, lines, _language(side, batch), number)
            for side, lines, number in sides
        ),
        strict=True,
    )

    def place(text: int, verdict: Verdict, tokens: tuple[int, ...]) -> Place:
        return Place(text, tuple(bases[text][verdict.line] + token for token in tokens))

    links: list[Link] = []
    losses: list[Loss] = []
    for verdict in verdicts:
        reference = 1 + verdict.reference
        given = reference if batch.sources is None else len(texts) - 1
        places = [place(given, verdict, verdict.connective.tokens)]
        for text, found, strength in (
            (reference, verdict.in_reference, 1.0),
            (0, verdict.in_candidate, verdict.credit),
        ):
            if found.hit is not None and text != given:
                places.append(place(text, verdict, found.hit.tokens))
                if strength:
                    links.append(Link(places[0], places[-1], strength, str(found.reason)))
        amount = (1 - verdict.credit) / len(counted) if verdict in counted else 0.0
        losses.append(Loss(_label(verdict), amount, tuple(places), decision(verdict)))
    notes = () if counted else (f"No {thing} that counts: no score.",)
    return metric.view(row, texts, links, losses, notes=notes)


def _label(verdict: Verdict) -> str:
    wanted, found = verdict.in_reference.name, verdict.in_candidate.name
    return f"{verdict.connective.name}: {_SAID[verdict.case].format(wanted=wanted, found=found)}"


def _language(side: Side, batch: Batch) -> str:
    return batch.source_lang or "en" if side is Side.SOURCE else batch.target_lang
