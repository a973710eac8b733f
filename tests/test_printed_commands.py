"""Every command that README and the pages print, in blocks and in tables, runs on small files.

A page's commands run in order in a folder of its own, which holds the demonstration set under all
names that the pages use. What cannot run here (a checkpoint of COMET's, a store in the cloud) is
only parsed: see ``ELSEWHERE``.
"""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
import socket
from dataclasses import replace
from pathlib import Path

import pytest
import sacrebleu.utils

from albeit import read, write
from albeit.cli import command_parser, main
from albeit.data.scores import ScoreFile, write_scores
from albeit.metrics.judge.metric import Judge
from tests.conftest import ROOT

DEMO = ROOT / "examples/demo"
PAGES = ["README.md", *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("docs/**/*.md"))]
COMMAND = re.compile(r"^    (?:\$ )?(albeit [a-z]+(?: .*)?)$")
SMALL = ROOT / "tests/metrics/judge/many"
MANY = f"judge-many(weights={SMALL},base={SMALL / 'base.gguf'})"
"""Replaces ``judge-many``, whose base isn't installed for tests."""
ELSEWHERE = re.compile(r"s3://|-m comet|'comet")
"""What needs a store in the cloud, or a checkpoint that must be downloaded."""
CELL = re.compile(r"`(albeit [a-z]+ [^`]*)`")
"""A command in a table's cell; one without options only names it."""


