"""Evidence of suspects, kept on disk: networks read each suspect once, however often we count.

What is kept is kept by the judge's version and by what was gathered, so that evidence of two judges
is never mixed; an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from albeit.corpus import EvalSet
from albeit.corpus.evalset import Document
from albeit.engine import Evaluation
from albeit.flags.antecedents import by_coreference
from albeit.flags.evidence import GATHERERS, Pieces, by_rules, gather
from albeit.flags.flag import KINDS, suspects
from albeit.flags.mending import network
from albeit.flags.suspect import Suspect

__all__ = ["Collected", "collect", "part"]

BLOCK = 64
NETWORKS = tuple(gatherer for gatherer in GATHERERS if gatherer is not by_rules)
Key = tuple[str, str, int, int, str, int]


@dataclass(frozen=True)
class Collected:
    """Suspects with their evidence; of how many that were found, in how many words."""

    suspects: Sequence[Suspect]
    evidence: Sequence[Pieces]
    found: Mapping[str, int]
    words: int

    def share(self, kind: str) -> float:
        """Which part of the suspects of a kind has evidence."""
        held = sum(one.kind == kind for one in self.suspects)
        return held / self.found[kind] if self.found.get(kind) else 1.0


def collect(
    evalset: EvalSet,
    work: Path,
    name: str,
    *,
    systems: Sequence[str] | None = None,
    kinds: Sequence[str] = KINDS,
    limit: int | None = None,
    wanted: Callable[[Suspect], bool] = lambda one: True,
) -> Collected:
    """The suspects of some systems (the others are company) with all evidence.

    :param work: the folder that evidence is kept under
    :param name: the set's name, for the file and for progress
    :param limit: how many of each kind are read by networks, drawn at random
    :param wanted: which ones are asked for
    """
    chosen = list(systems or evalset.systems)
    few = _with(evalset, {each: evalset.systems[each] for each in chosen})
    every = [one for one in suspects(few, kinds) if wanted(one)]
    drawn = list(every)
    if limit is not None:
        random.Random(5).shuffle(drawn)
        drawn = [one for kind in kinds for one in [s for s in drawn if s.kind == kind][:limit]]
    drawn.sort(key=lambda one: (one.line, one.system, one.kind, one.start))
    held = _read(drawn, evalset, _path(work, name), name)
    evidence = [
        {**rules, **held[_key(one)]}
        for one, rules in zip(drawn, by_rules(drawn, evalset), strict=True)
    ]
    words = sum(len(line.split()) for each in chosen for line in evalset.systems[each])
    return Collected(drawn, evidence, Counter(one.kind for one in every), words)


def _path(work: Path, name: str) -> Path:
    gathered = "-".join(gatherer.__name__ for gatherer in NETWORKS)
    return work / "flags" / f"{network().version}-{gathered}" / f"{name}.jsonl"


def _read(
    drawn: Sequence[Suspect], evalset: EvalSet, path: Path, name: str
) -> Mapping[Key, Pieces]:
    """What networks say of suspects: read from the file, else gathered and written there."""
    known = _kept(path)
    new = [one for one in drawn if _key(one) not in known]
    path.parent.mkdir(parents=True, exist_ok=True)
    gatherers = (*NETWORKS, by_coreference(Evaluation(evalset)))
    with path.open("a", encoding="utf-8") as file:
        for start in range(0, len(new), BLOCK):
            block = new[start : start + BLOCK]
            for one, pieces in zip(block, gather(block, evalset, gatherers), strict=True):
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


def _key(one: Suspect) -> Key:
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


def part(evalset: EvalSet, documents: Sequence[Document]) -> EvalSet:
    """Some documents of a set, all systems."""
    rows = [row for document in documents for row in range(document.start, document.stop)]
    bounds: list[Document] = []
    for document in documents:
        begins = bounds[-1].stop if bounds else 0
        bounds.append(Document(document.id, begins, begins + len(document)))
    source = evalset.source
    return EvalSet(
        {name: tuple(lines[r] for r in rows) for name, lines in evalset.references.items()},
        {name: tuple(lines[r] for r in rows) for name, lines in evalset.systems.items()},
        None if source is None else tuple(source[r] for r in rows),
        tuple(bounds),
        evalset.source_lang,
        evalset.target_lang,
        evalset.name,
    )
