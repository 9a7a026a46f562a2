"""`warplens lsp`: the language server over standard input and output, or TCP."""

from __future__ import annotations

import argparse
import gc
import ipaddress
import os
import signal

from warplens.server.cli.commands import SubParsers, command_parser
from warplens.server.cli.streams import write_error
from warplens.server.worker.early_start import start_early

_INTERRUPTED = 130
_FIRST_CLIENT = "whoever comes first reads what this server may read, and nothing is encrypted"


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command."""
    parser = command_parser(commands, "lsp", __doc__)
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
    signal.signal(signal.SIGINT, _interrupted)
    early = start_early()
    gc.disable()  # as start.py does
    from warplens.server.session.log import log_to_standard_error  # noqa: PLC0415 - as below

    log_to_standard_error(arguments.log_level)
    from warplens.server.app import build_server  # noqa: PLC0415 - loads while the analysis process does
    from warplens.server.worker.process import AnalysisProcess  # noqa: PLC0415 - as above

    server = build_server(AnalysisProcess(early=early))
    gc.freeze()  # what was imported lives as long as the process: no hover waits for the collector to look through it
    gc.enable()
    if arguments.tcp:
        if (warning := _who_may_connect(arguments.tcp[0])) is not None:
            write_error(f"warplens: {warning}\n")
        server.start_tcp(*arguments.tcp)
    else:
        server.start_io()
    return 0 if server.is_shut_down else 1


def _interrupted(*_: object) -> None:
    """End at once: a thread waits for the client's next message. The analysis process ends when its pipe does."""
    os._exit(_INTERRUPTED)


def _who_may_connect(host: str) -> str | None:
    """What is to be said of an address that others than this machine's users can reach; None where they can't."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None if host == "localhost" else f"{host} may be reached from other machines: {_FIRST_CLIENT}"
    if address.is_loopback:
        return None
    who = "every machine that reaches this one" if address.is_unspecified else "other machines"
    return f"{host} lets {who} connect: {_FIRST_CLIENT}"


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT")
    return host.strip("[]"), int(port)
