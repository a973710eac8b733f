"""What the reference check finds in test sets, and whether experts agree.

    PYTHONPATH=src:research python research/experiments/references.py --data DIR -f markdown

*Findings*: systems and lines per reference; *false in subsets*: how many of random choices of 3, 4,
and 6 systems that aren't named in the whole set have a named system. *Planted*: lines of healthy
references are changed, and counted if found. *Experts*: system-level Pearson's r and pairwise
accuracy, and the mean rank of the named systems, over lines on which all systems were judged. The
judgments are always those of all lines; the metric's scores are without some lines.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _common import WORK, Floats, Scores, arguments, judged, publish, shared_folder, unpacked

from albeit.data import EvalSet, read
from albeit.data.judgments import Ratings
from albeit.diagnose.references import ReferenceCheck, check_references
from albeit.metrics.external import external_columns
from albeit.metrics.table import Column
from albeit.report import Heading, Table
from albeit.stats import pearson

BIO = tuple(f"judgments/bio-mqm/{pair}" for pair in ("de-en", "es-en", "fr-en"))
BIO += tuple(f"judgments/bio-mqm/en-{lang}" for lang in ("de", "es", "fr", "ru", "zh"))
SETS = (
    *(f"judgments/newstest20-mqm/{pair}" for pair in ("zh-en", "en-de")),
    *(f"discourse/newstest21-mqm/{pair}" for pair in ("zh-en", "en-de")),
    *(f"wmt21/{pair}" for pair in ("is-en", "ja-en", "ru-en")),
    *(f"discourse/wmt23-mqm/{pair}" for pair in ("zh-en", "en-de")),
    *BIO,
    "judgments-2/wmt22-mqm/en-de",
    *(f"judgments-2/indicmt-mqm/en-{lang}" for lang in ("gu", "hi", "ml", "mr", "ta")),
)
EXPERTS = (("discourse/wmt23-mqm/zh-en", "ref"), ("discourse/newstest21-mqm/en-de", "ref-B"))
EXPERTS += tuple((name, "ref") for name in BIO)
PUBLISHED = ("COMET-refA", "BLEURT-20-refA", "MetricX-23-refA", "CometKiwi-src")
HEALTHY = (("discourse/newstest21-mqm/zh-en", "ref-B"), ("wmt21/ru-en", "refA"))
HEALTHY += (("discourse/wmt23-mqm/en-de", "ref"),)
SUBSETS, PLANTED = 10, 20
Change = Callable[[list[str], Sequence[str], int], str]
Lines = npt.NDArray[np.bool_]
CHANGES: Mapping[str, Change] = {
    "first half of the line": lambda ref, _, n: ref[n][: len(ref[n]) // 2].rstrip(" .,;:!?"),
    "the source": lambda _, source, n: source[n],
    "reference of the next line": lambda ref, _, n: ref[n + 1],
    "reference of a distant line": lambda ref, _, n: ref[(n + len(ref) // 2) % len(ref)],
}


def folder(data: Path, name: str) -> Path:
    """Return a set's folder; archives are unpacked once."""
    if name.startswith("judgments-2"):
        return unpacked(data, "judgments-2", WORK).parent / name
    return shared_folder(data, name)


def title(name: str) -> str:
    """Name a set by its last two folders."""
    return " ".join(name.split("/")[-2:])


def findings(data: Path) -> Iterator[tuple[object, ...]]:
    """Check every reference of every set, and random subsets of the systems."""
    draw = random.Random(1)
    for name in SETS:
        evalset = read(folder(data, name), unescape=True)
        for reference in evalset.references:
            own = evalset.select(references=[reference])
            found = check_references(own)
            named = [each.system for check in found for each in check.systems]
            others = [system for system in own.systems if system not in named]
            tried = [draw.sample(others, k) for k in (3, 4, 6) * SUBSETS if k <= len(others)]
            false = sum(any(c.systems for c in check_references(own.select(s))) for s in tried)
            lines = {kind: len(own) for check in found for kind, own in check.lines.items()}
            shown = ", ".join(f"{count} {kind}" for kind, count in lines.items())
            about = title(name), reference, len(own), len(own.systems), ", ".join(named)
            yield (*about, shown, f"{false} of {len(tried)}")


