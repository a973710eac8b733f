"""The learned metric: what must score high and low, whatever the batch, however long the texts."""

from __future__ import annotations

import math
import random
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import albeit
from albeit import EvalSet, explain, metric, score
from albeit.errors import AlbeitWarning
from albeit.metrics.judge import DEFAULT, WEIGHTS
from albeit.metrics.judge.metric import SEEN, digest_lines, share_seen
from albeit.metrics.judge.network import Calibration, Network, load_judge
from albeit.parsing.model import WEIGHTS as ANALYSER
from albeit.parsing.model import Model, ModelError, load_model
from tests.metrics.judge.networks import check_neighbors

REFERENCES = (
    "Although the plan was announced on Monday, nobody in the ministry had read it.",
    "The bridge was closed for three days after engineers found cracks in its piers.",
    "She told the court that her brother had never owned a car.",
)
GOOD = (
    "Nobody at the ministry had read the plan, although it was announced on Monday.",
    "After engineers found cracks in the piers, the bridge stayed closed for three days.",
    "She told the court her brother never owned a car.",
)
NO_TRANSLATION = {
    "empty": ("", "", ""),
    "source": (
        "Obwohl der Plan am Montag angekündigt wurde, hatte ihn im Ministerium niemand gelesen.",
        "Die Brücke war drei Tage gesperrt, nachdem Ingenieure Risse in den Pfeilern fanden.",
        "Sie sagte vor Gericht, ihr Bruder habe nie ein Auto besessen.",
    ),
    "another language": (
        "Bien que le plan ait été annoncé lundi, personne au ministère ne l'avait lu.",
        "桥墩出现裂缝后,大桥关闭了三天。",
        "Ha dichiarato in tribunale che suo fratello non ha mai avuto un'automobile.",
    ),
    "refusal": ("I'm sorry, but I cannot help with that request.",) * 3,
    "another sentence": (REFERENCES[1], REFERENCES[2], REFERENCES[0]),
    "repeated": ("the the the the the the the the",) * 3,
}

Lines = tuple[str, ...]
SHIPPED = [WEIGHTS / name for name in ("small", "wide")]


def scores(texts: Lines, *references: Lines, judge: str = "judge") -> np.ndarray:
    given = {f"r{k}": lines for k, lines in enumerate(references or (REFERENCES,))}
    return np.asarray(score(EvalSet(given, {"s": texts}), [judge])[judge].at("segment")[0])


@pytest.mark.parametrize("judge", ["judge", "judge-small"])
def test_copies_are_highest_then_good_translations_and_no_translation_is_lowest(judge: str) -> None:
    copies, good = scores(REFERENCES, judge=judge), scores(GOOD, judge=judge)
    assert ((copies > 95) & (copies <= 100)).all()
    assert ((good < copies) & (good > 60)).all()
    for kind, texts in NO_TRANSLATION.items():
        low = scores(texts, judge=judge)
        assert (low < (50 if kind == "another sentence" else 12)).all(), kind
        assert (low < good - 30).all(), kind


