"""Make lexicons: check a file, count its translations in a bitext, and propose translations.

A proposal is a form that is aligned to a connective, with the words that always occur with it.
Proposals are ranked by association and grouped by sense. The sense of a form follows from all
connectives that it translates: ``puisque`` translates ``since`` (time or cause) and ``because``
(cause), so it is a causal ``since``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from albeit.errors import InputError
from albeit.metrics import connectives as lexicons
from albeit.metrics.connectives import Detector, Finder, Form, Inventory, Lexicon, Words, cut
from albeit.metrics.connectives.load import items, read_lexicon, read_rows, text_of
from albeit.parsing.alignment import Aligner, Link

_ENOUGH_EXPECTED = 1.0
_ENOUGH_EXCESS = 5.0
_LONGEST = 4
_LEAST_ASSOCIATION = 10.83
"""The 0.1% point of chi-square with one degree of freedom."""
_STICKS = 0.5
"""A neighbor belongs to the form if it has this share of the aligned examples."""


class Finding(NamedTuple):
    """An ``error`` or ``warning`` in a line of a lexicon."""

    line: int
    level: str
    message: str

    def __str__(self) -> str:
        return f"{self.line}: {self.level}: {self.message}"


def check(path: str | Path, inventory: Inventory) -> list[Finding]:
    """Return all findings of a lexicon file, in order of lines.

    Errors: an unknown sense, a form twice under one connective and sense, a form that is
    empty or pure punctuation and so never matches, a connective that the inventory doesn't
    list. A warning: a sense that the inventory doesn't list for the connective.
    """
    header, rows = read_rows(text_of(path), str(path))
    language = header.get("target", "")
    findings: list[Finding] = []
    if not language or "source" not in header:
        message = "the header '#: source=… target=… version=…' is missing"
        findings.append(Finding(1, "error", message))
    seen: dict[tuple[str, str, Form], int] = {}
    for line, cells in rows:
        if cells[0] == "!":
            _check_forms(cells[-1], language, line, findings)
            continue
        if len(cells) != 3:
            findings.append(Finding(line, "error", "the line must have 3 columns"))
            continue
        findings += _check_names(line, cells[0], cells[1], inventory)
        for item, form in _check_forms(cells[2], language, line, findings).items():
            key = (cells[0], cells[1].casefold(), form)
            if key in seen:
                message = f"{item!r} is already on line {seen[key]}"
                findings.append(Finding(line, "error", message))
            seen[key] = line
    return sorted(findings, key=lambda finding: finding.line)


def _check_forms(cell: str, language: str, line: int, findings: list[Finding]) -> dict[str, Form]:
    """Return the forms of a cell; report those that can't match."""
    forms: dict[str, Form] = {}
    for raw in cell.split("|"):
        item = next(items(raw))[0]
        try:
            form = Form.parse(item, language)
        except InputError:
            findings.append(Finding(line, "error", f"{raw.strip()!r} is not a form"))
            continue
        if not any(character.isalnum() for character in str(form)):
            findings.append(Finding(line, "error", f"{item!r} has no word and cannot match"))
        elif any(cut(" ".join(part), language).forms != part for part in form.parts):
            findings.append(Finding(line, "error", f"{item!r} is cut in two ways, cannot match"))
        if item in forms or form in forms.values():
            findings.append(Finding(line, "error", f"{item!r} is listed twice on this line"))
        forms[item] = form
    return forms


def _check_names(line: int, source: str, sense: str, inventory: Inventory) -> list[Finding]:
    try:
        known = lexicons.parse_sense(sense)
    except InputError as error:
        return [Finding(line, "error", error.what)]
    if source not in inventory.connectives:
        return [Finding(line, "error", f"{source!r} is not in the list of connectives")]
    if known not in inventory.connectives[source].senses:
        return [Finding(line, "warning", f"{source!r} does not have the sense {known} there")]
    return []


