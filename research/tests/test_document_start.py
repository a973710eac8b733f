"""A network over documents starts as one that read another encoder's states."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="only training needs it")
fill = pytest.importorskip("training.documents.fill", reason="training needs PyTorch")
start = pytest.importorskip("training.documents.start", reason="training needs PyTorch")
readers = pytest.importorskip("training.documents.readers", reason="training needs PyTorch")
safetensors = pytest.importorskip("safetensors.torch", reason="training needs it")

LABELS = {"kind": ["person", "place"], "rst": ["NN-joint", "NS-elaboration"]}


def document(states: Any) -> Namespace:
    """As much of a document as a reader of words looks at: ten words a sentence."""
    words = len(states)
    return Namespace(
        hidden=states.numpy(), sentences=np.arange(words) // 10, first=np.arange(words)
    )


def small(subwords: bool = False) -> Any:
    torch.manual_seed(1)
    return readers.TowerReader(2, 32, 64, 0.0, subwords=subwords).eval()


def test_the_map_leads_from_new_states_to_old_ones() -> None:
    torch.manual_seed(0)
    old = torch.randn(4000, 32) @ torch.randn(32, 32) + torch.randn(32)
    turn = torch.eye(32) + 0.05 * torch.randn(32, 32)
    new = old @ turn.T + 3
    matrix, bias = start.fitted(new, old)
    assert float((new @ matrix.T + bias - old).var() / old.var()) < 1e-3
    same, none = start.fitted(old, old)
    assert torch.allclose(same, torch.eye(32), atol=1e-5)
    assert torch.allclose(none, torch.zeros(32), atol=1e-3)


def test_a_shift_of_all_states_is_folded_in_exactly() -> None:
    old = torch.randn(150, 32)
    network_ = Namespace(reader=small())
    wanted = network_.reader([document(old)])[0]
    new = old - torch.linspace(-2, 2, 32)
    assert not torch.allclose(network_.reader([document(new)])[0], wanted, atol=0.1)
    left = start.adapt(network_, [document(new)], [document(old)])
    assert left < 1e-6
    assert torch.allclose(network_.reader([document(new)])[0], wanted, atol=1e-4)


def test_every_product_with_the_states_takes_the_whole_map() -> None:
    reader, before = small(), small()
    matrix, bias = torch.randn(32, 32), torch.randn(32)
    new = torch.randn(20, 32)
    start.fold(reader, matrix, bias, new.mean(0))
    old = new @ matrix.T + bias
    for name in ("tower.blocks.0.fused", "words.hidden"):
        layer, plain = reader.get_submodule(name), before.get_submodule(name)
        assert torch.allclose(layer(new), plain(old), atol=1e-4)


def test_only_a_tower_over_words_is_adapted() -> None:
    with pytest.raises(ValueError, match="over words"):
        start.adapt(Namespace(reader=small(subwords=True)), [], [])


def test_a_trained_network_is_begun_with_whole_and_in_its_own_shape(tmp_path: Path) -> None:
    args = Namespace(init=None, heads_of=None, tower=1, reads="words", inner=64, large=None)
    notes = start.asked(args, LABELS)
    first = start.made(notes, 0.0, 0.0)
    path = tmp_path / "model.safetensors"
    safetensors.save_file(first.state_dict(), path, notes)
    args = Namespace(init=path, tower=3, inner=1536, dropout=0.1, head_dropout=0.3, seed=5)
    again = start.asked(args, {"kind": [], "rst": []})
    assert again == notes
    for found in (start.build(args, again), start.restore(path, "cpu")):
        assert found.labels == LABELS
        for name, value in first.state_dict().items():
            assert torch.equal(found.state_dict()[name], value)


def test_states_are_made_where_there_are_none_or_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def encode(folder: Path, _: str) -> Any:
        # a vector says which subword it is of, and in which folder that was read
        def run(ids: Any, mask: Any, cases: Any) -> Any:
            made = np.stack([ids, np.full_like(ids, len(folder.name))], 2).astype(np.float32)
            return made, -made

        return run

    monkeypatch.setattr(fill, "encode", encode)
    none = np.zeros((0, 0), np.float16)

    def sentence(*ids: int) -> Namespace:
        first = np.arange(0, len(ids), 2)
        return Namespace(ids=np.array(ids), cases=ids, first=first, hidden=none, middle=none)

    kept = [Namespace(sentences=[sentence(7, 8, 9), sentence(5)]), Namespace(sentences=[])]
    one, other = kept[0].sentences
    for name, again, seen in (("a", False, 1), ("bb", False, 1), ("ccc", True, 3)):
        fill.fill(kept, Path(name), "cpu", again=again)
        assert one.hidden.tolist() == [[7, seen], [9, seen]]
        assert one.middle.tolist() == [[-7, -seen], [-8, -seen], [-9, -seen]]
        assert other.hidden.tolist() == [[5, seen]]
