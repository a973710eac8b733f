"""Terms with all their places, as a view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from albeit.annotate.needs import Side
from albeit.metrics.base import Batch
from albeit.metrics.lines import compared_lines
from albeit.metrics.terms.render import Occurrence, Rendering
from albeit.metrics.view import Compared, Link, Loss, Place, View

__all__ = ["terms_view"]

Counted = tuple[Rendering, int, int]
"""A term, how many of its occurrences are right, and of how many."""


def terms_view(
    metric: str, score: float, batch: Batch, reference: int | None, counted: Sequence[Counted]
) -> View:
    """The terms of one document, asked of the source or of the ``reference`` of that number."""
    ours, bases = compared_lines(Side.HYPOTHESIS, batch.hypotheses, batch.target_lang)
    if reference is None:
        theirs, starts = compared_lines(Side.SOURCE, batch.sources or (), batch.source_lang or "en")
    else:
        lines = batch.references[reference]
        theirs, starts = compared_lines(Side.REFERENCE, lines, batch.target_lang, reference)

    def places(each: Occurrence) -> tuple[Place, Place]:
        return (
            Place(1, tuple(starts[each.line] + word for word in each.term)),
            Place(0, tuple(bases[each.line] + word for word in each.words)),
        )

    total = sum(asked for _, _, asked in counted)
    links: list[Link] = []
    losses: list[Loss] = []
    for term, right, asked in counted:
        links += [Link(*places(each), 1.0, "term") for each in term.occurrences if each.same]
        otherwise_first = sorted(term.occurrences, key=lambda each: each.same)
        found = [place for each in otherwise_first for place in places(each) if place.tokens]
        label, details = _told(term, theirs, ours, starts, bases)
        losses.append(Loss(label, (asked - right) / total, tuple(found), details))
    notes = () if counted else ("No term is repeated: no score.",)
    return View(metric, score, 1.0, (ours, theirs), tuple(links), tuple(losses), notes=notes)


def _told(
    term: Rendering, theirs: Compared, ours: Compared, starts: Sequence[int], bases: Sequence[int]
) -> tuple[str, dict[str, str | float]]:
    """A term in words: what renders it how often, and in which lines otherwise."""

    def words(text: Compared, base: int, tokens: Sequence[int]) -> str:
        spans = [text.tokens.offsets[base + token] for token in tokens]
        return " ".join(text.text[start:stop] for start, stop in spans)

    name = words(theirs, starts[term.occurrences[0].line], term.occurrences[0].term)
    forms = [words(ours, bases[each.line], each.words).lower() for each in term.occurrences]
    same = Counter(form for form, each in zip(forms, term.occurrences, strict=True) if each.same)
    usual = same.most_common(1)[0][0] if same else term.word
    said: dict[str, list[int]] = {}
    for form, each in zip(forms, term.occurrences, strict=True):
        said.setdefault(usual if each.same else form or "–", []).append(each.line + 1)
    told = ", ".join(
        f"{form} ({'line' if len(lines) == 1 else 'lines'} {', '.join(map(str, lines))})"
        for form, lines in sorted(said.items(), key=lambda item: -len(item[1]))
    )
    details: dict[str, str | float] = {"term": name, "usual": usual, "same": term.same}
    return f"{name}: {told}", details | {"occurrences": len(term.occurrences)}
