"""Evidence of suspects, kept on disk: networks read each suspect once, however often we count.

What is kept is kept by the judge's version and by what was gathered, so that evidence of two judges
is never mixed; an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import csv
import hashlib
import json
import random
import sys
from collections.abc import Callable, Collection, Container, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from _common import judged_set, shared_folder

import albeit
from albeit.data import EvalSet
from albeit.diagnose.candidates import Candidate
from albeit.diagnose.evidence import NETWORKS, Pieces, by_rules, gather, network
from albeit.diagnose.flags import KINDS, candidates, model_of

__all__ = ["Collected", "Place", "collect", "only", "place_of", "read_sets", "rows_of"]

BLOCK = 64
ASKED = frozenset().union(*NETWORKS.values())
"""Pieces that a network is asked for."""
Key = tuple[str, str, int, int, str, int]
Place = tuple[str, str, int, int]
"""Kind, system, line (from 0), first character."""


@dataclass(frozen=True)
class Collected:
    """Suspects with their evidence, the places of all that were found, and in how many words."""

    suspects: Sequence[Candidate]
    evidence: Sequence[Pieces]
    found: Set[Place]
    words: int


Weighed = Callable[[str], Collection[str]]


def weighed_by(kind: str) -> Collection[str]:
    """The pieces that count for a kind."""
    return model_of(kind).weights


def collect(
    evalset: EvalSet,
    work: Path,
    name: str,
    *,
    systems: Sequence[str] | None = None,
    kinds: Sequence[str] = KINDS,
    limit: int | None = None,
    wanted: Container[Place] | None = None,
    weighed: Weighed = weighed_by,
) -> Collected:
    """The suspects of some systems (the others are company) with the evidence that is weighed.

    :param work: the folder that evidence is kept under
    :param name: the set's name, for the file and for progress
    :param limit: how many of each kind are read by networks, drawn at random
    :param weighed: the pieces that networks are asked for, by kind; by default what models weigh
    :param wanted: the places of those that are asked for; by default all
    """
    chosen = list(systems or evalset.systems)
    few = _with(evalset, {each: evalset.systems[each] for each in chosen})
    found = [one for one in candidates(few, kinds) if wanted is None or place_of(one) in wanted]
    drawn = list(found)
    if limit is not None:
        random.Random(5).shuffle(drawn)
        drawn = [one for kind in kinds for one in [s for s in drawn if s.kind == kind][:limit]]
    drawn.sort(key=lambda one: (one.line, one.system, one.kind, one.start))
    held = _read(drawn, evalset, work, name, weighed)
    evidence = [
        {**rules, **held[_key(one)]}
        for one, rules in zip(drawn, by_rules(drawn, evalset), strict=True)
    ]
    words = sum(len(line.split()) for each in chosen for line in evalset.systems[each])
    return Collected(drawn, evidence, set(map(place_of, found)), words)


def _path(work: Path, name: str, weighed: Weighed) -> Path:
    asked = {kind: sorted({*weighed(kind)} & ASKED) for kind in KINDS}
    digest = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:8]
    return work / "flags" / f"{network().version}-{digest}" / f"{name}.jsonl"


def _read(
    drawn: Sequence[Candidate], evalset: EvalSet, work: Path, name: str, weighed: Weighed
) -> Mapping[Key, Pieces]:
    """What networks say of suspects: read from the file, else gathered and written there."""
    path = _path(work, name, weighed)
    known = _kept(path)
    new = [one for one in drawn if _key(one) not in known]
    path.parent.mkdir(parents=True, exist_ok=True)
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


def _kept(path: Path) -> dict[Key, Pieces]:
    if not path.exists():
        return {}
    found: dict[Key, Pieces] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        kind, system, at, start, suggestion, reference = (row[name] for name in _FIELDS)
        found[kind, system, at, start, suggestion, reference] = row["pieces"]
    return found


_FIELDS = ("kind", "system", "line", "start", "suggestion", "reference")


def _key(one: Candidate) -> Key:
    return one.kind, one.system, one.line, one.start, one.suggestion, one.reference


def _with(evalset: EvalSet, systems: Mapping[str, Sequence[str]]) -> EvalSet:
    return EvalSet(
        evalset.references,
        {name: tuple(lines) for name, lines in systems.items()},
        evalset.source,
        evalset.documents,
        evalset.source_lang,
        evalset.target_lang,
        evalset.name,
    )


def place_of(one: Candidate) -> Place:
    """Where a suspect stands."""
    return one.kind, one.system, one.line, one.start


def read_sets(data: Path) -> dict[str, EvalSet]:
    """The sets whose suspects are read one by one."""
    return {
        "newstest20": albeit.read_judged(
            shared_folder(data, "judgments/newstest20-mqm/zh-en")
        ).evalset,
        "wmt13": judged_set(data, "wmt13", "de-en").evalset,
        "wmt23": albeit.read_judged(shared_folder(data, "discourse/wmt23-mqm/zh-en")).evalset,
    }


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a file of tab-separated values, by the names of its first line."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def only(evalset: EvalSet, keep: Callable[[str], bool]) -> EvalSet:
    """A set with blank translations outside of some documents, so that lines keep their numbers."""
    kept = [keep(name) for name in evalset.document_ids()]
    systems = {
        name: tuple(line if k else "" for line, k in zip(lines, kept, strict=True))
        for name, lines in evalset.systems.items()
    }
    return _with(evalset, systems)
