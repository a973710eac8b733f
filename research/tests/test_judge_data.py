"""The judge's training data: readers, groups, what is left out, arrays."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from albeit.metrics.judge.chunking import cut
from albeit.metrics.judge.network import PUNCTUATION, load_judge
from albeit.parsing.encoder import REFERENCE
from training.judge import figures, groups, store, unseen
from training.judge.groups import Group
from training.judge.segments import MAJOR, Segment, esa, newstest21, ranked, read_wmt12_pairs
from training.synthetic import NOTHING, POINTS

TOKENIZER = Path("src/albeit/parsing/weights/tokenizer.json")


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def segment(**changes: object) -> Segment:
    given_: dict[str, object] = {
        "data": "newstest21",
        "key": "newstest21/zh-en:0",
        "document": "newstest21:d",
        "source": "源",
        "references": {"ref.A": "The first human said so.", "ref.B": "So said another human."},
        "outputs": {"x": "The machine say so.", "y": "The machine said so."},
        "levels": {"x": -5.0, "y": 0.0, "ref.A": 0.0, "ref.B": -1.0},
        "errors": {"x": [(12, 15, MAJOR, 1.0)], "y": [], "ref.A": [], "ref.B": []},
    }
    return Segment(**{**given_, **changes})  # type: ignore[arg-type]


def test_rankings_are_read_as_counted_pairs_with_entities_undone(tmp_path: Path) -> None:
    files = {
        "src.txt": "un\ndeux\n",
        "ref.txt": "one\ntwo\n",
        "docids.txt": "d\t1\tfr\nd\t2\tfr\n",
        "systems/a.txt": "1\n&quot;2&quot;\n",
        "systems/b.txt": "i\n\n",
        "pairwise.tsv": "segment\tbetter\tworse\n1\ta\tb\n1\ta\tb\n1\tb\ta\n2\ta\tb\n",
    }
    first, second = ranked("wmt13", write(tmp_path / "fr-en", files))
    assert first.pairs == Counter({("a", "b"): 2, ("b", "a"): 1})
    assert second.outputs == {"a": '"2"'}
    assert not second.pairs, "a blank line is no translation, and nobody preferred to it"


def test_penalties_become_levels_and_blank_lines_are_left_out(tmp_path: Path) -> None:
    files = {
        "src.txt": "源\n",
        "ref.txt": "one\n",
        "ref-B.txt": "uno\n",
        "docids.txt": "d\n",
        "systems/m.txt": "one one\n",
        "systems/blank.txt": "\n",
        "judgments.tsv": "segment\tsystem\tmqm_penalty\n1\tm\t30\n1\tblank\t0\n1\tref.B\t1\n",
        "errors.tsv": "segment\tsystem\tstart\tend\tseverity\n1\tm\t0\t3\tmajor\n",
    }
    (found,) = newstest21(write(tmp_path / "zh-en", files))
    assert found.levels == {"m": -25.0, "ref.B": -1.0}
    assert found.errors == {"m": [(0, 3, MAJOR, 1.0)], "ref.B": []}


def test_five_way_rankings_become_untied_pairs(tmp_path: Path) -> None:
    names = [f"system{k}Id" for k in range(1, 6)] + [f"system{k}rank" for k in range(1, 6)]
    values = ["a", "b", "c", "d", "e", "1", "2", "2", "-1", "-1"]
    lines = [",".join(["srcIndex", *names]), ",".join(["7", *values])]
    (tmp_path / "judgments.csv").write_text("\n".join(lines) + "\n")
    assert list(read_wmt12_pairs(tmp_path)) == [(6, "a", "b"), (6, "a", "c")]


def test_esa_scores_become_levels_like_mqm(tmp_path: Path) -> None:
    files = {"src.txt": "a\n", "ref.txt": "b\n", "systems/x.txt": "c\n"}
    files["judgments.tsv"] = "segment\tsystem\tesa\n1\tx\t90\n1\tx\t80\n1\tnobody\t10\n"
    (only,) = esa(write(tmp_path, files))
    assert only.levels == {"x": -1.5}


def test_people_are_candidates_beside_the_other_reference() -> None:
    first, second = groups.judged(segment())
    assert first.reference == "The first human said so."
    assert first.names == ["x", "y", "ref.B"]
    gaps = {(first.names[a], first.names[b], gap) for a, b, _, gap in first.pairs}
    assert gaps == {("y", "x", 5.0), ("ref.B", "x", 4.0), ("y", "ref.B", 1.0)}
    assert second.names == ["x", "y", "ref.A"]


def test_synthetic_groups_have_one_output_and_errors_in_it() -> None:
    text = "However, he said on Monday that it was not easy at first."
    outputs = {"good": text, "poor": "Number easy say he and Monday."}
    one = segment(data="wmt23", outputs=outputs, levels={"good": -1.0, "poor": -25.0})
    many = []
    for k in range(60):
        references = {"ref": f"He said on Monday that {k} was no easy number."}
        many.append(replace(one, key=f"wmt23/zh-en:{k}", references=references))
    make = groups.Synthesizer(many, random.Random(3))
    found = [group for one in many for group in make(one)]
    assert len(found) > 50
    kinds = set()
    for group in found:
        assert group.names[0] == "original"
        assert group.texts[0] == text, "poor outputs get no synthetic errors"
        lost = [(0, POINTS[name]) for name in group.names[1:]]
        assert [(a, points) for a, _, _, points in group.pairs] == lost
        assert text not in group.texts[1:]
        kinds.update(group.names[1:])
    assert len(kinds) > 12
    assert NOTHING in kinds


def test_left_out_compares_texts_not_names() -> None:
    texts = [("The same, text!", "An output."), ("the same text", "Other.")]
    texts += [("Free.", "an output"), ("Free.", "Other.")]
    every = [Group("wmt21", "k", "judged", "d", ref, ["s"], [text]) for ref, text in texts]
    forms = [store.plain_forms(group) for group in every]
    allowed = store.may_learn(every, [True, False, False, False], forms)
    assert allowed.tolist() == [False, False, False, True]


@pytest.fixture
def packed(tmp_path: Path) -> store.Store:
    contrast = groups.contrast([("kind", "A cat sat.", "A cat sits.", "A dog sat.")])
    made = [*groups.judged(segment()), *contrast]
    store.compress(store.pack(made, store.Cutter(TOKENIZER)), tmp_path / "s.npz.xz")
    return store.load(tmp_path / "s.npz.xz")


def read(packed: store.Store) -> dict[str, np.ndarray]:
    """The first pair as training reads it."""
    batches = pytest.importorskip("training.judge.batches", reason="training needs PyTorch")
    feed = batches.Feed(packed, "cpu", packed["use_all"])
    return {name: value.numpy() for name, value in feed.read(np.array([0])).items()}


def test_a_batch_holds_translation_and_reference_with_their_sides(packed: store.Store) -> None:
    batch = read(packed)
    ids, cases = batch["ids"][0], batch["cases"][0]
    assert batch["ids"].shape[1] % 8 == 0
    size = int(batch["mask"].sum())
    ends = np.flatnonzero(ids == 102)
    assert (ids[0], ends[-1]) == (101, size - 1)
    assert ((cases[1 : ends[0]] > 0) & (cases[1 : ends[0]] < store.REFERENCE)).all()
    assert (cases[ends[0] + 1 : ends[1]] > store.REFERENCE).all()
    assert (store.REFERENCE, store._AROUND) == (REFERENCE, PUNCTUATION)
    assert batch["marked"].tolist() == [True]
    assert batch["marks"][0].sum(0).tolist() == [1, 0]  # "say" is a major error


def test_the_metric_reads_as_training_did(packed: store.Store) -> None:
    network = load_judge()
    texts = ["The machine say so.", "The first human said so."]
    encoded = network.subwords([text.split() for text in texts])
    rows = cut(encoded.starts, np.array([(0, 1)]), 512, lambda text: np.zeros(0, np.int64))
    ids, mask, cases = rows.inputs(encoded, np.array([0]), 16)
    batch = read(packed)
    for ours, theirs in ((ids, "ids"), (mask, "mask"), (cases, "cases")):
        assert np.array_equal(ours, batch[theirs])


def test_long_pairs_are_cut_in_proportion() -> None:
    n, m = store.fitted(np.array([100, 400, 0, 2000]), np.array([200, 800, 900, 3]))
    assert (n[0], m[0]) == (100, 200)
    assert n[1] + m[1] == store.POSITIONS - 3
    assert abs(2 * n[1] - m[1]) < 4
    assert (n[2], m[2]) == (0, store.POSITIONS - 3)
    assert n[3] + m[3] <= store.POSITIONS - 3


def test_figures_count_ties_as_wmt_did(packed: store.Store) -> None:
    scores = np.array([0.0, 1.0, 0.5, 0.0, 0.0, 0.5, 1.0, 0.0], np.float32)
    assert figures.expert(packed, scores, "newstest21") == 1.0
    assert figures.contrasts(packed, scores) == {"kind": 1.0, "all": 1.0}
    better, worse = np.array([1, 3]), np.array([0, 4])
    ones = np.ones(2, np.float32)
    assert figures.tau(scores, better, worse, ones, ties=False) == 0.0
    assert figures.tau(scores, better, worse, ones, ties=True) == 0.5


def test_neighbouring_segments_become_a_paragraph_with_their_judgments_added_up() -> None:
    run = [segment(key=f"newstest21/zh-en:{k}") for k in range(3)]
    (group,) = groups.paragraph(run, ["x", "y"], lambda text: 60, random.Random(1), 4)
    assert len(group.parts[0]) == 3  # three times sixty on both sides, and no more than 500
    assert group.reference == " ".join(["The first human said so."] * 3)
    assert [(group.names[a], group.names[b]) for a, b, *_ in group.pairs] == [("y", "x")]
    (shorter,) = groups.paragraph(run, ["x", "y"], lambda text: 100, random.Random(1), 4)
    assert len(shorter.parts[0]) == 2


def test_kept_scores_are_by_system_and_line_of_runs_that_have_not_seen_the_set(
    packed: store.Store, tmp_path: Path
) -> None:
    first = packed["group_first"][packed["pair_group"]]
    line = packed["group_line"][packed["pair_group"]]
    number = {name: k for k, name in enumerate(packed.names)}
    scores = np.where(first, 10.0 * line + packed["pair_name"], np.nan)
    found = {"newstest21/zh-en": unseen.by_system(packed, scores, "newstest21/zh-en")}
    unseen.keep(found, tmp_path / "kept.npz.xz")
    again = unseen.kept(tmp_path / "kept.npz.xz")["newstest21/zh-en"]
    expected = {name: [number[name]] for name in ("ref.B", "x", "y")}
    assert {name: row.tolist() for name, row in again.items()} == expected
    models = {data: unseen.model_for(data) for data in unseen.SETS}
    assert all(data in store.MODELS[m] and data not in store.SEEN[m] for data, m in models.items())
    assert {subset.split("/")[0] for subset in unseen.kept()} == set(unseen.SETS)
    (tmp_path / "s-a").mkdir()
    np.save(tmp_path / "s-a/scores.npy", np.zeros(3))
    with pytest.raises(SystemExit, match="has 3 scores and the store"):
        unseen.gather(packed, tmp_path)
