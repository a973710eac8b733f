"""How well evidence separates what experts marked from what nobody did: areas under the curve.

**Pronouns** of newstest20 that two experts marked (spans of four words at most) against those that
nobody did, a thousand of them by a fixed seed: every pronoun, not only suspects. Each has what
is known without a suggestion: whether references and other systems have fewer of its class, whether
the source has one, the judge's marks of it, and by how much the judge scores the line higher when
the words around it that differ are the reference's. Weights are learnt on one half of the documents
and used on the other, both ways.

**Terminology**: which systems of a document experts marked for inconsistent terms, between systems of
one document, by suspects among terms (the sum of their probabilities) and by the metric `terms`.
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from _beyond import weights
from _evidence import Collected
from _experts import class_words, first_half, marks_of, support
from _left_out import Shares

import albeit
from albeit.data import EvalSet
from albeit.diagnose.candidates import PRONOUNS, TERMS, places
from albeit.diagnose.evidence import marks_in, network
from albeit.diagnose.flags import model_of
from albeit.diagnose.pronouns import pronouns_of, source_pronouns
from albeit.errors import AlbeitError
from albeit.evaluation import open_store
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading
from training.flags.fit import fit_weights

__all__ = ["area", "pronouns_table", "terminology_table"]

UNMARKED, SEED, RESAMPLES, LONGEST = 1000, 30, 1000, 4
WIDEST = 8
"""How many words that differ are put in the place of a pronoun and its neighbours, at most."""
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Word = tuple[str, int, int, int]


def area(scores: Floats, marked: Bools) -> float:
    """How often a marked one has the higher score of the two; ties count half."""
    ours, theirs = scores[marked][:, None], scores[~marked][None]
    if not (ours.size and theirs.size):
        return float("nan")
    return float((ours > theirs).mean() + 0.5 * (ours == theirs).mean())


def _interval(scores: Floats, marked: Bools, documents: Sequence[str]) -> tuple[float, float]:
    """The middle 95 % over resampled documents."""
    at: dict[str, list[int]] = {}
    for n, name in enumerate(documents):
        at.setdefault(name, []).append(n)
    rows = [np.array(each) for each in at.values()]
    rng = np.random.default_rng(SEED)
    drawn = []
    for _ in range(RESAMPLES):
        chosen = np.concatenate([rows[k] for k in rng.integers(0, len(rows), len(rows))])
        drawn.append(area(scores[chosen], marked[chosen]))
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return float(low), float(high)


def pronouns_table(folder: Path, marks: Shares, notes: tuple[str, ...]) -> Table:
    """Each piece of evidence by itself, and all together, learnt on the other half."""
    evalset = albeit.read_judged(folder).evalset
    words, marked = _drawn(folder, evalset)
    documents = [evalset.document_ids()[line] for _, line, _, _ in words]
    evidence = {**_company(words, evalset), **_judged(words, evalset, marks)}
    first = np.array([first_half(name) for name in documents])
    together = np.zeros(len(words))
    x = np.column_stack(list(evidence.values()))
    for half in (first, ~first):
        weights_, bias = fit_weights(x[~half], marked[~half] * 0.98 + 0.01)
        together[half] = x[half] @ weights_ + bias
    rows = []
    for name, scores in {**evidence, "all, learnt on the other half": together}.items():
        ends = _interval(scores, marked, documents)
        rows.append(Row((Cell(name), Cell(area(scores, marked), interval=ends))))
    columns = (Heading("evidence", align="left"), Heading("AUC", key="auc", decimals=3))
    title = f"{int(marked.sum())} pronouns that two experts marked, {int((~marked).sum())} that nobody did"
    return Table(columns, tuple(rows), title, notes)


def _drawn(folder: Path, evalset: EvalSet) -> tuple[list[Word], Bools]:
    """All pronouns that two experts marked, and so many that nobody did."""
    marks = marks_of(folder, evalset, LONGEST)
    wide = marks_of(folder, evalset, 10**6)
    counts = [(word, support(marks, *word)) for word in class_words(PRONOUNS, evalset)]
    ours = [word for word, n in counts if n >= 2]
    others = [word for word, n in counts if not n and not support(wide, *word)]
    others = random.Random(SEED).sample(others, UNMARKED)
    return ours + others, np.repeat([True, False], [len(ours), len(others)])


def _company(words: Sequence[Word], evalset: EvalSet) -> dict[str, Floats]:
    """Do references, other systems and the source have a pronoun of its class?"""
    found = np.zeros((len(words), 3))
    for row, (system, line, start, _) in zip(found, words, strict=True):
        text = evalset.systems[system][line]
        name = next(word.name for word in pronouns_of(text) if word.start == start)
        own = _count(name, text)
        others = [lines[line] for each, lines in evalset.systems.items() if each != system]
        references = [lines[line] for lines in evalset.references.values()]
        row[0] = np.mean([_count(name, each) < own for each in references])
        row[1] = np.mean([_count(name, each) < own for each in others if each])
        assert evalset.source is not None
        assert evalset.source_lang is not None
        said = source_pronouns(evalset.source[line], evalset.source_lang) or []
        row[2] = not any(name in each for each in said)
    names = ("not in references", "not in other systems", "not in the source")
    return dict(zip(names, found.T, strict=True))


def _count(name: str, text: str) -> int:
    return sum(word.name == name for word in pronouns_of(text))


def _judged(words: Sequence[Word], evalset: EvalSet, marks: Shares) -> dict[str, Floats]:
    """How likely a pronoun is marked, and what the judge gains by the reference's words around it."""
    pairs: dict[tuple[str, str], int] = {}
    asked: list[list[tuple[int, int]]] = []
    for system, line, start, _ in words:
        text = evalset.systems[system][line]
        asked.append([])
        for lines in evalset.references.values():
            before = pairs.setdefault((text, lines[line]), len(pairs))
            mended = with_reference(text, lines[line], start)
            asked[-1].append((before, pairs.setdefault((mended, lines[line]), len(pairs))))
    scores = network().read(list(pairs)).scores
    gains = np.array([np.mean([scores[b] - scores[a] for a, b in each]) for each in asked])
    found = {"gain by mending": gains}
    told = np.full((len(words), 2), np.log(1e-3))
    for row, (system, line, start, end) in zip(told, words, strict=True):
        shares, text = marks.get((system, line)), evalset.systems[system][line]
        if shares is not None and len(shares) == len(text.split()):
            row[:] = list(marks_in(text, shares, start, end))
    if marks:
        found |= {"marked by the judge": told[:, 0], "as a major error": told[:, 1]}
    return found


