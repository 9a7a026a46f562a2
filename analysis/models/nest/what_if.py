"""A nest's prediction at other sizes, on another GPU or CPU, or with a launch of the user's choice: from its facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.launches.pin_refusals import Refusal, allowed_pin, launch_refusal, staging_refusals
from warplens.analysis.models.nest.evaluate_nest import (
    evaluate_kernel,
    in_mapping,
    in_named_mapping,
    mappings_of,
    with_pin,
)
from warplens.analysis.models.nest.mapping_choice import ChosenMapping
from warplens.analysis.models.nest.nest_of_kernels import with_kernels
from warplens.analysis.models.nest.steady_bound import steady_bound
from warplens.analysis.models.nest.written_launch import as_written
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.launch_pin import FREE, LaunchPin
from warplens.analysis.models.results.mapping_time import SOURCE_ORDER, MappingPin, no_such_mapping
from warplens.analysis.workload.loops.derived_symbols import Sizes, extend_sizes


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be otherwise: `sizes` of some parameters, machines, the launch of a `kernel` (None: of each).

    `mapping` is the name of one (`MappingTime.name`), empty for the one of the base: where nothing of a launch is asked
    for that is the fastest at the new sizes, or the one that a comment pins.
    """

    sizes: tuple[tuple[str, int], ...] = ()
    gpu: Gpu | None = None
    cpu: Cpu | None = None
    pin: LaunchPin = FREE
    kernel: int | None = None
    mapping: str = ""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The prediction with the changes that could be made, and why not the others."""

    evaluation: NestEvaluation
    refusals: tuple[Refusal, ...] = ()


def what_if(base: NestEvaluation, changes: Changes, errors: Sequence[ModelError]) -> WhatIf:
    """Predict an evaluated nest again with some changes; what does not change is as in `base`.

    `errors` are those that `base` was made with. Numbers are those of `evaluate_nest` at these sizes on this machine;
    of a kernel with a pin those of the best launch that is as the pin says, the base's own where it is.
    """
    asked, refusals = base, list[Refusal]()
    if changes.mapping:
        found_mapping = _in_mapping(base, changes.mapping, errors)
        if found_mapping is None:
            refusals.append(Refusal("mapping", no_such_mapping(changes.mapping, base.mappings)))
        else:
            base = found_mapping
    gpu, cpu = changes.gpu or base.gpu, changes.cpu or base.cpu
    sizes = {**dict(base.sizes), **dict(changes.sizes)}
    is_as_searched = sizes == dict(base.sizes) and gpu == base.gpu
    is_chosen_anew = not is_as_searched and changes.pin == FREE and not changes.mapping
    if is_chosen_anew:
        base = base.in_source_order
    values = extend_sizes(sizes, base.kernel_facts.nest)
    kernels: list[KernelEvaluation] = []
    for number, kernel in enumerate(base.kernels):
        pin = changes.pin if changes.kernel in {None, number} else FREE
        found = _Pinned(base, kernel, values, gpu, errors, is_as_searched).evaluated(pin)
        kernels.append(found.kernel)
        refusals += [_of_kernel(refusal, number, len(base.kernels)) for refusal in found.refusals]
    evaluation = base if gpu == base.gpu and cpu == base.cpu and tuple(kernels) == base.kernels else None
    said = _said_sizes(asked, changes.sizes)
    if evaluation is None or not is_as_searched:
        new = with_kernels(base.facts, sizes, tuple(kernels), gpu, cpu, base.mapped)
        if is_chosen_anew:
            new = _in_own_mapping(new, asked.pin, errors)
        elif is_as_searched and changes.pin == FREE:
            new = _on_cpu(base, cpu)
        else:
            order = base.in_source_order if is_as_searched else _order_anew(base, sizes, gpu, cpu, errors)
            new = replace(
                new,
                mappings=base.mappings if is_as_searched else order.mappings,
                source_order=None if base.mapped is None else order,
                pin=_without_comparison(base.pin),
            )
        evaluation = with_sizes_of(asked, new, said)
    elif said != said_sizes(base):
        evaluation = with_sizes_of(base, base, said)
    return WhatIf(evaluation, tuple(dict.fromkeys(refusals)))


def _in_own_mapping(evaluation: NestEvaluation, pin: MappingPin | None, errors: Sequence[ModelError]) -> NestEvaluation:
    """A nest in the source's order, in the mapping that is the fastest at its sizes, or that a comment pins."""
    chosen = mappings_of(evaluation, errors)
    evaluation = replace(evaluation, mappings=chosen.times)
    if chosen.mapped is not None:
        evaluation = in_mapping(evaluation, chosen.mapped, errors)
    evaluation = as_written(evaluation, errors)
    return evaluation if pin is None else with_pin(evaluation, pin.name, chosen, errors)


def _on_cpu(evaluation: NestEvaluation, cpu: Cpu) -> NestEvaluation:
    """The same beside another CPU, with what stands beside it: the source's order, and what a directive asks for."""
    beside = evaluation.source_order, evaluation.plain
    order, plain = (None if each is None else _on_cpu(each, cpu) for each in beside)
    sizes = dict(evaluation.sizes)
    new = with_kernels(evaluation.facts, sizes, evaluation.kernels, evaluation.gpu, cpu, evaluation.mapped)
    return replace(new, mappings=evaluation.mappings, source_order=order, plain=plain, pin=evaluation.pin)


