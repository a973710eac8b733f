"""The learned metric: what must score high and low, whatever the batch, however long the texts."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit import score
from albeit.annotate.model import WEIGHTS as ANALYSER
from albeit.annotate.model import Model, ModelError, load_model
from albeit.annotate.subwords import Encoded
from albeit.corpus.evalset import EvalSet
from albeit.engine import explain
from albeit.errors import LanguageError
from albeit.metrics.judge.network import WEIGHTS, Network, load_judge
from albeit.metrics.judge.pairs import cut
from albeit.metrics.registry import metric

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


def scores(texts: tuple[str, ...], *references: tuple[str, ...]) -> np.ndarray:
    given = {f"r{k}": lines for k, lines in enumerate(references or (REFERENCES,))}
    column = score(EvalSet(given, {"s": texts}), ["judge"])["judge"]
    assert column.segment is not None
    return np.asarray(column.segment[0])


def test_the_reference_is_near_the_top_and_a_good_translation_follows() -> None:
    copies, good = scores(REFERENCES), scores(GOOD)
    assert (copies > 95).all()
    assert (copies <= 100).all()
    assert (good < copies).all()
    assert (good > 60).all()


@pytest.mark.parametrize("kind", NO_TRANSLATION)
def test_what_is_no_translation_is_lowest(kind: str) -> None:
    low = scores(NO_TRANSLATION[kind])
    assert (low < (40 if kind == "another sentence" else 8)).all()
    assert (low < scores(GOOD) - 40).all()


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("nobody", "everybody"), ("Monday", "Friday"), ("Although", "Because"), ("had read", "wrote")],
)
def test_a_wrong_word_costs(right: str, wrong: str) -> None:
    texts = (REFERENCES[0].replace(right, wrong), *REFERENCES[1:])
    assert scores(texts)[0] < scores(REFERENCES)[0] - 3


def test_blank_texts_are_defined() -> None:
    assert scores(("", "  ", "words"), ("", " ", "")).tolist() == [100.0, 100.0, 0.0]
    assert scores(("",), ("words",)).tolist() == [0.0]


def test_the_best_reference_counts_and_a_system_is_the_mean() -> None:
    both = scores(GOOD, REFERENCES, GOOD)
    assert np.array_equal(both, np.maximum(scores(GOOD), scores(GOOD, GOOD)))
    column = score(EvalSet({"r": REFERENCES}, {"s": GOOD}), ["judge"])["judge"]
    assert column.system[0] == pytest.approx(scores(GOOD).mean(), abs=1e-12)


def test_no_score_depends_on_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    words = " ".join((*REFERENCES, *GOOD)).split()
    texts = [" ".join(rng.choices(words, k=rng.randint(1, 30))) for _ in range(24)]
    pairs = [(a, b) for a, b in zip(texts, reversed(texts), strict=True)]
    together = load_judge().read(pairs)
    mixed = rng.sample(range(len(pairs)), len(pairs))
    again = load_judge().read([pairs[k] for k in mixed])
    assert np.array_equal(together.scores[mixed], again.scores)
    for k in (0, 7, 23):
        assert load_judge().read([pairs[k]]).scores[0] == together.scores[k]
    monkeypatch.setenv("ALBEIT_THREADS", "2")
    assert np.array_equal(Network().read(pairs).scores, together.scores)


def test_long_pairs_are_read_in_pieces_to_their_end() -> None:
    long = " ".join(REFERENCES * 6)
    spoilt = " ".join((*REFERENCES * 5, *NO_TRANSLATION["refusal"]))
    reading = load_judge().read([(long, long), (spoilt, long), (GOOD[0], REFERENCES[0])])
    assert reading.pieces.tolist() == [3, 3, 1]
    assert reading.scores[1] < reading.scores[0] - 0.3
    assert scores((long,), (long,))[0] > 95
    (view,) = explain(EvalSet({"r": (long,)}, {"s": (spoilt,)}), metric("judge"), segments=[1])
    assert any("read in 3 pieces" in note for note in view.notes)


@given(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 900)), max_size=6))
def test_pieces_fit_and_cover_both_texts(sizes: list[tuple[int, int]]) -> None:
    starts = np.concatenate(([0], np.cumsum([n for pair in sizes for n in pair]))).astype(np.int64)
    none = np.zeros(0, np.int64)
    encoded = Encoded(none, none, starts, none, none)
    rows = cut(encoded, [(2 * k, 2 * k + 1) for k in range(len(sizes))], 192)
    assert (rows.sizes.sum(axis=0) <= 189).all()
    for side in (0, 1):
        read = [
            p
            for begin, size in zip(rows.begin[side], rows.sizes[side], strict=True)
            for p in range(begin, begin + size)
        ]
        own = [p for k in range(len(sizes)) for p in range(*starts[2 * k + side :][:2])]
        assert read == own
    together = [row for batch, _ in rows.batches() for row in batch.tolist()]
    assert sorted(together) == list(range(len(rows.pair)))


@pytest.mark.parametrize(
    ("right", "wrong"), [("nobody", "everybody"), ("Although", "Because"), ("had read", "wrote")]
)
def test_the_wrong_word_is_told(right: str, wrong: str) -> None:
    texts = EvalSet({"r": REFERENCES[:1]}, {"s": (REFERENCES[0].replace(right, wrong),)})
    (view,) = explain(texts, metric("judge"), segments=[1])
    (place,) = view.losses[0].places
    assert (place.text, view.losses[0].label) == (0, wrong)
    assert view.texts[0].tokens.forms[place.tokens[0]] == wrong


def test_english_alone_and_a_signature_with_model_and_constants() -> None:
    with pytest.raises(LanguageError, match="judge cannot score translations into 'de'"):
        score(EvalSet({"r": GOOD}, {"s": GOOD}, target_lang="de"), ["judge"])
    fields = dict(metric("judge").signature().fields)
    assert fields["model"] == load_judge().version
    assert fields["calibration"].count(",") == 1


def test_damaged_weights_and_another_analyser_are_told(tmp_path: Path) -> None:
    for path in WEIGHTS.iterdir():
        shutil.copy(path, tmp_path / path.name)
    data = bytearray((tmp_path / "judge.onnx").read_bytes())
    data[5_000_000] ^= 1
    (tmp_path / "judge.onnx").write_bytes(data)
    with pytest.raises(ModelError, match=r"judge\.onnx: damaged"):
        Network(tmp_path).read([("a", "b")])
    (tmp_path / "judge.onnx").unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        Network(tmp_path).read([("a", "b")])

    class Other(Model):
        def embeddings(self) -> tuple[np.ndarray, np.ndarray]:
            table, scales = load_model().embeddings()
            return table + np.int8(1), scales

    with pytest.raises(ModelError, match="word vectors of another analyser"):
        Network(WEIGHTS, Other(ANALYSER)).read([("a", "b")])
