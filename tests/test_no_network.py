"""Nothing that albeit loads talks to the network or leaves a file behind.

onnxruntime writes an identity of the machine and reports to its makers unless it is switched off
before it is first loaded. A filter in the kernel kills a process, or any process that it started,
that asks for an internet socket: so what is proved here is that none was ever asked for.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

DEMO = ROOT / "examples/demo"
TELEMETRY = ("CI", "ORT_DISABLE_TELEMETRY", "ORT_RUNNING_UNIT_TESTS")
"""What would silence onnxruntime without our doing."""

GUARD = """
import ctypes, platform, struct, sys
machine = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}[platform.machine()]
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
program = [  # allow all but socket(AF_INET or AF_INET6, ...), which kills the process
    (LOAD, 0, 0, 4), (EQUAL, 0, 6, machine[0]),
    (LOAD, 0, 0, 0), (EQUAL, 0, 4, machine[1]),
    (LOAD, 0, 0, 16), (EQUAL, 1, 0, 2), (EQUAL, 0, 1, 10),
    (RETURN, 0, 0, 0x80000000), (RETURN, 0, 0, 0x7FFF0000),
]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
filter = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.c_char_p(filter)):
    sys.exit("no filter")
"""
KILLED = -31
"""SIGSYS."""


def guarded(code: str, home: Path, guard: str = GUARD) -> subprocess.CompletedProcess[str]:
    """Run Python code behind the filter, as on a new machine."""
    env = {k: v for k, v in os.environ.items() if k not in TELEMETRY and not k.startswith("XDG_")}
    env |= {"HOME": str(home), "NUMBA_CACHE_DIR": str(home / "numba")}
    return subprocess.run(
        [sys.executable, "-c", guard + code],
        env=env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A kernel that filters, and a filter that bites."""
    if platform.system() != "Linux" or platform.machine() not in ("x86_64", "aarch64"):
        pytest.skip("only Linux can forbid sockets to a process")
    home = tmp_path_factory.mktemp("home")
    opened = guarded("import socket; socket.socket(socket.AF_INET)", home)
    if "no filter" in opened.stderr:
        pytest.skip("this kernel does not let a process forbid itself sockets")
    assert opened.returncode == KILLED, opened.stderr


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("options", ["judge", "sim --workers 2"])
def test_no_socket_is_opened_and_no_file_appears(options: str, tmp_path: Path) -> None:
    texts = f"{DEMO / 'ref.A.txt'} -i {DEMO / 'systems/careful.txt'}"
    words = f"score {texts} --no-cache -m {options}".split()
    done = guarded(f"import sys; from albeit.cli import main; sys.exit(main({words}))", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "careful" in done.stdout
    assert not [path for path in tmp_path.rglob("*") if "Microsoft" in path.parts]


@pytest.mark.parametrize(("given", "value"), [("", "1"), ("os.environ[NAME] = '0'; ", "0")])
def test_it_is_switched_off_unless_asked_for(tmp_path: Path, given: str, value: str) -> None:
    code = (
        f"import os; NAME = 'ORT_DISABLE_TELEMETRY'; {given}import albeit; print(os.environ[NAME])"
    )
    assert guarded(code, tmp_path, guard="").stdout.strip() == value
