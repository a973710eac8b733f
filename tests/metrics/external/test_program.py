"""Programs and functions as metrics: right scores, one start, clear errors, nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import albeit
from albeit import AlbeitError, EvalSet, metric
from albeit.errors import InputError, MetricError
from albeit.evaluation import open_store
from albeit.store.files import clear, describe

SOURCE = ("eins", "zwei drei", "vier", "")
REFERENCES = {"a": ("one", "two three", "four", ""), "b": ("1", "2 3", "4", "")}
SYSTEMS = {"x": ("one", "two", "four five", "six"), "y": ("one", "three", "fou", "")}
SET = EvalSet(REFERENCES, SYSTEMS, SOURCE, source_lang="de")

LENGTHS = """
import os, sys
with open(os.environ["SEEN"], "a") as seen:
    seen.write("started\\n")
    for line in sys.stdin:
        seen.write(line)
        print(len(line.rstrip("\\n").split("\\t")[-1]))
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    monkeypatch.chdir(tmp_path)


def program(code: str, more: str = "") -> str:
    """A metric whose program is this Python code."""
    Path("score.py").write_text(code)
    return f'program(command="{sys.executable} score.py"{more})'


def seen() -> list[str]:
    return Path("seen").read_text().splitlines()


def test_it_starts_once_and_reads_each_distinct_line_once() -> None:
    (column,) = albeit.score(SET, [program(LENGTHS)]).columns.values()
    assert column.at("segment").tolist() == [[3, 3, 9, 3], [3, 5, 3, 0]]
    assert column.system.tolist() == [4.5, 2.75]
    assert seen()[:2] == ["started", "one\t1\tone"]
    assert len(seen()) == 1 + 7  # the first segment is the same in both systems
    (shared,) = albeit.score(SET, [program(LENGTHS)], workers=2).columns.values()
    assert (shared.system == column.system).all()


@pytest.mark.parametrize(
    "texts", ["source+translation", "translation", "source+reference+translation"]
)
def test_whichever_texts_it_reads_it_starts_once_for_all_systems(texts: str) -> None:
    name = program(LENGTHS, f",texts={texts},better=lower")
    turned = "+".join(reversed(texts.split("+")))
    assert metric(name) == metric(program(LENGTHS, f",texts={turned},better=lower"))
    albeit.score(SET, ["chrf", name])
    assert seen().count("started") == 1
    columns = {"source+translation": 1, "translation": 0, "source+reference+translation": 3}
    assert all(line.count("\t") == columns[texts] for line in seen()[1:])
    alone = EvalSet({}, SYSTEMS)
    if texts == "translation":
        albeit.score(alone, [name])
    else:
        with pytest.raises(MetricError, match=r"needs (the source|at least one reference)"):
            albeit.score(alone, [name])


def test_its_name_is_read_back_and_its_signature_tells_its_version() -> None:
    made = metric(program(LENGTHS, ',version="2.0 beta"'))
    assert metric(str(made)) == made
    assert 'version:"2.0 beta"' in str(made.signature())
    before = made.signature()
    program(LENGTHS + "# changed\n")
    assert made.signature() != before


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "import sys\nfor i, line in enumerate(sys.stdin): print('nan' if i == 2 else i)",
            r"line 3 of the program's output is 'nan', which is not a number; it is for line 3 of"
            r" its input \(system 'x', segment 3\)\. The 2 scores that came before are kept",
        ),
        ("print('loading model')", "line 1 of the program's output is 'loading model'"),
        (
            "import sys\nfor line in sys.stdin.read().split('\\n')[:5]: print(1)",
            r"printed 5 scores for 7 lines; the first without one is line 6 of its input"
            r" \(system 'y', segment 3\), unless it skipped an earlier line",
        ),
        ("import sys\nfor line in [*sys.stdin, 2]: print(1)", "more than 7 lines for 7 .* is '1'"),
        (
            "import sys\nprint(1, flush=True)\nsys.exit('out of memory')",
            r"ended with status 1 after 1 of 7 scores. It had not answered line 2 of its input"
            r" \(system 'x', segment 2\). It said: out of memory The 1 scores",
        ),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "ended with status -9 after 0"),
        ("import sys\nfor line in sys.stdin: print(1)\nsys.exit(3)", "status 3 after 7 of 7"),
    ],
)
def test_a_broken_program_is_a_clear_error(code: str, message: str) -> None:
    with pytest.raises(MetricError, match=message):
        albeit.score(SET, [program(code)])


