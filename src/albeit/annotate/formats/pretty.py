"""Layers for people to read in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from albeit.annotate.layers import Analysis, Constituent, Layer, RstNode, given

__all__ = ["PRETTY", "write_pretty"]

T = TypeVar("T")
Lines = Iterator[str]


def write_pretty(analyses: Iterable[Analysis], layers: Sequence[Layer]) -> Iterator[str]:
    """The layers of each text under the text itself."""
    for number, analysis in enumerate(analyses, 1):
        lines = [f"{number}  {' '.join(analysis.text.split())}"]
        for layer in layers:
            lines += [f"   {line}" for line in PRETTY[layer](analysis)]
        yield "\n".join(lines) + "\n\n"


def _tokens(analysis: Analysis) -> Lines:
    yield " · ".join(given(analysis.tokens, Layer.TOKENS).forms)


def _words(analysis: Analysis, start: int, stop: int) -> str:
    return " ".join(given(analysis.tokens, Layer.TOKENS).forms[start:stop])


def _sentences(analysis: Analysis) -> Lines:
    for start, stop in given(analysis.sentences, Layer.SENTENCES):
        yield _words(analysis, start, stop)


def _edus(analysis: Analysis) -> Lines:
    for number, (start, stop) in enumerate(given(analysis.edus, Layer.EDUS), 1):
        yield f"{number:>3}  {_words(analysis, start, stop)}"


def _rst(analysis: Analysis) -> Lines:
    if analysis.rst is None:
        return
    edus = given(analysis.edus, Layer.EDUS)

    def label(node: RstNode) -> str:
        if node.is_leaf:
            return f"[{node.first + 1}] {_words(analysis, *edus[node.first])}"
        return f"{node.relation} ({node.nuclearity})"

    def mark(node: RstNode, child: RstNode) -> str:
        return node.nuclearity[0 if child is node.left else 1] + " "

    yield from _tree(analysis.rst, label, RstNode.children, mark)


def _constituents(analysis: Analysis) -> Lines:
    forms = given(analysis.tokens, Layer.TOKENS).forms

    def label(tree: Constituent) -> str:
        return tree.label if tree.children else f"{tree.label} {forms[tree.start]}"

    for tree in given(analysis.constituents, Layer.CONSTITUENTS):
        yield from _tree(tree, label, lambda node: node.children, lambda node, child: "")


def _tree(
    root: T,
    label: Callable[[T], str],
    children: Callable[[T], tuple[T, ...]],
    mark: Callable[[T, T], str],
) -> Lines:
    """A tree with its branches drawn."""
    stack = [("", "", root)]
    while stack:
        branch, indent, node = stack.pop()
        yield branch + label(node)
        kids = children(node)
        for kid in reversed(kids):
            last = kid is kids[-1]
            corner, below = ("└─", "  ") if last else ("├─", "│ ")
            stack.append((indent + corner + mark(node, kid), indent + below, kid))


def _dependencies(analysis: Analysis) -> Lines:
    forms = given(analysis.tokens, Layer.TOKENS).forms
    deps = given(analysis.dependencies, Layer.DEPENDENCIES)
    width = max((len(form) for form in forms), default=0)
    for i, form in enumerate(forms):
        head = "root" if deps.heads[i] < 0 else f"{deps.relations[i]} ← {forms[deps.heads[i]]}"
        yield f"{i + 1:>3}  {form:<{width}}  {deps.upos[i]:<5}  {head}"


def _roles(analysis: Analysis) -> Lines:
    forms = given(analysis.tokens, Layer.TOKENS).forms
    for predicate in given(analysis.roles, Layer.ROLES):
        yield forms[predicate.token]
        for role, start, stop in predicate.arguments:
            yield f"  {role:<9} {_words(analysis, start, stop)}"


def _connectives(analysis: Analysis) -> Lines:
    forms = given(analysis.tokens, Layer.TOKENS).forms
    for connective in given(analysis.connectives, Layer.CONNECTIVES):
        yield f"{' '.join(forms[i] for i in connective.tokens)}  {connective.sense}"


def _entities(analysis: Analysis) -> Lines:
    for entity in given(analysis.entities, Layer.ENTITIES):
        yield f"{entity.kind:<13} {_words(analysis, entity.start, entity.stop)}"


def _vectors(analysis: Analysis) -> Lines:
    vectors = given(analysis.vectors, Layer.VECTORS)
    yield f"{vectors.rows.shape[0]} vectors of {vectors.rows.shape[1]} numbers (see -f json)"


PRETTY: dict[Layer, Callable[[Analysis], Lines]] = {
    Layer.TOKENS: _tokens,
    Layer.SENTENCES: _sentences,
    Layer.EDUS: _edus,
    Layer.RST: _rst,
    Layer.DEPENDENCIES: _dependencies,
    Layer.CONSTITUENTS: _constituents,
    Layer.ROLES: _roles,
    Layer.CONNECTIVES: _connectives,
    Layer.ENTITIES: _entities,
    Layer.VECTORS: _vectors,
}
