"""The CUDA port of a nest: one `.cu` file with its kernels and the function that the C program calls instead."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.ir.nest import ArrayObject, LoopNest
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import StructOf
from warplens.analysis.mapping.mapped_nest import mapped_nest
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.models.nest.evaluate_nest import in_mapping
from warplens.analysis.models.results.evaluation import KernelEvaluation
from warplens.analysis.ports.cuda.call_text import argument, c_parameter, require_names, spaced
from warplens.analysis.ports.cuda.choose_launch import ChosenLaunch, choose_launch, prediction_of
from warplens.analysis.ports.cuda.cuda_refusal import cuda_refusal
from warplens.analysis.ports.cuda.device_memory import DeviceArray, DeviceMemory, device_memory, known_symbols
from warplens.analysis.ports.cuda.file_comment import Described, Use, file_comment
from warplens.analysis.ports.cuda.file_text import file_text
from warplens.analysis.ports.cuda.kernel_text import KernelText, kernel_text
from warplens.analysis.ports.cuda.place_of_call import place_text, why_no_call
from warplens.analysis.ports.cuda.plan import KernelPlan, PortRefusedError
from warplens.analysis.ports.cuda.prototype import OwnParameter, own_parameters
from warplens.analysis.ports.cuda.tile_order import ordered_for_tiles
from warplens.analysis.ports.cuda.tiles import plan_tiles
from warplens.analysis.ports.cuda.wrapper import Wrapper, has_results_of_host, wrapper
from warplens.analysis.ports.directives.own_arrays import own_arrays
from warplens.analysis.ports.fix import AS_PREDICTED, FixContext, LaunchWish
from warplens.analysis.ports.overlapping_calls import overlapping_call
from warplens.analysis.ports.sections.changed_length import why_length_differs
from warplens.analysis.ports.sections.hull import whole
from warplens.analysis.text.file_text import code_of
from warplens.analysis.text.span import Span

_NAME = re.compile(r"[A-Za-z_]\w*")
_PACK = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+pack\b|\b_Pragma[ \t]*\([ \t]*\"pack\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CudaKernel:
    """One kernel of the file: its plan, its launch with the predicted time of one, and how often it is launched."""

    name: str
    plan: KernelPlan
    chosen: ChosenLaunch
    launches: int


@dataclass(frozen=True, slots=True)
class CudaFile:
    """A file beside the source. `symbol` is the function that the C program calls, `prototype` its declaration in C.

    `call` is the statement that stands for the nest, or for all of the function's body (`replaces_body`).
    """

    name: str
    text: str
    kernels: tuple[CudaKernel, ...]
    symbol: str
    prototype: str
    call: str
    replaces_body: bool


@dataclass(frozen=True, slots=True)
class PlannedPort:
    """Everything of a port that can be refused, without the words about it."""

    kernels: tuple[CudaKernel, ...]
    texts: tuple[KernelText, ...]
    host: Wrapper
    memory: DeviceMemory
    file_name: str

    @property
    def time_s(self) -> float:
        """Predicted time of all launches, launch overhead left out."""
        return sum(kernel.chosen.time_s * max(1, kernel.launches) for kernel in self.kernels)


def planned_port(context: FixContext, wish: LaunchWish) -> PlannedPort:
    """The launches, kernels and host function of a nest; raises PortRefusedError, in the source's terms."""
    context = in_wished_mapping(context, wish)
    evaluation = context.evaluation
    facts = evaluation.kernel_facts
    reason = cuda_refusal(facts, own_arrays(facts.nest) | facts.nest.scratch) or _packed(context) or _relaid(context)
    reason = reason or why_no_call(context) or overlapping_call(evaluation.facts)
    if reason:
        raise PortRefusedError(reason)
    mapped = None if evaluation.mapped is None else facts
    memory = device_memory(evaluation.facts, has_results=has_results_of_host(facts), mapped=mapped)
    if evaluation.mapped is not None:
        memory = _of_mapping(memory, evaluation.facts.nest, facts.nest)
    written = _kernels(context, wish)
    texts = tuple(text for _, text in written)
    taken = {parameter.stands_for for text in texts for parameter in text.parameters}
    memory = replace(memory, arrays=tuple(one for one in memory.arrays if one.array.name in taken))
    host = wrapper(facts, memory, texts, _requirements(context, memory))
    require_names(context, host.inputs)
    name = f"{_source_stem(context)}_{_stem(context)}.cu"
    return PlannedPort(tuple(kernel for kernel, _ in written), texts, host, memory, name)


