"""`warplens lsp`: the language server over standard input and output, or TCP."""

from __future__ import annotations

import argparse
import gc
import logging
import sys

from warplens.server.cli.commands import SubParsers
from warplens.server.worker.early_start import start_early


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command."""
    parser = commands.add_parser("lsp", help="start the language server", description=__doc__)
    parser.add_argument("--stdio", action="store_true", help="use standard input and output (the default)")
    parser.add_argument("--tcp", metavar="HOST:PORT", type=_address, help="listen on a TCP address for one client")
    parser.add_argument(
        "--log-level",
        default="WARNING",
        type=str.upper,
        choices=("DEBUG", "INFO", "WARNING", "ERROR"),
        help="how much to log, on standard error (default: %(default)s)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client is gone; 1, as LSP wants, if it went without asking for a shutdown."""
    logging.basicConfig(stream=sys.stderr, level=arguments.log_level, format="%(levelname)s %(name)s: %(message)s")
    early = start_early()
    gc.disable()  # as start.py does
    from warplens.server.app import build_server  # noqa: PLC0415 - loads while the analysis process does
    from warplens.server.worker.process import AnalysisProcess  # noqa: PLC0415 - as above

    server = build_server(AnalysisProcess(early=early))
    gc.freeze()  # what was imported lives as long as the process: no hover waits for the collector to look through it
    gc.enable()
    if arguments.tcp:
        server.start_tcp(*arguments.tcp)
    else:
        server.start_io()
    return 0 if server.is_shut_down else 1


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT")
    return host.strip("[]"), int(port)
