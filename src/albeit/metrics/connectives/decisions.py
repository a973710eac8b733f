"""What was decided for each connective, as a record for tables and as a view for readers."""

from __future__ import annotations

from collections.abc import Sequence

from albeit.annotate.layers import Tokens
from albeit.annotate.needs import Side
from albeit.lexicons.words import cut
from albeit.metrics.base import Batch
from albeit.metrics.connectives.assess import Verdict
from albeit.metrics.view import Compared, Link, Loss, Place, View

__all__ = ["CASE_NAMES", "Record", "decision", "decisions_view"]

CASE_NAMES = ("same", "synonym", "incompatible", "only ref", "only cand", "neither")
Record = dict[str, str | float]


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
    metric: str,
    score: float,
    batch: Batch,
    verdicts: Sequence[Verdict],
    counted: Sequence[Verdict],
) -> View:
    """The verdicts on one segment, of which some count; a connective is lost by what it lacks.

    Texts are hypothesis, references, source, in this order.
    """
    source = batch.sources[0] if batch.sources else ""
    texts = [
        _compared(Side.HYPOTHESIS, batch.hypotheses[0], batch.target_lang),
        *(
            _compared(Side.REFERENCE, lines[0], batch.target_lang, number)
            for number, lines in enumerate(batch.references)
        ),
        _compared(Side.SOURCE, source, batch.source_lang or "en"),
    ]
    last = len(texts) - 1
    links: list[Link] = []
    losses: list[Loss] = []
    for verdict in verdicts:
        connective = Place(last, verdict.connective.tokens)
        places = [connective]
        for text, found, strength in (
            (1 + verdict.reference, verdict.in_reference, 1.0),
            (0, verdict.in_candidate, verdict.credit),
        ):
            if found.hit is not None:
                places.append(Place(text, found.hit.tokens))
                if strength:
                    links.append(Link(connective, places[-1], strength, str(found.reason)))
        amount = (1 - verdict.credit) / len(counted) if verdict in counted else 0.0
        losses.append(Loss(_label(verdict), amount, tuple(places), decision(verdict)))
    notes = () if counted else ("No connective that counts: no score.",)
    return View(metric, score, 1.0, tuple(texts), tuple(links), tuple(losses), notes=notes)


def _label(verdict: Verdict) -> str:
    wanted, found = (d.name or "–" for d in (verdict.in_reference, verdict.in_candidate))
    case = f"case {verdict.case}, {CASE_NAMES[verdict.case - 1]}"
    return f"{verdict.connective.name}: {case}: {wanted} in the reference, {found} here"


def _compared(side: Side, text: str, language: str, number: int = 0) -> Compared:
    words = cut(text, language)
    return Compared(side, text, Tokens(words.forms, words.offsets), number)
