"""C text of the checks to reports: cases are analysed alone, without the system's preprocessor."""

from __future__ import annotations

from support.compiler_output import compiler_output
from support.cuda_on_cpu.case import Case
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import Report
from warplens.hwprofiles.loader import load_cpu, load_gpu


def analysed(case: Case, gpu: str = "a100") -> Report:
    """The report on a case's source, for any CPU."""
    preprocessed = compiler_output(f"{case.name}.c", case.source)
    return analyse(case.source, preprocessed, load_gpu(gpu), load_cpu("server"), AnalysisOptions(), Memo())
