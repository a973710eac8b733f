from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from albeit.data.corpus import Partition
from albeit.data.evalset import Document, EvalSet
from albeit.errors import AlbeitError, InputError
from albeit.evaluation import executors, score, scoring
from albeit.metrics.base import Metric
from albeit.parsing.layers import AnyLayer
from tests.conftest import ROOT
from tests.evaluation.toys import Counting, Exact, Failing, Opening, Reader, Sloppy, Twice

STUCK = 600
"""Seconds after which a test that waits gives up: a guard, no measure of speed."""


def make_set(segments: int = 60, *, documents: bool = True) -> EvalSet:
    reference = tuple(f"line {i}" for i in range(segments))
    half = tuple(line if i % 2 else "no" for i, line in enumerate(reference))
    third = tuple(line if i % 3 == 0 else "no" for i, line in enumerate(reference))
    cuts = [0, 7, 8, 25, 40, segments] if documents else []
    spans = tuple(Document(f"d{i}", *cut) for i, cut in enumerate(pairwise(cuts)))
    return EvalSet({"ref": reference}, {"half": half, "third": third}, documents=spans)


def split(evalset: EvalSet, metrics: Sequence[Metric]) -> list[Partition]:
    return scoring.split(evalset, scoring.prepare_job(evalset, metrics))


@pytest.fixture
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "PARTITION_LINES", 20)


@pytest.mark.usefixtures("small_portions")
@pytest.mark.parametrize("documents", [True, False])
def test_any_number_of_workers_gives_the_same_table(documents: bool) -> None:
    evalset = make_set(documents=documents)
    metrics: list[Metric] = [Exact(), *([Opening()] if documents else [])]
    told: list[tuple[int, int]] = []
    one = score(evalset, metrics)
    two = score(evalset, metrics, workers=2, progress=lambda *now: told.append(now))
    assert told[0] == (0, 60)
    assert told[-1] == (60, 60)
    assert told == sorted(told)
    assert len(told) > 3
    for name in one.metrics:
        first, second = one[name], two[name]
        assert first.statistics is not None
        assert second.statistics is not None
        np.testing.assert_array_equal(first.statistics, second.statistics)
        np.testing.assert_array_equal(first.system, second.system)
        assert first.signature == second.signature
    np.testing.assert_allclose(one["exact"].system, [0.5, 1 / 3])


@pytest.mark.usefixtures("small_portions")
@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_is_the_same_from_a_worker(workers: int) -> None:
    with pytest.raises(InputError) as caught:
        score(make_set(), [Failing()], workers=workers)
    assert str(caught.value) == "lexicon.txt:7: no good. Mend it."
    assert caught.value.line == 7


def test_what_metrics_share_is_computed_once() -> None:
    Counting.calls.clear()
    table = score(make_set(), [Twice(), Counting(), Twice(Twice())])
    assert Counting.calls == ["prepare", "statistics", "statistics"]  # one a system
    np.testing.assert_array_equal(table["twice"].system, 2 * table["counting"].system)
    np.testing.assert_array_equal(table["twice(of=twice)"].system, 4 * table["counting"].system)


@pytest.mark.usefixtures("small_portions")
def test_anything_that_submits_is_an_executor() -> None:
    """A program's own: here a pool of threads, which knows nothing of albeit."""
    evalset, metrics = make_set(), [Exact(), Opening()]
    with ThreadPoolExecutor(3) as threads:
        found = score(evalset, metrics, executor=threads, workers=3)
    for name, column in score(evalset, metrics).columns.items():
        np.testing.assert_array_equal(found[name].statistics, column.statistics)


def test_little_work_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "Pool", lambda *_: pytest.fail("a pool was started"))
    score(make_set(), [Exact()], workers=8)


@pytest.mark.usefixtures("small_portions")
def test_sets_are_split_between_documents_or_anywhere() -> None:
    partitions = split(make_set(), [Exact()])
    names = [[d.id for d in each.evalset.documents] for each in partitions]
    assert names == [["d0", "d1", "d2"], ["d3"], ["d4"]]
    loose = make_set(6000, documents=False)
    assert len(split(loose, [Exact(), Opening()])) == 1
    partition = split(loose, [Exact()])[3]
    assert partition.evalset.references["ref"] == loose.references["ref"][30:40]
    assert len(pickle.dumps(partition)) < 2000, "a worker is sent its own lines only"


TEXTS: dict[str, Any] = {"references": {"r": ("a",)}, "systems": {"s": ("a",)}}
BARE = EvalSet({}, {"s": ("x",)})
SOURCE = EvalSet(**TEXTS, source=("ein Text",))
GERMAN = EvalSet(**TEXTS, source=("ein Text",), source_lang="de")


@pytest.mark.parametrize(
    ("evalset", "metrics", "workers", "message"),
    [
        (make_set(), [Exact()], -1, "workers must be 0"),
        (make_set(), [Exact(), Exact()], 1, "exact is given twice"),
        (make_set(), [Sloppy()], 1, r"sloppy returned .* shape \(59, 2\) for 60 seg"),
        (BARE, [Exact(), Opening()], 1, r"(?s)exact needs at least one.*opening needs at least"),
        (BARE, [Failing()], 1, "needs at least one reference"),
        (SOURCE, [Reader("rst", "source")], 1, "the source language must be known"),
        (GERMAN, [Reader("rst", "source")], 1, r"reader.*'de'"),
    ],
)
def test_wrong_calls_are_clear_errors(
    evalset: EvalSet, metrics: list[Metric], workers: int, message: str
) -> None:
    with pytest.raises(AlbeitError, match=message):
        score(evalset, metrics, workers=workers)


