"""The directory tree of mt-metrics-eval: one test set, any number of language pairs.

    sources/en-de.txt
    references/en-de.refA.txt
    system-outputs/en-de/NAME.txt
    documents/en-de.docs                       domain and document, one line per segment
    human-scores/en-de.mqm.seg.score
    metric-scores/en-de/BLEU-refA.seg.score

The folder's name is the test set's. Domains are not kept; a tree written here has the one
domain ``all``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from albeit.data.build import TextRows, Texts
from albeit.data.build import language_pair as split_pair
from albeit.data.evalset import UNNAMED, EvalSet, documents_from_ids
from albeit.data.formats.folder import texts_in
from albeit.data.openings import list_folder
from albeit.data.rows import gathered
from albeit.data.scores import LEVELS, ScoreFile, read_scores, split_score_name, write_scores
from albeit.data.textio import read_text, safe_name, split_lines, write_lines
from albeit.errors import InputError

__all__ = [
    "choose",
    "human_scores",
    "language_pairs",
    "looks_like",
    "metric_scores",
    "read",
    "write",
    "write_human_scores",
    "write_metric_scores",
]

_PARTS = ("sources", "references", "system-outputs", "documents")
_NO_DOMAIN = "all"
_ENDINGS = {level: ending for ending, level in LEVELS.items()}


def looks_like(path: Path) -> bool:
    """Whether a folder has this shape."""
    return sum((path / part).is_dir() for part in _PARTS) >= 2


def _texts(folder: Path, prefix: str = "") -> dict[str, Path]:
    """The text files of a folder, which need not be there."""
    return texts_in(folder, prefix) if folder.is_dir() else {}


def language_pairs(path: Path) -> tuple[str, ...]:
    """The language pairs of a tree, sorted."""
    found = set(_texts(path / "sources"))
    found |= {stem.split(".", 1)[0] for stem in _texts(path / "references")}
    if (path / "system-outputs").is_dir():
        found |= {p.name for p in list_folder(path / "system-outputs") if p.is_dir()}
    return tuple(sorted(pair for pair in found if split_pair(pair)))


def choose(path: Path, wanted: str | None) -> tuple[Path, str]:
    """The tree and the language pair; ``TREE/en-de`` names both, though it is no folder."""
    if wanted in (None, path.name) and not path.exists() and split_pair(path.name):
        path, wanted = path.parent, path.name
    known = language_pairs(path)
    if not known:
        raise InputError("has no language pairs.", path=path, hint="Expected sources/xx-yy.txt.")
    if wanted is None and len(known) > 1:
        raise InputError(
            f"has {len(known)} language pairs.", path=path, hint=f"Choose one: {', '.join(known)}."
        )
    if wanted is not None and wanted not in known:
        raise InputError(
            f"has no language pair {wanted!r}.", path=path, hint=f"It has: {', '.join(known)}."
        )
    return path, wanted or known[0]


def read(path: Path, *, language_pair: str | None = None, unescape: bool = False) -> EvalSet:
    """Read one language pair of a tree."""
    path, pair = choose(path, language_pair)
    texts: Texts = {
        ("reference", name): [file]
        for name, file in _texts(path / "references", f"{pair}.").items()
    }
    if pair in (sources := _texts(path / "sources")):
        texts["source", "source"] = [sources[pair]]
    for name, file in _texts(path / "system-outputs" / pair).items():
        texts["system", name] = [file]
    source_lang, target_lang = split_pair(pair) or (None, None)
    evalset = gathered(
        TextRows(
            texts,
            name=path.resolve().name or UNNAMED,
            source_lang=source_lang,
            target_lang=target_lang,
            unescape=unescape,
        )
    )
    docs = path / "documents" / f"{pair}.docs"
    if not docs.is_file():
        return evalset
    ids, domains = _documents(docs, len(evalset))
    found = documents_from_ids(ids, domains=domains, place=lambda row: (str(docs), row + 1))
    return replace(evalset, documents=found)


def _documents(path: Path, size: int) -> tuple[list[str], dict[str, str]]:
    """The document ids of a ``.docs`` file, its second column, and their domains, its first."""
    ids: list[str] = []
    domains: dict[str, str] = {}
    for number, line in enumerate(split_lines(read_text(path)), 1):
        cells = line.split()
        if len(cells) != 2:
            raise InputError("the line is not a domain and a document.", path=path, line=number)
        ids.append(cells[1])
        domains[cells[1]] = "" if cells[0] == _NO_DOMAIN else cells[0]
    if len(ids) != size:
        raise InputError(
            f"has {len(ids)} lines, but there are {size} segments.",
            path=path,
            line=min(len(ids), size) + 1,
        )
    return ids, domains


def _pair_of(evalset: EvalSet) -> str:
    pair = f"{evalset.source_lang}-{evalset.target_lang}"
    if split_pair(pair) != (evalset.source_lang, evalset.target_lang):
        raise InputError(
            f"mt-metrics-eval needs two languages like en-de, not {pair!r}.",
            hint="Set source_lang and target_lang (relabel).",
        )
    return pair


def write(evalset: EvalSet, path: Path) -> None:
    """Write one language pair into a tree, beside any others there."""
    pair = _pair_of(evalset)
    if evalset.source is not None:
        write_lines(evalset.source, path / "sources" / f"{pair}.txt")
    for name, lines in evalset.references.items():
        if name in ("all", "src") or "." in name or "-" in name:
            raise InputError(
                f"mt-metrics-eval cannot have a reference called {name!r}.",
                hint="Its name must not be all or src, nor hold a dot or hyphen. Rename it.",
            )
        write_lines(lines, path / "references" / f"{pair}.{safe_name(name, 'reference')}.txt")
    for name, lines in evalset.systems.items():
        write_lines(lines, path / "system-outputs" / pair / f"{safe_name(name, 'system')}.txt")
    rows = [(d.domain or _NO_DOMAIN, d.id) for d in evalset.documents for _ in range(len(d))]
    for row in rows:
        for what, name in zip(("domain", "document"), row, strict=True):
            if name.split() != [name]:
                raise InputError(
                    f"mt-metrics-eval cannot have a {what} called {name!r}.",
                    hint="Its name must not hold spaces. Rename it.",
                )
    write_lines(map("\t".join, rows), path / "documents" / f"{pair}.docs")


def human_scores(
    path: Path, language_pair: str | None = None, evalset: EvalSet | None = None
) -> tuple[ScoreFile, ...]:
    """All human scores of a language pair: ``human-scores/en-de.NAME.LEVEL.score``."""
    path, pair = choose(path, language_pair)
    found = _score_files(path / "human-scores", f"{pair}.", evalset)
    return tuple(replace(scores, name=scores.name.removeprefix(f"{pair}.")) for scores in found)


def metric_scores(
    path: Path, language_pair: str | None = None, evalset: EvalSet | None = None
) -> tuple[ScoreFile, ...]:
    """All metric scores of a language pair; ``NAME-REF`` is split at its last hyphen."""
    path, pair = choose(path, language_pair)
    found: list[ScoreFile] = []
    for scores in _score_files(path / "metric-scores" / pair, "", evalset):
        name, hyphen, reference = scores.name.rpartition("-")
        found.append(replace(scores, name=name, reference=reference) if hyphen else scores)
    return tuple(found)


def _score_files(folder: Path, prefix: str, evalset: EvalSet | None) -> list[ScoreFile]:
    if not folder.is_dir():
        return []
    return [
        read_scores(file, evalset)
        for file in list_folder(folder)
        if file.name.startswith(prefix) and split_score_name(file) is not None
    ]


def write_human_scores(scores: Iterable[ScoreFile], path: Path, language_pair: str) -> None:
    """Write human scores into a tree."""
    for one in scores:
        name = safe_name(f"{language_pair}.{one.name}.{_ENDINGS[one.level]}.score", "score")
        write_scores(one, path / "human-scores" / name)


def write_metric_scores(scores: Iterable[ScoreFile], path: Path, language_pair: str) -> None:
    """Write metric scores into a tree; a metric without a reference is one of ``src``."""
    for one in scores:
        stem = f"{one.name}-{one.reference or 'src'}"
        name = safe_name(f"{stem}.{_ENDINGS[one.level]}.score", "score")
        write_scores(one, path / "metric-scores" / language_pair / name)
