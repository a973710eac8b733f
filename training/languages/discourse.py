"""Discourse corpora in many languages: sentences with EDU starts, documents with RST trees.

    python -m training.languages.discourse --gum GUM --sentences GUM-SENTENCES --corpora RST-MULTILINGUAL --out FILE

`--gum`, `--sentences` and `--corpora` are the unpacked archives. Words are put together as they would
be written; relations are mapped to GUM's coarse set (`COARSE`).
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from training.corpora.documents import document, splits
from training.judge.store import Array, save
from training.rows import Node

PARTS = ("train", "dev", "test")
CORPORA = (
    "gum", "deu.rst.pcc", "spa.rst.rststb", "spa.rst.sctb", "por.rst.cstn", "nld.rst.nldt",
    "fra.sdrt.annodis", "zho.rst.gcdt", "zho.rst.sctb", "zho.dep.scidtb", "rus.rst.rrt",
    "eus.rst.ert", "fas.rst.prstc", "eng.dep.scidtb", "eng.dep.covdtb",
)  # fmt: skip
NUCLEARITIES = ("NS", "SN", "NN")
RELATIONS = (
    "adversative", "attribution", "causal", "context", "contingency", "elaboration", "evaluation",
    "explanation", "joint", "mode", "organization", "purpose", "restatement", "same-unit", "topic",
)  # fmt: skip
COARSE = {
    "antithesis": "adversative", "concession": "adversative", "contrast": "adversative",
    "cause": "causal", "result": "causal", "reason": "explanation", "evidence": "explanation",
    "justify": "explanation", "motivation": "explanation", "enablement": "explanation",
    "background": "context", "circumstance": "context", "preparation": "organization",
    "condition": "contingency", "otherwise": "contingency", "unless": "contingency",
    "unconditional": "contingency", "e": "elaboration", "interpretation": "evaluation",
    "list": "joint", "conjunction": "joint", "sequence": "joint", "disjunction": "joint",
    "means": "mode", "summary": "restatement", "solutionhood": "topic", "sameunit": "same-unit",
    "unstated": "joint",
}  # fmt: skip
"""The Potsdam corpus's relations, by the part before the hyphen, as GUM's classes; others keep their name."""
_NO_SPACE_BEFORE = re.compile(r"[.,;:!?%)\]}»”’…]+$|^['’](?:s|re|ve|ll|d|m|t)$|^n['’]t$")
_NO_SPACE_AFTER = re.compile(r"^[(\[{«“„¿¡‘]$|['’]$")
_UNSPACED = re.compile("[぀-ヿ㐀-䶿一-鿿，。！？；：、“”（）《》]")
_ENDS = re.compile(r"[.!?…。！？:：][\"'”’»)）]*$")


@dataclass(slots=True)
class Sentence:
    """Words, and which of them begin an EDU."""

    corpus: str
    part: str
    words: list[str]
    starts: list[int]


@dataclass(slots=True)
class Tree:
    """The EDUs of a document as texts, and the nodes of the tree over them."""

    corpus: str
    part: str
    edus: list[str]
    nodes: list[Node]


def written(words: list[str]) -> tuple[str, list[int]]:
    """The words as one text, and where each begins."""
    text, places = "", []
    for k, word in enumerate(words):
        before = words[k - 1] if k else ""
        glued = (
            not text
            or _NO_SPACE_BEFORE.search(word)
            or _NO_SPACE_AFTER.search(before)
            or _UNSPACED.match(word)
            or _UNSPACED.match(before[-1:])
        )
        text += "" if glued else " "
        places.append(len(text))
        text += word
    return text, places


def _gum_sentences(folder: Path) -> Iterator[Sentence]:
    for part in PARTS:
        for line in (folder / f"{part}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield Sentence("gum", part, row["tokens"], row["edu_starts"])


def _disrpt(folder: Path, corpus: str) -> Iterator[Sentence]:
    for part in PARTS:
        path = folder / corpus / f"{corpus}_{part}.conllu"
        if not path.exists():
            continue
        for block in path.read_text(encoding="utf-8").split("\n\n"):
            rows = [line.split("\t") for line in block.splitlines() if re.match(r"\d+\t", line)]
            if rows:
                starts = [k for k, r in enumerate(rows) if re.search(r"Seg=(B-seg|Yes)", r[9])]
                yield Sentence(corpus, part, [r[1] for r in rows], starts)


def coarse(relation: str) -> str:
    """The class of a relation of any of the corpora."""
    name = relation.lower()
    first = name if name == "same-unit" else name.split("-")[0]
    return COARSE.get(first, first)


def _gum_trees(gum: Path) -> Iterator[Tree]:
    for part, names in splits(gum / "splits.md").items():
        if part not in PARTS:
            continue
        for name in names:
            one = document(gum, name)
            edus = []
            for row in one.rows:
                starts = [*(row.edus or []), len(row.words)]
                edus += [written(row.words[a:b])[0] for a, b in itertools.pairwise(starts)]
            yield Tree("gum", part, edus, one.tree.nodes())


def _rs3_trees(corpus: str, part: str, path: Path) -> Tree:
    from albeit.annotate.formats.rs3 import read_rs3
    from albeit.annotate.layers import EDUS, RST, TOKENS

    found = read_rs3(path.read_text(encoding="utf-8"), path=path)[0]
    forms, edus, root = found[TOKENS].forms, found[EDUS], found[RST]
    texts = [written(list(forms[span[0] : span[1]]))[0] for span in edus]
    nodes: list[Node] = [
        (node.first, node.last, node.left.last, str(node.nuclearity), coarse(node.relation))
        for node in (root.walk() if root else ())
        if node.left is not None
    ]
    return Tree(corpus, part, texts, nodes)


def _potsdam(corpora: Path) -> Iterator[Tree]:
    """The documents of the Potsdam corpus in DISRPT's parts."""
    for part in PARTS:
        text = (corpora / f"disrpt/deu.rst.pcc/deu.rst.pcc_{part}.conllu").read_text(
            encoding="utf-8"
        )
        for name in re.findall(r"# newdoc_id = (\S+)", text):
            yield _rs3_trees("deu.rst.pcc", part, corpora / f"trees/deu.pcc/rs3/{name}.rs3")


