"""``--annotations``: another parser's annotations in place of the model's, end to end."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from albeit.evaluation import scoring
from albeit.parsing.formats import read_json, write_analyses
from albeit.parsing.layers import EDUS, RST, TOKENS, Analysis, RstNode
from albeit.parsing.tokenize import join_forms
from tests.cli.conftest import DEMO, Run, read_report, write_files
from tests.parsing.formats.brackets import write_dis, write_ptb

REFERENCE = ["Er ging , weil es regnete .", "", "Sie blieb .", "Er kam nicht , obwohl er wollte ."]
GOOD = ["Er ging , weil es goss .", "Und ?", "Sie blieb .", "Er kam nicht , obwohl er wollte ."]
BAD = ["Er ging . Es goss .", "", "Sie blieb .", "Er kam nicht . Er wollte ."]
TEXTS = {"ref": REFERENCE, "good": GOOD, "bad": BAD}
BRACKETS = {"dis": write_dis, "ptb": write_ptb}
INPUTS = "ref.txt -i good.txt bad.txt --lang de"
SCORE = f"score {INPUTS} -f json"
NAMED = "--annotations ref=ref.rs3 good=good.rs3 bad=bad.rs3"
FOUND = "--annotations ref.json good.json bad.rs3"


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
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """German texts with their trees in two formats."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALBEIT_CACHE", "off")
    write_files({"docs.txt": "one\none\ntwo\ntwo\n"})
    for name, lines in TEXTS.items():
        # the raw text has no space before punctuation: trees are laid onto it
        raw = "".join(line.replace(" ,", ",").replace(" .", ".") + "\n" for line in lines)
        trees = [tree(line) for line in lines if line]
        write_files({f"{name}.{f}": "".join(write_analyses(trees, f)) for f in ("rs3", "json")})
        write_files({f"{name}.txt": raw})


@pytest.mark.parametrize("given", [NAMED, FOUND])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_language_that_the_model_does_not_know(
    albeit: Run, monkeypatch: pytest.MonkeyPatch, given: str, workers: int
) -> None:
    monkeypatch.setattr(scoring, "ANNOTATED_LINES", 2)
    found = albeit(f"{SCORE} -m dr dr-lex bleu {given} --workers {workers}").data
    good, bad = found["rows"]
    assert 0.7 < good["dr"] < 1  # all trees are the same, but for the line that is empty
    assert bad["dr"] < good["dr"]
    assert bad["dr-lex"] - 1 / 4 < good["dr-lex"]  # bad alone leaves the empty line empty
    signature = found["signatures"]["dr"]
    assert "|annotations:given-" in signature
    assert not re.search("model|annotator", signature)
    assert "annotations" not in found["signatures"]["bleu"]


def test_the_signature_tells_other_annotations_apart(albeit: Run) -> None:
    def signature() -> str:
        return str(albeit(f"{SCORE} -m dr {FOUND}").data["signatures"]["dr"])

    before = signature()
    assert before == signature()
    path = Path("good.json")
    path.write_text(path.read_text(encoding="utf-8").replace("causal", "temporal"))
    assert before != signature()


def test_agreement_with_people(albeit: Run) -> None:
    write_files({"pairs.tsv": "segment\tbetter\tworse\n1\tgood\tbad\n4\tgood\tbad\n"})
    found = albeit(f"metaeval {INPUTS} -f json -m dr {NAMED} --judgments pairs.tsv").data
    assert 1.0 in found["rows"][0].values()


def test_english_texts_without_annotation_are_left_to_the_model(albeit: Run) -> None:
    given = SCORE.replace("--lang de", "--lang en")
    out = albeit(f"{given} -m dr --annotations ref=ref.rs3 good=good.rs3").text
    assert re.search(r"\|annotator:.*\|annotations:given-\w{8}\+model\|", out)


@pytest.mark.parametrize(
    ("metrics", "forms"),
    [
        ("dr dr-lex", "dis"),
        ("dr dr-lex", "rs3"),
        ("dp-or cp-stm dr-lex", "conllu ptb rs3"),
        ("dr-lex dp-hwcm-w cp-oc sr-or drs-or", "json"),
    ],
)
def test_the_models_own_analyses_change_no_score(albeit: Run, metrics: str, forms: str) -> None:
    names = {"ref.A": DEMO / "ref.A.txt", "blunt": DEMO / "systems" / "blunt.txt"}
    files = []
    for name, path in names.items():
        for form in forms.split():
            files.append(f"{name}.zip" if form == "rs3" else f"{name}.{form}")
            if form in BRACKETS:
                parsed = albeit(f"parse {path} -f json").text
                write_files({files[-1]: BRACKETS[form](read_json(parsed))})
            else:
                assert albeit(f"parse {path} -f {form} -o {files[-1]}").status == 0
    run = f"score {names['ref.A']} -i {names['blunt']} -f tsv -m {metrics}"
    assert albeit(run, "--annotations", *files).out == albeit(run).text


def test_layers_from_several_files(albeit: Run) -> None:
    rows = []
    for line in dict.fromkeys(line for text in TEXTS.values() for line in text if line):
        rows.append("# newpar")
        for i, word in enumerate(line.split(), 1):
            tag, head = "VERB" if word == "blieb" else "X", f"{min(i - 1, 1)}"
            rows.append(f"{i}\t{word}\t_\t{tag}\t_\t_\t{head}\t{'dep' if i > 1 else 'root'}\t_\t_")
        rows.append("")
    write_files({"all.conllu": "\n".join(rows) + "\n"})
    found = albeit(f"{SCORE} -m dr-lex dp-or {FOUND} all.conllu").data
    assert found["rows"][0]["dp-or"] > 0.5
    assert "have no dependencies" in albeit(f"{SCORE} -m dp-or {FOUND}").refused


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ("ref=ref.rs3", "4 of 8 texts have no annotation (the first: 'Er ging, weil es goss"),
        ("good=ref.rs3", "ref.rs3: has 3 annotations, but 'good' has 4 lines with text"),
        ("ref=bad.rs3", "bad.rs3: annotation 1: word 3 of an annotation"),
        (
            "ref.json other_trees.json",
            "another annotation of 'Er ging, weil es regnete.' has other rst",
        ),
    ],
)
def test_annotations_that_do_not_fit(albeit: Run, files: str, message: str) -> None:
    other = Path("ref.json").read_text(encoding="utf-8").replace("causal", "temporal")
    write_files({"other_trees.json": other})
    assert message in albeit(f"{SCORE} -m dr --annotations {files}").refused


def test_annotations_of_other_texts_are_counted(albeit: Run) -> None:
    with Path("good.json").open("a", encoding="utf-8") as file:
        file.writelines(write_analyses([tree("Ganz anders .")], "json"))
    done = albeit(f"{SCORE} -m dr {FOUND}")
    assert done.status == 0
    assert "good.json: 1 of 5 annotations are not of a text in this test set." in done.err


def test_a_profile_of_supplied_trees(albeit: Run) -> None:
    """What cannot be measured by them is left out, with the reason."""
    found = albeit(f"profile {INPUTS} --docs docs.txt {NAMED} -f json").data
    rows = {row["name"]: row["systems"] for row in found["rows"]}
    good, bad = (each["score"] for each in rows["discourse trees"])
    assert good > bad
    assert "coreference" in found["left_out"]


def test_a_report_of_supplied_trees(albeit: Run) -> None:
    assert albeit(f"report {INPUTS} {NAMED} --profile quick").status == 0
    row, _ = read_report()["profile"]
    assert row["name"] == "discourse trees"
    assert "annotations:" in row["signature"]
