"""`warplens what-if FILE:LINE`: a loop nest's prediction with another size, GPU, CPU or launch, beside the one now."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from warplens.server.cli.analyse_files import analyse_file
from warplens.server.cli.arguments import (
    add_machine_options,
    add_source_options,
    console_for,
    extent,
    names,
    place,
    positive,
    settings_of,
)
from warplens.server.cli.commands import SubParsers, command_parser, failed
from warplens.server.cli.find_loop import NoLoopError, loop_at_line
from warplens.server.cli.what_if_report import print_what_if
from warplens.server.cli.write_json import print_json
from warplens.server.settings.settings import Settings
from warplens.server.what_if.answer import answered
from warplens.server.what_if.asked_changes import DATA_PLACES
from warplens.server.what_if.job import WhatIfJob

_EXIT_CODES = """exit codes:
  0  the prediction was made with all the changes
  1  a change could not be made: the reason is said; or the file could not be read or its analysis failed
  2  the command line was wrong: no such option or GPU, no loop at the line
"""


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command and its options."""
    parser = command_parser(
        commands,
        "what-if",
        f"{__doc__} Options of the first groups are the changes; without any the choices are listed.",
        _EXIT_CODES,
    )
    parser.add_argument("place", metavar="FILE:LINE", type=place, help="a loop's header, or a line inside the loop")
    add_machine_options(parser)
    launch = parser.add_argument_group("launch (what is not said is chosen as best for the rest)")
    launch.add_argument("--block", metavar="XxYxZ", type=extent, help="threads per block, such as 32x8")
    launch.add_argument("--work", metavar="N", type=positive, help="outputs that a thread computes")
    launch.add_argument(
        "--shared", metavar="A,B", type=_arrays, help="exactly these arrays in shared memory, or `none`"
    )
    launch.add_argument("--kernel", metavar="N", type=positive, help="of several kernels this one, counted from 1")
    parser.add_argument(
        "--data", choices=DATA_PLACES, help="cold (default): it is copied in and out; resident: it is on the GPU"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object (docs/what-if.md) instead of text")
    add_source_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Predict and print; 2 for a line without a loop, 1 for a change or a file that can't be used."""
    path, line = arguments.place
    if Path(path).is_dir():
        return failed(path, "a folder has no lines, name a C file")
    now = Settings()
    settings = replace(settings_of(arguments), gpu=now.gpu, cpu=now.cpu, sizes=())
    result = asyncio.run(analyse_file(path, settings))
    if result.answer is None:
        return failed(path, result.failure)
    try:
        nest = loop_at_line(result.answer, result.text, line).nest
    except NoLoopError as error:
        return failed(f"{path}:{line}", str(error), 2 if error.is_usage else 1)
    job = WhatIfJob(result.text, nest, _changes(arguments), settings.analysis_time_limit_s, reads_files=True)
    answer = answered(job)
    if arguments.json:
        print_json({"path": path, **answer})
    else:
        print_what_if(console_for(arguments.color), path, answer, is_changed=bool(job.changes))
    return 1 if answer["problems"] else 0


def _changes(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options as the `changes` of a request."""
    asked = {
        "sizes": dict(arguments.sizes) or None,
        "gpu": arguments.gpu,
        "cpu": arguments.cpu,
        "block": arguments.block,
        "workPerThread": arguments.work,
        "shared": arguments.shared,
        "data": arguments.data,
        "kernel": None if arguments.kernel is None else arguments.kernel - 1,
    }
    return {name: value for name, value in asked.items() if value is not None}


def _arrays(text: str) -> Sequence[str]:
    return () if text == "none" else names(text)
