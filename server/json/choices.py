"""What can be changed in a prediction, as JSON values: sizes, machines, blocks, outputs per thread, arrays to stage."""

from __future__ import annotations

from functools import cache
from typing import Any

from warplens.analysis.engine.program_sizes import OtherCalls
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.models.launches.launch_space import blocks_of, works_per_thread
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.hwprofiles.loader import cpu_names, gpu_names, load_cpu, load_gpu
from warplens.server.json.loop import place_as_json
from warplens.server.json.mapping import mappings_as_json
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import node_span
from warplens.server.what_if.data_places import DATA_PLACES

Json = dict[str, Any]


def choices_as_json(
    lines: Lines, spans: NestSpans, base: NestEvaluation, result: NestEvaluation, calls: OtherCalls = ()
) -> Json:
    """Sizes as they are in `base`, or by other calls; what a launch can be at the sizes and on the GPU of `result`."""
    said = {a.subject: a for a in base.assumptions if a.kind == "size"}
    return {
        "parameters": [
            {"name": name, "value": value, "origin": said[name].origin, "text": said[name].text}
            if name in said
            else {"name": name, "value": value, "origin": "default", "text": ""}
            for name, value in base.sizes
        ],
        "calls": [
            {"sizes": dict(one.sizes), "text": one.source.text, "path": one.source.path, "line": one.source.line}
            for one in calls
        ],
        "gpus": _with(base.gpu.id, base.gpu.name, _gpus()),
        "cpus": _with(base.cpu.id, base.cpu.name, _cpus()),
        "data": list(DATA_PLACES) if result.kernels else [],
        "mappings": mappings_as_json(result),
        "kernels": [_kernel(lines, spans, result, kernel) for kernel in result.kernels],
    }


def _kernel(lines: Lines, spans: NestSpans, result: NestEvaluation, kernel: KernelEvaluation) -> Json:
    sized, limits = SizedKernel.of(kernel.kernel, result.known_sizes), result.gpu.occupancy
    launch = kernel.prediction.launch
    dimensions = len(kernel.kernel.thread_order)
    is_team = kernel.kernel.team is not None
    found = () if is_team else shared_opportunities(sized, launch.block, result.gpu, launch.outputs_per_thread)
    return {
        **place_as_json(lines, node_span(spans, result.place(kernel.kernel))),
        "dimensions": dimensions,
        "max_threads_per_block": limits.max_threads_per_block,
        "max_shared_bytes_per_block": limits.shared_per_block_bytes,
        "blocks": [list(block) for block in blocks_of(sized, result.gpu)],
        "outputs_per_thread": list(works_per_thread(kernel.kernel)),
        "shared": [
            {
                "array": choice.array,
                "size_bytes": choice.size_bytes,
                "saved_bytes_per_block": choice.saved_bytes,
            }
            for choice in found
        ],
    }


def _with(own: str, name: str, known: tuple[tuple[str, str], ...]) -> list[Json]:
    """The machines that come with the project; one of the user's own in front."""
    machines = known if own in dict(known) else ((own, name), *known)
    return [{"id": each, "name": text} for each, text in machines]


@cache
def _gpus() -> tuple[tuple[str, str], ...]:
    return tuple((name, load_gpu(name).name) for name in gpu_names())


@cache
def _cpus() -> tuple[tuple[str, str], ...]:
    return tuple((name, load_cpu(name).name) for name in cpu_names())
