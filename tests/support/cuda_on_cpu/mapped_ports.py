"""CUDA ports of a case's function in the mappings of its nests, whichever of them is fastest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.ports import Refused, contexts, ported
from support.cuda_on_cpu.programs import Port
from support.every_mapping import every_mapping
from warplens.analysis.engine.report import NestReport, Report
from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.mapping.mapped_nest import mapped_nest
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.stepped_nest import stepped_rewritten
from warplens.analysis.models.nest.evaluate_nest import in_mapping
from warplens.analysis.ports.fix import AS_PREDICTED, FixContext

TEAMS = (32, 64, 128)
"""Threads of a team: a warp, the smallest block of several, one that has more than the columns of the checks."""

Nests = list[tuple[NestReport, FixContext]]


def in_steps(source: SourceNest) -> Iterator[MappedNest]:
    """The whole nest in steps, where it may be run so."""
    names = NewNames(source.nest)
    rewritten = stepped_rewritten(source, names)
    if rewritten is not None:
        yield mapped_nest(source, names, (rewritten,))


def in_mappings(case: Case, report: Report, *, in_steps_alone: bool = False) -> Iterator[Nests]:
    """The function's nests that have kernels, each mapping of one of them with the others in the source's order."""
    nests = [(nest, context.in_source_order) for nest, context in contexts(case, report) if context.evaluation.kernels]
    for at, (nest, context) in enumerate(nests):
        evaluation = context.evaluation
        source = SourceNest(evaluation.facts)
        for mapped in in_steps(source) if in_steps_alone else every_mapping(source, TEAMS):
            changed = replace(context, evaluation=in_mapping(evaluation, mapped, ()))
            yield [*nests[:at], (nest, changed), *nests[at + 1 :]]


def mapped_ports(case: Case, report: Report, seed: int, most: int = 99) -> tuple[list[Port], list[Refused]]:
    """Ports in the mappings, and those that are refused; `most` of them, which `seed` chooses."""
    return _ports(case, report, list(in_mappings(case, report)), seed, most)


def stepped_ports(case: Case, report: Report, seed: int, most: int = 99) -> tuple[list[Port], list[Refused]]:
    """Ports of nests in steps, and those that are refused."""
    return _ports(case, report, list(in_mappings(case, report, in_steps_alone=True)), seed, most)


def _ports(
    case: Case, report: Report, every: Sequence[Nests], seed: int, most: int
) -> tuple[list[Port], list[Refused]]:
    found: list[Port] = []
    refused: list[Refused] = []
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
