"""``albeit parse`` and ``albeit cache`` on real text and on bad input."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from albeit.parsing.formats import read_analyses
from albeit.parsing.layers import TOKENS
from albeit.parsing.supplied import wordy
from tests.cli.conftest import Run

TEXT = "He left because it rained. She stayed.\n\nthey did n't know that he had gone .\n"


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def test_pretty_by_default(albeit: Run, text: str) -> None:
    result = albeit("parse", text)
    assert result.status == 0
    assert result.out.startswith("1  He left because it rained. She stayed.\n")
    assert "[2] because it rained ." in result.out


@pytest.mark.parametrize("form", ["rs3", "conllu", "json"])
def test_every_format_can_be_read_back(albeit: Run, text: str, tmp_path: Path, form: str) -> None:
    path = tmp_path / ("trees.zip" if form == "rs3" else f"out.{form}")
    result = albeit("parse", text, "-f", form, "-o", str(path))
    assert (result.status, result.out, result.err) == (0, "", "")
    words = [each[TOKENS].forms for each in read_analyses(path) if wordy(each)]
    assert [len(forms) for forms in words] == [9, 9]
    converted = albeit("parse", str(path), "-f", "json")
    assert converted.status == 0
    # the line without words is kept where the format has a place for it
    assert len(converted.out.splitlines()) == (3 if form == "json" else 2)


def test_any_layer(albeit: Run, text: str) -> None:
    layers = ["tokens", "deps", "roles", "connectives", "entities", "vectors", "edus"]
    result = albeit("parse", text, "--layer", *layers)
    assert result.status == 0
    assert "because  Contingency.Cause" in result.out
    assert "vectors of 384 numbers" in result.out


def test_a_layer_that_follows_from_others(albeit: Run, text: str) -> None:
    result = albeit("parse", text, "--layer", "drs")
    assert "left(e1)" in result.out


def test_json_has_all_but_vectors(albeit: Run, text: str) -> None:
    first = json.loads(albeit("parse", text, "-f", "json").out.splitlines()[0])
    assert set(first) == {
        "text",
        "tokens",
        "offsets",
        "sentences",
        "edus",
        "rst",
        "dependencies",
        "constituents",
        "roles",
        "connectives",
        "entities",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-f", "rs3", "--layer", "roles"], "-f rs3 cannot hold roles. It fits in: pretty, json."),
        (["-f", "json", "--layer", "drs"], "-f json cannot hold drs. It fits in: pretty."),
        (["--lang", "fr"], "no rst for 'fr'"),
        (["--lang", "jp"], "Did you mean 'ja'?"),
        (["--layer", "nothing"], "there is no layer 'nothing'"),
        (["--layer", "rst-document"], "there is no layer 'rst-document'"),
        (["-f", "dis"], "invalid choice: 'dis'"),
        (["-f", "ptb"], "invalid choice: 'ptb'"),
    ],
)
def test_mistakes(albeit: Run, text: str, arguments: list[str], message: str) -> None:
    result = albeit("parse", text, *arguments)
    assert result.status == 2
    assert message in result.err


def test_a_layer_that_a_file_does_not_have(albeit: Run, tmp_path: Path) -> None:
    path = tmp_path / "trees.ptb"
    path.write_text("(S (NP (PRP He)) (VP (VBD left)))\n")
    result = albeit("parse", str(path), "-f", "rs3")
    assert result.status == 2
    assert "holds no rst. It has: tokens, sentences, constituents." in result.err
    assert albeit("parse", str(path)).out.startswith("1  He left\n   S\n")


def test_analyses_laid_onto_their_text(albeit: Run, tmp_path: Path) -> None:
    trees, text = tmp_path / "trees.ptb", tmp_path / "text.txt"
    trees.write_text("(S (NP (PRP He)) (VP (VBD left) (. .)))\n")
    text.write_text("He  left.\n")
    result = albeit("parse", str(trees), "--text", str(text), "-f", "json")
    assert json.loads(result.out)["offsets"] == [[0, 2], [4, 8], [8, 9]]
    text.write_text("He  went.\n")
    result = albeit("parse", str(trees), "--text", str(text), "-f", "json")
    assert result.status == 2
    assert "annotation 1: word 2 of an annotation, 'left'" in result.err
    result = albeit("parse", str(text), "--text", str(text))
    assert "--text goes with annotations" in result.err


def test_cache(albeit: Run, text: str) -> None:
    albeit("parse", text)
    shown = albeit("cache", "info")
    assert shown.status == 0
    assert "6 records" in shown.out
    details = json.loads(albeit("cache", "info", "-f", "json").out)
    assert details["files"][0]["records"] == 6
    assert "MB freed" in albeit("cache", "clear").out
    assert "records" not in albeit("cache", "info").out


def test_cache_off(albeit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", "off")
    assert "turned off" in albeit("cache", "info").out


def test_an_unknown_layer_is_answered_with_plain_names(albeit: Run) -> None:
    done = albeit("parse", "-", "--layer", "moods")
    assert done.status == 2
    assert "Layer." not in done.err
    assert " rst," in done.err


@pytest.fixture
def story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "story.txt"
    path.write_text("Anna bought a car.\nShe likes it.\n\nThe bank closed.\n", encoding="utf-8")
    return str(path)


def test_documents_are_drawn_with_coreference(albeit: Run, story: str) -> None:
    result = albeit("parse", story, "--docs", "blank-lines")
    assert (result.status, result.err) == (0, "")
    assert "person  singular animate feminine" in result.out
    assert "2  The bank closed." in result.out


@pytest.mark.parametrize("place", ["trees", "trees.zip"])
def test_rs3_is_one_well_formed_file_a_text(
    albeit: Run, text: str, tmp_path: Path, place: str
) -> None:
    out = tmp_path / place
    assert albeit("parse", text, "-f", "rs3", "-o", str(out)).status == 0
    if out.is_dir():
        files = {path.name: path.read_text() for path in sorted(out.iterdir())}
    else:
        with zipfile.ZipFile(out) as archive:
            files = {name: archive.read(name).decode() for name in archive.namelist()}
    assert list(files) == ["1.rs3", "3.rs3"]  # the second line has no words
    for content in files.values():
        assert ElementTree.fromstring(content).tag == "rst"
    again = albeit("parse", str(out), "-f", "json").out.splitlines()
    trees = [
        json.loads(line)["rst"] for line in albeit("parse", text, "-f", "json").out.splitlines()
    ]
    assert [json.loads(line)["rst"] for line in again] == [trees[0], trees[2]]


def test_rs3_is_not_written_among_other_files(albeit: Run, text: str, tmp_path: Path) -> None:
    asked = ("parse", text, "-f", "rs3", "-o", str(tmp_path / "trees"), "--force")
    assert albeit(*asked).status == 0
    assert "holds files already. Name a new folder." in albeit(*asked).err


def test_several_texts_are_no_rs3_file(albeit: Run, text: str, tmp_path: Path) -> None:
    result = albeit("parse", text, "-f", "rs3")
    assert (result.status, result.out) == (2, "")
    assert "-f rs3 holds one text per file, and there are 3" in result.err
    one = tmp_path / "one.txt"
    one.write_text("He left because it rained.\n")
    assert ElementTree.fromstring(albeit("parse", str(one), "-f", "rs3").out).tag == "rst"
    assert "goes into one file" in albeit("parse", str(one), "-o", str(tmp_path / "out")).err


def _zip_with_a_name_that_is_no_text() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("é.rs3", "<rst/>")
    return made.getvalue().replace("é.rs3".encode(), b"\xa9\xa9.rs3")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"PK no zip", "cannot be read as a zip"),
        (b"PK\x05\x06" + bytes(18), "has no file"),
        (_zip_with_a_name_that_is_no_text(), "cannot be read as a zip"),
    ],
)
def test_a_zip_without_trees(albeit: Run, tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "trees.zip"
    path.write_bytes(content)
    result = albeit("parse", str(path))
    assert (result.status, result.out) == (2, "")
    assert said in result.err


@pytest.mark.parametrize("form", ["json", "conllu"])
def test_documents_in_every_format(albeit: Run, story: str, form: str) -> None:
    result = albeit("parse", story, "--docs", "blank-lines", "-f", form)
    assert result.status == 0
    if form == "json":
        first, second = map(json.loads, result.out.splitlines())
        assert {"lines", "tokens", "sentences", "edus", "coreference"} <= set(first)
        assert second["edus"] == [[0, 4]]
    else:
        assert "# newdoc id = 2" in result.out
        assert "Entity=(e1-person-1-sing-anim-fem)" in result.out


def test_document_ids_in_a_file(albeit: Run, text: str, tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("a\na\nb\n")
    result = albeit("parse", text, "--docs", str(ids), "--layer", "coreference")
    assert result.status == 0
    assert result.out.count("\n1  ") + result.out.startswith("1  ") == 1
    ids.write_text("a\nb\n")
    assert "has 2 lines" in albeit("parse", text, "--docs", str(ids)).err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--layer", "coreference"], "coreference is of whole documents"),
        (["--layer", "rst", "--docs", "blank-lines"], "rst is of single lines"),
        (["--docs", "blank-lines", "-f", "rs3"], "-f rs3 is for single lines"),
        (["--docs", "blank-lines", "--text", "x.txt"], "--docs goes with text"),
    ],
)
def test_documents_and_lines_are_kept_apart(
    albeit: Run, text: str, options: list[str], said: str
) -> None:
    result = albeit("parse", text, *options)
    assert result.status == 2
    assert said in result.err


def test_a_strangers_layer_does_not_stop_json() -> None:
    from albeit.cli.parse import DEFAULTS
    from albeit.parsing.layers import BUILTIN, VECTORS, of_lines

    own = {each for each in of_lines() if each in BUILTIN and not each.derived}
    assert set(DEFAULTS["json"]) == {str(each) for each in own - {VECTORS}}
