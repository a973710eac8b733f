"""A layer of one text as a few bytes, and back.

Analyses are kept packed, in the cache and in memory, until somebody looks at them: 150,000
packed trees fit in tens of megabytes, as Python objects they would take gigabytes. Words
and sentences are not packed at all; they follow from the text by rule. Labels are packed
as their numbers in the model's inventory, so a record means something only together with
the model version it was made by.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from albeit.annotate.layers import (
    Connective,
    Constituent,
    Dependencies,
    Entity,
    Nuclearity,
    Predicate,
    RstNode,
    Vectors,
)

__all__ = [
    "Labels",
    "pack",
    "pack_vectors",
    "to_connectives",
    "to_constituents",
    "to_dependencies",
    "to_edus",
    "to_entities",
    "to_roles",
    "to_rst",
    "to_vectors",
    "unpack",
]

Labels = Mapping[str, Sequence[str]]
"""The model's label inventory, layer by layer."""

Span = tuple[int, int]


def pack(numbers: Iterable[int]) -> bytes:
    """Numbers as bytes, as narrow as they allow; the first byte says how narrow."""
    try:
        return b"H" + array("H", numbers).tobytes()
    except OverflowError:
        return b"I" + array("I", numbers).tobytes()


def unpack(record: bytes) -> list[int]:
    """The numbers of a record."""
    numbers = array(record[:1].decode("ascii"))
    numbers.frombytes(record[1:])
    return numbers.tolist()


def pack_vectors(rows: npt.NDArray[np.float32], words: npt.NDArray[np.int32]) -> bytes:
    """Vectors in half precision, with the word each belongs to."""
    head = np.array(rows.shape, dtype="<u4")
    return head.tobytes() + words.astype("<u4").tobytes() + rows.astype("<f2").tobytes()


def to_vectors(record: bytes) -> Vectors:
    """Vectors from their record; half precision is all that callers ever see."""
    count, width = (int(n) for n in np.frombuffer(record, "<u4", 2))
    words = np.frombuffer(record, "<u4", count, offset=8).astype(np.int32)
    rows = np.frombuffer(record, "<f2", count * width, offset=8 + 4 * count)
    return Vectors(rows.reshape(count, width).astype(np.float32), words)


def to_edus(numbers: Sequence[int], size: int) -> tuple[Span, ...]:
    """EDUs as token ranges, from the numbers of their first tokens."""
    return tuple(zip(numbers, [*numbers[1:], size], strict=False))


def to_rst(numbers: Sequence[int], edus: int, labels: Labels) -> RstNode | None:
    """The tree from its inner nodes: first EDU, last EDU, last EDU of the left part, label."""
    if not edus:
        return None
    names = labels["rst"]
    built = {(i, i): RstNode(i, i) for i in range(edus)}
    quads = zip(*[iter(numbers)] * 4, strict=True)
    for first, last, split, label in sorted(quads, key=lambda quad: quad[1] - quad[0]):
        nuclearity, _, relation = names[label].partition("-")
        built[first, last] = RstNode(
            first,
            last,
            _NUCLEARITY[nuclearity],
            relation,
            built[first, split],
            built[split + 1, last],
        )
    return built[0, edus - 1]


_NUCLEARITY: dict[str, Nuclearity] = {"NS": "NS", "SN": "SN", "NN": "NN"}


def to_dependencies(numbers: Sequence[int], size: int, labels: Labels) -> Dependencies:
    """Parts of speech, heads (plus one, 0 the root) and relations, one after the other."""
    upos, rels = labels["upos"], labels["rel"]
    if len(numbers) != 3 * size:
        raise ValueError(f"{len(numbers)} numbers for {size} words")
    return Dependencies(
        tuple([upos[n] for n in numbers[:size]]),
        tuple([n - 1 for n in numbers[size : 2 * size]]),
        tuple([rels[n] for n in numbers[2 * size :]]),
    )


def to_constituents(numbers: Sequence[int], size: int, labels: Labels) -> tuple[Constituent, ...]:
    """Trees from a Penn tag a word and then (start, stop, label) a bracket, parents first.

    A label such as ``S+VP`` is a chain of constituents over the same words.
    """
    tags, names = labels["xpos"], labels["bracket"]
    leaves = [Constituent(tags[n], i, i + 1) for i, n in enumerate(numbers[:size])]
    done: list[Constituent] = []
    brackets = list(zip(*[iter(numbers[size:])] * 3, strict=True))
    # children come after their parents: from the back, what lies inside is ready on the stack
    for start, stop, label in reversed(brackets):
        inside: list[Constituent] = []
        at = start
        while at < stop:
            if done and done[-1].start == at and done[-1].stop <= stop:
                inside.append(done.pop())
            else:
                inside.append(leaves[at])
            at = inside[-1].stop
        children = tuple(inside)
        for name in reversed(names[label].split("+")):
            children = (Constituent(name, start, stop, children),)
        done.append(children[0])
    return tuple(reversed(done))


def to_roles(numbers: Sequence[int], labels: Labels) -> tuple[Predicate, ...]:
    """Predicates from: token, number of arguments, then (role, start, stop) each."""
    names = labels["role"]
    predicates = []
    at = 0
    while at < len(numbers):
        token, count = numbers[at], numbers[at + 1]
        flat = iter(numbers[at + 2 : at + 2 + 3 * count])
        arguments = tuple(
            [(names[role], a, b) for role, a, b in zip(flat, flat, flat, strict=True)]
        )
        predicates.append(Predicate(token, arguments))
        at += 2 + 3 * count
    return tuple(predicates)


def to_connectives(numbers: Sequence[int], labels: Labels) -> tuple[Connective, ...]:
    """Connectives from (start, stop, sense)."""
    names = labels["sense"]
    triples = zip(*[iter(numbers)] * 3, strict=True)
    return tuple([Connective(tuple(range(a, b)), names[sense]) for a, b, sense in triples])


def to_entities(numbers: Sequence[int], labels: Labels) -> tuple[Entity, ...]:
    """Entities from (start, stop, kind)."""
    names = labels["entity"]
    triples = zip(*[iter(numbers)] * 3, strict=True)
    return tuple([Entity(names[kind], a, b) for a, b, kind in triples])
