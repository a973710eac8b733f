"""Build ``src/albeit/resources/data/rarity.en.txt``: how rare English words are in sentences.

A word's rarity is log((n + 1) / (sentences with it + 1)), rounded to quarters, over the
distinct sentences of the texts given. Words in fewer than three sentences are left out;
they count as new words, with the rarity log(n + 1).

    PYTHONPATH=src python tools/build_rarity.py ../shared/data/bitext/en-*/en.txt.gz
"""

from __future__ import annotations

import argparse
import gzip
import math
from collections import Counter, defaultdict
from pathlib import Path

from albeit.parsing.tokenize import tokenize

OUTPUT = Path(__file__).resolve().parents[1] / "src/albeit/resources/data/rarity.en.txt"
LEAST = 3
STEP = 0.25
HEADER = """\
# Rarity of English words in sentences: the number before each line's words; "*" is a new word.
# Made by tools/build_rarity.py; see NOTICE.
"""


def main() -> None:
    """Count sentences with each word, write words by rarity."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "texts", type=Path, nargs="+", help="gzip-compressed text, one sentence a line"
    )
    sentences: set[str] = set()
    for path in parser.parse_args().texts:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            sentences.update(line.strip() for line in lines if "\ufffd" not in line)
    sentences.discard("")
    counts: Counter[str] = Counter()
    for sentence in sentences:
        counts.update({form.lower() for form in tokenize(sentence).forms})
    top = len(sentences) + 1
    bands: defaultdict[float, list[str]] = defaultdict(list)
    for word, count in counts.items():
        if count >= LEAST and not any(c.isspace() for c in word) and word != "*":
            bands[round(math.log(top / (count + 1)) / STEP) * STEP].append(word)
    bands[round(math.log(top) / STEP) * STEP].append("*")
    lines_out = [f"{band:g} {' '.join(sorted(words))}" for band, words in sorted(bands.items())]
    OUTPUT.write_text(HEADER + "\n".join(lines_out) + "\n", "utf-8")
    print(f"{OUTPUT}: {sum(map(len, bands.values()))} words of {len(sentences)} sentences")


if __name__ == "__main__":
    main()
