"""How results look to a person: as text where they are printed, as HTML in a notebook.

Results are values of packages that stand left of `report`, which draws them. It is named here
and imported when something is shown, so that imports flow in one direction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from albeit.data.plugins import imported

__all__ = ["Displayed"]


class Displayed:
    """A value that ``albeit.report.views`` can show."""

    __slots__ = ()

    def __str__(self) -> str:
        return _shown("as_text", self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return _shown("as_html", self)


def _shown(how: str, value: object) -> str:
    return cast(Callable[[object], str], imported(f"albeit.report.views:{how}"))(value)
