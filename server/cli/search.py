"""`warplens search FILE:LINE`: every launch of a loop's kernel by its predicted time, as a table and a heat map."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launches.launch_search import search
from warplens.analysis.models.results.current_launch import current_launch
from warplens.analysis.models.results.launch_ranking import LaunchRanking
from warplens.server.cli.analyse_files import analyse_file
from warplens.server.cli.arguments import add_analysis_options, console_for, place, positive, settings_of
from warplens.server.cli.commands import SubParsers, command_parser, failed
from warplens.server.cli.find_loop import FoundKernel, NoLoopError, kernel_at_line
from warplens.server.cli.search_report import Searched, print_search, search_as_json, search_svg
from warplens.server.cli.write_json import print_json
from warplens.server.files.output_file import DRAWING, write_output
from warplens.server.render.model_words import MODEL_NAMES
from warplens.server.render.worth_sentence import worth_sentence

_EXIT_CODES = """exit codes:
  0  the launches were ranked
  1  the file could not be read or written, its analysis failed, or the loop has no launch
  2  the command line was wrong: no such option, model or GPU, no loop at the line
"""
_ALL = sys.maxsize
_SHOWN_ON_TERMINAL = 20


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command and its options."""
    parser = command_parser(commands, "search", __doc__, _EXIT_CODES)
    parser.add_argument("place", metavar="FILE:LINE", type=place, help="a loop's header, or a line inside the loop")
    parser.add_argument("--model", choices=tuple(MODEL_NAMES), help="whose times to rank by (default: the report's)")
    top = f"how many launches to list, or `all` (default: all; on a terminal {_SHOWN_ON_TERMINAL})"
    parser.add_argument("--top", metavar="N", type=_top, help=top)
    parser.add_argument("--svg", metavar="OUT.svg", type=Path, help="write the heat map to this file too")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    add_analysis_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
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
        print_json(search_as_json(searched, arguments.top or _ALL))
    else:
        print_search(console, searched, arguments.top or (_SHOWN_ON_TERMINAL if console.is_terminal else _ALL))
    return 0


def ranked_launches(found: FoundKernel, model: str | None) -> LaunchRanking:
    """All launches of a kernel at the sizes of its report, by the times of a model (None: the report's)."""
    evaluation, kernel = found.evaluation, found.kernel.kernel
    sized = SizedKernel.of(kernel, evaluation.known_sizes)
    now = current_launch(evaluation.facts, kernel, evaluation.gpu)
    chosen = model or found.kernel.prediction.model
    return search(sized, evaluation.gpu, chosen, now.launch, now.origin)


def _top(text: str) -> int:
    return _ALL if text == "all" else positive(text)
