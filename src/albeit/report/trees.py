"""Two discourse trees side by side: in the terminal, as SVG, as one HTML page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from albeit.metrics.rst.explain import Explanation, NodeView, TreeView

__all__ = ["to_html", "to_svg", "to_text"]

LEAF_WIDTH, LEVEL_HEIGHT, LINE_HEIGHT, MARGIN = 170, 70, 16, 24
WRAP = 24
SHARED, OWN = "#1b7837", "#b2182b"


def to_text(explanation: Explanation, *, colour: bool = False) -> str:
    """Both trees one below the other, shared nodes marked ``=``, others ``≠``; then the losses."""
    lines = [f"{explanation.metric} = {explanation.score:.4f}"]
    for view in (explanation.reference, explanation.hypothesis):
        lines += ["", f"{view.title}:", *_tree_lines(view, colour)]
    lines += ["", "lost at (of the reference's nodes; sums to 1 - score):"]
    for label, lost in losses(explanation):
        lines.append(f"  {lost:7.4f}  {label}")
    return "\n".join(lines) + "\n"


def losses(explanation: Explanation, most: int = 8) -> list[tuple[str, float]]:
    """The nodes of the reference where most was lost, and how much."""
    if explanation.reference.root is None:
        return []
    nodes = sorted(explanation.reference.root.walk(), key=lambda node: -abs(node.lost))
    return [(_label(node, full=True), node.lost) for node in nodes[:most]]


def _label(node: NodeView, *, full: bool = False) -> str:
    role = f"[{node.role}] " if node.role else ""
    if node.children:
        return f"{role}{node.relation}"
    words = " ".join(node.words)
    if full and len(words) > 60:
        words = words[:57] + "..."
    return f"{role}{words}"


def _tree_lines(view: TreeView, colour: bool) -> Iterator[str]:
    if view.root is None:
        yield "  (empty)"
        return
    yield from _node_lines(view.root, "  ", "", colour)


def _node_lines(node: NodeView, indent: str, branch: str, colour: bool) -> Iterator[str]:
    mark = "=" if node.shared else "≠"
    label = _coloured(node) if colour else _label(node)
    yield f"{indent}{branch}{mark} {label}"
    below = indent + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch]
    for number, child in enumerate(node.children):
        last = number + 1 == len(node.children)
        yield from _node_lines(child, below, "└─ " if last else "├─ ", colour)


def _coloured(node: NodeView) -> str:
    """The label in green where it is shared, in red where not; words each for itself."""

    def paint(text: str, shared: bool) -> str:
        return f"\033[{'32' if shared else '31'}m{text}\033[0m"

    if node.children:
        return paint(_label(node), node.shared)
    role = paint(f"[{node.role}] ", node.shared) if node.role else ""
    words = zip(node.words, node.words_shared, strict=True)
    return role + " ".join(paint(word, shared) for word, shared in words)


def to_svg(explanation: Explanation) -> str:
    """Both trees as one picture, the reference on the left."""
    left, left_width, left_height = _drawing(explanation.reference)
    right, right_width, right_height = _drawing(explanation.hypothesis)
    width = left_width + right_width + MARGIN
    height = max(left_height, right_height) + 2 * MARGIN
    title = escape(f"{explanation.metric} = {explanation.score:.4f}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="Georgia, serif" font-size="13">\n'
        f"<title>{title}</title>\n"
        f'<text x="{MARGIN / 2}" y="18" font-weight="bold">{title}</text>\n'
        f'<g transform="translate(0,{MARGIN})">{left}</g>\n'
        f'<g transform="translate({left_width + MARGIN},{MARGIN})">{right}</g>\n</svg>\n'
    )


def _drawing(view: TreeView) -> tuple[str, int, int]:
    """The tree's SVG elements, its width and its height."""
    parts = [f'<text x="12" y="20" font-style="italic">{escape(view.title)}</text>']
    if view.root is None:
        parts.append('<text x="12" y="50">(empty)</text>')
        return "\n".join(parts), LEAF_WIDTH, 80
    leaves = 0
    bottom = 0.0

    def draw(node: NodeView, depth: int) -> tuple[float, float]:
        nonlocal leaves, bottom
        y = 40.0 + depth * LEVEL_HEIGHT
        colour = SHARED if node.shared else OWN
        if not node.children:
            x = (leaves + 0.5) * LEAF_WIDTH
            leaves += 1
            lines = _wrapped_words(node)
            for number, line in enumerate(lines):
                parts.append(
                    f'<text x="{x}" y="{y + number * LINE_HEIGHT}" '
                    f'text-anchor="middle">{line}</text>'
                )
            bottom = max(bottom, y + len(lines) * LINE_HEIGHT)
            return x, y
        ends = [draw(child, depth + 1) for child in node.children]
        x = sum(end[0] for end in ends) / len(ends)
        for child, (cx, cy) in zip(node.children, ends, strict=True):
            weight = 2.5 if child.role == "N" else 1
            dash = "" if child.role == "N" else ' stroke-dasharray="4 3"'
            parts.append(
                f'<line x1="{x}" y1="{y + 6}" x2="{cx}" y2="{cy - 16}" stroke="#555" '
                f'stroke-width="{weight}"{dash}/>'
            )
        parts.append(
            f'<text x="{x}" y="{y}" text-anchor="middle" font-weight="bold" '
            f'fill="{colour}">{escape(node.relation)}</text>'
        )
        return x, y

    draw(view.root, 0)
    return "\n".join(parts), leaves * LEAF_WIDTH, int(bottom) + 8


def _wrapped_words(node: NodeView) -> list[str]:
    """An EDU's words in lines of SVG spans, each word green or red."""
    lines: list[str] = []
    room = 0
    for word, shared in zip(node.words, node.words_shared, strict=True):
        span = f'<tspan fill="{SHARED if shared else OWN}">{escape(word)}</tspan>'
        if lines and len(word) < room:
            lines[-1] += " " + span
            room -= len(word) + 1
        else:
            lines.append(span)
            room = WRAP - len(word)
    return lines


def to_html(explanation: Explanation) -> str:
    """One self-contained page: the picture, the two texts, the losses."""
    rows = "\n".join(
        f"<tr><td>{lost:.4f}</td><td>{escape(label)}</td></tr>"
        for label, lost in losses(explanation)
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(explanation.metric)}</title>
<style>body{{font:16px/1.5 Georgia,serif;margin:2rem;max-width:80rem}}
figure{{overflow-x:auto;margin:1rem 0}} td{{padding:.1rem .8rem}}
td:first-child{{text-align:right;font-variant-numeric:tabular-nums}}</style></head><body>
<h1>{escape(explanation.metric)} = {explanation.score:.4f}</h1>
<p><b>Reference:</b> {escape(explanation.reference.text)}<br>
<b>Hypothesis:</b> {escape(explanation.hypothesis.text)}</p>
<figure>{to_svg(explanation)}</figure>
<p>Green: stands in both trees. Red: does not. Thick line: nucleus; dashed: satellite.</p>
<h2>Where the score was lost</h2>
<table><tr><th>lost</th><th>node of the reference</th></tr>
{rows}</table>
</body></html>
"""
