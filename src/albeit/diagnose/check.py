"""One translation against its source: likely faults of all kinds that need no reference."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence

from albeit.data.evalset import EvalSet
from albeit.data.plausible import looks_like
from albeit.diagnose.checks import Passage, check_named, kinds
from albeit.diagnose.finding import Finding
from albeit.errors import AlbeitError, InputError

__all__ = ["LEAST", "check", "check_set", "default_kinds"]

LEAST = 0.5
"""Findings that are less likely to be faults than this are left out."""

Progress = Callable[[int, int], None]


def check(
    translation: Iterable[str],
    source: Iterable[str],
    *,
    lang: str = "en",
    source_lang: str | None = None,
    kinds: Sequence[str] | None = None,
    least: float = LEAST,
) -> list[Finding]:
    """Likely faults of a translation, in the order of its lines.

    :param translation: one line per segment
    :param source: the source, as many lines
    :param lang: the language translated into
    :param source_lang: the language translated from; without it less is found
    :param kinds: which kinds to look for; by default those that are right often enough
    :param least: how likely a fault a finding has to be

    >>> import albeit
    >>> [found.message for found in albeit.check(["Born in 1986."], ["Geboren 1968."])]
    ["'1986' is not in the source, which has '1968'"]
    """
    evalset = EvalSet(
        references={},
        systems={"translation": tuple(translation)},
        source=tuple(source),
        source_lang=source_lang,
        target_lang=lang,
    )
    return check_set(evalset, kinds=kinds, least=least)["translation"]


def check_set(
    evalset: EvalSet,
    *,
    kinds: Sequence[str] | None = None,
    least: float = LEAST,
    progress: Progress | None = None,
) -> dict[str, list[Finding]]:
    """The same for every system of a test set, by its name.

    :param evalset: translations with their source
    :param kinds: which kinds to look for; by default those that are right often enough
    :param least: how likely a fault a finding has to be
    :param progress: called with the number of lines done, and of all, kinds together
    """
    if evalset.source is None:
        raise InputError(
            f"{evalset.name} has no source text, against which translations could be checked.",
            hint="Name it with --source FILE.",
        )
    if not 0 <= least <= 1:
        raise AlbeitError(f"the least probability is from 0 to 1, not {least}.")
    evalset = _with_language(evalset)
    checks = {kind: check_named(kind) for kind in kinds or default_kinds()}
    done, total = 0, len(evalset) * len(checks) * len(evalset.systems)
    found: dict[str, list[Finding]] = {}
    for system, lines in evalset.systems.items():
        passage = Passage(lines, evalset.source or (), evalset.target_lang, evalset.source_lang)
        of_system: list[Finding] = []
        for check in checks.values():
            of_system += [each for each in check.find(passage) if each.probability >= least]
            done += len(lines)
            if progress is not None:
                progress(done, total)
        found[system] = sorted(of_system, key=lambda each: (each.place, each.kind))
    return found


def _with_language(evalset: EvalSet) -> EvalSet:
    """The set with the language that its source plainly is in, where nobody said it; a note says so."""
    assert evalset.source is not None
    if evalset.source_lang is not None:
        return evalset
    found = looks_like(evalset.source, evalset.target_lang)
    if found is None or len(found) != 2 or not found.isalpha():
        return evalset
    logging.getLogger("albeit").info(
        "the source looks like %r and is taken for it; --source-lang CODE says otherwise", found
    )
    return evalset.relabel(source_lang=found)


def default_kinds() -> tuple[str, ...]:
    """Kinds that are looked for unless others are named."""
    return tuple(kind for kind in kinds() if check_named(kind).default)
