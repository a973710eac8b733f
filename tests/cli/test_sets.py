"""Test sets by name: sacreBLEU's folder is filled here, and nothing is fetched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sacrebleu
import sacrebleu.utils

from albeit.data import write
from albeit.data.evalset import EvalSet, documents_from_ids
from albeit.data.scores import ScoreFile, write_scores
from albeit.errors import AlbeitWarning, InputError
from albeit.metaeval import read_judged
from tests.cli.conftest import Run
from tests.report.page.conftest import data_of

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
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)

    def offline(*_: object, **__: object) -> None:
        raise OSError("there is no network")

    monkeypatch.setattr("urllib.request.urlopen", offline)
    own = tmp_path / "sacrebleu" / "wmt23"
    own.mkdir(parents=True)
    fields = {
        "src": SOURCE,
        "ref-refA": REFERENCE,
        "ref-refB": SYSTEMS["poor"],
        "docid": ("a", "a", "b"),
        "origlang": ("en",) * 3,
        "GPT4": SYSTEMS["fair"],
    }
    for field, lines in fields.items():
        (own / f"wmt23.en-de.{field}").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "out.txt").write_text("".join(f"{line}\n" for line in SYSTEMS["poor"]))
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_as_sacrebleus_users_type_it(albeit: Run) -> None:
    found = json.loads(
        albeit(
            "score", "-t", "wmt23", "-l", "en-de", "-i", "out.txt", "-m", "chrf", "-f", "json"
        ).out
    )
    (row,) = found["rows"]
    assert row["system"] == "out"
    assert "refs:1" in json.dumps(found)
    expected = sacrebleu.corpus_chrf(list(SYSTEMS["poor"]), [list(REFERENCE)]).score
    assert row["chrf"] == pytest.approx(expected)


@pytest.mark.usefixtures("folder")
def test_the_sets_own_systems_and_documents(albeit: Run) -> None:
    words = ("score", "-t", "wmt23", "-l", "en-de", "-m", "chrf", "-f", "json")
    assert [row["system"] for row in json.loads(albeit(*words).out)["rows"]] == ["GPT4"]
    both = json.loads(albeit(*words, "-i", "out.txt", "--systems", "out", "GPT4").out)
    assert [row["system"] for row in both["rows"]] == ["out", "GPT4"]
    documents = json.loads(albeit(*words, "--level", "document").out)
    assert {row["document"] for row in documents["rows"]} == {"a", "b"}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-t", "wmt23"), "wmt23 needs a language pair. Choose one with -l: cs-uk, de-en"),
        (("-t", "wmt23", "-l", "xx-yy"), "wmt23 has no language pair 'xx-yy'"),
        (("-t", "wmt32", "-l", "en-de"), "there is no test set 'wmt32'. Did you mean wmt2"),
        (("-t", "wmt32", "-l", "en-de"), "'sacrebleu --list' lists sacreBLEU's test sets"),
        (("-t", "out.txt"), "-t takes the name of a test set, and out.txt is a file."),
        (("ref.txt", "-t", "wmt23", "-l", "en-de"), "-t wmt23 has its own REF."),
        (("-t", "wmt23", "-l", "zh-en"), "wmt23 zh-en is not in"),
        (("-t", "wmt23", "-l", "zh-en"), "could not fetch it: there is no network"),
        (("-t", "mtme:wmt23", "-l", "zh-en"), "there is no mt-metrics-eval set 'wmt23'"),
        (("-t", "wmt23", "-l", "en-de", "--refs", "refC"), "wmt23 has the references refA."),
    ],
)
def test_what_cannot_be_had_is_one_clear_error(
    albeit: Run, words: tuple[str, ...], message: str
) -> None:
    done = albeit("score", *words, "-i", "out.txt")
    assert done.status == 2
    assert message in done.err
    assert len(done.err.splitlines()) == 1


THEIRS = {
    "good": (3.0, 3.0, 3.0),
    "fair": (3.0, 2.0, 1.0),
    "poor": (1.0, 0.0, 0.0),
    "withdrawn": (9.0, 9.0, 9.0),
    "refA": (9.0, 9.0, 9.0),
}
WHOLE = {system: (sum(scores) / 2,) for system, scores in THEIRS.items()}
"""A metric's scores, also of texts that are no systems of the set."""
TREE = ("-t", "mtme:toy24", "-l", "en-de")


