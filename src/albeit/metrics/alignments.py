"""Word alignments for metrics: what the aligner is trained on, and the links of any pair of lines.

An aligner learns from the source and its references, never from the systems: so a system's score
does not depend on who else is in the run. Where there is no reference, each system's text is
aligned by what the source and that text alone say. Metrics of one set share what was trained on
it (:meth:`EvalSet.draw`). Links are over words as the lexicons cut them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from albeit.metrics import EvalSet, InputError, MetricError
from albeit.metrics.connectives import Words, cut
from albeit.parsing.alignment import Aligner, Link, check_links, is_giza, read_alignment

Pair = tuple[str, str]
"""A line, and a translation or paraphrase of it."""
TextLinks = Mapping[Pair, Sequence[Link]]
Languages = tuple[str, str]
Wanted = Callable[[str], bool]
"""Whether the links of a line are needed."""
RECENT = 1 << 13
"""How many pairs' links are remembered."""
Linker = Callable[[Sequence[Pair]], TextLinks]
"""Returns the links of pairs of lines."""


@dataclass(frozen=True)
class Alignments:
    """What links pairs of lines: one for all texts, or one for each system's.

    ``trained_on`` names the training data, for signatures.
    """

    trained_on: str
    shared: Linker
    own: tuple[Linker, ...] = ()

    def of(self, pairs: Iterable[Pair], system: int | None = None) -> TextLinks:
        """Return the links of lines with those of a reference, or of the system at this index."""
        linker = self.own[system] if self.own and system is not None else self.shared
        return linker(list(dict.fromkeys(pairs)))


@dataclass(frozen=True)
class _Trained:
    """Links by an aligner; those of some pairs are known, those of others are remembered."""

    aligner: Aligner
    languages: Languages
    known: dict[Pair, list[Link]] = field(default_factory=dict)
    recent: dict[Pair, list[Link]] = field(default_factory=dict)
    """At most :data:`RECENT` pairs, shared by all metrics of the set."""

    def __call__(self, pairs: Sequence[Pair]) -> TextLinks:
        links = [self.known.get(pair, self.recent.get(pair)) for pair in pairs]
        found = {pair: own for pair, own in zip(pairs, links, strict=True) if own is not None}
        new = self._align([pair for pair in pairs if pair not in found])
        self.recent.update(new)
        while len(self.recent) > RECENT:
            self.recent.pop(next(iter(self.recent)), None)
        return found | new

    def knowing(self, pairs: Iterable[Pair]) -> _Trained:
        """Return the same aligner with the links of these pairs, so that they are found once."""
        return replace(self, known=self._align(list(dict.fromkeys(pairs))))

    def _align(self, pairs: Sequence[Pair]) -> dict[Pair, list[Link]]:
        if not pairs:
            return {}
        return dict(zip(pairs, self.aligner.align(*_words(pairs, self.languages)), strict=True))


@dataclass(frozen=True)
class _Known:
    """By a file, or by a program that keeps no model: the links of these lines and no others."""

    links: TextLinks

    def __call__(self, pairs: Sequence[Pair]) -> TextLinks:
        if any(pair not in self.links for pair in pairs):
            raise MetricError(
                "the metric was prepared for other translations than it is asked to score."
            )
        return self.links


def _no_links(pairs: Sequence[Pair]) -> TextLinks:
    """Return no links: one side has no words."""
    return dict.fromkeys(pairs, ())


def by_source(evalset: EvalSet, languages: Languages, wanted: Wanted) -> Alignments:
    """Align the source with translations; train on references, or without any on each system.

    The references' links are found at once, where they are ``wanted``.
    """
    source = evalset.source or ()
    references = list(evalset.references.values())
    if references:
        trained = evalset.draw(
            ("aligner", languages),
            lambda: _Trained(train(_zipped(source, references), languages), languages),
        )
        return _by(trained, evalset, wanted, "source+refs")
    texts = evalset.systems.values()
    own = evalset.draw(
        ("aligners of systems", languages),
        lambda: tuple(_train_linker(_zipped(source, [lines]), languages) for lines in texts),
    )
    return Alignments("source+own", _Known({}), own)


def by_model(
    aligner: Aligner, evalset: EvalSet, languages: Languages, wanted: Wanted, trained_on: str
) -> Alignments:
    """Align the source with its translations, by a trained aligner."""
    return _by(_Trained(aligner, languages), evalset, wanted, trained_on)


