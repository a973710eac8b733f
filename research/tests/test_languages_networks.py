"""Networks of discourse in other languages: batches, readers, trees."""

from __future__ import annotations

from pathlib import Path

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


def _encoder_file(path: Path) -> None:
    """An encoder of random weights that knows five subwords."""
    rng = np.random.default_rng(4)
    e = encoder
    w = {"table": rng.integers(0, 255, (5, e.WIDTH), np.uint8), "vocabulary": np.arange(5)}
    w |= {
        "scale": np.full(e.CHANNELS, 0.01),
        "lo": np.full(e.CHANNELS, -1.0),
        "eps": np.array(1e-12),
    }
    w |= {"ln_g": np.ones(e.FEATURES), "ln_b": np.zeros(e.FEATURES)}
    w |= {"cnn_W": rng.normal(size=(e.FEATURES, e.WIDTH)) / 40, "cnn_b": np.zeros(e.WIDTH)}
    for n, _ in e.WINDOWS:
        w |= {
            f"proj{n}": rng.normal(size=(e.WIDTH, e.BRANCH)) / 30,
            f"proj_b{n}": np.zeros(e.BRANCH),
        }
        w |= {f"ln_g{n}": np.ones(e.BRANCH), f"ln_b{n}": np.zeros(e.BRANCH)}
        for layer in (1, 2):
            shape = n * e.BRANCH, e.BRANCH
            w |= {f"w{layer}_{n}": rng.normal(size=shape) / 30, f"b{layer}_{n}": np.zeros(e.BRANCH)}
    np.savez(path, allow_pickle=False, **w)


def test_written_networks_say_what_trained_ones_say(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="writing networks needs onnx")
    ort = pytest.importorskip("onnxruntime")
    write = pytest.importorskip("training.languages.write")
    edus = pytest.importorskip("training.languages.edus")
    torch.manual_seed(3)
    _encoder_file(tmp_path / "encoder.npz")
    read = encoder.Encoder(tmp_path / "encoder.npz")
    net = edus.Edus(reader.Reader("recurrent", 3, 16, 2, 0.0)).eval()
    n = {0: "n"}
    names = ["vectors"], ["starts", "states", "features"]
    one = write.Read(read, net, 1)
    write.write(
        one,
        (torch.randn(9, 512),),
        tmp_path / "reader.onnx",
        names,
        dict.fromkeys((*names[0], *names[1]), n),
    )
    ids = torch.tensor([[1, 3, 4, 4, 3, 2]])
    vectors = read.table[ids[0]].float() * read.scales[ids[0], None] + read.lows[ids[0], None]
    with torch.no_grad():
        features, _ = read(ids, torch.ones_like(ids))
        starts, _ = net(features, torch.ones_like(ids), torch.tensor([1]))
    found = ort.InferenceSession(tmp_path / "reader.onnx").run(None, {"vectors": vectors.numpy()})
    assert np.allclose(found[0], starts[0], atol=1e-4)
    assert np.allclose(found[2], features[0], atol=1e-4)
