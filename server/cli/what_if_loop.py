"""What `warplens what-if` does: a loop nest is predicted with the changes and printed."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

from warplens.server.cli.analyse_files import analyse_file
from warplens.server.cli.arguments import settings_of
from warplens.server.cli.commands import failed
from warplens.server.cli.find_loop import NoLoopError, loop_at_line
from warplens.server.cli.terminal import console_for
from warplens.server.cli.what_if_report import print_what_if
from warplens.server.cli.write_json import print_json
from warplens.server.settings.settings import Settings
from warplens.server.what_if.answer import answered
from warplens.server.what_if.job import WhatIfJob


def predict_changed(arguments: argparse.Namespace) -> int:
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
        "mapping": arguments.mapping,
        "kernel": None if arguments.kernel is None else arguments.kernel - 1,
    }
    return {name: value for name, value in asked.items() if value is not None}
