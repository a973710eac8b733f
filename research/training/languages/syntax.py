"""What a dependency tree says of where clauses begin, in a form that a network learns from word by word."""

from __future__ import annotations

from dataclasses import dataclass

TAGS = (
    "ADJ",
    "ADP",
    "ADV",
    "AUX",
    "CCONJ",
    "DET",
    "INTJ",
    "NOUN",
    "NUM",
    "PART",
    "PRON",
    "PROPN",
    "PUNCT",
    "SCONJ",
    "SYM",
    "VERB",
    "X",
)
RELATIONS = (
    "acl",
    "advcl",
    "advmod",
    "amod",
    "appos",
    "aux",
    "case",
    "cc",
    "ccomp",
    "clf",
    "compound",
    "conj",
    "cop",
    "csubj",
    "dep",
    "det",
    "discourse",
    "dislocated",
    "expl",
    "fixed",
    "flat",
    "goeswith",
    "iobj",
    "list",
    "mark",
    "nmod",
    "nsubj",
    "nummod",
    "obj",
    "obl",
    "orphan",
    "parataxis",
    "punct",
    "reparandum",
    "root",
    "vocative",
    "xcomp",
)
CLAUSES = ("acl", "advcl", "ccomp", "conj", "csubj", "parataxis", "xcomp")
"""Relations that clauses stand in; a conjunct counts where it is one."""
_CLAUSAL = {"nsubj", "csubj", "cop", "aux", "expl"}


@dataclass(slots=True)
class Syntax:
    """Of each word: part of speech and relation (−1: unknown), and which clauses begin with it, as bits."""

    tags: list[int]
    relations: list[int]
    clauses: list[int]


def syntax(upos: list[str], heads: list[int], relations: list[str]) -> Syntax:
    """Heads count from 1, 0 is the root."""
    bare = [relation.split(":")[0] for relation in relations]
    children: list[list[int]] = [[] for _ in upos]
    for word, head in enumerate(heads):
        if 0 < head <= len(upos):
            children[head - 1].append(word)
    clauses = [0] * len(upos)
    for word, relation in enumerate(bare):
        if relation not in CLAUSES:
            continue
        if (
            relation == "conj"
            and upos[word] != "VERB"
            and _CLAUSAL.isdisjoint(bare[child] for child in children[word])
        ):
            continue
        first = _first(word, children, bare)
        clauses[first] |= 1 << CLAUSES.index(relation)
    return Syntax(
        [TAGS.index(tag) if tag in TAGS else -1 for tag in upos],
        [RELATIONS.index(relation) if relation in RELATIONS else -1 for relation in bare],
        clauses,
    )


def _first(word: int, children: list[list[int]], relations: list[str]) -> int:
    """The first word, punctuation aside, of what hangs on a word."""
    first, todo, seen = word, [word], {word}
    while todo:
        for child in children[todo.pop()]:
            if relations[child] != "punct" and child not in seen:
                seen.add(child)
                first = min(first, child)
                todo.append(child)
    return first
