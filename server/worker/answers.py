"""What the analysis process does with each kind of job."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

from warplens.analysis.engine.memo import Memo
from warplens.analysis.ports.fix import FixEdits
from warplens.server.chosen_fix import chosen_edits, fix_context
from warplens.server.report_page.job import NestPageJob
from warplens.server.report_page.nest_page import nest_page
from warplens.server.result_cache.result_cache import ResultCache
from warplens.server.what_if.answer import answered
from warplens.server.what_if.job import WhatIfJob
from warplens.server.worker.analyse_document import analyse_document
from warplens.server.worker.break_even_work import BreakEvenJob, BreakEvenPortion, BreakEvenWork
from warplens.server.worker.job import AnalysisJob, Answer, FixJob, Job
from warplens.server.worker.packing import Packer
from warplens.server.worker.run_watch import Listener


@dataclass(frozen=True, slots=True)
class Kept:
    """What stays from one job to the next; `listener` is the server."""

    listener: Listener
    memo: Memo = field(default_factory=Memo)
    packer: Packer = field(default_factory=Packer)
    results: ResultCache = field(default_factory=ResultCache)
    break_evens: BreakEvenWork = field(default_factory=BreakEvenWork)


@singledispatch
def result_of(job: Job[object], _kept: Kept) -> object:
    """The result of a job; raises what a defect raises."""
    raise TypeError(f"no answer for {type(job).__name__}")


@result_of.register
def _(job: AnalysisJob, kept: Kept) -> Answer:
    return analyse_document(job, kept.memo, kept.packer, kept.listener, kept.results)


@result_of.register
def _(job: NestPageJob, _kept: Kept) -> dict[str, Any]:
    return nest_page(job)


@result_of.register
def _(job: FixJob, _kept: Kept) -> FixEdits:
    context = fix_context(job.path, job.text, job.function, job.nest)
    return chosen_edits(context, job.offer)


@result_of.register
def _(job: WhatIfJob, _kept: Kept) -> dict[str, Any]:
    return answered(job)


@result_of.register
def _(job: BreakEvenJob, kept: Kept) -> BreakEvenPortion:
    return kept.break_evens.go_on(job)
