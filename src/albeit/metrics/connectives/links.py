"""Word alignments of a test set: from the embedded aligner, a saved model, or files.

Alignments are kept by text, (source line, translation) to links, since a line that two
systems translate alike is aligned alike. Links are over words as the lexicons cut them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from albeit.annotate.alignment import Aligner, Link, check_links, is_giza, read_alignment
from albeit.errors import MetricError
from albeit.lexicons.words import Words, cut

__all__ = [
    "TextLinks",
    "align_all",
    "align_by_meaning",
    "align_texts",
    "align_with_eflomal",
    "links_from_file",
    "links_of_pair",
    "train_aligner",
]

TextLinks = Mapping[tuple[str, str], Sequence[Link]]


def train_aligner(
    source: Sequence[str],
    translations: Iterable[Sequence[str]],
    languages: tuple[str, str],
    bitext: Iterable[tuple[str, str]] = (),
) -> Aligner:
    """Train on a source text with each of its translations, and on any bitext beside.

    Each distinct pair counts once. The last aligner is remembered: metrics that are asked for
    together train one.
    """
    pairs = dict.fromkeys(
        pair for lines in translations for pair in zip(source, lines, strict=True)
    )
    pairs.update(dict.fromkeys(bitext))
    return _trained(tuple(pairs), languages)


@lru_cache(maxsize=1)
def _trained(pairs: tuple[tuple[str, str], ...], languages: tuple[str, str]) -> Aligner:
    words = [(cut(a, languages[0]).forms, cut(b, languages[1]).forms) for a, b in pairs]
    return Aligner.fit([a for a, _ in words], [b for _, b in words])


def align_with_eflomal(
    source: Sequence[str],
    translations: Iterable[Sequence[str]],
    rows: Sequence[int],
    languages: tuple[str, str],
) -> dict[tuple[str, str], list[Link]]:
    """Align a source text with each of its translations by eflomal; keep only some rows."""
    from albeit.annotate.alignment.eflomal import eflomal_align

    texts = list(translations)
    pairs = list(dict.fromkeys(p for lines in texts for p in zip(source, lines, strict=True)))
    wanted = {(source[n], lines[n]) for lines in texts for n in rows}
    found = eflomal_align(
        [cut(a, languages[0]).forms for a, _ in pairs],
        [cut(b, languages[1]).forms for _, b in pairs],
    )
    return {pair: links for pair, links in zip(pairs, found, strict=True) if pair in wanted}


def align_by_meaning(
    source: Sequence[str],
    translations: Iterable[Sequence[str]],
    rows: Sequence[int],
    languages: tuple[str, str],
) -> dict[tuple[str, str], list[Link]]:
    """Align some rows of a source text with each of its translations by the multilingual encoder."""
    from albeit.annotate.alignment.meaning import meaning_align

    pairs = list(dict.fromkeys((source[n], lines[n]) for lines in translations for n in rows))
    found = meaning_align(
        [cut(a, languages[0]).forms for a, _ in pairs],
        [cut(b, languages[1]).forms for _, b in pairs],
    )
    return dict(zip(pairs, found, strict=True))


def align_texts(
    aligner: Aligner, pairs: Iterable[tuple[str, str]], languages: tuple[str, str]
) -> dict[tuple[str, str], list[Link]]:
    """Align each distinct pair."""
    distinct = list(dict.fromkeys(pairs))
    source = [cut(a, languages[0]).forms for a, _ in distinct]
    target = [cut(b, languages[1]).forms for _, b in distinct]
    return dict(zip(distinct, aligner.align(source, target), strict=True))


def align_all(
    asked: Iterable[Sequence[str]],
    texts: Sequence[Sequence[str]],
    languages: tuple[str, str],
    wanted: Callable[[str], bool],
) -> tuple[TextLinks, str]:
    """Each text that is asked with each of the others, by an aligner trained on them all.

    Lines are kept that are ``wanted`` of the texts asked; the aligner's fingerprint comes with
    them.
    """
    pairs = [pair for left in asked for right in texts for pair in zip(left, right, strict=True)]
    aligner = train_aligner([a for a, _ in pairs], [[b for _, b in pairs]], languages)
    kept = (pair for pair in pairs if wanted(pair[0]))
    return align_texts(aligner, kept, languages), aligner.fingerprint


def links_of_pair(links: TextLinks, one: str, other: str) -> Sequence[Link]:
    """The links of two lines, which must have been aligned."""
    try:
        return links[one, other]
    except KeyError:
        raise MetricError(
            "the metric was prepared for other translations than it is asked to score."
        ) from None


def links_from_file(
    path: str | Path,
    source: Sequence[str],
    translation: Sequence[str],
    languages: tuple[str, str],
) -> dict[tuple[str, str], list[Link]]:
    """Read an alignment of one translation and carry it over to our words.

    The file counts the words between spaces; the text given must be the text it aligns.
    """
    links = read_alignment(path)
    lengths = [len(line.split()) for line in source], [len(line.split()) for line in translation]
    check_links(links, *lengths, path=path, lines_each=3 if is_giza(path) else 1)
    found: dict[tuple[str, str], list[Link]] = {}
    for here, there, pairs in zip(source, translation, links, strict=True):
        ours = _by_piece(here, cut(here, languages[0])), _by_piece(there, cut(there, languages[1]))
        found[here, there] = sorted(
            {(i, j) for a, b in pairs for i in ours[0][a] for j in ours[1][b]}
        )
    return found


def _by_piece(text: str, words: Words) -> list[list[int]]:
    """For each run between spaces, the words that lie in it."""
    pieces: list[list[int]] = []
    position = 0
    for piece in text.split():
        start = text.index(piece, position)
        position = start + len(piece)
        pieces.append([n for n, (a, b) in enumerate(words.offsets) if a < position and b > start])
    return pieces
