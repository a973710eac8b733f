"""Sets in batches: the same bytes whatever the cut, who works, and where a run was ended."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.data import write
from albeit.data.corpus import Corpus
from albeit.data.evalset import Document, EvalSet
from albeit.data.front import open_corpus
from albeit.errors import AlbeitWarning, InputError, MetricError
from albeit.evaluation import executors, merge, score
from albeit.evaluation import identity as environments
from albeit.evaluation.identity import MixedError
from albeit.evaluation.partitions import RunFolder, read_run, score_partitions
from albeit.evaluation.scoring import Part, digest_part, pack, unpack
from albeit.metrics import registry
from albeit.metrics.registry import metric
from albeit.metrics.table import ScoreTable
from albeit.report import render
from albeit.report.scores import score_table
from tests.evaluation.toys import Deadly, Exact, Opening

WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "it", "was", "late", "so", "he", "slept"]


def make_set(segments: int = 60, *, documents: bool = True, seed: int = 0) -> EvalSet:
    draw = np.random.default_rng(seed)

    def lines() -> tuple[str, ...]:
        return tuple(" ".join(draw.choice(WORDS, draw.integers(1, 9))) for _ in range(segments))

    cuts = sorted({0, segments, *draw.integers(1, segments, segments // 6).tolist()})
    spans = pairwise(cuts)
    return EvalSet(
        {"A": lines(), "B": lines()},
        {"x": lines(), "y": lines()},
        lines(),
        tuple(Document(f"d{i}", *span) for i, span in enumerate(spans)) if documents else (),
        "de",
        "en",
        "toy",
    )


def stream_of(evalset: EvalSet, folder: Path, name: str = "set.jsonl") -> Corpus:
    write(evalset, folder / name)
    return open_corpus(folder / name)


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    for cls in (Exact, Opening, Deadly):
        monkeypatch.setitem(registry.BUILTIN, cls.name, f"tests.evaluation.toys:{cls.__name__}")


def printed(table: ScoreTable | None) -> str:
    assert table is not None
    return render(score_table(table), "json")


def manifest(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return found


SEGMENT_METRICS = ("chrf", "ter", "bleu", "nist", "rouge-l", "exact(weight=0.1)")


@pytest.mark.parametrize("documents", [True, False])
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 99), sizes=st.lists(st.integers(3, 70), min_size=2, max_size=3))
def test_the_same_bytes_whatever_the_cut(
    tmp_path_factory: pytest.TempPathFactory, documents: bool, seed: int, sizes: list[int]
) -> None:
    """Floating-point statistics among them, as those of one process."""
    evalset = make_set(documents=documents, seed=seed)
    names = (*SEGMENT_METRICS, *(["opening", "rc"] if documents else []))
    metrics = [metric(name) for name in names]
    expected = printed(score(evalset, metrics))
    folder = tmp_path_factory.mktemp("runs")
    stream = stream_of(evalset, folder)
    for size in sizes:
        found = score_partitions(stream, metrics, folder / str(size), batch=size)
        assert printed(found) == expected


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 99), size=st.integers(2, 30), each=st.integers(1, 5), order=st.randoms())
def test_ranges_in_any_order_make_the_same_run(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: int, each: int, order: Any
) -> None:
    """Also where the last call completes what no range scored."""
    folder = tmp_path_factory.mktemp("runs")
    stream, metrics = stream_of(make_set(seed=seed), folder), [metric("ter"), Opening()]
    whole = score_partitions(stream, metrics, folder / "whole", batch=size)
    ranges = [range(first, first + each) for first in range(0, 4 * each, each)]
    order.shuffle(ranges)
    for only in ranges[:3]:
        assert score_partitions(stream, metrics, folder / "ranges", batch=size, only=only) is None
    last = score_partitions(stream, metrics, folder / "ranges", batch=size)
    assert printed(last) == printed(whole)
    assert read_files(folder / "ranges") == read_files(folder / "whole")


def read_files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.*")}


def test_left_out_documents_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "RETRIES", 0)
    lines = tuple(f"line {i}" for i in range(24))
    spans = tuple(Document(f"d{i}", 4 * i, 4 * i + 4) for i in range(6))
    evalset = EvalSet({"r": lines}, {"s": lines}, documents=spans)
    stream, metrics = stream_of(evalset, tmp_path), [Deadly(), Opening()]
    with pytest.warns(AlbeitWarning, match=r"skipped 4 segments .* 'd4' \(segments 17 to 20\)"):
        table = score_partitions(stream, metrics, tmp_path / "run", batch=8, on_error="skip")
    assert table is not None
    assert len(table) == 20
    assert len(table.documents) == 5
    assert "left-out:4" in str(table["opening"].signature)
    assert manifest(tmp_path / "run")["left_out"] == [["d4", 16, 20]]
    opened = read_run(tmp_path / "run")
    assert [d.id for d in opened.documents] == ["d0", "d1", "d2", "d3", "d5"]
    np.testing.assert_array_equal(opened["deadly"].system, table["deadly"].system)


def test_a_whole_run_opens_with_all_its_rows(tmp_path: Path) -> None:
    evalset, metrics = make_set(documents=False), [metric("chrf"), metric("bleu")]
    score_partitions(stream_of(evalset, tmp_path), metrics, tmp_path / "run", batch=7)
    opened, expected = read_run(tmp_path / "run"), score(evalset, metrics)
    for name, column in expected.columns.items():
        for level in ("statistics", "system", "document", "segment"):
            np.testing.assert_array_equal(getattr(opened[name], level), getattr(column, level))
        assert opened[name].signature == column.signature


def parts_of(folder: Path) -> list[Path]:
    """The files of a run's parts."""
    return [folder / "parts" / name for name in RunFolder(folder).names()]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    score_partitions(stream_of(make_set(), tmp_path), [metric("ter")], tmp_path / "run", batch=20)
    return tmp_path / "run"


