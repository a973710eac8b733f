"""What tests of annotation share: a package of a stranger's, as if it were installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from albeit.data.plugins import plugins
from albeit.parsing import layers

STRANGER = Path(__file__).parent / "stranger"


def forget() -> None:
    """Have all plug-ins looked up anew."""
    plugins.cache_clear()
    layers.layers.cache_clear()


@pytest.fixture
def stranger() -> Iterator[None]:
    """Annotators of a stranger's, found by their entry points."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(STRANGER))
        forget()
        yield
    forget()
