"""Several translations of each segment, of which one is to be chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from albeit.arrays import FloatArray
from albeit.corpus.evalset import Document, documents_from_ids
from albeit.corpus.textio import counted, warn
from albeit.errors import InputError

__all__ = ["Candidate", "CandidateList", "CandidateSet", "sources_of"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One translation; ``features`` are a model's scores of it by name (``score``: its own)."""

    text: str
    features: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CandidateList:
    """The candidates of one segment."""

    id: str
    candidates: tuple[Candidate, ...]
    document: str | None = None
    source: str | None = None
    references: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def texts(self) -> tuple[str, ...]:
        """The candidates' texts."""
        return tuple(candidate.text for candidate in self.candidates)


def sources_of(lists: Sequence[CandidateList]) -> list[str] | None:
    """The source of every candidate, where it is known."""
    if lists[0].source is None:
        return None
    return [one.source or "" for one in lists for _ in one.texts]


@dataclass(frozen=True)
class CandidateSet:
    """The candidates of all segments of a text; ids differ, and no list is empty.

    Source, document and references are known for all segments or for none. Where candidates
    came from one file each, ``files`` has these and ``names`` what they are called, both in the
    candidates' order.
    """

    lists: tuple[CandidateList, ...]
    target_lang: str = "en"
    source_lang: str | None = None
    path: str | None = None
    files: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.lists:
            raise InputError("holds no candidates.", path=self.path)
        seen: set[str] = set()
        first = self.lists[0]
        for one in self.lists:
            if one.id in seen:
                raise InputError(
                    f"segment {one.id!r} is there twice.", path=self.path, hint="Ids must differ."
                )
            seen.add(one.id)
            if not one.candidates:
                raise InputError(f"segment {one.id!r} has no candidate.", path=self.path)
            for what in ("document", "source"):
                if (getattr(one, what) is None) != (getattr(first, what) is None):
                    raise InputError(
                        f"segment {one.id!r} and segment {first.id!r}: only one has a {what}.",
                        path=self.path,
                    )
            if len(one.references) != len(first.references):
                raise InputError(
                    f"segment {one.id!r} has {counted(len(one.references), 'reference')}, but"
                    f" segment {first.id!r} {len(first.references)}.",
                    path=self.path,
                )

    def __len__(self) -> int:
        return len(self.lists)

    def tell(self) -> None:
        """Warn of lists with nothing to choose from, and of empty candidates; whoever chooses does."""
        alone = sum(len(set(one.texts)) == 1 for one in self.lists)
        if alone:
            warn(
                f"{counted(alone, 'segment')} of {len(self)} with only one candidate to choose"
                " from.",
                path=self.path,
                count=alone,
            )
        empty = sum(not text.strip() for one in self.lists for text in one.texts)
        if empty:
            warn(
                f"{counted(empty, 'empty candidate')}; they take part as empty translations.",
                path=self.path,
                count=empty,
            )

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents that the segments make, one where nothing is said of them."""
        ids = [one.document or "all" for one in self.lists]
        return documents_from_ids(ids, place=lambda row: (self.path or "candidates", row + 1))

    def features(self) -> tuple[str, ...]:
        """The names of the features, which all candidates must have."""
        names = tuple(self.lists[0].candidates[0].features)
        for one in self.lists:
            for n, candidate in enumerate(one.candidates, 1):
                if set(candidate.features) != set(names):
                    raise InputError(
                        f"candidate {n} of segment {one.id!r} has the features"
                        f" {', '.join(candidate.features) or 'none'}, but the first candidate has"
                        f" {', '.join(names) or 'none'}.",
                        path=self.path,
                        hint="All candidates need the same.",
                    )
        return names

    def by_segment(self, values: FloatArray) -> list[FloatArray]:
        """Values of all candidates, one after the other, as those of each segment."""
        return np.split(values, np.cumsum([len(one) for one in self.lists])[:-1])

    def by_document(self) -> Iterator[tuple[str, Sequence[CandidateList]]]:
        """The lists of each document."""
        for name, lists in groupby(self.lists, key=lambda one: one.document or "all"):
            yield name, tuple(lists)
