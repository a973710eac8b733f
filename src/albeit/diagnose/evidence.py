"""Evidence for and against a candidate: other systems, references, the source, and two networks.

A gatherer takes all candidates of a set, so that a network reads them in one batch, and returns the
named pieces of evidence that it has for each. ``judge`` reads each line before and after the
suggested fix. As a control, it also reads a line of another system that has the suggested words,
before and after they are replaced by the flagged words. The masked language model predicts the
flagged word from the translation around it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache, partial

import numpy as np

from albeit.diagnose.candidates import (
    PRONOUNS,
    TERMS,
    Candidate,
    Exchange,
    Word,
    fix_pronoun,
    places,
    pronouns_of,
    source_pronouns,
)
from albeit.diagnose.terms import has_term, is_known, is_name, term_words
from albeit.languages import normalise
from albeit.metrics import Document, EvalSet, FloatArray
from albeit.metrics.judge import cloze
from albeit.metrics.judge.chunking import Reading
from albeit.metrics.judge.fit import FAMILIES, predict
from albeit.metrics.judge.metric import Judge
from albeit.parsing.content import LANGUAGES, UNSPACED, content_words
from albeit.parsing.tokenize import CHUNKS

Pieces = Mapping[str, float | None]
Gatherer = Callable[[Sequence[Candidate], EvalSet], Sequence[Pieces]]

_NEAR = 5.0
"""The most words between the position of a candidate and the word of another line."""
_LEAST = 1e-3
"""The least probability of a word in context."""
_FAMILY = FAMILIES["pronouns"]


def gather(
    candidates: Sequence[Candidate],
    evalset: EvalSet,
    gatherers: Sequence[Gatherer] | None = None,
    weighted: Callable[[str], Collection[str]] | None = None,
) -> list[Pieces]:
    """Collect the evidence of each candidate.

    :param weighted: the pieces that count for a kind; networks aren't asked for others
    """
    evidence: list[dict[str, float | None]] = [{} for _ in candidates]
    for gatherer in GATHERERS if gatherers is None else gatherers:
        pieces = NETWORKS.get(gatherer)
        asked = [
            (one, own)
            for one, own in zip(candidates, evidence, strict=True)
            if weighted is None or pieces is None or not pieces.isdisjoint(weighted(one.kind))
        ]
        answers = gatherer([one for one, _ in asked], evalset)
        for (_, own), answer in zip(asked, answers, strict=True):
            own.update(answer)
    return list(evidence)


def by_rules(candidates: Sequence[Candidate], evalset: EvalSet) -> list[Pieces]:
    """Compare position, other systems, other references, and source."""
    evidence: list[Pieces] = []
    for one in candidates:
        own = evalset.systems[one.system][one.line]
        systems = [lines[one.line] for s, lines in evalset.systems.items() if s != one.system]
        references = [lines[one.line] for lines in evalset.references.values()]
        others = [line for n, line in enumerate(references) if n != one.reference]
        pieces: dict[str, float | None] = {
            "place": one.nearness,
            "systems": _mean_vote(one, own, systems),
            "references": _mean_vote(one, own, others),
            "source": side_of_source(one, evalset),
        }
        if one.kind == PRONOUNS:
            pieces["exchange"] = exchange_weight(one.said, one.wanted)
        if one.kind == TERMS:
            words, reference = own[one.start : one.end], references[one.reference]
            names = is_name(words, own) and is_name(one.suggestion, reference)
            pieces |= {"unknown": float(not is_known(words)), "names": float(names)}
        evidence.append(pieces)
    return evidence


def _mean_vote(candidate: Candidate, own: str, lines: Iterable[str]) -> float | None:
    """Average the votes of lines, from -1 (all have the flagged words) to 1 (the suggested)."""
    votes = [vote(candidate, own, line) for line in lines if line.strip()]
    return sum(votes) / len(votes) if votes else None


def vote(candidate: Candidate, own: str, line: str) -> int:
    """Decide whether a line supports the suggestion (1), the flagged words (-1), or neither.

    :param own: the line of the candidate

    >>> from albeit.diagnose.candidates import line_candidates
    >>> [one] = line_candidates("A", 0, "Then he left.", "Then she left.")
    >>> vote(one, "Then he left.", "She left then."), vote(one, "Then he left.", "All left.")
    (1, 0)
    """
    if candidate.kind == TERMS:
        return int(has_term(line, candidate.wanted)) - int(has_term(line, candidate.said))
    here, there = Counter(pronoun_names(own)), Counter(pronoun_names(line))
    more = there[candidate.wanted] > here[candidate.wanted]
    less = there[candidate.said] < here[candidate.said]
    return int(more and less) - int(not more and not less)


@lru_cache(maxsize=65536)
def pronoun_names(line: str) -> tuple[str, ...]:
    """List the classes of the pronouns of an English line, in order; recent ones are cached."""
    return tuple(word.name for word in pronouns_of(line))


def exchange_weight(said: str, wanted: str) -> float:
    """Rate how rarely two pronouns replace each other: *he*, *she*, and *it* never."""
    both = {said, wanted}
    if both <= {"he", "she", "it"}:
        return 1.0
    return 0.5 if "i" in both and both & {"he", "she"} else 0.0


def side_of_source(candidate: Candidate, evalset: EvalSet) -> float | None:
    """Decide whether the source supports the suggestion (1), the flagged words (-1), or none (0).

    ``None`` if nothing is known about its language.
    """
    if evalset.source is None or evalset.source_lang is None:
        return None
    source, lang = evalset.source[candidate.line], evalset.source_lang
    if candidate.kind == PRONOUNS:
        meanings = source_pronouns(source, lang)
        if meanings is None:
            return None
        suggested = any(candidate.wanted in m and candidate.said not in m for m in meanings)
        flagged = any(candidate.said in m and candidate.wanted not in m for m in meanings)
        return float(suggested - flagged)
    document = document_of(candidate, evalset)
    reference = list(evalset.references.values())[candidate.reference][document.rows]
    line = candidate.line - document.start
    return _repeats_term(candidate.wanted, line, evalset.source[document.rows], reference, lang)


def _repeats_term(
    term: str, line: int, source: Sequence[str], reference: Sequence[str], lang: str
) -> float | None:
    """Check whether a word of the source line is in most source lines of the term's references.

    :param term: the term's stem
    :param line: the number of the line, from 0
    """
    code = normalise(lang)
    if code not in LANGUAGES:
        return None
    others = [n for n, text in enumerate(reference) if has_term(text, term) and n != line]
    if not others:
        return 0.0
    words = [_content(text, code) for text in source]
    for word in words[line]:
        held = sum(word in words[n] for n in others)
        elsewhere = sum(word in each for each in words) - held - 1
        if held >= 0.8 * len(others) and elsewhere <= held:
            return 1.0
    return -1.0


def _content(text: str, code: str) -> set[str]:
    if code in UNSPACED:
        return {text[n : n + 2] for n in range(len(text) - 1) if text[n : n + 2].isalpha()}
    return set(content_words(code).keys(text))


def by_judge(candidates: Sequence[Candidate], evalset: EvalSet) -> list[Pieces]:
    """Score each line before and after the fix with ``judge``; each pair of texts is read once.

    ``gain`` is the difference. ``harm`` is the loss of another system's line by the flagged words.
    ``mark`` and ``major`` are log probabilities that the words are marked, and as a major error.
    """
    references = list(evalset.references.values())
    pairs: dict[tuple[str, str], int] = {}
    asked = []
    for one in candidates:
        reference = references[one.reference][one.line]
        controls = _controls(one, evalset) if one.kind == TERMS else ()
        changes = [(evalset.systems[one.system][one.line], one.fixed), *controls]
        texts = [(text, reference) for change in changes for text in change]
        asked.append([pairs.setdefault(pair, len(pairs)) for pair in texts])
    if not pairs:
        return []
    reading = Judge().load().read(list(pairs), marks=True)
    lines = [text for text, _ in pairs]
    return [_judged(one, reading, lines, i) for one, i in zip(candidates, asked, strict=True)]


def _judged(
    one: Candidate, reading: Reading, lines: Sequence[str], indexes: Sequence[int]
) -> Pieces:
    scores = [reading.scores[index] for index in indexes]
    before = indexes[0]
    shares = 1 / (1 + np.exp(-reading.marks[before].astype(np.float64)))
    mark, major = marks_in(lines[before], shares, one.start, one.end)
    harm = float(scores[2] - scores[3]) if len(scores) > 2 else None
    return {"gain": float(scores[1] - scores[0]), "harm": harm, "mark": mark, "major": major}


def marks_in(text: str, shares: FloatArray, start: int, end: int) -> tuple[float, float | None]:
    """Compute log probabilities that the words of some characters are marked, and as major.

    :param shares: the probability that each word is marked, (words, severities)
    """
    rows = _words_at(text, start, end)
    own = np.log(np.column_stack([shares[rows].sum(axis=1), shares[rows]]).max(axis=0) + 1e-6)
    return float(own[0]), float(own[1]) if len(own) > 2 else None


def _words_at(text: str, start: int, end: int) -> list[int]:
    spans = [match.span() for match in CHUNKS.finditer(text)]
    return [n for n, (first, last) in enumerate(spans) if first < end and last > start]


def _controls(candidate: Candidate, evalset: EvalSet) -> list[tuple[str, str]]:
    """Find a line of another system, and the same line with the flagged words."""
    own = evalset.systems[candidate.system][candidate.line]
    for line in dict.fromkeys(lines[candidate.line] for lines in evalset.systems.values()):
        replaced = replace_in(line, candidate, own) if line != own else None
        if replaced is not None:
            return [(line, replaced)]
    return []


def replace_in(line: str, candidate: Candidate, own: str) -> str | None:
    """Replace the suggested words of another line by the flagged words; ``None`` if it lacks them.

    :param own: the line of the candidate

    >>> from albeit.diagnose.candidates import line_candidates
    >>> own, reference = "Then he left.", "Then she left."
    >>> [one] = line_candidates("A", 0, own, reference)
    >>> replace_in("After that she went.", one, own)
    'After that he went.'
    """
    is_term = candidate.kind == TERMS
    words = term_words(line) if is_term else pronouns_of(line)
    same = [word for word in words if word.name == candidate.wanted]
    if not same:
        return None
    both = places(own, line)
    expected = both.expected(both.word_at(candidate.start))
    far = {word: abs(both.other_word_at(word.start) - expected) for word in same}
    word = min(same, key=lambda each: far[each])
    if far[word] > _NEAR:
        return None
    start, end = candidate.start, candidate.end
    flagged = Word(candidate.said, own[start:end], start, end)
    if is_term:
        form, rest = flagged.form, line[word.end :]
        form = form[0].upper() + form[1:] if word.form[0].isupper() else form
    else:
        form, rest = fix_pronoun(Exchange(word, flagged, 1.0), line)
    return line[: word.start] + form + rest


def by_context(candidates: Sequence[Candidate], evalset: EvalSet) -> list[Pieces]:
    """Predict the flagged word from its context; ``fits`` is the log odds of the suggestion.

    It is ``None`` without the model's files, and for words that the model doesn't have.
    """
    odds: list[float | None] = [None] * len(candidates)
    if cloze.is_installed():
        texts: dict[tuple[str, Document], list[tuple[int, cloze.Target]]] = {}
        for n, one in enumerate(candidates):
            document = document_of(one, evalset)
            target = _target(one, evalset, document)
            if target is not None:
                texts.setdefault((one.system, document), []).append((n, target))
        asked = [
            (tuple(" ".join(evalset.systems[system][d.rows]).split()), [t for _, t in own])
            for (system, d), own in texts.items()
        ]
        for own, rows in zip(texts.values(), predict(asked), strict=True):
            for (n, target), row in zip(own, rows, strict=True):
                odds[n] = _log_odds(target.name, candidates[n].wanted, row[None])
    return [{"fits": each} for each in odds]


def document_of(one: Candidate, evalset: EvalSet) -> Document:
    """Find the document of a candidate."""
    starts = [document.start for document in evalset.documents]
    return evalset.documents[bisect_right(starts, one.line) - 1]


def _log_odds(said: str, wanted: str, row: np.ndarray) -> float | None:
    shares = np.maximum(_FAMILY.shares(row)[0], _LEAST)
    if np.isnan(shares).any():
        return None
    return float(np.log(shares[_FAMILY.names.index(wanted)] / shares[_FAMILY.names.index(said)]))


def _target(one: Candidate, evalset: EvalSet, document: Document) -> cloze.Target | None:
    """Find the position of the pronoun to predict; ``None`` if the model doesn't have it."""
    if one.kind != PRONOUNS or not {one.said, one.wanted} <= set(_FAMILY.names):
        return None
    lines = evalset.systems[one.system]
    before = sum(len(each.split()) for each in lines[document.start : one.line])
    inside = _words_at(lines[one.line], one.start, one.end)
    return cloze.Target(before + inside[0], before + inside[-1] + 1, one.said)