def cuda_port(context: FixContext, wish: LaunchWish) -> CudaFile:
    """The file for one nest; raises PortRefusedError, in the source's terms."""
    context = in_wished_mapping(context, wish)
    planned, evaluation = planned_port(context, wish), context.evaluation
    host = planned.host
    own = own_parameters(context)
    signature = None if own is None else _own_signature(host, own, context)
    symbol = _symbol(context)
    use = _use(context, host, signature, own, symbol, planned.file_name)
    described = [
        Described(
            one.name,
            one.chosen,
            prediction_of(evaluation, _ordered(kernel, one.plan.kernel), one.chosen.launch),
            one.launches,
            one.plan.tiles,
        )
        for one, kernel in zip(planned.kernels, evaluation.kernels, strict=True)
    ]
    comment = file_comment(evaluation, described, use, _granted(context, planned.memory), context.source)
    if signature is not None:
        taken = {one.name for one in host.inputs}
        unused = [name for name in (one.split()[-1].lstrip("*") for one in signature) if name not in taken]
        host = replace(host, start=(*(f"(void){name};" for name in unused), *host.start))
    parameters = signature or tuple(f"{spaced(one.cuda_type)}{one.name}" for one in host.inputs)
    text = file_text(evaluation.kernel_facts.nest, comment, planned.texts, (symbol, parameters), host)
    return CudaFile(
        use.cuda_file, text, planned.kernels, symbol, use.prototype, use.call, replaces_body=use.replaces_body
    )


def in_wished_mapping(context: FixContext, wish: LaunchWish) -> FixContext:
    """In the source's order where a launch is wished for that a team, or the part of a sum, can't have.

    What the source's order leaves to the host between kernels, of what these have on the device, one thread does.
    """
    evaluation = context.evaluation
    if evaluation.mapped is None:
        return _with_single_threads(context)
    if wish == AS_PREDICTED:
        return context
    is_in_parts = len(evaluation.kernel_facts.nest.arrays) > len(evaluation.facts.nest.arrays)
    teams = [kernel.kernel.team for kernel in evaluation.kernels if kernel.kernel.team is not None]
    is_other = wish.block is not None and any(wish.block[0] != team.threads for team in teams)
    has_outputs = wish.outputs_per_thread not in {None, (1, 1, 1)}
    if is_in_parts or (teams and (is_other or has_outputs or wish.shared)):
        return _with_single_threads(context.in_source_order)
    return context


def _with_single_threads(context: FixContext) -> FixContext:
    """The source's order with kernels of one thread for statements between its kernels, if there are any."""
    evaluation = context.evaluation
    facts = evaluation.facts
    if any(kernel.root == facts.nest.root.id for kernel in facts.kernels):
        return context
    mapped = mapped_nest(SourceNest(facts), NewNames(facts.nest), ())
    if len(mapped.facts.kernels) == len(facts.kernels):
        return context
    return replace(context, evaluation=in_mapping(evaluation, mapped, ()))


def _of_mapping(memory: DeviceMemory, source: LoopNest, mapped: LoopNest) -> DeviceMemory:
    """With the arrays that the mapping adds, which live on the device only; what a grid needs is asked anew."""
    known = known_symbols(mapped)
    added: list[DeviceArray] = []
    for array in mapped.arrays[len(source.arrays) :]:
        elements = whole(array, known)
        if elements is None:
            raise PortRefusedError("how many sums the kernels keep for each other is not known before they run")
        needed = frozenset(extent - 1 for extent in array.extents if extent is not None and not extent.is_constant)
        ends = tuple(replace(end, conditions=needed) for end in elements.ends)
        firsts = tuple(replace(first, conditions=needed) for first in elements.firsts)
        hull = replace(elements, firsts=firsts, ends=ends)
        added.append(DeviceArray(array, hull, None, is_copied_in=False, is_read=True))
    return replace(memory, arrays=(*memory.arrays, *added), needed_by_kernel=())


