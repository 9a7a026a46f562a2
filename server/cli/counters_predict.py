"""`warplens counters predict`: how long a measured kernel takes at sizes that were not run, or on another GPU.

From the size come the counters, from them the time, as `warplens counters fit` learned it. Nine of ten measured times
lie in the interval, by the errors at sizes that the model had not seen; what is beyond the runs is said to be.
With --on the time is that on another GPU: with --runs, a few runs there, it is tested whether the same things matter on
both, and the time is scaled, learned from the runs of both, or refused.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path

from warplens.analysis.advice.assumed_launch import asked_of_launch, assumed_launch
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.predict import MissingQuantityError, PredictedTime, predict_time
from warplens.analysis.counters.predictors import THREADS_PER_BLOCK, launch_quantities
from warplens.analysis.engine.transferred_model import NoTransferError
from warplens.analysis.text.quantities import extent_text, time_text
from warplens.hwprofiles.loader import load_gpu
from warplens.server.cli.arguments import gpu
from warplens.server.cli.command_help import CommandHelp
from warplens.server.cli.commands import SubParsers, failed
from warplens.server.cli.counters_options import (
    CountersCommandError,
    add_reading_options,
    chosen,
    model_path,
)
from warplens.server.cli.counters_target import model_for_target
from warplens.server.cli.layout import print_list, print_table
from warplens.server.cli.streams import write_error
from warplens.server.cli.terminal import console_for
from warplens.server.cli.write_json import print_json
from warplens.server.measure.counters.asked_sizes import combinations, number_text, sizes_text
from warplens.server.measure.counters.known_gpu import known_gpu
from warplens.server.measure.counters.model_file import ModelFileError, load_model
from warplens.server.measure.counters.predicted_json import predicted_json
from warplens.server.measure.counters.reading.counter_file_error import CounterFileError
from warplens.server.measure.counters.transfer_words import transfer_items

_EXIT_CODES = """exit codes:
  0  the times are printed
  1  a file could not be read, or the other GPU is too different for a prediction: the reason is said
  2  the command line was wrong: a size is missing, no such kernel
"""
Asked = tuple[dict[str, float], PredictedTime]


def add_command(commands: SubParsers) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "predict",
        help="times at sizes that were not run, or on another GPU",
        description=__doc__,
        epilog=_EXIT_CODES,
        formatter_class=CommandHelp,
    )
    parser.add_argument("model", metavar="MODEL.counters", type=model_path, help="what `warplens counters fit` wrote")
    parser.add_argument("--kernel", metavar="NAME", default="", help="the kernel, where the model has several")
    parser.add_argument("--gpu", metavar="NAME", default="", help="the GPU of the runs, where the model has several")
    parser.add_argument("--on", metavar="GPU", type=gpu, help="the GPU to predict for (default: that of the runs)")
    parser.add_argument("--runs", metavar="FILE", type=Path, nargs="+", default=[],
                        help="runs of the kernel on the GPU of --on: five or more are best")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON (docs/counters.md)")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="(default: %(default)s)")
    add_reading_options(parser, sizes="sizes to predict, any number of names: -D n=3000,8000")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the times; 1 for what could not be done."""
    try:
        kernels = load_model(arguments.model)
        kernel = _one(chosen(kernels, arguments.kernel, arguments.gpu))
        moved, said = model_for_target(arguments, kernel, kernels)
        wanted, assumed = _wanted(arguments, kernel)
        found = [(given, moved.predict(given) if moved else _predicted(kernel, given)) for given in wanted]
    except CountersCommandError as error:
        return failed(error.where, error.message, error.code)
    except (ModelFileError, CounterFileError, NoTransferError) as error:
        write_error(f"warplens: {error}\n")
        return 1
    except (MissingQuantityError, ValueError) as error:
        return failed("-D", str(error), 2)
    target = load_gpu(arguments.on).name if arguments.on else kernel.gpu
    notes = (*said, *(transfer_items(kernel, target, moved) if moved else ()))
    if arguments.json:
        print_json(predicted_json(kernel, target, found, (*assumed, *notes)))
    else:
        tested = () if moved else _accuracy(kernel)
        said_below = {
            "Assumed": assumed,
            "How it was carried over": notes,
            f"How far off it was on {kernel.gpu}": tested,
        }
        _print(arguments.color, kernel, target, found, said_below)
    return 0


