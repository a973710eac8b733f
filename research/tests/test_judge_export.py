"""A judge of the wide kind, very small: what export writes computes what PyTorch computes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs PyTorch")
pytest.importorskip("onnx", reason="export needs onnx")

from albeit.metrics.judge.network import Network, load_judge  # noqa: E402
from training.predict import OnnxBackend  # noqa: E402

export = pytest.importorskip("training.judge.export")
network = pytest.importorskip("training.judge.network")

PAIRS = [
    ("The old man saw a boat.", "An old man saw the boat."),
    ("Nobody had read it, they said.", "No one had read it, they said."),
    ("Yes.", "Nothing of the kind was ever said by anybody in Paris!"),
    ("the the the the", "The bridge was closed for three days."),
]


def open_model(model: Any) -> Any:
    return OnnxBackend(Path()).open(model.SerializeToString())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, small_judge: Callable[[int], Any]) -> Path:
    """An untrained judge, as training leaves one."""
    judge = small_judge(2)
    for name, value in judge.named_parameters():
        if name.startswith("head") or "cases" in name:
            torch.nn.init.normal_(value, std=0.3)
    folder = tmp_path_factory.mktemp("run")
    network.save(judge, folder)
    return folder


@pytest.fixture(scope="module")
def weights(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is written of it: layers in 8 bits, words in 4."""
    folder = tmp_path_factory.mktemp("weights")
    export.write(export.quantise(run, PAIRS), folder)
    return folder


def test_the_graph_says_what_the_judge_says(run: Path) -> None:
    judge = network.load(run)
    session = open_model(export.build(*export.read(run)))
    for batch in load_judge().inputs(PAIRS):
        names = ("input_ids", "attention_mask", "case_ids", "facts")
        shown = ["score", "spread", "marks", export.state(1)]
        found = session.run(shown, dict(zip(names, batch, strict=True)))
        given = [torch.from_numpy(np.ascontiguousarray(part)) for part in batch]
        with torch.no_grad():
            expected = (*judge(*given), judge.encoder(*given[:3])[0])
        for ours, theirs in zip(found, expected, strict=True):
            assert np.allclose(ours, theirs.numpy(), atol=1e-4)


def test_bytes_stay_near_and_no_score_depends_on_its_batch(
    run: Path, weights: Path, tmp_path: Path
) -> None:
    export.write(export.build(*export.read(run)).SerializeToString(), tmp_path)
    exact, network = Network(tmp_path), Network(weights)
    pairs = [(a, b) for a, _ in PAIRS for _, b in PAIRS]
    scores = network.read(pairs).scores
    assert np.abs(scores - exact.read(pairs).scores).mean() < 0.5 * exact.read(pairs).scores.std()
    assert [network.read([pair]).scores[0] for pair in pairs] == scores.tolist()
    assert network.read(pairs[::-1]).scores.tolist() == scores[::-1].tolist()


def test_scores_get_their_meaning_from_development_documents(
    weights: Path, small_store: Path, tmp_path: Path
) -> None:
    calibrate = pytest.importorskip("training.judge.calibrate")
    folder = shutil.copytree(weights, tmp_path / "weights")
    calibrate.main(store=small_store, weights=folder, model="a")
    about = json.loads((folder / "meta.json").read_text())
    curve = about["calibration"]
    assert len(curve["errors"]) == 4
    assert set(curve) == {"slope", "offset", "spread", "bends", "errors"}
    assert curve["spread"] > 0


def test_marks_are_fitted_again(
    run: Path, weights: Path, small_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = pytest.importorskip("training.judge.marks")
    states = np.random.default_rng(1).normal(size=(40, 128)).astype(np.float32)
    shares = (states[:, :2] > 0.5).astype(np.float32)
    monkeypatch.setattr(marks, "experts", lambda *_: (states, shares))
    monkeypatch.setattr(marks, "STATES", export.state(1))
    reference = tmp_path / "wmt13/de-en/ref.txt"
    reference.parent.mkdir(parents=True)
    text = "The old minister of the city said on Monday that it was not easy.\n"
    reference.write_text(text * 2100)
    monkeypatch.setattr(marks, "add_errors", lambda texts, *_: [((texts[0], texts[0]), {2})])
    marks.main(run, weights=weights, out=tmp_path / "m", store=small_store, data=tmp_path)
    old, new = (np.load(folder / "weights.npz") for folder in (run, tmp_path / "m"))
    changed = {name for name in old.files if not np.array_equal(old[name], new[name])}
    assert changed == {"head.marks.weight", "head.marks.bias"}
