"""The data of the whole page: machines, files, and their nests as the analysis process worked them out."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.sizes.break_even import BreakEven
from warplens.server.json.visible import visible_json
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import line_in, node_span
from warplens.server.render.trust import LEDGER
from warplens.server.report_page.glossary_data import glossary_data
from warplens.server.report_page.job import NestPageJob, Part
from warplens.server.report_page.machine_data import machine_data
from warplens.server.report_page.overview_data import overview_data
from warplens.server.worker.job import Answer, NestAnswer

PARTS: tuple[Part, ...] = ("summary", "stake", "detail", "gpus", "break_even")
"""All parts of a nest, as a page without a host needs them."""

DATA_VERSION = 2
"""Counts up when a field is renamed, removed or changes its meaning: page and server come from one version."""

Json = dict[str, Any]


def report_data(files: list[Json], gpu: str, cpu: str, options: str = "") -> Json:
    """The page's data; `options` are those of a command that asks the same of a loop. Raises ProfileError."""
    return {
        "version": DATA_VERSION,
        "warplens": version("warplens"),
        "machine": machine_data(gpu, cpu),
        **overview_data(files),
        "options": options,
        "glossary": glossary_data(),
        "ledger": LEDGER,
    }


def file_data(path: str, positions: Lines, answer: Answer, pages: dict[int, Json]) -> Json:
    """One file; `pages` has what was worked out of its nests, by the order of `nests_of`."""
    nests = [{**visible_json(_nest(positions, nest)), **pages.get(at, {})} for at, nest in enumerate(nests_of(answer))]
    return {"nests": nests, **visible_json(_about(path, positions, answer))}


def _about(path: str, positions: Lines, answer: Answer) -> Json:
    return {
        "path": path,
        "preprocessor": answer.preprocessor,
        "opaque": [
            {"line": positions.line_of(opaque.span.start) + 1, "reason": opaque.reason} for opaque in answer.opaque
        ],
        "problems": [
            {"line": positions.line_of(problem.span.start) + 1, "message": problem.message}
            for problem in answer.problems
        ],
    }


def nests_of(answer: Answer) -> Iterator[NestAnswer]:
    """Every nest of a file, in its order."""
    for function in answer.functions:
        yield from function.nests


def page_job(
    positions: Lines,
    nest: NestAnswer,
    parts: tuple[Part, ...],
    gpus: tuple[str, ...],
    limit_s: float,
    program_root: str = "",
    break_even: BreakEven | None = None,
) -> NestPageJob:
    """The job for parts of a nest that has an evaluation; places of other files are shown from `program_root`.

    `break_even` is the nest's where it is known already.
    """
    base = nest.spans.base
    places = (*nest.spans.nodes, *nest.spans.header)  # a loop's header is where it stands
    lines = {node: positions.line_of(base + span.start) + 1 for node, span in places}
    return NestPageJob(
        nest.packed,
        tuple(lines.items()),
        parts,
        gpus,
        limit_s,
        nest.size_sources,
        program_root,
        nest.id.function,
        break_even,
        nest.fixes,
    )


def _nest(positions: Lines, nest: NestAnswer) -> Json:
    span = node_span(nest.spans, NodeId(0))
    return {
        "function": nest.id.function,
        "ordinal": nest.id.ordinal,
        "line": 0 if span is None else positions.line_of(span.start) + 1,
        "last_line": _last_line(positions, nest),
        "failure": nest.failure or None,
        "headline": nest.lens or None,
        "verdict": None,
        "all_cores_s": None,
        "gpu_s": None,
        "copied_s": None,
        "is_guessed": False,
        "bound": None,
        "step": None,
        "reason": nest.failure or None,
        "kernels": [],
        "detail": None,
        "gpus": None,
        "break_even": None,
        "findings": [
            {
                "code": finding.code,
                "severity": finding.severity,
                "message": finding.message,
                "line": line_in(positions, nest.spans, finding.node),
            }
            for finding in nest.findings
        ],
    }


def _last_line(positions: Lines, nest: NestAnswer) -> int:
    ends = (span.end for node, span in nest.spans.whole if node == NodeId(0))
    return max((positions.line_of(nest.spans.base + end) + 1 for end in ends), default=0)
