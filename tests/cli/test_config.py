from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.conftest import ROOT


def test_a_file_sets_options_and_the_command_line_wins(files: Path, albeit: Run) -> None:
    (files / "run.toml").write_text(
        'references = ["ref.txt"]\n'
        'input = ["good.txt", "bad.txt"]\n'
        'metrics = ["exact", "wrong"]\n'
        'format = "tsv"\n'
        "quiet = true\n"
        "[score]\n"
        'docs = "docs.txt"\n'
        "[compare]\n"
        'test = "bootstrap"\n'
        "resamples = 9\n"
    )
    plain = albeit("score", "--config", "run.toml")
    assert plain.out == "system\texact\twrong\ngood\t0.75\t0.25\nbad\t0.25\t0.75\n"
    won = albeit("score", "--config=run.toml", "ref2.txt", "-m", "exact", "-i", "good.txt")
    assert won.out == "system\texact\ngood\t0.0\n"
    other = albeit("compare", "--config", "run.toml", "-f", "json")
    assert '"resamples": 9' in other.out


def test_a_file_gives_what_a_command_must_have(files: Path, albeit: Run) -> None:
    (files / "run.toml").write_text(
        'references = ["ref.txt"]\ninput = ["good.txt", "bad.txt"]\nquiet = true\n'
        '[resegment]\noutput = "set.tsv"\n'
    )
    assert albeit("resegment", "--config", "run.toml").status == 0
    assert (files / "set.tsv").is_file()
    (files / "rerank.toml").write_text('candidates = ["good.txt", "bad.txt"]\nmetrics = "chrf"\n')
    assert len(albeit("rerank", "--config", "rerank.toml").out.splitlines()) == 4


def test_underscores_and_single_values_are_fine(files: Path, albeit: Run) -> None:
    (files / "run.toml").write_text(
        'metrics = "exact"\nconfidence_level = 0.9\nconfidence = true\n'
    )
    done = albeit("score", "ref.txt", "-i", "good.txt", "--config", "run.toml")
    assert "90 % confidence" in done.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('quiet = true\nmetric = "bleu"\n', "run.toml:2: albeit score has no option 'metric'."),
        ("seed = 1\ndecimals = 'many'\n", "run.toml:2: argument --decimals: invalid whole number"),
        ('format = "pdf"\n', "run.toml:1: argument -f/--format: invalid choice"),
        (f"seed = {'9' * 5000}\n", "run.toml: is not TOML: Exceeds the limit"),
        ("quiet = 3\n", "run.toml:1: quiet takes true or false."),
        ("metrics = true\n", "run.toml:1: metrics takes a list"),
        ('lang = ["en", "de"]\n', "run.toml:1: lang takes one string"),
        ("a = 1\nb = = 2\n", "run.toml:2: is not TOML"),
        ("\n[scores]\nseed = 1\n", "run.toml:2: there is no command 'scores'."),
        ('config = "other.toml"\n', "run.toml:1: albeit score has no option 'config'."),
    ],
)
def test_mistakes_name_file_and_line(files: Path, albeit: Run, text: str, message: str) -> None:
    (files / "run.toml").write_text(text)
    done = albeit("score", "ref.txt", "-i", "good.txt", "-m", "exact", "--config", "run.toml")
    assert done.status == 2
    assert f"albeit: error: {message}" in done.err


def test_actions_take_a_file_too(files: Path, albeit: Run) -> None:
    (files / "run.toml").write_text('format = "pdf"\n')
    done = albeit("act", "score", "ref.txt", "-i", "good.txt", "--config", "run.toml")
    assert done.status == 2
    assert "run.toml:1: argument -f/--format: invalid choice" in done.err


@pytest.mark.usefixtures("files")
def test_a_missing_file_is_reported(albeit: Run) -> None:
    done = albeit("score", "--config", "none.toml")
    assert done.err == "albeit: error: none.toml: cannot be read: No such file or directory.\n"


def test_the_example_of_the_documentation_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, albeit: Run
) -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    (tmp_path / "setup.toml").write_text(page.split("```toml\n")[1].split("```")[0])
    monkeypatch.chdir(ROOT / "examples" / "demo")
    config = f"--config={tmp_path / 'setup.toml'}"
    scored = albeit("score", config)
    assert (scored.status, scored.err) == (0, "")
    assert "chrf(word_order=2) ↑" in scored.out
    compared = albeit("compare", config, "--seed", "7")
    assert "paired bootstrap, 1,000 resamples over documents, seed 7" in compared.out
