"""The mapping of a nest that a name stands for, whether it is worth trying at the nest's sizes or not.

A comment that pins one holds on every GPU and at every size: `warp:j` is made where the source's own order would fill
the GPU too, `block1024:j` where a smaller block was faster.
"""

from __future__ import annotations

import re

from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.mapping.mapped_nest import Rewritten, mapped_nest
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.stepped_nest import in_steps
from warplens.analysis.models.nest.mapping_choice import STEPS
from warplens.analysis.models.nest.named_rewriting import named_rewriting

_BETWEEN_KERNELS = re.compile(r"\+(?=\d+:)")
"""Unlike the `+` between loops that a team shares, whose names begin with no digit."""

_NUMBERED = re.compile(r"(?:(?P<kernel>\d{1,3}):)?(?P<mapping>.+)")
"""As `mapping_choice.py` writes them: of a nest with several kernels the kernel's number stands in front."""


def named_mapping(facts: NestFacts, name: str, gpu: Gpu) -> MappedNest | None:
    """The nest in the mapping of a name; None where none is called so, or the GPU can't have it."""
    source = SourceNest(facts)
    if name.startswith(STEPS):
        return _in_steps(source, name)
    kernels: dict[int, re.Match[str]] = {}
    for part in _BETWEEN_KERNELS.split(name):
        said = _NUMBERED.fullmatch(part)
        number = 0 if said is None else int(said["kernel"] or 1)
        if said is None or not 1 <= number <= len(facts.kernels) or number in kernels:
            return None
        if (said["kernel"] is None) != (len(facts.kernels) == 1):
            return None
        kernels[number] = said
    names = NewNames(facts.nest)
    rewritten: list[Rewritten] = []
    for number, said in sorted(kernels.items()):
        rewrite = named_rewriting(source, facts.kernels[number - 1], said["mapping"], gpu)
        found = None if rewrite is None else rewrite(names)
        if found is None:
            return None
        rewritten.append(found)
    return mapped_nest(source, names, rewritten)


def _in_steps(source: SourceNest, name: str) -> MappedNest | None:
    found = in_steps(source)
    return found[0] if found is not None and name == f"{STEPS}{c_name(found[1])}" else None
