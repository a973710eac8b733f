"""All suspects of a set, by rule."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from albeit.corpus.evalset import EvalSet
from albeit.flags.rules import RULES, line_suspects
from albeit.flags.straying import straying
from albeit.flags.suspect import TERMS, Suspect

__all__ = ["KINDS", "suspects"]

KINDS = (*RULES, TERMS)
"""The kinds that faults can be found of."""


def suspects(evalset: EvalSet, kinds: Collection[str] = KINDS) -> list[Suspect]:
    """The suspects of all systems, each place once: by the first reference that speaks against it.

    :param kinds: those that are asked for
    """
    found: dict[tuple[str, str, int, int], Suspect] = {}
    for number, reference in enumerate(evalset.references.values()):
        for system, lines in evalset.systems.items():
            for one in _of(evalset, system, tuple(lines), tuple(reference), kinds):
                place = one.kind, one.system, one.line, one.start
                found.setdefault(place, replace(one, reference=number))
    return list(found.values())


def _of(
    evalset: EvalSet,
    system: str,
    lines: tuple[str, ...],
    reference: tuple[str, ...],
    kinds: Collection[str],
) -> Iterator[Suspect]:
    for name, rule in RULES.items():
        if name in kinds:
            for n, (text, other) in enumerate(zip(lines, reference, strict=True)):
                yield from line_suspects(rule, system, n, text, other)
    if TERMS in kinds:
        for document in evalset.documents:
            rows = document.rows
            yield from straying(
                system, document.start, lines[rows], reference[rows], evalset.target_lang
            )
