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