@pytest.fixture
def tree(folder: Path) -> Path:
    """A tree of mt-metrics-eval with scores of people and of a metric."""
    evalset = EvalSet(
        {"refA": REFERENCE},
        SYSTEMS,
        SOURCE,
        documents_from_ids(["a", "a", "b"]),
        source_lang="en",
        target_lang="de",
    )
    tree = folder / "mtme" / "mt-metrics-eval-v2" / "toy24"
    write(evalset, tree, "mt-metrics-eval")
    people = {"good": (0.0, 0.0, 0.0), "fair": (0.0, -1.0, -1.0), "poor": (-5.0, -5.0, -1.0)}
    people["refA"] = people["good"]
    write_scores(ScoreFile("mqm", "segment", people), tree / "human-scores" / "en-de.mqm.seg.score")
    scores = tree / "metric-scores" / "en-de"
    write_scores(ScoreFile("theirs", "segment", THEIRS), scores / "theirs-refA.seg.score")
    write_scores(ScoreFile("theirs", "system", WHOLE), scores / "theirs-refA.sys.score")
    return tree


@pytest.mark.usefixtures("tree")
def test_a_tree_of_mt_metrics_eval_with_all_its_scores(albeit: Run) -> None:
    words = (*TREE, "-f", "json")
    done = albeit("metaeval", *words, "-m", "chrf", "--statistic", "kendall")
    assert done.status == 0, done.err
    assert {row["metric"] for row in json.loads(done.out)["rows"]} == {"chrf", "theirs-refA"}
    assert "not compared here: 'withdrawn', 'refA'; left out" in done.err
    scored = json.loads(albeit("score", *words, "-i", "out.txt", "-m", "chrf").out)
    assert [row["system"] for row in scored["rows"]] == ["out", *sorted(SYSTEMS)]
    unknown = albeit("score", "-t", "mtme:wmt23", "-l", "en-de")
    assert "there are toy24" in unknown.err
    assert "mtme:toy24 has no language pair 'de-en'" in (
        albeit("score", "-t", "mtme:toy24", "-l", "de-en").err
    )


def test_a_report_of_a_tree(albeit: Run, tree: Path) -> None:
    command = ("-o", "report.html", "--profile", "none")
    for given in (TREE, (str(tree),), (str(tree / "en-de"),)):
        done = albeit("report", *given, *command)
        assert done.status == 0, done.err
        data = data_of(Path("report.html").read_text(encoding="utf-8"))
        (column,) = data["metrics"]
        assert column["signature"] == "theirs-refA|read from a file"
        assert column["system"] == [WHOLE[system][0] for system in data["systems"]]
        assert data["agreement"]
    own = albeit("report", *TREE, "-i", "out.txt", "-m", "chrf", *command)
    assert own.status == 0, own.err
    assert "out" in data_of(Path("report.html").read_text(encoding="utf-8"))["systems"]


def test_a_tree_in_python(tree: Path) -> None:
    with pytest.warns(AlbeitWarning, match="refA: judged like a system"):
        judged = read_judged(tree)
    assert tuple(judged.evalset.systems) == tuple(sorted(SYSTEMS))
    assert len(judged.judgments) == 9
    with pytest.warns(AlbeitWarning, match="'withdrawn', 'refA'; left out"):
        (found,) = judged.columns([tree / "metric-scores" / "en-de"])
    assert found.system.tolist() == [WHOLE[system][0] for system in judged.evalset.systems]
    with pytest.raises(InputError, match="has no judgments 'esa' for en-de; there are mqm"):
        read_judged(tree / "en-de", column="esa")
    with pytest.raises(InputError, match="has no language pair 'de-en'"):
        read_judged(tree, language_pair="de-en")
