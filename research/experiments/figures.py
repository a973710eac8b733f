"""Figures of the pages as SVG files: the papers' examples, and tables of results pages.

    python research/experiments/figures.py     # writes docs/images/*.svg

Trees: segment 51 of WMT12 de-en, from which the first paper's Figure 1 is, and two translations. A
node that the reference also has, with the same children, is blue. Chains: the second paper's
Table 2, with its first reference. Accuracy and reliability: the tables of the results pages.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from _common import ROOT

from albeit import EvalSet, score
from albeit.metrics.kernel import DUMMY, Encoder, Handle
from albeit.metrics.rst import Representation, grow_tree
from albeit.parsing import annotate
from albeit.parsing.layers import EDUS, RST, TOKENS

TABLE2 = runpy.run_path(str(ROOT / "tests/metrics/cohesion/table2.py"))
IMAGES = ROOT / "docs" / "images"
REFERENCE = "Voices are coming from Germany, suggesting that ECB be the last resort creditor."
SYSTEMS = {
    "b": "In Germany, suggesting that the ECB should be the lender of last resort.",
    "c": "In Germany, the ECB should be for the creditors of last resort.",
}
WIDTH, LEVEL, LETTER = 16, 46, 6.6
BLUE, GRAY = "#1f5fa8", "#666"


@dataclass
class Drawn:
    """A node with its children, and where it is drawn."""

    label: str
    children: tuple[Drawn, ...] = ()
    text: str = ""
    x: float = 0.0

    def key(self) -> str:
        """The label of the node and of its children, as the kernel compares them."""
        return " ".join([self.label, *(child.label for child in self.children)])

    def place(self, left: float, depth: int = 0) -> tuple[float, int]:
        """Set places from the left; return where the next tree begins, and the depth."""
        start, deepest = left, depth
        for child in self.children:
            left, below = child.place(left, depth + 1)
            deepest = max(deepest, below)
        left = max(left, start + max(len(self.label), len(self.text)) * LETTER + WIDTH)
        self.x = (start + left - WIDTH) / 2
        return left, deepest

    def svg(self, shared: set[str], y: float = 20) -> list[str]:
        """Return lines to the children, and the label."""
        color = BLUE if self.key() in shared else GRAY
        lines = [f'<text x="{self.x:.0f}" y="{y:.0f}" fill="{color}">{escape(self.label)}</text>']
        lines.append(f'<text x="{self.x:.0f}" y="{y + 16:.0f}">{escape(self.text)}</text>')
        for child in self.children:
            ends = (
                f'x1="{self.x:.0f}" y1="{y + 5:.0f}" x2="{child.x:.0f}" y2="{y + LEVEL - 13:.0f}"'
            )
            lines += [f'<line {ends} stroke="{GRAY}"/>', *child.svg(shared, y + LEVEL)]
        return lines

    def leaves(self) -> list[Drawn]:
        """The nodes without children, from left to right."""
        return [leaf for child in self.children for leaf in child.leaves()] or [self]

    def keys(self) -> set[str]:
        """The keys of all nodes."""
        return {self.key()}.union(*(child.keys() for child in self.children))


class Recorder(Encoder):
    """Keep the nodes that a tree is made of, without dummy leaves."""

    def __init__(self) -> None:
        super().__init__()
        self.made: dict[int, Drawn] = {}
        self.last = Drawn("")

    def node(self, label: str, below: tuple[Handle, ...] = ()) -> Handle:
        """Record a node."""
        handle = super().node(label, below)
        parts = [self.made.get(index, Drawn(name)) for name, index in below if name != DUMMY]
        self.last = Drawn(label, tuple(parts))
        if below:
            self.made[handle[1]] = self.last
        return handle

    def words(self, forms: Sequence[str]) -> tuple[Handle, ...]:
        """Record all words of an EDU as one node."""
        handles = super().words(forms)
        for n, (_, index) in enumerate(handles):
            self.made[index] = Drawn("NGRAM", (Drawn(forms[n]),))
        return handles


def page(parts: Sequence[str], width: float, height: float) -> str:
    """Return an SVG file on white."""
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    style = 'font-family="sans-serif" font-size="12" text-anchor="middle"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>\n"])


def trees(form: Representation, metric: str) -> str:
    """Draw the trees of the reference and both translations, with scores."""
    texts = {"a, the reference": REFERENCE, **SYSTEMS}
    annotations = annotate(list(texts.values()), frozenset({RST, EDUS, TOKENS}), "en")
    drawn = {}
    for name, text in texts.items():
        recorder = Recorder()
        analysis = annotations[text]
        grow_tree(analysis, form, recorder)
        drawn[name] = recorder.last
        if form != "words":
            forms = analysis[TOKENS].forms
            units = zip(drawn[name].leaves(), analysis[EDUS], strict=True)
            for leaf, (start, stop) in units:
                leaf.text = " ".join(forms[start:stop])
    scores = score(EvalSet({"a": (REFERENCE,)}, {k: (v,) for k, v in SYSTEMS.items()}), [metric])
    shared = drawn["a, the reference"].keys()
    parts: list[str] = []
    y, widest = 0.0, 0.0
    for name, tree in drawn.items():
        width, depth = tree.place(10)
        value = (
            "" if name.startswith("a") else f", {metric} = {scores.score(metric, name).value:.3f}"
        )
        title = f"({name}{value}) {texts[name]}".replace(", the reference)", ")")
        parts.append(f'<text x="10" y="{y + 18:.0f}" text-anchor="start">{escape(title)}</text>')
        parts.append(f'<g transform="translate(0 {y + 26:.0f})">')
        parts += [*tree.svg(shared), "</g>"]
        y += 26 + LEVEL * (depth + 1) + 10
        widest = max(widest, width, len(title) * LETTER)
    return page(parts, widest + 10, y)


def chains() -> str:
    """Draw the chains of the first reference (circles) and the translation (dots) of Table 2."""
    reference, system, places = TABLE2["REFERENCES"]["E01"], TABLE2["SYSTEM"], TABLE2["places"]
    words = sorted({*reference, *system}, key=lambda w: (w not in reference, w not in system, w))
    heads = [f"{'sentence ' * (not n)}{n}" for n in range(9)]
    parts = [f'<text x="{150 + 40 * n}" y="20">{head}</text>' for n, head in enumerate(heads)]
    for row, word in enumerate(words):
        y = 42 + 22 * row
        kind = BLUE if word in reference and word in system else GRAY
        parts.append(f'<text x="110" y="{y + 4}" text-anchor="end" fill="{kind}">{word}</text>')
        for chain, radius, fill in ((reference, 7, "none"), (system, 4, kind)):
            for place in places(chain[word]) if word in chain else ():
                circle = f'cx="{150 + 40 * place}" cy="{y}" r="{radius}"'
                parts.append(f'<circle {circle} fill="{fill}" stroke="{kind}"/>')
    return page(parts, 500, 42 + 22 * len(words))


def table(page: str, before: str) -> list[list[str]]:
    """Return the cells of the first table after a line of a results page, without its ruler."""
    text = (ROOT / "docs" / "results" / page).read_text(encoding="utf-8").partition(before)[2]
    lines = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)[0].splitlines()
    del lines[1]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def bars() -> str:
    """Draw the correlation of each metric with judgments of documents, with its interval."""
    (_, *sets), *rows = table("discourse.md", "**Pearson's r within documents**")
    parts = []
    for n, name in enumerate(sets):
        left, top = 160 + n % 3 * 212, 24 + n // 3 * (len(rows) * 20 + 40)
        parts.append(f'<text x="{left + 75}" y="{top}" font-weight="bold">{escape(name)}</text>')
        for line, (metric, *cells) in enumerate(rows):
            value, low, high = (float(each) for each in re.findall(r"-?[\d.]+", cells[n]))
            y, color = top + 18 + 20 * line, BLUE if metric == "judge" else GRAY
            if n % 3 == 0:
                parts.append(f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{metric}</text>')
            bar = f'x="{left}" y="{y - 6}" width="{max(value, 0) * 200:.0f}" height="12"'
            ends = f'x1="{left + low * 200:.0f}" x2="{left + high * 200:.0f}" y1="{y}" y2="{y}"'
            parts.append(f'<rect {bar} fill="{color}" opacity="0.45"/>')
            parts.append(f'<line {ends} stroke="black"/>')
            parts.append(f'<text x="{left + 166}" y="{y + 4}">{value:.2f}</text>')
    return page(parts, 770, 2 * (len(rows) * 20 + 40) + 10)


def reliability() -> str:
    """Draw the mean score of deciles, and the score that expert penalties give."""
    (_, *scores), (_, *penalties) = table("judge.md", "## Reliability")
    parts = [f'<line x1="50" y1="250" x2="300" y2="0" stroke="{GRAY}" stroke-dasharray="4"/>']
    for n in range(0, 101, 20):
        at = 50 + 2.5 * n, 250 - 2.5 * n
        parts.append(f'<text x="{at[0]:.0f}" y="268">{n}</text>')
        parts.append(f'<text x="40" y="{at[1] + 4:.0f}" text-anchor="end">{n}</text>')
    for x, y in zip(map(float, scores), map(float, penalties), strict=True):
        place = f'cx="{50 + 2.5 * x:.1f}" cy="{250 - 2.5 * y:.1f}"'
        parts.append(f'<circle {place} r="4" fill="{BLUE}"/>')
    parts.append('<text x="175" y="290">mean score of judge</text>')
    parts.append('<text transform="rotate(-90)" x="-125" y="12">score from MQM penalties</text>')
    return page(['<g transform="translate(10 10)">', *parts, "</g>"], 330, 310)


def gains() -> str:
    """Draw the mean gain of DR (blue) and of DR-LEX (gray) at system level."""
    _, *rows = table("discourse.md", "## Gains at system level")
    parts = ['<line x1="260" y1="4" x2="260" y2="260" stroke="black"/>']
    for line, (variant, _, dr, _, lex) in enumerate(rows):
        y = 16 + 20 * line
        parts.append(f'<text x="160" y="{y + 4}" text-anchor="end">{escape(variant)}</text>')
        for top, color, gain in ((y - 7, BLUE, dr), (y, GRAY, lex)):
            if gain != "–":
                start, width = 260 + min(0, float(gain)) * 4000, abs(float(gain)) * 4000
                bar = f'x="{start:.0f}" y="{top}" width="{width:.0f}" height="6"'
                parts.append(f'<rect {bar} fill="{color}"/>')
    return page(parts, 400, 264)


def main() -> None:
    """Write the figures."""
    (IMAGES / "system-level.svg").write_text(gains(), encoding="utf-8")
    (IMAGES / "dr-trees.svg").write_text(trees("both", "dr"), encoding="utf-8")
    (IMAGES / "dr-lex-trees.svg").write_text(trees("words", "dr-lex"), encoding="utf-8")
    (IMAGES / "chains.svg").write_text(chains(), encoding="utf-8")
    (IMAGES / "accuracy.svg").write_text(bars(), encoding="utf-8")
    (IMAGES / "reliability.svg").write_text(reliability(), encoding="utf-8")


if __name__ == "__main__":
    main()
