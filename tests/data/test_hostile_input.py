"""Readers take linear time, whatever a file holds.

Each case is read at sizes n and 4n under a limit of CPU time. This is a limit, not a measurement:
a linear reader needs a small part of it, and a quadratic one needs several times as much at
size 4n. The work is inside compiled code (``re``, ``str``, ``list``), where nothing counts steps
that a test could compare; the kernel's timer counts CPU time, so other processes don't matter.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import pytest

from albeit.data import EvalSet, markup
from albeit.data.evalset import documents_from_ids
from albeit.data.judgment_files import read_judgments
from albeit.data.resegment import _match_documents
from albeit.errors import AlbeitError
from albeit.metrics.connectives.load import items, read_dimlex
from albeit.parsing import content, sentences
from albeit.parsing.alignment import read_giza
from albeit.parsing.formats.rst import _inside, _Node, read_rs3
from albeit.parsing.tokenize import cut_words, tokenize

LIMIT = 10.0
"""Seconds of CPU time."""


class TooMuchWorkError(Exception):
    """The limit of CPU time was reached."""


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise TooMuchWorkError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def test_the_limit_stops_work() -> None:
    with pytest.raises(TooMuchWorkError), cpu_limit(0.05):
        re.search("(a|a)*b", "a" * 60)


def _file(folder: Path, text: str, name: str = "file") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def _mqm(folder: Path, target: str) -> None:
    header = "system\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    read_judgments(_file(folder, f"{header}s\t1\tr\ta\t{target}\tFluency\tmajor\n"))


def _giza(folder: Path, words: str) -> None:
    read_giza(_file(folder, f"# Sentence pair (1)\nx\nNULL ({{ }}) {words}\n"))


def _rs3(body: str) -> str:
    relations = '<rel name="m" type="multinuc"/><rel name="r" type="rst"/>'
    return f"<rst><header><relations>{relations}</relations></header><body>{body}</body></rst>"


def _nuclei(count: int) -> None:
    children = [_Node(str(i), "0", "m", i, False) for i in range(count)]
    _inside(_Node("0", None, "", None, True, children), {})


def _nested(count: int) -> str:
    return _rs3("".join(f'<segment id="{i}">w ' for i in range(count)) + "</segment>" * count)


def _sgml(folder: Path, text: str) -> None:
    markup.read_sgml([str(_file(folder, text, "file.sgm"))])


def _dimlex(folder: Path, entry: str) -> None:
    text = f'<dimlex><entry word="a">{entry}</entry></dimlex>'
    read_dimlex(_file(folder, text, "file.xml"), "de")


def _spellings(count: int) -> str:
    return "".join(f"<orth><part>w{i}</part></orth>" for i in range(count))


def _ids(count: int) -> None:
    names = [str(i) for i in range(count)]
    base = EvalSet({"r": tuple(names)}, {}, documents=documents_from_ids(names))
    _match_documents(base, {name: name for name in names}, "file", unescape=False)


ORTH = "<orth><part>w</part>"
SEGMENT = '<segment id="1">{}</segment>'
Read = Callable[[Path, int], object]
CASES: dict[str, tuple[int, Read]] = {
    "mqm: opened spans": (50_000, lambda at, n: _mqm(at, "<v>" * n)),
    "giza: one long word": (100_000, lambda at, n: _giza(at, "a" * n)),
    "giza: opened lists": (50_000, lambda at, n: _giza(at, "({" * n)),
    "giza: lists without a word": (50_000, lambda at, n: _giza(at, "  ({ 1 }" * n)),
    "rs3: opened documents": (50_000, lambda _, n: read_rs3("<rst>" * n)),
    "rs3: ends without >": (20_000, lambda _, n: read_rs3("<rst></rst " * n)),
    "rs3: opened comments": (50_000, lambda _, n: read_rs3("<!--" * n)),
    "rs3: opened declarations": (50_000, lambda _, n: read_rs3("<?xml" * n)),
    "rs3: many documents": (5_000, lambda _, n: read_rs3(("<rst></rst>" + "\n" * 200) * n)),
    "rs3: many nuclei": (50_000, lambda _, n: _nuclei(n)),
    "rs3: segments in segments": (10_000, lambda _, n: read_rs3(_nested(n))),
    "rs3: one long word": (4_000, lambda _, n: read_rs3(_rs3(SEGMENT.format("ab." * n)))),
    "lexicon: blanks": (50_000, lambda _, n: list(items("a" + " " * n + "x"))),
    "lexicon: opened counts": (100_000, lambda _, n: list(items("a (1" * n))),
    "dimlex: spellings": (10_000, lambda at, n: _dimlex(at, _spellings(n))),
    "dimlex: hyphens": (40_000, lambda at, n: _dimlex(at, f'<pdtb3_relation sense="{"a-" * n}"/>')),
    "dimlex: orth in orth": (2_000, lambda at, n: _dimlex(at, ORTH * n + "</orth>" * n)),
    "sgml: one long attribute": (20_000, lambda at, n: _sgml(at, f"<srcset {'a' * n}>")),
    "sgml: opened comments": (20_000, lambda at, n: _sgml(at, "<!--" * n + "<srcset>")),
    "documents: many ids": (20_000, lambda _, n: _ids(n)),
    "english: dots": (4_000, lambda _, n: tokenize("ab." * n)),
    "english: hyphens": (8_000, lambda _, n: tokenize("ab-" * n)),
    "english: numbers": (10_000, lambda _, n: tokenize("1," * n + "1a")),
    "other languages: hyphens": (20_000, lambda _, n: cut_words("+.-" * n)),
    "sentences: stops": (20_000, lambda _, n: sentences._STOP_IN_TEXT.search("." * n)),
    "sentences: blanks": (40_000, lambda _, n: sentences._STOP_IN_TEXT.search("." + " " * n)),
    "sentences: wide stops": (30_000, lambda _, n: sentences._STOP_IN_TEXT.search("。" * n)),
    "japanese: one long word": (30_000, lambda _, n: content._HIRAGANA_END.sub("", "あ" * n + "x")),
}


@pytest.mark.parametrize("case", CASES)
def test_reading_takes_linear_time(case: str, tmp_path: Path) -> None:
    size, read = CASES[case]
    for count in (size, 4 * size):
        with cpu_limit(LIMIT), suppress(AlbeitError):
            read(tmp_path, count)