def _by(trained: _Trained, evalset: EvalSet, wanted: Wanted, trained_on: str) -> Alignments:
    """Align the references at once, if they are needed."""
    pairs = _zipped(evalset.source or (), evalset.references.values())
    known = trained.knowing(pair for pair in pairs if wanted(pair[0]))
    return Alignments(f"{trained_on}.{trained.aligner.fingerprint}", known)


def by_references(evalset: EvalSet) -> Alignments:
    """Align references with systems, in one language, trained on the references alone.

    With one reference that is each word by itself; words that look alike and places do the rest.
    """
    texts = list(evalset.references.values())
    languages = evalset.target_lang, evalset.target_lang
    pairs = (pair for one in texts for pair in _zipped(one, texts))
    trained = evalset.draw(
        "aligner of references", lambda: _Trained(train(pairs, languages), languages)
    )
    return Alignments(f"refs.{trained.aligner.fingerprint}", trained)


def by_eflomal(evalset: EvalSet, languages: Languages) -> Alignments:
    """Align with eflomal: the references together, and each system's text together with them."""
    from albeit.parsing.alignment import eflomal_align

    def linked(texts: Sequence[Sequence[str]]) -> _Known:
        pairs = list(dict.fromkeys(_zipped(evalset.source or (), texts)))
        found = eflomal_align(*_words(pairs, languages))
        return _Known(dict(zip(pairs, found, strict=True)))

    references = list(evalset.references.values())
    shared = linked(references) if references else _Known({})
    own = tuple(linked([*references, lines]) for lines in evalset.systems.values())
    return Alignments("eflomal", shared, own)


def by_files(evalset: EvalSet, languages: Languages, files: Mapping[str, str | Path]) -> Alignments:
    """Read files of other tools, one for each reference and system by name."""
    texts = {**evalset.references, **evalset.systems}
    if set(files) != set(texts):
        raise InputError(
            f"alignments were given for {', '.join(files)}, but the texts are {', '.join(texts)}.",
            hint="Give one file for every reference and system, as NAME=FILE, or none.",
        )
    links = {
        name: _links_of_file(files[name], evalset.source or (), lines, languages)
        for name, lines in texts.items()
    }
    shared = {pair: own for name in evalset.references for pair, own in links[name].items()}
    return Alignments("files", _Known(shared), tuple(_Known(links[n]) for n in evalset.systems))


def _train_linker(pairs: Sequence[Pair], languages: Languages) -> Linker:
    """Train an aligner on these pairs; none where a side has no words."""
    for side, lang in enumerate(languages):
        if not any(cut(pair[side], lang).forms for pair in pairs):
            return _no_links
    return _Trained(train(pairs, languages), languages)


def train(pairs: Iterable[Pair], languages: Languages) -> Aligner:
    """Train an aligner on these pairs of lines, each distinct one once."""
    return Aligner.fit(*_words(list(dict.fromkeys(pairs)), languages))


def _words(
    pairs: Sequence[Pair], languages: Languages
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    left = [cut(one, languages[0]).forms for one, _ in pairs]
    return left, [cut(other, languages[1]).forms for _, other in pairs]


def _zipped(lines: Sequence[str], texts: Iterable[Sequence[str]]) -> list[Pair]:
    return [pair for text in texts for pair in zip(lines, text, strict=True)]


def _links_of_file(
    path: str | Path, source: Sequence[str], translation: Sequence[str], languages: Languages
) -> dict[Pair, Sequence[Link]]:
    """Read an alignment of one translation and carry it over to our words.

    The file counts the words between spaces; the text given must be the text it aligns.
    """
    links = read_alignment(path)
    lengths = [len(line.split()) for line in source], [len(line.split()) for line in translation]
    check_links(links, *lengths, path=path, lines_each=3 if is_giza(path) else 1)
    found: dict[Pair, Sequence[Link]] = {}
    for here, there, pairs in zip(source, translation, links, strict=True):
        ours = _by_piece(here, cut(here, languages[0])), _by_piece(there, cut(there, languages[1]))
        aligned = {(i, j) for a, b in pairs for i in ours[0][a] for j in ours[1][b]}
        found[here, there] = sorted(aligned)
    return found


def _by_piece(text: str, words: Words) -> list[list[int]]:
    """Return the words in each run between spaces."""
    pieces: list[list[int]] = []
    position = 0
    for piece in text.split():
        start = text.index(piece, position)
        position = start + len(piece)
        pieces.append([n for n, (a, b) in enumerate(words.offsets) if a < position and b > start])
    return pieces