def _chinese(corpora: Path) -> Iterator[Tree]:
    for part in PARTS:
        for path in sorted((corpora / "trees/zho.gcdt/rs3" / part).glob("*.rs3")):
            yield _rs3_trees("zho.rst.gcdt", part, path)


def pack_sentences(sentences: list[Sentence]) -> dict[str, Array]:
    """Subwords, words by the subword they begin in (−1: in one that began before), EDU starts."""
    from albeit.annotate.multilingual.pieces import pieces_of

    texts, places = zip(*(written(s.words) for s in sentences), strict=True)
    cut = pieces_of(texts)
    word_piece, word_gold = [], []
    for sentence, where, one in zip(sentences, places, cut, strict=True):
        begin = {int(a): k for k, a in reversed(list(enumerate(one.spans[:, 0].tolist())))}
        starts = set(sentence.starts)
        for number, place in enumerate(where):
            word_piece.append(begin.get(place, -1))
            word_gold.append(number in starts)
    return {
        "ids": np.concatenate([p.ids for p in cut]).astype(np.int32),
        "sizes": np.array([len(p) for p in cut], np.int32),
        "words": np.array([len(s.words) for s in sentences], np.int32),
        "word_piece": np.array(word_piece, np.int16),
        "word_gold": np.array(word_gold, np.bool_),
        "corpus": np.array([CORPORA.index(s.corpus) for s in sentences], np.int8),
        "part": np.array([PARTS.index(s.part) for s in sentences], np.int8),
    }


def pack_trees(trees: list[Tree]) -> dict[str, Array]:
    """Subwords by EDU, whether an EDU ends a sentence, and the nodes."""
    from albeit.annotate.multilingual.pieces import pieces_of

    cut = pieces_of([edu for tree in trees for edu in tree.edus])
    labels = [
        (a, b, m, NUCLEARITIES.index(nuclearity), RELATIONS.index(relation))
        for tree in trees
        for a, b, m, nuclearity, relation in tree.nodes
    ]
    return {
        "tree_ids": np.concatenate([p.ids for p in cut]).astype(np.int32),
        "tree_sizes": np.array([len(p) for p in cut], np.int32),
        "tree_ends": np.array([bool(_ENDS.search(e)) for t in trees for e in t.edus], np.bool_),
        "tree_edus": np.array([len(t.edus) for t in trees], np.int32),
        "tree_nodes": np.array(labels, np.int16),
        "tree_node_count": np.array([len(t.nodes) for t in trees], np.int32),
        "tree_corpus": np.array([CORPORA.index(t.corpus) for t in trees], np.int8),
        "tree_part": np.array([PARTS.index(t.part) for t in trees], np.int8),
    }


def main() -> None:
    """Read, pack, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gum", type=Path, required=True)
    parser.add_argument("--sentences", type=Path, required=True)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    sentences = [*_gum_sentences(args.sentences)]
    for corpus in CORPORA[1:]:
        sentences += _disrpt(args.corpora / "disrpt", corpus)
    trees = [*_gum_trees(args.gum), *_potsdam(args.corpora), *_chinese(args.corpora)]
    arrays = {**pack_sentences(sentences), **pack_trees(trees)}
    save({**arrays, "labels": np.frombuffer(json.dumps(CORPORA).encode(), np.uint8)}, args.out)
    for k, corpus in enumerate(CORPORA):
        counts = [int(((arrays["corpus"] == k) & (arrays["part"] == p)).sum()) for p in range(3)]
        documents = [
            int(((arrays["tree_corpus"] == k) & (arrays["tree_part"] == p)).sum()) for p in range(3)
        ]
        print(f"{corpus:18} sentences {counts} trees {documents}")
    lost = (arrays["word_piece"] < 0) & arrays["word_gold"]
    print(f"{lost.sum()} of {arrays['word_gold'].sum()} EDU starts lie within a subword")
    print(f"{args.out.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
