"""Measure the whole corpus on the GPU of this machine and write results/GPU.json, which the accuracy ledger reads.

    PYTHONPATH=tests .venv/bin/python -m accuracy.measured_nests.measure_all --gpu h100

takes about a quarter of an hour (`--minutes` ends it: nests that were not begun by then are named). With `--on-cpu
tests/cuda_on_cpu` everything but the times is done without a GPU, at small sizes, and nothing is written.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from accuracy.measured_nests.corpus import RESULTS, CorpusNest, corpus
from warplens.analysis.models.evaluate_nest import evaluate_nest
from warplens.analysis.ports.fix import FixContext
from warplens.hwprofiles.validation import model_errors
from warplens.server.cli.analyse_files import analyse_files
from warplens.server.cli.measure_report import launch_text
from warplens.server.fix_context import fix_context
from warplens.server.gpu_measurement.harness_run import Machine, Plan
from warplens.server.gpu_measurement.measure_nest import Outcome, Subject, measure_nest
from warplens.server.gpu_measurement.measured_file import save_measured
from warplens.server.gpu_measurement.toolchain import BuildError, NoGpuError, find_tool, version_of
from warplens.server.settings import Settings

_RUN_LIMIT_S = 300.0


def main(arguments: Sequence[str] | None = None) -> int:
    """1 where a result was wrong, a port was refused or a program was not built; 2 without a GPU."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", default="a100", help="the profile that predictions are for (default: %(default)s)")
    parser.add_argument("--only", metavar="NAME,NAME", help="these nests")
    parser.add_argument("--minutes", type=float, default=18.0, help="begin no nest after (default: %(default)g)")
    parser.add_argument("--on-cpu", metavar="DIR", type=Path, help="where cuda_runtime.h and control.cc are")
    options = parser.parse_args(arguments)
    wanted = options.only.split(",") if options.only else [nest.name for nest in corpus()]
    chosen = [nest for nest in corpus() if nest.name in wanted]
    outcomes: list[Outcome] = []
    failures = 0
    began = time.monotonic()
    left = list(chosen)
    for nest, subject in subjects(chosen, options.gpu, on_cpu=options.on_cpu is not None):
        if time.monotonic() - began > 60 * options.minutes:
            break
        left.remove(nest)
        try:
            found = list(_measured(nest, subject, options.on_cpu))
        except NoGpuError as error:
            print(error)
            return 2
        except BuildError as error:
            print(f"{nest.name}: {error}")
            failures += 1
            continue
        outcomes += found
        for outcome in found:
            print(_line(nest, outcome))
    if left:
        print(f"not begun: {', '.join(nest.name for nest in left)}")
    if options.on_cpu is None:
        print(f"written: {_save(outcomes)}")
    wrong = [each for each in outcomes if each.measured is None or each.measured.check.differing]
    return 1 if wrong or failures or left else 0


def subjects(nests: Sequence[CorpusNest], gpu: str, *, on_cpu: bool = False) -> Iterator[tuple[CorpusNest, Subject]]:
    """The nests, each analysed at the sizes of its file."""
    today = datetime.now(UTC).date().isoformat()
    device = "g++" if on_cpu else "nvcc"
    versions = [("warplens", version("warplens"))]
    versions += [(name, version_of(find_tool(name), Path.cwd())) for name in ("gcc", device)]
    for nest, context, line in asyncio.run(_analysed(nests, gpu)):
        yield nest, Subject(context, f"{nest.name}.c", line, gpu, today, tuple(versions))


async def _analysed(nests: Sequence[CorpusNest], gpu: str) -> list[tuple[CorpusNest, FixContext, int]]:
    found = []
    paths = [str(nest.path) for nest in nests]
    at = 0
    async for result in analyse_files(paths, Settings(gpu=gpu)):
        assert result.answer is not None, result.failure
        ((function, nest),) = [(function, nest) for function in result.answer.functions for nest in function.nests]
        context = fix_context(result.path, result.text, function, nest)
        start = dict(nest.spans.header)[context.evaluation.facts.nest.root.id].start + nest.spans.base
        found.append((nests[at], context, result.text.count("\n", 0, start) + 1))
        at += 1
    return found


def _measured(nest: CorpusNest, subject: Subject, on_cpu: Path | None) -> Iterator[Outcome]:
    """All sizes of a nest; ports whose text is the same at several are built once."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    machine = Machine(cuda_on_cpu=on_cpu.resolve() if on_cpu else None, jobs=cores)
    plan = Plan(1, 0.0, _RUN_LIMIT_S) if on_cpu else Plan(10, 0.2, _RUN_LIMIT_S)
    with tempfile.TemporaryDirectory(prefix="warplens-measure-") as folder:
        for sizes in (nest.on_cpu,) if on_cpu else nest.sizes:
            yield from measure_nest(at_sizes(subject, sizes), nest.wishes, machine, plan, Path(folder))


def at_sizes(subject: Subject, sizes: Mapping[str, int]) -> Subject:
    """The nest predicted at other sizes."""
    context = subject.context
    old = context.evaluation
    values = dict(old.sizes) | dict(sizes)
    evaluation = evaluate_nest(old.facts, values, old.gpu, old.cpu, model_errors())
    return replace(subject, context=replace(context, evaluation=evaluation))


def _line(nest: CorpusNest, outcome: Outcome) -> str:
    one, wish = outcome.measured, outcome.wish
    launch = launch_text(wish.block, wish.outputs_per_thread, wish.shared or ()) or "predicted best"
    if one is None:
        return f"{nest.name} {launch}: REFUSED {outcome.refusal}"
    at = ", ".join(f"{name} = {size}" for name, size in one.sizes)
    result = f"WRONG {one.check.difference}" if one.check.differing else "right"
    if one.timing is None:
        return f"{nest.name} {at}, {launch}: {result}"
    ratios = " ".join(f"{model} {time_s / one.timing.kernels.median_s:.2f}" for model, time_s in one.predicted_s)
    return f"{nest.name} {at}, {launch}: {result}, {1e6 * one.timing.kernels.median_s:.1f} us, {ratios}"


def _save(outcomes: Sequence[Outcome]) -> Path:
    """Right results with times, by the name of the GPU."""
    right = [o.measured for o in outcomes if o.measured and o.measured.timing and not o.measured.check.differing]
    name = right[0].timing.device.name if right and right[0].timing else "nothing"
    path = RESULTS / f"{re.sub(r'[^a-z0-9]+', '_', name.lower()).strip('_')}.json"
    save_measured(path, right)
    return path


if __name__ == "__main__":
    raise SystemExit(main())
