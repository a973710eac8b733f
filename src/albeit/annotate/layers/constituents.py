"""Constituents: phrases with Penn labels, one tree per sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from albeit.annotate.layer import Analysis, Labels, Numbered, Part
from albeit.annotate.layers.branches import branches
from albeit.annotate.layers.spans import moved, triples
from albeit.annotate.layers.tokens import TOKENS

__all__ = ["CONSTITUENTS", "Constituent"]


@dataclass(frozen=True, slots=True)
class Constituent:
    """A phrase ``label`` over tokens ``start`` to ``stop``; a part of speech where it is a leaf."""

    label: str
    start: int
    stop: int
    children: tuple[Constituent, ...] = ()


Trees = tuple[Constituent, ...]


class _Constituents(Numbered[Trees]):
    """In numbers: a Penn tag a word and then (start, stop, label) a bracket, parents first.

    A label such as ``S+VP`` is a chain of constituents over the same words.
    """

    name = "constituents"
    rests_on = (TOKENS,)

    def empty(self) -> Trees:
        return ()

    def join(self, parts: Sequence[Part]) -> list[int]:
        tags = [n for row, size, _ in parts for n in row[:size]]
        return tags + [n for row, size, at in parts for n in moved(row[size:], (at, at, 0))]

    def decode(self, numbers: Sequence[int], analysis: Analysis, labels: Labels) -> Trees:
        size = len(analysis[TOKENS])
        tags, names = labels["xpos"], labels["bracket"]
        leaves = [Constituent(tags[n], i, i + 1) for i, n in enumerate(numbers[:size])]
        done: list[Constituent] = []
        # children come after their parents: from the back, what lies inside is ready on the stack
        for start, stop, label in reversed(list(triples(numbers[size:]))):
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

    def to_json(self, value: Trees) -> Any:
        return [_object(tree) for tree in value]

    def from_json(self, data: Any) -> Trees:
        return tuple(map(_constituent, data))

    def draw(self, value: Trees, analysis: Analysis) -> Iterator[str]:
        forms = analysis[TOKENS].forms

        def label(tree: Constituent) -> str:
            return tree.label if tree.children else f"{tree.label} {forms[tree.start]}"

        for tree in value:
            yield from branches(tree, label, lambda node: node.children, lambda node, child: "")


def _object(tree: Constituent) -> list[Any]:
    children = [_object(child) for child in tree.children]
    return [tree.label, tree.start, tree.stop, *([children] if children else [])]


def _constituent(data: list[Any]) -> Constituent:
    label, start, stop, *children = data
    inner = tuple(map(_constituent, children[0])) if children else ()
    return Constituent(str(label), int(start), int(stop), inner)


CONSTITUENTS = _Constituents()
