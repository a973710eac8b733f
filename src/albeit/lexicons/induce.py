"""Propose translations of connectives from a bitext, for a person to accept.

Align, collect what is aligned to each connective together with the words that always go
with it, rank by association, and group by sense. A translation's sense is seen from all
connectives it translates: ``puisque`` translates ``since`` (time or cause) and ``because``
(cause), so it is a causal ``since``.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from albeit.annotate.alignment import Aligner, Link
from albeit.lexicons.detect import Detector, SourceConnective
from albeit.lexicons.model import Inventory
from albeit.lexicons.words import Words, cut

__all__ = ["Proposal", "association", "induce", "write_proposals"]

_LONGEST = 4
_LEAST_ASSOCIATION = 10.83
"""The 0.1 % point of chi-square with one degree of freedom."""
_STICKS = 0.6
"""A neighbour belongs to the form if it stands there in this share of its occurrences."""


@dataclass(frozen=True)
class Proposal:
    """A form proposed as a translation of a connective, with the evidence for it."""

    connective: str
    form: str
    sense: str
    count: int
    association: float


def association(together: int, first: int, second: int, total: int) -> float:
    """Dunning's log-likelihood ratio of two events; 0 where they avoid each other."""
    if together * total <= first * second:
        return 0.0

    def term(hits: float, trials: float, share: float) -> float:
        miss = trials - hits
        return (hits * math.log(share) if hits else 0.0) + (
            miss * math.log(1 - share) if miss else 0.0
        )

    rest, others = second - together, total - first
    inside, outside, overall = together / first, rest / others if others else 0.0, second / total
    return 2 * (
        term(together, first, inside) + term(rest, others, outside)
        - term(together, first, overall) - term(rest, others, overall)
    )  # fmt: skip


def induce(
    inventory: Inventory,
    names: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    languages: tuple[str, str],
    *,
    least: int = 3,
    aligner: Aligner | None = None,
) -> list[Proposal]:
    """Proposals for these connectives, connective by connective, the strongest first."""
    source = [cut(a, languages[0]) for a, _ in pairs]
    target = [cut(b, languages[1]) for _, b in pairs]
    words = [w.forms for w in source], [w.forms for w in target]
    links = (aligner or Aligner.fit(*words)).align(*words)
    detector = Detector(inventory)
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    totals: Counter[str] = Counter()
    for line, sentence in enumerate(source):
        for connective in detector(sentence):
            totals[connective.name] += 1
            for form in _aligned_forms(connective, target[line], links[line]):
                seen[connective.name][form] += 1
    _grow(seen, target)
    frequency = _frequencies({form for forms in seen.values() for form in forms}, target)
    votes = _sense_votes(inventory, seen, totals)
    found: list[Proposal] = []
    for name in inventory.select(names).connectives:
        own: list[Proposal] = []
        for form, count in seen[name].items():
            strength = association(count, totals[name], max(count, frequency[form]), len(pairs))
            if count >= least and strength >= _LEAST_ASSOCIATION and _is_word(form):
                sense = _sense(inventory.connectives[name].senses, votes[form])
                own.append(Proposal(name, form, sense, count, strength))
        found += sorted(own, key=lambda p: (-p.association, p.form))
    return found


def write_proposals(proposals: Iterable[Proposal], languages: tuple[str, str]) -> str:
    """A lexicon file of the proposals, to be edited; counts are aligned examples."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for p in proposals:
        grouped.setdefault((p.connective, p.sense), []).append(f"{p.form} ({p.count})")
    lines = [
        f"#: source={languages[0]} target={languages[1]} version=proposed",
        "# Proposed from a bitext: strike out what is wrong, then 'albeit lexicon check'.",
    ]
    lines += ["\t".join([*key, " | ".join(forms)]) for key, forms in grouped.items()]
    return "\n".join(lines) + "\n"


def _aligned_forms(
    connective: SourceConnective, target: Words, links: Sequence[Link]
) -> Iterator[str]:
    """The run of target words from the first to the last aligned one, if it is short."""
    aligned = sorted({j for i, j in links if i in connective.tokens})
    if aligned and aligned[-1] - aligned[0] < _LONGEST:
        yield " ".join(target.forms[aligned[0] : aligned[-1] + 1])


def _grow(seen: dict[str, Counter[str]], target: Sequence[Words]) -> None:
    """Add the word that nearly always follows or precedes a form: ``bien`` is ``bien que``."""
    wanted = {form for forms in seen.values() for form, n in forms.items() if n > 1}
    single = {form for form in wanted if " " not in form}
    after: defaultdict[str, Counter[str]] = defaultdict(Counter)
    frequency: Counter[str] = Counter()
    for words in target:
        for here, following in zip(words.forms, (*words.forms[1:], ""), strict=True):
            if here in single:
                frequency[here] += 1
                after[here][following] += 1
    for forms in seen.values():
        for form in [f for f in forms if f in single]:
            following, count = after[form].most_common(1)[0] if after[form] else ("", 0)
            if following.isalpha() and count >= _STICKS * frequency[form]:
                forms[f"{form} {following}"] += forms.pop(form)


def _frequencies(forms: set[str], target: Sequence[Words]) -> Counter[str]:
    """In how many lines each form stands."""
    by_first: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for form in forms:
        parts = tuple(form.split(" "))
        by_first[parts[0]].append(parts)
    found: Counter[str] = Counter()
    for words in target:
        line = words.forms
        there = {
            " ".join(parts)
            for place, word in enumerate(line)
            for parts in by_first.get(word, ())
            if line[place : place + len(parts)] == parts
        }
        found.update(there)
    return found


def _sense_votes(
    inventory: Inventory, seen: dict[str, Counter[str]], totals: Counter[str]
) -> defaultdict[str, Counter[str]]:
    """How strongly each form goes with each sense, by the connectives it translates.

    A connective with one sense votes for it alone; the vote is the share of the connective's
    occurrences, so that frequent connectives do not outvote the others.
    """
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, forms in seen.items():
        senses = inventory.connectives[name].senses
        for form, count in forms.items():
            for sense in senses:
                votes[form][sense] += count / totals[name] / len(senses) ** 2  # type: ignore[assignment]
    return votes


def _sense(senses: Sequence[str], votes: Counter[str]) -> str:
    """The sense of the connective that the form speaks for; the first if it speaks for none."""
    return max(senses, key=lambda sense: (votes[sense], -senses.index(sense)))


def _is_word(form: str) -> bool:
    return any(character.isalpha() for character in form)
