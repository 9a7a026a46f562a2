"""`warplens measure FILE:LINE`: build the CUDA port of a loop, time it on the GPU and check it against the C.

The kernels are timed by events, the copies by the clock; the median of many runs stands beside what each model
predicts. What was measured goes into .warplens/measured.json, where editors and `warplens check` find it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from warplens.server.cli.arguments import add_analysis_options, extent, names, place, positive, seconds
from warplens.server.cli.commands import SubParsers, command_parser

_EXIT_CODES = """exit codes:
  0  everything was measured, and every result is that of the C
  1  a port was refused, nothing could be built or run, there is no GPU, or a result differs: the reason is said
  2  the command line was wrong: no such option, no loop at the line
"""


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command and its options."""
    parser = command_parser(commands, "measure", __doc__, _EXIT_CODES)
    parser.add_argument("place", metavar="FILE:LINE", type=place, help="a loop's header, or a line inside the loop")
    launch = parser.add_argument_group("launches (default: as predicted best; several of each: all combinations)")
    launch.add_argument("--block", metavar="XxYxZ", type=extent, action="append", help="threads per block: 32x8")
    launch.add_argument("--outputs", metavar="XxYxZ", type=extent, action="append", help="outputs per thread: 1x4")
    launch.add_argument("--shared", metavar="A,B", type=names, action="append", help="arrays to stage; '' for none")
    parser.add_argument("--sweep", metavar="NAME=SIZE,SIZE", type=_sweep, action="append", default=[],
                        help="measure at each of these sizes")  # fmt: skip
    run_options = parser.add_argument_group("runs")
    run_options.add_argument("--runs", metavar="N", type=positive, default=20, help="at least (default: %(default)s)")
    run_options.add_argument(
        "--seconds", metavar="S", type=seconds, default=0.5, help="at least (default: %(default)s)"
    )
    run_options.add_argument("--run-limit", metavar="S", type=seconds, default=600.0,
                             help="end the program after this (default: %(default)g s)")  # fmt: skip
    run_options.add_argument("--warm-l2", action="store_true", help="don't clear the L2 before each run")
    run_options.add_argument("--on-cpu", metavar="DIR", type=_cuda_on_cpu,
                             help="check all but the times on the CPU, with the cuda_runtime.h there")  # fmt: skip
    result = parser.add_argument_group("result")
    result.add_argument("-o", "--output", metavar="OUT.json", type=Path, help="write what was measured to this file")
    result.add_argument("--no-store", action="store_true", help="leave .warplens/measured.json as it is")
    result.add_argument("--keep", metavar="DIR", type=Path, help="put the program that measures here, and leave it")
    result.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    add_analysis_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Measure, print and store; 2 for a line without a loop, 1 for what could not be measured or differs."""
    from warplens.server.cli.measure_loop import measure  # noqa: PLC0415 - no help needs it

    return measure(arguments)


def _cuda_on_cpu(text: str) -> Path:
    """The folder as a path; raises ArgumentTypeError where it lacks what stands in for CUDA."""
    missing = [name for name in ("cuda_runtime.h", "control.cc") if not (Path(text) / name).is_file()]
    if missing:
        raise argparse.ArgumentTypeError(f"there is no {' and no '.join(missing)} in the folder {text!r}")
    return Path(text)


def _sweep(text: str) -> tuple[str, tuple[int, ...]]:
    from warplens.analysis.ir.size_name import size_name  # noqa: PLC0415 - no help needs it

    written, _, sizes = text.rpartition("=")
    name, parts = size_name(written), sizes.split(",")
    if not name or not all(part.isdecimal() and int(part) for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=SIZE,SIZE with whole numbers")
    return name, tuple(map(int, parts))
