"""List the results pages with the commands that make their tables, and run these commands.

    python tools/results.py                    # one line per page
    python tools/results.py --run              # run the commands of pages with an outdated annotator
    python tools/results.py --run judge speed  # run the commands of these pages

A page prints its commands as indented code and names the annotator of its figures. The output of a
command goes to ``build/results/PAGE.md``; copy the tables from there. A command with ``--page``
writes the end of its page itself. Pages that name no annotator are listed as ``any``: run them by
name. A command with a placeholder (``--runs RUNS``) is listed, but not run.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from albeit.parsing import version

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "results"
_COMMAND = re.compile(
    r"^    ((?:\w+=\S+ )*python (?:research/experiments|benchmarks)/[^#\n]+)", re.MULTILINE
)
_PLACEHOLDER = re.compile(r"(?:^|[\s=])[A-Z_]{3,}(?=$|[\s/])")
_ANALYSER = re.compile(r"annotator ([0-9a-f]{16}-t\d+)")


@dataclass(frozen=True)
class Page:
    """A results page: the commands it names, and the analyser its figures rest on."""

    path: Path
    commands: tuple[str, ...]
    analyser: str | None

    @classmethod
    def read(cls, path: Path) -> Page:
        """What the page says of itself."""
        text = path.read_text(encoding="utf-8")
        named = _ANALYSER.search(text)
        found = tuple(dict.fromkeys(command.strip() for command in _COMMAND.findall(text)))
        return cls(path, found, named and named[1])

    def state(self, now: str) -> str:
        """Return ``any``, ``today`` (the current annotator), or ``behind``."""
        if self.analyser is None:
            return "any"
        return "today" if self.analyser == now else "behind"

    def run(self) -> int:
        """Run the page's commands, one after the other; the first failure ends it."""
        out = ROOT / "build" / "results" / self.path.name
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("w", encoding="utf-8") as file:
            for command in self.commands:
                if _PLACEHOLDER.search(command):
                    print(f"{self.path.stem}: not run: {command}", file=sys.stderr)
                    continue
                print(f"{self.path.stem}: {command}", file=sys.stderr)
                words = shlex.split(command)
                own = dict(word.split("=", 1) for word in words[: words.index("python")])
                call = [sys.executable, *words[words.index("python") + 1 :]]
                status = subprocess.run(
                    call, cwd=ROOT, stdout=file, env=os.environ | own, check=False
                ).returncode
                if status:
                    print(f"{self.path.stem}: failed with status {status}.", file=sys.stderr)
                    return status
        return 0


def main() -> int:
    """List, or run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="pages by name (default: all)")
    parser.add_argument("--run", action="store_true", help="run their commands")
    args = parser.parse_args()
    now = version()
    pages = {path.stem: Page.read(path) for path in sorted(PAGES.glob("*.md"))}
    unknown = [name for name in args.pages if name not in pages]
    if unknown:
        parser.error(f"no page is called {unknown[0]!r}; there are {', '.join(pages)}.")
    if not args.run:
        for name in args.pages or pages:
            print(f"{pages[name].state(now):7} {name:20} {'; '.join(pages[name].commands)}")
        return 0
    behind = [name for name, page in pages.items() if page.state(now) == "behind"]
    return max((pages[name].run() for name in args.pages or behind), default=0)


if __name__ == "__main__":
    raise SystemExit(main())
