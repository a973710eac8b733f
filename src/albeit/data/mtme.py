"""The directory tree of mt-metrics-eval: one test set, any number of language pairs.

    sources/en-de.txt
    references/en-de.refA.txt
    system-outputs/en-de/NAME.txt
    documents/en-de.docs                       domain and document, one line per segment
    human-scores/en-de.mqm.seg.score
    metric-scores/en-de/BLEU-refA.seg.score

The name of the folder is that of the test set. A tree written here has the domain ``all`` for
documents without a domain.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from albeit.data.build import TextFiles, Texts, texts_in
from albeit.data.build import language_pair as split_pair
from albeit.data.evalset import UNNAMED, EvalSet, documents_from_ids
from albeit.data.files import list_folder
from albeit.data.textio import read_text, safe_name, split_lines, write_lines
from albeit.errors import InputError

_NO_DOMAIN = "all"


def is_tree(path: Path) -> bool:
    """Return whether a folder has this shape."""
    parts = ("sources", "references", "system-outputs", "documents")
    return sum((path / part).is_dir() for part in parts) >= 2


def _texts(folder: Path, prefix: str = "") -> dict[str, Path]:
    """Return the text files of a folder, which need not exist."""
    return texts_in(folder, prefix) if folder.is_dir() else {}


def language_pairs(path: Path) -> tuple[str, ...]:
    """Return the language pairs of a tree, sorted."""
    names = set(_texts(path / "sources"))
    names |= {stem.split(".", 1)[0] for stem in _texts(path / "references")}
    if (path / "system-outputs").is_dir():
        names |= {p.name for p in list_folder(path / "system-outputs") if p.is_dir()}
    return tuple(sorted(pair for pair in names if split_pair(pair)))


def choose(path: Path, wanted: str | None) -> tuple[Path, str]:
    """Return the tree and the language pair; ``TREE/en-de`` names both, though it is no folder."""
    if wanted in (None, path.name) and not path.exists() and split_pair(path.name):
        path, wanted = path.parent, path.name
    known = language_pairs(path)
    if not known:
        raise InputError("has no language pairs.", path=path, hint="Expected sources/xx-yy.txt.")
    if wanted is None and len(known) > 1:
        hint = f"Choose one: {', '.join(known)}."
        raise InputError(f"has {len(known)} language pairs.", path=path, hint=hint)
    if wanted is not None and wanted not in known:
        hint = f"It has: {', '.join(known)}."
        raise InputError(f"has no language pair {wanted!r}.", path=path, hint=hint)
    return path, wanted or known[0]


def read_tree(path: Path, *, language_pair: str | None = None, unescape: bool = False) -> EvalSet:
    """Read one language pair of a tree."""
    path, pair = choose(path, language_pair)
    references = _texts(path / "references", f"{pair}.")
    texts: Texts = {("reference", name): [file] for name, file in references.items()}
    if pair in (sources := _texts(path / "sources")):
        texts["source", "source"] = [sources[pair]]
    for name, file in _texts(path / "system-outputs" / pair).items():
        texts["system", name] = [file]
    source_lang, target_lang = split_pair(pair) or (None, None)
    evalset = TextFiles(
        texts,
        name=path.resolve().name or UNNAMED,
        source_lang=source_lang,
        target_lang=target_lang,
        unescape=unescape,
    ).evalset()
    docs = path / "documents" / f"{pair}.docs"
    if not docs.is_file():
        return evalset
    ids, domains = _read_documents(docs, len(evalset))
    spans = documents_from_ids(ids, domains=domains, place=lambda row: (str(docs), row + 1))
    return replace(evalset, documents=spans)


def _read_documents(path: Path, size: int) -> tuple[list[str], dict[str, str]]:
    """Return the document ids of a ``.docs`` file, its second column, and their domains."""
    ids: list[str] = []
    domains: dict[str, str] = {}
    for number, line in enumerate(split_lines(read_text(path)), 1):
        cells = line.split()
        if len(cells) != 2:
            raise InputError("the line is not a domain and a document.", path=path, line=number)
        ids.append(cells[1])
        domains[cells[1]] = "" if cells[0] == _NO_DOMAIN else cells[0]
    if len(ids) != size:
        what = f"has {len(ids)} lines, but there are {size} segments."
        raise InputError(what, path=path, line=min(len(ids), size) + 1)
    return ids, domains


def write_tree(evalset: EvalSet, path: Path) -> None:
    """Write one language pair into a tree, which may have others."""
    pair = f"{evalset.source_lang}-{evalset.target_lang}"
    if split_pair(pair) != (evalset.source_lang, evalset.target_lang):
        what = f"mt-metrics-eval needs two languages like en-de, not {pair!r}."
        raise InputError(what, hint="Set source_lang and target_lang (relabel).")
    if evalset.source is not None:
        write_lines(evalset.source, path / "sources" / f"{pair}.txt")
    for name, lines in evalset.references.items():
        if name in ("all", "src") or "." in name or "-" in name:
            what = f"mt-metrics-eval cannot have a reference called {name!r}."
            hint = "Its name must not be all or src, nor hold a dot or hyphen. Rename it."
            raise InputError(what, hint=hint)
        write_lines(lines, path / "references" / f"{pair}.{safe_name(name, 'reference')}.txt")
    for name, lines in evalset.systems.items():
        write_lines(lines, path / "system-outputs" / pair / f"{safe_name(name, 'system')}.txt")
    rows = [(d.domain or _NO_DOMAIN, d.id) for d in evalset.documents for _ in range(len(d))]
    for row in rows:
        for what, name in zip(("domain", "document"), row, strict=True):
            if name.split() != [name]:
                hint = "Its name must not hold spaces. Rename it."
                raise InputError(
                    f"mt-metrics-eval cannot have a {what} called {name!r}.", hint=hint
                )
    write_lines(map("\t".join, rows), path / "documents" / f"{pair}.docs")
