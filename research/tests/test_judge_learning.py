"""The judge's losses, network and training, on something very small."""

from __future__ import annotations

import json
import random
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs PyTorch")
safetensors = pytest.importorskip("safetensors.torch", reason="training needs safetensors")

from training.judge import groups, store  # noqa: E402
from training.judge.segments import Segment  # noqa: E402

encoder = pytest.importorskip("training.model.encoder")
losses = pytest.importorskip("training.judge.losses")
network = pytest.importorskip("training.judge.network")
train = pytest.importorskip("training.judge.train")

TOKENIZER = Path("src/albeit/annotate/weights/tokenizer.json")


@pytest.fixture
def base(tmp_path: Path) -> Path:
    config = encoder.Config(
        width=24, inner=48, layers=2, middle=1, mixed=2, case_after=1, buckets=32
    )
    folder = tmp_path / "base"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(asdict(config)))
    torch.manual_seed(1)
    state = encoder.Encoder(config).state_dict()
    kept = {k: v.contiguous() for k, v in state.items() if k not in ("cases.weight", "mix")}
    safetensors.save_file(kept, folder / "model-0.safetensors")
    return folder


def test_preferences_and_levels_pull_scores_apart() -> None:
    scores = torch.tensor([2.0, -2.0])
    one = torch.tensor([1.0])
    right = losses.preference(scores, torch.tensor([0]), torch.tensor([1]), one)
    wrong = losses.preference(scores, torch.tensor([1]), torch.tensor([0]), one)
    assert right < 0.1 < wrong
    levels = torch.tensor([0.0, -10.0])
    assert losses.across(scores, levels) < losses.across(-scores, levels)
    assert losses.across(scores, torch.tensor([0.0, float("nan")])) == 0


def test_teaching_ignores_what_has_no_target_and_offsets_cost_less_than_order() -> None:
    target = torch.tensor([1.0, 0.0, float("nan")])
    group = torch.tensor([0, 0, 1])
    assert losses.taught(torch.tensor([1.0, 0.0, 9.0]), target, group, 3.0) == 0
    shifted = losses.taught(torch.tensor([1.5, 0.5, 0.0]), target, group, 3.0)
    turned = losses.taught(torch.tensor([0.5, 0.5, 0.0]), target, group, 3.0)
    assert shifted < turned


def test_matching_sees_what_the_other_side_lacks() -> None:
    match = network.Match(4)
    torch.nn.init.normal_(match.narrow.weight)
    torch.nn.init.zeros_(match.weigh.weight)
    match.weigh.weight.data[:6, :6] = torch.eye(6)
    same = torch.eye(4)[None, [0, 1, 0, 1]]
    one = torch.tensor([[True, True, False, False]])
    told = match(same, one, ~one)[0, :6]
    assert torch.allclose(told, torch.tensor([1.0, 0.0, 1.0, 0.0, 0.5, 0.5]), atol=1e-6)
    lost = match(torch.eye(4)[None, [0, 1, 0, 2]], one, ~one)[0, :6]
    assert lost[0] < 1
    assert lost[2] < 1
    assert lost[1] > 0


def test_padding_changes_no_matching() -> None:
    match = network.Match(4)
    states = torch.randn(1, 5, 4)
    one = torch.tensor([[True, True, False, False, False]])
    other = torch.tensor([[False, False, True, True, False]])
    short = match(states[:, :4], one[:, :4], other[:, :4])
    assert torch.allclose(match(states, one, other), short, atol=1e-6)


def test_hiding_spares_special_subwords() -> None:
    ids = torch.full((2, 50), 7)
    cases = torch.ones_like(ids)
    cases[:, 0] = 0
    found = train.hidden(ids, cases, 1.0)
    assert (found[:, 0] == 7).all()
    assert (found[:, 1:] == train.MASK).all()
    assert (train.hidden(ids, cases, 0.0) == ids).all()


FORMS = [{}, {"match": True}, {"plain": True}, {"words": True}]


