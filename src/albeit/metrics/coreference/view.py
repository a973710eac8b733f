"""What each chain of mentions takes from a document's score, and the view that shows it.

Every mention weighs the same: 1 over the mentions of the translation for precision, of the
reference for recall, of both for F. A mention that meets none loses that, one that meets
another word loses what ``other`` leaves of it, and all of it adds up to 1 less the score.
"""

from __future__ import annotations

from collections import defaultdict

from albeit.annotate.layers import TOKENS, Analysis
from albeit.annotate.needs import Side
from albeit.metrics.cohesion.compare import Average
from albeit.metrics.coreference.match import Matched
from albeit.metrics.coreference.mentions import Mention, Mentions
from albeit.metrics.view import Chain, ChainKind, Chains, Compared, Link, Loss, Place, View

__all__ = ["coref_view"]

Text = tuple[Analysis, Mentions]
_ORDER: tuple[ChainKind, ...] = ("matching", "missed", "false")


def coref_view(
    metric: str,
    score: float,
    texts: tuple[Text, Text],
    matched: Matched,
    reference: int,
    average: Average,
    other: float,
) -> View:
    """The view of a document against one reference."""
    numbers = [_by_chain(mentions) for _, mentions in texts]
    partners = {theirs: ours for ours, theirs in matched.chains.items()}
    pairs: list[tuple[int | None, int | None]] = [
        (partners.get(theirs), theirs) for theirs in numbers[1]
    ]
    pairs += [(ours, None) for ours in numbers[0] if ours not in matched.chains]
    credit = [{pair[side]: 1.0 if pair[2] else other for pair in matched.met} for side in (0, 1)]
    weights = _weights(len(texts[0][1].mentions), len(texts[1][1].mentions), average)
    rows, losses = [], []
    for pair in pairs:
        own = [[] if chain is None else numbers[side][chain] for side, chain in enumerate(pair)]
        row = _row(pair, own, texts, matched)
        rows.append(row)
        lost = sum(
            weights[side] * (1 - credit[side].get(n, 0.0)) for side in (0, 1) for n in own[side]
        )
        places = tuple(
            _place(side, texts[side][1].mentions[n])
            for side in (0, 1)
            for n in own[side]
            if credit[side].get(n, 0.0) < 1
        )
        if lost:
            losses.append(Loss(f"{row.word}: {row.kind}", lost, places))
    if not losses and score < 1:
        losses.append(Loss("only one of the texts has chains", 1 - score))
    rows.sort(key=lambda row: (_ORDER.index(row.kind), -len(row.tokens[0]) - len(row.tokens[1])))
    compared = tuple(
        Compared(side, analysis.text, analysis[TOKENS], number)
        for (analysis, _), side, number in zip(
            texts, (Side.HYPOTHESIS, Side.REFERENCE), (0, reference), strict=True
        )
    )
    chains = Chains(len(texts[0][1].lines), matched.length, tuple(rows))
    links = tuple(_link(texts, a, b, 1.0 if same else other) for a, b, same in matched.met)
    return View(metric, score, 1.0, compared, links, tuple(losses), chains=chains)


def _weights(held: int, wanted: int, average: Average) -> tuple[float, float]:
    """What a mention of each text weighs; nothing where only one of the texts has any."""
    if not held or not wanted:
        return 0.0, 0.0
    if average == "f":
        return 1 / (held + wanted), 1 / (held + wanted)
    return (1 / held, 0.0) if average == "precision" else (0.0, 1 / wanted)


def _by_chain(mentions: Mentions) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for number, mention in enumerate(mentions.mentions):
        found[mention.chain].append(number)
    return found


def _place(side: int, mention: Mention) -> Place:
    return Place(side, tuple(range(mention.start, mention.stop)))


def _words(text: Text, mention: Mention) -> str:
    return " ".join(text[0][TOKENS].forms[mention.start : mention.stop])


def _row(
    pair: tuple[int | None, int | None],
    own: list[list[int]],
    texts: tuple[Text, Text],
    matched: Matched,
) -> Chain:
    """A chain in both texts, named by its first mention that is no pronoun."""
    kind: ChainKind = "missed" if pair[0] is None else "false" if pair[1] is None else "matching"
    side = 0 if pair[1] is None else 1
    mentions = [texts[side][1].mentions[n] for n in own[side]]
    named = next((m for m in mentions if m.kind != "pronoun"), mentions[0])
    places, heads = [], []
    for n, numbers in enumerate(own):
        places.append(tuple(sorted({matched.positions[n][k] + 1 for k in numbers})))
        spans = (texts[n][1].mentions[k] for k in numbers)
        heads.append(tuple(sorted({word for m in spans for word in range(m.start, m.stop)})))
    key = f"{side}.{pair[side]}"
    return Chain(key, _words(texts[side], named), kind, tuple(places), tuple(heads))


def _link(texts: tuple[Text, Text], a: int, b: int, strength: float) -> Link:
    mine, yours = texts[0][1].mentions[a], texts[1][1].mentions[b]
    kind = mine.kind if mine.kind == yours.kind else f"{mine.kind} for {yours.kind}"
    return Link(_place(0, mine), _place(1, yours), strength, kind)
