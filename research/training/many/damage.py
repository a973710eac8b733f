"""Made-up damage in any language: what needs no knowledge of it, and texts in languages nobody judged.

Words are dropped, moved, exchanged for others of the same language, misspelt; texts are cut off, repeated,
left in English. What needs words of English (negations, connectives, pronouns) stays with
`training.judge.damage`. Scripts without spaces are damaged two characters at a time. Sets into English are
turned round: their source texts, in eleven languages, are references, and the English reference is the
source. There are no judgments of translations into Czech, Japanese, Finnish or Turkish, but a judge should
have read these languages before it scores them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from training.judge.damage import Damager
from training.judge.groups import Breaker, Group
from training.judge.segments import Segment

KINDS = (
    "dropped",
    "several dropped",
    "doubled",
    "swapped",
    "moved",
    "name",
    "number",
    "other word",
    "word put in",
    "misspelt",
    "shuffled",
    "truncated",
    "half lost",
    "repeated",
    "remark",
    "markdown",
    "lower case",
    "clause lost",
)
"""What makes sense in any language."""
UNSPACED = frozenset({"ja", "zh"})
TOGETHER = 2
"""Characters of such a language that count as a word."""
AGAIN = "made-"
"""Before the name of a set that made-up damage was taken from."""


class Chunked(Damager):
    """Damages text without spaces: its words are a few characters each."""

    def __call__(self, text: str, kind: str) -> tuple[str, list[tuple[int, int]]] | None:
        """The damaged text; where it is wrong is not said."""
        plain = text.replace(" ", "")
        words = [plain[k : k + TOGETHER] for k in range(0, len(plain), TOGETHER)]
        found = super().__call__(" ".join(words), kind)
        return None if found is None else (found[0].replace(" ", ""), [])


class Everywhere(Breaker):
    """Makes groups of made-up damage in one target language."""

    def __init__(self, segments: Sequence[Segment], rng: random.Random, language: str) -> None:
        super().__init__(segments, rng)
        self.unspaced = language in UNSPACED
        if self.unspaced:
            chunks = [
                text[k : k + TOGETHER]
                for text in self.references
                for k in range(0, len(text) - TOGETHER, 7 * TOGETHER)
            ]
            self.damager = Chunked(rng, [], sorted({c for c in chunks if c.isalpha()}))
        known = self.damager.kinds
        self.damager.kinds = {kind: known[kind] for kind in KINDS}

    def nothing(self, segment: Segment, reference: str) -> tuple[str, str]:
        """No translation. In a script without spaces one word again and again cannot be told from the
        sentence said twice."""
        kind, text = super().nothing(segment, reference)
        return ("source", segment.source) if kind == "again" and self.unspaced else (kind, text)


def turned(segment: Segment) -> Segment:
    """A segment into English the other way round, without translations."""
    name, text = next(iter(segment.references.items()))
    made = f"{AGAIN}{segment.data}"
    return Segment(made, segment.key, segment.document, text, {name: segment.source}, {})


def broken(
    segments: Sequence[tuple[str, Segment]], seed: int = 18
) -> Iterator[tuple[str, str, Group]]:
    """(target language, source, group) of made-up damage, for segments with their language pairs."""
    by_language: dict[str, list[Segment]] = {}
    for pair, segment in segments:
        source, target = pair.split("-")
        if target == "en":
            segment, target = turned(segment), source
        if segment.references and re.search(r"\w{2}", segment.source):
            by_language.setdefault(target, []).append(segment)
    for language, own in sorted(by_language.items()):
        rng = random.Random(f"{seed}{language}")
        breaker = Everywhere(own, rng, language)
        seen: set[str] = set()
        for segment in own:
            for name, text in segment.references.items():
                if text.strip() and text not in seen:
                    seen.add(text)
                    yield language, segment.source, breaker(segment, name)