class Evidence(NamedTuple):
    """How often a connective and a form are in one sentence pair, and how often by chance."""

    together: int
    expected: float

    @property
    def against(self) -> bool:
        """Whether the form is unlikely to be a translation of the connective.

        It is if chance alone would bring the two together at least once, and they aren't
        together at least five times more than that. There is no evidence about rarer forms.
        """
        return self.expected >= _ENOUGH_EXPECTED and self.together - self.expected < _ENOUGH_EXCESS

    def __str__(self) -> str:
        return f"{self.together}?" if self.against else str(self.together)


def gather(
    lexicon: Lexicon, inventory: Inventory, pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, Form], Evidence]:
    """Return the evidence of sentence pairs for every translation of the lexicon in them."""
    detector = Detector(inventory)
    every = dict.fromkeys(t.form for _, t in lexicon)
    whole = Finder([form for form in every if len(form.parts) == 1], lexicon.blocked)
    parted = [(form, Finder([form])) for form in every if len(form.parts) > 1]
    wanted = {name: {t.form for t in listed} for name, listed in lexicon.entries.items()}
    together: Counter[tuple[str, Form]] = Counter()
    lines: Counter[str] = Counter()
    forms: Counter[Form] = Counter()
    total = 0
    for source, target in pairs:
        total += 1
        words = cut(target, lexicon.target_lang)
        there = set(words.forms)
        found = {hit.form for hit in whole(words)} | {
            form
            for form, finder in parted
            if all(there.issuperset(part) for part in form.parts) and finder(words)
        }
        forms.update(found)
        for name in {c.name for c in detector(cut(source, lexicon.source_lang))}:
            lines[name] += 1
            together.update((name, form) for form in found & wanted.get(name, set()))
    return {
        (name, form): Evidence(together[name, form], lines[name] * forms[form] / total)
        for name, listed in wanted.items()
        for form in listed
        if forms[form]
    }


def annotate_counts(path: str | Path, evidence: Mapping[tuple[str, Form], Evidence]) -> str:
    """Return the text of a lexicon file with the counts of this evidence."""
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


@dataclass(frozen=True)
class Proposal:
    """A form proposed as a translation of a connective, with its evidence."""

    connective: str
    form: str
    sense: str
    count: int
    association: float


def association(together: int, first: int, second: int, total: int) -> float:
    """Return Dunning's log-likelihood ratio of two events; 0 if they avoid each other."""
    if together * total <= first * second:
        return 0.0
    from scipy.special import xlogy

    def fit(hits: float, trials: float, share: float) -> float:
        return float(xlogy(hits, share) + xlogy(trials - hits, 1 - share))

    rest, others, overall = second - together, total - first, second / total
    own = fit(together, first, together / first) + fit(rest, others, rest / max(others, 1))
    return 2 * (own - fit(together, first, overall) - fit(rest, others, overall))


def induce(
    inventory: Inventory,
    names: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    languages: tuple[str, str],
    *,
    least: int = 3,
) -> list[Proposal]:
    """Return proposals for these connectives, connective by connective, the strongest first."""
    known = inventory.connectives
    if unknown := [name for name in names if name not in known]:
        what = f"{unknown[0]!r} is not among the connectives of {inventory.language!r}:"
        raise InputError(f"{what} {', '.join(known)}.")
    source = [cut(a, languages[0]) for a, _ in pairs]
    target = [cut(b, languages[1]) for _, b in pairs]
    words = [w.forms for w in source], [w.forms for w in target]
    links = Aligner.fit(*words).align(*words)
    detector = Detector(inventory)
    spans: defaultdict[str, list[_Span]] = defaultdict(list)
    totals: Counter[str] = Counter()
    for line, sentence in enumerate(source):
        for connective in detector(sentence):
            totals[connective.name] += 1
            spans[connective.name] += _aligned(connective.tokens, target[line], links[line])
    seen = {name: Counter(span.form for span in _grow(found)) for name, found in spans.items()}
    frequency = _frequencies({form for forms in seen.values() for form in forms}, target)
    votes = _sense_votes(inventory, seen, totals)
    proposals: list[Proposal] = []
    for name in dict.fromkeys(names):
        senses = known[name].senses
        own: list[Proposal] = []
        for form, count in seen.get(name, Counter()).items():
            strength = association(count, totals[name], max(count, frequency[form]), len(pairs))
            named = senses and any(map(str.isalpha, form))
            if named and count >= least and strength >= _LEAST_ASSOCIATION:
                sense = max(senses, key=votes[form].__getitem__)
                own.append(Proposal(name, form, sense, count, strength))
        proposals += sorted(own, key=lambda p: (-p.association, p.form))
    return proposals


