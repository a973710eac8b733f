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
import textwrap
from collections import Counter
from itertools import islice
from pathlib import Path

from albeit.resources.wordnet import wordnet
from albeit.resources.words import rarity

DATA = Path(__file__).resolve().parents[1] / "src/albeit/resources/data"
LEAST, SHARE = 2, 0.03
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
        _loan_words(args.lang)
        | {
            word
            for word, count in theirs.items()
            if count >= LEAST
            and count >= SHARE * english[word]
            and (word in known or wordnet().base_forms(word))
        }
    )
    lines = textwrap.fill(" ".join(shared), 99, break_long_words=False, break_on_hyphens=False)
    output = DATA / f"shared.{args.lang}.txt"
    output.write_text(HEADER + lines + "\n", "utf-8")
    print(f"{output}: {len(shared)} words")


def _loan_words(lang: str) -> set[str]:
    """Return words that such texts do not hold often enough."""
    path = Path(__file__).with_name(f"loan_words.{lang}.txt")
    lines = path.read_text("utf-8").splitlines()[1:] if path.exists() else []
    return {word for line in lines for word in line.split()}


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