def _packed(context: FixContext) -> str:
    """A structure that a function defines is laid out by its members alone; one defined outside says so itself."""
    for array in context.evaluation.facts.nest.arrays:
        if isinstance(array.element, StructOf) and _PACK.search(context.source):
            return f"`#pragma pack` in this file may lay out the elements of `{c_name(array.name)}` in its own way"
    return ""


def _relaid(context: FixContext) -> str:
    nest = context.evaluation.facts.nest
    span = dict(context.spans.whole).get(nest.root.id, Span(0, 0))  # of a macro: a change inside counts too
    return why_length_differs(nest, span.shifted(context.spans.base), context.function_span, context.source)


def _kernels(context: FixContext, wish: LaunchWish) -> list[tuple[CudaKernel, KernelText]]:
    """All kernels. Of several those get the launch that is wished for that can have it: at least one must."""
    evaluated = context.evaluation.kernels
    named = [(kernel, _kernel_name(context, at)) for at, kernel in enumerate(evaluated)]
    if len(named) == 1 or wish == AS_PREDICTED:
        return [_kernel(context, kernel, name, wish) for kernel, name in named]
    written: list[tuple[CudaKernel, KernelText]] = []
    refusals: list[PortRefusedError] = []
    for kernel, name in named:
        try:
            written.append(_kernel(context, kernel, name, _of_kernel(wish, kernel, evaluated)))
        except PortRefusedError as refusal:
            refusals.append(refusal)
            written.append(_kernel(context, kernel, name, AS_PREDICTED))
    if len(refusals) == len(named):
        raise refusals[0]
    return written


def _of_kernel(wish: LaunchWish, kernel: KernelEvaluation, every: Sequence[KernelEvaluation]) -> LaunchWish:
    """The wish without arrays that are another kernel's to stage."""
    if wish.shared is None:
        return wish
    own = _arrays_read(kernel)
    others = {name for other in every for name in _arrays_read(other)} - own
    return replace(wish, shared=tuple(name for name in wish.shared if name not in others))


def _arrays_read(kernel: KernelEvaluation) -> frozenset[str]:
    """Arrays that the kernel reads and does not write, as the source names them."""
    written = {access.access.array for access in kernel.kernel.accesses if access.is_write}
    return frozenset(c_name(a.access.array) for a in kernel.kernel.accesses if a.access.array not in written)


def _kernel(
    context: FixContext, kernel: KernelEvaluation, name: str, wish: LaunchWish
) -> tuple[CudaKernel, KernelText]:
    evaluation, facts = context.evaluation, context.evaluation.kernel_facts
    wished = wish.shared or ()
    staged = {one.access.array for one in kernel.kernel.accesses if c_name(one.access.array) in wished}
    kernel = _ordered(kernel, ordered_for_tiles(kernel.kernel, staged))
    sizes = evaluation.known_sizes
    made: dict[LaunchConfig, tuple[KernelPlan, KernelText]] = {}

    def write(launch: LaunchConfig) -> None:
        arrays = tuple(choice.array for choice in launch.shared)
        block, outputs = launch.block, launch.outputs_per_thread
        tiles = plan_tiles(facts.nest, kernel.kernel, block, outputs, arrays, sizes, evaluation.gpu) if arrays else ()
        plan = KernelPlan(kernel.kernel, name, block, outputs, tiles)
        made[launch] = plan, kernel_text(facts, plan)

    chosen = choose_launch(evaluation, kernel, wish, write)
    plan, text = made[chosen.launch]
    return CudaKernel(text.name, plan, chosen, kernel.launches), text


def _ordered(kernel: KernelEvaluation, ordered: Kernel) -> KernelEvaluation:
    """The kernel with its threads in the order that suits what is staged; launches were ranked for its own."""
    return kernel if ordered is kernel.kernel else replace(kernel, kernel=ordered, ranking=None)


def _stem(context: FixContext) -> str:
    """The function, with the nest's number where it has several: edits elsewhere leave it as it is."""
    function = context.function if _NAME.fullmatch(context.function) else "loop"
    return function if context.is_only_nest else f"{function}_nest{context.id.ordinal + 1}"