FRAGILE = """
import os, pathlib, sys
with open(os.environ["SEEN"], "a") as seen:
    for i, line in enumerate(sys.stdin):
        if i == 5 and not pathlib.Path("mended").exists():
            sys.exit("broken")
        seen.write(line)
        print(i / 8, flush=True)
"""


def test_what_a_broken_program_has_done_is_not_done_again() -> None:
    name = program(FRAGILE)
    with pytest.raises(MetricError, match="after 5 of 7"):
        albeit.score(SET, [name])
    Path("mended").touch()
    (column,) = albeit.score(SET, [name]).columns.values()
    assert len(seen()) == 7
    assert len(set(seen())) == 7
    assert column.at("segment")[0].tolist() == [0, 1 / 8, 2 / 8, 3 / 8]
    albeit.score(SET, [name])
    assert len(seen()) == 7
    assert describe()["others"] == 1
    assert clear() > 0
    assert describe()["others"] == 0


def test_scores_whose_count_is_wrong_are_not_kept() -> None:
    name = program("import sys\nfor line in sys.stdin.read().split('\\n')[:5]: print(1)")
    for _ in range(2):
        with pytest.raises(MetricError, match="printed 5 scores for 7 lines"):
            albeit.score(SET, [name])


def test_a_damaged_file_of_kept_scores_is_made_anew() -> None:
    name = program(LENGTHS)
    first = albeit.score(SET, [name])
    (path,) = Path(describe()["folder"]).glob("others/*.sqlite")
    path.write_bytes(b"no database at all" * 100)
    with pytest.warns(albeit.errors.AlbeitWarning, match="computed again"):
        second = albeit.score(SET, [name])
    assert (first[name].system == second[name].system).all()


def test_a_text_that_would_break_its_lines_is_refused() -> None:
    broken = EvalSet(REFERENCES, {"x": ("one", "two\tthree", "four", "")}, SOURCE)
    with pytest.raises(InputError, match="system 'x', segment 2, contains a tab"):
        albeit.score(broken, [program(LENGTHS)])


def test_without_a_cache_it_works_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALBEIT_CACHE", "off")
    with pytest.raises(MetricError) as caught:
        albeit.score(SET, [program(FRAGILE)])
    assert "kept" not in str(caught.value)
    assert albeit.score(SET, [program(LENGTHS)], store=open_store())


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ('program(command="no-such-program -x")', "there is no program 'no-such-program'"),
        ('program(command="echo \'a")', "cannot be read"),
        ('program(command="")', "the command is one line"),
        ("program(echo,texts=reference)", "texts are those of source"),
        ("program(echo,texts=translation+target)", "texts are those of source"),
    ],
)
def test_what_cannot_be_a_program_is_refused(spec: str, message: str) -> None:
    with pytest.raises(MetricError, match=message):
        albeit.score(SET, [spec])


def test_many_lines_do_not_block_a_program_that_reads_all_first() -> None:
    lines = tuple(f"{i} " + "word " * 20 for i in range(5000))
    whole = EvalSet({"r": lines}, {"s": lines})
    name = program("import sys\nfor line in list(sys.stdin): print(len(line))")
    (column,) = albeit.score(whole, [name]).columns.values()
    assert column.at("segment")[0, 0] == 2 * len(lines[0]) + 2


WITH_CHILD = """
import os, subprocess, sys, time
from pathlib import Path
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
time.sleep(0.5)  # until the guard knows our process group
Path("pids.new").write_text(f"{os.getpid()} {child.pid}")
Path("pids.new").rename("pids")
time.sleep(300)
"""
SCORE = """
import sys, albeit
albeit.score(["a"], [sys.argv[1]], references=["b"])
"""


