"""Commands of ``commands.toml``: what fails names the file and line, and prints nothing else."""

from __future__ import annotations

import gzip
import io
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest
import sacrebleu.utils

from albeit import cli
from tests.cli.conftest import TEXTS, Run, register_toys, write_files

CASES = tomllib.loads(Path(__file__).with_name("commands.toml").read_text(encoding="utf-8"))
SCORE = "score ref.txt -i good.txt bad.txt --docs docs.txt -m chrf ter -q"


def _offline(*_: object, **__: object) -> None:
    raise OSError("there is no network")


def _named_zip() -> bytes:
    """A zip whose file has a name that is no text."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("é.rs3", "<rst/>")
    return made.getvalue().replace("é.rs3".encode(), b"\xa9\xa9.rs3")


LINE = "one two three four five six seven eight\n"
SHORT, WORSE = "one two four\n", "one two four three five nine seven eight\n"
LONG = {
    "base.txt": LINE * 40,
    "worse.txt": WORSE * 40,
    "once.txt": WORSE + LINE * 39,
    "mid.txt": (SHORT + LINE) * 20,
    "mid2.txt": (LINE + SHORT) * 20,
    "mixed.txt": LINE * 10 + (WORSE + LINE) * 5 + WORSE * 10 + LINE * 9 + WORSE,
    "lines.txt": "".join(f"line {i}\n" for i in range(60)),
    "ids20.txt": "".join(f"d{i // 2}\n" for i in range(40)),
    "ids40.txt": "".join(f"d{i // 10}\n" for i in range(40)),
}
BYTES = {
    "latin.txt": b"a\ncaf\xe9\nc\nd\n",
    "no.zip": b"PK no zip",
    "none.zip": b"PK\x05\x06" + bytes(18),
    "name.zip": _named_zip(),
    "packed.txt.gz": gzip.compress(TEXTS["good.txt"].encode()),
    "long.toml": b"seed = " + b"9" * 5000,
}


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The files, and a run with its results; the working directory of all commands."""
    path = tmp_path_factory.mktemp("commands")
    with pytest.MonkeyPatch.context() as patch, chdir(path):
        patch.setenv("ALBEIT_CACHE", str(path / "cache"))
        patch.setenv("ALBEIT_MTME", str(path / "mtme"))
        patch.setattr(sacrebleu.utils, "SACREBLEU_DIR", str(path / "sacrebleu"))
        patch.setattr("urllib.request.urlopen", _offline)
        register_toys(patch)
        write_files(TEXTS | CASES["files"] | LONG)
        for name, data in BYTES.items():
            Path(name).write_bytes(data)
        Path("mtme/mt-metrics-eval-v2/toy24").mkdir(parents=True)
        assert cli.main(f"{SCORE} --out RUN".split()) == 0
        for level in ("system", "segment"):
            out = io.StringIO()
            with pytest.MonkeyPatch.context() as own:
                own.setattr("sys.stdout", out)
                assert cli.main(f"{SCORE} -f json --level {level}".split()) == 0
            Path(f"{level}.json").write_text(out.getvalue(), encoding="utf-8")
        Path("segment.json").rename("segments.json")
        yield path


def listed(parts: str | list[str]) -> list[str]:
    return [parts] if isinstance(parts, str) else parts


@pytest.mark.parametrize("command", CASES["fails"])
def test_a_wrong_command_is_one_error(albeit: Run, folder: Path, command: str) -> None:
    before = sorted(path for path in folder.rglob("*") if "cache" not in path.parts)
    message = albeit(command).refused
    assert message.count("albeit: error: ") == 1
    for part in listed(CASES["fails"][command]):
        assert part in message
    assert sorted(path for path in folder.rglob("*") if "cache" not in path.parts) == before


@pytest.mark.parametrize("command", CASES["prints"])
def test_a_command_prints(albeit: Run, command: str) -> None:
    text = albeit(command).text
    for part in listed(CASES["prints"][command]):
        assert part in text


@pytest.mark.parametrize("command", CASES["warns"])
def test_a_command_warns_once(albeit: Run, command: str) -> None:
    done = albeit(command)
    assert done.status == 0, done.err
    for part in listed(CASES["warns"][command]):
        assert done.err.count(part) == 1
    assert albeit(command, "-q").err == ""


@pytest.mark.parametrize("command", CASES["ends"])
def test_a_command_ends_with_a_status(albeit: Run, command: str) -> None:
    status, *parts = CASES["ends"][command]
    done = albeit(command)
    assert done.status == status
    assert done.err.count("albeit: failed: ") == sum("failed: " in part for part in parts)
    for part in parts:
        assert part in done.err
