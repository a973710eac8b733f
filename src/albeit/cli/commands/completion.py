"""Print a completion script for a shell.

bash:  albeit completion bash > ~/.local/share/bash-completion/completions/albeit
zsh:   albeit completion zsh > ~/.zfunc/_albeit      (a folder in $fpath)
fish:  albeit completion fish > ~/.config/fish/completions/albeit.fish
"""

from __future__ import annotations

import sys
from argparse import Namespace

from albeit.cli.parser import Parser


def configure(parser: Parser) -> None:
    """Add the options of ``albeit completion``."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="which shell")


def run(args: Namespace) -> None:
    """Build the parser of every command, and let shtab write the script."""
    import shtab

    from albeit.cli import COMMANDS, command_parser, top_parser

    parser = top_parser()
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, (_, about) in COMMANDS.items():
        command_parser(name, commands.add_parser(name, help=about))
    sys.stdout.write(shtab.complete(parser, args.shell) + "\n")