def _symbol(context: FixContext) -> str:
    """The host function's name: with the file's where another file of the program may have such a function too.

    Not seen: a `static` that a macro says.
    """
    declared = rf"\bstatic\b[^;{{}}]*\b{re.escape(context.function)}\s*\("
    if not re.search(declared, code_of(context.source)):
        return f"{_stem(context)}_cuda"
    symbol = re.sub(r"\W", "_", f"{_source_stem(context)}_{_stem(context)}_cuda", flags=re.ASCII)
    return f"_{symbol}" if symbol[0].isdigit() else symbol


def _source_stem(context: FixContext) -> str:
    return context.file_name.rpartition(".")[0] or context.file_name


def _kernel_name(context: FixContext, at: int) -> str:
    many = len(context.evaluation.kernels) > 1
    return f"{_stem(context)}_kernel{at + 1 if many else ''}"


def _requirements(context: FixContext, memory: DeviceMemory) -> tuple[str, ...]:
    """What must hold for the rows of written arrays, so that no two threads write one element: C conditions."""
    nest = context.evaluation.facts.nest
    written = {array.array.name for array in memory.arrays if array.written is not None}
    found: dict[str, None] = {}
    for kernel in context.evaluation.facts.kernels:
        for access in kernel.accesses:
            if access.access.array in written:
                found |= dict.fromkeys(access.access.conditions)
    known = known_symbols(nest) & {scalar.name for scalar in nest.scalars}
    for condition in found:
        unknown = sorted(set(_NAME.findall(condition)) - known)
        if unknown or not re.fullmatch(r"[\w\s+\-*<>=()]+", condition):
            raise PortRefusedError(f"it is not known whether elements stay in their rows: `{condition}`")
    return tuple(found)


def _granted(context: FixContext, memory: DeviceMemory) -> list[str]:
    """What is taken for granted of the arrays, as sentences."""
    known = known_symbols(context.evaluation.facts.nest)
    skipped = [array.array for array in memory.arrays if array.touched.is_guarded]
    declared = [one.array for one in memory.arrays if one.array.is_pointer and one.touched == whole(one.array, known)]
    found = [
        (skipped, "all the elements that the loops' bounds lead to, also those that a condition skips"),
        (declared, "all the elements that the declaration gives"),
    ]
    return [f"{_listed(arrays)} {'has' if len(arrays) == 1 else 'have'} {what}." for arrays, what in found if arrays]


def _listed(arrays: Sequence[ArrayObject]) -> str:
    names = [f"`{c_name(array.name)}`" for array in arrays]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _own_signature(host: Wrapper, own: Sequence[OwnParameter], context: FixContext) -> tuple[str, ...] | None:
    """The wrapper's parameters in the order of the function's; None where it takes something else too."""
    taken = {one.stands_for: one for one in host.inputs}
    scopes = {one.name: one.scope for one in context.evaluation.facts.nest.arrays}
    scopes |= {one.name: one.scope for one in context.evaluation.facts.nest.scalars}
    names = {parameter.name for parameter in own}
    if any(name not in names or scopes.get(name) != "parameter" or one.kind == "result" for name, one in taken.items()):
        return None
    parameters: list[str] = []
    for parameter in own:
        one = taken.get(parameter.name)
        if one is not None:
            parameters.append(f"{spaced(one.cuda_type)}{one.name}")
        elif parameter.cuda_type:
            parameters.append(f"{spaced(parameter.cuda_type)}{parameter.name}")
        else:
            return None
    return tuple(parameters)


def _use(
    context: FixContext,
    host: Wrapper,
    signature: tuple[str, ...] | None,
    own: Sequence[OwnParameter] | None,
    symbol: str,
    cuda_file: str,
) -> Use:
    place = place_text(context)
    if signature is not None and own is not None:
        listed = ", ".join(parameter.text for parameter in own) or "void"
        call = f"{symbol}({', '.join(parameter.name for parameter in own)});"
    else:
        listed = ", ".join(c_parameter(one) for one in host.inputs) or "void"
        call = f"{symbol}({', '.join(argument(context, one) for one in host.inputs)});"
    prototype = f"void {symbol}({listed});"
    return Use(prototype, call, place, context.function, cuda_file, replaces_body=signature is not None)