def is_running(pid: int) -> bool:
    """Whether a process exists and isn't only waiting to be collected by its parent."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def wait_until(is_done: Callable[[], bool]) -> bool:
    for _ in range(600):
        if is_done():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_program_and_its_children_die_with_a_killed_parent(sign: signal.Signals) -> None:
    code = [sys.executable, "-c", SCORE, program(WITH_CHILD)]
    parent = subprocess.Popen(code, stderr=subprocess.DEVNULL)
    try:
        assert wait_until(Path("pids").exists)
        pids = [int(pid) for pid in Path("pids").read_text().split()]
        assert all(map(is_running, pids))
    finally:
        parent.send_signal(sign)
        parent.wait()
    assert wait_until(lambda: not any(map(is_running, pids)))


def test_what_a_program_leaves_running_is_killed() -> None:
    code = WITH_CHILD.replace("time.sleep(300)\n", "for line in sys.stdin: print(1)\n")
    albeit.score(SET, [program(code.replace('300)"])', '300)"], stdout=2)'))])
    pid = int(Path("pids").read_text().split()[1])
    assert wait_until(lambda: not is_running(pid))


PAIR = EvalSet(
    {"a": ("one", "two"), "b": ("1", "2")}, {"x": ("one", "3"), "y": ("un", "2")}, ("eins", "zwei")
)


def shared(translations: list[str], references: list[list[str]]) -> list[float]:
    return [float(line in each) for line, each in zip(translations, references, strict=True)]


def lengths(translations: list[str], sources: list[str]) -> list[float]:
    return [len(t) / len(s) for t, s in zip(translations, sources, strict=True)]


def few(**_: object) -> list[float]:
    return [1.0]


def odd(translations: list[str], **_: object) -> list[float]:
    return [float("nan") if line == "3" else 0.0 for line in translations]


def failing(**_: object) -> list[float]:
    raise RuntimeError("no GPU")


def test_lists_go_in_and_scores_come_out() -> None:
    both = f"function(call={__name__}:lengths,texts=source+translation,better=lower)"
    table = albeit.score(PAIR, [f"function({__name__}:shared)", both])
    first, second = table.columns.values()
    assert first.at("segment").tolist() == [[1, 0], [0, 1]]
    assert second.at("segment").tolist() == [[0.75, 0.25], [0.5, 0.25]]
    assert first.higher_is_better
    assert not second.higher_is_better


def test_a_file_holds_functions_too(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def ones(translations, references):\n    return [1 for _ in translations]\n")
    made = metric(f"function({file}:ones)")
    assert albeit.score(PAIR, [made])[str(made)].system.tolist() == [1, 1]
    assert "file:" in str(made.signature())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (f"{__name__}:few", "gave 1 scores for 2 segments"),
        (f"{__name__}:odd", "gave nan, which is not a number, for '3'"),
        (f"{__name__}:failing", r"raised an error \(RuntimeError: no GPU\)"),
        (f"{__name__}:PAIR", "is a EvalSet, not a function"),
        ("shared", "is named package.module:name"),
        ("no_such_package:f", "No module named 'no_such_package'"),
        ("nothing.py:f", "there is no file 'nothing.py'"),
    ],
)
def test_what_goes_wrong_is_a_clear_error(call: str, message: str) -> None:
    with pytest.raises(AlbeitError, match=message):
        albeit.score(PAIR, [f"function({call})"])


HELPER = "def size(text):\n    return {factor} * len(text)\n"
SIZES = """
import sys
def ones(references, translations):
    from helpers.inner import size
    return [size(each) for each in translations]
if __name__ == "__main__":
    for line in sys.stdin:
        print(*ones([], [line.split("\\t")[-1].rstrip("\\n")]))
"""
TRIED = """
import sys, albeit
from albeit.evaluation import open_store
evalset = albeit.EvalSet({"r": ("a",)}, {"s": ("abc",)})
table = albeit.score(evalset, [sys.argv[1]], store=open_store())
print(*(column.system[0] for column in table.columns.values()))
"""


@pytest.mark.parametrize(
    "name",
    [
        f'program(command="{sys.executable} score.py")',
        f'program(command="{sys.executable} -m score")',
        "function(score.py:ones)",
        "function(score:ones)",
    ],
)
def test_a_changed_module_that_is_imported_gives_new_scores(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", f".{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    Path("helpers").mkdir()
    Path("score.py").write_text(SIZES)
    Path("helpers/inner.py").write_text("from .deep import size\n")
    for factor in (1, 2, 2):
        Path("helpers/deep.py").write_text(HELPER.format(factor=factor))
        words = [sys.executable, "-c", TRIED, name]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        assert float(done.stdout) == 3.0 * factor
