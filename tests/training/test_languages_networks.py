"""Networks of discourse in other languages: batches, readers, trees."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs PyTorch")
arrays = pytest.importorskip("training.languages.arrays")
encoder = pytest.importorskip("training.languages.encoder")
reader = pytest.importorskip("training.languages.reader")
trees = pytest.importorskip("training.languages.tree_network")


@pytest.mark.parametrize("kind", ["recurrent", "windows", "attention"])
def test_a_reader_says_the_same_of_a_sentence_whatever_stands_beside_it(kind: str) -> None:
    torch.manual_seed(1)
    one = reader.Reader(kind, 3, 16, 1, 0.0).eval()
    features = torch.randn(2, 9, encoder.FEATURES)
    mask = torch.ones(2, 9).long()
    mask[1, 5:] = 0
    with torch.no_grad():
        both = one(features, mask, torch.tensor([0, 2]))
        alone = one.whole(features[1:, :5], torch.tensor([2]))
    assert torch.allclose(both[1, :5], alone[0], atol=1e-5)


def test_batches_hold_marks_and_what_is_known() -> None:
    texts = arrays.Texts(
        np.array([7, 8, 9]), np.array([2, 1]), {"gold": np.array([1, 0, 1], np.int8)}, "cpu"
    )
    batch = texts.batch(np.array([0, 1]))
    assert batch["ids"][0, :4].tolist() == [arrays.BEGIN, 7, 8, arrays.END]
    assert batch["ids"][1, :3].tolist() == [arrays.BEGIN, 9, arrays.END]
    assert batch["gold"][1, :3].tolist() == [-1, 1, -1]
    assert batch["mask"].sum(1).tolist() == [4, 3]
    rng = np.random.default_rng(1)
    sizes = np.array([5, 50, 6, 49])
    found = arrays.in_batches(sizes, np.arange(4), 130, rng)
    assert sorted(sorted(batch.tolist()) for batch in found) == [[0, 2], [1, 3]]


def test_a_tree_is_cut_between_sentences_first() -> None:
    torch.manual_seed(2)
    net = trees.Trees(2, 12, 8, 1, 0.0).eval()
    ends = np.array([0, 1, 0, 0, 1])
    made = net.projected(
        net.units(
            torch.randn(1, 5, 12), torch.ones(1, 5) > 0, torch.tensor(ends[None]), torch.tensor([0])
        )
    )
    found = trees.parsed(net, made, ends, "cpu")
    assert len(found) == 4
    assert found[0][:3] == (0, 4, 1)
    rows = np.array([(0, *node) for node in found])
    assert trees.lost(net, made, rows, "cpu").item() > 0
