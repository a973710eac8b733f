"""Do the pronoun metrics tell? Parts of `beyond_sentence.py`.

`pronouns-free(by=antecedents)` has no parameter that was chosen here; its form was chosen on GUM's development part
and on every eighth pair of `ctxpro-x-en`, which is kept out of its test (`KEPT_ASIDE`). All forms that
were tried are in the tables.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _common import shared_folder
from _contexts import Contrast, elsewhere, read_contrasts
from _exchange import KINDS, exchanges, unpacked

from albeit.metrics.pronouns.free import agreement, agreements
from albeit.parsing import annotate_documents
from albeit.parsing.layers import ANTECEDENTS, TOKENS, Analysis
from albeit.parsing.sentences import document_words
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading

__all__ = ["antecedents", "cell", "contexts", "exchanged"]

Floats = npt.NDArray[np.float64]
Lines = tuple[str, ...]
Form = Callable[[Analysis, Lines], float]
KEPT_ASIDE = 8
"""Every eighth pair of ctxpro served to choose a form."""
SEED = 15
BLOCK = 100
"""Documents annotated between two writes to the cache."""
RESAMPLES = 1000


def whole(analysis: Analysis, lines: Lines) -> float:
    """`pronouns-free(by=antecedents)` itself: the mean over all pronouns of the document."""
    return _mean([each.degree for each in agreements(analysis)])


def last_line(analysis: Analysis, lines: Lines) -> float:
    """The same over the pronouns of the last line."""
    first = len(document_words(lines[:-1])[0].forms)
    return _mean([each.degree for each in agreements(analysis) if each.word >= first])


def linked(analysis: Analysis, lines: Lines) -> float:
    """The best log odds of an antecedent in the last line: what the network alone says."""
    first = len(document_words(lines[:-1])[0].forms)
    found = [each for each in analysis[ANTECEDENTS] if each.word >= first and each.antecedents]
    return _mean([each.antecedents[0].score for each in found])


def conditional(analysis: Analysis, lines: Lines) -> float:
    """Agreement given that something is taken up: without the share of nothing."""
    forms, first = analysis[TOKENS].forms, len(document_words(lines[:-1])[0].forms)
    found = []
    for each in analysis[ANTECEDENTS]:
        if each.word >= first and each.antecedents:
            degree = agreement(each, forms).degree
            none = 1 / (1 + sum(np.exp(a.score) for a in each.antecedents))
            found.append(degree / (1 - none))
    return _mean(found)


WHOLE = "pronouns-free(by=antecedents)"
FORMS: dict[str, Form] = {
    WHOLE: whole,
    "last line only": last_line,
    "link alone, without agreement": linked,
    "agreement alone, without the link's odds": conditional,
}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")


def analysed(documents: Iterable[Lines]) -> dict[Lines, Analysis]:
    """Antecedents of documents, written to the cache as they come."""
    distinct = list(dict.fromkeys(documents))
    found: dict[Lines, Analysis] = {}
    for start in range(0, len(distinct), BLOCK):
        block = distinct[start : start + BLOCK]
        made = annotate_documents(block, frozenset({ANTECEDENTS}))
        found |= {lines: made[lines] for lines in block}
        print(f"\r{len(found)} of {len(distinct)} documents", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found


def wins(
    pairs: Sequence[tuple[Lines, Lines]], form: Form, read: Mapping[Lines, Analysis]
) -> Floats:
    """1 where the right text scores higher, 0 where it scores lower, one half else."""
    scores = np.array([[form(read[text], text) for text in pair] for pair in pairs])
    difference = np.nan_to_num(scores[:, 0] - scores[:, 1])
    return np.asarray((1 + np.sign(difference)) / 2)


def interval(values: Floats, groups: Sequence[object]) -> tuple[float, float]:
    """95 % of the mean, groups drawn anew."""
    _, group = np.unique(np.array([str(each) for each in groups]), return_inverse=True)
    sums, sizes = np.bincount(group, values), np.bincount(group)
    drawn = np.random.default_rng(SEED).integers(len(sums), size=(RESAMPLES, len(sums)))
    low, high = np.percentile(sums[drawn].sum(1) / sizes[drawn].sum(1), [2.5, 97.5])
    return float(low), float(high)


def cell(values: Floats, groups: Sequence[object]) -> Cell:
    """A mean with its interval."""
    return Cell(float(values.mean()), interval=interval(values, groups))


def persons(gum: Path, count: int) -> list[str]:
    """Texts before a *he*, *she* or *they* of GUM's development part: four sentences each."""
    found = [e for e in exchanges(gum, "dev") if not e.kind.startswith("it>")]
    texts = list(dict.fromkeys(" ".join(each.good[-5:-1]) for each in found if len(each.good) > 4))
    return [random.Random(SEED + n).choice(texts) for n in range(count)]


