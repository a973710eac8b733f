"""A judge of the wide kind, very small: what export writes says what PyTorch says, and the metric
shows what it says: scores that no batch changes, standard errors, marks with severity."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs PyTorch")
onnx = pytest.importorskip("onnx", reason="export needs onnx")

from albeit import score  # noqa: E402
from albeit.data.evalset import EvalSet  # noqa: E402
from albeit.evaluation import explain  # noqa: E402
from albeit.metrics.judge.network import Network, load_judge  # noqa: E402
from albeit.metrics.registry import metric  # noqa: E402
from albeit.metrics.significance import compare  # noqa: E402
from albeit.report import render  # noqa: E402
from albeit.report.scores import comparison_table, score_table  # noqa: E402
from albeit.report.views import view_text  # noqa: E402

export = pytest.importorskip("training.judge.export")
network = pytest.importorskip("training.judge.network")

PAIRS = [
    ("The old man saw a boat.", "An old man saw the boat."),
    ("Nobody had read it, they said.", "No one had read it, they said."),
    ("Yes.", "Nothing of the kind was ever said by anybody in Paris!"),
    ("the the the the", "The bridge was closed for three days."),
]


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
    export.write(export.Maker(run, PAIRS)("8", "4"), folder)
    return folder


def test_the_graph_says_what_the_judge_says(run: Path) -> None:
    judge = network.load(run)
    session = export.open_model(export.build(*export.read(run), "32").SerializeToString())
    for batch in load_judge().inputs(PAIRS):
        names = ("input_ids", "attention_mask", "case_ids", "facts")
        shown = ["score", "spread", "marks", export.state(1)]
        found = session.run(shown, dict(zip(names, batch, strict=True)))
        given = [torch.from_numpy(np.ascontiguousarray(part)) for part in batch]
        with torch.no_grad():
            expected = (*judge(*given), judge.encoder(*given[:3])[0])
        for ours, theirs in zip(found, expected, strict=True):
            assert np.allclose(ours, theirs.numpy(), atol=1e-4)


def test_what_the_head_reads_is_the_same_alone_and_together(run: Path) -> None:
    """To the last bit: a pair alone is added up as one among others."""
    model = export.build(*export.read(run), "4")
    shown = onnx.helper.make_tensor_value_info("head.joined", onnx.TensorProto.FLOAT, None)
    model.graph.output.append(shown)
    session = export.open_model(model.SerializeToString())
    names = ("input_ids", "attention_mask", "case_ids", "facts")
    for pair in PAIRS:
        (batch,) = load_judge().inputs([pair])
        alone, together = (
            session.run(["head.joined"], dict(zip(names, given, strict=True)))[0]
            for given in (batch, [np.repeat(part, 3, axis=0) for part in batch])
        )
        assert np.array_equal(np.repeat(alone, 3, axis=0), together)


def test_smoothing_changes_nothing_in_float(run: Path) -> None:
    plain = export.build(*export.read(run), "32")
    even = export.build(*export.read(run), "32")
    export.smooth(even, export.record(plain, load_judge(), PAIRS).largest["judge"])
    batch = next(load_judge().inputs(PAIRS))
    given = dict(zip(("input_ids", "attention_mask", "case_ids", "facts"), batch, strict=True))
    one, other = (
        export.open_model(model.SerializeToString()).run(["score"], given)[0]
        for model in (plain, even)
    )
    assert np.allclose(one, other, atol=1e-4)


@pytest.mark.parametrize("layers", ["8", "6", "4"])
def test_few_bits_stay_near_and_no_score_depends_on_its_batch(
    run: Path, tmp_path: Path, layers: str
) -> None:
    make = export.Maker(run, PAIRS)
    export.write(make("32", "32"), tmp_path / "float")
    export.write(make(layers, "4"), tmp_path / "bits")
    exact, network = (Network(tmp_path / name) for name in ("float", "bits"))
    pairs = [(a, b) for a, _ in PAIRS for _, b in PAIRS]
    scores = network.read(pairs).scores
    assert np.abs(scores - exact.read(pairs).scores).mean() < 0.5 * exact.read(pairs).scores.std()
    if layers != "4":  # its products are sums of floats, block by block
        assert [network.read([pair]).scores[0] for pair in pairs] == scores.tolist()
        assert network.read(pairs[::-1]).scores.tolist() == scores[::-1].tolist()


def test_standard_errors_go_with_scores_at_every_level(weights: Path) -> None:
    name = f"judge(weights={weights})"
    ours, theirs = (tuple(side) for side in zip(*PAIRS, strict=True))
    evalset = EvalSet({"r": theirs}, {"s": ours, "copy": theirs})
    table = score(evalset, [name, "chrf"])
    column = table[name]
    segments = column.standard_errors["segment"]
    assert segments.shape == (2, 4)
    assert (segments > 0).all()
    together = np.sqrt((segments**2).sum(axis=1)) / 4
    assert column.standard_errors["system"] == pytest.approx(together)
    assert table["chrf"].standard_errors == {}
    shown = json.loads(render(score_table(table, "segment"), "json"))
    assert shown["rows"][0][name]["standard_error"] == segments[0, 0]
    assert isinstance(shown["rows"][0]["chrf"], float)
    assert "standard_error" in render(comparison_table(compare(table, resamples=100)), "json")
    assert [r["standard_error"] for r in table.to_records("segment") if r["metric"] == name] == (
        segments.ravel().tolist()
    )


def test_marks_have_a_severity_and_add_up(weights: Path) -> None:
    ours, theirs = (tuple(side) for side in zip(*PAIRS, strict=True))
    evalset = EvalSet({"r": theirs}, {"s": ours})
    for view in explain(evalset, metric(f"judge(weights={weights})"), segments=[1, 2, 3, 4]):
        assert sum(loss.amount for loss in view.losses) == pytest.approx(100 - view.score)
        assert view.standard_error is not None
        marked = [loss for loss in view.losses if loss.places]
        assert marked
        for loss in marked:
            assert loss.severity in ("major", "minor")
            likelier = max(("major", "minor"), key=lambda kind: loss.details[kind])
            assert loss.severity == likelier
        assert f"({marked[0].severity})" in view_text(view)
        assert "± " in view_text(view)
        assert view.to_json()["losses"][0]["severity"] == view.losses[0].severity


def test_a_reference_of_several_and_blank_lines_have_their_errors(weights: Path) -> None:
    name = f"judge(weights={weights})"
    one, other = ("A boat.", ""), ("An old man saw the boat.", "x")
    column = score(EvalSet({"a": one, "b": other}, {"s": ("The boat.", "")}), [name])[name]
    assert column.segment is not None
    assert column.segment[0, 1] == 50  # beside nothing 100, beside a word 0
    assert column.standard_errors["segment"][0, 1] == 0


def test_a_wide_network_becomes_judge_and_the_small_one_stays(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one line (`DEFAULT`) does: another network and signature, and what it has seen."""
    from albeit.errors import AlbeitWarning
    from albeit.metrics.judge import WEIGHTS, metric

    (tmp_path / "wide").mkdir()
    for name in ("judge.onnx", "meta.json"):
        (tmp_path / "wide" / name).write_bytes((weights / name).read_bytes())
    ours, theirs = (tuple(side) for side in zip(*PAIRS, strict=True))
    np.save(tmp_path / "wide" / metric.SEEN, metric.digest_lines(theirs))
    (tmp_path / "small").symlink_to(WEIGHTS / "small")
    monkeypatch.setattr(metric, "WEIGHTS", tmp_path)
    monkeypatch.setattr(metric.Judge, "network", "wide")
    evalset = EvalSet({"r": theirs}, {"s": ours})
    with pytest.warns(AlbeitWarning, match="was trained on 100% of this set"):
        table = score(evalset, ["judge", "judge-small"])
    version = json.loads((weights / "meta.json").read_text())["version"]
    assert version in str(table["judge"].signature)
    assert version not in str(table["judge-small"].signature)
    assert table["judge"].standard_errors
    assert not table["judge-small"].standard_errors