def commands(page: str) -> list[str]:
    """The commands in a page's blocks and tables, without those that are cut short with '…'."""
    text = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", " ")
    found = []
    for line in text.splitlines():
        match = COMMAND.match(line)
        cells = CELL.findall(line) if line.startswith("|") else []
        found += [match[1]] if match else [each.replace("\\|", "|") for each in cells]
    return [each for each in found if "…" not in each.partition(" #")[0]]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def folder(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demonstration set, under all the names that the pages use."""
    monkeypatch.setenv("ALBEIT_CACHE", str(cache))
    monkeypatch.setenv("ALBEIT_MTME", str(tmp_path))
    monkeypatch.setattr(sacrebleu.utils, "SACREBLEU_DIR", str(tmp_path / "sacrebleu"))
    monkeypatch.setattr("uvicorn.Server.run", _listen_and_end)
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
        "systems/careful.txt",
        "a.txt baseline.txt old.txt base.txt system.txt a.de a.fr.txt a.es a.en",
    )
    _copy("systems/blunt.txt", "b.txt new.txt bad.txt b.de out.txt mine.txt")
    _copy("systems/scattered.txt", "c.txt newer.txt")
    lines = Path("a.txt").read_text(encoding="utf-8").splitlines()
    Path("document.txt").write_text(" ".join(lines) + "\n", encoding="utf-8")
    Path("setup.toml").write_text('references = ["ref.txt"]\ninput = ["a.txt", "b.txt"]\n')
    Path("ours.tsv").write_text("Brücke\tbridge\n", encoding="utf-8")
    for name in ("my.tsv", "my-lexicon.tsv"):
        shutil.copy(
            next((ROOT / "src/albeit/metrics/connectives/lexicons").rglob("en-fr.tsv")), name
        )
    nbest = "".join(f"{n} ||| {line} ||| lm= -9.1 ||| -1.2\n" for n, line in enumerate(lines))
    Path("nbest.moses").write_text(nbest, encoding="utf-8")
    Path("system").mkdir()
    for name in dict.fromkeys(ids.split()):
        own = [line for line, each in zip(lines, ids.split(), strict=True) if each == name]
        Path(f"system/{name}.txt").write_text(" ".join(own) + "\n", encoding="utf-8")
    _candidates()
    _judged()
    _trees_of_others()
    return tmp_path


def _listen_and_end(_: object, sockets: list[socket.socket]) -> None:
    """In place of a server that would go on."""
    for each in sockets:
        each.close()


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
    for name in ("candidates.jsonl",):
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
        write(read(DEMO), name)
        text = Path(name).read_text(encoding="utf-8")
        Path(name).write_text(text.replace("<doc ", '<doc origlang="en" '), encoding="utf-8")


def _trees_of_others() -> None:
    """Sets as sacreBLEU and mt-metrics-eval keep them, and as WMT has them by document."""
    found = read(DEMO)
    names = dict(zip(found.references, ("refA", "refB"), strict=True))
    refs = {names[name]: lines for name, lines in found.references.items()}
    evalset = replace(found, references=refs)
    segments = range(len(evalset))
    for pair in ("en-de", "zh-en"):
        source_lang, target_lang = pair.split("-")
        own = evalset.relabel(source_lang=source_lang, target_lang=target_lang)
        people = {name: tuple(-float(n % len(name)) for n in segments) for name in own.systems}
        scores, first = ScoreFile("mqm", "segment", people), next(iter(own.references))
        for tree in ("mt-metrics-eval-v2/wmt23", *(["DIR"] if pair == "en-de" else [])):
            write(own, tree, "mt-metrics-eval")
            write_scores(scores, f"{tree}/human-scores/{pair}.mqm.seg.score")
            write_scores(scores, f"{tree}/metric-scores/{pair}/theirs-{first}.seg.score")
    shutil.copytree("FOLDER", "wmt23-mqm/zh-en")
    Path("wmt23-metric-scores/zh-en").mkdir(parents=True)
    shutil.copy("COMET.seg.score", "wmt23-metric-scores/zh-en")
    Path("sacrebleu/wmt23").mkdir(parents=True)
    for name, field in (("src", "src"), ("ref.A", "ref-refA"), ("docids", "docid")):
        shutil.copy(DEMO / f"{name}.txt", f"sacrebleu/wmt23/wmt23.en-de.{field}")
    Path("sacrebleu/wmt23/wmt23.en-de.origlang").write_text("en\n" * len(evalset))
    with Path("wmt26.jsonl").open("w", encoding="utf-8") as file:
        for each in evalset.documents:
            lines = {name: text[each.rows] for name, text in evalset.references.items()}
            whole = {name: "\n".join(text) for name, text in lines.items()}
            mine = {name: " ".join(text[each.rows]) for name, text in evalset.systems.items()}
            row = {"doc_id": each.id, "refs": whole, "tgt_text": mine}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _made_before(page: str) -> None:
    """What a page takes as made: a run, a model, the scripts that it shows."""
    text = (ROOT / page).read_text(encoding="utf-8")
    if "--annotations" in text:
        _analyses()
    if "act merge" in text:
        _sheets()
    if "discoursemarkers-" in text:
        sense = "comparison:concession:arg1-as-denier"
        syntax = f'<syn><sem><pdtb3_relation sense="{sense}"/></sem></syn>'
        entries = [f'<entry word="{word}">{syntax}</entry>' for word in ("aunque", "obwohl")]
        Path("discoursemarkers-es.xml").write_text(f"<dimlex>{''.join(entries)}</dimlex>")
    if "bitext/" in text:
        Path("bitext/en-fr").mkdir(parents=True)
        for name in ("en", "fr"):
            shutil.copy("en.txt.gz", f"bitext/en-fr/{name}.txt.gz")
    for name in re.findall(r"\b(\w+)\.txt\.zst", text):
        zstandard = pytest.importorskip("zstandard")
        lines = Path("src.txt" if name == "source" else "ref.txt").read_bytes()
        Path(f"{name}.txt.zst").write_bytes(zstandard.compress(lines))
    for name, code in re.findall(r"```python\n# (\w+\.py)\b.*\n((?s:.*?))```", text):
        Path(name).write_text(code, encoding="utf-8")
    if "--results RUN/" in text and "--out RUN/ -" not in text:
        texts = ["ref.txt", "-i", "a.txt", "b.txt", "--docs", "docids.txt"]
        assert main(["score", *texts, "-m", "chrf", "--out", "RUN/", "-q"]) == 0
    if "model.json" in text and "-o model.json" not in text:
        assert main(["tune", "FOLDER", "-m", "bleu", "chrf", "-o", "model.json", "-q"]) == 0


def _analyses() -> None:
    """Another parser's trees: a file per text, and one file of them all."""
    for name in ("ref", "a", "b"):
        assert main(["parse", f"{name}.txt", "-f", "rs3", "-o", f"{name}-trees", "-q"]) == 0
        Path(f"{name}-trees").rename(f"{name}.rs3")
    texts = [Path(f"{name}.txt").read_text(encoding="utf-8") for name in ("ref", "a", "b")]
    Path("all.txt").write_text("".join(texts), encoding="utf-8")
    for layer, form, name in (("rst", "json", "trees"), ("dependencies", "conllu", "syntax")):
        words = ["all.txt", "-l", layer, "-f", form, "-o", f"{name}.{form}", "-q"]
        assert main(["parse", *words]) == 0


def _sheets() -> None:
    """Two people's verdicts."""
    given = ["ref.de", "-i", "a.de", "--source", "src.en", "--source-lang", "en", "--lang", "de"]
    assert main(["act", "annotate", *given, "-o", "anna.tsv", "-q"]) == 0
    shutil.copy("anna.tsv", "ben.tsv")


def _words(command: str) -> tuple[list[str], str | None]:
    """A command's arguments as a shell would give them, and where its output goes."""
    words = shlex.split(command, comments=True)[1:]
    into = words[words.index(">") + 1] if ">" in words else None
    words = words[: words.index(">")] if into else words
    made: list[str] = []
    for word in (MANY if word == "judge-many" else word for word in words):
        braces = re.fullmatch(r"(.*)\{(.*,.*)\}(.*)", word)
        each = [f"{braces[1]}{m}{braces[3]}" for m in braces[2].split(",")] if braces else [word]
        made += [found for one in each for found in (_matching(one) or [one])]
    return made, into


def _matching(pattern: str) -> list[str]:
    """The files that a pattern of the working folder names."""
    found = Path().glob(pattern) if "*" in pattern and "(" not in pattern else ()
    return sorted(map(str, found))


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)])
def test_printed_commands_run(
    page: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Judge, "network", "small")  # what they print is tested elsewhere
    wrong = []
    _made_before(page)
    capsys.readouterr()
    for command in commands(page):
        words, into = _words(command)
        if ELSEWHERE.search(command):
            command_parser(words[0]).parse_args(words[1:])
            continue
        if words[0] == "serve":
            words += ["--port", "0", "--folder", "runs"]
        with pytest.MonkeyPatch.context() as own:
            if words[:2] == ["cache", "clear"]:  # the cache of these tests stays
                own.setenv("ALBEIT_CACHE", str(folder / "cache"))
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
    printed = text[text.index("    System ") : text.index("\n\n`scattered` gives")]
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
    assert len([line for line in lines if not line.startswith("![")]) <= 110


def test_nearly_all_printed_commands_run() -> None:
    """What is only parsed stays an exception."""
    printed = [command for page in PAGES for command in commands(page)]
    elsewhere = [command for command in printed if ELSEWHERE.search(command)]
    assert len(printed) > 100
    assert len(elsewhere) <= 10, elsewhere
