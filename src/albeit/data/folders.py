"""Test sets in folders: one file per text, or the directory tree of mt-metrics-eval; named sets.

A folder of text files has the following files, each plain or compressed (``.txt.gz``). A name that
is a pair of two-letter languages (``cs-en``) gives the languages, and the folder above it the name
of the test set.

    src.txt             the source, if any
    ref.txt, refA.txt   references named ``ref``, ``refA``; ``ref_B.txt`` is named ``B``
    systems/NAME.txt    one file per system
    docids.txt          one document id per line, in its first tab-separated column

A tree of mt-metrics-eval has one test set with any number of language pairs. A document without a
domain is written with the domain ``all``.

    sources/en-de.txt
    references/en-de.refA.txt
    system-outputs/en-de/NAME.txt
    documents/en-de.docs                       domain and document, one line per segment
    human-scores/en-de.mqm.seg.score
    metric-scores/en-de/BLEU-refA.seg.score

Named sets are those that sacreBLEU downloads (``wmt23``), into its folder (``~/.sacrebleu``, or
``SACREBLEU``), and the trees under ``~/.mt-metrics-eval`` (or ``ALBEIT_MTME``) that the ``mtme``
tool downloads (``mtme:wmt23``). A set that is there is read without the network.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from difflib import get_close_matches
from logging.handlers import BufferingHandler
from pathlib import Path
from typing import Any, NamedTuple

from albeit.data.build import NO_DOMAIN, TextFiles, Texts, add_text
from albeit.data.build import language_pair as split_pair
from albeit.data.evalset import UNNAMED, EvalSet
from albeit.data.files import AnyPath, list_folder
from albeit.data.textio import safe_name, write_lines
from albeit.errors import InputError


def _texts_in(folder: Path, prefix: str = "") -> dict[str, Path]:
    """Return the text files of a folder that begin with a prefix, by the rest of their stem.

    The folder need not exist.
    """
    texts: dict[str, Path] = {}
    for path in list_folder(folder) if folder.is_dir() else ():
        name = path.name.removesuffix(".gz")
        stem = name.removesuffix(".txt").removeprefix(prefix)
        if name.startswith(prefix) and name.endswith(".txt") and path.is_file() and name[0] != ".":
            if stem in texts:
                raise InputError(f"is there twice, also as {texts[stem].name}.", path=path)
            texts[stem] = path
    return texts


def is_folder(path: Path) -> bool:
    """Return whether a folder has the shape of a test set."""
    names = [p.name for p in list_folder(path) if p.name.endswith((".txt", ".txt.gz"))]
    return any(n.startswith(("src", "ref")) for n in names) or (path / "systems").is_dir()


def read_folder(path: Path, *, docs: AnyPath | None = None, unescape: bool = False) -> TextFiles:
    """Open the texts of a folder; ``docs`` replaces its ``docids.txt``."""
    files = _texts_in(path)
    texts: Texts = {}
    for stem, file in files.items():
        if stem.startswith("ref"):
            add_text(texts, "reference", stem.removeprefix("ref_") or stem, [file])
    if "src" in files:
        texts["source", "source"] = [files["src"]]
    for stem, file in _texts_in(path / "systems").items():
        texts["system", stem] = [file]
    if not texts:
        hint = "Expected src.txt, ref.txt or systems/*.txt."
        raise InputError("has no test set.", path=path, hint=hint)
    folder = path.resolve()
    pair = split_pair(folder.name)
    if pair and max(len(side.split("_")[0]) for side in folder.name.split("-")) > 2:
        pair = None  # "new-run" isn't a pair of languages: codes of three letters must be given
    name = folder.parent.name if pair else folder.name
    docs = docs if docs is not None else files.get("docids")
    return TextFiles(texts, docs, unescape=unescape, **_labels(pair, name))


def _labels(pair: tuple[str, str] | None, name: str) -> dict[str, Any]:
    source_lang, target_lang = pair or (None, None)
    return {"name": name or UNNAMED, "source_lang": source_lang, "target_lang": target_lang}


def write_folder(evalset: EvalSet, path: Path) -> None:
    """Write a folder; languages are kept only by a name like ``xx-yy``."""
    if evalset.source is not None:
        write_lines(evalset.source, path / "src.txt")
    for name, lines in evalset.references.items():
        plain = name.startswith("ref") and not name.startswith("ref_")
        write_lines(lines, path / f"{safe_name(name if plain else 'ref_' + name, 'reference')}.txt")
    for name, lines in evalset.systems.items():
        write_lines(lines, path / "systems" / f"{safe_name(name, 'system')}.txt")
    if evalset.has_documents:
        for document in evalset.documents:
            if "\t" in document.id or not document.id.strip():
                raise InputError(f"document id {document.id!r} cannot be written to {path}.")
        write_lines(evalset.document_ids(), path / "docids.txt")


def is_tree(path: Path) -> bool:
    """Return whether a folder has the shape of a tree of mt-metrics-eval."""
    parts = ("sources", "references", "system-outputs", "documents")
    return sum((path / part).is_dir() for part in parts) >= 2


def language_pairs(path: Path) -> tuple[str, ...]:
    """Return the language pairs of a tree, sorted."""
    names = set(_texts_in(path / "sources"))
    names |= {stem.split(".", 1)[0] for stem in _texts_in(path / "references")}
    names |= {folder.name for folder in (path / "system-outputs").glob("*/")}
    return tuple(sorted(pair for pair in names if split_pair(pair)))


def choose_pair(path: Path, wanted: str | None) -> tuple[Path, str]:
    """Return the tree and the language pair; ``TREE/en-de`` names both, though it is no folder."""
    if wanted in (None, path.name) and not path.exists() and split_pair(path.name):
        path, wanted = path.parent, path.name
    known = language_pairs(path)
    if not known:
        raise InputError("has no language pairs.", path=path, hint="Expected sources/xx-yy.txt.")
    if wanted not in known and (wanted is not None or len(known) > 1):
        what = f"{len(known)} language pairs" if wanted is None else f"no language pair {wanted!r}"
        raise InputError(f"has {what}.", path=path, hint=f"Choose one: {', '.join(known)}.")
    return path, wanted or known[0]


def read_tree(path: Path, *, language_pair: str | None = None, unescape: bool = False) -> TextFiles:
    """Open the texts of one language pair of a tree."""
    path, pair = choose_pair(path, language_pair)
    texts: Texts = {}
    for name, file in _texts_in(path / "references", f"{pair}.").items():
        texts["reference", name] = [file]
    if pair in (sources := _texts_in(path / "sources")):
        texts["source", "source"] = [sources[pair]]
    for name, file in _texts_in(path / "system-outputs" / pair).items():
        texts["system", name] = [file]
    file = path / "documents" / f"{pair}.docs"
    docs = file if file.is_file() else None
    labels = _labels(split_pair(pair), path.resolve().name)
    return TextFiles(texts, docs, has_domains=True, unescape=unescape, **labels)


def write_tree(evalset: EvalSet, path: Path) -> None:
    """Write one language pair into a tree, which may have others."""
    pair = f"{evalset.source_lang}-{evalset.target_lang}"
    if split_pair(pair) != (evalset.source_lang, evalset.target_lang):
        what = f"mt-metrics-eval needs two languages like en-de, not {pair!r}."
        raise InputError(what, hint="Set source_lang and target_lang (relabel).")
    for name in evalset.references:
        if name in ("all", "src") or "." in name or "-" in name:
            hint = "Its name must not be all or src, nor hold a dot or hyphen. Rename it."
            raise InputError(f"mt-metrics-eval cannot have a reference called {name!r}.", hint=hint)
    rows = [(d.domain or NO_DOMAIN, d.id) for d in evalset.documents for _ in range(len(d))]
    for name in {name for row in rows for name in row}:
        if name.split() != [name]:
            what = f"mt-metrics-eval cannot have a document or domain called {name!r}."
            raise InputError(what, hint="Its name must not hold spaces. Rename it.")
    if evalset.source is not None:
        write_lines(evalset.source, path / "sources" / f"{pair}.txt")
    for name, lines in evalset.references.items():
        write_lines(lines, path / "references" / f"{pair}.{safe_name(name, 'reference')}.txt")
    for name, lines in evalset.systems.items():
        write_lines(lines, path / "system-outputs" / pair / f"{safe_name(name, 'system')}.txt")
    write_lines(map("\t".join, rows), path / "documents" / f"{pair}.docs")


MTME = "mtme:"
"""The prefix of mt-metrics-eval names."""
_NOT_SYSTEMS = ("src", "docid", "origlang", "domain")


class NamedSet(NamedTuple):
    """The files of a set; ``references`` and ``systems`` are ``NAME=FILE``.

    An mt-metrics-eval ``tree`` has all of them.
    """

    pair: str
    references: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    source: str | None = None
    docs: str | None = None
    tree: str | None = None


def find_set(name: str, pair: str | None) -> NamedSet:
    """Return the files of a named set and language pair; sacreBLEU downloads missing ones."""
    if name.startswith(MTME):
        return _find_tree(name.removeprefix(MTME), pair)
    from sacrebleu.dataset import DATASETS

    if name not in DATASETS:
        close = get_close_matches(name, DATASETS, n=3)
        near = f"Did you mean {' or '.join(close)}? " if close else ""
        hint = f"{near}'sacrebleu --list' lists sacreBLEU's test sets; mtme:NAME is a tree of"
        raise InputError(f"there is no test set {name!r}.", hint=f"{hint} mt-metrics-eval.")
    pair = _check_pair(name, pair, sorted(DATASETS[name].langpairs))
    return _find_local(DATASETS[name], pair) or _download(DATASETS[name], pair)


def _check_pair(name: str, pair: str | None, pairs: Iterable[str]) -> str:
    if pair is None or pair not in pairs:
        wrong = "needs a language pair" if pair is None else f"has no language pair {pair!r}"
        raise InputError(f"{name} {wrong}.", hint=f"Choose one with -l: {', '.join(pairs)}.")
    return pair


def _folder(dataset: Any) -> Path:
    from sacrebleu import utils

    return Path(utils.SACREBLEU_DIR) / str(dataset.name)


def _find_local(dataset: Any, pair: str) -> NamedSet | None:
    """Return a set in sacreBLEU's folder; ``None`` without source or reference."""
    prefix = f"{dataset.name.replace('/', '_')}.{pair}."
    files = sorted(_folder(dataset).glob(f"{prefix}*"))
    texts = {file.name.removeprefix(prefix): str(file) for file in files if file.stat().st_size}
    chosen = dataset.langpairs[pair]
    labels = chosen.get("refs") if isinstance(chosen, dict) else None
    labels = dataset.kwargs.get("refs") if labels is None else labels
    references = [field for field in texts if field.startswith("ref")]
    if labels is not None:
        allowed = {f"ref-{label}" if label else "ref" for label in labels}
        references = [field for field in texts if field in allowed]
    if "src" not in texts or not references:
        return None
    systems = [f for f in texts if f not in _NOT_SYSTEMS and not f.startswith("ref")]
    named = tuple(f"{field.removeprefix('ref-')}={texts[field]}" for field in references)
    outputs = tuple(f"{field}={texts[field]}" for field in systems)
    return NamedSet(pair, named, outputs, texts["src"], texts.get("docid"))


