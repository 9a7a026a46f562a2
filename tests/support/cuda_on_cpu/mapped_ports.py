"""CUDA ports of a case's function in the mappings of its nests, whichever of them is fastest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.ports import Refused, contexts, ported
from support.cuda_on_cpu.programs import Port
from warplens.analysis.engine.report import NestReport, Report
from warplens.analysis.mapping.candidate_mappings import every_mapping
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.models.nest.evaluate_nest import in_mapping
from warplens.analysis.ports.fix import AS_PREDICTED, FixContext

TEAMS = (32, 64, 128)
"""Threads of a team: a warp, the smallest block of several, one that has more than the columns of the checks."""

Nests = list[tuple[NestReport, FixContext]]


def in_mappings(case: Case, report: Report) -> Iterator[Nests]:
    """The function's nests that have kernels, each mapping of one of them with the others in the source's order."""
    nests = [(nest, context.in_source_order) for nest, context in contexts(case, report) if context.evaluation.kernels]
    for at, (nest, context) in enumerate(nests):
        evaluation = context.evaluation
        for mapped in every_mapping(SourceNest(evaluation.facts), TEAMS):
            changed = replace(context, evaluation=in_mapping(evaluation, mapped, ()))
            yield [*nests[:at], (nest, changed), *nests[at + 1 :]]


def mapped_ports(case: Case, report: Report, seed: int, most: int = 99) -> tuple[list[Port], list[Refused]]:
    """Ports in the mappings, and those that are refused; `most` of them, which `seed` chooses."""
    found: list[Port] = []
    refused: list[Refused] = []
    every = list(in_mappings(case, report))
    for number in sorted({(seed * 7 + k) % len(every) for k in range(min(most, len(every)))}) if every else ():
        port = ported(case, report, every[number], [AS_PREDICTED] * len(every[number]))
        if isinstance(port, Port):
            if port not in found:
                found.append(port)
        else:
            refused.append(port)
    if not every:
        refused.append(Refused(case.name, AS_PREDICTED, "it has no other mapping"))
    return found, refused
