"""Help fits a screen, explains every option in the same form, and ``--help-all`` has all."""

from __future__ import annotations

import re
import shlex
from argparse import SUPPRESS

import pytest

from albeit import removed
from albeit.cli import COMMANDS, GROUPS, command_parser, list_parsers, overview
from albeit.cli.help import explain, invocation, sections
from albeit.cli.parser import Parser, read_text
from tests.cli.conftest import Run

PARSERS = list(list_parsers())
VERBS = """Accept Add Align Apply Attach Average Choose Cluster Compare Compute Disable Estimate
Exit Explain Flag Hide Ignore Keep Let Limit List Listen Make Name Overwrite Parse Pool Print
Process Propose Put Rank Read Resolve Restart Run Score Select Set Show Skip Split Standardize Stop
Test Train Treat Use Work Write"""
each_parser = pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.prog)


def test_the_overview_has_each_command_once_on_a_screen() -> None:
    assert " ".join(GROUPS.values()).split() == list(COMMANDS)
    lines = overview().splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert all(re.search(rf"^  (.*, )?{name}\b", overview(), re.MULTILINE) for name in COMMANDS)


@each_parser
def test_help_is_one_screen_with_purpose_usage_and_labeled_examples(parser: Parser) -> None:
    lines = parser.format_help().splitlines()
    assert len(lines) <= 24
    assert re.fullmatch(r"[A-Z].*\.", lines[0])
    assert lines[2].startswith(f"Usage: {parser.prog} ")
    start = next(n for n, line in enumerate(lines) if line.startswith("Examples"))
    assert lines[start + 4] == ""
    labeled = [re.fullmatch(r"  albeit .*\S\s+# \S.*", line) for line in lines[start + 1 :][:3]]
    assert all(labeled) or parser.prog == "albeit completion"  # commands that redirect are long
    assert lines[-1] == f"More options: {parser.prog} --help-all"


@each_parser
def test_all_options_are_in_the_full_help_with_verb_and_default(parser: Parser) -> None:
    full = parser.format_help(full=True)
    assert max(map(len, f"{full}\n{parser.format_help()}".splitlines())) <= 80
    for action in (each for each in parser._actions if each.help != SUPPRESS):
        text, default = explain(action, full=True), action.default
        assert f"\n  {invocation(action)}" in full
        assert not action.option_strings or text.split()[0].rstrip(",") in VERBS.split(), text
        assert text[0].isupper()
        assert "(default" not in text
        if default not in (None, False, (), "", SUPPRESS):
            shown = default[0] if isinstance(default, tuple) else default
            assert re.search(rf"\[default: .*{re.escape(str(shown))}.*\]$", text), text
        assert all(str(choice) in text for choice in action.choices or ())


def test_an_option_name_means_the_same_in_every_command() -> None:
    kinds: dict[str, set[tuple[str, bool]]] = {}
    for parser in PARSERS:
        for action in (each for _, group in sections(parser) for each in group):
            for name in action.option_strings:
                kinds.setdefault(name, set()).add(
                    (max(action.option_strings, key=len), action.nargs == 0)
                )
    assert {name: found for name, found in kinds.items() if len(found) > 1} == {}


@pytest.mark.parametrize(("old", "new"), removed.RENAMED.items())
def test_renamed_options_have_their_new_name_only_in_help(old: str, new: str) -> None:
    command, _, option = old.rpartition(" ")
    (parser,) = (each for each in PARSERS if each.prog == f"albeit {command}")
    assert new in parser._option_string_actions
    assert option not in parser._option_string_actions


def test_a_renamed_option_still_works_and_names_the_new_one(albeit: Run) -> None:
    done = albeit(shlex.join(["parse", "-l", "nothing"]))
    assert "-l is now --layer" in done.err
    assert "there is no layer 'nothing'" in done.err


@each_parser
def test_examples_are_commands(parser: Parser) -> None:
    head, details, _ = read_text(parser.kind)
    shared = re.findall(r"Examples \(each with (.*)\):", head[-1])
    lines = re.findall(r"^ +albeit (.*)", "\n".join([head[-1], *details]), re.MULTILINE)
    assert len(lines) >= 3
    for line in lines:
        name, *words = shlex.split(" ".join([re.split(r" [>#] ", line)[0], *shared]))
        command_parser(name).read(words)
