"""A cloze head on a very small judge: what ships says what PyTorch says, of what training would
read."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs PyTorch")
pytest.importorskip("onnx", reason="export needs onnx")

from albeit.metrics.judge import cloze as shipped  # noqa: E402
from albeit.metrics.judge.cloze import Cloze, Hidden, batches  # noqa: E402
from albeit.metrics.judge.network import Network  # noqa: E402
from albeit.parsing.model import ModelError  # noqa: E402
from training.cloze import store, texts  # noqa: E402
from training.judge.store import Cutter  # noqa: E402
from training.predict import OnnxBackend  # noqa: E402

export = pytest.importorskip("training.cloze.export")
judges = pytest.importorskip("training.judge.export")
network = pytest.importorskip("training.cloze.network")
judge_network = pytest.importorskip("training.judge.network")

TOKENIZER = Path("src/albeit/parsing/weights/tokenizer.json")
PATHS = sorted(Path("examples/demo").glob("**/*.txt"))
DEMO = [line for path in PATHS for line in path.read_text(encoding="utf-8").splitlines()]
"""Real text, some of it German."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, small_judge: Callable[[int], Any]) -> Path:
    """An untrained judge with a tower on it, as training leaves both."""
    judge = small_judge(3)
    folder = tmp_path_factory.mktemp("run")
    judge_network.save(judge, folder)
    cloze = network.Cloze(judge.encoder)
    for name, value in cloze.learnt().items():
        if name == "mix" or name.startswith("head"):
            torch.nn.init.normal_(value, std=0.3)
    network.save(cloze, folder / "adapter.npz")
    return folder


@pytest.fixture(scope="module")
def judge(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Network:
    """The judge as it ships, in single precision."""
    folder = tmp_path_factory.mktemp("judge")
    judges.write(judges.build(*judges.read(run)).SerializeToString(), folder)
    return Network(folder)


@pytest.fixture(scope="module")
def cloze(run: Path, judge: Network) -> Cloze:
    """The head as it ships, in bytes."""
    folder = judge.folder / "cloze"
    made = export.quantise(export.read(run), judge, asked()[:12])
    export.write(made, judge, folder)
    return Cloze(folder, judge)


def asked() -> list[Hidden]:
    """Texts of several lengths, two words hidden in each."""
    found = []
    for at in range(0, len(DEMO) - 40, 7):
        own = tuple(" ".join(DEMO[at : at + 1 + at % 40]).split())
        known = [*shipped.pronouns(own), *shipped.connectives(own)]
        if known:
            some = sorted(random.Random(at).sample(known, min(2, len(known))))
            found.append(Hidden(own, tuple((t.start, t.stop) for t in some)))
    return found


def test_what_is_read_is_what_training_reads(judge: Network) -> None:
    builder = store.Builder(Cutter(TOKENIZER), random.Random(1))
    several = [one for one in asked() if len(one.words) < 250]
    every = [*several, *(Hidden(one.words, one.runs[:1]) for one in asked())]
    assert len(several) > 5
    for number, one in enumerate(every):
        document = texts.Document(str(number), [list(one.words)])
        builder.add(document)
        for start, stop in one.runs:
            builder.place(document, shipped.Target(start, stop, "it"), 0)
    places = store.Places.of(builder.arrays())
    seen = 0
    for texts_of, inputs in batches(judge, every):
        for row, (k, at) in enumerate(texts_of):
            ids, cases, where = places.read(np.flatnonzero(places.table[:, 1] == k))
            count = int(inputs.mask[row].sum())
            assert inputs.ids[row, :count].tolist() == ids.tolist()
            assert inputs.cases[row, :count].tolist() == cases.tolist()
            assert at.tolist() == where.tolist()
            seen += 1
    assert seen == len(every)
    assert max(int(inputs.mask.sum(1).max()) for _, inputs in batches(judge, every)) >= 479


def test_the_graph_says_what_pytorch_says(run: Path, judge: Network) -> None:
    learnt = network.load(judge_network.load(run).encoder, run / "adapter.npz")
    session = OnnxBackend(Path()).open(export.build(export.read(run)).SerializeToString())
    for texts_of, inputs in batches(judge, asked()[:8]):
        names = [judges.state(0), judges.state(1)]
        given = {"attention_mask": inputs.mask, **judge.states(inputs, names)}
        (logits,) = session.run(None, given)
        rows = np.repeat(np.arange(len(texts_of)), [len(at) for _, at in texts_of])
        at = np.concatenate([at for _, at in texts_of])
        with torch.no_grad():
            tensors = map(torch.from_numpy, (inputs.ids, inputs.mask, inputs.cases, rows, at))
            expected = learnt(*tensors).numpy()
        parts = np.split(logits[rows, at], [shipped.FIRST_CONNECTIVE], axis=1)
        logs = [part - np.log(np.exp(part).sum(1, keepdims=True)) for part in parts]
        assert np.allclose(np.concatenate(logs, 1), expected, atol=1e-4)


def test_bytes_lose_little_and_no_batch_changes_anything(
    run: Path, judge: Network, cloze: Cloze, tmp_path: Path
) -> None:
    every = asked()
    together = cloze.read(every)
    assert np.allclose(np.exp(together[0][:, : shipped.FIRST_CONNECTIVE]).sum(1), 1)
    assert np.allclose(np.exp(together[0][:, shipped.FIRST_CONNECTIVE :]).sum(1), 1)
    for one, found in zip(every[:6], together, strict=False):
        assert np.array_equal(cloze.read([one])[0], found, equal_nan=True)
    assert np.array_equal(cloze.read(every[::-1])[-1], together[0], equal_nan=True)
    plain = export.build(export.read(run)).SerializeToString()
    export.write(plain, judge, tmp_path)
    exact, bits = (
        np.concatenate(found) for found in (Cloze(tmp_path, judge).read(every), together)
    )
    assert np.nanmean(np.abs(bits - exact)) < 0.05 * np.nanstd(exact)
    meta = (tmp_path / "meta.json").read_text()
    (tmp_path / "meta.json").write_text(meta.replace(judge.version, "0" * 16))
    with pytest.raises(ModelError, match="another judge"):
        Cloze(tmp_path, judge)
