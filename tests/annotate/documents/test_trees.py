"""Trees over sentences, from scores that are known."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from albeit.annotate.documents import document as reading
from albeit.annotate.documents import trees
from albeit.annotate.documents.document import Document, Sentence, read_document
from albeit.annotate.layer import Labels

LABELS: Labels = {"rst": ["NN-joint", "NS-elaboration", "SN-context"], "kind": ["person"]}
Floats = npt.NDArray[np.float32]


def sentence(words: int = 2, edus: tuple[int, ...] = (0,), tree: tuple[int, ...] = ()) -> Sentence:
    return Sentence(
        tuple("ab"[k % 2] for k in range(words)),
        hidden=np.ones((words, 4), np.float32),
        edus=np.array(edus),
        tree=list(tree),
    )


class Known:
    """Networks whose candidates' scores are a function of (first, middle, last)."""

    version = ""
    labels: Labels = LABELS

    def __init__(self, score: Callable[[Floats, Floats, Floats], Floats]) -> None:
        self.score = score
        self.asked = 0
        self.at = 0

    def head(self, name: str, *inputs: npt.NDArray[np.generic]) -> list[Floats]:
        if name == "units":
            places = np.zeros((len(inputs[0]), 6, 4), np.float32)
            for place, column in ((0, 0), (1, 1), (3, 2)):
                places[:, place, column] = inputs[0][:, 0]  # the sentence's number
            return [places.reshape(len(places), -1)]
        assert name == "joins"
        joint = np.asarray(inputs[0], np.float32)
        self.asked += len(joint)
        labels = np.zeros((len(joint), 3), np.float32)
        labels[:, 1] = 1.0
        return [self.score(*joint[:, :3].T).astype(np.float32), labels]


def numbered(count: int) -> Document:
    words = np.repeat(np.arange(count, dtype=np.float32), 2)[:, None] * np.ones(4, np.float32)
    return Document([sentence() for _ in range(count)], np.arange(0, 2 * count + 1, 2), words)


def is_binary_tree(nodes: npt.NDArray[np.int64], count: int) -> bool:
    splits = {(a, b): m for a, b, m, _ in nodes.tolist()}
    stack, seen = [(0, count - 1)], 0
    while stack:
        a, b = stack.pop()
        if a == b:
            continue
        seen += 1
        m = splits[a, b]
        stack += [(a, m), (m + 1, b)]
    return seen == len(nodes) == count - 1


def test_a_short_document_is_decoded_exactly() -> None:
    # splitting 0-3 after 0 looks best at first, but then 1-3 has no good split
    good = {(0, 0, 3): 1.0, (0, 1, 3): 0.9, (1, 1, 3): 0.0, (1, 2, 3): 0.0, (0, 2, 3): -9.0}

    def score(first: Floats, middle: Floats, last: Floats) -> Floats:
        rows = zip(first.tolist(), middle.tolist(), last.tolist(), strict=True)
        return np.array([good.get(row, 0.0) for row in rows], np.float32)

    nodes = trees.tree_over_sentences(numbered(4), Known(score))
    # by hand: log(e.9 / (e1 + e.9 + e-9)) > log(e1 / …) + log(1/2)
    assert sorted(map(tuple, nodes.tolist())) == [(0, 1, 0, 1), (0, 3, 1, 1), (2, 3, 2, 1)]


@pytest.mark.parametrize("count", [1, 2, 40, 41, 100, 500, 3000])
def test_every_length_gives_a_tree_at_a_bounded_cost(count: int) -> None:
    known = Known(lambda first, middle, last: -middle)  # wants to branch to the right
    assert is_binary_tree(trees.tree_over_sentences(numbered(count), known), count)
    assert known.asked <= 700 * count


def test_windows_of_sentences_give_each_its_own_place() -> None:
    known = Known(lambda first, middle, last: middle)
    units = np.arange(1000, dtype=np.float32)[:, None]
    found = trees._places(units, known)
    assert np.array_equal(found[:, 0], np.arange(1000))


def test_sentence_trees_stand_below_the_tree_over_sentences() -> None:
    parts = [sentence(4, (0, 2), (0, 1, 0, 2)), sentence(2), sentence(3, (0, 1), (0, 1, 0, 1))]
    document = Document(parts, np.array([0, 4, 6, 9]), np.zeros((9, 4), np.float32))
    known = Known(lambda first, middle, last: middle * 0)
    found = trees.document_tree(document, known)
    quads = [tuple(found[k : k + 4]) for k in range(0, len(found), 4)]
    # sentences have EDUs 0-1, 2, 3-4
    assert (0, 4, 1, 1) in quads or (0, 4, 2, 1) in quads
    assert (0, 1, 0, 2) in quads
    assert (3, 4, 3, 1) in quads
    assert len(quads) == 4


def test_the_salient_unit_is_what_nuclei_lead_to() -> None:
    # EDUs 0-1-2: 0 is a satellite of 1-2, whose nucleus is 1
    tree = (0, 2, 0, 2, 1, 2, 1, 1)
    assert trees._salient(sentence(6, (0, 2, 4), tree), LABELS["rst"]) == (2, 4)
    assert trees._salient(sentence(6), LABELS["rst"]) == (0, 6)


def test_a_long_document_is_read_in_slices_as_if_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Smooth:
        """Three layers, in each of which a block takes a share of its neighbours."""

        version = ""
        labels: Labels = LABELS

        def head(self, name: str, *inputs: npt.NDArray[np.generic]) -> list[Floats]:
            if name == "words":
                return [np.asarray(inputs[0], np.float32)]
            x = np.asarray(inputs[0], np.float64)
            for _ in range(reading.LAYERS):
                edge = np.zeros_like(x[:1])
                x = x + np.concatenate([edge, x[:-1]]) / 2 + np.concatenate([x[1:], edge]) / 4
            return [x.astype(np.float32)]

    rng = np.random.default_rng(0)
    parts = [sentence(50) for _ in range(60)]
    for part in parts:
        part.hidden = rng.normal(size=(50, 4)).astype(np.float32)
    whole = read_document(parts, Smooth()).words
    monkeypatch.setattr(reading, "SLICE", 5)
    assert np.array_equal(read_document(parts, Smooth()).words, whole)
