"""Evidence of suspects, kept on disk: the judge reads each mended line once, however often we count."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from albeit.corpus import EvalSet
from albeit.corpus.evalset import Document
from albeit.flags.evidence import Pieces, by_rules, by_the_judge
from albeit.flags.flag import suspects
from albeit.flags.suspect import Suspect

__all__ = ["Collected", "collect", "part"]

BLOCK = 64
JUDGED = ("gain", "mark", "cleared")
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
    path: Path,
    *,
    systems: Sequence[str] | None = None,
    limit: int | None = None,
    read: bool = True,
) -> Collected:
    """The suspects of some systems (the others are company) with all evidence, kept in ``path``.

    :param limit: how many of each kind are read by the judge, drawn at random
    :param read: whether the judge reads what is not kept yet; else it is left out
    """
    chosen = list(systems or evalset.systems)
    few = _with(evalset, {name: evalset.systems[name] for name in chosen})
    every = suspects(few)
    random.Random(5).shuffle(every)
    known = _kept(path)
    counts: Counter[str] = Counter()
    wanted = []
    for one in every:
        if (limit is None or counts[one.kind] < limit) and (read or _key(one) in known):
            counts[one.kind] += 1
            wanted.append(one)
    new = [one for one in wanted if _key(one) not in known]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for start in range(0, len(new), BLOCK):
            block = new[start : start + BLOCK]
            for one, pieces in zip(block, by_the_judge(block, evalset), strict=True):
                known[_key(one)] = dict(pieces)
                file.write(json.dumps({**asdict(one), "mended": "", **pieces}) + "\n")
            file.flush()
    evidence = [
        {**rules, **known[_key(one)]}
        for one, rules in zip(wanted, by_rules(wanted, evalset), strict=True)
    ]
    words = sum(len(line.split()) for name in chosen for line in evalset.systems[name])
    return Collected(wanted, evidence, Counter(one.kind for one in every), words)


def _kept(path: Path) -> dict[Key, Pieces]:
    if not path.exists():
        return {}
    found: dict[Key, Pieces] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        key = tuple(row[name] for name in _FIELDS)
        found[key] = {name: row[name] for name in JUDGED}
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
