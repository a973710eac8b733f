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

from albeit.metrics.connectives.lexicons.find import Detector, SourceConnective
from albeit.metrics.connectives.lexicons.lexicon import Inventory
from albeit.metrics.connectives.lexicons.words import Words, cut
from albeit.parsing.alignment import Aligner, Link

__all__ = ["Proposal", "association", "induce", "write_proposals"]

_LONGEST = 4
_LEAST_ASSOCIATION = 10.83
"""The 0.1 % point of chi-square with one degree of freedom."""
_STICKS = 0.5
"""A neighbour belongs to the form if it stands there in this share of the aligned examples."""


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
        term(together, first, inside)
        + term(rest, others, outside)
        - term(together, first, overall)
        - term(rest, others, overall)
    )


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
    spans: defaultdict[str, list[_Span]] = defaultdict(list)
    totals: Counter[str] = Counter()
    for line, sentence in enumerate(source):
        for connective in detector(sentence):
            totals[connective.name] += 1
            spans[connective.name] += _aligned(connective, target[line], links[line])
    seen = {name: Counter(span.form for span in _grown(found)) for name, found in spans.items()}
    frequency = _frequencies({form for forms in seen.values() for form in forms}, target)
    votes = _sense_votes(inventory, seen, totals)
    found: list[Proposal] = []
    for name in inventory.select(names).connectives:
        own: list[Proposal] = []
        for form, count in seen.get(name, Counter()).items():
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


@dataclass(frozen=True)
class _Span:
    """A run of target words that is aligned to a connective."""

    words: Words
    start: int
    stop: int

    @property
    def form(self) -> str:
        return " ".join(self.words.forms[self.start : self.stop])

    def longer(self) -> Iterator[_Span]:
        """With the word before, and with the word after, where there is one."""
        if self.stop - self.start < _LONGEST:
            if self.start and self.words.forms[self.start - 1].isalpha():
                yield _Span(self.words, self.start - 1, self.stop)
            if self.stop < len(self.words) and self.words.forms[self.stop].isalpha():
                yield _Span(self.words, self.start, self.stop + 1)


def _aligned(connective: SourceConnective, target: Words, links: Sequence[Link]) -> Iterator[_Span]:
    """The run of target words from the first to the last aligned one, if it is short."""
    aligned = sorted({j for i, j in links if i in connective.tokens})
    if aligned and aligned[-1] - aligned[0] < _LONGEST:
        yield _Span(target, aligned[0], aligned[-1] + 1)


def _grown(spans: list[_Span]) -> list[_Span]:
    """Take in the neighbours that mostly stand beside a form: ``bien`` becomes ``bien que``."""
    for _ in range(_LONGEST - 1):
        forms = Counter(span.form for span in spans)
        wider = Counter((span.form, longer.form) for span in spans for longer in span.longer())
        sticky = {
            longer
            for (form, longer), count in wider.items()
            if count > 1 and count >= _STICKS * forms[form]
        }
        spans = [
            next((longer for longer in span.longer() if longer.form in sticky), span)
            for span in spans
        ]
    return spans


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
