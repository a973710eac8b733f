"""Nothing that was asked for is dropped, and nothing that is there is lost, without a word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from albeit.data import build_evalset, write
from tests.cli.conftest import TEXTS, Run

SCORE = ("score", "ref.txt", "-i", "good.txt", "bad.txt", "-m", "exact")


@pytest.mark.usefixtures("files")
def test_options_given_twice_add_up(albeit: Run) -> None:
    once = albeit("score", "ref.txt", "-i", "good.txt", "bad.txt", "-m", "exact", "wrong")
    twice = albeit(
        "score", "ref.txt", "-i", "good.txt", "-m", "exact", "-i", "bad.txt", "-m", "wrong"
    )
    assert once.status == 0
    assert twice.out == once.out
    done = albeit("compare", "ref.txt", "-i", "good.txt", "-i", "bad.txt", "-m", "exact")
    assert "bad" in done.out


@pytest.mark.usefixtures("files")
def test_every_list_adds_up(albeit: Run) -> None:
    done = albeit("chains", "ref.txt", "--docs", "docs.txt", "-d", "one", "-d", "two", "-f", "json")
    assert done.status == 0, done.err
    assert len(json.loads(done.out)) == 2
    parse = ("parse", "ref.txt", "-f", "json")
    both = albeit(*parse, "--layer", "tokens", "-l", "sentences")
    assert both.out == albeit(*parse, "--layer", "tokens", "sentences").out
    shown = albeit(
        "explain", "ref.txt", "-i", "good.txt", "-m", "bleu", "-n", "1", "-n", "2", "-f", "json"
    )
    assert [view["place"] for view in json.loads(shown.out)] == [1, 2]


def test_a_file_adds_nothing_to_the_command_line(albeit: Run, files: Path) -> None:
    (files / "c.toml").write_text('metrics = ["bleu", "chrf"]\nseed = 3\n')
    done = albeit(*SCORE, "-m", "wrong", "--config", "c.toml", "--seed", "4", "-f", "tsv")
    assert done.out.splitlines()[0] == "system\texact\twrong"


@pytest.mark.usefixtures("files")
def test_one_value_cannot_be_two(albeit: Run) -> None:
    done = albeit(*SCORE, "--lang", "en", "--lang", "de")
    assert done.status == 2
    assert "--lang: is given twice: 'en' and 'de'" in done.err
    assert albeit(*SCORE, "--lang", "en", "--lang", "en").status == 0
    done = albeit("chains", "ref.txt", "-m", "cohesion", "-m", "cohesion(words=word)")
    assert done.status == 2


@pytest.mark.parametrize("name", ["good.txt", "./bad.txt", "ref.txt", "docs.txt", "link.txt"])
def test_no_output_overwrites_an_input(albeit: Run, files: Path, name: str) -> None:
    (files / "link.txt").symlink_to(files / "good.txt")
    given = (*SCORE, "--docs", "docs.txt", "--segment-scores", name)
    for more in ((), ("--force",)):
        done = albeit(*given, *more)
        assert done.status == 2
        assert "would overwrite an input" in done.err
    assert {n: (files / n).read_text() for n in TEXTS} == TEXTS


def test_a_file_that_is_not_ours_needs_force(albeit: Run, files: Path) -> None:
    (files / "notes.txt").write_text("mine\n")
    given = (*SCORE, "--segment-scores", "notes.txt")
    done = albeit(*given)
    assert done.status == 2
    assert "notes.txt: exists already" in done.err
    assert "--force" in done.err
    assert (files / "notes.txt").read_text() == "mine\n"
    assert albeit(*given, "--force").status == 0
    written = (files / "notes.txt").read_text()
    assert written.startswith("system\tdocument\tsegment\texact\n")
    assert albeit(*given).status == 0  # what albeit wrote itself, it may write again
    assert albeit(*SCORE, "--document-scores", "notes.txt").status == 0
    done = albeit(*SCORE, "--segment-scores", "x.tsv", "--document-scores", "x.tsv")
    assert "two outputs go to x.tsv" in done.err
    assert albeit(*SCORE, "--segment-scores", "/dev/null").status == 0


def test_mine_stand_beside_the_sets_own_systems(albeit: Run, files: Path) -> None:
    write(build_evalset(["ref.txt"], ["good.txt", "bad.txt"]), files / "set.xml")
    (files / "mine.txt").write_text(TEXTS["ref2.txt"])
    given = ("score", "set.xml", "-i", "mine.txt", "-m", "exact", "-f", "tsv")
    assert albeit(*given).out == "system\texact\nmine\t0.25\ngood\t0.75\nbad\t0.25\n"
    assert albeit(*given, "--systems", "bad", "mine").out.split() == [
        "system",
        "exact",
        "bad",
        "0.25",
        "mine",
        "0.25",
    ]
    done = albeit("score", "set.xml", "-i", "good.txt", "-m", "exact")
    assert done.status == 2
    assert "there is a system 'good' already, from the test set" in done.err
    cut = albeit("score", "set.xml", "-i", "mine.txt", "--resegment", "-m", "exact", "-f", "tsv")
    assert [line.split("\t")[0] for line in cut.out.splitlines()] == [
        "system",
        "mine",
        "good",
        "bad",
    ]


@pytest.mark.usefixtures("files")
def test_all_unusable_metrics_are_reported_in_one_error(albeit: Run) -> None:
    given = (
        "score",
        "ref.txt",
        "-i",
        "good.txt",
        "-m",
        "meteor",
        "chrf",
        "sim",
        "dr-lex",
        "act",
        "--lang",
        "hi",
        "--source",
        "src.txt",
        "--source-lang",
        "en",
        "-q",
    )
    done = albeit(*given)
    assert done.status == 2
    for name in (
        "meteor cannot",
        "sim cannot score translations into 'hi'",
        "dr-lex: no",
        "act: there is",
    ):
        assert name in done.err
    assert "meteor-ex" not in done.err  # a part that nobody asked for
    assert "weights=equal" not in done.err  # which would not help
    assert "act(lexicon=FILE)" in done.err
    assert "albeit metrics --lang hi" in done.err
    done = albeit(*given[:-1], "--skip-unusable", "-f", "tsv")
    assert done.status == 0, done.err
    assert done.out.startswith("system\tchrf\n")
    assert "left out 4 of 5 metrics that cannot score this set: meteor, sim," in done.err


@pytest.mark.usefixtures("files")
def test_skipping_everything_is_still_an_error(albeit: Run) -> None:
    done = albeit(
        "score", "ref.txt", "-i", "good.txt", "-m", "meteor", "--lang", "zh", "--skip-unusable"
    )
    assert done.status == 2
    assert "meteor cannot score" in done.err


def test_metrics_of_a_language(albeit: Run) -> None:
    done = albeit("metrics", "--lang", "zh", "-f", "json")
    found = json.loads(done.out)
    names = [row["metric"] for row in found["rows"]]
    assert {"bleu", "chrf", "ter", "nist", "rouge-l", "cohesion"} <= set(names)
    assert not {"meteor", "dr", "sim", "act"} & set(names)
    assert any("Not for 'zh': terp-a, meteor" in note for note in found["notes"])
    assert albeit("metrics", "--lang", "jp").status == 2


def test_the_wrong_language_is_a_warning(albeit: Run, files: Path) -> None:
    line = "Das Haus ist alt, aber es wurde von den Leuten, die darin wohnen, gut erhalten.\n"
    for name in ("r.txt", "s.txt"):
        (files / name).write_text(line * 6)
    done = albeit("score", "r.txt", "-i", "s.txt", "-m", "chrf")
    assert done.status == 0
    assert "reference 'r' does not look like 'en': it looks like 'de'" in done.err
    assert albeit("score", "r.txt", "-i", "s.txt", "-m", "chrf", "--lang", "de").err == ""


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_few_units_cannot_show_much(albeit: Run, test: str) -> None:
    done = albeit(
        "compare",
        "ref.txt",
        "-i",
        "ref2.txt",
        "bad.txt",
        "-m",
        "chrf",
        "--test",
        test,
        "-f",
        "json",
    )
    assert "4 segments are few to resample" in done.err
    assert json.loads(done.out)["rows"][1]["chrf.p"] >= 0.12