def contexts(args: argparse.Namespace) -> list[Table]:
    """ctxpro: the right translation, in its own context and in others."""
    path = shared_folder(args.data, "discourse/ctxpro-x-en") / "contrastive.tsv"
    clean = [x for x in read_contrasts(path) if x.fields["good_system"] == "deepl-context"]
    pairs = [pair for n, pair in enumerate(clean) if n % KEPT_ASIDE]
    if args.pairs:
        pairs = random.Random(SEED).sample(pairs, args.pairs)
    people = persons(unpacked(args.data, "gum", args.work), len(pairs))
    sets = {
        "true": pairs,
        "other pair": elsewhere(pairs),
        "before a person": [replace(p, context=c) for p, c in zip(pairs, people, strict=True)],
    }
    read = analysed(text for some in sets.values() for pair in some for text in pair.texts)
    found = {
        name: {
            where: wins([pair.texts for pair in some], form, read) for where, some in sets.items()
        }
        for name, form in FORMS.items()
    }
    languages = np.array([pair.language for pair in pairs])
    rows = [
        _context_row(f"{WHOLE}, {one}", _of(found[WHOLE], languages == one))
        for one in sorted(set(languages))
    ]
    rows += [_context_row(name, values) for name, values in found.items()]
    columns = (
        Heading("", align="left"),
        Heading("pairs"),
        Heading("true context", decimals=3),
        Heading("another pair's", decimals=3),
        Heading("difference", decimals=3),
        Heading("before a person", decimals=3),
        Heading("difference to that", decimals=3),
    )
    notes = (
        f"{len(clean) - len(clean[::KEPT_ASIDE])} pairs, without those that served to choose;"
        f" {'all' if not args.pairs else f'a sample of {args.pairs}'}; seed {SEED}; intervals over pairs",
        "prefer 'it': 1.000 in all columns",
    )
    return [Table(columns, tuple(rows), "ctxpro-x-en: right before wrong, by context", notes)]


def _of(found: Mapping[str, Floats], chosen: npt.NDArray[np.bool_]) -> dict[str, Floats]:
    return {where: values[chosen] for where, values in found.items()}


def _context_row(name: str, found: Mapping[str, Floats]) -> Row:
    true, other, person = found["true"], found["other pair"], found["before a person"]
    each = range(len(true))
    return Row(
        (
            Cell(name),
            Cell(len(true)),
            Cell(float(true.mean())),
            Cell(float(other.mean())),
            cell(true - other, each),
            Cell(float(person.mean())),
            cell(true - person, each),
        )
    )


def exchanged(args: argparse.Namespace) -> list[Table]:
    """GUM: pronouns exchanged, as often one way as the other."""
    gum = unpacked(args.data, "gum", args.work)
    found = exchanges(gum, args.part)
    read = analysed(text for each in found for text in (each.good, each.bad))
    documents = [each.document for each in found]
    rows = []
    for name, form in FORMS.items():
        values = wins([(each.good, each.bad) for each in found], form, read)
        rows.append(_kind_row(name, values, [each.kind for each in found], documents))
        if form is whole:
            near = np.array([each.distance == 1 for each in found])
            for told, chosen in (("one sentence back", near), ("further back", ~near)):
                some = [documents[n] for n in np.flatnonzero(chosen)]
                kinds = [found[n].kind for n in np.flatnonzero(chosen)]
                rows.append(_kind_row(f"{name}, {told}", values[chosen], kinds, some))
    columns = [Heading("", align="left"), Heading("pairs"), Heading("accuracy", decimals=3)]
    columns += [Heading(kind, decimals=3) for kind in _ORDER]
    notes = (f"{len(set(documents))} documents; intervals over documents",)
    title = f"GUM {args.part}: the text as it is before the one with exchanged pronouns"
    return [Table(tuple(columns), tuple(rows), title, notes)]


_ORDER = ("it>he", "he>it", "it>she", "she>it", "it>they", "they>it")


def _kind_row(name: str, values: Floats, kinds: Sequence[str], documents: Sequence[str]) -> Row:
    by = np.array(kinds)
    cells = [
        Cell(float(values[by == kind].mean()) if (by == kind).any() else None) for kind in _ORDER
    ]
    return Row((Cell(name), Cell(len(values)), cell(values, documents), *cells))


def antecedents(args: argparse.Namespace) -> list[Table]:
    """anaphora-x-en: third-person pronouns that real systems got wrong."""
    path = shared_folder(args.data, "discourse/anaphora-x-en") / "contrastive.tsv"
    pairs = [pair for pair in read_contrasts(path) if _changes_kind(pair)]
    other = elsewhere(pairs)
    read = analysed(text for some in (pairs, other) for pair in some for text in pair.texts)
    rows = []
    for name, form in FORMS.items():
        true, wrong = (wins([p.texts for p in some], form, read) for some in (pairs, other))
        rows.append(_voted_row(name, true, wrong, np.ones(len(pairs), bool)))
        if form is whole:
            it = np.array([p.kind.split(":")[1].split(">")[0] in ("it", "its") for p in pairs])
            rows.append(_voted_row(f"{name}, it is right", true, wrong, it))
            rows.append(_voted_row(f"{name}, it is wrong or not in it", true, wrong, ~it))
    columns = (
        Heading("", align="left"),
        Heading("pairs"),
        Heading("true context", decimals=3),
        Heading("another pair's", decimals=3),
        Heading("difference", decimals=3),
    )
    notes = ("pairs in which he, she, it or they stands for another of them; intervals over pairs",)
    return [Table(columns, tuple(rows), "anaphora-x-en", notes)]


def _changes_kind(pair: Contrast) -> bool:
    right, _, wrong = pair.kind.partition(":")[2].partition(">")
    return right in KINDS and wrong in KINDS and KINDS[right] != KINDS[wrong]


def _voted_row(name: str, true: Floats, other: Floats, chosen: npt.NDArray[np.bool_]) -> Row:
    true, other = true[chosen], other[chosen]
    each = range(len(true))
    return Row(
        (
            Cell(name),
            Cell(len(true)),
            cell(true, each),
            Cell(float(other.mean())),
            cell(true - other, each),
        )
    )
