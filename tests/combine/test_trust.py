"""Saved models from someone else: features that run programs or code need trust."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import albeit
from albeit.cli import COMMANDS as ALL_COMMANDS
from albeit.cli import command_parser
from albeit.combine import Model
from albeit.combine.tune import Fitted
from albeit.errors import InputError
from albeit.metrics.base import Composite
from tests.cli.conftest import Run, files, own_cache
from tests.cli.conftest import albeit as command

__all__ = ["command", "files", "own_cache"]

MARK = "import sys\nopen('mark', 'w')\nfor line in sys.stdin: print(1)\n"
PROGRAM = 'program(command="python3 touch.py",texts=translation)'


def save(path: str, *metrics: str) -> str:
    """A model of these metrics with equal weights."""
    count = len(metrics)
    fitted = Fitted(metrics, np.zeros(count), np.ones(count), np.ones(count), 1.0)
    Model("m", fitted, (True,) * count, ("x",) * count).save(path)
    return path


@pytest.fixture(autouse=True)
def folder(files: Path) -> None:
    Path("touch.py").write_text(MARK)
    Path("code.py").write_text("open('mark', 'w')\ndef score(**texts): return [1.0] * 4\n")


UNSAFE = (PROGRAM, "function(code.py:score)", f"hybrid({PROGRAM})", "terms(glossary=ref.txt)")


@pytest.mark.parametrize("feature", UNSAFE)
def test_unsafe_features_are_refused_before_anything_runs(feature: str) -> None:
    model = save("m.json", "chrf", feature)
    message = rf"m\.json: has the feature .*{feature.split('(')[0]}.*--trust"
    with pytest.raises(InputError, match=message):
        albeit.score(["a"], [model], references=["b"])
    assert not Path("mark").exists()


def test_a_model_inside_a_model_is_refused_and_inside_a_hybrid_is_checked() -> None:
    inner = save("inner.json", PROGRAM)
    for spec in (save("outer.json", inner), f"hybrid({inner})"):
        with pytest.raises(InputError, match="--trust"):
            albeit.score(["a"], [spec], references=["b"], documents=["d"])
        trusted = albeit.metric(spec, trust=True)
        assert albeit.score(["a"], [trusted], references=["b"], documents=["d"])
    assert Path("mark").exists()


def test_safe_features_need_no_trust_and_trust_changes_no_score() -> None:
    model = save("m.json", "chrf", "ter(case_sensitive=yes)")
    plain, trusted = albeit.metric(model), albeit.metric(model, trust=True)
    assert plain == trusted
    assert plain.signature() == trusted.signature()
    assert str(trusted) == model
    assert albeit.score(["a"], [plain], references=["b"]).columns.keys() == {model}


def test_trust_reaches_worker_processes() -> None:
    made = albeit.metric(save("m.json", PROGRAM), trust=True)
    assert isinstance(made, Composite)
    again = pickle.loads(pickle.dumps(made))
    assert again.parts == made.parts
    lines = [f"line {n}" for n in range(40)]
    table = albeit.score(lines, [made], references=lines, documents=lines, workers=2)
    assert table[str(made)].system.tolist() == [1.0]


TEXTS = ("ref.txt", "-i", "good.txt", "bad.txt")
COMMANDS = {
    "score": ("score", *TEXTS),
    "compare": ("compare", *TEXTS),
    "report": ("report", *TEXTS, "--profile", "none", "-o", "r.html"),
    "rerank": ("rerank", "good.txt", "bad.txt", "ref.txt"),
    "batches": ("score", *TEXTS, "--out", "RUN", "--segment-scores", "s.tsv"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_need_the_option(command: Run, name: str) -> None:
    given = (*COMMANDS[name], "-m", save("m.json", "chrf", PROGRAM))
    done = command(*given)
    assert done.status == 2
    assert "m.json: has the feature program(" in done.err
    assert not Path("mark").exists()
    assert command(*given, "--trust").status == 0
    assert Path("mark").exists()


def test_every_command_that_takes_metrics_has_the_option() -> None:
    known = {name: {a.dest for a in command_parser(name)._actions} for name in ALL_COMMANDS}
    takes, trusts = ({n for n in known if key in known[n]} for key in ("metrics", "trust"))
    assert takes == trusts
    assert takes == {"score", "compare", "explain", "report", "metaeval", "tune", "rerank"}


def test_a_run_with_unsafe_metrics_needs_the_option_where_texts_are_given(command: Run) -> None:
    Path("code.py").write_text("def score(**texts): return [1.0] * 4\n")
    metric = "function(code.py:score)"
    assert command("score", *TEXTS, "-m", metric, "--out", "RUN").status == 0
    Path("code.py").write_text("open('mark', 'w')\ndef score(**texts): return [1.0] * 4\n")
    alone = ("report", "--results", "RUN", "-o", "r.html")
    assert command(*alone).status == 0
    given = (*alone, *TEXTS, "--profile", "none")
    done = command(*given)
    assert done.status == 2
    assert "manifest.json: has the metric function(" in done.err
    assert "--trust" in done.err
    assert command(*given, "--trust").status == 0


def test_a_run_with_a_model_of_safe_features_needs_no_option(command: Run) -> None:
    assert command("score", *TEXTS, "-m", save("m.json", "chrf"), "--out", "RUN").status == 0
    given = ("report", "--results", "RUN", *TEXTS, "--profile", "none", "-o", "r.html")
    assert command(*given).status == 0
