"""Test sets in every format and by name, and parts of them; nothing is fetched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sacrebleu
import sacrebleu.utils

from albeit.data import build_evalset, write
from albeit.data.evalset import EvalSet, documents_from_ids
from albeit.data.scores import ScoreFile, write_scores
from albeit.errors import AlbeitWarning, InputError
from albeit.metaeval import read_judged
from tests.cli.conftest import TEXTS, Run, read_report, write_files


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("source", [None, "src.txt"])
@pytest.mark.parametrize(
    "name", ["set.jsonl", "set.tsv", "set.xml", "set.sgm", "set.parquet", "folder"]
)
def test_a_whole_test_set_as_one_argument(albeit: Run, name: str, source: str | None) -> None:
    texts = ["ref.txt"], ["good.txt", "bad.txt"]
    write(build_evalset(*texts, source=source, docs="docs.txt", source_lang="fr"), name)
    write_files({"mine.txt": TEXTS["ref2.txt"]})

    def rows(words: str) -> list[str]:
        return albeit(f"score {name} -f tsv -m exact {words}").text.splitlines()[1:]

    assert sorted(rows("opening")) == ["bad\t0.25\t0.0", "good\t0.75\t1.0"]
    assert rows("--systems bad") == ["bad\t0.25"]
    own = rows("-i mine.txt")
    assert sorted(own) == ["bad\t0.25", "good\t0.75", "mine\t0.25"]
    assert own[0].startswith("mine")
    assert rows("-i mine.txt --systems bad mine") == ["bad\t0.25", "mine\t0.25"]
    assert rows("-i mine.txt --out run --batch-size 1") == own
    cut = rows("-i mine.txt --resegment")
    assert [line.split("\t")[0] for line in cut] == [line.split("\t")[0] for line in own]


SOURCE = ("One dog.", "Two dogs.", "The end.")
REFERENCE = ("Ein Hund.", "Zwei Hunde.", "Das Ende.")
SYSTEMS = {
    "good": ("Ein Hund.", "Zwei Hunde.", "Das ist das Ende."),
    "fair": ("Ein Hund.", "Zwei Hunden.", "Ende."),
    "poor": ("Hund.", "Hunde zwei", "Ende"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """sacreBLEU's folder with one pair of WMT23, as its data module leaves it."""
    monkeypatch.setattr(sacrebleu.utils, "SACREBLEU_DIR", str(tmp_path / "sacrebleu"))
    monkeypatch.setenv("ALBEIT_MTME", str(tmp_path / "mtme"))
    monkeypatch.chdir(tmp_path)
    fields = {
        "src": SOURCE,
        "ref-refA": REFERENCE,
        "ref-refB": SYSTEMS["poor"],
        "docid": ("a", "a", "b"),
        "origlang": ("en",) * 3,
        "GPT4": SYSTEMS["fair"],
    }
    own = {f"sacrebleu/wmt23/wmt23.en-de.{field}": lines for field, lines in fields.items()}
    texts = own | {"out.txt": SYSTEMS["poor"]}
    write_files({name: "".join(f"{line}\n" for line in lines) for name, lines in texts.items()})
    return tmp_path


WMT23 = "score -t wmt23 -l en-de -m chrf -f json"


@pytest.mark.usefixtures("folder")
def test_a_set_of_sacrebleu(albeit: Run) -> None:
    done = albeit(f"{WMT23} -i out.txt").data
    (row,) = done["rows"]
    assert row["system"] == "out"
    assert "refs:1" in json.dumps(done)
    expected = sacrebleu.corpus_chrf(list(SYSTEMS["poor"]), [list(REFERENCE)]).score
    assert row["chrf"] == pytest.approx(expected)
    assert [row["system"] for row in albeit(WMT23).data["rows"]] == ["GPT4"]
    both = albeit(f"{WMT23} -i out.txt --systems out GPT4").data
    assert [row["system"] for row in both["rows"]] == ["out", "GPT4"]
    documents = albeit(f"{WMT23} --level document").data
    assert {row["document"] for row in documents["rows"]} == {"a", "b"}
    assert "wmt23 has the references refA." in albeit(f"{WMT23} --refs refC").refused


