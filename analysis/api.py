"""What server, command line and notebooks call."""

from __future__ import annotations

from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.pipeline import run_pipeline
from warplens.analysis.engine.progress import Progress
from warplens.analysis.engine.report import Report
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.program.program import Program

_UNHEARD = Progress()


def analyse(
    source: str,
    preprocessed: Preprocessed,
    gpu: Gpu,
    cpu: Cpu,
    options: AnalysisOptions,
    memo: Memo,
    progress: Progress = _UNHEARD,
    program: Program | None = None,
) -> Report:
    """Analyse one C file: `source` is the user's text, `preprocessed` what a preprocessor made of it.

    Never raises on user input: what is not understood is in the report's `opaque`, `problems` and failures. `memo` is
    kept by the caller from one call to the next, so that only what changed is done again. `progress` hears
    which nest is next, so that a caller who ends a runaway analysis can name it, and may ask for what is known already.
    `program` is the one that the file is part of: functions of its other files are looked into.
    """
    return run_pipeline(source, preprocessed, gpu, cpu, options, memo, progress, program)
