"""C text of the checks to reports: cases are analysed alone, without the system's preprocessor."""

from __future__ import annotations

import subprocess

from support.cuda_on_cpu.case import Case
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import Report
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.hwprofiles.loader import load_cpu, load_gpu


def analysed(case: Case, gpu: str = "a100") -> Report:
    """The report on a case's source, for any CPU."""
    command = ["cc", "-E", "-x", "c", "-std=gnu11", "-w", "-"]
    text = f'# 1 "{case.name}.c"\n{case.source}'
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    preprocessed = Preprocessed(run.stdout, f"{case.name}.c")
    return analyse(case.source, preprocessed, load_gpu(gpu), load_cpu("server"), AnalysisOptions(), Memo())