@pytest.mark.parametrize("forms", FORMS)
def test_saved_weights_come_back_on_their_grid(
    base: Path, tmp_path: Path, forms: dict[str, bool]
) -> None:
    judge = network.untrained(base, **forms)
    network.save(judge, tmp_path / "m.safetensors", seed=1)
    again = network.load(tmp_path / "m.safetensors", base)
    network.save(again, tmp_path / "n.safetensors", seed=1)
    twice = network.load(tmp_path / "n.safetensors", base)
    for (name, a), b in zip(again.state_dict().items(), twice.state_dict().values(), strict=True):
        assert torch.allclose(a, b, atol=1e-3), name
    assert network.notes(tmp_path / "m.safetensors") == {"seed": "1"}


@pytest.mark.parametrize("forms", FORMS[:3])
def test_the_exported_file_says_what_the_judge_says(
    base: Path, tmp_path: Path, forms: dict[str, bool]
) -> None:
    export = pytest.importorskip("training.judge.export", reason="export needs onnx")
    judge = network.untrained(base, 0.0, **forms).eval()
    torch.nn.init.normal_(judge.encoder.cases.weight)
    ids = torch.randint(1000, 2000, (3, 12))
    mask = torch.ones_like(ids)
    mask[1, 9:] = 0
    cases = torch.tensor([[0, 1, 2, 3, 0, 7, 8, 9, 7, 7, 7, 0]] * 3) * mask
    with torch.no_grad():
        expected = judge(ids, mask, cases)
        vectors = judge.encoder.words(ids)
    export.export(judge, tmp_path / "judge.onnx")
    session = export.OnnxBackend(tmp_path)
    found = session.run("judge", vectors.numpy(), mask.numpy(), cases.numpy())
    for ours, theirs in zip(found, expected, strict=True):
        assert np.allclose(ours, theirs.numpy(), atol=1e-4)


def test_teacher_and_student_run_from_end_to_end(base: Path, tmp_path: Path) -> None:
    rng = random.Random(1)
    vocabulary = ["the", "old", "man", "saw", "small", "boat", "lake", "and", "said", "Monday"]
    made = []
    for k in range(40):
        text = " ".join(rng.choice(vocabulary) for _ in range(8))
        good, bad = text + " .", " ".join(rng.choice(vocabulary) for _ in range(5))
        one = Segment(
            "wmt23",
            f"wmt23/zh-en:{k}",
            f"wmt23:{k // 2}",
            "源 文",
            {"refA": text},
            {"a": good, "b": bad},
            levels={"a": 0.0, "b": -9.0},
        )
        made.append(one)
    found = [*groups.make(made), *groups.contrast([("kind", "A cat.", "A cat!", "Dogs.")])]
    path = tmp_path / "s.npz.xz"
    store.save(store.pack(found, TOKENIZER), path)
    options = {"store": path, "base": base, "budget": 1000, "passes": 2, "thin": 1}
    common = [f"--{name}={value}" for name, value in options.items()]
    teacher = [*common, "--out", str(tmp_path / "t"), "--across", "0.1", "--marks", "0"]
    train.train(train.parser().parse_args(teacher))
    kept = store.load(path)
    chosen = train.parser().parse_args([*teacher, "--sets", "wmt23", "--kinds", "judged"])
    learnt = np.unique(np.concatenate(train.batches(kept, chosen, None)))
    assert kept.groups(sets=("wmt23",), kinds=("judged",))[learnt].all()
    assert len(learnt) < kept.groups(kinds=("judged", "damage")).sum()
    student = [*common, "--out", str(tmp_path / "s"), "--targets", str(tmp_path / "t")]
    student += ["--eight-bit-from", "0.5", "--match", "--hidden", "0.1"]
    train.train(train.parser().parse_args(student))
    scores = np.load(tmp_path / "s/scores.npy")
    figures = json.loads((tmp_path / "s/figures.json").read_text())
    assert np.isfinite(scores).all()
    assert 0 <= figures["tested"]["demetr"]["all"] <= 1
    assert (tmp_path / "s/model.safetensors").exists()
