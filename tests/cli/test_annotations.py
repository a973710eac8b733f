"""``--annotations``: another parser's analyses in place of the model's, end to end."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from albeit.evaluation import scoring
from albeit.parsing.formats import read_json, write_analyses
from albeit.parsing.layers import EDUS, RST, TOKENS, Analysis, RstNode
from albeit.parsing.tokenize import join_forms
from tests.cli.conftest import Run
from tests.conftest import ROOT
from tests.parsing.formats.brackets import write_dis, write_ptb
from tests.report.page.conftest import data_of

REFERENCE = ["Er ging , weil es regnete .", "", "Sie blieb .", "Er kam nicht , obwohl er wollte ."]
GOOD = ["Er ging , weil es goss .", "Und ?", "Sie blieb .", "Er kam nicht , obwohl er wollte ."]
BAD = ["Er ging . Es goss .", "", "Sie blieb .", "Er kam nicht . Er wollte ."]
TEXTS = {"ref": REFERENCE, "good": GOOD, "bad": BAD}
BRACKETS = {"dis": write_dis, "ptb": write_ptb}


def tree(text: str) -> Analysis:
    """One EDU, or two where there is a comma or a second sentence."""
    text, tokens = join_forms(text.split())
    cut = next((i + 1 for i, form in enumerate(tokens.forms[:-1]) if form in ",."), 0)
    size = len(tokens)
    if not cut:
        return Analysis(text, {TOKENS: tokens, EDUS: ((0, size),), RST: RstNode(0, 0)})
    relation = "causal" if "weil" in text else "adversative" if "obwohl" in text else "joint"
    top = RstNode(
        0, 1, "NN" if relation == "joint" else "NS", relation, RstNode(0, 0), RstNode(1, 1)
    )
    return Analysis(text, {TOKENS: tokens, EDUS: ((0, cut), (cut, size)), RST: top})


@pytest.fixture(autouse=True)
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """German texts with their trees in two formats."""
    for name, lines in TEXTS.items():
        # the raw text has no space before punctuation: trees are laid onto it
        raw = [line.replace(" ,", ",").replace(" .", ".") for line in lines]
        (tmp_path / f"{name}.txt").write_text("\n".join(raw) + "\n", encoding="utf-8")
        trees = [tree(line) for line in lines if line]
        for form in ("rs3", "json"):
            out = "".join(write_analyses(trees, form))
            (tmp_path / f"{name}.{form}").write_text(out, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALBEIT_CACHE", "off")
    return tmp_path


SCORE = ("score", "ref.txt", "-i", "good.txt", "bad.txt", "--lang", "de", "-f", "json")
NAMED = ("--annotations", "ref=ref.rs3", "good=good.rs3", "bad=bad.rs3")
FOUND = ("--annotations", "ref.json", "good.json", "bad.rs3")


@pytest.mark.parametrize("given", [NAMED, FOUND])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_language_that_the_model_does_not_know(
    albeit: Run, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...], workers: str
) -> None:
    monkeypatch.setattr(scoring, "ANNOTATED_LINES", 2)
    done = albeit(*SCORE, "-m", "dr", "dr-lex", "bleu", *given, "--workers", workers)
    assert (done.status, done.err.count("error")) == (0, 0)
    found = json.loads(done.out)
    good, bad = found["rows"]
    assert 0.7 < good["dr"] < 1  # all trees are the same, but for the line that is empty
    assert bad["dr"] < good["dr"]
    assert bad["dr-lex"] - 1 / 4 < good["dr-lex"]  # bad alone leaves the empty line empty
    signatures = found["signatures"]
    assert "|annotations:given-" in signatures["dr"]
    assert "model" not in signatures["dr"]
    assert "annotator" not in signatures["dr"]
    assert "annotations" not in signatures["bleu"]


def test_the_signature_tells_other_annotations_apart(albeit: Run, texts: Path) -> None:
    def signature() -> str:
        out = albeit(*SCORE, "-m", "dr", *FOUND).out
        return str(json.loads(out)["signatures"]["dr"])

    before = signature()
    assert before == signature()
    path = texts / "good.json"
    path.write_text(path.read_text(encoding="utf-8").replace("causal", "temporal"))
    assert before != signature()


def test_compare_and_explain(albeit: Run) -> None:
    inputs = ("ref.txt", "-i", "good.txt", "bad.txt", "--lang", "de")
    done = albeit("compare", *inputs, "-m", "dr", "--resamples", "20", *NAMED)
    assert done.status == 0
    assert "annotations:given-" in done.out
    done = albeit("explain", *inputs, "-n", "1", *NAMED)
    assert done.status == 0
    assert "causal" in done.out
    assert "weil es regnete." in done.out.replace(" .", ".")


def test_agreement_with_people(albeit: Run, texts: Path) -> None:
    (texts / "pairs.tsv").write_text("segment\tbetter\tworse\n1\tgood\tbad\n4\tgood\tbad\n")
    done = albeit("metaeval", *SCORE[1:], "-m", "dr", *NAMED, "--judgments", "pairs.tsv")
    (row,) = json.loads(done.out)["rows"]
    assert 1.0 in row.values()


def test_english_texts_without_annotation_are_left_to_the_model(albeit: Run) -> None:
    english = tuple("en" if part == "de" else part for part in SCORE)
    done = albeit(*english, "-m", "dr", *NAMED[:3])
    assert done.status == 0
    assert re.search(r"\|annotator:.*\|annotations:given-\w{8}\+model\|", done.out)


@pytest.mark.parametrize(
    ("metrics", "forms"),
    [
        (("dr", "dr-lex"), ("dis",)),
        (("dr", "dr-lex"), ("rs3",)),
        (("dp-or", "cp-stm", "dr-lex"), ("conllu", "ptb", "rs3")),
        (("dr-lex", "dp-hwcm-w", "cp-oc", "sr-or", "drs-or"), ("json",)),
    ],
)
def test_the_models_own_analyses_brought_back_change_no_score(
    albeit: Run, texts: Path, metrics: tuple[str, ...], forms: tuple[str, ...]
) -> None:
    demo = ROOT / "examples" / "demo"
    names = {"ref.A": demo / "ref.A.txt", "blunt": demo / "systems" / "blunt.txt"}
    files = []
    for name, path in names.items():
        for form in forms:
            files.append(f"{name}.zip" if form == "rs3" else f"{name}.{form}")
            if form in BRACKETS:
                parsed = albeit("parse", str(path), "-f", "json")
                Path(files[-1]).write_text(BRACKETS[form](read_json(parsed.out)), encoding="utf-8")
            else:
                assert albeit("parse", str(path), "-f", form, "-o", files[-1]).status == 0
    run = ("score", str(names["ref.A"]), "-i", str(names["blunt"]), "-f", "tsv", "-m", *metrics)
    own = albeit(*run)
    assert own.status == 0
    assert albeit(*run, "--annotations", *files).out == own.out


def test_layers_from_several_files(albeit: Run, texts: Path) -> None:
    lines = [line for text in TEXTS.values() for line in dict.fromkeys(text) if line]
    rows = []
    for line in dict.fromkeys(lines):
        words = line.split()
        rows.append("# newpar")
        rows += [
            f"{i}\t{word}\t_\t{'VERB' if word == 'blieb' else 'X'}\t_\t_"
            f"\t{min(i - 1, 1)}\t{'dep' if i > 1 else 'root'}\t_\t_"
            for i, word in enumerate(words, 1)
        ]
        rows.append("")
    (texts / "all.conllu").write_text("\n".join(rows) + "\n", encoding="utf-8")
    done = albeit(*SCORE, "-m", "dr-lex", "dp-or", *FOUND, "all.conllu")
    assert done.status == 0
    assert json.loads(done.out)["rows"][0]["dp-or"] > 0.5
    done = albeit(*SCORE, "-m", "dp-or", *FOUND)
    assert done.status == 2
    assert "have no dependencies" in done.err


MISTAKES = {
    "some only": (
        ("ref=ref.rs3",),
        "4 of 8 texts have no annotation (the first: 'Er ging, weil es goss",
    ),
    "unknown name": (
        ("nobody=ref.rs3",),
        "ref.rs3: no reference or system is called 'nobody'. There are: ref, good",
    ),
    "wrong number": (
        ("good=ref.rs3",),
        "ref.rs3: has 3 annotations, but 'good' has 4 lines with text",
    ),
    "wrong text": (("ref=bad.rs3",), "bad.rs3: annotation 1: word 3 of an annotation"),
    "no text of the set": (
        ("other.json",),
        "other.json: has no annotation of a text of this test set",
    ),
    "no such file": (("nowhere.rs3",), "nowhere.rs3: cannot be read"),
    "no such format": (("ref.txt",), "ref.txt: annotations cannot be read from '.txt'"),
    "contradiction": (
        ("ref.json", "other_trees.json"),
        "another annotation of 'Er ging, weil es regnete.' has other rst",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(albeit: Run, texts: Path, case: str) -> None:
    (texts / "other.json").write_text("".join(write_analyses([tree("Ganz anders .")], "json")))
    other = (texts / "ref.json").read_text(encoding="utf-8").replace("causal", "temporal")
    (texts / "other_trees.json").write_text(other, encoding="utf-8")
    files, message = MISTAKES[case]
    done = albeit(*SCORE, "-m", "dr", "--annotations", *files)
    assert done.status == 2
    assert done.out == ""
    assert message in done.err


def test_annotations_of_other_texts_are_counted(albeit: Run, texts: Path) -> None:
    with (texts / "good.json").open("a", encoding="utf-8") as file:
        file.writelines(write_analyses([tree("Ganz anders .")], "json"))
    done = albeit(*SCORE, "-m", "dr", *FOUND)
    assert done.status == 0
    assert "good.json: 1 of 5 annotations are not of a text in this test set." in done.err


def test_metrics_that_read_no_analyses(albeit: Run) -> None:
    done = albeit(*SCORE, "-m", "bleu", "ter", *FOUND)
    assert done.status == 2
    assert "--annotations has no effect: no annotations are read by bleu, ter." in done.err


def test_english_tables_stay_english(albeit: Run) -> None:
    done = albeit(*SCORE, "-m", "drs-or", *FOUND)
    assert done.status == 2
    assert "drs-or cannot score translations into 'de'" in done.err


@pytest.mark.parametrize("given", [NAMED, FOUND])
def test_a_profile_of_supplied_trees(albeit: Run, given: tuple[str, ...]) -> None:
    """What cannot be measured by them is left out, with the reason."""
    texts = ("ref.txt", "-i", "good.txt", "bad.txt", "--lang", "de")
    (Path("docs.txt")).write_text("one\none\ntwo\ntwo\n")
    done = albeit("profile", *texts, "--docs", "docs.txt", *given, "-f", "json")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    rows = {row["name"]: row["systems"] for row in found["rows"]}
    good, bad = (each["score"] for each in rows["discourse trees"])
    assert good > bad
    assert "coreference" in found["left_out"]


def test_a_report_of_supplied_trees(albeit: Run, tmp_path: Path) -> None:
    texts = ("ref.txt", "-i", "good.txt", "bad.txt", "--lang", "de")
    done = albeit("report", *texts, *NAMED, "--profile", "quick")
    assert done.status == 0, done.err
    data = data_of((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert [row["name"] for row in data["profile"]] == ["discourse trees"]
    assert "annotations:" in data["profile"][0]["signature"]
    done = albeit("report", *texts, *NAMED)
    assert "no annotations are read by chrf" in done.err


def test_a_report_for_which_no_metric_is_recommended_shows_the_profile(
    albeit: Run, tmp_path: Path
) -> None:
    (tmp_path / "docs.txt").write_text("one\none\ntwo\ntwo\n")
    more = ("--docs", "docs.txt", "--source", "ref.txt", "--source-lang", "de", "--lang", "de")
    texts = ("-i", "good.txt", "bad.txt", *more)
    done = albeit("report", *texts, "--profile", "quick")
    assert done.status == 0, done.err
    data = data_of((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert data["metrics"] == []
    done = albeit("report", *texts, "-m", "bleu")
    assert done.status == 2
    assert "error: bleu needs at least one reference" in done.err
    done = albeit("report", *texts)
    assert done.status == 2
    assert "error: no metric is recommended for this set" in done.err
