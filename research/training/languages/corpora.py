"""Discourse corpora in many languages: sentences with EDU starts and syntax, documents with RST trees.

Words are put together as they would be written; relations are mapped to GUM's coarse set (`COARSE`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from albeit.errors import InputError
from training.corpora import conllu
from training.corpora.documents import document, splits
from training.languages.syntax import Syntax, syntax
from training.rows import Node

PARTS = ("train", "dev", "test")
CORPORA = (
    "gum",
    "deu.rst.pcc",
    "spa.rst.rststb",
    "spa.rst.sctb",
    "por.rst.cstn",
    "nld.rst.nldt",
    "fra.sdrt.annodis",
    "zho.rst.gcdt",
    "zho.rst.sctb",
    "zho.dep.scidtb",
    "rus.rst.rrt",
    "eus.rst.ert",
    "fas.rst.prstc",
    "eng.dep.scidtb",
    "eng.dep.covdtb",
    "umuc",
    "deu.apa",
    "ud",
    "ewt",
    "projected",
)
"""The last ones: speeches and news with trees (no EDU starts are learnt from them), treebanks that
have syntax alone, and EDU starts carried over from English."""
NO_TRAINING_PART = "rus.rst.rrt"
"""The first four fifths of its development part are learnt from."""
NUCLEARITIES = ("NS", "SN", "NN")
RELATIONS = (
    "adversative",
    "attribution",
    "causal",
    "context",
    "contingency",
    "elaboration",
    "evaluation",
    "explanation",
    "joint",
    "mode",
    "organization",
    "purpose",
    "restatement",
    "same-unit",
    "topic",
)
COARSE = {
    "antithesis": "adversative",
    "concession": "adversative",
    "contrast": "adversative",
    "cause": "causal",
    "result": "causal",
    "reason": "explanation",
    "evidence": "explanation",
    "justify": "explanation",
    "motivation": "explanation",
    "enablement": "explanation",
    "background": "context",
    "circumstance": "context",
    "preparation": "organization",
    "condition": "contingency",
    "otherwise": "contingency",
    "unless": "contingency",
    "unconditional": "contingency",
    "e": "elaboration",
    "interpretation": "evaluation",
    "list": "joint",
    "conjunction": "joint",
    "sequence": "joint",
    "disjunction": "joint",
    "means": "mode",
    "summary": "restatement",
    "solutionhood": "topic",
    "sameunit": "same-unit",
    "unstated": "joint",
    "span": "elaboration",
}
"""The Potsdam corpus's relations, by the part before the hyphen, as GUM's classes; others keep their name."""
_NO_SPACE_BEFORE = re.compile(r"[.,;:!?%)\]}»”’…]+$|^['’](?:s|re|ve|ll|d|m|t)$|^n['’]t$")
_NO_SPACE_AFTER = re.compile(r"^[(\[{«“„¿¡‘]$|['’]$")
_UNSPACED = re.compile("[぀-ヿ㐀-䶿一-鿿，。！？；：、“”（）《》]")
_ENDS = re.compile(r"[.!?…。！？:：][\"'”’»)）]*$")


@dataclass(slots=True)
class Sentence:
    """Words, which of them begin an EDU (None: not known), and their syntax."""

    corpus: str
    part: str
    words: list[str]
    starts: list[int] | None
    syntax: Syntax | None = None


@dataclass(slots=True)
class Tree:
    """The EDUs of a document as texts, which of them end a sentence, and the nodes of the tree."""

    corpus: str
    part: str
    edus: list[str]
    ends: list[bool]
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


def is_unspaced(before: str, after: str) -> bool:
    """Whether no space stands between two texts, by their script."""
    return bool(_UNSPACED.match(before[-1:]) or _UNSPACED.match(after))


def coarse(relation: str) -> str:
    """The class of a relation of any of the corpora."""
    name = relation.lower()
    first = name if name == "same-unit" else name.split("-")[0]
    return COARSE.get(first, first)


def gum(folder: Path) -> tuple[list[Sentence], list[Tree]]:
    """GUM's documents: sentences, and trees."""
    sentences: list[Sentence] = []
    trees: list[Tree] = []
    for part, names in splits(folder / "splits.md").items():
        if part not in PARTS:
            continue
        for name in names:
            one = document(folder, name)
            edus: list[str] = []
            ends: list[bool] = []
            for row in one.rows:
                starts = row.edus or []
                known = syntax(row.upos or [], row.heads or [], row.rels or [])
                sentences.append(Sentence("gum", part, row.words, starts, known))
                bounds = [*starts, len(row.words)]
                edus += [written(row.words[a:b])[0] for a, b in pairwise(bounds)]
                ends += [b == len(row.words) for b in bounds[1:]]
            trees.append(Tree("gum", part, edus, ends, one.tree.nodes()))
    return sentences, trees


def disrpt(folder: Path, corpus: str) -> Iterator[Sentence]:
    """The sentences of one of DISRPT's corpora, as its shared task parts them."""
    for part in PARTS:
        path = folder / corpus / f"{corpus}_{part}.conllu"
        if not path.exists():
            continue
        found = list(conllu.read(path))
        for number, one in enumerate(found):
            starts = [k for k, m in enumerate(one.misc) if re.search(r"Seg=(B-seg|Yes)", m)]
            learnt = corpus == NO_TRAINING_PART and part == "dev" and number < 0.8 * len(found)
            known = syntax(one.upos, one.heads, one.rels)
            yield Sentence(corpus, "train" if learnt else part, one.words, starts, known)


def treebanks(corpus: str, paths: list[Path]) -> Iterator[Sentence]:
    """Sentences that have syntax alone."""
    for path in paths:
        for one in conllu.read(path):
            yield Sentence(corpus, "train", one.words, None, syntax(one.upos, one.heads, one.rels))


def _rs3(corpus: str, part: str, path: Path) -> Tree:
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
    return Tree(corpus, part, texts, [bool(_ENDS.search(text)) for text in texts], nodes)


def trees(corpora: Path, umuc: Path) -> Iterator[Tree]:
    """The trees of the Potsdam corpus (DISRPT's parts), of GCDT, and of two more to learn from."""
    for part in PARTS:
        text = (corpora / f"disrpt/deu.rst.pcc/deu.rst.pcc_{part}.conllu").read_text(
            encoding="utf-8"
        )
        for name in re.findall(r"# newdoc_id = (\S+)", text):
            yield _rs3("deu.rst.pcc", part, corpora / f"trees/deu.pcc/rs3/{name}.rs3")
        for path in sorted((corpora / "trees/zho.gcdt/rs3" / part).glob("*.rs3")):
            yield _rs3("zho.rst.gcdt", part, path)
    speeches = (umuc / "Corpora/Annotated/RST_GUM-relations").glob("*.rs3")
    news = (corpora / "trees/deu.apa-rst/rst").rglob("*.rs3")
    for corpus, paths in (("umuc", speeches), ("deu.apa", news)):
        for path in sorted(paths):
            try:
                yield _rs3(corpus, "train", path)
            except InputError as error:
                print(f"left out: {error}")
