"""The judge's losses, network and training, on something very small."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs PyTorch")
safetensors = pytest.importorskip("safetensors.torch", reason="training needs safetensors")

from training.judge import groups, store  # noqa: E402
from training.options import read_options  # noqa: E402

encoder = pytest.importorskip("training.model.encoder")
losses = pytest.importorskip("training.judge.losses")
network = pytest.importorskip("training.judge.network")
low_rank = pytest.importorskip("training.judge.low_rank")
targets = pytest.importorskip("training.judge.targets")
train = pytest.importorskip("training.judge.train")
Settings = train.Settings


def test_losses_fall_where_scores_are_right_and_ignore_what_is_unknown() -> None:
    scores, none = torch.tensor([2.0, -2.0]), float("nan")
    zero, one = torch.tensor([0]), torch.tensor([1])
    right, wrong = (losses.preference(s, zero, one, one.float()) for s in (scores, -scores))
    assert right < 0.1 < wrong
    levels = torch.tensor([0.0, -10.0])
    assert losses.across(scores, levels) < losses.across(-scores, levels)
    assert losses.across(scores, torch.tensor([0.0, none])) == 0
    target = torch.tensor([1.0, 0.0, none])
    assert losses.taught(torch.tensor([1.0, 0.0, 9.0]), target) == 0
    assert losses.taught(torch.tensor([1.5, 0.0, 9.0]), target) > 0
    # a synthetic error costs half a logit per point
    good, bad, points = torch.tensor([0, 0]), torch.tensor([1, 2]), torch.tensor([4.0, none])
    assert losses.difference(torch.tensor([2.0, 0.0, 9.0]), good, bad, points) == 0
    assert losses.difference(torch.tensor([1.0, 0.0, 9.0]), good, bad, points) == 0.5


def test_the_best_standard_error_is_the_distance_itself() -> None:
    scores, people = torch.zeros(1), torch.tensor([2.0])
    lost = [losses.spread(scores, torch.tensor([x]), people) for x in (0.0, 0.693, 1.5)]
    assert lost[1] == min(lost)


@torch.no_grad()
def test_low_rank_starts_at_the_pretrained_encoder_and_is_merged_without_loss(base: Path) -> None:
    judge = network.untrained(base, 2, 0.0).eval()
    names = set(judge.state_dict())
    ids, mask = torch.randint(1000, 2000, (1, 8)), torch.ones(1, 8, dtype=torch.int64)
    cases, facts = torch.tensor([[0, 1, 1, 0, 7, 7, 7, 0]]), torch.full((1, 3), 0.5)
    pretrained = judge(ids, mask, cases, facts)[0]
    low_rank.attach(judge.encoder, 2)
    assert torch.equal(pretrained, judge(ids, mask, cases, facts)[0])
    learned = [n for n, p in judge.encoder.named_parameters() if p.requires_grad]
    assert not [n for n in learned if "whole" in n or n == "words.weight"]
    for name, value in judge.named_parameters():
        if name.endswith(".up") and value.ndim == 2:
            value += 0.1 * torch.randn_like(value)
    trained = judge(ids, mask, cases, facts)[0]
    low_rank.merge(judge.encoder)
    assert torch.allclose(trained, judge(ids, mask, cases, facts)[0], atol=1e-5)
    assert set(judge.state_dict()) == names


def test_teacher_and_student_run_from_end_to_end(
    base: Path, small_store: Path, tmp_path: Path
) -> None:
    common = [f"--store={small_store}", f"--base={base}", "--budget=1000", "--layers=2"]
    common += ["--limit=4"]
    teacher = [*common, f"--out={tmp_path / 't-all-1'}", "--rank=2"]
    train.train(read_options(Settings, teacher))
    before = np.load(tmp_path / "t-all-1/scores.npy")
    student = [*common, f"--out={tmp_path / 's-all'}", "--teachers", str(tmp_path / "t-all-1")]
    train.train(read_options(Settings, student))
    kept = store.load(small_store)
    goal = targets.make(kept, [tmp_path / "t-all-1/scores.npy"], "all")
    top = goal.score[kept["pair_end"] > 0]
    assert (top == top[0]).all()
    assert np.nanmax(goal.score) == top[0]
    joined = kept.groups(kinds=("paragraph",))[kept["pair_group"]]
    assert np.isfinite(goal.score[joined]).all()
    figures = json.loads((tmp_path / "s-all/figures.json").read_text())
    assert 0 <= figures["tested"]["demetr"]["all"] <= 1
    assert (tmp_path / "s-all/weights.npz").exists()
    assert (tmp_path / "s-all/spread.npy").exists()
    check = json.loads((tmp_path / "t-all-1/check.json").read_text())
    assert set(check) == {"tau", "chrf", "seed"}
    train.train(read_options(Settings, [*teacher, "--score-only"]))
    again = np.load(tmp_path / "t-all-1/scores.npy")
    assert np.allclose(before, again, atol=0.02, equal_nan=True), "weights are in half precision"
    keep = pytest.importorskip("training.judge.keep")
    keep.keep(tmp_path, tmp_path / "kept.npz.xz")
    keep.restore(tmp_path / "kept.npz.xz", tmp_path / "restored")
    restored = np.load(tmp_path / "restored/t-all-1/scores.npy")
    assert np.array_equal(restored, again, equal_nan=True)


def test_teachers_learn_from_outputs_and_score_development_documents_first(
    small_store: Path,
) -> None:
    kept = store.load(small_store)
    settings = Settings(out=Path("x"), model="a")
    chosen = train.training_groups(kept, settings, np.random.default_rng(1))
    kinds = {groups.KINDS[k] for k in np.unique(kept["group_kind"][chosen])}
    assert kinds - {"paragraph"} == {"judged", "synthetic"}
    assert not (chosen & kept["group_dev"]).any()
    first, *rest = train.scoring_order(kept, "a", student=False)
    assert len(first)
    assert kept["group_dev"][kept["pair_group"]][first].all()
    judged = kept.groups(kinds=("judged", "synthetic", "identity", "contrast"))
    assert sorted(np.concatenate([first, *rest])) == kept.pairs(judged).tolist()


def test_a_run_that_does_not_learn_begins_again_with_another_seed(
    base: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fitting = pytest.importorskip("training.judge.fitting")

    def read(losses: list[float], progress: float) -> None:
        watch = fitting.Watch(lambda judge: 0.0)
        for loss in losses:
            watch.read(loss, progress)

    read([0.7] * fitting.READINGS, 0.1)  # too early
    read([0.5] * fitting.READINGS, 0.3)
    for loss in (0.7, float("nan")):
        with pytest.raises(fitting.UnlearnedError):
            read([loss] * fitting.READINGS, 0.3)
    tried = []

    def fit(*given: Any) -> None:
        tried.append((given[3].seed, given[3].lr))
        if len(tried) < 3:
            raise fitting.UnlearnedError("r with chrF is 0.997")

    monkeypatch.setattr(fitting, "fit", fit)
    args = Settings(base=base, layers=1, lr=4e-4, out=Path("x"))
    feed = type("Feed", (), {"device": "cpu"})()
    _, found = fitting.train_judge(feed, list, args, 1.0, lambda judge: 0.0)
    assert [seed for seed, _ in found] == [1, 101, 201]
    assert found == tried
    assert "again with seed 101" in capsys.readouterr().out


def test_a_teacher_that_reproduces_chrf_or_lags_behind_is_rejected() -> None:
    teachers = pytest.importorskip("training.judge.teachers")
    found = teachers.reasons(
        {
            "t-a-1": {"tau": 0.35, "chrf": 0.7},
            "t-a-2": {"tau": 0.329, "chrf": 0.6},
            "t-a-3": {"tau": 0.40, "chrf": 0.997},
            "t-a-4": {"tau": 0.33, "chrf": 0.6},
            "t-a-5": {"tau": float("nan"), "chrf": float("nan")},
        }
    )
    assert {name for name, reason in found.items() if not reason} == {"t-a-1", "t-a-4"}
    assert "chrF" in found["t-a-3"]
    assert "0.350" in found["t-a-2"]
