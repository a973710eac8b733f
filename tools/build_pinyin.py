"""Build ``src/albeit/resources/data/pinyin.zh.txt``: how common Chinese characters are romanised.

One syllable a line, without tones, and the characters that are read so (a character has at most
three readings, the most common first). Characters are those of GB 2312 and of the first level of Big5.
The readings come from the package pypinyin, which is needed here alone.

    pip download --no-deps pypinyin==0.55.0 && python tools/build_pinyin.py pypinyin-0.55.0-*.whl
"""

from __future__ import annotations

import argparse
import json
import unicodedata
import zipfile
from collections import defaultdict
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "src/albeit/resources/data"
READINGS = 3
HEADER = """\
# Syllables of Chinese without tones, and the characters that are read so.
# Made by tools/build_pinyin.py; see NOTICE.
"""


def main() -> None:
    """Write syllables, and the licence of the package they come from."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path)
    with zipfile.ZipFile(parser.parse_args().wheel) as wheel:
        readings = json.loads(wheel.read("pypinyin/pinyin_dict.json"))
        licence = next(name for name in wheel.namelist() if name.endswith("LICENSE.txt"))
        (DATA / "LICENSE.pypinyin").write_bytes(wheel.read(licence))
    syllables: defaultdict[str, list[str]] = defaultdict(list)
    for code, read in readings.items():
        if _common(chr(int(code))):
            for syllable in dict.fromkeys(map(_plain, read.split(",")[:READINGS])):
                syllables[syllable].append(chr(int(code)))
    lines = [f"{syllable} {''.join(found)}" for syllable, found in sorted(syllables.items())]
    output = DATA / "pinyin.zh.txt"
    output.write_text(HEADER + "\n".join(lines) + "\n", "utf-8")
    print(f"{output}: {len(lines)} syllables")


def _common(character: str) -> bool:
    try:
        character.encode("gb2312")
        return True
    except UnicodeEncodeError:
        pass
    try:
        return b"\xa4\x40" <= character.encode("big5") <= b"\xc6\x7e"
    except UnicodeEncodeError:
        return False


def _plain(syllable: str) -> str:
    """Without tone; ü is u, as in most names."""
    letters = unicodedata.normalize("NFD", syllable.strip())
    return "".join(c for c in letters if c.isascii() and c.isalpha()).lower()


if __name__ == "__main__":
    main()