def _in_mapping(base: NestEvaluation, name: str, errors: Sequence[ModelError]) -> NestEvaluation | None:
    """The nest in the mapping of a name; None where it has none."""
    if base.pinned is not None and base.pinned.name == name:
        return base
    chosen = ChosenMapping(None) if name == SOURCE_ORDER else mappings_of(base, errors)
    found = in_named_mapping(base, name, chosen, errors)
    return None if found is None else with_sizes_of(base, found, said_sizes(base))


def _order_anew(
    base: NestEvaluation, sizes: dict[str, int], gpu: Gpu, cpu: Cpu, errors: Sequence[ModelError]
) -> NestEvaluation:
    """The nest in the source's order at other sizes, with the mappings that are tried there; none where none were."""
    order = base.in_source_order
    if not base.mappings:
        return order
    values = extend_sizes(sizes, order.facts.nest)
    kernels = tuple(evaluate_kernel(order.facts, each.kernel, values, gpu, errors) for each in order.kernels)
    new = with_kernels(order.facts, sizes, kernels, gpu, cpu)
    return replace(new, mappings=mappings_of(new, errors).times)


def _without_comparison(pin: MappingPin | None) -> MappingPin | None:
    """What was recommended at other sizes, or with another launch, is not what is now."""
    return None if pin is None else replace(pin, recommended="", recommended_s=0.0)


def said_sizes(evaluation: NestEvaluation) -> tuple[Assumption, ...]:
    """Where each size of an evaluation comes from."""
    names = dict(evaluation.sizes)
    return tuple(a for a in evaluation.assumptions if a.kind == "size" and a.subject in names)


def with_sizes_of(base: NestEvaluation, new: NestEvaluation, said: tuple[Assumption, ...]) -> NestEvaluation:
    """An evaluation of the nest of `base` with what is known beside its facts; `said` is said of its sizes."""
    names = dict(base.sizes)
    others = (a for a in new.assumptions if a.kind != "size" or a.subject not in names)
    order, plain = (None if one is None else with_sizes_of(base, one, said) for one in (new.source_order, new.plain))
    given = replace(
        new,
        assumptions=(*said, *others),
        measured=base.measured,
        missing_headers=base.missing_headers,
        source_order=order,
        plain=plain,
    )
    return replace(given, steady_bound=steady_bound(given))


def _said_sizes(base: NestEvaluation, asked: Sequence[tuple[str, int]]) -> tuple[Assumption, ...]:
    """What is said of each size, a new one where it is asked for, be it the value of the base: then it is no guess."""
    before = dict(base.sizes)
    said = {a.subject: a for a in said_sizes(base)}
    for name, value in asked:
        is_guess = name in said and said[name].origin == "default"
        if name in before and (value != before[name] or is_guess):
            text = f"`{c_name(name)}` = {value}, as asked."
            said[name] = Assumption("size", name, text, float(value), "what-if")
    return tuple(said.values())


@dataclass(frozen=True, slots=True)
class _FoundKernel:
    kernel: KernelEvaluation
    refusals: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True)
class _Pinned:
    """One kernel of the base at the new sizes."""

    base: NestEvaluation
    kernel: KernelEvaluation
    sizes: Sizes
    gpu: Gpu
    errors: Sequence[ModelError]
    is_as_searched: bool
    """Whether sizes and GPU are the base's."""

    def evaluated(self, pin: LaunchPin) -> _FoundKernel:
        """The kernel with what of the pin is possible."""
        sized = SizedKernel.of(self.kernel.kernel, self.sizes)
        pin, refusals = allowed_pin(sized, pin, self.gpu)
        if self.is_as_searched and pin.is_met_by(self.kernel.prediction.launch):
            return _FoundKernel(self.kernel, refusals)
        if pin.block is not None and pin.work_per_thread in {None, 1}:
            pin, more = staging_refusals(sized, pin, pin.block, self.gpu)
            refusals += more
        for weaker in _weaker(pin):
            found = self._searched(pin)
            if found.ranking is None or found.ranking.possible:
                return _FoundKernel(found, refusals)
            if pin.shared:
                refusals += (Refusal("shared", _not_staged(pin)),)
            else:
                refusals += (launch_refusal(sized, pin, self.gpu),)
            pin = weaker
        if self.is_as_searched:
            return _FoundKernel(self.kernel, refusals)
        return _FoundKernel(self._searched(FREE), refusals)

    def _searched(self, pin: LaunchPin) -> KernelEvaluation:
        return evaluate_kernel(self.base.kernel_facts, self.kernel.kernel, self.sizes, self.gpu, self.errors, pin)


def _weaker(pin: LaunchPin) -> Iterator[LaunchPin]:
    """The pin with less and less of it, arrays first, then outputs, until nothing is left."""
    for name in ("shared", "work_per_thread", "block"):
        if getattr(pin, name) is not None:
            pin = replace(pin, **{name: None})
            yield pin


def _not_staged(pin: LaunchPin) -> str:
    names = " and ".join(f"`{c_name(array)}`" for array in pin.shared or ())
    outputs = f" whose threads have {pin.work_per_thread} outputs" if pin.work_per_thread else ""
    return f"no block{outputs} can stage {names}: there is no room for it, or nothing to save"


def _of_kernel(refusal: Refusal, number: int, kernels: int) -> Refusal:
    """Of several kernels the one that it speaks of is named, counted from 1."""
    return replace(refusal, message=f"kernel {number + 1}: {refusal.message}") if kernels > 1 else refusal