@pytest.mark.parametrize("damage", [lambda d: d[:-9], lambda d: d[: len(d) // 2], lambda d: b""])
def test_a_part_that_is_cut_short_is_told_and_made_again(run: Path, damage: Any) -> None:
    whole = (run / "manifest.json").read_bytes()
    path = parts_of(run)[1]
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError, match=f"{path.name}: is cut short or damaged"):
        merge(run)
    path.unlink()
    score_partitions(open_corpus(run.parent / "set.jsonl"), [metric("ter")], run, batch=20)
    assert (run / "manifest.json").read_bytes() == whole


def test_what_is_no_run_is_told(run: Path, tmp_path: Path) -> None:
    path = run / "manifest.json"
    content = json.loads(path.read_text())
    old = {"format": "albeit-run/2"}
    for text, told in (
        ("{", "is not JSON"),
        ("[]", "is not a run of format"),
        (json.dumps(old), "score again into a new folder"),
        (json.dumps({"format": content["format"]}), "is damaged or was edited"),
        (json.dumps(content | {"metrics": ["chrf"]}), "is damaged or was edited"),
        (json.dumps(content | {"warnings": []}), "is damaged or was edited"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=told):
            read_run(run)
    with pytest.raises(InputError, match="cannot be read"):
        read_run(tmp_path)


def test_parts_of_other_runs_and_texts_are_told(run: Path, tmp_path: Path) -> None:
    stream = open_corpus(tmp_path / "set.jsonl")
    with pytest.raises(InputError, match="is a run of another kind: metrics, signatures differ"):
        score_partitions(stream, [metric("chrf")], run, batch=20)
    with pytest.raises(InputError, match="another kind: batch differ"):
        score_partitions(stream, [metric("ter")], run, batch=21)
    changed = stream_of(make_set(seed=1), tmp_path, "changed.jsonl")
    with pytest.raises(InputError, match="was made from other texts than the present ones"):
        score_partitions(changed, [metric("ter")], run, batch=20)
    score_partitions(changed, [metric("chrf")], tmp_path / "other", batch=20)
    first, *_ = parts_of(tmp_path / "other")
    (run / "parts" / first.name).write_bytes(first.read_bytes())
    with pytest.raises(InputError, match=r"belongs to another run|there are two parts 0"):
        merge(run)


def test_machines_that_could_differ_are_named(run: Path, tmp_path: Path) -> None:
    path = parts_of(run)[1]
    part = unpack(path.read_bytes())
    assert part.environment is not None
    other = part.environment | {"processor": "armchair", "libraries": ["numpy 0.1"]}
    path.write_bytes(pack(part._replace(environment=other)))
    with pytest.raises(MixedError, match=rf"the maker of {path.name} differs .*numpy .* and 0.1"):
        merge(run)
    whole = manifest(run)
    assert merge(run, allow_mixed=True) is not None
    mixed = manifest(run)
    assert mixed["environments"][1]["processor"] == "armchair"
    assert mixed["parts"] == whole["parts"], "who made a part is no part of its content"


def test_other_programs_refused(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts_of(run)[1].unlink()
    other = environments.environment() | {"albeit": "9.9.9"}
    monkeypatch.setattr(environments, "environment", lambda: other)
    stream = open_corpus(tmp_path / "set.jsonl")
    with pytest.raises(MixedError, match=r"this machine differs .*began the run: albeit .* 9.9.9"):
        score_partitions(stream, [metric("ter")], run, batch=20)


def test_what_cannot_be_done_in_batches_is_refused(tmp_path: Path) -> None:
    loose = stream_of(make_set(documents=False), tmp_path)
    with pytest.raises(MetricError, match="opening scores whole documents, and nothing is said"):
        score_partitions(loose, [Opening()], tmp_path / "run")
    assert not (tmp_path / "run").exists()
    evalset = EvalSet({"r": ("a", "b")}, {"s": ("a", "b " * 20_000)})
    long = stream_of(evalset, tmp_path, "l.jsonl")
    with pytest.raises(InputError, match=r"in segments 2 to 2: .*too long for ter"):
        score_partitions(long, [metric("ter")], tmp_path / "r", batch=1)


@given(
    st.lists(st.integers(1, 4), max_size=5), st.integers(0, 2), st.integers(0, 99), st.booleans()
)
def test_parts_are_read_back(lengths: list[int], skipped: int, seed: int, last: bool) -> None:
    ends = np.cumsum(lengths).tolist()
    spans = [
        Document(f"d{n}", end - own, end)
        for n, (own, end) in enumerate(zip(lengths, ends, strict=True))
    ]
    rows = np.random.default_rng(seed).normal(size=(2, sum(lengths), 3)) * 1e9
    statistics = (rows, rows[:, : len(spans)]) if spans else ()
    documents, left_out = tuple(spans), tuple(spans[:skipped])
    made = environments.environment()
    part = Part("run", seed, 7, sum(lengths), documents, statistics, left_out, last, made)
    again = unpack(pack(part))
    assert digest_part(again) == digest_part(part)
    assert again._replace(statistics=()) == part._replace(statistics=())
    for own, other in zip(again.statistics, part.statistics, strict=True):
        np.testing.assert_array_equal(own, other)
