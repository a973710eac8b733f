"""What comes back from a GPU: parts of limited size, exact enough, refused where damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs PyTorch")
safetensors = pytest.importorskip("safetensors.torch", reason="training needs safetensors")

encoder = pytest.importorskip("training.model.encoder")
network = pytest.importorskip("training.judge.network")
parcel = pytest.importorskip("training.judge.parcel")


@pytest.fixture
def runs(base: Path, tmp_path: Path) -> Path:
    """A trained student and a teacher's scores, as a run leaves them."""
    judge = network.untrained(base, 1, 0.0)
    torch.manual_seed(2)
    with torch.no_grad():
        for value in judge.parameters():
            value += 0.01 * torch.randn_like(value)
    folder = tmp_path / "runs"
    network.save(judge, folder / "s-all")
    for name in ("s-all", "t-all-1"):
        (folder / name).mkdir(exist_ok=True)
        scores = np.array([0.5, np.nan, -2.0], np.float32)
        np.save(folder / name / "scores.npy", scores)
        (folder / name / "figures.json").write_text('{"tested": {}}')
    (folder / "s-all.log").write_text("trained\n")
    return folder


def test_a_student_comes_back_nearly_exact(
    base: Path, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parcel, "LARGE", 500)
    parcel.write(runs, [base], tmp_path / "out")
    first = parcel.read(tmp_path / "out/part-0.bin")[1]
    names = list(first)
    assert names.index("s-all/weights.npz:head.score.weight") < names.index(
        "s-all/weights.npz:encoder.blocks.0.up.weight"
    )
    assert {way for way, _ in first.values()} == {"plain", "bytes", "half bytes"}
    parcel.join(tmp_path / "out", [base], tmp_path / "again")
    sent, come = network.load(runs / "s-all"), network.load(tmp_path / "again/s-all")
    for name, value in sent.state_dict().items():
        far = (come.state_dict()[name] - value).abs().max().item()
        # changes of about .03 at most travel in bytes (a 254th of it off) or half bytes (a 14th)
        assert far < (0.005 if "words" in name else 0.001), name
    scores = np.load(tmp_path / "again/t-all-1/scores.npy")
    assert np.array_equal(scores, np.array([0.5, np.nan, -2.0], np.float16), equal_nan=True)
    assert (tmp_path / "again/s-all/figures.json").read_text() == '{"tested": {}}'
    assert (tmp_path / "again/s-all.log").read_text() == "trained\n"


def test_parts_are_small_and_in_batches(
    base: Path, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parcel, "PART", 450_000)
    monkeypatch.setattr(parcel, "MOST", 500_000)
    monkeypatch.setattr(parcel, "LARGE", 500)
    out = tmp_path / "out"
    parcel.write(runs, [base], out)
    with pytest.raises(SystemExit, match="missing"):
        parcel.join(out, [base], tmp_path / "half")
    parcel.write(runs, [base], out, batch=1)
    parts = sorted(out.glob("part-*.bin"))
    assert len(parts) > 1
    assert all(part.stat().st_size <= 450_000 for part in parts)
    parcel.join(out, [base], tmp_path / "again")
    assert (tmp_path / "again/t-all-1/scores.npy").exists()


def test_damage_and_other_bases_are_refused(base: Path, runs: Path, tmp_path: Path) -> None:
    parcel.write(runs, [base], tmp_path / "out")
    part = tmp_path / "out/part-0.bin"
    whole = part.read_bytes()
    middle = len(whole) // 2
    changed = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    for damaged in (whole[: middle // 512 * 512], changed, b"something else"):
        part.write_bytes(damaged)
        with pytest.raises(SystemExit, match="damaged or cut off"):
            parcel.join(tmp_path / "out", [base], tmp_path / "again")
    part.write_bytes(whole)
    state = safetensors.load_file(base / "model-0.safetensors")
    state["words.weight.scale"] += 1
    safetensors.save_file(state, base / "model-0.safetensors")
    with pytest.raises(SystemExit, match="other base weights"):
        parcel.join(tmp_path / "out", [base], tmp_path / "again")
