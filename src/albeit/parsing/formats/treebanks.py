r"""Read and write CoNLL-U, and read bracketed trees as in the Penn Treebank.

In CoNLL-U, ``# newpar`` starts a new text; a file without it has one text per sentence. White space
other than one space is kept as UDPipe does (``SpacesAfter=\s\s``, ``SpacesBefore``), so the
raw text comes back exactly. EDU starts are ``Seg=B-seg``, as in the DISRPT tasks. Words of a
contraction (``3-4 zum`` over *zu* and *dem*) share their offsets; those of a joint (``1-2 don't``
over *do* and *n't*) have their own.

Coreference is brackets in the column MISC, as GUM and CorefUD write them:
``Entity=(e1-person-2-sing-anim-fem`` opens a mention of entity ``e1``, whose second word is its
head; ``e1)`` closes it. What the text doesn't determine is empty.

A bracketed tree is ``(TOP (S (NP (PRP He)) (VP (VBD left)) (. .)))``. If all brackets are closed on
their line, a line is a text with one tree per sentence. Otherwise every tree is a text. Round
brackets in words are ``-LRB-`` and ``-RRB-``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from albeit.data.textio import whole_number
from albeit.errors import InputError
from albeit.parsing import layers
from albeit.parsing.tokenize import join_forms

Source = str | Path | None
_ESCAPES = {" ": "\\s", "\t": "\\t", "\r": "\\r", "\n": "\\n", "|": "\\p", "\\": "\\\\"}
_UNESCAPES = {code[1]: char for char, code in _ESCAPES.items()}


def write_conllu(analyses: Iterable[layers.Analysis]) -> Iterator[str]:
    """Yield each text as a paragraph (``# newpar``), with the layers that CoNLL-U can hold."""
    for number, analysis in enumerate(analyses, 1):
        size = len(analysis[layers.TOKENS])
        sentences = analysis.get(layers.SENTENCES)
        if sentences is None:
            sentences = ((0, size),) if size else ()
        comments = [f"# newpar id = {number}"]
        marks: dict[int, str] = {}
        if (clusters := analysis.get(layers.COREFERENCE)) is not None:
            comments = [f"# newdoc id = {number}", f"# global.Entity = {ENTITY_FIELDS}", *comments]
            marks = {word: f"Entity={mark}" for word, mark in entity_marks(clusters).items()}
        for start, _ in analysis.get(layers.EDUS) or ():
            marks[start] = f"{marks[start]}|Seg=B-seg" if start in marks else "Seg=B-seg"
        for k, span in enumerate(sentences, 1):
            comments.append(f"# sent_id = {number}-{k}")
            yield "\n".join([*comments, *_sentence_lines(analysis, *span, marks)]) + "\n\n"
            comments = []


def _sentence_lines(
    analysis: layers.Analysis, first: int, stop: int, marks: dict[int, str]
) -> Iterator[str]:
    tokens, deps = analysis[layers.TOKENS], analysis.get(layers.DEPENDENCIES)
    text = analysis.text[tokens.offsets[first][0] : tokens.offsets[stop - 1][1]]
    yield "# text = " + " ".join(text.split())
    for a, b in tokens.groups():
        if not first <= a < stop:
            continue
        spaces = list(_spaces(analysis, tokens, a, b))
        if b > a + 1:  # words that the text contracts
            form = analysis.text[slice(*tokens.offsets[a])]
            misc = "|".join(spaces) or "_"
            yield f"{a - first + 1}-{b - first}\t{form}" + "\t_" * 7 + f"\t{misc}"
            spaces = []
        for i in range(a, b):
            upos, head, relation = "_", "_", "_"
            if deps is not None:
                upos, relation = deps.upos[i], deps.relations[i]
                head = str(deps.heads[i] - first + 1 if deps.heads[i] >= 0 else 0)
            misc = "|".join([*filter(None, [marks.get(i)]), *spaces]) or "_"
            row = i - first + 1, tokens.forms[i], "_", upos, "_", "_", head, relation, "_", misc
            yield "\t".join(map(str, row))


def _spaces(
    analysis: layers.Analysis, tokens: layers.Tokens, first: int, stop: int
) -> Iterator[str]:
    """Yield the white space around words with the same offsets, if unusual."""
    start, end = tokens.offsets[first]
    if first == 0 and start > 0:
        yield "SpacesBefore=" + _escape(analysis.text[:start])
    after = analysis.text[end : None if stop == len(tokens) else tokens.offsets[stop][0]]
    if not after:
        yield "SpaceAfter=No"
    elif after != " ":
        yield "SpacesAfter=" + _escape(after)


def _escape(space: str) -> str:
    return "".join(_ESCAPES.get(char, char) for char in space)


def _unescape(code: str) -> str:
    return re.sub(r"\\(.?)", lambda escape: _UNESCAPES.get(escape[1], escape[1]), code)


@dataclass(slots=True)
class _Text:
    """A text while it is being read."""

    text: str = ""
    forms: list[str] = field(default_factory=list)
    offsets: list[tuple[int, int]] = field(default_factory=list)
    sentences: list[tuple[int, int]] = field(default_factory=list)
    edus: list[int] = field(default_factory=list)
    upos: list[str] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    relations: list[str] = field(default_factory=list)

    def build(self) -> layers.Analysis:
        """Return the annotation, with dependencies if every word has a head."""
        tokens = layers.Tokens(tuple(self.forms), tuple(self.offsets))
        values: dict[layers.AnyLayer, Any] = {
            layers.TOKENS: tokens,
            layers.SENTENCES: tuple(self.sentences),
        }
        if self.edus:
            values[layers.EDUS] = tuple(pairwise([*self.edus, len(self.forms)]))
        if self.forms and min(self.heads) >= -1:
            upos, relations = tuple(self.upos), tuple(self.relations)
            values[layers.DEPENDENCIES] = layers.Dependencies(upos, tuple(self.heads), relations)
        return layers.Analysis(self.text, values)


Words = list[tuple[int, list[str]]]
"""The words of a sentence: line number and columns."""


def read_conllu(text: str, *, path: Source = None) -> list[layers.Analysis]:
    """Return all texts of a CoNLL-U file, in order."""
    by_paragraph = text.startswith("# newpar") or "\n# newpar" in text
    texts: list[_Text] = []
    rows: Words = []
    ranges: dict[int, tuple[int, list[str]]] = {}
    fresh = True
    for number, line in enumerate([*text.split("\n"), ""], 1):
        line = line.rstrip("\r")
        if line.startswith(("# newpar", "# newdoc")):
            fresh = True
        elif line and not line.startswith("#"):
            columns = line.split("\t")
            if len(columns) != 10:
                what = f"a CoNLL-U line has 10 columns, this has {len(columns)}."
                raise InputError(what, path=path, line=number)
            if "-" in columns[0]:
                first, last = map(whole_number, columns[0].split("-", 1))
                if not 0 <= first < last:
                    what = f"{columns[0]!r} isn't a range of words."
                    raise InputError(what, path=path, line=number)
                ranges[first] = last, columns
            elif "." not in columns[0]:
                rows.append((number, columns))
        elif not line and rows:
            if fresh or not by_paragraph:
                texts.append(_Text())
                fresh = False
            _add_sentence(texts[-1], rows, ranges, path)
            rows, ranges = [], {}
    return [each.build() for each in texts]


def _add_sentence(
    out: _Text, rows: Words, ranges: dict[int, tuple[int, list[str]]], path: Source
) -> None:
    first = len(out.forms)
    for position, (line, columns) in enumerate(rows, 1):
        if columns[0] != str(position):
            what = f"word {columns[0]!r} should be word {position}."
            raise InputError(what, path=path, line=line)
        misc = _pairs(columns[9])
        if misc.get("Seg") == "B-seg" or misc.get("BeginSeg") == "Yes" or "Discourse" in misc:
            out.edus.append(len(out.forms))
        out.forms.append(columns[1])
        out.upos.append(columns[3])
        out.relations.append(columns[7])
        out.heads.append(_read_head(columns[6], first, len(rows), path, line))
    position = 1
    while position <= len(rows):
        line, columns = rows[position - 1]
        last, written = ranges.get(position, (position, columns))
        if last > len(rows):
            what = f"{position}-{last} goes beyond the {len(rows)} words of its sentence."
            raise InputError(what, path=path, line=line)
        forms = [each[1] for _, each in rows[position - 1 : last]]
        _add_words(out, forms, written[1], _pairs(written[9]), _pairs(columns[9]))
        position = last + 1
    out.sentences.append((first, len(out.forms)))


def _pairs(misc: str) -> dict[str, str]:
    return dict(pair.partition("=")[::2] for pair in misc.split("|"))


def _add_words(
    out: _Text, forms: list[str], written: str, misc: dict[str, str], of_first: dict[str, str]
) -> None:
    """Add words to the text, with their offsets."""
    if not out.offsets:
        out.text = _unescape(misc.get("SpacesBefore") or of_first.get("SpacesBefore", ""))
    joint = "".join(forms) == written
    for form in forms if joint else [written]:
        start = len(out.text)
        out.text += form
        out.offsets += [(start, len(out.text))] * (1 if joint else len(forms))
    if "SpacesAfter" in misc:
        out.text += _unescape(misc["SpacesAfter"])
    elif misc.get("SpaceAfter") != "No":
        out.text += " "


def _read_head(value: str, first: int, size: int, path: Source, line: int) -> int:
    """Return a head as token index: -1 for a root, -2 if there is none."""
    if value == "_":
        return -2
    number = whole_number(value)
    if not 0 <= number <= size:
        what = f"{value!r} isn't a head in a sentence of {size} words."
        raise InputError(what, path=path, line=line)
    return number - 1 + first if number else -1


ENTITY_FIELDS = "eid-etype-head-number-animacy-gender"


def entity_marks(clusters: Sequence[layers.Cluster]) -> dict[int, str]:
    """Return the marks of each word: brackets that close, then those that open."""
    mentions = [(m, f"e{k}", each) for k, each in enumerate(clusters, 1) for m in each.mentions]
    # an outer mention opens first and closes last
    mentions.sort(key=lambda each: (each[0].start, -each[0].stop))
    opens: dict[int, str] = {}
    closes: dict[int, str] = {}
    for m, name, cluster in mentions:
        traits = (cluster.number, cluster.animacy, cluster.gender)
        short = (t[:3] if t == "feminine" else t[:4] for t in traits)
        mark = "-".join([f"({name}", cluster.kind, str(m.head - m.start + 1), *short])
        last = m.stop - 1
        if last == m.start:
            mark += ")"
        else:
            closes[last] = f"{name}){closes.get(last, '')}"
        opens[m.start] = opens.get(m.start, "") + mark
    return {word: closes.get(word, "") + opens.get(word, "") for word in {*opens, *closes}}


# Bracketed trees.

_TOKEN = re.compile(r"\(\s*(?P<label>[^\s()]*)|\)|[^\s()]+")
_TOPS = frozenset({"", "TOP", "ROOT", "S1"})


def read_ptb(text: str, *, path: Source = None) -> list[layers.Analysis]:
    """Return all texts of a file of bracketed trees, in order."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if all(line.count("(") == line.count(")") for line in lines):
        return [_build_text(_trees(line, number, path)) for number, line in enumerate(lines, 1)]
    return [_build_text([tree]) for tree in _trees(text, 1, path)]


@dataclass(slots=True)
class _Tree:
    """A bracket: a label, and words or brackets inside."""

    line: int
    label: str
    inside: list[_Tree | str] = field(default_factory=list)


def _trees(text: str, line: int, path: Source) -> Iterator[_Tree]:
    stack: list[_Tree] = []
    at = 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        if match["label"] is not None:
            stack.append(_Tree(line, match["label"]))
        elif not stack:
            raise InputError(f"{match[0]!r} is outside of any tree.", path=path, line=line)
        elif match[0] == ")":
            tree = stack.pop()
            if not tree.inside:
                raise InputError(f"({tree.label}) is empty.", path=path, line=tree.line)
            if not stack:
                yield tree
            else:
                stack[-1].inside.append(tree)
        else:
            stack[-1].inside.append(match[0])
    if stack:
        raise InputError("a bracket is never closed.", path=path, line=stack[-1].line)


def _build_text(trees: Iterable[_Tree]) -> layers.Analysis:
    forms: list[str] = []
    sentences = []
    constituents = []
    for tree in trees:
        first = len(forms)
        inner = tree.inside[0]
        if tree.label in _TOPS and len(tree.inside) == 1 and isinstance(inner, _Tree):
            tree = inner
        built = _constituent(tree, forms)
        if built is not None:
            constituents.append(built)
            sentences.append((first, len(forms)))
    text, tokens = join_forms(forms)
    values: dict[layers.AnyLayer, Any] = {layers.TOKENS: tokens, layers.SENTENCES: tuple(sentences)}
    return layers.Analysis(text, values | {layers.CONSTITUENTS: tuple(constituents)})


def _constituent(tree: _Tree, forms: list[str]) -> layers.Constituent | None:
    """Return the constituent; drop empty elements (``-NONE-``) and brackets without words."""
    if tree.label == "-NONE-":
        return None
    start = len(forms)
    children = []
    for child in tree.inside:
        if isinstance(child, str):
            forms.append(child.replace("-LRB-", "(").replace("-RRB-", ")"))
            if len(tree.inside) > 1:
                children.append(layers.Constituent("", len(forms) - 1, len(forms)))
            continue
        built = _constituent(child, forms)
        if built is not None:
            children.append(built)
    if len(forms) == start:
        return None
    return layers.Constituent(tree.label, start, len(forms), tuple(children))
