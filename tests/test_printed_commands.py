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
from tests.cli.conftest import DEMO, scores_of, write_files
from tests.conftest import ROOT

PAGES = ["README.md", *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("docs/**/*.md"))]
COMMAND = re.compile(r"^    (?:\$ )?(albeit [a-z]+(?: .*)?)$")
SMALL = ROOT / "tests/metrics/judge/many"
MANY = f"judge-many(weights={SMALL},base={SMALL / 'base.gguf'})"
"""Replaces ``judge-many``, whose base isn't installed for tests."""
ELSEWHERE = re.compile(r"s3://|-m '?comet|'comet'|reproduce .*--data")
"""What needs a store in the cloud, a checkpoint that must be downloaded, or the data of papers."""
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


COPIES = {
    "ref.A.txt": "ref.A.txt ref.txt refA.txt ref.de ref.fr.txt ref.es ref.en text.txt",
    "ref.B.txt": "ref.B.txt refB.txt",
    "src.txt": "src.txt src.de src.es",
    "./ref.A.txt": "src.en src.en.txt",
    "systems/careful.txt": "a.txt baseline.txt old.txt base.txt system.txt a.de a.fr.txt a.es a.en",
    "systems/blunt.txt": "b.txt new.txt bad.txt b.de out.txt mine.txt",
    "systems/scattered.txt": "c.txt newer.txt",
}
"""The names that the pages use for each file of the demonstration set."""