def _one(kernels: Sequence[StudiedKernel]) -> StudiedKernel:
    if len(kernels) > 1:
        names = ", ".join(f"{one.fit.kernel} on {one.gpu}" for one in kernels[:8])
        more = f" and {len(kernels) - 8} more" if len(kernels) > 8 else ""
        raise CountersCommandError("--kernel, --gpu", f"the model has several: {names}{more}", 2)
    return kernels[0]


def _predicted(kernel: StudiedKernel, given: dict[str, float]) -> PredictedTime:
    if kernel.fit.model is None:
        message = f"no size and no launch was varied in the runs of {kernel.fit.kernel}: nothing to predict from"
        raise CountersCommandError("counters predict", message)
    return predict_time(kernel.fit.model, given)


def _wanted(
    arguments: argparse.Namespace, kernel: StudiedKernel
) -> tuple[tuple[dict[str, float], ...], tuple[str, ...]]:
    """What is given of each prediction, and what of it was assumed."""
    asked = combinations(arguments.sizes)
    launch = assumed_launch(kernel)
    names = asked_of_launch(kernel)
    known = known_gpu(kernel.profile, (Path.cwd(),)) if kernel.profile else None
    most = known.occupancy.max_threads_per_block if known else None
    if most is not None and any(given.get(name, 0) > most for given in asked for name in names):
        raise CountersCommandError("-D", f"a block has at most {most} threads on {kernel.gpu}", 2)
    if launch is None or launch.block is None or any(name in names for name, _ in arguments.sizes):
        return asked, ()
    quantities = launch_quantities(launch.block)
    taken = {name: quantities[name] for name in names}
    others = sorted({prod(one.block) for one in kernel.measured if one.block} - {prod(launch.block)})
    why = (
        f"{sizes_text(taken)} (block {extent_text(launch.block)}), the fastest that was measured at "
        f"{sizes_text(dict(launch.problem))}"
    )
    if others:
        why += f"; measured were also -D {THREADS_PER_BLOCK}={','.join(map(str, others))}"
    return tuple({**given, **taken} for given in asked), (why,)


def _print(
    color: str, kernel: StudiedKernel, target: str, found: Sequence[Asked], notes: Mapping[str, Sequence[str]]
) -> None:
    console = console_for(color)
    console.print(f"{kernel.fit.kernel} on {target}, from {kernel.fit.runs} runs on {kernel.gpu}", style="bold")
    names = list(found[0][0])
    rows = [(*names, "time", "nine of ten between", "")]
    for given, time in found:
        between = (
            "not tested"
            if time.low_s is None or time.high_s is None
            else f"{time_text(time.low_s)} and {time_text(time.high_s)}"
        )
        rows.append(
            (*(number_text(given[name]) for name in names), time_text(time.time_s), between, "; ".join(time.beyond))
        )
    print_table(console, tuple(rows), 2, right=range(len(names) + 1))
    for title, items in notes.items():
        print_list(console, title, items, 0)


def _accuracy(kernel: StudiedKernel) -> tuple[str, ...]:
    model = kernel.fit.model
    if model is None:
        return ()
    found = []
    if model.inside is not None:
        found.append(f"Sizes left out between others were off by {model.inside.accuracy.mape:.1%} on average.")
    if model.beyond is not None:
        off = f"{model.beyond.accuracy.mape:.1%} on average"
        found.append(f"The largest third of the sizes, predicted from the others, was off by {off}.")
    return tuple(found) or ("Too few sizes were run to test it.",)
