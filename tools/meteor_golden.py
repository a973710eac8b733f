"""Make the golden values under ``tests/golden/meteor`` by running METEOR's own jar.

    python tools/meteor_golden.py --jar meteor-1.5.jar --data ../shared/data

Each file holds numbers and the command that made them. ``demo`` scores the texts under
``examples/demo`` against both references, with the small paraphrase table beside the
values; ``tricky`` scores lines written to be hard to tokenise or align; ``wmt`` scores the first
1,000 segments of one system (only where ``--data`` has them; its text is not kept). The
jar needs its own ``data/paraphrase-en.gz`` beside it for ``wmt.en.pa``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests/golden/meteor"
FORMS = {
    "ex": ["-m", "exact"],
    "st": ["-m", "exact stem"],
    "sy": ["-m", "exact stem synonym"],
    "pa": [],
}
SEGMENTS = 1000
WMT = {
    "en": ("wmt12/fr-en", "uedin-wmt12"),
    "de": ("wmt13/en-de", "KIT_primary.2663"),
    "fr": ("wmt13/en-fr", "DCU__primary.2827"),
}


def main() -> None:
    """Run every case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jar", type=Path, required=True, help="METEOR's meteor-1.5.jar")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "paraphrases.gz")
        table.write_bytes(gzip.compress((GOLDEN / "paraphrases.txt").read_bytes()))
        demo = ROOT / "examples/demo"
        references = [_lines(demo / f"ref.{name}.txt") for name in "AB"]
        for form in FORMS:
            extra = ["-a", str(table)] if form == "pa" else []
            made = {
                path.stem: run(options.jar, _lines(path), references, "en", form, extra)
                for path in sorted((demo / "systems").glob("*.txt"))
            }
            _write(f"demo.{form}", made)
        for lang in ("en", "de", "fr", "es", "it"):
            pairs = [line.split("\t") for line in _lines(GOLDEN / f"tricky.{lang}.tsv")]
            hypotheses, reference = ([pair[side] for pair in pairs] for side in (0, 1))
            for form in FORMS if lang == "en" else ("ex", "st"):
                extra = ["-a", str(table)] if form == "pa" else []
                _write(f"tricky.{lang}.{form}", {
                    "tricky": run(options.jar, hypotheses, [reference], lang, form, extra)
                })  # fmt: skip
    for lang, (place, system) in WMT.items():
        folder_ = options.data / place
        if not folder_.is_dir():
            print(f"{folder_} is not there; its values are left as they are")
            continue
        hypotheses = _lines(folder_ / "systems" / f"{system}.txt")[:SEGMENTS]
        reference = _lines(folder_ / "ref.txt")[:SEGMENTS]
        for form in FORMS if lang == "en" else ("ex", "st"):
            _write(f"wmt.{lang}.{form}", {
                f"{place}/{system}": run(options.jar, hypotheses, [reference], lang, form)
            })  # fmt: skip


def run(
    jar: Path,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    lang: str,
    form: str,
    extra: Sequence[str] = (),
) -> dict[str, object]:
    """METEOR's scores of the segments and of the whole, with the command that gave them."""
    norm = [] if lang == "it" else ["-norm"]
    options = ["-l", lang, *norm, *FORMS[form], "-r", str(len(references)), *extra]
    with tempfile.TemporaryDirectory() as folder:
        test, reference = Path(folder, "hyp"), Path(folder, "ref")
        test.write_text("\n".join(hypotheses) + "\n", "utf-8")
        together = [line for group in zip(*references, strict=True) for line in group]
        reference.write_text("\n".join(together) + "\n", "utf-8")
        java = ["java", "-Dfile.encoding=UTF-8", "-Xmx2G", "-jar"]
        printed = subprocess.run(
            [*java, jar, test, reference, *options], check=True, capture_output=True, text=True
        ).stdout.splitlines()
    shown = " ".join(f"'{o}'" if " " in o else Path(o).name for o in options)
    return {
        "command": f"java -Xmx2G -jar meteor-1.5.jar hyp ref {shown}",
        "system": next(float(line.split()[-1]) for line in printed if line.startswith("Final")),
        "segments": [float(line.split()[-1]) for line in printed if line.startswith("Segment ")],
    }


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def _write(name: str, made: dict[str, dict[str, object]]) -> None:
    rounded = json.loads(json.dumps(made), parse_float=lambda text: round(float(text), 10))
    (GOLDEN / f"{name}.json").write_text(json.dumps(rounded, indent=1) + "\n", "utf-8")
    print(name, {key: value["system"] for key, value in rounded.items()})


if __name__ == "__main__":
    main()
