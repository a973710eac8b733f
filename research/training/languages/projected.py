"""EDU starts carried over from English: the English model cuts one side, words aligned by meaning cut the other.

    python -m training.languages.projected --data ../shared/data --discourse UNPACKED --ud UNPACKED --out FILE

Only pairs of lines are kept whose units come in one piece each; the rest say nothing. What is
written may ship: Europarl, WMT's texts, PUD.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from training.corpora import conllu

Pair = tuple[str, str, str]
"""Language, English text, the other text."""
OPENING = frozenset("([{«“„‘¿¡（《「『")
BATCH = 512
FAR = 4
"""Between two units no more words than this may be without a link."""


def _lines(path: Path) -> list[str]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return text.decode("utf-8").split("\n")[:-1]


def _both(lang: str, english: Path, other: Path) -> list[Pair]:
    pairs = zip(_lines(english), _lines(other), strict=True)
    return [(lang, a, b) for a, b in pairs if a.strip() and b.strip() and "�" not in a + b]


def pairs(data: Path, discourse: Path, ud: Path, most: int, seed: int = 5) -> list[Pair]:
    """Texts with their translations: all there are, or a sample of `most` a source."""
    found: list[list[Pair]] = []
    for lang in ("de", "fr", "it"):
        folder = data / f"bitext/en-{lang}"
        found.append(_both(lang, folder / "en.txt.gz", folder / f"{lang}.txt.gz"))
    for year, lang in itertools.product(("wmt12", "wmt13"), ("de", "es", "fr")):
        folder = data / f"{year}/{lang}-en"
        found.append(_both(lang, folder / "ref.txt", folder / "src.txt"))
    for lang in ("ru", "ja"):
        folder = data / f"wmt21/{lang}-en"
        found.append(_both(lang, folder / "refA.txt", folder / "src.txt"))
    for name in ("newstest21-mqm", "wmt23-mqm"):
        for first, second in (("zh", "en"), ("en", "de")):
            folder = discourse / name / f"{first}-{second}"
            reference = next(p for n in ("ref.txt", "refA.txt") if (p := folder / n).exists())
            sides = (reference, folder / "src.txt")
            found.append(
                _both(first if second == "en" else second, *sides[:: 1 if second == "en" else -1])
            )
    folder = discourse / "wmt24-esa/en-zh"
    found.append(_both("zh", folder / "src.txt", folder / "ref.txt"))
    english = {s.comments["sent_id"]: s.comments["text"] for s in _pud(ud, "en")}
    for lang in ("de", "es", "fr", "it", "ru", "zh"):
        texts = {s.comments["sent_id"]: s.comments["text"] for s in _pud(ud, lang)}
        found.append([(lang, english[k], texts[k]) for k in sorted(english.keys() & texts.keys())])
    rng = random.Random(seed)
    return [pair for one in found for pair in rng.sample(one, min(most, len(one)))]


def _pud(ud: Path, lang: str) -> Iterator[conllu.Sentence]:
    (path,) = ud.glob(f"*/{lang}_pud-ud-test.conllu")
    return conllu.read(path)


def carried(
    owner: Sequence[int], links: Sequence[tuple[int, int]], words: Sequence[str]
) -> list[int] | None:
    """Where units begin among `words`, given the unit of each English word and the links; None
    where a unit is torn or has no word."""
    said: dict[int, Counter[int]] = {}
    for i, j in links:
        if any(c.isalnum() for c in words[j]):
            said.setdefault(j, Counter())[owner[i]] += 1
    row = [(j, said[j].most_common(1)[0][0]) for j in sorted(said)]
    kept = [
        one
        for k, one in enumerate(row)
        if not (0 < k < len(row) - 1 and row[k - 1][1] == row[k + 1][1] != one[1])
    ]
    runs = [
        (unit, [j for j, _ in group]) for unit, group in itertools.groupby(kept, lambda x: x[1])
    ]
    if len(runs) != owner[-1] + 1 or len({unit for unit, _ in runs}) != len(runs):
        return None
    starts = [0]
    for (_, before), (_, after) in itertools.pairwise(runs):
        if after[0] - before[-1] > FAR:
            return None
        starts.append(_between(before[-1] + 1, after[0], words))
    sizes = Counter(owner)
    for (unit, linked), first, last in zip(runs, starts, [*starts[1:], len(words)], strict=True):
        size = last - first
        if size < 2 or not 0.4 < size / sizes[unit] < 2.5 or len(linked) < 0.3 * size:
            return None
    return starts


def _between(first: int, last: int, words: Sequence[str]) -> int:
    """The start in `first` to `last`: after punctuation, before what opens, else as early as can be."""
    for k in range(last - 1, first - 1, -1):
        if words[k] in OPENING:
            return k
        if not any(c.isalnum() for c in words[k]):
            return k + 1
    return first


def project(given: Sequence[Pair]) -> Iterator[dict[str, object]]:
    """The sentences that could be cut."""
    from albeit.annotate import annotate
    from albeit.annotate.alignment.meaning import meaning_align
    from albeit.annotate.layers import EDUS, SENTENCES, TOKENS
    from albeit.annotate.multilingual.words import cut_words

    found = annotate([english for _, english, _ in given], frozenset({EDUS, SENTENCES}))
    chosen = [(*pair, found[pair[1]]) for pair in given if len(found[pair[1]][SENTENCES]) == 1]
    ours = [one[TOKENS].forms for *_, one in chosen]
    theirs = [cut_words(text).forms for _, _, text, _ in chosen]
    for (lang, *_, one), left, words, links in zip(
        chosen, ours, theirs, meaning_align(ours, theirs), strict=True
    ):
        if not 3 < len(words) < 80 or not 0.5 < len(left) / len(words) < 2:
            continue
        owner = [k for k, (a, b) in enumerate(one[EDUS]) for _ in range(a, b)]
        starts = carried(owner, links, words)
        if starts is not None:
            yield {"lang": lang, "words": list(words), "starts": starts}


def main() -> None:
    """Read, project, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--discourse", type=Path, required=True)
    parser.add_argument("--ud", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--most", type=int, default=6000, help="pairs of one source")
    args = parser.parse_args()
    given = pairs(args.data, args.discourse, args.ud, args.most)
    tried, kept, units = Counter(lang for lang, *_ in given), Counter[str](), Counter[str]()
    random.Random(7).shuffle(given)
    with args.out.open("w", encoding="utf-8") as file:
        for at in range(0, len(given), BATCH):
            for row in project(given[at : at + BATCH]):
                lang, starts = str(row["lang"]), row["starts"]
                kept[lang] += 1
                units[lang] += len(starts) if isinstance(starts, list) else 0
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()
    for lang in sorted(tried):
        print(f"{lang} kept {kept[lang]} of {tried[lang]}, {units[lang]} units")


if __name__ == "__main__":
    main()
