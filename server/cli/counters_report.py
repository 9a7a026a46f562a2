"""`warplens counters report`: what holds measured kernels back, with the evidence, the fix, and how sure that is.

From a model that `warplens counters fit` wrote. --html writes a page with the plots: importance, how the time goes with
each quantity (with bands), what the counters measure together, and measured against predicted.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from warplens.hwprofiles.counter_metrics import counter_vocabulary
from warplens.server.cli.command_help import CommandHelp
from warplens.server.cli.commands import SubParsers, failed
from warplens.server.cli.counters_options import CountersCommandError, chosen, model_path
from warplens.server.cli.layout import print_section
from warplens.server.cli.streams import write_error, write_out
from warplens.server.cli.terminal import console_for
from warplens.server.cli.write_json import print_json
from warplens.server.files.folder_files import MODEL_SUFFIX
from warplens.server.files.output_file import PAGE, write_output
from warplens.server.files.project import worked_on
from warplens.server.measure.counters.extra import DRAWING, missing_extra
from warplens.server.measure.counters.model_file import ModelFileError, load_model
from warplens.server.measure.counters.study_json import study_json
from warplens.server.measure.counters.study_sections import heading, sections
from warplens.server.programs.programs import Programs

_EXIT_CODES = """exit codes:
  0  the report is printed or written
  1  the model could not be read, or the page not be written: the reason is said
  2  the command line was wrong: no such kernel
"""


def add_command(commands: SubParsers) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "report",
        help="what holds measured kernels back",
        description=__doc__,
        epilog=_EXIT_CODES,
        formatter_class=CommandHelp,
    )
    parser.add_argument("model", metavar="MODEL.counters", type=model_path, help="what `warplens counters fit` wrote")
    parser.add_argument("--kernel", metavar="NAME", default="", help="only this one")
    parser.add_argument("--gpu", metavar="NAME", default="", help="only on this one")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--html", metavar="PAGE.html", type=Path, help="write a page with plots")
    form.add_argument("--json", action="store_true", help="print JSON (docs/counters.md)")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="(default: %(default)s)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print or write; 1 for what could not be done."""
    try:
        kernels = chosen(load_model(arguments.model), arguments.kernel, arguments.gpu)
    except ModelFileError as error:
        write_error(f"warplens: {error}\n")
        return 1
    except CountersCommandError as error:
        return failed(error.where, error.message, error.code)
    titles = counter_vocabulary().titles
    if arguments.html is not None and arguments.html.suffix == MODEL_SUFFIX:
        return failed("--html", f"{arguments.html} is called as a model is: a page would take its place", 2)
    if arguments.json:
        print_json({"kernels": [study_json(one) for one in kernels]})
        return 0
    if arguments.html is not None:
        if (missing := missing_extra(DRAWING)) is not None:
            return failed("counters report --html", missing)
        programs = Programs.outside_of(worked_on(arguments.model, arguments.html))
        try:
            with programs.alone():
                from warplens.server.measure.counters.report_page import report_page  # noqa: PLC0415 - needs the extra

                page = report_page(kernels, titles)
            write_output(arguments.html, page.encode("utf-8", "backslashreplace"), PAGE)
        except OSError as error:
            return failed(str(arguments.html), error.strerror or str(error))
        write_out(f"Wrote {arguments.html}\n")
        return 0
    console = console_for(arguments.color)
    for number, kernel in enumerate(kernels):
        console.print(("\n" if number else "") + heading(kernel), style="bold", markup=False)
        for section in sections(kernel, titles):
            print_section(console, section, 2)
    return 0
