"""What the renderings of a view share: headings, labels of nodes, runs of what matched."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from albeit.metrics.view import Compared, Link, Loss, Node, Place, View

__all__ = [
    "by_amount",
    "decimals",
    "heading",
    "matched_runs",
    "node_label",
    "partial",
    "score_text",
    "text_title",
    "words_at",
]


def heading(view: View) -> str:
    """Whose score of what it is."""
    kind = "segment" if isinstance(view.place, int) else "document"
    return ", ".join(filter(None, [view.system, f"{kind} {view.place}"]))


def decimals(view: View) -> int:
    """How many decimals its amounts are shown with: scores go up to 100, or to 1.

    A score that is best at 0 is a rate of errors, in per cent.
    """
    return 2 if view.perfect > 1 or view.perfect == 0 else 4


def score_text(view: View) -> str:
    """The metric and its score."""
    if math.isnan(view.score):
        return f"{view.metric}: no score" if view.system else view.metric
    sure = "" if view.standard_error is None else f" ± {view.standard_error:.2f} (standard error)"
    return f"{view.metric} = {view.score:.4f}{sure}"


def text_title(text: Compared) -> str:
    """What a text is, and its name where that says more."""
    return text.side if text.name in ("", text.side) else f"{text.side} {text.name}"


def node_label(node: Node, text: Compared) -> str:
    """A node's role, with its relation or its words."""
    role = f"[{node.role}] " if node.role else ""
    if node.children:
        return f"{role}{node.relation}"
    return role + " ".join(text.tokens.forms[node.start : node.stop])


def words_at(view: View, place: Place) -> str:
    """The words at a place, as they were compared."""
    text = view.texts[place.text]
    return " ".join(text.tokens.forms[token] for token in place.tokens)


def partial(view: View) -> bool:
    """Whether the metric looks at some words only, so that one without a partner is not lost.

    A metric that compares all words has every one among its links or losses; one that says
    nothing of the places of its losses (n-grams) is taken at its links.
    """
    if view.chains is not None or not view.losses:
        return True
    if not any(loss.places for loss in view.losses):
        return False
    touched = [set[int]() for _ in view.texts]
    linked = (place for link in view.links for place in (link.one, link.other))
    lost = (place for loss in view.losses for place in loss.places)
    for place in (*linked, *lost):
        touched[place.text].update(place.tokens)
    return any(
        len(tokens) < len(text.tokens) for tokens, text in zip(touched, view.texts, strict=True)
    )


def by_amount(losses: Sequence[Loss]) -> list[Loss]:
    """Where most was lost first; equals in their own order."""
    return sorted(losses, key=lambda loss: -abs(loss.amount))


def matched_runs(links: Sequence[Link]) -> Iterator[Link]:
    """Links that go on where the one before ended, with the same strength and kind, as one."""
    key = 0
    keyed: list[tuple[int, Link]] = []
    for before, link in zip([None, *links], links, strict=False):
        key += before is None or not _goes_on(before, link)
        keyed.append((key, link))
    for _, run in groupby(keyed, key=lambda pair: pair[0]):
        parts = [link for _, link in run]
        one, other = (
            Place(side[0].text, tuple(token for place in side for token in place.tokens))
            for side in ([part.one for part in parts], [part.other for part in parts])
        )
        yield Link(one, other, parts[0].strength, parts[0].kind)


def _goes_on(before: Link, link: Link) -> bool:
    return (before.strength, before.kind) == (link.strength, link.kind) and all(
        old.text == new.text and old.tokens[-1] + 1 == new.tokens[0]
        for old, new in ((before.one, link.one), (before.other, link.other))
    )