def test_blank_texts_and_means_over_references_and_segments() -> None:
    assert scores(("", "  ", "words", ""), ("", " ", "", "words")).tolist() == [100, 100, 0, 0]
    both = scores(GOOD, REFERENCES, GOOD)
    assert both == pytest.approx((scores(GOOD) + scores(GOOD, GOOD)) / 2, abs=1e-12)
    column = score(EvalSet({"r": REFERENCES}, {"s": GOOD}), ["judge"])["judge"]
    assert column.system[0] == pytest.approx(scores(GOOD).mean(), abs=1e-12)


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_no_score_depends_on_its_neighbors(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    words = " ".join((*REFERENCES, *GOOD)).split()
    texts = [" ".join(rng.choices(words, k=rng.randint(1, 30))) for _ in range(24)]
    pairs = list(zip(texts, reversed(texts), strict=True))
    check_neighbors(lambda: Network(folder), pairs, monkeypatch)


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_long_pairs_are_read_in_pieces_to_their_end(folder: Path) -> None:
    network = load_judge(folder)
    times = network.longest // len(network.subwords([" ".join(REFERENCES).split()]).ids)
    long = " ".join(REFERENCES * times)
    spoilt = " ".join((*REFERENCES * (times - 1), *NO_TRANSLATION["refusal"]))
    reading = network.read([(long, long), (spoilt, long), (GOOD[0], REFERENCES[0])])
    assert reading.chunks[0] >= 2 > reading.chunks[2]
    assert reading.scores[1] < reading.scores[0]
    name = "judge" if folder.name == DEFAULT else f"judge(weights={folder})"
    (view,) = explain(EvalSet({"r": (long,)}, {"s": (spoilt,)}), metric(name), segments=[1])
    assert any(f"scored in {reading.chunks[1]} chunks" in note for note in view.notes)


@pytest.mark.parametrize("judge", ["judge", "judge-small"])
def test_the_wrong_word_is_named(judge: str) -> None:
    wrong = REFERENCES[0].replace("ministry", "bakery")
    (view,) = explain(EvalSet({"r": REFERENCES[:1]}, {"s": (wrong,)}), judge, segments=[1])
    (place,) = view.losses[0].places
    assert (place.text, view.losses[0].label) == (0, "bakery")
    assert view.texts[0].tokens.forms[place.tokens[0]] == "bakery"


@pytest.mark.parametrize(
    ("judge", "ours", "theirs"),
    [
        ("judge", "bridge " * 600, "The bridge was closed today."),
        ("judge-small", f"{REFERENCES[1]} {'piers. ' * 200}", REFERENCES[1]),
        ("judge-small", REFERENCES[1], f"{REFERENCES[1]} " * 40),
    ],
)
def test_what_is_many_times_as_long_scores_very_low(judge: str, ours: str, theirs: str) -> None:
    assert scores((ours,), (theirs,), judge=judge)[0] < 12
    (view,) = explain(EvalSet({"r": (theirs,)}, {"s": (ours,)}), metric(judge), segments=[1])
    word = "longer" if len(ours) > len(theirs) else "shorter"
    assert f"far {word} than the reference" in [loss.label for loss in view.losses]
    assert sum(loss.amount for loss in view.losses) == pytest.approx(100 - view.score)


def test_damaged_weights_and_another_analyser_are_told(tmp_path: Path) -> None:
    for path in (WEIGHTS / "small").iterdir():
        shutil.copy(path, tmp_path / path.name)
    (tmp_path / "judge.onnx").write_bytes((tmp_path / "judge.onnx").read_bytes()[:-1])
    with pytest.raises(ModelError, match=r"judge\.onnx: damaged"):
        Network(tmp_path).read([("a", "b")])
    (tmp_path / "judge.onnx").unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        Network(tmp_path).read([("a", "b")])
    (tmp_path / "meta.json").write_text('{"version": "0", "longest": 480, "calibration": {}}')
    with pytest.raises(ModelError, match="calibration should hold slope and offset"):
        Network(tmp_path)

    class Other(Model):
        def embeddings(self) -> tuple[np.ndarray, np.ndarray]:
            table, scales = load_model().embeddings()
            return table + np.int8(1), scales

    with pytest.raises(ModelError, match="word vectors of another model"):
        Network(WEIGHTS / "small", Other(ANALYSER)).read([("a", "b")])


LINE = "Five words are long enough."


def test_lines_of_the_training_data_are_recognized(tmp_path: Path) -> None:
    """In any order and case; short lines don't count."""
    unspaced = "总理昨天与三位部长一起前往华沙。"
    assert len(digest_lines(["Yes.", "", "No, thank you.", "谢谢。", unspaced])) == 1
    assert share_seen([LINE], tmp_path) == 0
    np.save(tmp_path / SEEN, digest_lines([LINE, "Nobody has read this line before."]))
    assert share_seen([LINE.upper() + " ", "A line which is certainly new here."], tmp_path) == 0.5


@pytest.mark.shared
def test_a_set_of_the_training_data_is_named(shared_data: Path) -> None:
    evalset = albeit.read(str(shared_data / "wmt13/fr-en"))
    with pytest.warns(AlbeitWarning, match="trained on (100|9[0-9])% of this set's references"):
        metric("judge").check(evalset)
    with warnings.catch_warnings():
        warnings.simplefilter("error", AlbeitWarning)
        metric("judge").check(albeit.read("examples/demo"))


@given(st.lists(st.floats(-8, 8), min_size=1, max_size=5), st.floats(1e-6, 1e3))
def test_standard_errors_are_within_the_scale(raw: list[float], spread: float) -> None:
    scores, spreads = np.array(raw), np.full(len(raw), spread)
    for errors in ((), (3.9, 1.7, -3.8), (9.0, 1.7, 3.8, 1.0)):
        curve = Calibration(1.0, 0.0, 2.0, errors=errors)
        share = curve.share(scores)[0]
        found = curve.standard_errors(scores, spreads)
        assert (found > 0).all()
        assert (found <= np.maximum(share, 1 - share)).all()


def test_regression_of_standard_errors() -> None:
    curve = Calibration(1.0, 0.0, errors=(1.0, 2.0, -3.0))
    found = curve.standard_errors(np.zeros(1), np.ones(1))
    assert found.tolist() == [pytest.approx(math.exp(1.0 + 2.0 * 0.5 - 3.0 * 0.25) / 100)]
