from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.data.corpus import Partition
from albeit.data.evalset import Document, EvalSet
from albeit.errors import AlbeitError, AlbeitWarning
from albeit.evaluation import Store, WorkerError, Workers, executors, score, scoring
from albeit.evaluation.executors import Pool, WorkerDiedError
from tests.evaluation.toys import Deadly, Exact, Opening, Told, again, make_set, stored_sizes

pytestmark = [pytest.mark.usefixtures("small_partitions"), pytest.mark.slow]


@pytest.fixture
def small_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "PARTITION_LINES", 40)


@pytest.fixture
def no_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each costs the start of a process."""
    monkeypatch.setattr(executors, "RETRIES", 0)


def test_a_death_costs_a_retry_and_nothing_else(tmp_path: Path) -> None:
    told = Told()
    deadly = Deadly(folder=str(tmp_path / "deaths"), times=2)
    table = score(make_set(), [deadly], workers=2, progress=told)
    expected = score(make_set(), [Exact()])
    np.testing.assert_array_equal(table[deadly].statistics, expected["exact"].statistics)
    assert told.all[-1][2] == "2 processes, 2 retries"
    assert "left-out" not in str(table[deadly].signature)


@pytest.mark.usefixtures("no_retries")
@pytest.mark.parametrize("hangs", [False, True])
def test_the_document_that_kills_or_hangs_is_named(hangs: bool) -> None:
    late = " or took longer than 1 s" if hangs else ""
    what = rf"a worker process died{late} 1 times over document 'd2' \(segments 9 to 25\)"
    deadly = Deadly(how="hang" if hangs else "kill")
    with pytest.raises(WorkerError, match=what):
        score(make_set(), [deadly], workers=2, batch_timeout=1 if hangs else None)


def test_a_full_disk_is_tried_elsewhere_and_then_reported(tmp_path: Path) -> None:
    full = Deadly(line="", folder=str(tmp_path), times=2, how="full")
    np.testing.assert_allclose(score(make_set(), [full], workers=2)[full].system, [0.5, 1 / 3])
    with pytest.raises(OSError, match="No space left"):
        score(make_set(), [Deadly(line="", how="full")], workers=2)


@pytest.mark.usefixtures("no_retries")
def test_or_it_is_skipped_and_counted(tmp_path: Path) -> None:
    evalset, store = make_set(), Store(tmp_path / "runs")
    score(evalset, [Opening()], store=store)
    kept = stored_sizes(store)
    with pytest.warns(AlbeitWarning, match=r"skipped 17 segments .* 'd2' \(segments 9 to 25\)"):
        table = score(evalset, [Deadly(), Opening()], workers=2, on_error="skip", store=store)
    rest = evalset.take([*range(8), *range(25, 60)])
    expected = score(rest, [Exact(), Opening()])
    assert table.documents == rest.documents
    for ours, theirs in (("deadly", "exact"), ("opening", "opening")):
        for level in ("statistics", "system", "document"):
            np.testing.assert_array_equal(
                getattr(table[ours], level), getattr(expected[theirs], level)
            )
        assert "left-out:17" in str(table[ours].signature)
    assert stored_sizes(store) == kept, "what lacks a document is not kept as the set's"


def test_a_time_limit_does_not_end_the_process_that_waits() -> None:
    with (
        ThreadPoolExecutor(1) as threads,
        pytest.raises(AlbeitError, match="in separate processes"),
    ):
        score(make_set(), [Exact()], executor=threads, batch_timeout=60)
    with pytest.raises(AlbeitError, match="more than 0 seconds"):
        score(make_set(), [Exact()], batch_timeout=0)


@pytest.mark.usefixtures("no_retries")
def test_if_all_documents_kill_nothing_is_scored() -> None:
    evalset = EvalSet({"ref": ("a", "b")}, {"sys": ("a", "b")})
    with pytest.raises(WorkerError, match="nothing is left"):
        score(evalset, [Deadly(line="")], on_error="skip")


def test_anothers_pool_that_breaks_is_told() -> None:
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(WorkerError, match="its executor does not continue without it"),
    ):
        score(make_set(), [Deadly(line="")], executor=pool)


def test_an_error_that_cannot_travel_is_told_all_the_same() -> None:
    with Pool(1) as pool, pytest.raises(RuntimeError, match="stubborn"):
        pool.submit(raise_stubborn, None).result()


class Unlucky:
    """What workers share, and die of when they unpack it, as often as is said."""

    def __init__(self, folder: Path, times: int) -> None:
        self.folder, self.times = folder, times

    def __reduce__(self) -> tuple[object, ...]:
        return unpacked, (self.folder, self.times)


def unpacked(folder: Path, times: int) -> str:
    if again(folder, times):
        os.kill(os.getpid(), signal.SIGKILL)
    return "shared"


def same(shared: object) -> object:
    return shared


def test_a_worker_that_dies_as_it_starts_is_started_again(tmp_path: Path) -> None:
    with Pool(1) as pool:
        assert pool.submit(same, Unlucky(tmp_path, 2)).result() == "shared"
    with Pool(1) as pool, pytest.raises(WorkerError, match="a worker process can't start"):
        pool.submit(same, Unlucky(tmp_path, 99)).result()


class StubbornError(Exception):
    """Cannot be unpickled."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(one)


