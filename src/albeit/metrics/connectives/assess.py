"""Assess connectives line by line: detect, match in reference and candidate, judge.

There are six cases of ACT: how a connective fares in the reference and in the candidate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Literal

from albeit.languages import normalise
from albeit.metrics.alignments import Alignments
from albeit.metrics.connectives.lexicons import CLASSIC, Inventory, Lexicon, SenseTest, agreement
from albeit.metrics.connectives.lexicons.directions import classic, direction, supplied
from albeit.metrics.connectives.lexicons.find import Detector, SourceConnective
from albeit.metrics.connectives.lexicons.words import cut
from albeit.metrics.connectives.match import Decision, Links, Matcher

__all__ = [
    "Assessor",
    "Case",
    "Chosen",
    "Preset",
    "Settings",
    "Verdict",
    "assessor_for",
    "best",
    "judge",
]


class Case(IntEnum):
    """What became of a source connective; numbered as in the ACT papers."""

    SAME = 1
    SYNONYM = 2
    INCOMPATIBLE = 3
    ONLY_REFERENCE = 4
    ONLY_CANDIDATE = 5
    NEITHER = 6


def judge(
    source: str, reference: Decision, candidate: Decision, lexicon: Lexicon, test: SenseTest
) -> tuple[Case, float]:
    """The case of one connective against one reference, and its credit from 0 to 1."""
    ref, cand = reference.hit, candidate.hit
    if ref is None:
        return (Case.NEITHER if cand is None else Case.ONLY_CANDIDATE), 0.0
    if cand is None:
        return Case.ONLY_REFERENCE, 0.0
    if ref.form == cand.form:
        return Case.SAME, 1.0
    wanted = reference.senses or lexicon.senses(source, ref.form)
    found = candidate.senses or lexicon.senses(source, cand.form)
    credit = agreement(wanted, found, test)
    return (Case.SYNONYM if credit == 1.0 else Case.INCOMPATIBLE), credit


def best(verdicts: Iterable[tuple[Case, float]]) -> tuple[int, Case, float]:
    """Over several references, the kindest verdict and the reference that gave it."""
    ranked = [(case, -credit, number) for number, (case, credit) in enumerate(verdicts)]
    case, negative, number = min(ranked)
    return number, case, -negative


Preset = Literal["careful", "classic"]
Chosen = Literal["eight", "all"]
_OF_PRESET: dict[Preset, SenseTest] = {"careful": "compatible", "classic": "covering"}


@dataclass(frozen=True)
class Settings:
    """What is assessed and how.

    ``preset``: ``classic`` follows the original: any candidate, and its sense test
    ``covering``. ``careful`` asks whether an unaligned candidate is a translation at all, and
    tests for ``compatible`` senses. ``sense`` overrides the preset's test. ``connectives``: the eight of the paper,
    or all that the lexicon knows. ``lexicon``: a file of your own.
    """

    preset: Preset = "careful"
    sense: SenseTest | Literal["auto"] = "auto"
    connectives: Chosen = "eight"
    lexicon: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one source connective in one candidate.

    ``line`` is 0-based; ``reference`` the number of the reference that was kindest.
    """

    line: int
    connective: SourceConnective
    case: Case
    credit: float
    reference: int
    in_reference: Decision
    in_candidate: Decision


def _read(languages: tuple[str, str], settings: Settings) -> tuple[Inventory, Lexicon]:
    """What the settings name: the source's connectives and their translations."""
    if settings.lexicon:
        return supplied(settings.lexicon, languages)
    return direction(*languages)


def assessor_for(source_lang: str, target_lang: str, settings: Settings) -> Assessor:
    """An assessor, kept for the next who asks unless a file of the user's is behind it."""
    if settings.lexicon:
        return Assessor(source_lang, target_lang, settings)
    return _kept(source_lang, target_lang, settings)


@lru_cache(maxsize=8)
def _kept(source_lang: str, target_lang: str, settings: Settings) -> Assessor:
    return Assessor(source_lang, target_lang, settings)


class Assessor:
    """Assesses translations of one language pair under one set of settings.

    ``own`` is what is looked for in the source and how it may be translated, in place of what
    the settings name.
    """

    def __init__(
        self,
        source_lang: str,
        target_lang: str,
        settings: Settings,
        own: tuple[Inventory, Lexicon] | None = None,
    ) -> None:
        self.settings = settings
        self.languages = source_lang, target_lang
        self.inventory, self.lexicon = own or _read(self.languages, settings)
        self.turned = own is None and normalise(source_lang) != "en"
        self.test: SenseTest = (
            _OF_PRESET[settings.preset] if settings.sense == "auto" else settings.sense
        )
        known = [name for name in self.inventory.connectives if name in self.lexicon.entries]
        few = classic(self.lexicon) if self.turned else CLASSIC
        wanted = few if settings.connectives == "eight" else known
        self._detector = Detector(self.inventory, tuple(n for n in wanted if n in known))
        self._found: dict[str, list[SourceConnective]] = {}
        self._matcher = Matcher(self.lexicon, careful=settings.preset == "careful")

    def connectives(self, source: str) -> list[SourceConnective]:
        """The connectives of a source line; each distinct line is searched once."""
        found = self._found.get(source)
        if found is None:
            found = self._found[source] = self._detector(cut(source, self.languages[0]))
        return found

    def decide(
        self,
        connectives: Sequence[SourceConnective],
        source: str,
        translation: str,
        links: Links | None = None,
    ) -> list[Decision]:
        """What translates each connective; ``links`` are over words as ``cut`` gives them."""
        if not connectives:
            return []
        words = cut(source, self.languages[0]), cut(translation, self.languages[1])
        return self._matcher(connectives, *words, links)

    def decide_lines(
        self,
        asked: Mapping[int, Sequence[SourceConnective]],
        sources: Sequence[str],
        texts: Sequence[str],
        alignments: Alignments | None,
        system: int | None = None,
    ) -> dict[int, list[Decision]]:
        """What translates the connectives of each line in a reference, or in a system's text.

        ``asked`` are the lines that have any; ``system`` is the system's place in the set.
        """
        pairs = {n: (sources[n], texts[n]) for n in asked}
        links = None if alignments is None else alignments.of(pairs.values(), system)
        return {
            n: self.decide(asked[n], *pair, None if links is None else links[pair])
            for n, pair in pairs.items()
        }

    def judge(
        self,
        line: int,
        connectives: Sequence[SourceConnective],
        references: Sequence[Sequence[Decision]],
        candidate: Sequence[Decision],
    ) -> list[Verdict]:
        """The verdict on each connective of a line, by the kindest reference."""
        verdicts: list[Verdict] = []
        for number, connective in enumerate(connectives):
            found = candidate[number]
            which, case, credit = best(
                judge(connective.name, r[number], found, self.lexicon, self.test)
                for r in references
            )
            verdicts.append(
                Verdict(line, connective, case, credit, which, references[which][number], found)
            )
        return verdicts
