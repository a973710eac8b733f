"""``lc`` beside an independent LC after WordNet's own look-up of words (morphy).

    python research/experiments/lc_morphy.py

Both on the 99 documents of the WMT12 references. The independent one shares with ``lc``
only the WordNet table and the cutting of a text into content words: it looks every word up
in each part of speech by morphy's rules, and takes a word for a device if another word of
the document has its stem, a synset of its own, or a synset directly above or below.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np

from albeit.annotate.content import content_words
from albeit.corpus import EvalSet, documents_from_ids
from albeit.engine import score
from albeit.metrics.cohesion.devices import LexicalCohesion
from albeit.report import Heading, Table, render
from albeit.resources import stemmer

ROOT = Path(__file__).resolve().parents[2]
_RULES = {
    1: "s> ses>s xes>x zes>z ches>ch shes>sh men>man ies>y",
    2: "s> ies>y es>e es> ed>e ed> ing>e ing>",
    3: "er> est> er>e est>e",
    4: "",
}
"""Morphy's rules by part of speech: an ending, and what stands in its place."""


class Morphy:
    """The synsets of words as WordNet's program finds them, from the raw table."""

    def __init__(self) -> None:
        with np.load(str(files("albeit.resources") / "data" / "wordnet.npz")) as table:
            lemmas = table["lemmas"].tobytes().decode().split("\n")
            members = np.split(table["lemma_synsets"], table["lemma_ends"][:-1])
            self.part = (table["synsets"] // 10**8).tolist()
            self.up: defaultdict[int, set[int]] = defaultdict(set)
            for low, high in table["hypernyms"].tolist():
                self.up[low].add(high)
            lines = table["exceptions"].tobytes().decode().split("\n")
        self.entries = dict(zip(lemmas, (m.tolist() for m in members), strict=True))
        self.irregular = {line.split()[0]: line.split()[1:] for line in lines}

    def synsets(self, word: str) -> set[int]:
        """Of every part of speech: those of the word, or of the first base form that has any."""
        found: set[int] = set()
        for part, rules in _RULES.items():
            bases = self.irregular.get(word) or [
                word.removesuffix(old) + new
                for old, new in (rule.split(">") for rule in rules.split())
                if word.endswith(old)
            ]
            for base in (word, *bases):
                own = [s for s in self.entries.get(base, ()) if self.part[s] == part]
                if own:
                    found.update(own)
                    break
        return found


def independent(lines: Sequence[str], morphy: Morphy) -> float:
    """LC of one document."""
    cut, stem = content_words("en", "word"), stemmer("en")
    counts = Counter(key for line in lines for key in cut.keys(line))
    meaning = {word: morphy.synsets(word) for word in counts}
    above = {word: {up for s in own for up in morphy.up[s]} for word, own in meaning.items()}
    stems = Counter(map(stem, counts))
    meant = Counter(s for own in meaning.values() for s in own)
    kinds = Counter(s for own in above.values() for s in own)
    devices = 0
    for word, count in counts.items():
        own, up = meaning[word], above[word]
        taken_up = (
            count > 1
            or stems[stem(word)] > 1
            or any(meant[s] > 1 or kinds[s] > (s in up) for s in own)
            or any(meant[s] > (s in own) for s in up)
        )
        devices += count * taken_up
    return devices / counts.total()


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("-f", "--format", default="text", choices=["text", "json", "markdown"])
    options = parser.parse_args()
    folder = options.data / "wmt12" / "cs-en"
    lines = tuple((folder / "ref.txt").read_text("utf-8").removesuffix("\n").split("\n"))
    ids = (folder / "docids.txt").read_text("utf-8").splitlines()
    documents = documents_from_ids([line.split("\t")[0] for line in ids])
    metric = LexicalCohesion()
    evalset = EvalSet({}, {"ref": lines}, documents=documents, target_lang="en")
    ours = score(evalset, [metric])[metric].document[0]
    morphy = Morphy()
    theirs = np.array([independent(lines[d.rows], morphy) for d in documents])
    differences = ours - theirs
    heads = ("lc", "independent", "mean difference", "largest difference", "Pearson r")
    shown = (
        len(documents),
        ours.mean(),
        theirs.mean(),
        differences.mean(),
        np.abs(differences).max(),
        np.corrcoef(ours, theirs)[0, 1],
    )
    table = Table.of(
        [Heading("documents"), *(Heading(head, decimals=4) for head in heads)],
        [tuple(float(cell) if n else int(cell) for n, cell in enumerate(shown))],
        caption="lc beside an independent LC",
    )
    print(render(table, options.format), end="")


if __name__ == "__main__":
    main()