def write_proposals(proposals: Iterable[Proposal], languages: tuple[str, str]) -> str:
    """Return a lexicon file of the proposals, to be edited; counts are aligned examples."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for p in proposals:
        grouped.setdefault((p.connective, p.sense), []).append(f"{p.form} ({p.count})")
    lines = [
        f"#: source={languages[0]} target={languages[1]} version=proposed",
        "# Proposed from a bitext: delete wrong lines, then run 'albeit lexicon check'.",
    ]
    lines += ["\t".join([*key, " | ".join(forms)]) for key, forms in grouped.items()]
    return "\n".join(lines) + "\n"


class _Span(NamedTuple):
    """A run of target words that is aligned to a connective."""

    words: Words
    start: int
    stop: int

    @property
    def form(self) -> str:
        return " ".join(self.words.forms[self.start : self.stop])

    def longer(self) -> Iterator[_Span]:
        """Return the span with the word before it, and with the word after it."""
        if self.stop - self.start < _LONGEST:
            if self.start and self.words.forms[self.start - 1].isalpha():
                yield _Span(self.words, self.start - 1, self.stop)
            if self.stop < len(self.words) and self.words.forms[self.stop].isalpha():
                yield _Span(self.words, self.start, self.stop + 1)


def _aligned(tokens: Sequence[int], target: Words, links: Sequence[Link]) -> Iterator[_Span]:
    """Return the run of target words from the first to the last aligned one, if it is short."""
    aligned = sorted({j for i, j in links if i in tokens})
    if aligned and aligned[-1] - aligned[0] < _LONGEST:
        yield _Span(target, aligned[0], aligned[-1] + 1)


def _grow(spans: list[_Span]) -> list[_Span]:
    """Add the neighbors that a form mostly has: ``bien`` becomes ``bien que``."""
    for _ in range(_LONGEST - 1):
        forms = Counter(span.form for span in spans)
        wider = Counter((span.form, longer.form) for span in spans for longer in span.longer())
        often = ((pair, count) for pair, count in wider.items() if count > 1)
        sticky = {longer for (form, longer), count in often if count >= _STICKS * forms[form]}
        spans = [next((w for w in span.longer() if w.form in sticky), span) for span in spans]
    return spans


def _frequencies(forms: set[str], target: Sequence[Words]) -> Counter[str]:
    """Return the number of lines with each form."""
    by_first: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for form in forms:
        parts = tuple(form.split(" "))
        by_first[parts[0]].append(parts)
    counts: Counter[str] = Counter()
    for words in target:
        line = words.forms
        starts = [(n, parts) for n, word in enumerate(line) for parts in by_first.get(word, ())]
        counts.update({" ".join(p) for n, p in starts if line[n : n + len(p)] == p})
    return counts


def _sense_votes(
    inventory: Inventory, seen: dict[str, Counter[str]], totals: Counter[str]
) -> defaultdict[str, defaultdict[str, float]]:
    """Return the association of each form with each sense, by the connectives it translates.

    A connective with one sense votes for it alone; the vote is the share of the connective's
    occurrences, so that frequent connectives don't outvote the others.
    """
    votes: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for name, forms in seen.items():
        senses = inventory.connectives[name].senses
        for form, count in forms.items():
            for sense in senses:
                votes[form][sense] += count / totals[name] / len(senses) ** 2
    return votes
