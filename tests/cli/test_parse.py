"""``albeit parse`` and ``albeit cache`` on real text."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from albeit.cli.parse import DEFAULTS
from albeit.parsing.layers import BUILTIN, VECTORS, of_lines
from tests.cli.conftest import Run, write_files

TEXTS = {
    "text.txt": "He left because it rained. She stayed.\n\nthey did n't know that he had gone .\n",
    "story.txt": "Anna bought a car.\nShe likes it.\n\nThe bank closed.\n",
}


@pytest.fixture(autouse=True)
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(TEXTS)


def test_json_has_all_but_vectors(albeit: Run) -> None:
    first = json.loads(albeit("parse text.txt -f json").text.splitlines()[0])
    names = "text tokens offsets sentences edus rst dependencies constituents roles connectives"
    assert set(first) == {*names.split(), "entities"}
    own = {each for each in of_lines() if each in BUILTIN and not each.derived}
    assert set(DEFAULTS["json"].split()) == {str(each) for each in own - {VECTORS}}


def test_cache(albeit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert albeit("parse text.txt").status == 0
    assert "6 records" in albeit("cache info").text
    assert albeit("cache info -f json").data["files"][0]["records"] == 6
    assert "MB freed" in albeit("cache clear").text
    assert "records" not in albeit("cache info").text
    monkeypatch.setenv("ALBEIT_CACHE", "off")
    assert "turned off" in albeit("cache info").text


@pytest.mark.parametrize("place", ["trees", "trees.zip"])
def test_rs3_is_one_well_formed_file_per_text(albeit: Run, place: str) -> None:
    assert albeit(f"parse text.txt -f rs3 -o {place}").status == 0
    if Path(place).is_dir():
        files = {path.name: path.read_text() for path in sorted(Path(place).iterdir())}
        again = albeit(f"parse text.txt -f rs3 -o {place} --force").refused
        assert "already has files. Name a new folder." in again
    else:
        with zipfile.ZipFile(place) as archive:
            files = {name: archive.read(name).decode() for name in archive.namelist()}
    assert list(files) == ["1.rs3", "3.rs3"]  # the second line has no words
    for content in files.values():
        assert ElementTree.fromstring(content).tag == "rst"

    def trees(name: str) -> list[object]:
        lines = albeit(f"parse {name} -f json").text.splitlines()
        return [json.loads(line)["rst"] for line in lines]

    assert trees(place) == trees("text.txt")[::2]


CHAIN = "".join(
    f'<segment id="{n}" parent="{n - 1}" relname="elaboration">w{n}</segment>'
    for n in range(2, 501)
)
RANKS = "srcIndex,documentId,judgeId,system1Id,system2Id,system1rank,system2rank\n"
LONG = "x" * 5000
HUGE = {
    "chain.rs3": f'<rst><body><segment id="1">w1</segment>{CHAIN}</body></rst>',
    "words.txt": " ".join(f"w{n}" for n in range(1, 501)) + "\n",
    "deep.ptb": "(S " * 900 + "(NN dog)" + ")" * 900 + "\n",
    "deeper.ptb": "(S " * 30_000 + "(NN dog)" + ")" * 30_000 + "\n",
    "nested.jsonl": "[" * 100_000 + "]" * 100_000 + "\n",
    "run/run.json": "[" * 100_000,
    "wide.csv": f'{RANKS}1,"{"x" * 200_000}",j,a,b,1,2\n',
    "foo.xml": '<?xml version="1.0" encoding="foo-8"?><dimlex></dimlex>',
}


def test_deep_trees_are_read_written_scored_and_sent_to_workers(albeit: Run, files: Path) -> None:
    write_files(HUGE)
    assert len(albeit("parse deep.ptb -f json").text) > 9000
    (files / "again.json").write_text(albeit("parse chain.rs3 -f json").text)
    for name in ("chain.rs3", "again.json"):
        command = f"words.txt -i words.txt -m dr --annotations {name} --lang en"
        assert "1.0000" in albeit(f"score {command}").text
    twice = "words.txt -i words.txt b=words.txt --batch-timeout 99 --workers 2 --lang en"
    assert "1.0000" in albeit(f"score {twice} -m dr --annotations chain.rs3").text


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("parse deeper.ptb", "deeper.ptb: a tree is nested too deeply."),
        ("parse nested.jsonl", "nested.jsonl: a tree is nested too deeply."),
        ("score nested.jsonl -m chrf", "nested.jsonl:1: is not a line of a test set"),
        ("resegment nested.jsonl", "no translations to resegment"),
        ("report --results run/run.json", "run/run.json: is not JSON"),
        ("score words.txt -i words.txt -m chrf --out run", "run/run.json: is not JSON"),
        ("metaeval words.txt -i words.txt -m chrf --judgments wide.csv", "wide.csv:2: is not CSV"),
        (
            "lexicon induce --bitext words.txt words.txt --dimlex foo.xml --lang fr",
            "foo.xml: not well-formed XML: unknown encoding: foo-8.",
        ),
        (f"score {LONG} -i words.txt -m chrf", "x…: the file name is too long."),
        (f"parse {LONG}.rs3", "x…: the file name is too long."),
        ("score words.txt -i words.txt -m chrf --decimals 999999999", "must be at most 20"),
    ],
)
def test_what_is_too_large_is_one_error(
    albeit: Run, files: Path, command: str, message: str
) -> None:
    write_files(HUGE)
    *_, refused = albeit(command).refused.splitlines()
    assert message in refused
    assert len(refused) < 500
