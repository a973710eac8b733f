"""Document cohesion by simplified lexical chains (Gong and Zhou 2015)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import ClassVar, Literal, NamedTuple

import albeit.parsing.content as contents
from albeit.data.textio import warn
from albeit.metrics import Batch, Context, EvalSet, FloatArray, MeanMetric, Unit, mean_statistics
from albeit.metrics.view import Chain, ChainKind, Chains, Compared, Loss, Place, View
from albeit.parsing.content import ALPHABETIC, LANGUAGES, ContentWords, content_words
from albeit.parsing.layers import STEMS, WORDS, DocumentWords, Layer, Tokens, chains
from albeit.parsing.layers import Chains as Positions
from albeit.parsing.layers.documents import Sentence, positions
from albeit.parsing.needs import Need, Side, compared
from albeit.parsing.sentences import splitter

Average = Literal["precision", "recall", "f"]
LAYERS: dict[str, Layer[DocumentWords]] = {"stem": STEMS, "word": WORDS}

NOTHING_TO_KEEP = 1.0
"""The score if neither text has a chain (one sentence, say): they agree in that."""
NOTHING_KEPT = 0.0
"""The score if only one of the two texts has chains."""


def agreement(hypothesis: Positions, reference: Positions, average: Average) -> float:
    """Return the score of one document against one reference.

    ``precision`` is the paper's: each chain scores m'/m, the share of the reference's positions
    that it has; the mean over the translation's chains, where false ones score 0. ``recall`` is
    the mean of the same scores over the reference's chains, where missed ones score 0. ``f`` is
    the F-measure over the positions of all chains.
    """
    if not hypothesis or not reference:
        return NOTHING_KEPT if hypothesis or reference else NOTHING_TO_KEEP
    shared = {
        key: (bits & reference[key]).bit_count()
        for key, bits in hypothesis.items()
        if key in reference
    }
    if average == "f":
        positions = [bits.bit_count() for side in (hypothesis, reference) for bits in side.values()]
        return 2 * sum(shared.values()) / sum(positions)
    scores = (count / reference[key].bit_count() for key, count in shared.items())
    return sum(scores) / len(hypothesis if average == "precision" else reference)


def chain_losses(hypothesis: Positions, reference: Positions, average: Average) -> dict[str, float]:
    """Return the loss of each chain (in all 1 - score); none unless both texts have chains."""
    if not hypothesis or not reference:
        return {}
    lost: dict[str, float] = {}
    whole = 0.0
    for key in dict.fromkeys([*hypothesis, *reference]):
        held, wanted = hypothesis.get(key, 0), reference.get(key, 0)
        shared = (held & wanted).bit_count()
        if average == "f":
            part = held.bit_count() + wanted.bit_count()
            lost[key] = part - 2 * shared
        else:
            part = int(key in (hypothesis if average == "precision" else reference))
            lost[key] = part * (1 - shared / max(1, wanted.bit_count()))
        whole += part
    return {key: amount / whole for key, amount in lost.items()}


@dataclass(frozen=True)
class Cohesion(MeanMetric):
    """The share of a translation's lexical chains that are at the reference's positions.

    ``average`` is over the translation's chains (precision), over the reference's (recall), or
    over the positions of both (f). ``words`` is how words are compared. With ``realign``, the
    sentences inside segments are separated and matched; without, a segment is a sentence. A
    system's score is the mean over its documents.
    """

    name = "cohesion"
    summary = "lexical chains in the same places as in the reference (document)"
    unit = Unit.DOCUMENT
    whole_set = False
    """The warning of :meth:`prepare` doesn't change a score."""
    width: ClassVar[int] = 2
    """How many numbers a row of statistics has."""

    words: Literal["stem", "word"] = "stem"
    average: Average = "precision"
    realign: bool = True

    @property
    def needs(self) -> frozenset[Need]:
        """Content words of documents."""
        return compared(LAYERS[self.words])

    @property
    def languages(self) -> frozenset[str]:
        """Languages with a stop list."""
        return LANGUAGES if self.words == "stem" else ALPHABETIC

    def prepare(self, evalset: EvalSet) -> Context:
        """Warn of segments with several sentences, which are matched."""
        if self.realign:
            _warn_of_sentences(evalset)
        return None

    def versions(self, context: Context = None) -> dict[str, str]:
        """Add the stemmer."""
        return {"snowball": version("snowballstemmer")} if self.words == "stem" else {}

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return (score, 1) per document, by the best reference."""
        scores = []
        for document in batch.documents:
            texts = [tuple(lines[document.rows]) for lines in (batch.hypotheses, *batch.references)]
            hypothesis, *references = self._read(texts, batch)
            pairs = (_chains(hypothesis, reference) for reference in references)
            scores.append(max(agreement(*pair, self.average) for pair in pairs))
        return mean_statistics(scores)

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Show the chains of a document and the loss of each, by the best reference."""
        lines = [tuple(batch.hypotheses), *map(tuple, batch.references)]
        hypothesis, *references = self._read(lines, batch)
        pairs = [_chains(hypothesis, reference) for reference in references]
        scores = [agreement(*pair, self.average) for pair in pairs]
        best = scores.index(max(scores))
        texts = [
            DocumentText(Side.HYPOTHESIS, lines[0], hypothesis),
            DocumentText(Side.REFERENCE, lines[best + 1], references[best], best),
        ]
        shown, found = lay_out(texts, content_words(batch.target_lang, self.words))
        rows = {chain.key: chain for chain in found.rows}
        losses = [
            _loss(rows[key], amount) if key in rows else Loss(key, amount)
            for key, amount in chain_losses(*pairs[best], self.average).items()
        ]
        missing = 1 - float(self.segment_score(row))
        if not losses and missing > 0:
            losses.append(Loss("only one of the texts has chains", missing))
        return self.view(row, shown, losses=losses, chains=found)

    def side_by_side(
        self, batch: Batch, systems: Mapping[str, Sequence[str]], references: Sequence[str]
    ) -> View:
        """Show the chains of one document in all its references and systems, without a score."""
        lines = [*map(tuple, batch.references), *map(tuple, systems.values())]
        sides = [Side.REFERENCE] * len(references) + [Side.HYPOTHESIS] * len(systems)
        read = zip(sides, lines, self._read(lines, batch), [*references, *systems], strict=True)
        texts = [
            DocumentText(side, text, words, number, name)
            for number, (side, text, words, name) in enumerate(read)
        ]
        shown, found = lay_out(texts, content_words(batch.target_lang, self.words))
        return View(str(self), math.nan, 1.0, shown, chains=found)

    def _read(self, texts: Sequence[tuple[str, ...]], batch: Batch) -> list[DocumentWords]:
        """Return the content words of each text of a document."""
        found = [batch.document_analyses[text][LAYERS[self.words]] for text in texts]
        return found if self.realign else [words.whole_segments for words in found]


