"""What `warplens search` does: all launches of a loop's kernel are ranked and printed."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launches.launch_search import search
from warplens.analysis.models.results.current_launch import current_launch
from warplens.analysis.models.results.launch_ranking import LaunchRanking
from warplens.server.cli.analyse_files import analyse_file
from warplens.server.cli.arguments import settings_of
from warplens.server.cli.commands import failed
from warplens.server.cli.find_loop import FoundKernel, NoLoopError, kernel_at_line
from warplens.server.cli.search import ALL_LAUNCHES, SHOWN_ON_TERMINAL
from warplens.server.cli.search_report import Searched, print_search, search_as_json, search_svg
from warplens.server.cli.terminal import console_for
from warplens.server.cli.write_json import print_json
from warplens.server.files.output_file import DRAWING, write_output
from warplens.server.render.worth_sentence import worth_sentence


def search_loop(arguments: argparse.Namespace) -> int:
    """Search and print; 2 for a line without a loop, 1 for a loop without a launch or a file that can't be used."""
    path, line = arguments.place
    if Path(path).is_dir():
        return failed(path, "a folder has no lines, name a C file")
    result = asyncio.run(analyse_file(path, settings_of(arguments)))
    if result.answer is None:
        return failed(path, result.failure)
    try:
        found = kernel_at_line(result.answer, result.text, line)
    except NoLoopError as error:
        return failed(f"{path}:{line}", str(error), 2 if error.is_usage else 1)
    if found.evaluation.offload is None or not found.evaluation.offload.has_work:
        return failed(f"{path}:{line}", worth_sentence(found.evaluation, lambda _: 0))
    ranking = ranked_launches(found, arguments.model)
    if not ranking.ranked:
        return failed(f"{path}:{line}", f"no launch of this kernel is possible on the {found.evaluation.gpu.name}")
    searched = Searched(path, found, ranking)
    if arguments.svg is not None:
        try:
            write_output(arguments.svg, search_svg(searched).encode("utf-8", "backslashreplace"), DRAWING)
        except OSError as error:
            return failed(str(arguments.svg), error.strerror or str(error))
    console = console_for(arguments.color)
    if arguments.json:
        print_json(search_as_json(searched, arguments.top or ALL_LAUNCHES))
    else:
        print_search(console, searched, arguments.top or (SHOWN_ON_TERMINAL if console.is_terminal else ALL_LAUNCHES))
    return 0


def ranked_launches(found: FoundKernel, model: str | None) -> LaunchRanking:
    """All launches of a kernel at the sizes of its report, by the times of a model (None: the report's)."""
    evaluation, kernel = found.evaluation, found.kernel.kernel
    sized = SizedKernel.of(kernel, evaluation.known_sizes)
    now = current_launch(evaluation.facts, kernel, evaluation.gpu)
    chosen = model or found.kernel.prediction.model
    return search(sized, evaluation.gpu, chosen, now.launch, now.origin)