THEIRS = {
    "good": (3.0, 3.0, 3.0),
    "fair": (3.0, 2.0, 1.0),
    "poor": (1.0, 0.0, 0.0),
    "withdrawn": (9.0, 9.0, 9.0),
    "refA": (9.0, 9.0, 9.0),
}
WHOLE = {system: (sum(scores) / 2,) for system, scores in THEIRS.items()}
"""A metric's scores, also of texts that are no systems of the set."""
TREE = "-t mtme:toy24 -l en-de"


@pytest.fixture
def tree(folder: Path) -> Path:
    """A tree of mt-metrics-eval with scores of people and of a metric."""
    documents = documents_from_ids(["a", "a", "b"])
    evalset = EvalSet({"refA": REFERENCE}, SYSTEMS, SOURCE, documents)
    tree = folder / "mtme" / "mt-metrics-eval-v2" / "toy24"
    write(evalset.relabel(source_lang="en", target_lang="de"), tree, "mt-metrics-eval")
    people = {"good": (0.0, 0.0, 0.0), "fair": (0.0, -1.0, -1.0), "poor": (-5.0, -5.0, -1.0)}
    people["refA"] = people["good"]
    for name in ("mqm", "da-sqm"):
        path = tree / "human-scores" / f"en-de.{name}.seg.score"
        write_scores(ScoreFile(name, "segment", people), path)
    scores = tree / "metric-scores" / "en-de"
    write_scores(ScoreFile("theirs", "segment", THEIRS), scores / "theirs-refA.seg.score")
    write_scores(ScoreFile("theirs", "system", WHOLE), scores / "theirs-refA.sys.score")
    return tree


def test_a_tree_of_mt_metrics_eval_with_all_its_scores(albeit: Run, tree: Path) -> None:
    done = albeit(f"metaeval {TREE} -f json -m chrf --statistic kendall")
    assert {row["metric"] for row in done.data["rows"]} == {"chrf", "theirs-refA"}
    assert "not compared here: 'withdrawn', 'refA'; ignored" in done.err
    assert "judgments are mqm; --human-column chooses another: da-sqm" in done.err
    found = albeit(f"metaeval {tree} --language-pair en-de --human-column da-sqm -f json").data
    assert [row["metric"] for row in found["rows"]] == ["theirs-refA"]
    scored = albeit(f"score {TREE} -f json -i out.txt -m chrf").data
    assert [row["system"] for row in scored["rows"]] == ["out", *sorted(SYSTEMS)]
    assert "there are toy24" in albeit("score -t mtme:wmt23 -l en-de").refused
    wrong = albeit("score -t mtme:toy24 -l de-en").refused
    assert "mtme:toy24 has no language pair 'de-en'" in wrong


def test_a_report_of_a_tree(albeit: Run, tree: Path) -> None:
    for given in (TREE, str(tree), str(tree / "en-de")):
        assert albeit(f"report {given} --profile none").status == 0
        data = read_report()
        (column,) = data["metrics"]
        assert column["signature"] == "theirs-refA|read from a file"
        assert column["system"] == [WHOLE[system][0] for system in data["systems"]]
        assert data["agreement"]
    assert albeit(f"report {TREE} -i out.txt -m chrf --profile none").status == 0
    assert "out" in read_report()["systems"]


def test_a_tree_in_python(tree: Path) -> None:
    with pytest.warns(AlbeitWarning, match="refA: judged like a system"):
        judged = read_judged(tree)
    assert tuple(judged.evalset.systems) == tuple(sorted(SYSTEMS))
    assert len(judged.judgments) == 9
    with pytest.warns(AlbeitWarning, match="'withdrawn', 'refA'; ignored"):
        (found,) = judged.columns([tree / "metric-scores" / "en-de"])
    assert found.system.tolist() == [WHOLE[system][0] for system in judged.evalset.systems]
    with pytest.raises(InputError, match="has no judgments 'esa' for en-de; there are da-sqm, mqm"):
        read_judged(tree / "en-de", column="esa")
    with pytest.raises(InputError, match="has no language pair 'de-en'"):
        read_judged(tree, language_pair="de-en")
