"""Several translations of each segment, and the files that hold them.

JSON lines have one object per segment:

    {"id": "1", "source": "…", "references": ["…"], "candidates": ["…", {"text": "…"}]}

Moses n-best lists have one candidate per line: ``id ||| text ||| features ||| score``. Only the id
and the text are used. Several text files have one candidate per segment each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from albeit.data.build import build_evalset, named_path
from albeit.data.files import shown
from albeit.data.textio import counted, parse_number, read_text, split_lines, warn
from albeit.errors import InputError

__all__ = ["CandidateList", "CandidateSet", "read_candidates"]

_KEYS = ("id", "doc_id", "source", "references", "candidates")


@dataclass(frozen=True, slots=True)
class CandidateList:
    """The translations of one segment, with its source and references if they are known."""

    id: str
    texts: tuple[str, ...]
    source: str | None = None
    references: tuple[str, ...] = ()


@dataclass(frozen=True)
class CandidateSet:
    """The candidates of all segments.

    All segments have a source, or none; all have the same number of references. ``files`` maps
    systems to their files, if each candidate is a line of one.
    """

    lists: tuple[CandidateList, ...]
    target_lang: str = "en"
    source_lang: str | None = None
    path: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.lists:
            raise InputError("holds no candidates.", path=self.path)
        seen: set[str] = set()
        first = self.lists[0]
        for one in self.lists:
            what = ""
            if one.id in seen:
                what = "is there twice; ids must differ"
            elif not one.texts:
                what = "has no candidate"
            elif (one.source is None) != (first.source is None):
                what = f"and segment {first.id!r}: only one has a source"
            elif (own := len(one.references)) != (other := len(first.references)):
                what = f"has {counted(own, 'reference')}, but segment {first.id!r} {other}"
            if what:
                raise InputError(f"segment {one.id!r} {what}.", path=self.path)
            seen.add(one.id)

    def warn_about_lists(self) -> None:
        """Warn about segments with nothing to choose from, and about empty candidates."""
        single = sum(len(set(one.texts)) == 1 for one in self.lists)
        if single:
            of = f"{counted(single, 'segment')} of {len(self.lists)}"
            warn(f"{of} with only one candidate to choose from.", path=self.path, count=single)
        empty = sum(not text.strip() for one in self.lists for text in one.texts)
        if empty:
            what = f"{counted(empty, 'empty candidate')}; they take part as empty translations."
            warn(what, path=self.path, count=empty)


def read_candidates(
    paths: Sequence[str],
    *,
    lang: str = "en",
    source_lang: str | None = None,
    references: Sequence[str] = (),
    source: str | None = None,
) -> CandidateSet:
    """Read candidates from one file of lists, or from several with one line per segment each.

    :param paths: JSON lines, a Moses n-best list, or several text files: ``[NAME=]FILE``
    :param lang: the target language
    :param source_lang: the source language
    :param references: files of references, with one line per segment
    :param source: a file with the source text, with one line per segment
    """
    texts = build_evalset(references, (), source=source) if references or source else None
    if len(paths) > 1:
        systems = build_evalset((), paths).systems
        rows = zip(*systems.values(), strict=True)
        lists = [CandidateList(str(n), row) for n, row in enumerate(rows, 1)]
        files = dict(zip(systems, (shown(named_path(p)[1]) for p in paths), strict=True))
        candidates = CandidateSet(tuple(lists), lang, source_lang, files=files)
    else:
        path, lines = shown(paths[0]), split_lines(read_text(paths[0]))
        if "|||" in lines[0] and not lines[0].lstrip().startswith("{"):
            lists = _parse_moses(lines, path)
        else:
            lists = [_parse_json(line, path, n) for n, line in enumerate(lines, 1)]
        candidates = CandidateSet(tuple(lists), lang, source_lang, path)
    if texts and len(texts) != len(lists):
        what = f"has {len(texts)} lines, but there are {len(lists)} segments."
        raise InputError(what, path=source or references[0])
    if texts and texts.references:
        given = zip(*texts.references.values(), strict=True)
        lists = [replace(one, references=own) for one, own in zip(lists, given, strict=True)]
    if texts and texts.source:
        lists = [replace(one, source=own) for one, own in zip(lists, texts.source, strict=True)]
    return replace(candidates, lists=tuple(lists))


def _parse_json(text: str, path: str, line: int) -> CandidateList:
    def error(what: str, hint: str = "") -> InputError:
        return InputError(what, path=path, line=line, hint=hint)

    def one_line(value: object, what: str) -> str:
        if not isinstance(value, str) or "\n" in value:
            raise error(f"{what} is not a text of one line.")
        return value

    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        hint = "Text files with one candidate per line: give at least two." if line == 1 else ""
        raise error(f"is not JSON: {problem}.", hint) from None
    if not isinstance(found, dict) or not isinstance(found.get("candidates"), list):
        raise error("is not an object with a list of 'candidates'.")
    for key in found:
        if key not in _KEYS:
            raise error(f"unknown key {key!r}.", f"Known: {', '.join(_KEYS)}.")
    references = found.get("references") or []
    references = list(references.values()) if isinstance(references, dict) else references
    if not isinstance(references, list):
        raise error("'references' is neither a list nor an object of texts.")
    texts = (each.get("text") if isinstance(each, dict) else each for each in found["candidates"])
    return CandidateList(
        str(found.get("id", line)),
        tuple(one_line(each, f"candidate {n}") for n, each in enumerate(texts, 1)),
        None if found.get("source") is None else one_line(found["source"], "'source'"),
        tuple(one_line(each, "a reference") for each in references),
    )


def _parse_moses(lines: Sequence[str], path: str) -> list[CandidateList]:
    lists: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 1):
        parts = [part.strip() for part in line.split("|||")]
        if len(parts) not in (3, 4):
            raise InputError("is not id ||| text ||| features ||| score.", path=path, line=number)
        if parts[0] in lists and parts[0] != next(reversed(lists)):
            raise InputError(f"segment {parts[0]!r} starts again here.", path=path, line=number)
        for word in " ".join(parts[2:]).split():
            _ = word.endswith("=") or parse_number(word, path, number)
        lists.setdefault(parts[0], []).append(parts[1])
    return [CandidateList(name, tuple(texts)) for name, texts in lists.items()]
