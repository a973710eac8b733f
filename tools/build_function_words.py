"""Build ``src/albeit/resources/data/function.en.txt``: the words METEOR 1.5 takes as function
words.

METEOR calls function words those with a relative frequency above 10^-3 in its authors' texts.
Those texts are not at hand, so a borderline word cannot be decided by counting. This script takes
every token of texts of your own, and all punctuation, and asks METEOR about each: a segment of
that one word is scored, and the printed statistics say whether it counted as a function word. Only
observed answers are recorded. METEOR 1.5 has the same answers for every language.

    python tools/build_function_words.py --jar meteor-1.5.jar NEWS.txt MORE.txt.gz
"""

from __future__ import annotations

import argparse
import gzip
import subprocess
import tempfile
import unicodedata
from pathlib import Path

from albeit.metrics.lexical.tokenizers import tokenize_meteor

OUTPUT = Path(__file__).resolve().parents[1] / "src/albeit/resources/data/function.en.txt"
_BRACKETS = ("-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-")
"""Brackets as the Penn Treebank writes them."""
HEADER = """\
# Function words of English: tokens that METEOR 1.5 was observed to treat as such.
# Made by tools/build_function_words.py; see NOTICE.
"""


def main() -> None:
    """Count, ask, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jar", type=Path, required=True, help="METEOR's meteor-1.5.jar")
    parser.add_argument("texts", type=Path, nargs="+", help="texts, one segment a line")
    options = parser.parse_args()

    others = set(_BRACKETS)
    others.update(c for c in map(chr, range(0x2100)) if unicodedata.category(c)[0] in "PS")
    for path in options.texts:
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                others.update(tokenize_meteor(line, "en"))
                others.update(line.lower().split())
    candidates = sorted(word for word in others if not word.isspace())
    answers = _ask(options.jar, candidates)
    observed = {word for word, yes in zip(candidates, answers, strict=True) if yes}
    OUTPUT.write_text(HEADER + "\n".join(sorted(observed)) + "\n", "utf-8")
    print(f"{OUTPUT}: {len(observed)} of {len(candidates)} candidates")


def _ask(jar: Path, words: list[str]) -> list[bool]:
    """Whether METEOR counts each word as a function word: the third statistic it prints."""
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "words")
        text.write_text("\n".join(words) + "\n", "utf-8")
        command = ["java", "-Dfile.encoding=UTF-8", "-jar", str(jar), str(text), str(text)]
        command += ["-l", "en", "-m", "exact", "-ssOut"]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in printed.splitlines() if line[:1].isdigit()]
    return [float(row[2]) > 0 for row in rows[: len(words)]]


if __name__ == "__main__":
    main()
