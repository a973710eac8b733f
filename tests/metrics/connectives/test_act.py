from __future__ import annotations

import math
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from albeit.data.evalset import EvalSet
from albeit.errors import InputError, LanguageError, MetricError
from albeit.evaluation import score
from albeit.metrics.connectives.act import Act
from albeit.metrics.connectives.assess import Case
from albeit.metrics.registry import metric
from albeit.parsing.alignment import Aligner
from albeit.report.act import assess


def test_statistics_and_scores(evalset: EvalSet) -> None:
    column = score(evalset, [Act(alignment="no")]).columns["act(alignment=no)"]
    assert column.statistics is not None
    assert column.statistics[0].sum(axis=0).tolist() == [1, 3, 0, 0, 0, 0, 4, 4]
    assert column.statistics[1].sum(axis=0).tolist() == [0, 0, 1, 3, 0, 0, 0, 4]
    assert column.system.tolist() == [1, 0]
    assert column.segment is not None
    assert math.isnan(column.segment[0, 1])  # a line without connectives has no score


def test_variants_and_several_references(evalset: EvalSet) -> None:
    two = EvalSet(
        {"a": ("", *evalset.references["ref"][1:]), "b": evalset.references["ref"]},
        evalset.systems,
        evalset.source,
        source_lang="en",
        target_lang="de",
    )
    table = score(two, [metric("act(alignment=no,variant=a56)"), metric("act(alignment=no)")])
    assert table.columns["act(alignment=no)"].system.tolist() == [1, 0]
    verdicts = assess(two, Act(alignment="no")).verdicts["good"]
    assert [v.reference for v in verdicts] == [1, 0, 0, 0]


def test_sense_tests(evalset: EvalSet) -> None:
    def of(sense: str) -> float:
        found = metric(f"act(alignment=no,sense={sense})")
        return float(score(evalset, [found])[found].system[1])

    assert of("compatible") == 0
    assert of("graded") == 0  # cause against time: not even a class in common


def test_alignment_trains_on_the_set(evalset: EvalSet) -> None:
    table = score(evalset, [Act()], workers=1)
    column = table.columns["act"]
    assert column.system[0] >= 0.75
    assert "|aligner:" in str(column.signature)
    assert "lexicon-version:en-de" in str(column.signature)
    assert "aligner:source+refs." in str(column.signature)
    assert pickle.loads(pickle.dumps(Act().prepare(evalset))).alignments.own == ()


def test_a_saved_aligner(evalset: EvalSet, tmp_path: Path) -> None:
    words = [line.lower().split() for line in evalset.source or ()]
    target = [line.lower().split() for line in evalset.references["ref"]]
    path = tmp_path / "aligner.npz"
    Aligner.fit(words, target).save(path)
    assert score(evalset, [Act(alignment=str(path))]).columns
    with pytest.raises(InputError, match="not a saved aligner"):
        score(evalset, [Act(alignment=str(tmp_path / "none.npz"))])


def test_what_act_cannot_score(evalset: EvalSet) -> None:
    with pytest.raises(LanguageError, match="no connective lexicon for en-ja"):
        Act().check(replace(evalset, target_lang="ja", documents=()))
    with pytest.raises(LanguageError, match="needs to know the source language"):
        Act().check(replace(evalset, source_lang=None, documents=()))
    with pytest.raises(MetricError, match="needs the source text"):
        Act().check(replace(evalset, source=None, documents=()))
    plain = replace(evalset, source=("Rain.",) * 4, documents=())
    with pytest.raises(MetricError, match="finds none of its connectives in the source"):
        Act().check(plain)
    with pytest.raises(MetricError, match="sense takes"):
        metric("act(sense=lax)")


def test_files_are_of_the_texts_that_they_align(evalset: EvalSet, tmp_path: Path) -> None:
    from albeit.metrics.base import Batch

    files = {}
    for name in ("ref", *evalset.systems):
        files[name] = tmp_path / name
        files[name].write_text("\n" * 4)
    context = Act().prepared_by(evalset, files)
    batch = Batch(("neu",) * 4, [evalset.references["ref"]], evalset.source, evalset.documents)
    with pytest.raises(MetricError, match="prepared for other translations"):
        Act().statistics(batch, context)


def test_alignment_files(evalset: EvalSet, tmp_path: Path) -> None:
    one = evalset.select(["good"])
    files = {}
    for name, text in (("ref", "0-0\n\n3-3 5-2\n0-0\n"), ("good", "0-0\n\n3-2 5-5\n0-0\n")):
        files[name] = tmp_path / name
        files[name].write_text(text)
    verdicts = assess(one, Act(), files).verdicts["good"]
    assert [v.in_candidate.name for v in verdicts] == ["auch wenn", "seit", "aber", "weil"]
    assert [v.case for v in verdicts] == [Case.SYNONYM, Case.SAME, Case.SYNONYM, Case.SYNONYM]
    files["good"].write_text("0-0\n\n4-99\n0-0\n")
    with pytest.raises(InputError, match="good:3: the point 4-99 lies outside"):
        assess(one, Act(), files)
    files["good"].write_text("0-0\n")
    with pytest.raises(InputError, match="1 alignments for 4 sentence pairs"):
        assess(one, Act(), files)
    del files["good"]
    with pytest.raises(InputError, match="one file for every reference and system"):
        assess(one, Act(), files)


@pytest.mark.shared
@pytest.mark.parametrize(("pair", "least"), [("en-de", 85), ("en-fr", 88)])
def test_labels_read_by_hand(shared_data: Path, pair: str, least: int) -> None:
    """The matcher without alignment; with it see docs/results/reproductions.md."""
    folder = shared_data / "wmt13" / pair
    golden = Path(__file__).parents[2] / "golden" / f"act-labels-{pair}.tsv"
    rows = [r.split("\t") for r in golden.read_text().splitlines() if not r.startswith("#")]
    lines = sorted({int(line) - 1 for _, line, _, _ in rows})

    def read(path: Path) -> tuple[str, ...]:
        text = path.read_text(encoding="utf-8-sig").split("\n")
        return tuple(text[line] for line in lines)

    systems = {name: read(folder / "systems" / f"{name}.txt") for name in {r[0] for r in rows}}
    evalset = EvalSet(
        {"ref": read(folder / "ref.txt")},
        systems,
        read(folder / "src.txt"),
        source_lang="en",
        target_lang=pair[3:],
    )
    verdicts = assess(evalset, Act(alignment="no")).verdicts
    right = 0
    for system, line, number, case in rows:
        of_line = [v for v in verdicts[system] if lines[v.line] == int(line) - 1]
        right += of_line[int(number) - 1].case == int(case)
    assert right >= least
