"""The quick fix that writes a CUDA file beside the source."""

from __future__ import annotations

from warplens.analysis.ports.cuda.choose_launch import launch_text
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.port import cuda_port, planned_port
from warplens.analysis.ports.directives.device_functions import why_not_one_thread
from warplens.analysis.ports.fix import (
    AS_PREDICTED,
    FixContext,
    FixEdits,
    FixRule,
    LaunchWish,
    NewFile,
    OfferedFix,
)
from warplens.analysis.ports.predicted_effect import port_effect
from warplens.analysis.ports.rests_on import rests_on

CODE = "cuda"


def offer(context: FixContext) -> tuple[OfferedFix, ...]:
    """One offer per nest that has a kernel."""
    if not context.evaluation.kernels:
        return ()
    root = context.evaluation.facts.nest.root.id
    try:
        port = planned_port(context, AS_PREDICTED)
    except PortRefusedError as refusal:
        return (OfferedFix(CODE, "Write CUDA", root, refusal=str(refusal)),)
    first, *others = port.kernels
    launch = launch_text(first.chosen.launch)
    if others:
        launch += f" and {len(others)} more kernel{'s' if len(others) > 1 else ''}"
    times_s = {each.plan.kernel.root: each.chosen.time_s for each in port.kernels}
    effect = port_effect(context.evaluation, times_s)
    return (OfferedFix(CODE, f"Write CUDA to {port.file_name}", root, effect=effect, launch=launch),)


def edit(context: FixContext, _offer: OfferedFix, wish: LaunchWish) -> FixEdits:
    """The file beside the source."""
    facts = context.evaluation.kernel_facts
    reason = why_not_one_thread(context.source, context.function)
    if reason:
        return FixEdits(refusal=reason)
    try:
        file = cuda_port(context, wish)
    except PortRefusedError as refusal:
        return FixEdits(refusal=str(refusal))
    taken = rests_on(facts, context.source, is_cuda=True)
    new_files = (NewFile(file.name, file.text),)
    return FixEdits(new_files=new_files, note=f"CUDA: kernels and `{file.symbol}`", rests_on=taken)


FIX = FixRule(CODE, offer, edit)
