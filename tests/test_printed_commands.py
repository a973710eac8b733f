"""Every command that README and the pages print runs, on small files named as in the text.

A page's commands run in order in a folder of its own, which holds the demonstration set under all
names that the pages use. What cannot run here (another machine, a download, a server) is only
parsed: see ``ELSEWHERE``.
"""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from albeit.cli import command_parser, main
from tests.conftest import ROOT

DEMO = ROOT / "examples/demo"
PAGES = ["README.md", *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("docs/**/*.md"))]
COMMAND = re.compile(r"^(?:    |)(?:\$ )?(albeit (?:[a-z]+ ).*)$")
BLOCK = re.compile(r"(?:^    .*\n)+", re.MULTILINE)
ELSEWHERE = re.compile(
    r"s3://|dask://|-m comet|'comet|-t mtme:|^albeit serve|^albeit cache clear|/shared/|bitext/"
    r"|mt-metrics-eval-v2/|wmt23-m|discoursemarkers-|wmt26|\.zst|--annotations|act merge"
)
"""What needs a store, a cluster, a checkpoint, a download, a server, a corpus or a lexicon of others,
or files that tests of their own make (``--annotations``, ``act merge``, ``.zst``), and what would
empty the cache that these tests share."""


def commands(page: str) -> list[str]:
    """The commands in a page's indented blocks, without those that are cut short with '…'."""
    text = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", " ")
    found = []
    for block in BLOCK.findall(text):
        for line in block.splitlines():
            match = COMMAND.match(line)
            if match and "…" not in match[1].partition(" #")[0]:
                found.append(match[1])
    return found


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def folder(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demonstration set, under all the names that the pages use."""
    monkeypatch.setenv("ALBEIT_CACHE", str(cache))
    monkeypatch.chdir(tmp_path)
    shutil.copytree(DEMO / "systems", "systems")
    ids = (DEMO / "docids.txt").read_text().replace("watches", "news-17")
    for name in ("docids.txt", "ids.txt"):
        Path(name).write_text(ids)
    _copy("ref.A.txt", "ref.A.txt ref.txt refA.txt ref.de ref.fr.txt ref.es ref.en text.txt")
    _copy("ref.A.txt", "src.en src.en.txt")
    _copy("ref.B.txt", "ref.B.txt refB.txt")
    _copy("src.txt", "src.txt src.de src.es")
    _copy(
        "systems/careful.txt", "a.txt baseline.txt old.txt base.txt system.txt a.de a.fr.txt a.es"
    )
    _copy("systems/blunt.txt", "b.txt new.txt bad.txt b.de")
    _copy("systems/scattered.txt", "c.txt newer.txt")
    lines = Path("a.txt").read_text(encoding="utf-8").splitlines()
    Path("document.txt").write_text(" ".join(lines) + "\n", encoding="utf-8")
    Path("setup.toml").write_text('references = ["ref.txt"]\ninput = ["a.txt", "b.txt"]\n')
    Path("ours.tsv").write_text("Brücke\tbridge\n", encoding="utf-8")
    for name in ("my.tsv", "my-lexicon.tsv"):
        shutil.copy(next((ROOT / "src/albeit/lexicons").rglob("en-fr.tsv")), name)
    nbest = "".join(f"{n} ||| {line} ||| lm= -9.1 ||| -1.2\n" for n, line in enumerate(lines))
    Path("nbest.moses").write_text(nbest, encoding="utf-8")
    Path("system").mkdir()
    for name in dict.fromkeys(ids.split()):
        own = [line for line, each in zip(lines, ids.split(), strict=True) if each == name]
        Path(f"system/{name}.txt").write_text(" ".join(own) + "\n", encoding="utf-8")
    _candidates()
    _judged()
    return tmp_path


def _copy(name: str, names: str) -> None:
    for each in names.split():
        shutil.copy(DEMO / name, each)


def _candidates() -> None:
    """What a system offers for each segment."""
    ids = Path("docids.txt").read_text().split()
    texts = [Path(f"{name}.txt").read_text(encoding="utf-8").splitlines() for name in "abc"]
    reference = Path("ref.txt").read_text(encoding="utf-8").splitlines()
    rows = [
        {
            "candidates": [
                {"text": text[n], "features": {"length": len(text[n])}} for text in texts
            ],
            "references": [reference[n]],
            "doc_id": ids[n],
        }
        for n in range(len(ids))
    ]
    for name in ("candidates.jsonl", "dev.jsonl", "test.jsonl"):
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for name in ("en.txt.gz", "es.txt.gz"):
        with gzip.open(name, "wt", encoding="utf-8") as file:
            file.write("\n".join(reference) + "\n")


def _judged() -> None:
    """Sets with judgments, scores of another tool, and a set in XML."""
    segments = range(1, 25)  # twelve documents and more, as folds need
    systems = ("blunt", "careful", "scattered", "shuffled")
    pairs = "".join(f"{n}\tcareful\tblunt\n{n}\tblunt\tshuffled\n" for n in segments)
    for name in ("FOLDER", *(f"wmt12/{lang}-en" for lang in ("cs", "de", "es", "fr"))):
        shutil.copytree(DEMO, name)
        Path(name, "docids.txt").write_text("".join(f"d{n // 2}\n" for n in segments))
        Path(name, "pairwise.tsv").write_text("segment\tbetter\tworse\n" + pairs)
    Path("pairs.tsv").write_text(
        "segment\tbetter\tworse\n" + "".join(f"{n}\ta\tb\n" for n in segments)
    )
    for name, scored in (("COMET.seg.score", (*systems, *"abc")), ("en-de.mqm.seg.score", systems)):
        rows = (f"{system}\t{len(system) + n % 5}\n" for system in scored for n in segments)
        Path(name).write_text("".join(rows))
    for name in ("newstest.xml", "set.xml"):
        assert main(["convert", str(DEMO), "-o", name, "-q"]) == 0


def _made_before(page: str) -> None:
    """What a page takes as made: a run, a model, the scripts that it shows."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for name, code in re.findall(r"```python\n# (\w+\.py)\b.*\n((?s:.*?))```", text):
        Path(name).write_text(code, encoding="utf-8")
    if "--results RUN/" in text and "--out RUN/ -" not in text:
        texts = ["ref.txt", "-i", "a.txt", "b.txt", "--docs", "docids.txt"]
        assert main(["score", *texts, "-m", "chrf", "--out", "RUN/", "-q"]) == 0
    if "model.json" in text and "-o model.json" not in text:
        assert main(["tune", "FOLDER", "-m", "bleu", "chrf", "-o", "model.json", "-q"]) == 0


def _words(command: str) -> tuple[list[str], str | None]:
    """A command's arguments as a shell would give them, and where its output goes."""
    words = shlex.split(command, comments=True)[1:]
    into = words[words.index(">") + 1] if ">" in words else None
    words = words[: words.index(">")] if into else words
    made: list[str] = []
    for word in words:
        braces = re.fullmatch(r"(.*)\{(.*,.*)\}(.*)", word)
        each = [f"{braces[1]}{m}{braces[3]}" for m in braces[2].split(",")] if braces else [word]
        made += [found for one in each for found in (_matching(one) or [one])]
    return made, into


def _matching(pattern: str) -> list[str]:
    """The files that a pattern of the working folder names."""
    found = Path().glob(pattern) if "*" in pattern and "(" not in pattern else ()
    return sorted(map(str, found))


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)])
def test_printed_commands_run(page: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = []
    _made_before(page)
    capsys.readouterr()
    for command in commands(page):
        words, into = _words(command)
        if ELSEWHERE.search(command):
            command_parser(words[0])[1].parse_args(words[1:])
            continue
        status = main(words)
        said = capsys.readouterr()
        if into and "~" not in into:
            Path(into).write_text(said.out, encoding="utf-8")
        if status not in (0, 3):  # 3: a condition that the command was asked to test
            wrong.append(f"{command}\n  {status}: {said.err.strip()[-300:]}")
    assert not wrong, "\n".join(wrong)


def test_the_table_in_readme_is_what_its_command_prints(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    printed = text[text.index("    System ") : text.index("\n\n`careful` is good")]
    assert main([*_words(commands("README.md")[0])[0], "-q"]) == 0
    made = capsys.readouterr().out.splitlines()
    for written, line in zip(printed.splitlines(), made, strict=False):
        for left, right in zip(written.split(), line.split(), strict=True):
            if re.fullmatch(r"[\d.]+", left):
                assert float(left) == pytest.approx(float(right), abs=0.02)
            else:
                assert left == right


def test_readme_is_short() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if not line.startswith("![")]) <= 60
