from __future__ import annotations

import os
import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from albeit.errors import InputError
from albeit.parsing.alignment import Aligner, Link

WORDS = [f"s{n}" for n in range(12)]


def corpus(
    size: int = 150, seed: int = 1
) -> tuple[list[list[str]], list[list[str]], list[list[Link]]]:
    """A cipher: each word has one translation, and neighbours sometimes change places."""
    generator = random.Random(seed)
    source, target, gold = [], [], []
    for _ in range(size):
        words = generator.sample(WORDS, generator.randint(2, 6))
        order = list(range(len(words)))
        if generator.random() < 0.4:
            at = generator.randrange(len(words) - 1)
            order[at], order[at + 1] = order[at + 1], order[at]
        source.append(words)
        target.append(["t" + words[i][1:] for i in order])
        gold.append(sorted((i, j) for j, i in enumerate(order)))
    return source, target, gold


Trained = tuple[Aligner, list[list[str]], list[list[str]], list[list[Link]]]


@pytest.fixture(scope="module")
def trained() -> Trained:
    source, target, gold = corpus()
    return Aligner.fit(source, target), source, target, gold


def test_a_cipher_is_solved(trained: Trained) -> None:
    aligner, source, target, gold = trained
    found = aligner.align(source, target)
    right = sum(len(set(a) & set(b)) for a, b in zip(found, gold, strict=True))
    assert right / sum(map(len, gold)) > 0.97
    assert right / sum(map(len, found)) > 0.97


@pytest.mark.slow
def test_training_is_deterministic(tmp_path: Path, trained: Trained) -> None:
    aligner, source, target, _ = trained
    again = Aligner.fit(source, target)
    assert again.fingerprint == aligner.fingerprint
    code = "import test_aligner as t; print(t.Aligner.fit(*t.corpus()[:2]).fingerprint)"
    for _ in range(2):  # the process that compiles, and one that reads the compiled code
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == aligner.fingerprint
    other = Aligner.fit(source[1:], target[1:])
    assert other.fingerprint != aligner.fingerprint


def test_saved_and_loaded(tmp_path: Path, trained: Trained) -> None:
    aligner, source, target, _ = trained
    aligner.save(tmp_path / "model.npz")
    loaded = Aligner.load(tmp_path / "model.npz")
    assert loaded.fingerprint == aligner.fingerprint
    assert loaded.align(source[:20], target[:20]) == aligner.align(source[:20], target[:20])


def test_unknown_words_and_empty_lines(trained: Trained) -> None:
    aligner = trained[0]
    found = aligner.align([["s1", "new", "s2"], [], ["s1"]], [["t1", "neu", "t2"], ["t1"], []])
    assert (0, 0) in found[0]
    assert (2, 2) in found[0]
    assert found[1:] == [[], []]


def test_probabilities_are_probabilities(trained: Trained) -> None:
    aligner = trained[0]
    sums = np.bincount(aligner.pairs[0], weights=aligner.parameters.forward)
    assert (sums <= 1 + 1e-5).all()
    assert aligner.parameters.forward_jumps.sum() == pytest.approx(1)


def test_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="2 source lines cannot be aligned with 1"):
        Aligner.fit([["a"], ["b"]], [["c"]])
    with pytest.raises(InputError, match="no words to train on"):
        Aligner.fit([[]], [["c"]])
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"not a model")
    with pytest.raises(InputError, match="not a saved aligner"):
        Aligner.load(broken)
    with pytest.raises(InputError, match="not a saved aligner"):
        Aligner.load(tmp_path / "none.npz")


def test_a_damaged_model_is_one_error(tmp_path: Path) -> None:
    """Wherever the damage is: the zip's own tables, a compressed array, the end."""
    path = tmp_path / "model.npz"
    Aligner.fit([["a", "b"], ["c"]], [["x", "y"], ["z"]]).save(path)
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        for damaged in (whole[:at], whole[:at] + b"\xff\xff\xff" + whole[at + 3 :]):
            path.write_bytes(damaged)
            with suppress(InputError):
                Aligner.load(path)  # bytes that nothing depends on may differ
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="not a saved aligner"):
        Aligner.load(path)
