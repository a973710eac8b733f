"""A folder of plain text, one line per segment.

    src.txt             the source, if any
    ref.txt, refA.txt   references named ``ref``, ``refA``; ``ref_B.txt`` is named ``B``
    systems/NAME.txt    one file per system
    docids.txt          one document id per line, in its first tab-separated column

Each may be compressed (``.txt.gz``). A folder called like a pair of two-letter
languages (``cs-en``) gives the languages, and the folder above it the test set's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from albeit.data.build import TextRows, Texts, language_pair
from albeit.data.evalset import UNNAMED, EvalSet
from albeit.data.openings import list_folder
from albeit.data.rows import Kind
from albeit.data.textio import safe_name, write_lines
from albeit.errors import InputError

__all__ = ["looks_like", "rows", "texts_in", "write"]

_ENDINGS = (".txt", ".txt.gz")


def _stem(path: Path) -> str | None:
    """The name of a text file without its ending; ``None`` for any other file."""
    name = path.name
    for ending in _ENDINGS:
        if name.endswith(ending) and not name.startswith("."):
            return name.removesuffix(ending)
    return None


def texts_in(folder: Path, prefix: str = "") -> dict[str, Path]:
    """The text files of a folder that begin with a prefix, by the rest of their stem, sorted by it."""
    found: dict[str, Path] = {}
    for path in list_folder(folder):
        stem = _stem(path)
        if stem is None or not stem.startswith(prefix) or not path.is_file():
            continue
        rest = stem.removeprefix(prefix)
        if rest in found:
            raise InputError(f"is there twice, also as {found[rest].name}.", path=path)
        found[rest] = path
    return found


def looks_like(path: Path) -> bool:
    """Whether a folder has this shape."""
    stems = {_stem(p) for p in list_folder(path)}
    texts = any(stem is not None and stem.startswith(("src", "ref")) for stem in stems)
    return texts or (path / "systems").is_dir()


def rows(
    paths: Sequence[str], *, docs: str | Path | None = None, unescape: bool = False
) -> TextRows:
    """The texts of a folder; ``docs`` stands in for its ``docids.txt``."""
    path = Path(paths[0])
    files = texts_in(path)
    texts: Texts = {}
    for stem, file in files.items():
        if stem.startswith("ref"):
            _add(texts, "reference", stem.removeprefix("ref_") or stem, file)
    if "src" in files:
        texts["source", "source"] = [files["src"]]
    if (path / "systems").is_dir():
        for stem, file in texts_in(path / "systems").items():
            _add(texts, "system", stem, file)
    if not texts:
        raise InputError(
            "holds no test set.", path=path, hint="Expected src.txt, ref.txt or systems/*.txt."
        )
    resolved = path.resolve()
    pair = language_pair(resolved.name)
    if pair and max(len(side.split("_")[0]) for side in resolved.name.split("-")) > 2:
        pair = None  # "new-run" is no pair of languages; three letters must be said
    return TextRows(
        texts,
        docs if docs is not None else files.get("docids"),
        source_lang=pair[0] if pair else None,
        target_lang=pair[1] if pair else None,
        name=(resolved.parent.name if pair else resolved.name) or UNNAMED,
        unescape=unescape,
    )


def _add(texts: Texts, kind: Kind, name: str, file: Path) -> None:
    if (kind, name) in texts:
        raise InputError(
            f"there is a {kind} {name!r} already, from {texts[kind, name][0]}.", path=file
        )
    texts[kind, name] = [file]


def write(evalset: EvalSet, path: Path) -> None:
    """Write a folder; its name is the caller's, so languages survive only in ``xx-yy``."""
    if evalset.source is not None:
        write_lines(evalset.source, path / "src.txt")
    for name, lines in evalset.references.items():
        plain = name.startswith("ref") and not name.startswith("ref_")
        write_lines(lines, path / f"{safe_name(name if plain else 'ref_' + name, 'reference')}.txt")
    for name, lines in evalset.systems.items():
        write_lines(lines, path / "systems" / f"{safe_name(name, 'system')}.txt")
    if evalset.has_documents:
        ids = evalset.document_ids()
        for doc_id in ids:
            if "\t" in doc_id or not doc_id.strip():
                raise InputError(f"document id {doc_id!r} cannot be written to {path}.")
        write_lines(ids, path / "docids.txt")
