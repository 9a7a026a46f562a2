"""Nests of C files, analysed for a GPU, as what is measured: each file holds one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.ports.fix import FixContext
from warplens.hwprofiles.validation import model_errors
from warplens.server.cli.analyse_files import analyse_files
from warplens.server.measure.kernel_times.measure_nest import Subject
from warplens.server.measure.kernel_times.toolchain import find_tool, version_of
from warplens.server.programs.programs import ANYWHERE
from warplens.server.settings.settings import Settings
from warplens.server.worker.fix_context import fix_context


def subjects(paths: Sequence[Path], gpu: str, device_compiler: str) -> tuple[Subject, ...]:
    """In the order of the files, each at the sizes that its comments say. Raises BuildError: there is no compiler."""
    today = datetime.now(UTC).date().isoformat()
    versions = [("warplens", version("warplens"))]
    versions += [
        (name, version_of(find_tool(ANYWHERE, name), Path.cwd(), ANYWHERE)) for name in ("gcc", device_compiler)
    ]
    return tuple(
        Subject(context, path.name, line, gpu, today, tuple(versions))
        for path, (context, line) in zip(paths, asyncio.run(_analysed(paths, gpu)), strict=True)
    )


async def _analysed(paths: Sequence[Path], gpu: str) -> list[tuple[FixContext, int]]:
    """The nest's context and its line."""
    found = []
    async for result in analyse_files([str(path) for path in paths], Settings(gpu=gpu, reads_program=False)):
        assert result.answer is not None, result.failure
        ((function, nest),) = [(function, nest) for function in result.answer.functions for nest in function.nests]
        context = fix_context(result.path, result.text, function, nest)
        start = dict(nest.spans.header)[context.evaluation.facts.nest.root.id].start + nest.spans.base
        found.append((context, result.text.count("\n", 0, start) + 1))
    return found


def at_sizes(subject: Subject, sizes: Mapping[str, int]) -> Subject:
    """The nest predicted at other sizes."""
    context = subject.context
    old = context.evaluation
    values = dict(old.sizes) | dict(sizes)
    evaluation = evaluate_nest(old.facts, values, old.gpu, old.cpu, model_errors())
    return replace(subject, context=replace(context, evaluation=evaluation))
