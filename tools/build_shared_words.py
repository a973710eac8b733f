"""Build ``src/albeit/resources/data/shared.XX.txt``: English words that a language writes too.

*international* is German and English; *government* in a German text is English. A word counts
that is written in lower case in texts of the language at least ``LEAST`` times, and at least
``SHARE`` times as often as in the English sentences beside them, so that English quotations do not
count.

    PYTHONPATH=src python tools/build_shared_words.py de LANGUAGE.txt[.gz] ENGLISH.txt[.gz] ...
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections import Counter
from itertools import islice
from pathlib import Path

from albeit.resources import rarity, wordnet

DATA = Path(__file__).resolve().parents[1] / "src/albeit/resources/data"
LEAST, SHARE = 2, 0.03
WRITTEN = {
    "de": "live online offline viral invasive fragile fair clever cool national regional global digital"
    " total normal neutral original super smart sexy trendy happy optimal maximal minimal marginal"
    " formal verbal oral mental fit light relevant dominant elegant"
    " abnormal banal brutal diagonal dental emotional eminent exorbitant extravagant fatal feudal"
    " final frontal frugal genial hormonal horizontal ignorant illegal immanent impotent infernal"
    " instrumental intelligent intolerant irrational irrelevant jovial latent lateral legal liberal"
    " loyal medial modern monumental multilateral nominal orthogonal oval parallel penetrant"
    " permanent plural potent prominent proportional rational redundant resident sentimental"
    " stringent territorial tolerant transparent transversal trivial universal urban virulent vital"
    " blind blond mild warm wild orange pink beige gold high hot open soft heavy low remote native"
    " fake basic casual vintage retro premium stylish crazy nice easy solo mega ultra mini maxi"
    "",
}
"""Loan words that such texts do not hold often enough."""
HEADER = """\
# English words that this language writes too, in lower case.
# Made by tools/build_shared_words.py; see NOTICE.
"""


def main() -> None:
    """Count lower-case words on both sides, write those that both have."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lang")
    parser.add_argument("texts", type=Path, nargs="+", help="pairs of files: the language, English")
    args = parser.parse_args()
    known = rarity("en")
    counts = [Counter[str](), Counter[str]()]
    for place, path in enumerate(args.texts):
        counts[place % 2].update(_words(path))
    theirs, english = counts
    shared = sorted(
        set(WRITTEN.get(args.lang, "").split())
        | {
            word
            for word, count in theirs.items()
            if count >= LEAST
            and count >= SHARE * english[word]
            and (word in known or wordnet().base_forms(word))
        }
    )
    lines, line = [], ""
    for word in shared:
        if len(line) + len(word) > 98:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    output = DATA / f"shared.{args.lang}.txt"
    output.write_text(HEADER + "\n".join([*lines, line]) + "\n", "utf-8")
    print(f"{output}: {len(shared)} words")


def _words(path: Path) -> Counter[str]:
    """Lower-case ASCII words of at least three letters."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        found = Counter[str]()
        while block := list(islice(lines, 10000)):
            found.update(re.findall(r"(?<![\w-])[a-z]{3,}(?![\w-])", "".join(block)))
    return found


if __name__ == "__main__":
    main()
