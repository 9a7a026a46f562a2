"""Texts of C files, by name, as one program, and the report on one of them."""

from __future__ import annotations

from collections.abc import Mapping

from support.compiler_output import compiler_output
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import NestReport, Report
from warplens.analysis.program.indexed_file import indexed
from warplens.analysis.program.indexed_file import linked as link
from warplens.analysis.program.program import Program
from warplens.analysis.program.sizes.file_sizes import FileLines, FileSizes
from warplens.analysis.program.sizes.read_sizes import read_sizes
from warplens.hwprofiles.loader import load_cpu, load_gpu


def read(name: str, text: str, memo: Memo | None = None) -> tuple[FileSizes, FileLines]:
    """What one file says of sizes, and where."""
    return read_sizes(text, compiler_output(name, text), memo or Memo())


def linked(files: Mapping[str, str], before: Program | None = None) -> Program:
    """The program of some files; of an earlier state of it nothing is linked again that is the same."""
    return link([indexed(text, compiler_output(name, text), Memo()) for name, text in files.items()], before)


def report(
    files: Mapping[str, str],
    name: str,
    options: AnalysisOptions | None = None,
    memo: Memo | None = None,
    program: Program | None = None,
) -> Report:
    """The report on one file of a program."""
    text = files[name]
    return analyse(
        text, compiler_output(name, text), load_gpu("a100"), load_cpu("server"), options or AnalysisOptions(),
        memo or Memo(), program=program or linked(files),
    )  # fmt: skip


def nests(found: Report) -> dict[str, NestReport]:
    """The last nest of each function of a report."""
    return {function.name: nest for function in found.functions for nest in function.nests}