def _chains(hypothesis: DocumentWords, reference: DocumentWords) -> tuple[Positions, Positions]:
    """Return the chains of a translation and of a reference, in positions that can be compared."""
    left, right = contents.aligned_positions(hypothesis, reference)
    return chains(left), chains(right)


def _loss(chain: Chain, amount: float) -> Loss:
    places = (Place(text, tokens) for text, tokens in enumerate(chain.tokens) if tokens)
    return Loss(f"{chain.word}: {chain.kind}", amount, tuple(places))


def _warn_of_sentences(evalset: EvalSet) -> None:
    """Warn of segments that have several sentences in some text."""
    split = splitter(evalset.target_lang)
    several: set[int] = set()
    for lines in (*evalset.references.values(), *evalset.systems.values()):
        several.update(i for i, line in enumerate(lines) if len(split(line)) > 1)
    if several:
        warn(
            f"{len(several)} of {len(evalset)} segments hold several sentences in some text;"
            " for cohesion they are matched in order with those of the reference"
            " (realign=no takes each segment as one sentence).",
            count=len(several),
        )


Word = tuple[str, str, int, int]
"""A word, its key, its start, and its end."""


class DocumentText(NamedTuple):
    """One text of a document: its lines, and its content words as the metric reads them."""

    side: Side
    lines: tuple[str, ...]
    words: DocumentWords
    number: int = 0
    name: str = ""


