"""How many source connectives have a translation in the reference that the lexicon lists.

    python research/experiments/act_coverage.py                              # every text, by connective
    python research/experiments/act_coverage.py unmatched --pair en-de       # what is missed, to be read
    python research/experiments/act_coverage.py translations --pair en-de    # what is found, by form

A connective that is not found falls into cases 5 and 6, whatever the candidates have. Some
are really left out or turned into a noun phrase; others are put in words that the lexicon
does not list. Only Europarl was read for the lexicons; the other texts were never looked at.
No alignment: a listed form anywhere in the line is enough, as for ``preset=classic``.
"""

from __future__ import annotations

import argparse
import random
import tarfile
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from albeit.data.build import read_pairs
from albeit.errors import AlbeitWarning
from albeit.metrics.connectives.act import Preset, make_assessor
from albeit.metrics.connectives.assess import Assessor, Decision
from albeit.metrics.connectives.lexicon import CLASSIC, SourceConnective
from albeit.metrics.connectives.words import cut
from albeit.report import Heading, Table, render

ROOT = Path(__file__).resolve().parents[2]
SEED = 2026
PAIRS = ("en-fr", "en-de", "en-it")
PRESETS: tuple[Preset, ...] = ("classic", "careful")
Pair = tuple[str, str]
Found = tuple[SourceConnective, Decision, str, str]
_PUD = "ud/UD_{}-PUD/{}_pud-ud-test.conllu"
_NAMES = {"en": "English", "de": "German", "fr": "French", "it": "Italian"}


def texts(data: Path, pair: str) -> dict[str, list[Pair]]:
    """All texts of a language pair, sentence by sentence; Europarl first."""
    target = pair[3:]
    folder = data / "bitext" / pair
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        found = {
            "Europarl": read_pairs(str(folder / "en.txt.gz"), str(folder / f"{target}.txt.gz"))
        }
        for name, place, reference in (
            ("newstest2013", "wmt13", "ref.txt"),
            ("TED talks", "ted-mqm", "ref_ref.txt"),
        ):
            if (data / place / pair).is_dir():
                files = (data / place / pair / "src.txt", data / place / pair / reference)
                found[name] = read_pairs(*map(str, files))
    with tarfile.open(data / "ud-multilingual.tar.xz") as archive:
        sides = [
            [
                line.removeprefix("# text = ")
                for line in _member(archive, _PUD.format(_NAMES[code], code))
                if line.startswith("# text = ")
            ]
            for code in ("en", target)
        ]
    found["PUD"] = list(zip(*sides, strict=True))
    if pair == "en-de":
        with tarfile.open(data / "discourse.tar.xz") as archive:
            both = (_member(archive, f"discourse/wmt23-mqm/en-de/{f}.txt") for f in ("src", "ref"))
            found["WMT23"] = list(zip(*both, strict=True))
    return found


def _member(archive: tarfile.TarFile, name: str) -> list[str]:
    file = archive.extractfile(name)
    if file is None:
        raise SystemExit(f"{archive.name}: no {name}")
    return file.read().decode("utf-8").removesuffix("\n").split("\n")


def decisions(assessor: Assessor, pairs: list[Pair]) -> Iterator[Found]:
    """Every source connective with what translates it."""
    for source, target in pairs:
        connectives = assessor.connectives(source)
        decided = assessor.decide(connectives, source, target)
        for connective, decision in zip(connectives, decided, strict=True):
            yield connective, decision, source, target


def coverage(data: Path, pair: str) -> Table:
    """A row a text and a row a connective: how many there are, how many are found."""
    assessors = {p: make_assessor(("en", pair[3:]), p) for p in PRESETS}
    rows: list[tuple[str | int | float, ...]] = []
    for name, pairs in texts(data, pair).items():
        total: Counter[str] = Counter()
        found: dict[str, Counter[str]] = {preset: Counter() for preset in assessors}
        for preset, assessor in assessors.items():
            for connective, decision, _, _ in decisions(assessor, pairs):
                total[connective.name] += preset == "classic"
                found[preset][connective.name] += decision.hit is not None
        rows.append(
            (name, "all", total.total(), *(f.total() / total.total() for f in found.values()))
        )
        if name in ("Europarl", "newstest2013"):
            rows += [
                (name, c, total[c], *(f[c] / total[c] for f in found.values()))
                for c in CLASSIC
                if total[c]
            ]
    heads = [Heading("connectives"), *(Heading(p, decimals=3) for p in assessors)]
    return Table.of(
        ["text", "connective", *heads],
        rows,
        caption=f"Connectives translated in the reference, {pair}",
    )


def unmatched(data: Path, pair: str, only: str | None, size: int) -> None:
    """Print a sample of Europarl's connectives that are not found, to be read."""
    assessor = make_assessor(("en", pair[3:]), "classic")
    missed = [
        (connective, source, target)
        for connective, decision, source, target in decisions(
            assessor, texts(data, pair)["Europarl"]
        )
        if decision.hit is None and only in (None, connective.name)
    ]
    for connective, source, target in random.Random(SEED).sample(missed, min(size, len(missed))):
        words = cut(source, "en")
        start = words.offsets[connective.tokens[0]][0]
        stop = words.offsets[connective.tokens[-1]][1]
        print(f"S {source[:start]}[[{source[start:stop]}]]{source[stop:]}\nT {target}")


def translations(data: Path, pair: str) -> Table:
    """How often each form was taken for each connective, in Europarl."""
    assessor = make_assessor(("en", pair[3:]), "classic")
    taken = Counter(
        (connective.name, decision.name or "–")
        for connective, decision, _, _ in decisions(assessor, texts(data, pair)["Europarl"])
    )
    rows = [(name, form, count) for (name, form), count in taken.most_common()]
    rows.sort(key=lambda row: CLASSIC.index(row[0]))
    return Table.of(["connective", "form", Heading("times")], rows, caption=pair)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "action", nargs="?", default="coverage", choices=["coverage", "unmatched", "translations"]
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--pair", choices=PAIRS, help="one pair only")
    parser.add_argument("--connective", choices=CLASSIC, help="unmatched: of this one only")
    parser.add_argument("--size", type=int, default=60, help="unmatched: how many to print")
    parser.add_argument("-f", "--format", default="text", choices=["text", "json", "markdown"])
    options = parser.parse_args()
    chosen = [options.pair] if options.pair else list(PAIRS)
    if options.action == "unmatched":
        for pair in chosen:
            unmatched(options.data, pair, options.connective, options.size)
        return
    make = coverage if options.action == "coverage" else translations
    print(render([make(options.data, pair) for pair in chosen], options.format), end="")


if __name__ == "__main__":
    main()