def planted(data: Path) -> Iterator[tuple[object, ...]]:
    """Change lines of healthy references in one way at a time."""
    for what, change in CHANGES.items():
        found = wrong = 0
        for name, reference in HEALTHY:
            evalset = read(folder(data, name), unescape=True).select(references=[reference])
            lines, source = list(evalset.references[reference]), evalset.source or ()
            eligible = [n for n, line in enumerate(lines[:-1]) if len(line.split()) > 8]
            chosen = random.Random(what).sample(eligible, PLANTED)
            changed = [change(lines, source, n) if n in chosen else s for n, s in enumerate(lines)]
            systems = dict(evalset.systems)
            documents = evalset.documents if evalset.has_documents else ()
            languages = evalset.source_lang, evalset.target_lang
            made = EvalSet({"ref": tuple(changed)}, systems, source, documents, *languages)
            numbers = [
                n - 1 for c in check_references(made) for own in c.lines.values() for n in own
            ]
            found += len(set(numbers) & set(chosen))
            wrong += len(set(numbers) - set(chosen))
        yield what, len(HEALTHY) * PLANTED, found, wrong


def experts(data: Path) -> Iterator[tuple[object, ...]]:
    """Compare rankings with those of experts, with and without what was found."""
    for name, reference in EXPERTS:
        column = "mqm_penalty" if "newstest21" in name else None
        options = {"penalties": True} if column else {}
        every = judged(folder(data, name), column, unescape=True, **options)
        evalset, ratings = every.evalset.select(references=[reference]), every.judgments
        assert isinstance(ratings, Ratings)
        human = ratings.matrix(len(evalset))
        common = ~np.isnan(human).any(axis=0)
        ranks = human[:, common].mean(axis=1)
        (check,) = check_references(evalset)
        scored = [(kept, evalset, lines) for kept, lines in exclusions(evalset, check, common)]
        for other in every.evalset.references:
            chosen = every.evalset.select(references=[other])
            scored += [] if check_references(chosen) else [(f"with {other}", chosen, common)]
        for kept, chosen, lines in scored:
            columns = list(Scores().table(chosen, ["chrf", "bleu"]).columns.values())
            if "wmt23" in name:
                place = folder(data, f"judgments/wmt23-metric-scores/{name[-5:]}")
                files = [str(place / f"{each}.seg.score") for each in PUBLISHED]
                columns += external_columns(evalset, files)
            for each in columns:
                figures = agreement(system_scores(each, lines), ranks, evalset, check)
                yield title(name), each.name, kept, int(lines.sum()), *figures


def exclusions(
    evalset: EvalSet, check: ReferenceCheck, common: Lines
) -> Iterator[tuple[str, Lines]]:
    """Yield the lines that are scored."""
    reference = evalset.references[check.reference]
    texts = [evalset.systems[each.system] for each in check.systems]
    equal = np.array([any(t[n] == line for t in texts) for n, line in enumerate(reference)])
    suspect = np.zeros(len(evalset), dtype=bool)
    suspect[[n - 1 for own in check.lines.values() for n in own]] = True
    yield "all lines", common
    yield "without identical lines", common & ~equal
    if suspect.any():
        yield "without suspect lines", common & ~suspect


def system_scores(column: Column, lines: Lines) -> Floats:
    """Return the scores of systems on some lines, with higher better."""
    if column.metric is None or column.statistics is None:
        scores = column.at("segment")[:, lines].mean(axis=1)
    else:
        scores = column.metric.score(column.statistics[:, lines].sum(axis=1))
    return scores if column.higher_is_better else -scores


def agreement(
    scores: Floats, human: Floats, evalset: EvalSet, check: ReferenceCheck
) -> tuple[float, ...]:
    """Return r, pairwise accuracy with and without named systems, and mean ranks of these."""
    named = np.isin(list(evalset.systems), [each.system for each in check.systems])
    one, other = np.triu_indices(len(human), 1)
    right = (scores[one] > scores[other]) == (human[one] > human[other])
    among = ~(named[one] | named[other])
    ranks = [1 + np.argsort(np.argsort(-own))[named].mean() for own in (scores, human)]
    pairs = right.mean(), right[~among].mean(), right[among].mean()
    return float(pearson(scores, human)), *map(float, (*pairs, *ranks))


def main() -> None:
    """Print the tables."""
    args = arguments(__doc__ or "").parse_args()
    left = [Heading(name, align="left") for name in ("Test set", "Reference", "Lines", "Systems")]
    left += [Heading(name, align="left") for name in ("Named", "Lines found", "False in subsets")]
    tables = [Table.of(left, list(findings(args.data)), "Findings")]
    heads = [Heading("Changed to", align="left"), *map(Heading, ("Lines", "Found", "Others"))]
    tables.append(Table.of(heads, list(planted(args.data)), "Planted"))
    heads = [Heading(name, align="left") for name in ("Test set", "Metric", "Scored")]
    figures = "r", "Accuracy", "With named", "Without named", "Rank", "Rank by experts"
    heads += [Heading("Lines"), *(Heading(name, decimals=2) for name in figures)]
    publish([*tables, Table.of(heads, list(experts(args.data)), "Experts")], args)


if __name__ == "__main__":
    main()