def _download(dataset: Any, pair: str) -> NamedSet:
    """Let sacreBLEU download and check a set, then return its files."""
    logger = logging.getLogger("sacrebleu")
    handler = BufferingHandler(1000)
    before, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        dataset.get_files(pair)
    except (Exception, SystemExit) as error:
        errors = [r.getMessage() for r in handler.buffer if r.levelno >= logging.ERROR]
        reason = "; ".join(errors) or str(error) or type(error).__name__
        what = f"{dataset.name} {pair} is not in {_folder(dataset)}, and sacreBLEU could not fetch"
        hint = f"Fetch it where there is a network (sacrebleu -t {dataset.name} -l {pair} --echo"
        hint = f"{hint} src), or copy that folder."
        raise InputError(f"{what} it: {reason}.", hint=hint) from None
    finally:
        logger.removeHandler(handler)
        logger.propagate = before
    files = _find_local(dataset, pair)
    if files is None:
        raise InputError(f"sacreBLEU's {dataset.name} has no source and reference for {pair}.")
    return files


def _find_tree(name: str, pair: str | None) -> NamedSet:
    given = os.environ.get("ALBEIT_MTME")
    root = Path(given or Path.home() / ".mt-metrics-eval")
    paths = [path for folder in (root, root / "mt-metrics-eval-v2") for path in folder.glob("*/")]
    trees = {path.name: path for path in sorted(paths) if is_tree(path)}
    if name not in trees:
        where = given or "~/.mt-metrics-eval"
        what = f"there is no mt-metrics-eval set {name!r} in {where}; there are"
        hint = "Download them with mt-metrics-eval (python -m mt_metrics_eval.mtme --download),"
        hint = f"{hint} or set ALBEIT_MTME to their folder."
        raise InputError(f"{what} {', '.join(trees) or 'none'}.", hint=hint)
    pair = _check_pair(MTME + name, pair, language_pairs(trees[name]))
    return NamedSet(pair, tree=str(trees[name]))
