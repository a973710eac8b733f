"""``albeit check``: what it prints, where it points, how it ends."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Run

EXAMPLES = Path(__file__).parents[2] / "examples"
SOURCE = "Geboren wurde er im Jahr 1968 in Bonn.\nEr hat zwei Hunde.\nEs regnet heute in Bonn.\n"
RIGHT = "He was born in 1968 in Bonn.\nHe has two dogs.\nIt rains in Bonn today.\n"
WRONG = "He was born in 1986 in Bonn.\nHe has two dogs.\nEs regnet heute in Bonn.\n"


@pytest.fixture
def texts(files: Path) -> Path:
    """A source, a translation, and one with a wrong number and a line left as it was."""
    for name, text in (("src", SOURCE), ("right", RIGHT), ("wrong", WRONG)):
        (files / f"{name}.txt").write_text(text)
    return files


GIVEN = ("--source", "src.txt", "--source-lang", "de")


@pytest.mark.usefixtures("texts")
def test_prints_as_a_linter_does(albeit: Run) -> None:
    done = albeit("check", "right.txt", "wrong.txt", *GIVEN, "-q")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        "wrong.txt:1:16: numbers '1986' is not in the source, which has '1968'",
        "wrong.txt:3:1: untranslated the line is its source",
    ]


@pytest.mark.usefixtures("texts")
def test_status_by_kinds(albeit: Run) -> None:
    given = ("check", "wrong.txt", *GIVEN)
    assert albeit(*given, "--fail-on", "any").status == 1
    assert albeit(*given, "--fail-on", "numbers").status == 1
    assert albeit("check", "right.txt", *GIVEN, "--fail-on", "any").status == 0
    assert "albeit: found in 3 lines: 1 untranslated, 1 numbers" in albeit(*given).err


@pytest.mark.usefixtures("texts")
def test_kinds_and_probability_choose(albeit: Run) -> None:
    given = ("check", "wrong.txt", *GIVEN, "-q")
    assert "numbers" not in albeit(*given, "--kinds", "untranslated").out
    assert "numbers" not in albeit(*given, "--least", ".92").out


@pytest.mark.usefixtures("texts")
def test_json_is_one_record_per_finding(albeit: Run) -> None:
    done = albeit("check", "wrong.txt", *GIVEN, "-f", "json", "-q")
    first, second = map(json.loads, done.out.splitlines())
    assert (first["file"], first["line"], first["column"]) == ("wrong.txt", 1, 16)
    assert (first["suggestion"], second["kind"]) == ("1968", "untranslated")


@pytest.mark.usefixtures("texts")
def test_sarif_names_rules_and_places(albeit: Run) -> None:
    done = albeit("check", "wrong.txt", *GIVEN, "-f", "sarif", "-q")
    (run,) = json.loads(done.out)["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["numbers", "untranslated"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "wrong.txt"
    assert place["region"] == {"startLine": 1, "startColumn": 16, "endColumn": 20}


def test_lines_are_those_of_the_file_between_empty_ones(albeit: Run, texts: Path) -> None:
    for name, text in (("src", SOURCE), ("wrong", WRONG)):
        (texts / f"{name}.txt").write_text(text.replace("\n", "\n\n"))
    done = albeit("check", "wrong.txt", *GIVEN, "--docs", "blank-lines", "-q")
    assert re.findall(r"^wrong\.txt:(\d+:\d+): ", done.out, re.MULTILINE) == ["1:16", "5:1"]


def test_standard_input(albeit: Run, texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (texts / "wrong.txt").open() as read:
        monkeypatch.setattr("sys.stdin", read)
        done = albeit("check", "-", *GIVEN, "-q")
    assert re.findall(r":(\d+:\d+): ", done.out) == ["1:16", "3:1"]


def test_a_test_set_holds_its_source(albeit: Run, texts: Path) -> None:
    rows = zip(SOURCE.splitlines(), RIGHT.splitlines(), WRONG.splitlines(), strict=True)
    lines = [json.dumps({"source": s, "systems": {"a": r, "b": w}}) for s, r, w in rows]
    (texts / "set.jsonl").write_text("\n".join(lines) + "\n")
    done = albeit("check", "set.jsonl", "--source-lang", "de", "-q")
    assert done.out.startswith("b:1:16: numbers")
    assert albeit("check", "set.jsonl", "--systems", "a", "-q").out == ""


def test_lists_its_kinds(albeit: Run) -> None:
    done = albeit("check", "--list")
    assert done.status == 0
    assert re.search(r"^numbers +on +precision 0\.\d\d ", done.out, re.MULTILINE)
    assert re.search(r"^untranslated +on +precision 0\.\d\d ", done.out, re.MULTILINE)


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "no text given. Try: albeit check"),
        (("wrong.txt",), "no source given"),
        (("wrong.txt", *GIVEN, "--kinds", "style"), "there is no kind 'style'; there are"),
        (("wrong.txt", *GIVEN, "--kinds", "names"), "--kinds names was removed in version 0.3"),
        (
            ("wrong.txt", *GIVEN, "--kinds", "untranslated", "--fail-on", "numbers"),
            "not among the kinds",
        ),
        (("wrong.txt", *GIVEN, "--least", "2"), "from 0 to 1, not 2.0"),
        (("wrong.txt", "--source", "ref.txt"), "Every text needs one line per segment"),
        (("wrong.txt", *GIVEN, "--systems", "a"), "--systems chooses from a test set"),
    ],
)
def test_mistakes_are_one_message(albeit: Run, arguments: tuple[str, ...], says: str) -> None:
    done = albeit("check", *arguments)
    assert done.status == 2
    assert says in done.err


def test_the_workflow_to_copy_runs(albeit: Run, texts: Path) -> None:
    """The command of ``examples/ci/translation-check.yml``, word by word."""
    workflow = (EXAMPLES / "ci" / "translation-check.yml").read_text(encoding="utf-8")
    (command,) = re.findall(r"- run: (albeit check .+)", workflow)
    words = shlex.split(command.split(" > ")[0])
    (texts / "locales").mkdir()
    (texts / "locales" / "de.txt").write_text(SOURCE)
    (texts / "locales" / "en.txt").write_text(RIGHT)
    assert albeit(*words[1:]).status == 0
    (texts / "locales" / "en.txt").write_text(WRONG)
    assert albeit(*words[1:]).status == 1
