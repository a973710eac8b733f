"""Which sense a connective has where it stands, as the model reads it: in source or translation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from albeit.errors import InputError
from albeit.metrics.connectives.lexicons import Inventory, parse_sense
from albeit.metrics.connectives.lexicons.find import SourceConnective
from albeit.metrics.connectives.lexicons.senses import sense_class
from albeit.metrics.connectives.lexicons.words import cut
from albeit.metrics.connectives.match import Decision, Reason
from albeit.parsing.layers import CONNECTIVES, TOKENS, Analysis

__all__ = ["read_in_place", "senses_of"]


def senses_of(
    connectives: Sequence[SourceConnective],
    text: str,
    analysis: Analysis | None,
    inventory: Inventory,
) -> list[tuple[str, ...]]:
    """The senses each connective may have here.

    One sense where the model reads a connective at that place; all that the inventory gives
    where it reads none (a preposition, "not yet") or gives a sense the inventory does not.
    """
    words = cut(text, inventory.language)
    read = _by_character(analysis)
    found: list[tuple[str, ...]] = []
    for connective in connectives:
        known = inventory.connectives[connective.name].senses
        places = [words.offsets[token] for token in connective.tokens]
        senses = {s for a, b in places for at, s in read.items() if a <= at < b and s in known}
        found.append((senses.pop(),) if len(senses) == 1 else known)
    return found


def read_in_place(
    decision: Decision, text: str, analysis: Analysis, language: str, known: Sequence[str]
) -> Decision:
    """The same with the senses that it has there; nothing where the model reads no connective.

    The model distinguishes classes of senses better than senses (a contrast from a concession, say):
    of the senses that are ``known`` of the form, those count that are of a class that it reads.
    """
    if decision.hit is None:
        return decision
    read = _by_character(analysis)
    offsets = cut(text, language).offsets
    places = [offsets[token] for token in decision.hit.tokens]
    senses = {sense for start, stop in places for at, sense in read.items() if start <= at < stop}
    if not senses:
        return Decision(None, Reason.NOT_READ)
    classes = {sense_class(sense) for sense in senses}
    meant = tuple(sense for sense in known if sense_class(sense) in classes)
    return replace(decision, senses=meant or tuple(sorted(senses)))


def _by_character(analysis: Analysis | None) -> dict[int, str]:
    """The sense read at the first character of each connective word."""
    if analysis is None:
        return {}
    tokens = analysis[TOKENS]
    read: dict[int, str] = {}
    for connective in analysis[CONNECTIVES]:
        try:
            sense = parse_sense(connective.sense)
        except InputError:
            continue  # a sense of the model's that no lexicon knows
        for token in connective.tokens:
            read[tokens.offsets[token][0]] = sense
    return read
