"""What a bitext says of a lexicon: how often each translation stands beside its connective."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from albeit.metrics.connectives.lexicons.find import Detector, Finder
from albeit.metrics.connectives.lexicons.lexicon import Form, Inventory, Lexicon
from albeit.metrics.connectives.lexicons.load import items, read_lexicon, text_of
from albeit.metrics.connectives.lexicons.words import Words, cut

__all__ = ["Evidence", "annotate_counts", "gather"]

_ENOUGH_EXPECTED = 1.0
_ENOUGH_EXCESS = 5.0


@dataclass(frozen=True)
class Evidence:
    """How often a connective and a form share a sentence pair, and how often by chance."""

    together: int
    expected: float

    @property
    def against(self) -> bool:
        """Whether the bitext speaks against the form as a translation of the connective.

        It does where chance alone would bring the two together at least once, and they do
        not come together at least five times more than that. Rarer forms it says nothing of.
        """
        return self.expected >= _ENOUGH_EXPECTED and self.together - self.expected < _ENOUGH_EXCESS

    def __str__(self) -> str:
        return f"{self.together}?" if self.against else str(self.together)


def gather(
    lexicon: Lexicon, inventory: Inventory, pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, Form], Evidence]:
    """The evidence of sentence pairs for every translation of the lexicon they show."""
    detector = Detector(inventory)
    present = _Presence(lexicon)
    wanted = {
        name: frozenset(t.form for t in translations)
        for name, translations in lexicon.entries.items()
    }
    together: Counter[tuple[str, Form]] = Counter()
    lines: Counter[str] = Counter()
    forms: Counter[Form] = Counter()
    total = 0
    for source, target in pairs:
        total += 1
        found = present(cut(target, lexicon.target_lang))
        forms.update(found)
        for name in {c.name for c in detector(cut(source, lexicon.source_lang))}:
            lines[name] += 1
            together.update((name, form) for form in found & wanted.get(name, frozenset()))
    return {
        (name, form): Evidence(together[name, form], lines[name] * forms[form] / total)
        for name, listed in wanted.items()
        for form in listed
        if forms[form]
    }


class _Presence:
    """Which forms of a lexicon a text holds; inside a longer form a shorter one is not there."""

    def __init__(self, lexicon: Lexicon) -> None:
        every = dict.fromkeys(t.form for _, t in lexicon)
        whole = [form for form in every if len(form.parts) == 1]
        self._whole = Finder(whole, lexicon.blocked)
        self._parted = [(form, Finder([form])) for form in every if len(form.parts) > 1]

    def __call__(self, words: Words) -> frozenset[Form]:
        there = set(words.forms)
        return frozenset(hit.form for hit in self._whole(words)) | frozenset(
            form
            for form, finder in self._parted
            if all(word in there for part in form.parts for word in part) and finder(words)
        )


def annotate_counts(path: str | Path, evidence: Mapping[tuple[str, Form], Evidence]) -> str:
    """The text of a lexicon file with the numbers of this evidence; all else as it was."""
    lexicon = read_lexicon(path)
    lines: list[str] = []
    for line in text_of(path).splitlines():
        cells = line.split("\t")
        if line.startswith("#") or len(cells) != 3 or cells[0] == "!":
            lines.append(line)
            continue
        shown: list[str] = []
        for text, _, _ in items(cells[2]):
            seen = evidence.get((cells[0], Form.parse(text, lexicon.target_lang)))
            known = seen is not None and (seen.together or seen.against)
            shown.append(f"{text} ({seen})" if known else text)
        lines.append("\t".join([cells[0], cells[1], " | ".join(shown)]))
    return "\n".join(lines) + "\n"
