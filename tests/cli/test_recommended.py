"""Without -m: what is recommended for the set, by one rule, said in one line."""

from __future__ import annotations

from pathlib import Path

import albeit as package
from albeit.evaluation import recommended_into
from tests.cli.conftest import Run
from tests.conftest import ROOT

DEMO = ROOT / "examples/demo"
TEXTS = (str(DEMO / "ref.A.txt"), "-i", str(DEMO / "systems/careful.txt"))
TWO = (*TEXTS, str(DEMO / "systems/blunt.txt"))


def test_into_english_it_is_judge_and_chrf_and_a_line_says_so(albeit: Run) -> None:
    done = albeit("score", *TEXTS, "-f", "tsv")
    assert done.out.startswith("system\tjudge\tjudge.standard_error\tchrf\n")
    assert done.err.count("no -m: scored with judge and chrf") == 1
    assert "no -m" not in albeit("score", *TEXTS, "-q").err
    assert "no -m" not in albeit("score", *TEXTS, "-m", "chrf").err


def test_it_is_the_same_in_batches_and_in_comparisons(albeit: Run, tmp_path: Path) -> None:
    batches = albeit("score", *TEXTS, "-f", "tsv", "--out", str(tmp_path / "run"))
    assert batches.out.startswith("system\tjudge\tjudge.standard_error\tchrf\n")
    compared = albeit("compare", *TWO, "-f", "tsv")
    assert "judge" in compared.out
    assert "no -m: scored with judge and chrf" in compared.err


def test_elsewhere_it_is_what_metrics_recommends(albeit: Run) -> None:
    listed = albeit("metrics", "--lang", "cs").out
    assert "Recommended for 'cs', and used without -m: chrf." in listed
    done = albeit("score", *TEXTS, "--lang", "cs", "-f", "tsv")
    assert done.out.startswith("system\tchrf\n")
    assert "recommended for this set ('albeit metrics --lang cs')" in done.err


def test_into_other_languages_it_is_chrf() -> None:
    assert recommended_into("de") == ["chrf"]


def test_a_set_for_which_nothing_is_recommended_asks_for_names(albeit: Run) -> None:
    done = albeit("score", "-i", str(DEMO / "systems/careful.txt"))
    assert done.status == 2
    assert "Name some with -m METRIC" in done.err


def test_without_a_reference_nothing_is_recommended(albeit: Run) -> None:
    texts = ("-i", str(DEMO / "systems/careful.txt"), "--source", str(DEMO / "ref.A.txt"))
    done = albeit("score", *texts, "--source-lang", "de", "--lang", "fr")
    assert done.status == 2
    assert "no metric is recommended for this set, which has no reference" in done.err


def test_conditions_know_the_metrics_that_nobody_named(albeit: Run) -> None:
    assert albeit("score", *TEXTS, "--fail-under", "judge=1").status == 0
    assert albeit("score", *TEXTS, "--fail-under", "judge=99.9").status == 3
    assert albeit("score", *TEXTS, "--fail-under", "bleu=1").status == 2


def test_python_has_the_same_rule() -> None:
    evalset = package.read(str(DEMO))
    lines = evalset.systems["careful"][:6]
    reference = next(iter(evalset.references.values()))[:6]
    scored = package.score(package.EvalSet({"r": reference}, {"careful": lines}))
    assert list(scored.metrics) == ["judge", "chrf"]
    czech = package.corpus_score(lines, reference, lang="cs")
    assert czech == package.corpus_score(lines, reference, "chrf", lang="cs")
