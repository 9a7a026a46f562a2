"""`warplens counters predict`: how long a measured kernel takes at sizes that were not run, or on another GPU.

From the size come the counters, from them the time, as `warplens counters fit` learned it. Nine of ten measured times
lie in the interval, by the errors at sizes that the model had not seen; what is beyond the runs is said to be.
With --on the time is that on another GPU: with --runs, a few runs there, it is tested whether the same things matter on
both, and the time is scaled, learned from the runs of both, or refused.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from warplens.analysis.advice.assumed_launch import asked_of_launch, assumed_launch
from warplens.analysis.advice.quantities import extent_text, time_text
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.predict import MissingQuantityError, PredictedTime, predict_time
from warplens.analysis.counters.predictors import THREADS_PER_BLOCK, launch_quantities
from warplens.analysis.engine.transferred_model import NoTransferError, TransferredModel
from warplens.hwprofiles.counter_metrics import counter_vocabulary
from warplens.hwprofiles.loader import load_gpu
from warplens.server.cli.arguments import console_for, gpu
from warplens.server.cli.commands import SubParsers, failed
from warplens.server.cli.counters_options import (
    CountersCommandError,
    add_reading_options,
    chosen,
    model_path,
    read_options,
)
from warplens.server.cli.layout import print_list, print_table
from warplens.server.cli.write_json import print_json
from warplens.server.counters.asked_sizes import combinations, number_text, sizes_text
from warplens.server.counters.extra import FITTING, missing_extra
from warplens.server.counters.known_gpu import known_gpu
from warplens.server.counters.model_file import ModelFileError, load_model
from warplens.server.counters.predicted_json import predicted_json
from warplens.server.counters.reading.counter_file_error import CounterFileError
from warplens.server.counters.transfer_words import transfer_items

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
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL.counters", type=model_path, help="what `warplens counters fit` wrote")
    parser.add_argument("--kernel", metavar="NAME", default="", help="the kernel, where the model has several")
    parser.add_argument("--gpu", metavar="NAME", default="", help="the GPU of the runs, where the model has several")
    parser.add_argument("--on", metavar="GPU", type=gpu, help="the GPU to predict for (default: that of the runs)")
    parser.add_argument("--runs", metavar="FILE", type=Path, nargs="+", default=[],
                        help="runs of the kernel on the GPU of --on: five or more are best")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON (docs/counters.md)")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="(default: %(default)s)")
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the times; 1 for what could not be done."""
    try:
        kernel = _one(chosen(load_model(arguments.model), arguments.kernel, arguments.gpu))
        moved = _moved(arguments, kernel)
        wanted, assumed = _wanted(arguments, kernel)
        found = [(given, moved.predict(given) if moved else _predicted(kernel, given)) for given in wanted]
    except CountersCommandError as error:
        return failed(error.where, error.message, error.code)
    except (ModelFileError, CounterFileError, NoTransferError) as error:
        sys.stderr.write(f"warplens: {error}\n")
        return 1
    except MissingQuantityError as error:
        return failed("-D", f"{error} (as in -D n=1024,2048)", 2)
    except ValueError as error:
        return failed("-D", str(error), 2)
    target = load_gpu(arguments.on).name if arguments.on else kernel.gpu
    notes = transfer_items(kernel, target, moved) if moved else ()
    if arguments.json:
        print_json(predicted_json(kernel, target, found, (*assumed, *notes)))
    else:
        _print(arguments.color, kernel, target, found, assumed, notes)
    return 0


def _one(kernels: Sequence[StudiedKernel]) -> StudiedKernel:
    if len(kernels) > 1:
        names = ", ".join(f"{one.fit.kernel} on {one.gpu}" for one in kernels[:8])
        more = f" and {len(kernels) - 8} more" if len(kernels) > 8 else ""
        raise CountersCommandError("--kernel, --gpu", f"the model has several: {names}{more}", 2)
    return kernels[0]


def _moved(arguments: argparse.Namespace, kernel: StudiedKernel) -> TransferredModel | None:
    """The model for the GPU of --on; raises what can be wrong with it or with --runs."""
    if arguments.on is None:
        if arguments.runs:
            raise CountersCommandError("--runs", "are runs on another GPU: --on says which", 2)
        return None
    if (missing := missing_extra(FITTING)) is not None:
        raise CountersCommandError("counters predict --on", missing)
    from warplens.analysis.engine.counter_study import part_of  # noqa: PLC0415 - needs the extra, and a second to load
    from warplens.analysis.engine.counter_transfer import transfer_to  # noqa: PLC0415 - as above
    from warplens.server.counters.reading.read_counter_files import read_counter_files  # noqa: PLC0415 - only for --runs

    target = load_gpu(arguments.on)
    runs = None
    if arguments.runs:
        arguments.kernels = (kernel.fit.kernel,)
        options = read_options(_without_sizes(arguments), arguments.runs, target.name)
        table = read_counter_files(arguments.runs, options)
        gpus = tuple(dict.fromkeys(run.gpu for run in table.runs))
        same = [
            name
            for name in gpus
            if name == target.name or getattr(known_gpu(name, (Path.cwd(),)), "id", "") == target.id
        ]
        if not same and len(gpus) > 1:
            message = f"has runs on {', '.join(gpus)}, none of which is {target.name}"
            raise CountersCommandError(str(arguments.runs[0]), message)
        runs = part_of(table, kernel.fit.kernel, (same or list(gpus))[0])
    source = known_gpu(kernel.gpu, (Path.cwd(),))
    return transfer_to(kernel, source, target, runs, counter_vocabulary().metrics)


def _without_sizes(arguments: argparse.Namespace) -> argparse.Namespace:
    """-D says here what is asked for, not what was run."""
    return argparse.Namespace(**{**vars(arguments), "sizes": []})


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
    if launch is None or launch.block is None or any(name in names for name, _ in arguments.sizes):
        return asked, ()
    quantities = launch_quantities(launch.block)
    taken = {name: quantities[name] for name in names}
    why = (
        f"{sizes_text(taken)} (block {extent_text(launch.block)}), the fastest that was measured at "
        f"{sizes_text(dict(launch.problem))}; others: -D {THREADS_PER_BLOCK}=128,256"
    )
    return tuple({**given, **taken} for given in asked), (why,)


def _print(
    color: str,
    kernel: StudiedKernel,
    target: str,
    found: Sequence[Asked],
    assumed: Sequence[str],
    notes: Sequence[str],
) -> None:
    console = console_for(color)
    console.print(f"{kernel.fit.kernel} on {target}, from {kernel.fit.runs} runs on {kernel.gpu}", style="bold")
    names = list(found[0][0])
    rows = [(*names, "time", "nine of ten between", "")]
    for given, time in found:
        between = (
            f"{time_text(time.low_s)} and {time_text(time.high_s)}" if time.low_s and time.high_s else "not tested"
        )
        rows.append(
            (*(number_text(given[name]) for name in names), time_text(time.time_s), between, "; ".join(time.beyond))
        )
    print_table(console, tuple(rows), 2, right=range(len(names) + 1))
    print_list(console, "Assumed", assumed, 0)
    print_list(console, "How it was carried over", notes, 0)
    model = kernel.fit.model
    if model is not None:
        accuracy = [f"Sizes left out between others were predicted to {model.inside_accuracy.mape:.1%} on average."]
        if model.beyond_accuracy is not None:
            accuracy.append(
                f"The largest third of the sizes, from the others, to {model.beyond_accuracy.mape:.1%} on average."
            )
        print_list(console, f"How far off it was on {kernel.gpu}", accuracy, 0)
