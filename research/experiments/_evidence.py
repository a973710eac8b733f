"""Candidates of flagged errors with their evidence, and what experts marked in translations.

Networks read each candidate once. The evidence is kept under ``--work`` by the version of `judge`,
so an interrupted run continues. newstest20 gives the words of a span, not its place: spans that
occur twice in the line aren't used, nor are omissions, punctuation, and spans of more than five
words.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

from _common import judged, judged_set, rows_of, shared_folder, uncertain

from albeit.data import EvalSet
from albeit.diagnose.candidates import TERMS, Candidate, pronouns_of
from albeit.diagnose.evidence import NETWORKS, Pieces, by_rules, gather, network
from albeit.diagnose.flags import KINDS, candidates, model_of
from albeit.parsing.content import content_words

BLOCK = 64
LONGEST = 5
ASKED = frozenset().union(*NETWORKS.values())
"""Pieces of evidence that networks provide."""
N20 = "judgments/newstest20-mqm/zh-en"
Place = tuple[str, str, int, int]
"""Kind, system, line (from 0), first character."""
Key = tuple[str | int, ...]
Marks = Mapping[tuple[str, int], Mapping[str, list[tuple[int, int]]]]
"""By system and line (from 0): the characters that each expert marked."""
Weighed = Callable[[str], Collection[str]]
_IGNORED = ("omission", "punctuation", "no-error", "non-translation")
_FIELDS = ("kind", "system", "line", "start", "suggestion", "reference")


@dataclass(frozen=True)
class Collected:
    """Candidates with their evidence, and the places of all that were found."""

    candidates: Sequence[Candidate]
    evidence: Sequence[Pieces]
    found: Set[Place]


def collect(
    evalset: EvalSet,
    work: Path,
    name: str,
    *,
    kinds: Sequence[str] = KINDS,
    limit: int | None = None,
    wanted: Container[Place] | None = None,
    weighed: Weighed = lambda kind: model_of(kind).weights,
) -> Collected:
    """Return the candidates with their evidence.

    :param limit: how many of each kind are read by networks, drawn at random
    :param wanted: only these places; by default all
    :param weighed: the pieces of evidence by kind; by default those of the shipped models
    """
    found = [one for one in candidates(evalset, kinds) if wanted is None or place_of(one) in wanted]
    drawn = list(found)
    if limit is not None:
        random.Random(5).shuffle(drawn)
        drawn = [one for kind in kinds for one in [s for s in drawn if s.kind == kind][:limit]]
    drawn.sort(key=lambda one: (one.line, one.system, one.kind, one.start))
    known = _read(drawn, evalset, work, name, weighed)
    rules = by_rules(drawn, evalset)
    evidence = [{**own, **known[_key(one)]} for one, own in zip(drawn, rules, strict=True)]
    return Collected(drawn, evidence, set(map(place_of, found)))


def _read(
    drawn: Sequence[Candidate], evalset: EvalSet, work: Path, name: str, weighed: Weighed
) -> Mapping[Key, Pieces]:
    """Read the networks' evidence from the file, or gather it and write it there."""
    asked = {kind: sorted({*weighed(kind)} & ASKED) for kind in KINDS}
    digest = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:8]
    path = work / "flags" / f"{network().version}-{digest}" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    known = {tuple(row[field] for field in _FIELDS): row["pieces"] for row in rows}
    new = [one for one in drawn if _key(one) not in known]
    with path.open("a", encoding="utf-8") as file:
        for start in range(0, len(new), BLOCK):
            block = new[start : start + BLOCK]
            for one, pieces in zip(block, gather(block, evalset, NETWORKS, weighed), strict=True):
                known[_key(one)] = dict(pieces)
                row = dict(zip(_FIELDS, _key(one), strict=True)) | {"pieces": pieces}
                file.write(json.dumps(row) + "\n")
            file.flush()
            print(f"{name}: {start + len(block)} of {len(new)}", file=sys.stderr, flush=True)
    return known


def _key(one: Candidate) -> Key:
    return tuple(getattr(one, field) for field in _FIELDS)


def place_of(one: Candidate) -> Place:
    """Return the place of a candidate."""
    return one.kind, one.system, one.line, one.start


def read_sets(data: Path) -> dict[str, EvalSet]:
    """Read the sets whose candidates are read one by one."""
    return {
        "newstest20": judged(shared_folder(data, N20)).evalset,
        "wmt13": judged_set(data, "wmt13", "de-en").evalset,
        "wmt23": judged(shared_folder(data, "discourse/wmt23-mqm/zh-en")).evalset,
    }


def first_half(document: str) -> bool:
    """Return whether a document belongs to the half for training, by its name alone."""
    return hashlib.sha256(document.encode()).digest()[0] % 2 == 0


def only(evalset: EvalSet, keep: Callable[[str], bool]) -> EvalSet:
    """Return the set with blank translations outside some documents."""
    kept = [keep(name) for name in evalset.document_ids()]
    systems = {
        name: tuple(line if k else "" for line, k in zip(lines, kept, strict=True))
        for name, lines in evalset.systems.items()
    }
    return replace(evalset, systems=systems)


def held_out(evalset: EvalSet) -> EvalSet:
    """Return the documents that models aren't trained on."""
    return only(evalset, lambda name: not first_half(name))


def marks_of(folder: Path, evalset: EvalSet) -> Marks:
    """Read the marks of ``errors.tsv`` that can be placed."""
    found: dict[tuple[str, int], dict[str, list[tuple[int, int]]]]
    found = defaultdict(lambda: defaultdict(list))
    unsure = uncertain(folder)
    for row in rows_of(folder / "errors.tsv"):
        system, line, span = row["system"], int(row["segment"]) - 1, row["span"].strip()
        category = f"{row['category']}/{row.get('subcategory') or ''}".lower()
        if (
            system not in evalset.systems
            or (system, line) in unsure
            or row.get("side", "target") != "target"
            or any(name in category for name in _IGNORED)
            or len(span.split()) > LONGEST
            or not any(map(str.isalnum, span))
        ):
            continue
        text = evalset.systems[system][line]
        if text.count(span) == 1:
            start = text.index(span)
            found[system, line][row["rater"]].append((start, start + len(span)))
    return found


def support(marks: Marks, system: str, line: int, start: int, end: int) -> int:
    """Return how many experts marked something that overlaps these characters."""
    spans = marks.get((system, line), {}).values()
    return sum(any(a < end and b > start for a, b in own) for own in spans)


def class_words(kind: str, evalset: EvalSet) -> Iterator[tuple[str, int, int, int]]:
    """Yield all words of a kind's class: pronouns, or repeated content words."""
    for system, lines in evalset.systems.items():
        if kind != TERMS:
            for n, line in enumerate(lines):
                for word in pronouns_of(line):
                    yield system, n, word.start, word.end
            continue
        for document in evalset.documents:
            for n, start, end in _recurring(lines[document.rows]):
                yield system, document.start + n, start, end


def _recurring(lines: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    key = content_words("en").key
    found = [
        (key(m.group()), n, m.start(), m.end())
        for n, line in enumerate(lines)
        for m in re.finditer(r"\w+(?:['’-]\w+)*", line)
        if len(m.group()) > 2
    ]
    where: dict[str, set[int]] = defaultdict(set)
    for own, n, _, _ in found:
        where[own].add(n)
    yield from (place for own, *place in found if own and len(where[own]) > 1)  # type: ignore[misc]
