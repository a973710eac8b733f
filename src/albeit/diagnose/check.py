"""Check translations against their source, without a reference.

``numbers`` and ``untranslated`` have one check each.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

from albeit.data.evalset import EvalSet
from albeit.data.plausible import looks_like
from albeit.errors import AlbeitError, InputError

LEAST = 0.5
"""The least probability of a finding."""
KINDS = ("untranslated", "numbers")

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Finding:
    """Some characters of one line of a translation that are likely an error.

    :param kind: the kind of error, such as ``numbers`` or ``terms``
    :param line: number of the line, from 1
    :param start: first character, from 0
    :param end: the character after the last
    :param message: a description, without the position
    :param probability: the probability that an editor would call this an error
    :param suggestion: a suggested fix, or ``None``
    :param evidence: evidence for and against, as pairs of a name and words

    >>> Finding("numbers", 3, 10, 12, "the source has 17 here", 0.9, "17").to_json()["line"]
    3
    """

    kind: str
    line: int
    start: int
    end: int
    message: str
    probability: float
    suggestion: str | None = None
    evidence: tuple[tuple[str, str], ...] = ()

    @property
    def place(self) -> tuple[int, int, int]:
        """Line and characters, the order of the text."""
        return self.line, self.start, self.end

    def to_json(self) -> dict[str, object]:
        """Convert to all fields by name; evidence is a list of objects."""
        evidence = [{"name": name, "words": words} for name, words in self.evidence]
        return {**asdict(self), "evidence": evidence}


@dataclass(frozen=True)
class Passage:
    """The lines of a translation and of its source.

    :param lines: the translation
    :param source: the source
    :param target_lang: language of the translation
    :param source_lang: language of the source, ``None`` if unknown
    """

    lines: tuple[str, ...]
    source: tuple[str, ...]
    target_lang: str = "en"
    source_lang: str | None = None

    def pairs(self) -> Iterator[tuple[int, str, str]]:
        """List number, translation, and source of the lines with text."""
        for number, (line, source) in enumerate(zip(self.lines, self.source, strict=True), 1):
            if line.strip() and source.strip():
                yield number, line, source


@dataclass(frozen=True)
class Check:
    """One kind of error that can be found without a reference.

    :param about: a description in one line
    :param find: the findings of a passage, in any order
    :param precision: the share of its findings that were errors in blind reading
    """

    about: str
    find: Callable[[Passage], Iterator[Finding]]
    precision: float


def check(
    translation: Iterable[str],
    source: Iterable[str],
    *,
    lang: str = "en",
    source_lang: str | None = None,
    kinds: Sequence[str] | None = None,
    least: float = LEAST,
) -> list[Finding]:
    """Find the likely errors of a translation, in the order of its lines.

    :param translation: one line per segment
    :param source: the source, as many lines
    :param lang: the language translated into
    :param source_lang: the language translated from; without it fewer errors are found
    :param kinds: the kinds of errors [default: all]
    :param least: the least probability of a finding

    >>> import albeit
    >>> [found.message for found in albeit.check(["Born in 1986."], ["Geboren 1968."])]
    ["'1986' is not in the source, which has '1968'"]
    """
    systems = {"translation": tuple(translation)}
    evalset = EvalSet({}, systems, tuple(source), source_lang=source_lang, target_lang=lang)
    return check_set(evalset, kinds=kinds, least=least)["translation"]


def check_set(
    evalset: EvalSet,
    *,
    kinds: Sequence[str] | None = None,
    least: float = LEAST,
    progress: Progress | None = None,
) -> dict[str, list[Finding]]:
    """Find the likely errors of every system of a test set, by its name.

    :param evalset: translations with their source
    :param kinds: the kinds of errors [default: all]
    :param least: the least probability of a finding
    :param progress: called with the numbers of finished and of all lines
    """
    if evalset.source is None:
        raise InputError(
            f"{evalset.name} has no source text to check translations against.",
            hint="Name it with --source FILE.",
        )
    if not 0 <= least <= 1:
        raise AlbeitError(f"the least probability is from 0 to 1, not {least}.")
    evalset = _with_language(evalset)
    checks = {kind: check_named(kind) for kind in kinds or KINDS}
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
    """Detect the language of the source if it isn't given, and log it."""
    if evalset.source is None or evalset.source_lang is not None:
        return evalset
    lang = looks_like(evalset.source, evalset.target_lang)
    if lang is None or len(lang) != 2 or not lang.isalpha():
        return evalset
    logging.getLogger("albeit").info(
        "the source looks like %r and is taken for it; --source-lang CODE says otherwise", lang
    )
    return evalset.relabel(source_lang=lang)


def check_named(kind: str) -> Check:
    """Return the check of a kind."""
    from albeit.diagnose import numbers, untranslated

    if kind not in KINDS:
        raise AlbeitError(f"there is no check {kind!r}; there are {', '.join(KINDS)}.")
    return numbers.CHECK if kind == "numbers" else untranslated.CHECK
