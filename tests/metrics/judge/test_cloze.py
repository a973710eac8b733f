"""The network that guesses hidden words, as it ships."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from albeit import score
from albeit.data.evalset import Document, EvalSet
from albeit.metrics.judge.cloze import (
    CLASSES,
    FIRST_CONNECTIVE,
    FOLDER,
    Cloze,
    Hidden,
    connectives,
    load_cloze,
    pronouns,
)
from albeit.parsing.model import ModelError

DEMO = Path(__file__).resolve().parents[3] / "examples" / "demo"


def asked() -> list[Hidden]:
    """All pronouns and connectives of the demonstration, one by one and two at once."""
    found = []
    for path in sorted(DEMO.glob("ref.*.txt")):
        words = tuple(path.read_text(encoding="utf-8").split())
        runs = [(t.start, t.stop) for t in (*pronouns(words), *connectives(words))]
        found += [Hidden(words, (run,)) for run in runs[:4]]
        found += [Hidden(words[:60], tuple(run for run in runs if run[1] < 60)[:2])]
    return found


def test_probabilities_add_up_and_no_batch_changes_them() -> None:
    every = asked()
    together = load_cloze().read(every)
    assert len(every) >= 10
    for one, rows in zip(every, together, strict=True):
        assert rows.shape == (len(one.runs), len(CLASSES))
        parts = np.split(np.exp(rows), [FIRST_CONNECTIVE], axis=1)
        assert all(np.allclose(part.sum(axis=1), 1) for part in parts)
    for k in (0, 3, len(every) - 1):
        assert np.array_equal(load_cloze().read([every[k]])[0], together[k])


def test_it_reads_the_context() -> None:
    good = ("The old bridge was built in 1850.", "Last year it was closed, because it had cracks.")
    bad = (
        "The old bridge was built in 1850.",
        "Last year she was closed, although she had cracks.",
    )
    texts = EvalSet({}, {"good": good, "bad": bad}, documents=(Document("a", 0, 2),))
    table = score(texts, metrics=["pronouns-free", "connectives-free"])
    for name in ("pronouns-free", "connectives-free"):
        right, wrong = table[name].system
        assert right > 1.5 * wrong, name


def test_what_is_damaged_or_missing_is_told(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "cloze")
    judge = load_cloze().judge
    with (tmp_path / "cloze" / "cloze.onnx").open("ab") as file:
        file.write(b"x")
    with pytest.raises(ModelError, match="damaged"):
        Cloze(tmp_path / "cloze", judge).read(asked()[:1])
    (tmp_path / "cloze" / "cloze.onnx").unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        Cloze(tmp_path / "cloze", judge).read(asked()[:1])
    (tmp_path / "cloze" / "meta.json").unlink()
    with pytest.raises(ModelError, match="missing"):
        Cloze(tmp_path / "cloze", judge)
