"""Build a test set from lists of lines, or from the columns of a data frame.

A frame is anything with named columns: pandas, polars, a pyarrow table, or an object with Arrow's
``__arrow_c_stream__``. No package is imported unless its frame is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from albeit.data.evalset import UNNAMED, Document, EvalSet, documents_from_ids
from albeit.errors import InputError, MissingExtraError


def evalset_of(
    data: object,
    references: object = None,
    *,
    source: object = None,
    documents: object = None,
    systems: Sequence[str] | None = None,
    lang: str = "en",
    source_lang: str | None = None,
    name: str = UNNAMED,
) -> EvalSet:
    """Build a test set of translations and references.

    ``data`` is one system's lines, a mapping of names to lines, or a data frame. For a frame,
    ``references``, ``source``, ``documents``, and ``systems`` (default: all other columns) name
    columns. Otherwise they are lines: one reference's, a list of several, or a mapping of names to
    lines; ``documents`` has one id per segment.
    """
    texts: Any = data
    if columns := _columns(data):
        names, column = columns
        labels = _names(references)
        used = [*labels, *(each for each in (source, documents) if each is not None)]
        texts = _texts(names, column, used, systems)
        references = {each: column(each) for each in labels}
        source = None if source is None else column(str(source))
        documents = None if documents is None else column(str(documents))
    elif systems is not None:
        raise InputError("systems names columns of a data frame.", hint="Give a dict of systems.")
    elif isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise InputError(
            f"{data!r} is no EvalSet.",
            hint="Give one, a list of lines, a dict of names to lines, or a data frame;"
            " albeit.read(PATH) reads a file.",
        )
    elif not isinstance(data, Mapping):
        texts = {"system": data}
    elif not data:
        raise InputError("there are no translations: the dict of systems is empty.")
    lines: Any = source
    spans = _documents(documents)
    return EvalSet(_references(references), texts, lines, spans, source_lang, lang, name)


def _names(given: Any) -> list[str]:
    return [given] if isinstance(given, str) else list(given or ())


def _texts(
    names: Sequence[str],
    column: Callable[[str], list[Any]],
    used: Sequence[object],
    systems: Sequence[str] | None,
) -> dict[str, list[Any]]:
    """Return the columns of the systems."""
    chosen = [each for each in names if each not in used] if systems is None else _names(systems)
    for each in (*used, *chosen):
        if not isinstance(each, str) or each not in names:
            hint = f"It has: {', '.join(names)}."
            raise InputError(f"the data frame has no column {each!r}.", hint=hint)
    texts = {each: column(each) for each in chosen}
    for each, values in texts.items():
        if systems is None and not any(isinstance(value, str) for value in values):
            what = f"column {each!r} of the data frame holds no text."
            raise InputError(what, hint="Name the systems' columns: systems=[…].")
    return texts


def _references(given: Any) -> Mapping[str, Any]:
    """Name references: one is ``ref``, several are ``ref1``, ``ref2`` …"""
    if given is None or isinstance(given, Mapping):
        return given or {}
    several = isinstance(given, Sequence) and not isinstance(given, str)
    if several and given and not any(isinstance(each, str) for each in given):
        return {f"ref{number}": lines for number, lines in enumerate(given, 1)}
    return {"ref": given}


def _documents(ids: Any) -> tuple[Document, ...]:
    if ids is None:
        return ()
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise InputError(f"documents are {ids!r}.", hint="Give one document id per segment.")
    return documents_from_ids([each if isinstance(each, str) else str(each) for each in ids])


def _columns(data: Any) -> tuple[list[str], Callable[[str], list[Any]]] | None:
    """Return the column names of a frame, and a function from name to list; ``None`` otherwise."""
    is_column = hasattr(data, "to_list") or hasattr(data, "to_pylist")  # one pandas Series
    if isinstance(data, Mapping) or (is_column and not hasattr(data, "columns")):
        return None
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        names = getattr(data, "column_names", None) or [str(each) for each in data.columns]
    elif hasattr(data, "__arrow_c_stream__"):
        try:
            import pyarrow
        except ImportError:
            raise MissingExtraError(
                "reading this frame needs pyarrow. Install it: pip install 'albeit[arrow]'"
            ) from None
        data = pyarrow.table(data)
        names = data.column_names
    else:
        return None

    def values(name: str) -> list[Any]:
        column = data[name]
        return list((getattr(column, "to_pylist", None) or column.to_list)())

    return list(names), values
