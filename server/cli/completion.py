"""`warplens completion SHELL`: the script that lets a shell complete commands, options and names of GPUs.

To have it in every shell, once:

  bash  warplens completion bash > ~/.local/share/bash-completion/completions/warplens
  zsh   warplens completion zsh > DIR/_warplens    a folder of $fpath
  fish  warplens completion fish > ~/.config/fish/completions/warplens.fish

In the shell that runs now, and where bash-completion is not installed in ~/.bashrc:

  source <(warplens completion bash)
"""

from __future__ import annotations

import argparse
from pathlib import Path

from warplens.server.cli.commands import SubParsers, command_parser
from warplens.server.cli.streams import write_out

SCRIPTS = {"bash": "warplens.bash", "zsh": "_warplens", "fish": "warplens.fish"}
"""Files beside this one, by shell: written by `make docs` where a command or an option changes, which takes seconds."""


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command."""
    parser = command_parser(commands, "completion", __doc__)
    parser.add_argument("shell", choices=tuple(SCRIPTS), help="the shell to write it for")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    write_out(script_path(arguments.shell).read_text(encoding="utf-8"))
    return 0


def script_path(shell: str) -> Path:
    """Where a shell's script was installed."""
    return Path(__file__).with_name("shells") / SCRIPTS[shell]
