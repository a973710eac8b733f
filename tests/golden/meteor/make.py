"""Make the golden values under ``tests/golden/meteor`` with METEOR's own jar, or compare with them.

    python tests/golden/meteor/make.py make --jar meteor-1.5.jar [--data ../shared/data]
    python tests/golden/meteor/make.py compare [--data ../shared/data] [--table paraphrase-en.gz]

Each file holds numbers and the command that made them. ``demo`` scores the texts under
``examples/demo`` against both references, with the small paraphrase table next to the
values; ``tricky`` scores lines written to be hard to tokenize or align; ``wmt`` scores the
first 1,000 segments of a system, and for Spanish and Italian, of which there are texts but
no translations, of the text itself after some words were dropped, swapped and cut. Third
parties' text is not kept, and cases whose text is not under ``--data`` are skipped. The
jar needs its own ``data/paraphrase-en.gz`` next to it for ``wmt.en.pa``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from albeit.data.evalset import EvalSet
from albeit.evaluation import score
from albeit.metrics.registry import metric

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests/golden/meteor"
FORMS = {
    "ex": ["-m", "exact"],
    "st": ["-m", "exact stem"],
    "sy": ["-m", "exact stem synonym"],
    "pa": [],
}
SEGMENTS = 1000
WMT = {
    "en": ("wmt12/fr-en/ref.txt", "wmt12/fr-en/systems/uedin-wmt12.txt"),
    "de": ("wmt13/en-de/ref.txt", "wmt13/en-de/systems/KIT_primary.2663.txt"),
    "fr": ("wmt13/en-fr/ref.txt", "wmt13/en-fr/systems/DCU__primary.2827.txt"),
    "es": ("wmt12/es-en/src.txt", ""),
    "it": ("bitext/en-it/it.txt.gz", ""),
}


@dataclass(frozen=True)
class Case:
    """Translations to score, and where their golden values are kept."""

    name: str
    label: str
    hypotheses: Sequence[str]
    references: Sequence[Sequence[str]]
    lang: str
    form: str
    table: Path | None = None


def main() -> None:
    """Run every case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["make", "compare"])
    parser.add_argument("--jar", type=Path, help="METEOR's meteor-1.5.jar")
    parser.add_argument("--table", type=Path, help="METEOR's paraphrase-en.gz, to compare with")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    options = parser.parse_args()
    if options.what == "make" and options.jar is None:
        parser.error("make needs --jar")
    made: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder, "paraphrases.gz")
        small.write_bytes(gzip.compress((GOLDEN / "paraphrases.txt").read_bytes()))
        for case in (*own_cases(small), *wmt_cases(options.data)):
            if options.what == "make":
                made.setdefault(case.name, {})[case.label] = _jar(options.jar, case)
            else:
                _print_comparison(case, options.table)
    for name, values in made.items():
        (GOLDEN / f"{name}.json").write_text(json.dumps(values, indent=1) + "\n", "utf-8")
        print(name, {label: found["system"] for label, found in values.items()})


def own_cases(small: Path) -> Iterator[Case]:
    """Cases whose texts are here, with a small table of paraphrases."""
    demo = ROOT / "examples/demo"
    both = [_lines(demo / f"ref.{name}.txt") for name in "AB"]
    for form in FORMS:
        for path in sorted((demo / "systems").glob("*.txt")):
            yield Case(f"demo.{form}", path.stem, _lines(path), both, "en", form, small)
    for lang in WMT:
        pairs = [line.split("\t") for line in _lines(GOLDEN / f"tricky.{lang}.tsv")]
        hypotheses, reference = ([pair[side] for pair in pairs] for side in (0, 1))
        for form in FORMS if lang == "en" else ("ex", "st"):
            name = f"tricky.{lang}.{form}"
            yield Case(name, "tricky", hypotheses, [reference], lang, form, small)


def wmt_cases(data: Path) -> Iterator[Case]:
    """Cases of third parties' texts."""
    for lang, (text, system) in WMT.items():
        if not (data / text).is_file():
            print(f"{data / text} is not there: left out")
            continue
        reference = _lines(data / text)[:SEGMENTS]
        hypotheses = _lines(data / system)[:SEGMENTS] if system else shaken(reference)
        for form in FORMS if lang == "en" else ("ex", "st"):
            yield Case(f"wmt.{lang}.{form}", system or text, hypotheses, [reference], lang, form)


def shaken(lines: Sequence[str]) -> list[str]:
    """Lines in which some words are dropped, some neighbours swapped, some words cut short."""
    chance = random.Random(1)
    made = []
    for line in lines:
        words = [word for word in line.split() if chance.random() > 0.15]
        for k in range(len(words) - 1):
            if chance.random() < 0.15:
                words[k], words[k + 1] = words[k + 1], words[k]
        cut = [word[:-1] if len(word) > 5 and chance.random() < 0.15 else word for word in words]
        made.append(" ".join(cut))
    return made


def _jar(jar: Path, case: Case) -> dict[str, Any]:
    """METEOR's scores of the segments and of the whole, with the command that gave them."""
    norm = [] if case.lang == "it" else ["-norm"]
    options = ["-l", case.lang, *norm, *FORMS[case.form], "-r", str(len(case.references))]
    if case.form == "pa" and case.table:
        options += ["-a", str(case.table)]
    with tempfile.TemporaryDirectory() as folder:
        test, reference = Path(folder, "hyp"), Path(folder, "ref")
        test.write_text("\n".join(case.hypotheses) + "\n", "utf-8")
        together = [line for group in zip(*case.references, strict=True) for line in group]
        reference.write_text("\n".join(together) + "\n", "utf-8")
        java = ["java", "-Dfile.encoding=UTF-8", "-Xmx2G", "-jar", str(jar)]
        printed = subprocess.run(
            [*java, str(test), str(reference), *options], check=True, capture_output=True, text=True
        ).stdout.splitlines()
    shown = " ".join(f"'{o}'" if " " in o else Path(o).name for o in options)
    found = {
        start: [round(float(line.split()[-1]), 10) for line in printed if line.startswith(start)]
        for start in ("Final", "Segment ")
    }
    return {
        "command": f"java -Xmx2G -jar meteor-1.5.jar hyp ref {shown}",
        "system": found["Final"][0],
        "segments": found["Segment "],
    }


def compare(case: Case, table: Path | None = None) -> tuple[np.ndarray, float]:
    """How far our scores of the segments, and of the whole, are from the golden values."""
    golden = json.loads((GOLDEN / f"{case.name}.json").read_text("utf-8"))[case.label]
    references = {str(k): tuple(lines) for k, lines in enumerate(case.references)}
    evalset = EvalSet(references, {"s": tuple(case.hypotheses)}, target_lang=case.lang)
    spec = f"meteor-pa(table={case.table or table})" if case.form == "pa" else f"meteor-{case.form}"
    column = next(iter(score(evalset, [metric(spec)]).columns.values()))
    apart = np.abs(column.at("segment")[0] - golden["segments"])
    return apart, abs(float(column.system[0]) - golden["system"])


def _print_comparison(case: Case, table: Path | None) -> None:
    if case.form == "pa" and (case.table or table) is None:
        print(f"{case.name:14} {case.label:45} not compared: needs --table")
        return
    apart, whole = compare(case, table)
    print(
        f"{case.name:14} {case.label:45} {len(apart):5} segments, within .001: "
        f"{np.mean(apart <= 0.001):8.3%}, largest {apart.max():.1e}; system apart {whole:.1e}"
    )


def _lines(path: Path) -> list[str]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return data.decode("utf-8").split("\n")[:-1]


if __name__ == "__main__":
    main()
