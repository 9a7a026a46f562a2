"""What `warplens report` does: files are analysed, their nests worked out, and the page written."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from warplens.server.cli.analyse_files import FileResult, analyse_files, c_files
from warplens.server.cli.arguments import settings_of
from warplens.server.cli.commands import failed
from warplens.server.cli.process_pool import ProcessPool
from warplens.server.cli.same_options import same_options
from warplens.server.cli.streams import write_out
from warplens.server.cli.terminal import TerminalConsole
from warplens.server.files.output_file import PAGE, require_replaceable, write_output
from warplens.server.json.short_numbers import short_numbers
from warplens.server.lsp.lines import Lines
from warplens.server.render.amounts import plural
from warplens.server.render.visible_text import visible_values
from warplens.server.report_page.job import NestPageJob
from warplens.server.report_page.page import page_html
from warplens.server.report_page.report_data import PARTS, file_data, nests_of, page_job, report_data
from warplens.server.settings.settings import Settings
from warplens.server.worker.process import AnalysisFailedError, AnalysisTimedOutError


def write_report(arguments: argparse.Namespace) -> int:
    """Analyse and write; the exit code tells whether everything is in the page."""
    return asyncio.run(_report(arguments))


async def _report(arguments: argparse.Namespace) -> int:
    try:
        require_replaceable(arguments.output, PAGE)
    except OSError as error:
        return failed(str(arguments.output), error.strerror or str(error))
    settings = settings_of(arguments)
    with _progress(arguments) as progress:
        results = await _analysed(arguments.files, settings, progress)
        files = await _file_pages(results, settings, tuple(arguments.gpus), progress)
    is_complete = all(result.is_complete for result in results)
    title = f"Warplens: {', '.join(Path(result.path).name for result in results[:3])}"
    data = report_data(files, settings.gpu, settings.cpu, same_options(arguments))
    page = page_html(short_numbers(visible_values(data)), title)
    try:
        write_output(arguments.output, page.encode("utf-8", "replace"), PAGE)
    except OSError as error:
        return failed(str(arguments.output), error.strerror or str(error))
    nests = sum(len(file["nests"]) for file in files)
    write_out(f"{data['overview']['sentence']}\n")
    write_out(
        f"{arguments.output}: {plural(nests, 'loop nest')} of {plural(len(files), 'file')}, {len(page) / 1e6:.1f} MB\n"
    )
    return 0 if is_complete else 1


async def _analysed(given: Sequence[str], settings: Settings, progress: Progress) -> list[FileResult]:
    paths = c_files(given)
    task = progress.add_task("analysing", total=len(paths))
    results = []
    async for result in analyse_files(paths, settings, given=given):
        progress.update(task, advance=1)
        if result.answer is None:
            failed(result.path, result.failure)
        results.append(result)
    return results


async def _file_pages(
    results: Sequence[FileResult], settings: Settings, gpus: tuple[str, ...], progress: Progress
) -> list[dict[str, Any]]:
    """The data of each file that was analysed, its nests worked out by a few processes."""
    analysed = [(result, result.answer) for result in results if result.answer is not None]
    maps = [Lines(result.text) for result, _ in analysed]
    wanted = [
        (file, at, page_job(maps[file], nest, PARTS, gpus, settings.analysis_time_limit_s, answer.program_root))
        for file, (_, answer) in enumerate(analysed)
        for at, nest in enumerate(nests_of(answer))
        if nest.packed
    ]
    task = progress.add_task("loop nests", total=len(wanted))
    pool = ProcessPool(len(wanted))
    pages: list[dict[int, dict[str, Any]]] = [{} for _ in analysed]

    async def work_out(file: int, at: int, job: NestPageJob) -> None:
        try:
            pages[file][at] = await pool.run(job)
        except (AnalysisTimedOutError, AnalysisFailedError) as error:
            pages[file][at] = {"failure": f"the charts could not be worked out: {error}"}
            failed(analysed[file][0].path, pages[file][at]["failure"])
        finally:
            progress.update(task, advance=1)

    try:
        await asyncio.gather(*(work_out(*each) for each in wanted))
    finally:
        await pool.stop()
    return [file_data(result.path, maps[file], answer, pages[file]) for file, (result, answer) in enumerate(analysed)]


def _progress(arguments: argparse.Namespace) -> Progress:
    console = TerminalConsole(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=console,
        transient=True, disable=arguments.no_progress or not console.is_terminal,
    )  # fmt: skip