def raise_stubborn(shared: object) -> None:
    raise StubbornError("stubborn", "as a mule")


class Chaos:
    """An executor in this process whose workers die of some lines, and at random."""

    def __init__(self, coins: list[bool], deadly: set[str]) -> None:
        self.coins, self.deadly = coins, deadly

    def submit(self, function: Callable[..., Any], /, *args: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self.deadly & set(args[1].evalset.systems["sys"]) or (self.coins and self.coins.pop()):
            future.set_exception(WorkerDiedError())
        else:
            future.set_result(function(*args))
        return future


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=12),
    st.lists(st.booleans(), max_size=40),
    st.integers(1, 5),
    st.booleans(),
)
def test_other_documents_have_the_same_statistics(
    lengths: list[int], coins: list[bool], ahead: int, documents: bool
) -> None:
    """However often workers die at random, only what kills is skipped, in order."""
    ends = [0, *np.cumsum(lengths).tolist()]
    reference = tuple(f"line {i}" for i in range(ends[-1]))
    lines = tuple("no" if i % 3 else line for i, line in enumerate(reference))
    spans = tuple(Document(f"d{i}", *span) for i, span in enumerate(pairwise(ends)))
    evalset = EvalSet({"ref": reference}, {"sys": lines}, documents=spans if documents else ())
    deadly = {line for i, line in enumerate(lines) if i % 4 == 0 and line != "no"}
    by_chance = coins if 2 * sum(coins) < len(coins) else []
    workers = Workers(ahead, Chaos(list(by_chance), deadly), on_error="skip")
    job = scoring.prepare_job(evalset, [Exact()])
    found = scoring.join_parts(list(scoring.score_parts(job, scoring.split(evalset, job), workers)))
    kept = found.statistics[0][0] if found.statistics else np.zeros((0, 2))
    gone = {i for d in found.left_out for i in range(d.start, d.stop)}
    (expected,) = scoring.score_partition(job, Partition(0, 0, evalset, True)).statistics
    np.testing.assert_array_equal(kept, np.delete(expected[0], sorted(gone), axis=0))
    units = evalset.documents
    if not documents and len(evalset) > 1:
        units = tuple(Document("all", i, i + 1) for i in range(len(evalset)))
    bad = [unit for unit in units if deadly & set(lines[unit.rows])]
    assert {i for unit in bad for i in range(unit.start, unit.stop)} <= gone
    if not any(by_chance):
        assert list(found.left_out) == bad
