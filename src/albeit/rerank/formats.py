"""Read candidates: JSON lines, Moses n-best lists, or one file a candidate; write choices.

JSON lines have one object per segment:

    {"id": "1", "doc_id": "a", "source": "…", "references": ["…"],
     "candidates": ["…", {"text": "…", "score": -1.2, "features": {"lm": -9.1}}]}

Moses lists have ``id ||| text ||| features ||| score`` a line; features are ``name= value …``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from albeit.corpus.build import check_parity, read_named
from albeit.corpus.evalset import EvalSet
from albeit.corpus.textio import read_text, shown, split_lines
from albeit.errors import InputError
from albeit.judged.task import oriented
from albeit.metrics.external import external_columns
from albeit.metrics.table import Column
from albeit.rerank.candidates import Candidate, CandidateList, CandidateSet

__all__ = ["read_candidates", "with_lines", "with_scores"]

SCORE = "score"
"""The feature that a candidate's own score is."""
_KEYS = ("id", "doc_id", "source", "references", "candidates")


def read_candidates(
    paths: Sequence[str | Path], *, lang: str = "en", source_lang: str | None = None
) -> CandidateSet:
    """Candidates from one file of lists, or from several files with one line per segment each."""
    if len(paths) > 1:
        named = read_named(paths, "candidate")
        check_parity(list(named.values()))
        columns = zip(*(lines for _, lines in named.values()), strict=True)
        lists = [
            CandidateList(str(n), tuple(map(Candidate, texts)))
            for n, texts in enumerate(columns, 1)
        ]
        files = tuple(path for path, _ in named.values())
        return CandidateSet(tuple(lists), lang, source_lang, files=files, names=tuple(named))
    lines, path = split_lines(read_text(paths[0])), shown(paths[0])
    if lines[0].lstrip().startswith("{"):
        lists = [_record(line, path, n) for n, line in enumerate(lines, 1)]
    elif "|||" in lines[0]:
        lists = _moses(lines, path)
    else:
        raise InputError(
            "is neither JSON lines nor an n-best list with |||.",
            path=path,
            line=1,
            hint="Give several files where each holds one candidate per line.",
        )
    return CandidateSet(tuple(lists), lang, source_lang, path)


def with_lines(
    candidates: CandidateSet,
    *,
    references: Sequence[str | Path] = (),
    source: str | Path | None = None,
    docs: Sequence[str] | None = None,
) -> CandidateSet:
    """The same candidates with references, source and documents, one line per segment."""
    lists = list(candidates.lists)
    sides = list(read_named(references, "reference").values())
    sides += list(read_named([source], "source").values()) if source else []
    for path, lines in sides:
        if len(lines) != len(lists):
            raise InputError(
                f"has {len(lines)} lines, but there are {len(lists)} segments.", path=path
            )
    count = len(references)
    for i, one in enumerate(lists):
        lists[i] = replace(
            one,
            references=tuple(lines[i] for _, lines in sides[:count]) or one.references,
            source=sides[count][1][i] if source else one.source,
            document=docs[i] if docs is not None else one.document,
        )
    return replace(candidates, lists=tuple(lists))


def with_scores(
    candidates: CandidateSet, paths: Sequence[str | Path], *, lower_is_better: Collection[str] = ()
) -> tuple[CandidateSet, list[Column]]:
    """The same candidates with scores of other tools as features, and these scores.

    Each file of candidates is a system, by whose name its scores are joined. As features they are
    turned so that higher is better.
    """
    if not candidates.names:
        raise InputError(
            "scores of other tools are joined by the names of systems, one file of candidates each;"
            " here the candidates of a segment have no names.",
            path=candidates.path,
            hint="Put scores into the file as features of candidates, and weigh them by --features.",
        )
    texts = zip(*(one.texts for one in candidates.lists), strict=True)
    evalset = EvalSet(
        {},
        dict(zip(candidates.names, texts, strict=True)),
        documents=candidates.documents,
        source_lang=candidates.source_lang,
        target_lang=candidates.target_lang,
    )
    columns = external_columns(evalset, paths, lower_is_better=lower_is_better)
    turned = {column.name: oriented(column, "segment") for column in columns}
    lists = []
    for i, one in enumerate(candidates.lists):
        scored = (
            replace(each, features={name: float(own[n, i]) for name, own in turned.items()})
            for n, each in enumerate(one.candidates)
        )
        lists.append(replace(one, candidates=tuple(scored)))
    return replace(candidates, lists=tuple(lists)), columns


