"""Records as data frames of other packages, imported where they are asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from albeit.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["arrow", "frame"]

Records = Iterable[dict[str, object]]


def frame(records: Records) -> pandas.DataFrame:
    """A pandas frame, a row a record."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError(
            "to_frame needs pandas. Install it: pip install 'albeit[pandas]'"
        ) from None
    return pd.DataFrame(list(records))


def arrow(records: Records) -> pyarrow.Table:
    """An Arrow table, a row a record."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError(
            "Arrow tables need pyarrow. Install it: pip install 'albeit[arrow]'"
        ) from None
    return pa.Table.from_pylist(list(records))