def lay_out(
    texts: Sequence[DocumentText], content: ContentWords
) -> tuple[tuple[Compared, ...], Chains]:
    """Return the texts with their content words as tokens, and the chains of all texts.

    Sentences inside segments are numbered by the first reference's.
    """
    places, length = _positions(texts)
    found = [chains(bits) for bits in places]
    tokens = [_tokens(text, content) for text in texts]
    forms: dict[str, Counter[str]] = {}
    numbers: list[dict[str, list[int]]] = [{} for _ in texts]
    for words, where in zip(tokens, numbers, strict=True):
        for n, (form, key, _, _) in enumerate(words):
            forms.setdefault(key, Counter())[form.lower()] += 1
            where.setdefault(key, []).append(n)
    rows = []
    for key in dict.fromkeys(key for bits in found for key in bits):
        word = min(forms[key], key=lambda w: (-forms[key][w], w)) if key in forms else key
        at = tuple(_numbers(bits.get(key, 0)) for bits in found)
        which = tuple(
            tuple(own.get(key, ())) if there else () for own, there in zip(numbers, at, strict=True)
        )
        rows.append(Chain(key, word, _kind(texts, at), at, which))
    order: tuple[ChainKind, ...] = ("matching", "missed", "false")
    rows.sort(key=lambda row: (order.index(row.kind), -sum(map(bool, row.positions)), row.word))
    compared = []
    for text, words in zip(texts, tokens, strict=True):
        own_forms, _, starts, stops = zip(*words, strict=True) if words else ((), (), (), ())
        own = Tokens(own_forms, tuple(zip(starts, stops, strict=True)))
        compared.append(Compared(text.side, "\n".join(text.lines), own, text.number, text.name))
    return tuple(compared), Chains(len(texts[0].lines), length, tuple(rows))


def _numbers(bits: int) -> tuple[int, ...]:
    """Return the positions of a chain, counted from 1."""
    return tuple(place + 1 for place in range(bits.bit_length()) if bits >> place & 1)


def _positions(texts: Sequence[DocumentText]) -> tuple[list[dict[str, int]], int]:
    """Return each word's positions in each text, in one numbering, and the number of positions."""
    first = next((n for n, text in enumerate(texts) if text.side == Side.REFERENCE), 0)
    order = [first, *(n for n in range(len(texts)) if n != first)]
    sentences: list[list[Sentence]] = [[] for _ in texts]
    count = 0
    for segment in zip(*(texts[n].words.segments for n in order), strict=True):
        numbered = contents.common_units(segment)
        size = 1 + max(unit for units in numbered for unit in units)
        for n, own, units in zip(order, segment, numbered, strict=True):
            merged: list[list[str]] = [[] for _ in range(size)]
            for sentence, unit in zip(own, units, strict=True):
                merged[unit] += sentence
            sentences[n] += merged
        count += size
    return [positions(found) for found in sentences], count


def _kind(texts: Sequence[DocumentText], at: Sequence[tuple[int, ...]]) -> ChainKind:
    """Return which texts have a chain; of references alone, whether all have it."""
    wanted = [bool(p) for text, p in zip(texts, at, strict=True) if text.side == Side.REFERENCE]
    held = [bool(p) for text, p in zip(texts, at, strict=True) if text.side == Side.HYPOTHESIS]
    if not any(wanted):
        return "false"
    matching = any(held) if held else all(wanted)
    return "matching" if matching else "missed"


def _tokens(text: DocumentText, content: ContentWords) -> list[Word]:
    """Return the content words that were read, with their offsets in the joined lines."""
    found: list[Word] = []
    begin = 0
    for line, sentences in zip(text.lines, text.words.segments, strict=True):
        words = _locate(line, content)
        for key in (key for sentence in sentences for key in sentence):
            word = next((w for w in words if w[1] == key), None)
            if word is None:  # written in a way that no search of the line finds again
                break
            found.append((word[0], key, begin + word[2], begin + word[3]))
        begin += len(line) + 1
    return found


def _locate(line: str, content: ContentWords) -> Iterator[Word]:
    """Find the content words of a line; only unspaced languages find them inside other words."""
    folded = line.lower() if line.isascii() else "".join(map(_lower, line)).replace("’", "'")
    around = ("", "") if content.lang in contents.UNSPACED else (r"(?<!\w)", r"(?!\w)")
    place = 0
    for word, key in content.words(line):
        found = re.compile(re.escape(word).join(around)).search(folded, place)
        start, place = found.span() if found else (place, place)
        yield line[start:place] if found else word, key, start, place


def _lower(character: str) -> str:
    """Return the lower case, unless it has two characters."""
    small = character.lower()
    return small if len(small) == 1 else character
