"""Which mappings of a nest are ported at its sizes, and their ports: those that the choice tried, at most six.

Of each kind the fastest, so that the choice between kinds is tried out, and of blocks and parts another one far from
it, so that the choice within a kind is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from warplens.analysis.models.nest.what_if import Changes, what_if
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.mapping_time import SOURCE_ORDER, MappingTime
from warplens.analysis.ports.fix import AS_PREDICTED, LaunchWish
from warplens.hwprofiles.validation import model_errors
from warplens.server.measure.kernel_times.harness_run import PortSource
from warplens.server.measure.kernel_times.measure_nest import Subject, planned_nest
from warplens.server.measure.kernel_times.measured_nest import MeasuredNest

MOST = 6
_KIND = re.compile(r"(?:\d+:)?([a-z]+>?)")
"""Kernels that are rewritten again after `points>` are one of their own."""


@dataclass(frozen=True, slots=True)
class MappedPort:
    """A port of one mapping, and what it is measured as: its result and its times are still to come."""

    mapping: str
    source: PortSource
    measured: MeasuredNest


@dataclass(frozen=True, slots=True)
class MappedPorts:
    """Ports of a nest's mappings at one set of sizes, and why there are none of others."""

    ports: tuple[MappedPort, ...]
    refused: tuple[str, ...]


def mapped_ports(subject: Subject, staged: Sequence[str]) -> MappedPorts:
    """Write a port of each chosen mapping; of the source's order also with and without arrays staged, if there are any.

    Raises NoMemoryPlanError and SignatureError.
    """
    found: list[MappedPort] = []
    refused: list[str] = []
    for name in chosen_mappings(subject.context.evaluation.mappings):
        evaluation = in_mapping_named(subject.context.evaluation, name)
        assert evaluation is not None, f"{name} is a mapping that was tried"
        one = replace(subject, context=replace(subject.context, evaluation=evaluation))
        planned = planned_nest(one, _wishes(staged) if name == SOURCE_ORDER else (AS_PREDICTED,))
        measured = [outcome.measured for outcome in planned.outcomes if outcome.measured]
        found += [MappedPort(name, *pair) for pair in zip(planned.sources, measured, strict=True)]
        refused += [f"{name}: {outcome.refusal}" for outcome in planned.outcomes if not outcome.measured]
    return MappedPorts(tuple(found), tuple(refused))


def in_mapping_named(evaluation: NestEvaluation, name: str) -> NestEvaluation | None:
    """The nest in a mapping that was tried; None for another name."""
    if name == recommended_mapping(evaluation.mappings):
        return evaluation
    found = what_if(evaluation, Changes(mapping=name), model_errors())
    return None if found.refusals else found.evaluation


def recommended_mapping(tried: Sequence[MappingTime]) -> str:
    """Name of what is recommended.

    >>> recommended_mapping([MappingTime("warp:j", 1.0, True), MappingTime("source", 2.0)])
    'warp:j'
    >>> recommended_mapping([])
    'source'
    """
    return next((one.name for one in tried if one.is_recommended), SOURCE_ORDER)


def chosen_mappings(tried: Sequence[MappingTime]) -> tuple[str, ...]:
    """Names of at most `MOST`, the source's order and what is recommended first; `tried` has the fastest first.

    >>> chosen_mappings([MappingTime(name, 1.0, name == "warp:j") for name in ("block64:j", "warp:j", "block128:j")])
    ('source', 'warp:j', 'block64:j', 'block128:j')
    """
    return tuple(dict.fromkeys((SOURCE_ORDER, recommended_mapping(tried), *_of_each_kind(tried))))[:MOST]


def _of_each_kind(tried: Sequence[MappingTime]) -> Iterator[str]:
    kinds: dict[str, list[str]] = {}
    for one in tried:
        found = _KIND.match(one.name)
        kinds.setdefault(found[1] if found else one.name, []).append(one.name)
    yield from (names[0] for names in kinds.values())
    yield from (kinds[kind][-1] for kind in ("parts", "block") if kind in kinds)


def _wishes(staged: Sequence[str]) -> tuple[LaunchWish, ...]:
    if not staged:
        return (AS_PREDICTED,)
    return (AS_PREDICTED, LaunchWish(None, None, ()), LaunchWish(None, None, tuple(staged)))