def test_scores_get_their_meaning_from_development_documents(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from training.judge import groups, store
    from training.judge.segments import Segment

    calibrate = pytest.importorskip("training.judge.calibrate")
    made = [
        Segment(
            "wmt23",
            f"wmt23/zh-en:{k}",
            f"wmt23:{k}",
            "源 文",
            {"refA": f"The bridge over river {k} was closed for three days."},
            {"a": f"The bridge over river {k} was shut three days.", "b": "Nothing was said."},
            levels={"a": -1.0, "b": -9.0},
        )
        for k in range(96)
    ]
    cutter = store.Cutter(Path("src/albeit/parsing/weights/tokenizer.json"))
    store.save(store.pack(list(groups.make(made, cutter.size)), cutter), tmp_path / "s.npz.xz")
    folder = tmp_path / "weights"
    folder.mkdir()
    for name in ("judge.onnx", "meta.json"):
        (folder / name).write_bytes((weights / name).read_bytes())
    given = ["calibrate", f"--store={tmp_path / 's.npz.xz'}", f"--weights={folder}", "--model=a"]
    monkeypatch.setattr("sys.argv", [*given, f"--figures={tmp_path / 'f.json'}"])
    calibrate.main()
    about = json.loads((folder / "meta.json").read_text())
    assert len(about["errors"]) == 4
    told = about["calibration"]
    assert set(told) == {"slope", "offset", "spread", "bends"}
    assert told["spread"] > 0
    figures = json.loads((tmp_path / "f.json").read_text())
    assert len(figures["deciles"]["all"]) == 10
