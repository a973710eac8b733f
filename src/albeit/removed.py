"""Names that version 0.3 removed, each with what to use instead. This module goes with version 0.4."""

from __future__ import annotations

__all__ = ["COMMANDS", "METRICS", "OPTIONS", "PARAMETERS"]

METRICS: dict[str, str] = {
    "albeit-party": "use judge, or a combination of your own that 'albeit tune' saves",
    "dr-doc": "use dr for trees of sentences, or coref for whole documents",
    "dr-lex-doc": "use dr-lex for trees of sentences, or coref for whole documents",
    "dr-sem": "use sim",
}
"""Metric to a sentence without capital letter and full stop: ``use sim``."""

PARAMETERS: dict[str, str] = {}
"""``metric(parameter)`` or ``metric(parameter=value)`` to the same."""

COMMANDS: dict[str, str] = {}
"""Command to the same."""

OPTIONS: dict[str, str] = {}
"""Option to the same."""
