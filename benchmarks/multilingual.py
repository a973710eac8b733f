"""How many sentences the multilingual encoder reads a second: words, subwords and vectors.

    ALBEIT_THREADS=1 python benchmarks/multilingual.py

The parallel sentences of Universal Dependencies (PUD), without the cache. Seconds are those of the
processor, so that other jobs on the machine count little.
"""

from __future__ import annotations

import tarfile
import time
from pathlib import Path

from _common import arguments, show

from albeit.annotate.multilingual.states import read_texts

LANGUAGES = ("de", "fr", "ru", "zh")


def sentences(archive: Path) -> dict[str, list[str]]:
    """The texts of PUD by language."""
    found: dict[str, list[str]] = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            name = Path(member.name).name
            lang = name.split("_")[0]
            handle = tar.extractfile(member) if "_pud-" in name and lang in LANGUAGES else None
            if handle is not None:
                lines = handle.read().decode().splitlines()
                found[lang] = [line[9:] for line in lines if line.startswith("# text = ")]
    return found


def main() -> None:
    """Read each language twice; the second time counts."""
    options = arguments("Sentences a second of the multilingual encoder.").parse_args()
    rows = []
    for lang, texts in sorted(sentences(options.data / "ud-multilingual.tar.xz").items()):
        for _ in range(2):
            started = time.process_time()
            subwords = sum(len(text.ids) for text in read_texts(texts))
            seconds = time.process_time() - started
        rows.append(
            {
                "language": lang,
                "sentences": len(texts),
                "subwords each": subwords / len(texts),
                "sentences a second": len(texts) / seconds,
            }
        )
    show(rows, options.format)


if __name__ == "__main__":
    main()