WMT23 = "mt-metrics-eval-v2/wmt23"


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
    for name, copies in COPIES.items():
        for copy in copies.split():
            shutil.copy(DEMO / name, copy)
    shutil.copytree(DEMO / "systems", "systems")
    for name in ("old", "new"):  # the set of the tutorial
        shutil.copy(DEMO / "systems/blunt.txt", f"systems/{name}.txt")
    ids = (DEMO / "docids.txt").read_text().replace("watches", "news-17")
    lines = _lines("a.txt")
    write_files(
        {
            "docids.txt": ids,
            "ids.txt": ids,
            "document.txt": " ".join(lines) + "\n",
            "setup.toml": 'references = ["ref.txt"]\ninput = ["a.txt", "b.txt"]\n',
            "ours.tsv": "Brücke\tbridge\n",
            "nbest.moses": "".join(
                f"{n} ||| {line} ||| lm= -9.1 ||| -1.2\n" for n, line in enumerate(lines)
            ),
        }
    )
    (lexicon,) = (ROOT / "src/albeit/metrics/connectives/lexicons").rglob("en-fr.tsv")
    for name in ("my.tsv", "my-lexicon.tsv"):
        shutil.copy(lexicon, name)
    for name in ("bitext/en-fr/en.txt.gz", "bitext/en-fr/fr.txt.gz", "en.txt.gz", "es.txt.gz"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(gzip.compress(Path("ref.txt").read_bytes()))
    for name in dict.fromkeys(ids.split()):
        own = [line for line, each in zip(lines, ids.split(), strict=True) if each == name]
        write_files({f"system/{name}.txt": " ".join(own) + "\n"})
    _candidates()
    _judged()
    _trees_of_others()
    return tmp_path


def _listen_and_end(_: object, sockets: list[socket.socket]) -> None:
    """In place of a server that would go on."""
    for each in sockets:
        each.close()


def _lines(name: str) -> list[str]:
    return Path(name).read_text(encoding="utf-8").splitlines()


def _candidates() -> None:
    """What a system offers for each segment."""
    names = ("docids.txt", "ref.txt", "a.txt", "b.txt", "c.txt")
    rows = []
    for document, reference, *texts in zip(*map(_lines, names), strict=True):
        candidates = [{"text": text, "features": {"length": len(text)}} for text in texts]
        row = {"candidates": candidates, "references": [reference], "doc_id": document}
        rows.append(json.dumps(row) + "\n")
    write_files({"candidates.jsonl": "".join(rows)})


def _judged() -> None:
    """Sets with judgments, scores of another tool, and a set in XML."""
    segments = range(1, 25)  # twelve documents and more, as folds need
    systems = ("blunt", "careful", "scattered", "shuffled")
    head = "segment\tbetter\tworse\n"
    pairs = "".join(f"{n}\tcareful\tblunt\n{n}\tblunt\tshuffled\n" for n in segments)
    sets = [f"{year}/{lang}-en" for year in ("wmt12", "wmt13") for lang in ("cs", "de", "es", "fr")]
    for name in ("FOLDER", *sets, *(f"wmt21/{lang}-en" for lang in ("ru", "ja", "is"))):
        shutil.copytree(DEMO, name)
        documents = "".join(f"d{n // 2}\n" for n in segments)
        write_files({f"{name}/docids.txt": documents, f"{name}/pairwise.tsv": head + pairs})
    write_files({"pairs.tsv": head + "".join(f"{n}\ta\tb\n" for n in segments)})
    for name, scored in (("COMET.seg.score", (*systems, *"abc")), ("en-de.mqm.seg.score", systems)):
        numbers = {system: [len(system) + n % 5 for n in segments] for system in scored}
        write_files({name: scores_of(**numbers)})
    for name in ("newstest.xml", "set.xml"):
        write(read(DEMO), name)
        text = Path(name).read_text(encoding="utf-8")
        write_files({name: text.replace("<doc ", '<doc origlang="en" ')})


def _trees_of_others() -> None:
    """Sets as sacreBLEU and mt-metrics-eval keep them, and as WMT has them by document."""
    found = read(DEMO)
    refs = dict(zip(("refA", "refB"), found.references.values(), strict=True))
    evalset = replace(found, references=refs)
    for pair, trees in (("en-de", [WMT23, "DIR"]), ("zh-en", [WMT23])):
        source_lang, target_lang = pair.split("-")
        own = evalset.relabel(source_lang=source_lang, target_lang=target_lang)
        numbers = range(len(evalset))
        people = {name: tuple(-float(n % len(name)) for n in numbers) for name in own.systems}
        scores = ScoreFile("mqm", "segment", people)
        for tree in trees:
            write(own, tree, "mt-metrics-eval")
            write_scores(scores, f"{tree}/human-scores/{pair}.mqm.seg.score")
            write_scores(scores, f"{tree}/metric-scores/{pair}/theirs-refA.seg.score")
    shutil.copytree("FOLDER", "wmt23-mqm/zh-en")
    shutil.copytree(f"{WMT23}/metric-scores/zh-en", "wmt23-metric-scores/zh-en")
    for name in ("errors.tsv", "spans.tsv"):
        write_files({name: "system\tsegment\tstart\tend\ncareful\t1\t0\t3\n"})
    write_files({"sacrebleu/wmt23/wmt23.en-de.origlang": "en\n" * len(evalset)})
    for name, field in (("src", "src"), ("ref.A", "ref-refA"), ("docids", "docid")):
        shutil.copy(DEMO / f"{name}.txt", f"sacrebleu/wmt23/wmt23.en-de.{field}")
    rows = []
    for each in evalset.documents:
        whole = {name: "\n".join(text[each.rows]) for name, text in refs.items()}
        mine = {name: " ".join(text[each.rows]) for name, text in evalset.systems.items()}
        rows.append(json.dumps({"doc_id": each.id, "refs": whole, "tgt_text": mine}) + "\n")
    write_files({"wmt26.jsonl": "".join(rows)})


def _run(command: str) -> None:
    assert main(command.split()) == 0


def _made_before(page: str) -> None:
    """What a page takes as made: a run, a model, the scripts that it shows."""
    text = (ROOT / page).read_text(encoding="utf-8")
    if "--annotations" in text:
        _analyses()
    if "act merge" in text:
        texts = "ref.de -i a.de --source src.en --source-lang en --lang de"
        for name in ("anna.tsv", "ben.tsv"):
            _run(f"act annotate {texts} -o {name} -q")
    if "discoursemarkers-" in text:
        sense = "comparison:concession:arg1-as-denier"
        syntax = f'<syn><sem><pdtb3_relation sense="{sense}"/></sem></syn>'
        entries = [f'<entry word="{word}">{syntax}</entry>' for word in ("aunque", "obwohl")]
        write_files({"discoursemarkers-es.xml": f"<dimlex>{''.join(entries)}</dimlex>"})
    for name in re.findall(r"\b(\w+)\.txt\.zst", text):
        zstandard = pytest.importorskip("zstandard")
        lines = Path("src.txt" if name == "source" else "ref.txt").read_bytes()
        Path(f"{name}.txt.zst").write_bytes(zstandard.compress(lines))
    write_files(dict(re.findall(r"```python\n# (\w+\.py)\b.*\n((?s:.*?))```", text)))
    if "--results RUN/" in text and "--out RUN/ -" not in text:
        _run("score ref.txt -i a.txt b.txt --docs docids.txt -m chrf --out RUN/ -q")
    if "model.json" in text and "-o model.json" not in text:
        _run("tune FOLDER -m bleu chrf -o model.json -q")


def _analyses() -> None:
    """Another parser's trees: a file per text, and one file of them all."""
    for name in ("ref", "a", "b"):
        _run(f"parse {name}.txt -f rs3 -o {name}-trees -q")
        Path(f"{name}-trees").rename(f"{name}.rs3")
    texts = (Path(f"{name}.txt").read_text(encoding="utf-8") for name in ("ref", "a", "b"))
    write_files({"all.txt": "".join(texts)})
    _run("parse all.txt --layer rst -f json -o trees.json -q")
    _run("parse all.txt --layer dependencies -f conllu -o syntax.conllu -q")


def _words(command: str) -> tuple[list[str], str | None]:
    """A command's arguments as a shell would give them, and where its output goes."""
    words, into = shlex.split(command, comments=True)[1:], None
    if ">" in words:
        at = words.index(">")
        words, into = words[:at], words[at + 1]
    made: list[str] = []
    for word in words:
        braces = re.fullmatch(r"(.*)\{(.*,.*)\}(.*)", word)
        each = [f"{braces[1]}{m}{braces[3]}" for m in braces[2].split(",")] if braces else [word]
        made += [found for one in each for found in (_matching(one) or [one])]
    return [MANY if word == "judge-many" else word for word in made], into


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


SHOWN = re.compile(r"^    \$ (albeit .*)\n((?:    (?!\$).+\n|\n(?=    (?!\$)))+)", re.MULTILINE)
"""A command and the output that a page prints below it."""
SHOWING = [page for page in PAGES if SHOWN.search((ROOT / page).read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", SHOWING)
def test_printed_outputs_are_those_of_the_program(
    page: str, cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    name = "errors" if "cd examples/errors" in text else "demo"
    monkeypatch.chdir(ROOT / "examples" / name)
    monkeypatch.setenv("ALBEIT_CACHE", str(cache))
    for command, shown in SHOWN.findall(text):
        words, _ = _words(command)
        assert main([*words, "-q"]) == 0
        printed = iter(capsys.readouterr().out.splitlines())
        for line in shown.splitlines():
            if line.strip() not in ("", "…"):
                assert any(_same(line, each) for each in printed), f"{command}\n{line}"


def _same(shown: str, printed: str) -> bool:
    """Whether two lines have the same words, and numbers as another processor rounds them."""
    number = r"\d+\.\d+"
    left, right = (re.findall(number, line) for line in (shown, printed))
    words = [re.sub(number, "0.0", line).split() for line in (shown, printed)]
    numbers = zip(left, right, strict=True)  # read only if the words are the same
    close = (abs(float(a) - float(b)) <= 0.02 * max(1, float(a)) for a, b in numbers)
    return words[0] == words[1] and all(close)


def test_readme_is_short() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if not line.startswith("![")]) <= 110


def test_nearly_all_printed_commands_run() -> None:
    """What is only parsed stays an exception."""
    printed = [command for page in PAGES for command in commands(page)]
    elsewhere = [command for command in printed if ELSEWHERE.search(command)]
    assert len(printed) > 100
    assert len(elsewhere) <= 10, elsewhere
