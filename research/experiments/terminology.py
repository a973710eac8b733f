"""Compare `terms` with a glossary against the official consistency of WMT25's terminology task.

    PYTHONPATH=src:research python research/experiments/terminology.py --work DIR

DIR has ``wmt25-terminology-2`` of the archive of judgments. The official score is the consistency
with predefined terms, the mean of five years (zh-en, track 2).
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
from _common import arguments

from albeit.data import read
from albeit.evaluation import score
from albeit.metaeval.statistics import spearman


def write_glossary(terms: Path, path: Path, year: str = "") -> str:
    """Write the proper terms of a year, or of all years, as a glossary; return its metric."""
    entries: dict[str, dict[str, None]] = defaultdict(dict)
    with terms.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["kind"] == "proper" and row["year"].startswith(year):
                entries[row["source"].strip()][row["target"].strip().replace("|", "/")] = None
    lines = [f"{term}\t{' | '.join(found)}\n" for term, found in entries.items()]
    path.write_text("".join(lines), encoding="utf-8")
    return f"terms(glossary={path})"


def main() -> None:
    """Print Spearman's ρ with one glossary, and with one glossary per year."""
    folder = arguments(__doc__ or "").parse_args().work / "wmt25-terminology-2" / "zh-en"
    evalset = read(folder, source_lang="zh", target_lang="en")
    lines = (folder / "official.tsv").read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(lines, delimiter="\t")
    official = {row["system"]: row["consistency_predefined"].strip("-") for row in rows}
    evalset = evalset.select(names := [n for n in evalset.systems if official.get(n)])
    expected = np.array([float(official[name]) for name in names])
    years: dict[str, list[int]] = defaultdict(list)
    for number, document in enumerate(evalset.document_ids()):
        years[document.partition(".")[0]].append(number)
    for name, parts in (("one glossary", {"": range(len(evalset))}), ("per year", years)):
        counts = np.zeros((len(names), 2))
        for year, own in parts.items():
            metric = write_glossary(folder / "terms.tsv", folder.parent / "glossary.tsv", year)
            counts += np.asarray(score(evalset.take(list(own)), [metric])[metric].sums)[:, :2]
        rho = float(spearman(counts[:, 0] / counts[:, 1], expected))
        print(f"{name}: rho {rho:.3f} over {len(names)} submissions", flush=True)


if __name__ == "__main__":
    main()