def _record(text: str, path: str, line: int) -> CandidateList:
    def error(what: str, hint: str = "") -> InputError:
        return InputError(what, path=path, line=line, hint=hint)

    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise error(f"is not JSON: {problem}.") from None
    if not isinstance(found, dict) or not isinstance(found.get("candidates"), list):
        raise error("is not an object with a list of 'candidates'.")
    for key in found:
        if key not in _KEYS:
            raise error(f"unknown key {key!r}.", f"Known: {', '.join(_KEYS)}.")

    def string(value: Any, what: str) -> str:
        if not isinstance(value, str) or "\n" in value:
            raise error(f"{what} is not a text of one line.")
        return value

    def optional(key: str) -> str | None:
        return None if found.get(key) is None else string(found[key], repr(key))

    def number(value: Any, what: str) -> float:
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            raise error(f"{what} is not a number.")
        return float(value)

    def candidate(value: Any, n: int) -> Candidate:
        if isinstance(value, str):
            return Candidate(string(value, f"candidate {n}"))
        if not isinstance(value, dict) or not value.keys() <= {"text", "score", "features"}:
            raise error(
                f"candidate {n} is neither a text nor an object with 'text', 'score', 'features'."
            )
        given = value.get("features", {})
        if not isinstance(given, dict):
            raise error(f"'features' of candidate {n} are not an object of names and numbers.")
        features = {str(k): number(v, f"feature {k!r} of candidate {n}") for k, v in given.items()}
        if "score" in value:
            features[SCORE] = number(value["score"], f"'score' of candidate {n}")
        return Candidate(string(value.get("text"), f"candidate {n}"), features)

    references = found.get("references") or []
    if isinstance(references, dict):
        references = list(references.values())
    if not isinstance(references, list):
        raise error("'references' is neither a list nor an object of texts.")
    return CandidateList(
        str(found.get("id", line)),
        tuple(candidate(c, n) for n, c in enumerate(found["candidates"], 1)),
        optional("doc_id"),
        optional("source"),
        tuple(string(r, "a reference") for r in references),
    )


def _moses(lines: Sequence[str], path: str) -> list[CandidateList]:
    lists: dict[str, list[Candidate]] = {}
    last = ""
    for number, line in enumerate(lines, 1):
        parts = [part.strip() for part in line.split("|||")]
        if len(parts) not in (3, 4):
            raise InputError("is not id ||| text ||| features ||| score.", path=path, line=number)
        name, text = parts[0], parts[1]
        if name in lists and name != last:
            raise InputError(
                f"segment {name!r} starts again here.",
                path=path,
                line=number,
                hint="The candidates of a segment must follow each other.",
            )
        try:
            features = _features(parts[2])
            if len(parts) == 4:
                features[SCORE] = float(parts[3])
        except ValueError:
            raise InputError(
                "its features or score are not numbers.", path=path, line=number
            ) from None
        lists.setdefault(name, []).append(Candidate(text, features))
        last = name
    return [CandidateList(name, tuple(found)) for name, found in lists.items()]


def _features(text: str) -> dict[str, float]:
    """``lm= -1 2 tm= 3`` as lm.1, lm.2, tm; numbers without a name as f.1, f.2 …"""
    groups: list[tuple[str, list[float]]] = []
    for word in text.split():
        if word.endswith("="):
            groups.append((word[:-1], []))
        else:
            if not groups:
                groups.append(("f", []))
            groups[-1][1].append(float(word))
    return {
        name if len(values) == 1 else f"{name}.{n}": value
        for name, values in groups
        for n, value in enumerate(values, 1)
    }