def with_reference(text: str, reference: str, start: int) -> str:
    """A line whose words that differ around a character are the reference's; itself if none do."""
    both = places(text, reference)
    word = both.word_at(start)
    facing = both.facing(word)
    first, last = word, word + 1
    while first and both.facing(first - 1) == facing:
        first -= 1
    while last < len(both.ours) and both.facing(last) == facing:
        last += 1
    if last - first > WIDEST or facing[1] - facing[0] > WIDEST:
        return text
    theirs = both.theirs[slice(*facing)]
    put = reference[theirs[0][0] : theirs[-1][1]] if theirs else ""
    return text[: both.ours[first][0]] + put + text[both.ours[last - 1][1] :]


def terminology_table(
    sets: Iterable[tuple[str, Path, EvalSet, Collected]], notes: tuple[str, ...]
) -> Table:
    """Every set, and the abstracts together."""
    rows: list[Row] = []
    bio: dict[str, list[Floats]] = {}
    for name, folder, evalset, held in sets:
        marked = _inconsistent(folder, evalset)
        judged = np.array(
            [[any(lines[d.rows]) for d in evalset.documents] for lines in evalset.systems.values()]
        )
        for how, scores in _by_terms(evalset, held).items():
            parts = _parts(scores, marked & judged, ~marked & judged)
            rows.append(_area_row(name, how, parts))
            if name.startswith("bio"):
                bio.setdefault(how, []).append(parts)
    rows += [_area_row("bio", how, np.concatenate(parts)) for how, parts in bio.items()]
    columns = (
        Heading("set", align="left"),
        Heading("by", align="left"),
        Heading("pairs of systems", key="pairs"),
        Heading("AUC", key="auc", decimals=3),
    )
    title = "Inconsistent terminology within documents: area under the curve"
    return Table(columns, tuple(rows), title, notes)


def _parts(scores: Floats, marked: Bools, clean: Bools) -> Floats:
    """By document: pairs of a marked and a clean system in which the marked one scores lower, and all."""
    below = np.sign(scores[None] - scores[:, None])
    pairs = marked[:, None] & clean[None]
    return np.stack([(pairs * (1 + below) / 2).sum((0, 1)), pairs.sum((0, 1))], axis=-1)


def _area_row(name: str, how: str, parts: Floats) -> Row:
    drawn = weights(len(parts)) @ parts
    with np.errstate(invalid="ignore"):
        low, high = np.nanquantile(drawn[:, 0] / drawn[:, 1], [0.025, 0.975])
    whole = parts.sum(axis=0)
    value = Cell(float(whole[0] / whole[1]), interval=(float(low), float(high)))
    return Row((Cell(name), Cell(how), Cell(int(whole[1])), value))


def _inconsistent(folder: Path, evalset: EvalSet) -> Bools:
    """(systems, documents): whether somebody marked a term as inconsistent."""
    systems = {name: n for n, name in enumerate(evalset.systems)}
    document = [n for n, d in enumerate(evalset.documents) for _ in range(len(d))]
    found = np.zeros((len(systems), len(evalset.documents)), bool)
    with (folder / "errors.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            told = f"{row['category']}/{row.get('subcategory') or ''}".lower()
            if told.startswith("terminology/inconsistent") and row["system"] in systems:
                found[systems[row["system"]], document[int(row["segment"]) - 1]] = True
    return found


def _by_terms(evalset: EvalSet, held: Collected) -> dict[str, Floats]:
    """Scores of documents, the higher the more consistent: (systems, documents)."""
    systems = {name: n for n, name in enumerate(evalset.systems)}
    document = [n for n, d in enumerate(evalset.documents) for _ in range(len(d))]
    sums = np.zeros((3, len(systems), len(evalset.documents)))
    for one, pieces in zip(held.suspects, held.evidence, strict=True):
        p = model_of(TERMS)(pieces)
        sums[:, systems[one.system], document[one.line]] -= p, p >= 0.5, 1
    found = {"sum of probabilities": sums[0], "likely faults": sums[1], "suspects": sums[2]}
    for name in ("terms", "terms(by=reference)"):
        try:
            table = albeit.Evaluation(evalset, store=open_store()).score([name])
        except AlbeitError:
            continue
        (column,) = table.columns.values()
        assert column.document is not None
        found[name] = np.round(np.nan_to_num(column.document, nan=1.0), 9)
    return found
