"""What a user supplies: analyses from files, as an annotator of the very texts that they are of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cached_property

from albeit.annotate.annotator import Annotator
from albeit.annotate.layer import Analysis, AnyLayer
from albeit.annotate.layers import TOKENS, blank, closure
from albeit.errors import InputError

__all__ = ["Brought", "wordy"]


def wordy(analysis: Analysis) -> bool:
    """Whether an analysis has words at all."""
    return bool(analysis.get(TOKENS))


class Brought(Annotator):
    """Analyses by text, in any language; what is empty in any language needs none."""

    name = "given"
    cached = False

    def __init__(self, given: Mapping[str, Analysis]) -> None:
        self.given = given

    def reads(self, text: str) -> bool:
        """Whether this text's analysis was supplied, or is plain without one."""
        return text in self.given or not text.strip()

    def check(self, texts: Iterable[str], layers: frozenset[AnyLayer]) -> None:
        """Raise if what was supplied for one of these texts lacks a layer."""
        for text in texts:
            analysis = self.given.get(text)
            if analysis is None or not wordy(analysis):
                continue
            missing = [
                each for each in closure(layers) if not each.derived and each not in analysis
            ]
            if missing:
                names = ", ".join(map(str, sorted(missing)))
                raise InputError(
                    f"the annotations supplied for {text[:40]!r} have no {names}.",
                    hint="Bring annotations with all layers that the metrics need.",
                )

    def analyses(self, texts: Iterable[str]) -> dict[str, Analysis]:
        """The analyses of the texts that were supplied, as they came."""
        known = (text for text in texts if self.reads(text))
        return {text: self._one(text) for text in known}

    def _one(self, text: str) -> Analysis:
        analysis = self.given.get(text)
        return analysis if analysis is not None and wordy(analysis) else blank(text)

    @cached_property
    def version(self) -> str:  # type: ignore[override]
        """A checksum."""
        return self.checksum(self.given)

    def checksum(self, texts: Iterable[str]) -> str:
        """Of the analyses of some texts."""
        from albeit.annotate.formats.jsonl import to_object

        digest = hashlib.sha256()
        for text in sorted(text for text in set(texts) if text in self.given):
            digest.update(json.dumps(to_object(self.given[text]), sort_keys=True).encode())
        return digest.hexdigest()[:8]