@pytest.mark.parametrize(
    ("kill", "sent", "status", "said"),
    [
        (os.killpg, signal.SIGINT, 130, "interrupted"),  # as a terminal does it
        (os.kill, signal.SIGTERM, 143, "terminated"),  # as a scheduler does it
        (os.killpg, signal.SIGTERM, 143, "terminated"),
    ],
)
def test_signals_end_all_processes_without_a_traceback(
    tmp_path: Path, kill: Callable[[int, int], None], sent: int, status: int, said: str
) -> None:
    """While the workers are busy."""
    (tmp_path / "ref.txt").write_text("a\nb\nc\nd\n")
    (tmp_path / "script.py").write_text(
        "import signal, sys\n"
        "from albeit.cli import main\n"
        "from albeit.evaluation import scoring\n"
        "from albeit.metrics import registry\n"
        "if __name__ == '__main__':\n"
        "    # a shell ignores Ctrl-C for what it runs in the background, pytest perhaps\n"
        "    signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "    scoring.PARTITION_LINES = 1\n"
        "    registry.BUILTIN['slow'] = 'tests.evaluation.toys:Slow'\n"
        "    sys.exit(main(['score', 'ref.txt', '-i', 'ref.txt', '--workers', '2',\n"
        "                   '-m', 'slow(folder=.)', '--no-cache']))\n"
    )
    process = _started(tmp_path)
    _wait(lambda: len(list(tmp_path.glob("*.pid"))) == 2 or process.poll() is not None)
    assert process.poll() is None
    kill(process.pid, sent)
    out, err = process.communicate(timeout=STUCK)
    assert process.returncode == status
    assert out == ""
    assert err == f"albeit: error: {said}.\n"
    workers = [int(path.stem) for path in tmp_path.glob("*.pid")]
    _wait(lambda: not any(_alive(pid) for pid in workers))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["judge", "pronouns-free", "connectives-free"])
def test_ctrl_c_while_a_network_reads(tmp_path: Path, name: str) -> None:
    """In native code, which Python's handler has to wait for."""
    demo = ROOT / "examples/demo"
    for own, file in (("ref", "ref.A.txt"), ("mt", "systems/blunt.txt"), ("docs", "docids.txt")):
        lines = (demo / file).read_text(encoding="utf-8").splitlines()
        many = [f"{line}{n}" if own == "docs" else line for n in range(60) for line in lines]
        (tmp_path / f"{own}.txt").write_text("\n".join(many) + "\n", encoding="utf-8")
    (tmp_path / "script.py").write_text(
        "import pathlib, signal, sys\n"
        "from albeit.cli import main\n"
        "from albeit.metrics.judge.network import Network\n"
        "def noted(method):\n"
        "    def call(*args):\n"
        "        pathlib.Path('reads').touch()\n"
        "        return method(*args)\n"
        "    return call\n"
        "Network.run, Network.states = noted(Network.run), noted(Network.states)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.exit(main(['score', 'ref.txt', '-i', 'mt.txt', '--docs', 'docs.txt',\n"
        f"               '-m', '{name}', '--no-cache']))\n"
    )
    process = _started(tmp_path)
    _wait(lambda: (tmp_path / "reads").exists() or process.poll() is not None)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=STUCK)
    assert (process.returncode, out, err) == (130, "", "albeit: error: interrupted.\n")


def _started(folder: Path) -> subprocess.Popen[str]:
    """The script of a folder, in a session of its own, so that signals reach nobody else."""
    return subprocess.Popen(
        [sys.executable, "script.py"],
        cwd=folder,
        start_new_session=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
    )


def _wait(happens: Callable[[], bool]) -> None:
    """Until it happens, however busy the machine is; what never happens is a failure."""
    until = time.monotonic() + STUCK
    while not happens():
        assert time.monotonic() < until
        time.sleep(0.05)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_exactly_what_is_needed_is_annotated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each side has the layers that some metric reads of it; a line of two sides has both."""
    asked: dict[tuple[str, str], set[str]] = {}

    def annotate(
        texts: list[str],
        layers: frozenset[AnyLayer],
        lang: str,
        *,
        given: object = None,
        annotator: object = None,
    ) -> dict[str, str]:
        for text in texts:
            assert (lang, text) not in asked, "asked for twice"
            asked[lang, text] = {str(layer) for layer in layers}
        return {text: f"analysis of {text}" for text in texts}

    monkeypatch.setattr("albeit.parsing.annotation.annotate", annotate)
    evalset = EvalSet(
        {"r": ("one", "same")}, {"a": ("two", "same")}, ("eins", "gleich"), source_lang="de"
    )
    reader = Reader("tokens", "hypothesis"), Reader("edus", "reference"), Reader("rst", "source")
    (batch,) = scoring.make_batches(scoring.prepare_job(evalset, reader), evalset)
    assert asked == {
        ("en", "one"): {"edus"},
        ("en", "two"): {"tokens"},
        ("en", "same"): {"tokens", "edus"},
        ("de", "eins"): {"rst"},
        ("de", "gleich"): {"rst"},
    }
    assert {batch.analyses[line] for line in ("one", "two", "same")} == {
        "analysis of one",
        "analysis of two",
        "analysis of same",
    }
    assert list(batch.source_analyses) == ["eins", "gleich"]
    asked.clear()
    scoring.make_batches(scoring.prepare_job(evalset, [Exact()]), evalset)
    assert not asked
