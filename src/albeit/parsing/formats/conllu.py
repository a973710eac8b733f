r"""CoNLL-U: words, sentences, parts of speech and dependencies, and where EDUs begin.

``# newpar`` starts a new text; a file without it has one text per sentence. White space
other than one space is kept as UDPipe does (``SpacesAfter=\s\s``, ``SpacesBefore``), so the
raw text comes back exactly. EDU starts are ``Seg=B-seg``, as in the DISRPT tasks; mentions of
entities are ``Entity=(…)``, as in CorefUD. Words of a
contraction (``3-4 zum`` over *zu* and *dem*) share its place in the text; those of a mere
joint (``1-2 don't`` over *do* and *n't*) have their own.

Coreference is brackets in the column MISC, as GUM and CorefUD write them:
``Entity=(e1-person-2-sing-anim-fem`` opens a mention of entity ``e1``, whose second word is its
head; ``e1)`` closes it. What the text does not tell is empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from albeit.data.textio import whole_number
from albeit.errors import InputError
from albeit.parsing.layers import (
    COREFERENCE,
    DEPENDENCIES,
    EDUS,
    SENTENCES,
    TOKENS,
    Analysis,
    AnyLayer,
    Cluster,
    Dependencies,
    Mention,
    Tokens,
)

_ESCAPES = {" ": "\\s", "\t": "\\t", "\r": "\\r", "\n": "\\n", "|": "\\p", "\\": "\\\\"}
_UNESCAPES = {code[1]: char for char, code in _ESCAPES.items()}


def write_conllu(analyses: Iterable[Analysis]) -> Iterator[str]:
    """One paragraph (``# newpar``) a text, with whatever of its layers CoNLL-U can hold."""
    for number, analysis in enumerate(analyses, 1):
        tokens = analysis[TOKENS]
        sentences = analysis.get(SENTENCES)
        if sentences is None:
            sentences = ((0, len(tokens)),) if len(tokens) else ()
        starts = {first for first, _ in analysis.get(EDUS) or ()}
        groups = dict(tokens.groups())
        clusters = analysis.get(COREFERENCE)
        entities = {} if clusters is None else entity_marks(clusters)
        for k, (first, stop) in enumerate(sentences):
            lines = [f"# newpar id = {number}"] if k == 0 else []
            if k == 0 and clusters is not None:
                lines = [f"# newdoc id = {number}", f"# global.Entity = {ENTITY_FIELDS}", *lines]
            lines.append(f"# sent_id = {number}-{k + 1}")
            text = analysis.text[tokens.offsets[first][0] : tokens.offsets[stop - 1][1]]
            lines.append("# text = " + " ".join(text.split()))
            for a in range(first, stop):
                if a not in groups:
                    continue
                b = groups[a]
                spaces = list(_spaces(analysis, tokens, a, b))
                if b > a + 1:
                    start, end = tokens.offsets[a]
                    lines.append(_range(a - first + 1, b - first, analysis.text[start:end], spaces))
                    spaces = []
                for i in range(a, b):
                    told = [f"Entity={entities[i]}"] if i in entities else []
                    told += ["Seg=B-seg"] if i in starts else []
                    misc = "|".join([*told, *spaces]) or "_"
                    lines.append(_row(analysis.get(DEPENDENCIES), tokens.forms[i], i, first, misc))
            yield "\n".join(lines) + "\n\n"


def _row(deps: Dependencies | None, form: str, i: int, first: int, misc: str) -> str:
    upos, head, relation = "_", "_", "_"
    if deps is not None:
        upos, relation = deps.upos[i], deps.relations[i]
        head = str(deps.heads[i] - first + 1 if deps.heads[i] >= 0 else 0)
    return f"{i - first + 1}\t{form}\t_\t{upos}\t_\t_\t{head}\t{relation}\t_\t{misc}"


def _range(first: int, last: int, form: str, misc: list[str]) -> str:
    return f"{first}-{last}\t{form}" + "\t_" * 7 + "\t" + ("|".join(misc) or "_")


def _spaces(analysis: Analysis, tokens: Tokens, first: int, stop: int) -> Iterator[str]:
    """White space around the words ``first`` to ``stop``, which share a place, if unusual."""
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
    out, escaped = [], False
    for char in code:
        if escaped:
            out.append(_UNESCAPES.get(char, char))
        elif char != "\\":
            out.append(char)
        escaped = char == "\\" and not escaped
    return "".join(out)


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

    def analysis(self) -> Analysis:
        stops = [*self.edus[1:], len(self.forms)]
        parsed = bool(self.forms) and all(head >= -1 for head in self.heads)
        values: dict[AnyLayer, Any] = {
            TOKENS: Tokens(tuple(self.forms), tuple(self.offsets)),
            SENTENCES: tuple(self.sentences),
        }
        if self.edus:
            values[EDUS] = tuple(zip(self.edus, stops, strict=True))
        if parsed:
            found = Dependencies(tuple(self.upos), tuple(self.heads), tuple(self.relations))
            values[DEPENDENCIES] = found
        return Analysis(self.text, values)


def read_conllu(text: str, *, path: str | Path | None = None) -> list[Analysis]:
    """All texts of a CoNLL-U file, in order."""
    by_paragraph = text.startswith("# newpar") or "\n# newpar" in text
    texts: list[_Text] = []
    rows: list[tuple[int, list[str]]] = []
    ranges: dict[int, _Range] = {}
    fresh = True
    for number, line in enumerate([*text.split("\n"), ""], 1):
        line = line.rstrip("\r")
        if line.startswith(("# newpar", "# newdoc")):
            fresh = True
        elif line and not line.startswith("#"):
            columns = line.split("\t")
            if len(columns) != 10:
                raise InputError(
                    f"a CoNLL-U line has 10 columns, this has {len(columns)}.",
                    path=path,
                    line=number,
                )
            if "-" in columns[0]:
                found = _joined(columns, path, number)
                ranges[found.first] = found
            elif "." not in columns[0]:
                rows.append((number, columns))
        elif not line and rows:
            if fresh or not by_paragraph:
                texts.append(_Text())
                fresh = False
            _sentence(texts[-1], rows, ranges, path)
            rows, ranges = [], {}
    return [each.analysis() for each in texts]


@dataclass(frozen=True, slots=True)
class _Range:
    """Words that the text writes as one."""

    first: int
    last: int
    form: str
    misc: str


def _joined(columns: list[str], path: str | Path | None, line: int) -> _Range:
    first, last = (whole_number(end) for end in columns[0].split("-", 1))
    if not 0 <= first < last:
        raise InputError(f"{columns[0]!r} is no range of words.", path=path, line=line)
    return _Range(first, last, columns[1], columns[9])


def _sentence(
    out: _Text,
    rows: list[tuple[int, list[str]]],
    ranges: dict[int, _Range],
    path: str | Path | None,
) -> None:
    first = len(out.forms)
    for position, (line, columns) in enumerate(rows, 1):
        if columns[0] != str(position):
            raise InputError(
                f"word {columns[0]!r} should be word {position}.", path=path, line=line
            )
        misc = _pairs(columns[9])
        if misc.get("Seg") == "B-seg" or misc.get("BeginSeg") == "Yes" or "Discourse" in misc:
            out.edus.append(len(out.forms))
        out.forms.append(columns[1])
        out.upos.append(columns[3])
        out.relations.append(columns[7])
        out.heads.append(_head(columns[6], first, len(rows), path, line))
    position = 1
    while position <= len(rows):
        line, columns = rows[position - 1]
        one = _Range(position, position, columns[1], columns[9])
        joint = ranges.get(position, one)
        if joint.last > len(rows):
            raise InputError(
                f"{joint.first}-{joint.last} goes beyond the {len(rows)} words of its sentence.",
                path=path,
                line=line,
            )
        _place(out, [c[1] for _, c in rows[position - 1 : joint.last]], joint, _pairs(columns[9]))
        position = joint.last + 1
    out.sentences.append((first, len(out.forms)))


def _pairs(misc: str) -> dict[str, str]:
    return dict(pair.partition("=")[::2] for pair in misc.split("|"))


def _place(out: _Text, forms: list[str], joint: _Range, of_first: dict[str, str]) -> None:
    """Write words to the text, and note where they stand."""
    misc = _pairs(joint.misc)
    if not out.offsets:
        before = misc.get("SpacesBefore") or of_first.get("SpacesBefore", "")
        out.text = _unescape(before)
    spelt_out = "".join(forms) == joint.form
    for form in forms if spelt_out else [joint.form]:
        start = len(out.text)
        out.text += form
        out.offsets += [(start, len(out.text))] * (1 if spelt_out else len(forms))
    if "SpacesAfter" in misc:
        out.text += _unescape(misc["SpacesAfter"])
    elif misc.get("SpaceAfter") != "No":
        out.text += " "


def _head(value: str, first: int, size: int, path: str | Path | None, line: int) -> int:
    """A head as token index: -1 for a root, -2 where there is no analysis."""
    if value == "_":
        return -2
    number = whole_number(value)
    if not 0 <= number <= size:
        raise InputError(
            f"{value!r} is no head in a sentence of {size} words.", path=path, line=line
        )
    return number - 1 + first if number else -1


ENTITY_FIELDS = "eid-etype-head-number-animacy-gender"
_SHORT = {
    "singular": "sing",
    "plural": "plur",
    "animate": "anim",
    "inanimate": "inan",
    "masculine": "masc",
    "feminine": "fem",
    "neuter": "neut",
}


def entity_marks(clusters: Sequence[Cluster]) -> dict[int, str]:
    """What stands at each word: brackets that close, then those that open."""
    named = [(f"e{k}", cluster) for k, cluster in enumerate(clusters, 1)]
    mentions = [(m, name, cluster) for name, cluster in named for m in cluster.mentions]
    # an outer mention opens first and closes last
    mentions.sort(key=lambda each: (each[0].start, -each[0].stop))
    opens: dict[int, str] = {}
    for mention, name, cluster in mentions:
        end = ")" if mention.stop == mention.start + 1 else ""
        mark = f"({_fields(mention, name, cluster)}{end}"
        opens[mention.start] = opens.get(mention.start, "") + mark
    closes: dict[int, str] = {}
    for mention, name, _ in reversed(mentions):
        if mention.stop > mention.start + 1:
            last = mention.stop - 1
            closes[last] = closes.get(last, "") + f"{name})"
    return {word: closes.get(word, "") + opens.get(word, "") for word in {*opens, *closes}}


def _fields(mention: Mention, name: str, cluster: Cluster) -> str:
    traits = (_SHORT.get(trait, "") for trait in (cluster.number, cluster.animacy, cluster.gender))
    return "-".join([name, cluster.kind, str(mention.head - mention.start + 1), *traits])
