"""Word alignment: training, links of both directions, files, and what cannot be aligned."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import types
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from albeit.errors import InputError, MissingExtraError
from albeit.parsing import alignment
from albeit.parsing.alignment.kernels import grow_diag_final_and

Lines = list[list[str]]


def corpus() -> tuple[Lines, Lines, list[list[alignment.Link]]]:
    """A cipher: each word has one translation, and neighbors sometimes change places."""
    generator = random.Random(1)
    source, target, gold = [], [], []
    for _ in range(150):
        words = generator.sample([f"s{n}" for n in range(12)], generator.randint(2, 6))
        order = list(range(len(words)))
        if generator.random() < 0.4:
            at = generator.randrange(len(words) - 1)
            order[at], order[at + 1] = order[at + 1], order[at]
        source.append(words)
        target.append(["t" + words[i][1:] for i in order])
        gold.append(sorted((i, j) for j, i in enumerate(order)))
    return source, target, gold


@pytest.fixture(scope="module")
def aligner() -> alignment.Aligner:
    return alignment.Aligner.fit(*corpus()[:2])


def test_a_cipher_is_solved(aligner: alignment.Aligner, tmp_path: Path) -> None:
    source, target, gold = corpus()
    found = aligner.align(source, target)
    right = sum(len(set(a) & set(b)) for a, b in zip(found, gold, strict=True))
    assert right / sum(map(len, gold)) > 0.97
    assert right / sum(map(len, found)) > 0.97
    sums = np.bincount(aligner.pairs[0], weights=aligner.parameters.forward)
    assert (sums <= 1 + 1e-5).all()
    assert aligner.parameters.forward_jumps.sum() == pytest.approx(1)
    found = aligner.align([["s1", "new", "s2"], [], ["s1"]], [["t1", "neu", "t2"], ["t1"], []])
    assert {(0, 0), (2, 2)} <= set(found[0])
    assert found[1:] == [[], []]
    aligner.save(tmp_path / "model.npz")
    loaded = alignment.Aligner.load(tmp_path / "model.npz")
    assert loaded.fingerprint == aligner.fingerprint
    assert loaded.align(source[:20], target[:20]) == aligner.align(source[:20], target[:20])


@pytest.mark.slow
def test_training_is_deterministic(tmp_path: Path, aligner: alignment.Aligner) -> None:
    source, target, _ = corpus()
    assert alignment.Aligner.fit(source, target).fingerprint == aligner.fingerprint
    assert alignment.Aligner.fit(source[1:], target[1:]).fingerprint != aligner.fingerprint
    code = "import test_alignment as t; print(t.alignment.Aligner.fit(*t.corpus()[:2]).fingerprint)"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", code]
    for _ in range(2):  # the process that compiles, and one that reads the compiled code
        printed = subprocess.check_output(
            command, env=environment, cwd=Path(__file__).parent, text=True
        )
        assert printed.strip() == aligner.fingerprint


def test_a_damaged_model_is_one_error(tmp_path: Path) -> None:
    """Wherever the damage is: the zip's own tables, a compressed array, the end."""
    path = tmp_path / "model.npz"
    alignment.Aligner.fit([["a", "b"], ["c"]], [["x", "y"], ["z"]]).save(path)
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        for damaged in (whole[:at], whole[:at] + b"\xff\xff\xff" + whole[at + 3 :]):
            path.write_bytes(damaged)
            with suppress(InputError):
                alignment.Aligner.load(path)  # bytes that nothing depends on may differ
    for damaged in (whole[: len(whole) // 2], b"not a model"):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="not a saved aligner"):
            alignment.Aligner.load(path)


def test_texts_without_an_alignment_are_refused() -> None:
    with pytest.raises(InputError, match="2 source lines cannot be aligned with 1"):
        alignment.Aligner.fit([["a"], ["b"]], [["c"]])
    with pytest.raises(InputError, match="no words to train on"):
        alignment.Aligner.fit([[]], [["c"]])


MATRICES = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: st.tuples(arrays(np.bool_, shape), arrays(np.bool_, shape))
)


@given(MATRICES)
def test_between_intersection_and_union(pair: tuple[np.ndarray, np.ndarray]) -> None:
    one, two = pair
    joined = grow_diag_final_and(one, two)
    assert ((one & two) <= joined).all()
    assert (joined <= (one | two)).all()


@pytest.mark.parametrize(
    ("one", "two", "joined"),
    [
        # the intersection is (0,0); (1,1) grows diagonally from it, (2,2) from (1,1)
        (["100", "010", "000"], ["100", "000", "001"], ["100", "010", "001"]),
        # the final step needs both words free
        (["1000", "0001"], ["1001", "0000"], ["1000", "0001"]),
    ],
)
def test_the_textbook_steps(one: list[str], two: list[str], joined: list[str]) -> None:
    matrices = [np.array([[*map(int, row)] for row in rows], bool) for rows in (one, two, joined)]
    assert grow_diag_final_and(*matrices[:2]).tolist() == matrices[2].tolist()


GIZA = """# Sentence pair (1) source length 2 target length 3 alignment score : 0.1
das haus da
NULL ({ 3 }) the ({ 1 }) house ({ 2 })
# Sentence pair (2) source length 1 target length 1 alignment score : 0.5
ja
NULL ({ }) yes ({ 1 })
"""


def test_pharaoh_and_giza(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("0-0 1-2\n\n")
    assert alignment.read_alignment(path) == alignment.read_pharaoh(path) == [[(0, 0), (1, 2)], []]
    path.write_text(GIZA)
    assert alignment.read_alignment(path) == [[(0, 0), (1, 1)], [(0, 0)]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-0 1\n", r"a:1: '1' is not an alignment point"),
        ("0-0\n-1-0\n", r"a:2: '-1-0' is not an alignment point"),
        (GIZA + "# Sentence pair\n", r"three per sentence pair"),
        (GIZA.replace("# Sentence pair (2)", "x"), r"a:4: expected a line '# Sentence pair"),
        (GIZA.replace("NULL ({ 3 }) ", ""), r"a:3: .*NULL first"),
        ("\n", r"1 alignments for 2 sentence pairs"),
        ("\n0-1\n", r"a:2: the point 0-1 is outside.*target 1"),
        (None, "cannot be read"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "a"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        alignment.check_links(alignment.read_alignment(path), [1, 1], [1, 1], path=path)


def test_eflomal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both directions are joined; a missing package names the command."""

    class Fake:
        def align(self, source: list[str], target: list[str], **files: str) -> None:
            assert (source, target) == (["a b\n"], ["c d\n"])
            Path(files["links_filename_fwd"]).write_text("0-0 1-1\n")
            Path(files["links_filename_rev"]).write_text("0-0\n")

    module = types.ModuleType("eflomal")
    vars(module)["Aligner"] = Fake
    monkeypatch.setitem(sys.modules, "eflomal", module)
    assert alignment.eflomal_align([["a", "b"]], [["c", "d"]]) == [[(0, 0), (1, 1)]]
    monkeypatch.setitem(sys.modules, "eflomal", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'albeit\[eflomal\]'"):
        alignment.eflomal_align([["a"]], [["b"]])
