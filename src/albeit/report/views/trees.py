"""Discourse trees side by side: in the terminal, and as SVG in light and dark."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape as escaped

from albeit.errors import AlbeitError
from albeit.metrics.view import Node, Tree, View
from albeit.report.views.parts import heading, node_label, score_text, text_title

__all__ = ["STYLE", "drawing", "to_svg", "tree_lines"]

LEAF_WIDTH, LEVEL_HEIGHT, LINE_HEIGHT, MARGIN = 170, 70, 16, 24
WRAP = 24
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
STYLE = """\
.albeit-trees { color-scheme: light dark; fill: #1c1c1c; font: 13px Georgia, serif; }
.albeit-trees .shared { fill: #00618a; }
.albeit-trees .own { fill: #a83800; text-decoration: underline; }
.albeit-trees line { stroke: #666; }
@media (prefers-color-scheme: dark) {
.albeit-trees { fill: #ececec; }
.albeit-trees .shared { fill: #7cc7ee; }
.albeit-trees .own { fill: #ffab7a; }
.albeit-trees line { stroke: #a0a0a0; }
}
"""
"""Colours that everyone can distinguish; what is not shared is underlined too."""


def tree_lines(view: View, tree: Tree, *, colour: bool = False) -> Iterator[str]:
    """A tree as lines of text, nodes that the other has marked ``=``, others ``≠``."""
    if tree.root is None:
        yield "  (empty)"
    else:
        yield from _node_lines(view, tree, tree.root, "  ", "", colour)


def _node_lines(
    view: View, tree: Tree, node: Node, indent: str, branch: str, colour: bool
) -> Iterator[str]:
    mark = "=" if node.shared else "≠"
    label = node_label(node, view.texts[tree.text])
    if colour:
        label = _coloured(view, tree, node)
    yield f"{indent}{branch}{mark} {label}"
    below = indent + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch]
    for number, child in enumerate(node.children, 1):
        end = "└─ " if number == len(node.children) else "├─ "
        yield from _node_lines(view, tree, child, below, end, colour)


def _coloured(view: View, tree: Tree, node: Node) -> str:
    """The label in blue where it is shared, in orange where not; words each for itself."""

    def paint(text: str, shared: bool) -> str:
        return f"\033[{'34' if shared else '33'}m{text}\033[0m"

    if node.children:
        return paint(node_label(node, view.texts[tree.text]), node.shared)
    role = paint(f"[{node.role}] ", node.shared) if node.role else ""
    return role + " ".join(paint(word, shared) for word, shared in _words(view, tree, node))


def _words(view: View, tree: Tree, node: Node) -> list[tuple[str, bool]]:
    """The words of an EDU, and whether each is shared: itself, or its EDU where words count not."""
    met = {
        token
        for link in view.links
        if link.kind == "word"
        for place in (link.one, link.other)
        if place.text == tree.text
        for token in place.tokens
    }
    by_word = any(link.kind == "word" for link in view.links)
    forms = view.texts[tree.text].tokens.forms
    return [
        (forms[token], token in met if by_word else node.shared)
        for token in range(node.start, node.stop)
    ]


def _safe(text: str) -> str:
    """Text for XML: marks escaped, and what XML cannot hold replaced."""
    return escaped(_NOT_XML.sub("\ufffd", text))


def to_svg(views: Sequence[View]) -> str:
    """The trees of all views as one picture, one view below the other."""
    if not any(view.trees for view in views):
        metric = views[0].metric if views else "this"
        raise AlbeitError(f"{metric} compares no trees, and SVG shows nothing else. Try -f html.")
    parts: list[str] = []
    width = height = 0
    for view in views:
        parts.append(f'<g transform="translate(0,{height})">')
        title = _safe(f"{heading(view)}: {score_text(view)}")
        parts.append(f'<text x="{MARGIN / 2}" y="18" font-weight="bold">{title}</text>')
        inner, size, depth = _trees(view)
        parts += [f'<g transform="translate(0,{MARGIN})">', inner, "</g></g>"]
        width, height = max(width, size), height + depth + 2 * MARGIN
    return (
        f"{_opening(score_text(views[0]), width, height)}\n"
        f"<style>\n{STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def drawing(view: View) -> str:
    """The trees of one view as an SVG element for a page that has :data:`STYLE`."""
    inner, width, height = _trees(view)
    title = f"trees of {heading(view)}: {score_text(view)}"
    return f"{_opening(title, width, height + MARGIN)}\n{inner}\n</svg>"


def _opening(title: str, width: int, height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="albeit-trees" role="img" '
        f'aria-label="{_safe(title)}" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    )


def _trees(view: View) -> tuple[str, int, int]:
    """All trees of a view from left to right; their width and height."""
    parts: list[str] = []
    left = depth = 0
    for tree in view.trees:
        inner, width, height = _tree(view, tree)
        parts.append(f'<g transform="translate({left},0)">{inner}</g>')
        left, depth = left + width + MARGIN, max(depth, height)
    return "\n".join(parts), left, depth


def _tree(view: View, tree: Tree) -> tuple[str, int, int]:
    """One tree's SVG elements, its width and its height."""
    title = _safe(text_title(view.texts[tree.text]))
    parts = [f'<text x="12" y="20" font-style="italic">{title}</text>']
    if tree.root is None:
        parts.append('<text x="12" y="50">(empty)</text>')
        return "\n".join(parts), LEAF_WIDTH, 80
    leaves = 0
    bottom = 0.0

    def draw(node: Node, depth: int) -> tuple[float, float]:
        nonlocal leaves, bottom
        y = 40.0 + depth * LEVEL_HEIGHT
        if not node.children:
            x = (leaves + 0.5) * LEAF_WIDTH
            leaves += 1
            lines = _wrapped(_words(view, tree, node))
            parts.extend(
                f'<text x="{x}" y="{y + n * LINE_HEIGHT}" text-anchor="middle">{line}</text>'
                for n, line in enumerate(lines)
            )
            bottom = max(bottom, y + len(lines) * LINE_HEIGHT)
            return x, y
        ends = [draw(child, depth + 1) for child in node.children]
        x = sum(end[0] for end in ends) / len(ends)
        for child, (cx, cy) in zip(node.children, ends, strict=True):
            look = '2.5"' if child.role == "N" else '1" stroke-dasharray="4 3"'
            parts.append(
                f'<line x1="{x}" y1="{y + 6}" x2="{cx}" y2="{cy - 16}" stroke-width="{look}/>'
            )
        look = "shared" if node.shared else "own"
        parts.append(
            f'<text x="{x}" y="{y}" text-anchor="middle" font-weight="bold" class="{look}">'
            f"{_safe(node.relation)}<title>lost: {node.lost:.4f}</title></text>"
        )
        return x, y

    draw(tree.root, 0)
    return "\n".join(parts), max(1, leaves) * LEAF_WIDTH, int(bottom) + 8


def _wrapped(words: Sequence[tuple[str, bool]]) -> list[str]:
    """An EDU's words in lines of SVG spans."""
    lines: list[str] = []
    room = 0
    for word, shared in words:
        span = f'<tspan class="{"shared" if shared else "own"}">{_safe(word)}</tspan>'
        if lines and len(word) < room:
            lines[-1] += " " + span
            room -= len(word) + 1
        else:
            lines.append(span)
            room = WRAP - len(word)
    return lines