GATHERERS: tuple[Gatherer, ...] = (by_rules, by_judge, by_context)
NETWORKS: Mapping[Gatherer, frozenset[str]] = {
    by_judge: frozenset(("gain", "harm", "mark", "major")),
    by_context: frozenset(("fits",)),
}
"""The gatherers that need a network, and their pieces of evidence."""


def describe(pieces: Pieces) -> tuple[tuple[str, str], ...]:
    """Describe the known pieces of evidence, by name and in words.

    >>> describe({"systems": 1.0, "source": None})
    (('systems', 'all other systems have what is suggested'),)
    """
    known = ((name, value) for name, value in pieces.items() if value is not None)
    return tuple((name, _DESCRIPTIONS[name](value)) for name, value in known)


def _side(value: float) -> str:
    return "suggested" if value > 0 else "flagged"


def _describe_votes(who: str, value: float) -> str:
    if value in (1.0, -1.0):
        return f"all other {who} have what is {_side(value)}"
    if abs(value) < 0.1:
        return f"other {who} are undecided"
    return f"more of the other {who} have what is {_side(value)} ({value:+.2f})"


def _describe_judge(line: str, what: str, value: float) -> str:
    higher = "higher" if value > 0 else "lower"
    return f"judge scores {line} {higher} with what is {what} ({value:+.2f})"


_OFTEN = {1.0: "never", 0.5: "seldom", 0.0: "often"}
_DESCRIPTIONS: Mapping[str, Callable[[float], str]] = {
    "place": "certainty of the reference at this place: {:.2f} of 1".format,
    "systems": partial(_describe_votes, "systems"),
    "references": partial(_describe_votes, "references"),
    "source": lambda value: (
        f"the source supports what is {_side(value)}" if value else "the source does not decide"
    ),
    "exchange": lambda value: f"these two {_OFTEN[value]} replace each other",
    "unknown": lambda value: f"the flagged word is {'no ' if value else 'a '}common English word",
    "names": lambda value: "both are names" if value else "they are not both names",
    "gain": partial(_describe_judge, "the line", "suggested"),
    "harm": lambda value: _describe_judge("another system's line", "flagged", -value),
    "mark": lambda v: f"probability that an expert marks these words, by judge: {math.exp(v):.2f}",
    "major": lambda value: f"the same as a major error: {math.exp(value):.2f}",
    "fits": lambda value: (
        f"with the word hidden, what is {_side(value)} fits the text better (log odds {value:+.2f})"
    ),
}
"""Each piece of evidence in words."""
