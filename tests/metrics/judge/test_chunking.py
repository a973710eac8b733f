"""Rows of the judge: what is read at once, of texts of any length beside texts of any length."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from albeit.metrics.judge import chunking
from albeit.metrics.judge.network import load_judge
from albeit.parsing.encoder import CLS, REFERENCE, SEP, Encoded, Rows, batch_by_length

LONGEST = 192
texts = st.integers(0, 900) | st.integers(0, 20) | st.integers(900, 9000)
groups = st.lists(st.tuples(texts, texts), max_size=4) | st.lists(
    st.tuples(texts, texts, texts), max_size=4
)


def made(sizes: list[tuple[int, ...]], sentence: int) -> tuple[Encoded, Rows]:
    """Rows of texts of these sizes: subwords are numbers, and sentences have one length."""
    flat = [size for group in sizes for size in group]
    starts = np.concatenate(([0], np.cumsum(flat))).astype(np.int64)
    ids = np.arange(1000, 1000 + max(starts[-1], 1))
    none = np.zeros(0, np.int64)
    encoded = Encoded(ids, np.ones(len(ids), np.int64), starts, none, none)
    pairs = np.arange(len(flat)).reshape(-1, len(sizes[0]) if sizes else 2)
    ends = {text: np.arange(sentence, size, sentence) for text, size in enumerate(flat)}
    return encoded, chunking.cut(starts, pairs, LONGEST, ends.__getitem__)


def spans(rows: Rows, pair: int, text: int) -> list[tuple[int, int]]:
    """What is read of a text, in order."""
    own = np.flatnonzero(rows.item == pair)
    begin, size = rows.begin[text, own], rows.sizes[text, own]
    return list(zip(begin.tolist(), (begin + size).tolist(), strict=True))


@given(groups, st.integers(1, 90))
def test_rows_fit_and_nothing_is_left_out(sizes: list[tuple[int, ...]], sentence: int) -> None:
    encoded, rows = made(sizes, sentence)
    assert (rows.lengths <= LONGEST).all()
    assert (rows.sizes.sum(axis=0) > 0).all() or not all(map(any, sizes))
    for pair, group in enumerate(sizes):
        for text in range(len(group)):
            first = encoded.starts[pair * len(group) + text]
            read = sorted(set(spans(rows, pair, text)))
            assert read[0][0] == first
            assert read[-1][1] == first + group[text]
            assert all(a[1] == b[0] for a, b in pairwise(read))
    batches = batch_by_length(rows.lengths, chunking.STEP)
    together = [row for batch, _ in batches for row in batch.tolist()]
    assert sorted(together) == list(range(len(rows.item)))


@given(groups.filter(bool), st.integers(1, 90))
def test_no_chunk_is_next_to_a_much_longer_one(sizes: list[tuple[int, ...]], sentence: int) -> None:
    """Unless the whole text is that short, or is all of the row."""
    rows = made(sizes, sentence)[1]
    fewest = (LONGEST - len(rows.sizes) - 1) // chunking.FINEST
    whole = np.array(sizes).T[:, rows.item]
    thin = (rows.sizes < np.minimum(fewest, whole)).any(axis=0)
    assert (rows.sizes[:, thin].max(axis=0) <= 4 * fewest).all()


@given(groups, st.integers(1, 90))
def test_no_row_depends_on_its_neighbours(sizes: list[tuple[int, ...]], sentence: int) -> None:
    encoded, rows = made(sizes, sentence)
    for pair, group in enumerate(sizes):
        alone = made([group], sentence)[1]
        first = encoded.starts[pair * len(group)]
        own = rows.item == pair
        assert np.array_equal(rows.begin[:, own] - first, alone.begin)
        assert np.array_equal(rows.sizes[:, own], alone.sizes)


@given(groups.filter(bool), st.integers(1, 90))
def test_inputs_are_texts_with_marks_between(sizes: list[tuple[int, ...]], sentence: int) -> None:
    encoded, rows = made(sizes, sentence)
    for chosen, width in batch_by_length(rows.lengths, chunking.STEP):
        text, subword = rows.positions(chosen, width)
        ids, mask, cases = rows.inputs(encoded, chosen, width)
        assert np.array_equal(ids[text >= 0], encoded.ids[subword[text >= 0]])
        assert np.array_equal(cases, (text >= 0) + (text == 1) * REFERENCE)
        for line, row in enumerate(chosen.tolist()):
            expected, read = [CLS], [-1]
            for number, size in enumerate(rows.sizes[:, row].tolist()):
                begin = rows.begin[number, row]
                expected += [*encoded.ids[begin : begin + size].tolist(), SEP]
                read += [*[number] * size, -1]
            assert text[line].tolist() == read + [-1] * (width - len(read))
            assert ids[line].tolist() == expected + [0] * (width - len(read))
            assert mask[line].sum() == len(read)


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_what_a_text_can_stand_for_grows_with_it(ours: int, theirs: int) -> None:
    sizes = np.array([ours]), np.array([theirs])
    (found,) = chunking.covered(*sizes)
    assert 0 < found <= 1
    assert chunking.covered(*reversed(sizes)) == found
    assert (found == 1) == (max(ours, theirs) <= 4 * min(ours, theirs) + 16)
    assert chunking.covered(sizes[0] + 1, sizes[1] + 1) >= found


def test_long_texts_are_cut_between_sentences() -> None:
    """Sentence numbers are the same on both sides where there are as many."""
    ours = [f"The {'very ' * k}old bridge was closed on Monday." for k in range(1, 13)]
    theirs = [f"On day {k} they closed the bridge, Mr. Smith said." for k in range(1, 13)]
    words = [" ".join(text).split() for text in (ours, theirs)]
    encoded = load_judge().subwords(words)
    starts = encoded.word_starts
    first = [encoded.first[starts[text] : starts[text + 1]] for text in (0, 1)]

    def ends(text: int) -> np.ndarray:
        return chunking.word_sentence_ends(words[text], first[text], np.diff(encoded.starts)[text])

    rows = chunking.cut(encoded.starts, np.array([(0, 1)]), 100, ends)
    assert len(rows.item) > 2
    read: list[tuple[int, int]] = []
    for begin, size in zip(rows.begin.T, rows.sizes.T, strict=True):
        pieces = []
        for text in (0, 1):
            at = begin[text] - encoded.starts[text]
            start, stop = np.searchsorted(first[text], (at, at + size[text]))
            pieces.append(" ".join(words[text][start:stop]))
        assert all(piece.endswith(("Monday.", "said.")) for piece in pieces)
        read.append((pieces[0].count("Monday."), pieces[1].count("said.")))
    assert all(ours == theirs for ours, theirs in read)


def test_a_line_of_thousands_of_words_costs_by_its_length() -> None:
    """Words without a stop, and stops only: a text costs as much as its chunks."""
    network = load_judge()
    for text in ("word " * 20_000, "e.g. " * 20_000, "." * 20_000):
        words = text.split()
        encoded = network.subwords([words])
        size = len(encoded.ids)
        ends = chunking.word_sentence_ends(words, encoded.first, size)
        pair, own_ends = np.array([(0, 0)]), {0: ends}.__getitem__
        found = chunking.cut(encoded.starts, pair, network.longest, own_ends)
        assert (found.sizes.sum(axis=0) <= network.longest - 3).all()
        assert len(found.item) <= 3 * 2 * size / network.longest + 2
