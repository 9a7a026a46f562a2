"""`warplens counters predict --on GPU`: the model that is asked then, from the options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.counter_table import CounterTable, part_of
from warplens.analysis.engine.transferred_model import TransferredModel
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.hwprofiles.counter_metrics import counter_vocabulary
from warplens.hwprofiles.loader import load_gpu
from warplens.server.cli.counters_options import CountersCommandError, read_options
from warplens.server.measure.counters.extra import FITTING, missing_extra
from warplens.server.measure.counters.known_gpu import known_gpu
from warplens.server.measure.counters.reading.read_counter_files import read_counter_files


def model_for_target(
    arguments: argparse.Namespace, kernel: StudiedKernel, kernels: Sequence[StudiedKernel]
) -> tuple[TransferredModel | None, tuple[str, ...]]:
    """None where the kernel's own model is asked; what else is to be said. Raises what can be wrong with the options.

    `kernels` are all of the model's file: one of them may be fitted on the target itself.
    """
    if arguments.on is None:
        if arguments.runs:
            raise CountersCommandError("--runs", "are runs on another GPU: --on says which", 2)
        return None, ()
    target = load_gpu(arguments.on)
    source = known_gpu(kernel.gpu, (Path.cwd(),))
    if source is not None and source.id == target.id:
        if arguments.runs:
            message = f"the model is of runs on {kernel.gpu} already: fit its files together with these"
            raise CountersCommandError("--runs", message, 2)
        return None, (f"{target.name} is the GPU of the runs: nothing had to be carried over.",)
    if (missing := missing_extra(FITTING)) is not None:
        raise CountersCommandError("counters predict --on", missing)
    from warplens.analysis.engine.counter_transfer import transfer_to  # noqa: PLC0415 - needs the extra, a second to load

    runs, notes = _runs(arguments, kernel, target) if arguments.runs else (None, ())
    there = [one for one in kernels if one.fit.kernel == kernel.fit.kernel and one.profile == target.id]
    if there:
        own = f"The model has {there[0].fit.runs} runs on {there[0].gpu} itself: --gpu {target.id} predicts from those."
        notes = (own, *notes)
    return transfer_to(kernel, source, target, runs, counter_vocabulary().metrics), notes


def _runs(
    arguments: argparse.Namespace, kernel: StudiedKernel, target: Gpu
) -> tuple[CounterTable | None, tuple[str, ...]]:
    """The kernel's runs on the target in the files of --runs: those of another GPU are none."""
    # -D says here what is asked for, not what was run.
    asked = argparse.Namespace(**{**vars(arguments), "sizes": [], "kernels": (kernel.fit.kernel,)})
    table = read_counter_files(arguments.runs, read_options(asked, arguments.runs, target.name))
    gpus = tuple(dict.fromkeys(run.gpu for run in table.runs))
    known = {name: known_gpu(name, (Path.cwd(),)) for name in gpus}
    same = [name for name in gpus if name == target.name or getattr(known[name], "id", "") == target.id]
    nameless = [name for name in gpus if known[name] is None]
    if same:
        named = tuple(replace(run, gpu=target.name) if run.gpu in same else run for run in table.runs)
        return part_of(replace(table, runs=named), kernel.fit.kernel, target.name), ()
    if len(gpus) > 1 or not nameless:
        message = f"has runs on {', '.join(gpus)}, none of which is {target.name}"
        raise CountersCommandError(str(arguments.runs[0]), message)
    note = f"The runs of --runs are on {nameless[0]}, of which there is no profile: taken to be {target.name}."
    return part_of(table, kernel.fit.kernel, nameless[0]), (note,)
