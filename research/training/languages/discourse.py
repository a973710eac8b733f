"""Pack the discourse corpora of many languages for training.

    python -m training.languages.discourse --gum GUM --corpora RST-MULTILINGUAL --umuc UMUC --ud UD --ewt EWT-PROPBANK --projected FILE --out FILE

All but the last two are unpacked archives; `--projected` is what `training.languages.projected` wrote.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from training.judge.store import Array, save
from training.languages.corpora import (
    CORPORA,
    NUCLEARITIES,
    PARTS,
    RELATIONS,
    Sentence,
    Tree,
    disrpt,
    gum,
    is_unspaced,
    treebanks,
    trees,
    written,
)

FREE = ("gsd", "pud")
"""Treebanks whose licence lets weights ship (CC BY-SA); the others are non-commercial."""
LONGEST = 120
"""Subwords that are read at once in a document; a sentence that is longer is read in parts."""


def pack_sentences(sentences: list[Sentence]) -> dict[str, Array]:
    """Subwords, and for each in which a word begins what is known of that word (−1: nothing).

    A word that begins within a subword is lost; `lost` counts EDU starts that are, by sentence.
    """
    from albeit.annotate.multilingual.pieces import pieces_of

    texts, places = zip(*(written(s.words) for s in sentences), strict=True)
    cut = pieces_of(texts)
    rows = {name: np.full(sum(map(len, cut)), -1, np.int8) for name in ("gold", "tag", "relation")}
    clauses = np.zeros(len(rows["gold"]), np.uint8)
    lost = np.zeros(len(sentences), np.int16)
    at = 0
    for number, (sentence, where, one) in enumerate(zip(sentences, places, cut, strict=True)):
        begin = {int(a): k for k, a in reversed(list(enumerate(one.spans[:, 0].tolist())))}
        starts = None if sentence.starts is None else set(sentence.starts)
        for word, place in enumerate(where):
            k = begin.get(place)
            if k is None:
                lost[number] += starts is not None and word in starts
                continue
            if starts is not None:
                rows["gold"][at + k] = word in starts
            if sentence.syntax is not None:
                rows["tag"][at + k] = sentence.syntax.tags[word]
                rows["relation"][at + k] = sentence.syntax.relations[word]
                clauses[at + k] = sentence.syntax.clauses[word]
        at += len(one)
    return {
        "ids": np.concatenate([p.ids for p in cut]).astype(np.int32),
        "sizes": np.array([len(p) for p in cut], np.int32),
        **rows,
        "clauses": clauses,
        "lost": lost,
        "corpus": np.array([CORPORA.index(s.corpus) for s in sentences], np.int8),
        "part": np.array([PARTS.index(s.part) for s in sentences], np.int8),
    }


def pack_trees(documents: list[Tree]) -> dict[str, Array]:
    """Subwords by EDU, cut in their sentences; where a sentence (or a part of it) ends; the nodes."""
    from albeit.annotate.multilingual.pieces import pieces_of

    groups: list[list[str]] = []
    breaks: list[bool] = []
    for document in documents:
        group: list[str] = []
        size = 0
        for k, (edu, end) in enumerate(zip(document.edus, document.ends, strict=True)):
            group.append(edu)
            size += len(pieces_of([edu])[0])
            breaks.append(end or size > LONGEST or k == len(document.edus) - 1)
            if breaks[-1]:
                groups.append(group)
                group, size = [], 0
    ids: list[Array] = []
    sizes: list[int] = []
    for group in groups:
        text, offsets = "", []
        for edu in group:
            text += "" if not text or is_unspaced(text[-1], edu) else " "
            offsets.append(len(text))
            text += edu
        (one,) = pieces_of([text])
        bounds = [0, *np.searchsorted(one.spans[:, 0], offsets[1:]).tolist(), len(one)]
        own = np.diff(bounds).tolist()
        if min(own) > 0:
            ids.append(one.ids)
            sizes += own
        else:
            alone = pieces_of([edu or "-" for edu in group])
            ids += [p.ids for p in alone]
            sizes += [len(p) for p in alone]
    labels = [
        (a, b, m, NUCLEARITIES.index(nuclearity), RELATIONS.index(relation))
        for tree in documents
        for a, b, m, nuclearity, relation in tree.nodes
    ]
    return {
        "tree_ids": np.concatenate(ids).astype(np.int32),
        "tree_sizes": np.array(sizes, np.int16),
        "tree_ends": np.array([end for t in documents for end in t.ends], np.bool_),
        "tree_breaks": np.array(breaks, np.bool_),
        "tree_edus": np.array([len(t.edus) for t in documents], np.int32),
        "tree_nodes": np.array(labels, np.int16),
        "tree_corpus": np.array([CORPORA.index(t.corpus) for t in documents], np.int8),
        "tree_part": np.array([PARTS.index(t.part) for t in documents], np.int8),
    }


def projected(path: Path) -> list[Sentence]:
    """EDU starts carried over from English."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [Sentence("projected", "train", row["words"], row["starts"]) for row in rows]


def main() -> None:
    """Read, pack, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("gum", "corpora", "umuc", "ud", "ewt", "projected", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    args = parser.parse_args()
    sentences, documents = gum(args.gum)
    for corpus in CORPORA[1:15]:
        sentences += disrpt(args.corpora / "disrpt", corpus)
    free = [
        p
        for p in sorted(args.ud.glob("*/*.conllu"))
        if p.name.split("-")[0].split("_")[1].startswith(FREE)
    ]
    sentences += treebanks("ud", free)
    sentences += treebanks("ewt", sorted((args.ewt / "not-to-release/sources").rglob("*.conllu")))
    sentences += projected(args.projected)
    documents += trees(args.corpora, args.umuc)
    documents = [tree for tree in documents if len(tree.nodes) == len(tree.edus) - 1 > 0]
    arrays = {**pack_sentences(sentences), **pack_trees(documents)}
    save({**arrays, "labels": np.frombuffer(json.dumps(CORPORA).encode(), np.uint8)}, args.out)
    piece_sentence = np.repeat(np.arange(len(arrays["sizes"])), arrays["sizes"])
    for k, corpus in enumerate(CORPORA):
        own = arrays["corpus"] == k
        counts = [int((own & (arrays["part"] == p)).sum()) for p in range(3)]
        nodes = [
            int(((arrays["tree_corpus"] == k) & (arrays["tree_part"] == p)).sum()) for p in range(3)
        ]
        starts = int((arrays["gold"][own[piece_sentence]] == 1).sum())
        lost = int(arrays["lost"][own].sum())
        print(f"{corpus:18} sentences {counts} trees {nodes} starts {starts}, lost {lost}")
    print(f"{len(arrays['ids'])} subwords, {args.out.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
