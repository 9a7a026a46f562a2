"""What `warplens compare` does: a loop nest is predicted on each GPU, and the table printed."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace
from pathlib import Path

from warplens.hwprofiles.loader import gpu_names
from warplens.server.cli.analyse_files import analyse_file
from warplens.server.cli.arguments import settings_of
from warplens.server.cli.commands import failed
from warplens.server.cli.compare_report import Compared, compared_as_json, print_compared
from warplens.server.cli.find_loop import NoLoopError, loop_at_line
from warplens.server.cli.terminal import console_for
from warplens.server.cli.write_json import print_json
from warplens.server.compared_gpus.answer import compared
from warplens.server.compared_gpus.default_gpus import COMPARED
from warplens.server.compared_gpus.job import CompareJob
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import line_in
from warplens.server.worker.packing import unpack


def compare(arguments: argparse.Namespace) -> int:
    """Predict and print; 2 for a line without a loop, 1 where there is nothing to compare or no GPU is fast enough."""
    path, line = arguments.place
    if Path(path).is_dir():
        return failed(path, "a folder has no lines, name a C file")
    gpus = arguments.gpus or (gpu_names() if arguments.limit_s is not None else COMPARED)
    settings = replace(settings_of(arguments), gpu=gpus[0])
    result = asyncio.run(analyse_file(path, settings))
    if result.answer is None:
        return failed(path, result.failure)
    try:
        found = loop_at_line(result.answer, result.text, line)
    except NoLoopError as error:
        return failed(f"{path}:{line}", str(error), 2 if error.is_usage else 1)
    limit_s, with_break_even = settings.analysis_time_limit_s, not arguments.no_break_even
    rows = compared(CompareJob(found.nest.packed, gpus, arguments.data, limit_s, with_break_even=with_break_even))
    if not rows:
        return failed(f"{path}:{line}", "the loop can't run on a GPU, or has nothing to run at its sizes")
    at = line_in(Lines(result.text), found.nest.spans, found.loop)
    evaluation = unpack(found.nest.packed)
    what = Compared(path, at, found.function.name, evaluation, rows, arguments.data, arguments.limit_s)
    if arguments.json:
        print_json(compared_as_json(what))
    else:
        print_compared(console_for(arguments.color), what)
    return 0 if what.limit_s is None or what.smallest is not None else 1
