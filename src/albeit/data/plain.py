"""A test set from what is in memory already: lists of lines, or the columns of a data frame.

A frame is anything with named columns: pandas, polars, a pyarrow table, or whatever speaks
Arrow's ``__arrow_c_stream__``; none of them is imported unless it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from albeit.data.evalset import UNNAMED, Document, EvalSet, documents_from_ids
from albeit.errors import InputError, MissingExtraError

__all__ = ["evalset_of"]

Column = Callable[[str], list[Any]]


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
    """A test set of translations and references.

    ``data`` is one system's lines, a mapping of names to lines, or a data frame. Of a frame
    ``references``, ``source`` and ``documents`` name columns, and ``systems`` too (without it:
    all the others). Elsewhere they are lines: one reference's, a list of several, or a
    mapping of names to lines; ``documents`` has the id of every segment's.
    """
    if columns := _columns(data):
        names, column = columns
        return _of_frame(
            names,
            column,
            _listed(references),
            source,
            documents,
            systems,
            {"source_lang": source_lang, "target_lang": lang, "name": name},
        )
    if systems is not None:
        raise InputError("systems names columns of a data frame.", hint="Give a dict of systems.")
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise InputError(
            f"{data!r} is no EvalSet.",
            hint="Give one, a list of lines, a dict of names to lines, or a data frame;"
            " albeit.read(PATH) reads a file.",
        )
    translations: Any = data if isinstance(data, Mapping) else {"system": data}
    if not translations:
        raise InputError("there are no translations: the dict of systems is empty.")
    return EvalSet(
        _references(references),
        translations,
        source,  # type: ignore[arg-type]
        _documents(documents),
        source_lang,
        lang,
        name,
    )


def _references(given: Any) -> Mapping[str, Any]:
    """One reference is ``ref``, several are ``ref1``, ``ref2`` …"""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return given
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


def _listed(names: Any) -> list[str]:
    if names is None:
        return []
    return [names] if isinstance(names, str) else list(names)


def _columns(data: Any) -> tuple[list[str], Column] | None:
    """The names of a frame's columns, and what gives one as a list; ``None`` for no frame."""
    if isinstance(data, Mapping) or _is_column(data):
        return None
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        names = getattr(data, "column_names", None) or [str(each) for each in data.columns]
        return list(names), lambda name: _values(data[name])
    if hasattr(data, "__arrow_c_stream__"):
        try:
            import pyarrow
        except ImportError:
            raise MissingExtraError(
                "reading this frame needs pyarrow. Install it: pip install 'albeit[arrow]'"
            ) from None
        table = pyarrow.table(data)
        return table.column_names, lambda name: _values(table[name])
    return None


def _is_column(data: Any) -> bool:
    """Whether this is one column, such as a pandas or polars Series, and no frame."""
    to_list = hasattr(data, "to_list") or hasattr(data, "to_pylist")
    return to_list and not hasattr(data, "columns")


def _values(column: Any) -> list[Any]:
    to_list = getattr(column, "to_pylist", None) or column.to_list
    return list(to_list())


def _of_frame(
    names: Sequence[str],
    column: Column,
    references: Sequence[str],
    source: Any,
    documents: Any,
    systems: Sequence[str] | None,
    labels: Mapping[str, Any],
) -> EvalSet:
    taken = [*references, *(each for each in (source, documents) if each is not None)]
    chosen = [each for each in names if each not in taken] if systems is None else _listed(systems)
    for each in (*taken, *chosen):
        if not isinstance(each, str) or each not in names:
            raise InputError(
                f"the data frame has no column {each!r}.", hint=f"It has: {', '.join(names)}."
            )
    texts = {each: column(each) for each in chosen}
    for each, values in texts.items():
        if systems is None and not any(isinstance(value, str) for value in values):
            raise InputError(
                f"column {each!r} of the data frame holds no text.",
                hint="Name the systems' columns: systems=[…].",
            )
    return EvalSet(
        {each: column(each) for each in references},  # type: ignore[misc]
        texts,  # type: ignore[arg-type]
        None if source is None else column(source),  # type: ignore[arg-type]
        _documents(None if documents is None else column(documents)),
        **labels,
    )
