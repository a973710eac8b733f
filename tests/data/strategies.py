"""Test sets drawn at random, and files drawn from nearly right to pure noise."""

from __future__ import annotations

from hypothesis import strategies as st

from albeit.data import EvalSet
from albeit.data.evalset import Document

# All that a text may hold: the traps (CR, U+2028, entities, tags, quotes) more often than chance.
_MARKS = ["&amp;", "&quot;", "&#39;", "</seg>", "]]>", "<p>", "&#10;", "&#x0;"]
_TRAPS = st.sampled_from([*"\r\u2028\x85\ufeff&<\"'\t é漢𝄞=\\\u200b", *_MARKS])
_PLAIN = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn")), max_size=8)
TEXTS = st.lists(st.one_of(_TRAPS, _PLAIN), max_size=4).map("".join)
NAMES = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Cn", "Zl", "Zp"), exclude_characters="/\\"),
    min_size=1,
    max_size=12,
).filter(lambda name: bool(name.strip()) and not name.startswith("."))
LANGUAGES = st.sampled_from(["en", "de", "cs", "zh", "ha", "zh_TW"])


@st.composite
def evalsets(
    draw: st.DrawFn, texts: st.SearchStrategy[str] = TEXTS, names: st.SearchStrategy[str] = NAMES
) -> EvalSet:
    """Any test set with at least one translation."""
    size = draw(st.integers(1, 6))
    lines = st.lists(texts, min_size=size, max_size=size).map(tuple)
    references = draw(st.dictionaries(names, lines, max_size=3))
    systems = draw(st.dictionaries(names, lines, min_size=not references, max_size=3))
    documents: tuple[Document, ...] = ()
    if draw(st.booleans()):
        cuts = sorted(draw(st.sets(st.integers(1, size - 1)))) if size > 1 else []
        ids = draw(st.lists(names, min_size=len(cuts) + 1, max_size=len(cuts) + 1, unique=True))
        bounds = zip([0, *cuts], [*cuts, size], strict=True)
        documents = tuple(Document(i, a, b) for i, (a, b) in zip(ids, bounds, strict=True))
    source, languages = draw(st.none() | lines), (draw(LANGUAGES), draw(LANGUAGES))
    return EvalSet(references, systems, source, documents, *languages, draw(NAMES))


def order(evalset: EvalSet) -> tuple[list[str], list[str]]:
    """The order of texts, which equality of mappings does not see."""
    return list(evalset.references), list(evalset.systems)


def noise(fragments: list[bytes]) -> st.SearchStrategy[bytes]:
    """Bytes of any kind, and sequences of what a format is made of."""
    piece = st.one_of(st.sampled_from(fragments), st.binary(max_size=6))
    return st.one_of(st.binary(max_size=200), st.lists(piece, max_size=40).map(b"".join))


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """A right file with a few bytes lost, changed or put in."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 12))
        data[at : at + length] = draw(st.binary(max_size=4))
    return bytes(data)
